"""One condition's search over its units, in memory and exact: by vector, by words, fused, reranked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eval.gold import GoldQuestion
from eval.metrics import CANDIDATES, Judged, Scores, score, tells_all
from eval.relevance import TextRelevance
from eval.sweep.conditions import Setup
from eval.sweep.units import Shown, Unit
from eval.sweep.vectors import Floats
from pipelines.bm25 import document_vector, query_vector
from pipelines.late_interaction import FITTED, QuestionVectors, TokenVectors, max_sim
from pipelines.models.reranking import NONE, load_reranker
from pipelines.retrieve import NODES_A_CANDIDATE, SPARSE_WEIGHT, reciprocal_rank
from pipelines.settings import Settings
from pipelines.tokens import token_counter

DEPTH = CANDIDATES * NODES_A_CANDIDATE


class WordIndex:
    """BM25 over units, with the inverse document frequencies that Qdrant would give."""

    def __init__(self, texts: Sequence[str]) -> None:
        postings: dict[int, list[tuple[int, float]]] = {}
        for place, text in enumerate(texts):
            for word, weight in document_vector(text).items():
                postings.setdefault(word, []).append((place, weight))
        self.count = len(texts)
        self._postings = {
            word: (np.array([place for place, _ in found]), np.array([weight for _, weight in found], np.float32))
            for word, found in postings.items()
        }

    def scores(self, question: str) -> Floats:
        """The score of every unit, shape (units,)."""
        total = np.zeros(self.count, dtype=np.float32)
        for word, weight in query_vector(question).items():
            if word in self._postings:
                places, weights = self._postings[word]
                idf = math.log((self.count - len(places) + 0.5) / (len(places) + 0.5) + 1)
                total[places] += weight * idf * weights
        return total


@dataclass(slots=True)
class Prepared:
    """Everything that a worker needs to score questions under one condition; plain data.

    ``dense`` (units, h) are unit vectors; ``tokens`` are there where the fitted reranker is.
    """

    setup: Setup
    units: Sequence[Unit]
    shown: Sequence[Shown]
    dense: Floats
    dense_weight: float
    words: WordIndex
    asked: dict[str, str]  # the question as searched, by id
    question_dense: dict[str, Floats]
    question_tokens: dict[str, QuestionVectors] = field(default_factory=dict)
    tokens: Sequence[TokenVectors] = ()


def score_shard(
    prepared: Prepared, questions: Sequence[GoldQuestion], relevance: TextRelevance
) -> list[tuple[str, Scores]]:
    """The scores of some questions, by id."""
    rerank = _reranker(prepared.setup)
    count = token_counter().count
    rows = []
    for question in questions:
        candidates = _candidates(prepared, question.id)
        ranked = rerank(prepared, question.id, candidates[:CANDIDATES])
        least = prepared.setup.share * ranked[0][1] if ranked else 0.0
        found = [group for group, value in ranked if value >= least or value <= 0][: prepared.setup.results]
        shown = [judged(question, prepared.shown[group], relevance) for group in found]
        before = [judged(question, prepared.shown[group], relevance) for group, _ in candidates[:CANDIDATES]]
        within = fitting([result.text for result in shown], prepared.setup.budget, count)
        rows.append(
            (
                question.id,
                score(question, shown, before)
                | {"required_in_budget": float(tells_all(question.must_include, within)), "answer_complete": 0.0},
            )
        )
    return rows


def judged(question: GoldQuestion, shown: Shown, relevance: TextRelevance) -> Judged:
    """A result judged by its lines where the gold has lines, else by its wording: clauses and chunks alike."""
    if question.evidence:
        met = (span for span in question.evidence if shown.lines and span.meets(shown.file, shown.lines))
        answers = frozenset(str(span) for span in met)
    else:
        answers = relevance.answers(question, shown.text)
    return Judged(answers, shown.section, shown.text, shown.label)


def fitting(texts: Sequence[str], budget: int, count: Any) -> list[str]:
    """The texts that fit into so many tokens, in order; one that does not is skipped, the next may still fit."""
    kept: list[str] = []
    for text in texts:
        length = count(text)
        if length <= budget:
            kept.append(text)
            budget -= length
    return kept


def _candidates(prepared: Prepared, name: str) -> list[tuple[int, float]]:
    """Groups with their scores, best first."""
    setup = prepared.setup
    dense = prepared.dense @ prepared.question_dense[name] if setup.stages != "sparse" else None
    sparse = prepared.words.scores(prepared.asked[name]) if setup.stages != "dense" else None
    if dense is not None and sparse is not None:
        fused: dict[int, float] = {}
        for values, weight in ((dense, prepared.dense_weight), (sparse, SPARSE_WEIGHT)):
            for rank, unit in enumerate(_best(values, DEPTH, above_zero=values is sparse), start=1):
                fused[int(unit)] = fused.get(int(unit), 0.0) + reciprocal_rank(rank, weight)
        ordered = sorted(fused.items(), key=lambda pair: (-pair[1], pair[0]))
    else:
        alone = dense if dense is not None else sparse
        assert alone is not None  # one stage at least is asked for
        ordered = [(int(unit), float(alone[unit])) for unit in _best(alone, DEPTH, above_zero=alone is sparse)]
    folded: dict[int, float] = {}
    for unit, value in ordered:
        folded.setdefault(prepared.units[unit].group, value)
    return list(folded.items())


def _best(values: Floats, limit: int, *, above_zero: bool) -> NDArray[np.intp]:
    """The places of the highest values, best first; equal ones in the order of the corpus."""
    order = np.argsort(-values, kind="stable")[:limit]
    return order[values[order] > 0] if above_zero else order


def _reranker(setup: Setup) -> Any:
    if setup.reranker == NONE:
        return lambda _prepared, _name, candidates: candidates
    if setup.reranker == FITTED:
        return _late_interaction
    model = load_reranker(Settings(_env_file=None, reranker=setup.reranker, candidates=CANDIDATES))  # type: ignore[call-arg]

    def cross_encode(prepared: Prepared, name: str, candidates: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
        from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

        nodes = [NodeWithScore(node=TextNode(id_=str(one), text=prepared.shown[one].text)) for one, _ in candidates]
        assert model is not None  # a name gives a model
        ranked = model.postprocess_nodes(nodes, query_bundle=QueryBundle(prepared.asked[name]))
        return [(int(found.node.node_id), float(found.score or 0.0)) for found in ranked]

    return cross_encode


def _late_interaction(
    prepared: Prepared, name: str, candidates: Sequence[tuple[int, float]]
) -> list[tuple[int, float]]:
    wanted = {group for group, _ in candidates}
    places = [place for place, unit in enumerate(prepared.units) if unit.group in wanted]
    values = max_sim(prepared.question_tokens[name], [prepared.tokens[place] for place in places])
    best: dict[int, float] = {}
    for place, value in zip(places, values, strict=True):
        group = prepared.units[place].group
        best[group] = max(best.get(group, -1.0), float(value))
    return sorted(best.items(), key=lambda pair: (-pair[1], pair[0]))
