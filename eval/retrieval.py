"""Retrieval scored against gold questions: is the right clause first, in the first five, among the candidates."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from eval.gold import GoldQuestion, read_gold
from pipelines.errors import TechRegError
from pipelines.schema import Clause, Filters, SearchResult

CANDIDATES = 30
METRICS = ("hit1", "hit5", "hit10", "recall30_candidates", "mrr", "ndcg10", "recall5", "section1")


class Searcher(Protocol):
    """What is scored: :class:`pipelines.engine.Engine`, or a fake."""

    def search(
        self,
        question: str,
        k: int | None = None,
        filters: Filters | None = None,
        explain: bool = False,
        history: Sequence[str] = (),
    ) -> SearchResult:
        """The best clauses for a question, best first."""
        ...

    def clauses(self, article: str = "", filters: Filters | None = None) -> Sequence[Clause]:
        """The clauses of an article and below it; "" means every clause."""
        ...


@dataclass(frozen=True, slots=True)
class Miss:
    """A gold question whose right clause did not come first, and the stage that lost it."""

    id: str
    question: str
    wanted: tuple[str, ...]
    got: tuple[str, ...]
    stage: str  # see lost_by()
    rank: int  # of the first right clause among the results, 0 when it is not there


@dataclass(frozen=True, slots=True)
class RetrievalReport:
    """Scores over all gold questions, by style and by section, and what was missed.

    ``counts`` tells how many questions were attempted, scored, and failed with an error; a failed one scores 0.
    """

    n: int
    metrics: dict[str, float]
    by_style: dict[str, dict[str, float]]
    by_section: dict[str, dict[str, float]]
    ms: dict[str, float]
    counts: dict[str, int]
    misses: tuple[Miss, ...]

    def as_dict(self) -> dict[str, Any]:
        """The report as plain JSON data."""
        return asdict(self)


def evaluate(
    gold_path: Path,
    engine: Searcher,
    *,
    k: int = 10,
    filters: Filters | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> RetrievalReport:
    """Search every question of ``gold_path`` and score the results; ``progress`` gets (done, total).

    Raises:
        UsageError: the gold file cannot be read; the message names the line.
    """
    gold = read_gold(gold_path)
    by_id = {clause.id: clause for clause in engine.clauses("", Filters(status="all"))}
    engine.search(gold[0].question, k, filters)  # loads the models, so that the times are those of a warm search
    scores: list[tuple[GoldQuestion, dict[str, float]]] = []
    times: list[float] = []
    misses: list[Miss] = []
    failed = 0
    for number, question in enumerate(gold, start=1):
        try:
            result = engine.search(question.question, max(k, 10), filters, history=question.history)
        except TechRegError as error:
            failed += 1
            scores.append((question, dict.fromkeys(METRICS, 0.0)))
            misses.append(_miss(question, (), f"error: {error.message}", 0))
            continue
        finally:
            if progress is not None:
                progress(number, len(gold))
        times.append(result.ms["total"])
        found = [passage.clause for passage in result.passages]
        candidates = [by_id[clause_id] for clause_id in result.candidates[:CANDIDATES] if clause_id in by_id]
        scores.append((question, score(question, found, candidates)))
        rank = first_hit(question, found)
        if rank != 1:
            misses.append(_miss(question, found, lost_by(question, engine, filters, by_id.values()), rank))
    return RetrievalReport(
        n=len(gold),
        metrics=_mean(values for _, values in scores),
        by_style=_grouped(scores, lambda question: [question.style] if question.style else []),
        by_section=_grouped(scores, lambda question: sorted(question.sections)),
        ms=_times(times),
        counts={"attempted": len(gold), "scored": len(gold) - failed, "failed": failed},
        misses=tuple(misses),
    )


def score(question: GoldQuestion, found: Sequence[Clause], candidates: Sequence[Clause]) -> dict[str, float]:
    """Every metric of one question, each from 0 to 1.

    Args:
        question: the gold question.
        found: the results, best first.
        candidates: the candidates before reranking, best first.
    """
    rank = first_hit(question, found)
    recalled = {article for clause in found[:5] for article in question.answered_by(clause)} & set(question.articles)
    return {
        "hit1": float(rank == 1),
        "hit5": float(0 < rank <= 5),
        "hit10": float(0 < rank <= 10),
        "recall30_candidates": float(first_hit(question, candidates[:CANDIDATES]) > 0),
        "mrr": 1 / rank if 0 < rank <= 10 else 0.0,
        "ndcg10": ndcg(question, found[:10]),
        "recall5": len(recalled) / len(question.articles),
        "section1": float(bool(found) and found[0].section in question.sections),
    }


def first_hit(question: GoldQuestion, clauses: Sequence[Clause]) -> int:
    """The rank of the first clause that answers, from 1; 0 where none does."""
    return next((rank for rank, clause in enumerate(clauses, start=1) if question.answered_by(clause)), 0)


def ndcg(question: GoldQuestion, found: Sequence[Clause]) -> float:
    """Discounted gain of the results over that of an ideal list, which has the asked articles first.

    A result gains 1 where it answers a gold article that none before it has answered; never more than 1 in all.
    """
    seen: set[str] = set()
    gain = 0.0
    for rank, clause in enumerate(found, start=1):
        new = question.answered_by(clause) - seen
        if new:
            gain += 1 / math.log2(rank + 1)
            seen |= new
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, len(question.articles) + 1))
    return min(1.0, gain / ideal)


def lost_by(question: GoldQuestion, engine: Searcher, filters: Filters | None, clauses: Iterable[Clause]) -> str:
    """The stage at which the right clause was lost.

    ``not indexed``: no clause answers; ``candidates``: no stage brought one among the candidates; ``fusion``: a stage
    had it first and fusing took that from it; ``ranking``: it was a candidate and no stage had it first; ``rerank``: it
    was first before reranking.
    """
    right = {clause.id for clause in clauses if question.answered_by(clause)}
    if not right:
        return "not indexed"
    result = engine.search(question.question, CANDIDATES, filters, explain=True, history=question.history)
    ranks = [passage.ranks for passage in result.passages if passage.clause.id in right]
    if not right & set(result.candidates[:CANDIDATES]):
        return "candidates"
    if any(found.get("fused") == 1 for found in ranks):
        return "rerank"
    return (
        "fusion"
        if any(1 in (found.get("dense"), found.get("sparse"), found.get("exact")) for found in ranks)
        else "ranking"
    )


def _miss(question: GoldQuestion, found: Sequence[Clause], stage: str, rank: int) -> Miss:
    wanted = (*question.articles, *question.also)
    return Miss(question.id, question.question, wanted, tuple(clause.label for clause in found[:5]), stage, rank)


def _mean(rows: Iterable[Mapping[str, float]]) -> dict[str, float]:
    kept = list(rows)
    return {name: round(statistics.fmean(row[name] for row in kept), 4) for name in METRICS}


def _grouped(
    scores: Sequence[tuple[GoldQuestion, dict[str, float]]], groups: Callable[[GoldQuestion], list[str]]
) -> dict[str, dict[str, float]]:
    """The means of each group, with its number of questions ``n``; a question may belong to several."""
    members: dict[str, list[dict[str, float]]] = {}
    for question, values in scores:
        for group in groups(question):
            members.setdefault(group, []).append(values)
    return {group: {"n": len(rows), **_mean(rows)} for group, rows in sorted(members.items())}


def _times(times: Sequence[float]) -> dict[str, float]:
    if not times:
        return {}
    ordered = sorted(times)
    return {
        "median": round(statistics.median(ordered), 2),
        "p95": round(ordered[min(len(ordered) - 1, math.ceil(0.95 * len(ordered)) - 1)], 2),
        "mean": round(statistics.fmean(ordered), 2),
    }
