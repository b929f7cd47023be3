"""Retrieval scored against gold questions: is the right clause first, in the first five, among the candidates."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from eval.gold import GoldQuestion, read_gold
from eval.intervals import Interval, interval
from eval.metrics import CANDIDATES, METRICS, Judged, Scores, first_hit, mean, score
from eval.relevance import TextRelevance
from pipelines.errors import TechRegError, UsageError
from pipelines.schema import Clause, Filters, SearchResult

Progress = Callable[[int, int], None]
Judge = Callable[[GoldQuestion, Clause], Judged]


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
class Row:
    """One question with its scores, as searched and as it would be without the reranker."""

    question: GoldQuestion
    scores: Scores
    unranked: Scores
    rank: int
    got: tuple[str, ...]
    ms: float = 0.0
    error: str = ""


@dataclass(frozen=True, slots=True)
class RetrievalReport:
    """Scores over all gold questions, by style and by section, and what was missed.

    ``counts`` tells how many questions were attempted, scored, and failed with an error; a failed one scores 0.
    ``before_reranking`` are the metrics of the candidates in fused order. ``intervals`` are 95% bootstrap intervals.
    """

    n: int
    metrics: Scores
    intervals: dict[str, Interval]
    before_reranking: Scores
    by_style: dict[str, Scores]
    by_section: dict[str, Scores]
    style_intervals: dict[str, dict[str, Interval]]
    section_intervals: dict[str, dict[str, Interval]]
    ms: dict[str, float]
    counts: dict[str, int]
    misses: tuple[Miss, ...]
    rows: tuple[Row, ...]

    def as_dict(self) -> dict[str, Any]:
        """The report as plain JSON data, without the rows."""
        plain = asdict(self)
        del plain["rows"]
        return plain


def evaluate(
    gold_path: Path,
    engine: Searcher,
    *,
    k: int = 10,
    filters: Filters | None = None,
    relevance: Literal["id", "text"] = "id",
    progress: Progress | None = None,
) -> RetrievalReport:
    """Search every question of ``gold_path`` and score the results.

    Args:
        gold_path: the gold questions.
        engine: what is scored.
        k: results asked for, at least 10.
        filters: what is searched.
        relevance: by the clause's id, or by wording alone as systems without ids are scored.
        progress: called with (done, total).

    Raises:
        UsageError: the gold file cannot be read; the message names the line.
    """
    gold = read_gold(gold_path)
    by_id = {clause.id: clause for clause in engine.clauses("", Filters(status="all"))}
    judge = by_wording(TextRelevance(by_id.values())) if relevance == "text" else by_place
    engine.search(gold[0].question, k, filters)  # loads the models, so that the times are those of a warm search
    rows: list[Row] = []
    misses: list[Miss] = []
    for number, question in enumerate(gold, start=1):
        try:
            result = engine.search(question.question, max(k, 10), filters, history=question.history)
        except TechRegError as error:
            rows.append(_failed(question, error.message))
            misses.append(_miss(rows[-1], f"error: {error.message}"))
            continue
        finally:
            if progress is not None:
                progress(number, len(gold))
        found = [judge(question, passage.clause) for passage in result.passages]
        candidates = [judge(question, by_id[name]) for name in result.candidates[:CANDIDATES] if name in by_id]
        rows.append(_row(question, found, candidates, result.ms["total"]))
        if rows[-1].rank != 1:
            misses.append(_miss(rows[-1], lost_by(question, engine, filters, by_id.values(), judge)))
    return report(rows, misses)


def evaluate_results(
    gold_path: Path, results_path: Path, clauses: Iterable[Clause], *, progress: Progress | None = None
) -> RetrievalReport:
    """Score the results of another system: JSONL of {id, results: [{text, section, file, lines}]}, best first.

    Relevance is by wording, by file and lines where the gold has evidence spans. A question without a line is failed.

    Raises:
        UsageError: a file cannot be read; the message names the line.
    """
    gold = read_gold(gold_path)
    given = _read_results(results_path)
    wording = TextRelevance(clauses)
    rows: list[Row] = []
    misses: list[Miss] = []
    for number, question in enumerate(gold, start=1):
        if question.id in given:
            found = [_judged_result(question, wording, result) for result in given[question.id]]
            rows.append(_row(question, found, found, 0.0))
        else:
            rows.append(_failed(question, "no results were given"))
        if rows[-1].rank != 1:
            misses.append(_miss(rows[-1], f"error: {rows[-1].error}" if rows[-1].error else "unknown"))
        if progress is not None:
            progress(number, len(gold))
    return report(rows, misses)


def report(rows: Sequence[Row], misses: Sequence[Miss]) -> RetrievalReport:
    """The means, intervals and groups of some rows."""
    failed = sum(1 for row in rows if row.error)
    styles = _groups(rows, lambda question: [question.style] if question.style else [])
    sections = _groups(rows, lambda question: sorted(question.sections))
    return RetrievalReport(
        n=len(rows),
        metrics=mean(row.scores for row in rows),
        intervals=_intervals(rows),
        before_reranking=mean(row.unranked for row in rows),
        by_style=_means(styles),
        by_section=_means(sections),
        style_intervals={name: _intervals(members) for name, members in styles.items()},
        section_intervals={name: _intervals(members) for name, members in sections.items()},
        ms=_times([row.ms for row in rows if row.ms]),
        counts={"attempted": len(rows), "scored": len(rows) - failed, "failed": failed, "not_applicable": 0},
        misses=tuple(misses),
        rows=tuple(rows),
    )


def by_place(question: GoldQuestion, clause: Clause) -> Judged:
    """A clause judged by its id, or by its file and lines."""
    return _judged(clause, question.answered_by(clause))


def by_wording(relevance: TextRelevance) -> Judge:
    """Judges clauses by their wording alone."""
    return lambda question, clause: _judged(clause, relevance.answers(question, clause.text))


def lost_by(
    question: GoldQuestion,
    engine: Searcher,
    filters: Filters | None,
    clauses: Iterable[Clause],
    judge: Judge = by_place,
) -> str:
    """The stage at which the right clause was lost.

    ``not indexed``: no clause answers; ``candidates``: no stage brought one among the candidates; ``fusion``: a stage
    had it first and fusing took that from it; ``ranking``: it was a candidate and no stage had it first; ``rerank``: it
    was first before reranking.
    """
    right = {clause.id for clause in clauses if judge(question, clause).answers}
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


def _judged(clause: Clause, answers: frozenset[str]) -> Judged:
    return Judged(answers, clause.section, f"{clause.term}\n{clause.text}", clause.label)


def _row(question: GoldQuestion, found: Sequence[Judged], candidates: Sequence[Judged], ms: float) -> Row:
    labels = tuple(result.label for result in found[:5])
    unranked = score(question, candidates[:10], candidates)
    return Row(question, score(question, found, candidates), unranked, first_hit(found), labels, ms)


def _failed(question: GoldQuestion, message: str) -> Row:
    nothing = dict.fromkeys(METRICS, 0.0)
    return Row(question, nothing, nothing, 0, (), error=message)


def _miss(row: Row, stage: str) -> Miss:
    question = row.question
    return Miss(question.id, question.question, (*question.wanted, *question.also), row.got, stage, row.rank)


def _read_results(path: Path) -> dict[str, list[Mapping[str, Any]]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    given: dict[str, list[Mapping[str, Any]]] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
            given[str(data["id"])] = [dict(result) for result in data["results"]]
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError(f"{path}, line {number}: needs id and results") from error
    return given


def _judged_result(question: GoldQuestion, wording: TextRelevance, result: Mapping[str, Any]) -> Judged:
    text = str(result.get("text", ""))
    file, lines = str(result.get("file", "")), result.get("lines")
    if question.evidence:
        span = (int(lines[0]), int(lines[1])) if lines else (0, 0)
        answers = frozenset(str(wanted) for wanted in question.evidence if wanted.meets(file, span))
    else:
        answers = wording.answers(question, text)
    return Judged(answers, str(result.get("section", "")) or file, text, str(result.get("article", "")) or text[:40])


def _groups(rows: Sequence[Row], groups: Callable[[GoldQuestion], list[str]]) -> dict[str, list[Row]]:
    """The rows of each group; a question may belong to several."""
    members: dict[str, list[Row]] = {}
    for row in rows:
        for group in groups(row.question):
            members.setdefault(group, []).append(row)
    return dict(sorted(members.items()))


def _means(groups: Mapping[str, Sequence[Row]]) -> dict[str, Scores]:
    return {name: {"n": len(rows), **mean(row.scores for row in rows)} for name, rows in groups.items()}


def _intervals(rows: Sequence[Row]) -> dict[str, Interval]:
    return {name: interval([row.scores[name] for row in rows]) for name in METRICS}


def _times(times: Sequence[float]) -> dict[str, float]:
    if not times:
        return {}
    ordered = sorted(times)
    return {
        "median": round(statistics.median(ordered), 2),
        "p95": round(ordered[min(len(ordered) - 1, math.ceil(0.95 * len(ordered)) - 1)], 2),
        "mean": round(statistics.fmean(ordered), 2),
    }
