"""The scores of questions against all passages at every stage, and the measures taken from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer

from pipelines.late_interaction import QuestionVectors, TokenVectors, max_sim
from scripts.training.corpus import Corpus, Question
from scripts.training.model import Encoded, LateInteractionModel

Scores = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Measures:
    """Shares of the questions: right article first, in the first five, in the first thirty; and the mean reciprocal."""

    hit1: float
    hit5: float
    hit30: float
    mrr: float
    n: int

    def __str__(self) -> str:
        return f"hit1 {self.hit1:.3f} hit5 {self.hit5:.3f} hit30 {self.hit30:.3f} mrr {self.mrr:.3f} n {self.n}"


class BatchEncoder:
    """Tokenizes and encodes texts in batches of like length, without gradients."""

    def __init__(self, model: LateInteractionModel, tokenizer: Tokenizer, *, half: bool) -> None:
        self._model = model
        self._tokenizer = tokenizer
        self._half = half

    def tokenize(self, texts: Sequence[str], limit: int) -> list[list[int]]:
        """Token ids of each text, at most ``limit`` with the two special ones."""
        encodings = self._tokenizer.encode_batch(list(texts))
        return [e.ids if len(e.ids) <= limit else [*e.ids[: limit - 1], e.ids[-1]] for e in encodings]

    def encode(self, rows: Sequence[Sequence[int]], batch: int = 64) -> list[Encoded]:
        """One :class:`Encoded` (of n = 1, unpadded) for each row of token ids."""
        order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
        found: dict[int, Encoded] = {}
        self._model.eval()
        with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16, enabled=self._half):
            for start in range(0, len(order), batch):
                chosen = order[start : start + batch]
                dense, tokens, weights = self._model(*pad([rows[i] for i in chosen]))
                for place, i in enumerate(chosen):
                    size = len(rows[i])
                    one = slice(place, place + 1)
                    found[i] = Encoded(dense[one], tokens[one, :size], weights[one, :size])
        return [found[i] for i in range(len(rows))]


def pad(rows: Sequence[Sequence[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    """Token ids and attention mask, both (n, longest)."""
    longest = max(len(row) for row in rows)
    ids = torch.zeros(len(rows), longest, dtype=torch.long)
    mask = torch.zeros(len(rows), longest, dtype=torch.long)
    for i, row in enumerate(rows):
        ids[i, : len(row)] = torch.tensor(row)
        mask[i, : len(row)] = 1
    return ids, mask


def dense_scores(questions: Sequence[Encoded], passages: Sequence[Encoded]) -> Scores:
    """Cosines, shape (questions, passages)."""
    left = torch.cat([q.dense for q in questions])
    right = torch.cat([p.dense for p in passages])
    return np.asarray((left @ right.T).numpy(), dtype=np.float32)


def token_scores(questions: Sequence[Encoded], passages: Sequence[Encoded], candidates: NDArray[np.intp]) -> Scores:
    """Late-interaction scores of each question's candidates; -1 for every other passage.

    ``candidates`` holds the passages to score, shape (questions, k). The result is (questions, passages).
    """
    stored = [TokenVectors.of(passage.tokens[0].numpy()) for passage in passages]
    result = np.full((len(questions), len(passages)), -1.0, dtype=np.float32)
    for row, (question, chosen) in enumerate(zip(questions, candidates, strict=True)):
        asked = QuestionVectors(question.dense[0].numpy(), question.tokens[0].numpy(), question.weights[0].numpy())
        result[row, chosen] = max_sim(asked, [stored[i] for i in chosen])
    return result


def measure(scores: Scores, questions: Sequence[Question], corpus: Corpus) -> Measures:
    """Rank of the right article, the passages of one article counting once."""
    ranks = np.array([_rank(row, q, corpus) for row, q in zip(scores, questions, strict=True)])
    return Measures(
        float(np.mean(ranks == 1)),
        float(np.mean(ranks <= 5)),
        float(np.mean(ranks <= 30)),
        float(np.mean(1.0 / ranks)),
        len(ranks),
    )


def _rank(scores: Scores, question: Question, corpus: Corpus) -> int:
    right = set(corpus.answers(question))
    seen: set[str] = set()
    for index in np.argsort(-scores, kind="stable"):
        if int(index) in right:
            return len(seen) + 1
        seen.add(corpus.passages[index].article + corpus.passages[index].term)
    return len(scores)


def standardized(scores: Scores, known: NDArray[np.bool_] | None = None) -> Scores:
    """Each question's scores with mean 0 and deviation 1 over its known passages, so that stages can be added.

    A passage that is not known (not a candidate) gets -10: it comes after every one that is.
    """
    if known is None:
        known = np.ones(scores.shape, dtype=bool)
    held = np.where(known, scores, np.nan)
    deviation = np.nanstd(held, 1, keepdims=True)
    moved = (scores - np.nanmean(held, 1, keepdims=True)) / np.where(deviation > 0, deviation, 1)
    return np.asarray(np.where(known, moved, -10.0), np.float32)
