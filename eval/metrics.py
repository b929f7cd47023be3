"""Metrics of ranked results against a gold question: pure functions, each from 0 to 1."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from eval.gold import GoldQuestion, squeeze

CANDIDATES = 30
METRICS = (
    "hit1",
    "hit5",
    "hit10",
    "recall30_candidates",
    "mrr",
    "ndcg10",
    "recall5",
    "section1",
    "precision5",
    "f1_5",
    "retrieval",
    "required5",
)

Scores = dict[str, float]


@dataclass(frozen=True, slots=True)
class Judged:
    """A result as the metrics see it: what it answers of the question, where it stands, what it says."""

    answers: frozenset[str]  # the gold articles or evidence spans; empty for no hit
    section: str = ""
    text: str = ""
    label: str = ""  # what a person calls it


def score(question: GoldQuestion, found: Sequence[Judged], candidates: Sequence[Judged]) -> Scores:
    """Every metric of one question.

    ``precision5`` is the share of hits among the results returned, at most five; ``f1_5`` its harmonic mean with
    ``recall5``; ``retrieval`` the mean of the three. ``required5`` is 1 where every required string stands in the texts
    of the first five, also where none is required.

    Args:
        question: the gold question.
        found: the results, best first.
        candidates: the candidates before reranking, best first.
    """
    rank = first_hit(found)
    first_five = found[:5]
    recalled = {name for result in first_five for name in result.answers} & set(question.wanted)
    recall = len(recalled) / len(question.wanted)
    precision = sum(1 for result in first_five if result.answers) / len(first_five) if first_five else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return {
        "hit1": float(rank == 1),
        "hit5": float(0 < rank <= 5),
        "hit10": float(0 < rank <= 10),
        "recall30_candidates": float(first_hit(candidates[:CANDIDATES]) > 0),
        "mrr": 1 / rank if 0 < rank <= 10 else 0.0,
        "ndcg10": ndcg(question, found[:10]),
        "recall5": recall,
        "section1": float(bool(found) and found[0].section in question.sections),
        "precision5": precision,
        "f1_5": f1,
        "retrieval": (precision + recall + f1) / 3,
        "required5": float(tells_all(question.must_include, (result.text for result in first_five))),
    }


def first_hit(results: Sequence[Judged]) -> int:
    """The rank of the first result that answers, from 1; 0 where none does."""
    return next((rank for rank, result in enumerate(results, start=1) if result.answers), 0)


def ndcg(question: GoldQuestion, found: Sequence[Judged]) -> float:
    """Discounted gain of the results over that of an ideal list, which has what is asked for first.

    A result gains 1 where it answers a gold article or span that none before it has answered; never more than 1 in all.
    """
    seen: set[str] = set()
    gain = 0.0
    for rank, result in enumerate(found, start=1):
        if result.answers - seen:
            gain += 1 / math.log2(rank + 1)
            seen |= result.answers
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, len(question.wanted) + 1))
    return min(1.0, gain / ideal)


def tells_all(required: Iterable[str], texts: Iterable[str]) -> bool:
    """Whether every required string stands in one of the texts, case, white space and quotes apart."""
    squeezed = [squeeze(text) for text in texts]
    return all(any(squeeze(wanted) in text for text in squeezed) for wanted in required)


def mean(rows: Iterable[Mapping[str, float]]) -> Scores:
    """The mean of every metric, to four decimals."""
    kept = list(rows)
    return {name: round(statistics.fmean(row[name] for row in kept), 4) for name in METRICS}
