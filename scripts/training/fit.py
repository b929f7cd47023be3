"""The fit: batches of clauses with all their questions, in-batch and mined negatives, one loss for both stages."""

from __future__ import annotations

import logging
import math
import random
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional

from scripts.training.corpus import Corpus, Question
from scripts.training.lexical import Bm25
from scripts.training.model import Encoded, LateInteractionModel, max_sim
from scripts.training.scoring import (
    BatchEncoder,
    Measures,
    Scores,
    dense_scores,
    measure,
    pad,
    standardized,
    token_scores,
)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides a fit besides the data."""

    seed: int = 2026
    epochs: int = 2
    dimension: int = 96
    passages_per_step: int = 32
    negatives_per_step: int = 12
    cluster: int = 4
    questions_per_passage: int = 4
    mined: int = 12
    passage_tokens: int = 160
    question_tokens: int = 48
    rate: float = 5e-5
    head_rate: float = 2e-4
    warm_up: float = 0.1
    steps: int = 0  # stop after so many; 0 is the whole


@dataclass(frozen=True, slots=True)
class Group:
    """A passage, the questions that it answers, and passages that do not answer them though they look it."""

    passage: int
    questions: tuple[int, ...]
    negatives: tuple[int, ...]


def clustered(groups: Sequence[Group], size: int, random: random.Random) -> list[Group]:
    """The groups in random order, but each followed by up to ``size`` - 1 of those whose passages look like its answer.

    So the passages of one step are hard negatives of each other, at no cost.
    """
    waiting: dict[int, list[Group]] = defaultdict(list)
    for group in random.sample(groups, len(groups)):
        waiting[group.passage].append(group)
    order: list[Group] = []
    for passage in list(waiting):
        while waiting[passage]:
            first = waiting[passage].pop()
            alike = [waiting[j].pop() for j in first.negatives if waiting.get(j)]
            order += [first, *alike[: size - 1]]
            for group in alike[size - 1 :]:
                waiting[group.passage].append(group)
    return order


class Fit:
    """One fit of the encoder: mine, train an epoch, measure, again."""

    def __init__(
        self, model: LateInteractionModel, tokenizer: Tokenizer, corpus: Corpus, recipe: Recipe, *, half: bool
    ) -> None:
        torch.manual_seed(recipe.seed)
        self._random = random.Random(recipe.seed)
        self.model = model
        self._corpus = corpus
        self._recipe = recipe
        self._half = half
        self._encoder = BatchEncoder(model, tokenizer, half=half)
        texts = [passage.text for passage in corpus.passages]
        self._rows = self._encoder.tokenize(texts, recipe.passage_tokens)
        self._bm25 = Bm25(texts)
        self._lexical: dict[str, Scores] = {}
        self._encoded: list[Encoded] = []  # the passages by the weights as they are; empty once a step changes them
        for parameter in model.body.get_submodule("embeddings").parameters():
            parameter.requires_grad_(False)

    def start(self) -> None:
        """Give the projection its start from the token states of the corpus."""
        rows = self._random.sample(self._rows, min(256, len(self._rows)))
        ids, mask = pad(rows)
        with torch.inference_mode():
            states = self.model.body(input_ids=ids, attention_mask=mask).last_hidden_state[mask.bool()]
        self.model.start_projection(states.clone())
        self._encoded = []

    def scores(self, questions: Sequence[Question], depth: int = 100) -> dict[str, Scores]:
        """The scores of each stage, (questions, passages): ``dense``, ``bm25``, ``tokens`` and their mixtures.

        Dense and BM25 scores are mixed for the candidates; the best ``depth`` of them get late-interaction scores.
        """
        rows = self._encoder.tokenize([q.text for q in questions], self._recipe.question_tokens)
        asked = self._encoder.encode(rows)
        passages = self._encoded = self._encoded or self._encoder.encode(self._rows)
        for question in questions:
            if question.text not in self._lexical:
                self._lexical[question.text] = self._bm25.scores(question.text)
        dense = dense_scores(asked, passages)
        bm25 = np.stack([self._lexical[q.text] for q in questions])
        mixed = standardized(dense) + 0.5 * standardized(bm25)
        depth = min(depth, mixed.shape[1])
        chosen = np.argpartition(-mixed, depth - 1, axis=1)[:, :depth]
        tokens = token_scores(asked, passages, chosen)
        known = tokens > -1
        reranked = standardized(tokens, known) + 0.4 * standardized(dense, known)
        return {
            "dense": dense,
            "bm25": bm25,
            "dense+bm25": mixed,
            "tokens": tokens,
            "tokens+dense": reranked,
            "tokens+dense+bm25": reranked + 0.25 * standardized(bm25, known),
        }

    def misses(self, questions: Sequence[Question]) -> list[dict[str, object]]:
        """The questions whose article did not come first, with what did."""
        mixed = self.scores(questions)["tokens+dense+bm25"]
        places = [int(row.argmax()) for row in mixed]
        return [
            {"question": q.text, "wanted": q.article, "got": self._corpus.passages[place].article}
            for q, place in zip(questions, places, strict=True)
            if place not in self._corpus.answers(q)
        ]

    def measure(self, questions: Sequence[Question]) -> dict[str, Measures]:
        """Measures of each stage and of the mixtures."""
        found = self.scores(questions)
        return {name: measure(scores, questions, self._corpus) for name, scores in found.items()}

    def mine(self, questions: Sequence[Question]) -> list[Group]:
        """Choose the passage that answers each question and the wrong passages that score best.

        Of an article in several passages the best-scoring one answers; the others of the article are no negatives.
        """
        mixed = self.scores(questions, depth=60)["tokens+dense+bm25"]
        by_passage: dict[int, list[int]] = defaultdict(list)
        negatives: dict[int, list[int]] = {}
        for i, question in enumerate(questions):
            right = list(self._corpus.answers(question))
            by_passage[right[int(np.argmax(mixed[i, right]))]].append(i)
            texts = {self._corpus.passages[j].text for j in right}
            order = [int(j) for j in np.argsort(-mixed[i], kind="stable")[: self._recipe.mined + len(right)]]
            negatives[i] = [j for j in order if j not in right and self._corpus.passages[j].text not in texts]
        # A passage that answers nothing here would only ever be pushed away, and may well answer what is asked later.
        negatives = {i: [j for j in wrong if j in by_passage] for i, wrong in negatives.items()}
        size = self._recipe.questions_per_passage
        groups = []
        for passage, asked in by_passage.items():
            self._random.shuffle(asked)
            for start in range(0, len(asked), size):
                some = tuple(asked[start : start + size])
                groups.append(Group(passage, some, tuple(dict.fromkeys(j for i in some for j in negatives[i]))))
        return groups

    def train(self, questions: Sequence[Question], dev: Sequence[Question]) -> Iterator[dict[str, Measures]]:
        """Run all epochs; yields the measures on ``dev`` before the first and after each."""
        recipe = self._recipe
        rows = self._encoder.tokenize([q.text for q in questions], recipe.question_tokens)
        yield self._report("unfitted", dev)
        groups = self.mine(questions)
        per_epoch = math.ceil(len(groups) / recipe.passages_per_step)
        total = min(recipe.steps or per_epoch * recipe.epochs, per_epoch * recipe.epochs)
        optimizer, schedule = self._optimizer(total)
        step = 0
        for epoch in range(recipe.epochs):
            if epoch:
                groups = self.mine(questions)
            groups = clustered(groups, recipe.cluster, self._random)
            self._encoded = []
            for start in range(0, len(groups), recipe.passages_per_step):
                if step >= total:
                    break
                loss = self._loss(groups[start : start + recipe.passages_per_step], questions, rows)
                optimizer.zero_grad()
                torch.autograd.backward(loss)
                torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
                optimizer.step()
                schedule.step()
                step += 1
                if step % 10 == 0:
                    log.info("step %d of %d, loss %.3f, %.0f CPU s", step, total, loss.item(), time.process_time())
            yield self._report(f"epoch {epoch + 1}", dev)

    def _report(self, name: str, dev: Sequence[Question]) -> dict[str, Measures]:
        measures = self.measure(dev)
        for stage, value in measures.items():
            log.info("%s: %-18s %s (%.0f CPU s)", name, stage, value, time.process_time())
        return measures

    def _optimizer(self, total: int) -> tuple[torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler]:
        recipe = self._recipe
        body = [p for p in self.model.body.parameters() if p.requires_grad]
        head = [*self.model.project.parameters(), *self.model.weigh.parameters(), self.model.log_scale]
        groups = [{"params": body, "lr": recipe.rate}, {"params": head, "lr": recipe.head_rate}]
        optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
        warm = max(1, round(total * recipe.warm_up))

        def factor(step: int) -> float:
            return min((step + 1) / warm, max(0.02, (total - step) / max(1, total - warm)))

        return optimizer, torch.optim.lr_scheduler.LambdaLR(optimizer, factor)

    def _loss(self, groups: Sequence[Group], questions: Sequence[Question], rows: Sequence[list[int]]) -> Tensor:
        """Cross entropy of both stages: each question against every passage of the step, its own article's left out."""
        chosen = list(dict.fromkeys(group.passage for group in groups))
        for group in self._random.sample(groups, min(self._recipe.negatives_per_step, len(groups))):
            others = [j for j in group.negatives if j not in chosen]
            chosen += others[:1] if len(others) < 2 else [self._random.choice(others[: self._recipe.mined])]
        place = {index: at for at, index in enumerate(chosen)}
        asked = [i for group in groups for i in group.questions]
        target = torch.tensor([place[group.passage] for group in groups for _ in group.questions])
        left = self._encode([rows[i] for i in asked])
        right = self._encode([self._rows[j] for j in chosen])
        blocked = torch.zeros(len(asked), len(chosen), dtype=torch.bool)
        for at, i in enumerate(asked):
            for j in self._corpus.answers(questions[i]):
                if j in place and place[j] != int(target[at]):
                    blocked[at, place[j]] = True
        dense_scale, token_scale = self.model.log_scale.exp().clamp(max=100)
        dense = (left.dense @ right.dense.T * dense_scale).masked_fill(blocked, -1e4)
        tokens = (max_sim(left, right) * token_scale).masked_fill(blocked, -1e4)
        return functional.cross_entropy(dense, target) + functional.cross_entropy(tokens, target)

    def _encode(self, rows: Sequence[Sequence[int]], batch: int = 16) -> Encoded:
        """Encode with gradients, sorted by length in small batches so that little padding is computed."""
        self.model.train()
        order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
        longest = max(len(row) for row in rows)
        parts = []
        with torch.autocast("cpu", torch.bfloat16, enabled=self._half):
            for start in range(0, len(order), batch):
                dense, tokens, weights = self.model(*pad([rows[i] for i in order[start : start + batch]]))
                spare = longest - tokens.shape[1]
                grown = functional.pad(tokens, [0, 0, 0, spare]), functional.pad(weights, [0, spare])
                parts.append((dense, *grown))
        back = torch.argsort(torch.tensor(order))
        dense, tokens, weights = (torch.cat(list(column))[back] for column in zip(*parts, strict=True))
        return Encoded(dense, tokens, weights)
