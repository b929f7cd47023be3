"""The order of the candidates after reranking: what else tells where a question is answered, and what to leave out."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pipelines.library import only_points

if TYPE_CHECKING:
    from pipelines.retrieve import Candidate

NAMED_LIFT = 1.0
"""Added to a score where the question names the clause's article: the width of late-interaction scores."""
POINTER_COST = 0.06
"""Taken from a score where a clause says no more than that a term has its meaning elsewhere."""
SECTION_LIFT = 0.02
"""Added to a score where all the evidence lies in the clause's section."""
NUMBER_LIFT = 0.02
"""Added to a score where a clause has all the numbers that the question quotes; a part of it where it has some."""
NEARNESS = 0.1
"""Taken from a score for each unit of cosine that the clause's dense vectors lie behind the nearest candidate's."""
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*(?:\s?(?:%|(?:mm|kg|km/h|hz|v|s|kn|mj|kw)\b))?", re.IGNORECASE)
_WITNESSES = 10
_SHARPNESS = 0.05
"""In late-interaction scores: a clause so far behind the best is a third as good a witness."""
PREVAILING, EXCEPT = "A", "E"
"""Section A prevails over the other Sections, except over Section E (Article A9.4.7)."""
_AHEAD = 1e-6
REGULATION = "regulation"
TEXT_SHARE = 0.97
"""A passage of a text document is shown where its late-interaction score reaches this share of the best one's."""


def reranked(
    question: str, candidates: Sequence[Candidate], scores: Sequence[tuple[str, float]], *, late: bool
) -> list[Candidate]:
    """The candidates in the reranker's order with its scores; what it left out comes after, below the last score.

    A clause takes the score of its best node. A clause whose article the question names is lifted; a definition that
    only points at another clause stands behind what answers about as well. Of clauses that are alike word for word
    the one that prevails comes first.

    Args:
        question: as it was searched for.
        candidates: as they were found.
        scores: clause ids and scores, best first; a clause of several nodes may stand there more than once.
        late: whether they are scores of late interaction. Their width is known, so the section where most of the
            evidence lies and the numbers that the question quotes count too, and passages of text documents that add
            nothing are left out.
    """
    by_id = {candidate.clause.id: candidate for candidate in candidates}
    best: list[Candidate] = []
    for clause_id, score in scores:
        if (found := by_id.pop(clause_id, None)) is not None:
            moved = NAMED_LIFT * found.named - POINTER_COST * only_points(found.clause)
            best.append(replace(found, score=score + moved))
    if late:
        best = _with_nearness(_with_section_evidence(_with_numbers(question, best)))
    best = _with_twins_in_order(best)
    best.sort(key=lambda found: -found.score)
    best = [replace(found, ranks={**found.ranks, "rerank": place}) for place, found in enumerate(best, start=1)]
    floor = best[-1].score if best else 0.0
    whole = [*best, *(replace(left, score=floor - place) for place, left in enumerate(by_id.values(), start=1))]
    return _worth_showing(whole) if late else whole


def _with_numbers(question: str, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Clauses lifted by the share of the question's numbers, each with its unit, that they or their headings have."""
    asked = _numbers(question)
    if not asked:
        return list(candidates)
    return [
        replace(found, score=found.score + NUMBER_LIFT * len(asked & has) / len(asked))
        for found in candidates
        for has in (_numbers(" ".join((found.clause.text, *found.clause.path))),)
    ]


def _numbers(text: str) -> set[str]:
    return {"".join(number.lower().split()) for number in _NUMBER.findall(text)}


def _with_section_evidence(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Clauses of regulations lifted by the share of the best ones' evidence that lies in their section.

    Twins stand in several sections (the financial regulations of teams and of manufacturers, say); the clauses around
    them tell which of the sections a question is about.
    """
    witnesses = sorted(candidates, key=lambda found: -found.score)[:_WITNESSES]
    if not witnesses:
        return []
    weights = [math.exp((found.score - witnesses[0].score) / _SHARPNESS) for found in witnesses]
    share: dict[str, float] = defaultdict(float)
    for found, weight in zip(witnesses, weights, strict=True):
        if found.clause.document.kind == REGULATION:
            share[found.clause.section] += weight / sum(weights)
    return [
        replace(found, score=found.score + SECTION_LIFT * share.get(found.clause.section, 0.0)) for found in candidates
    ]


def _with_nearness(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Clauses of regulations lowered by how much farther from the question their whole text lies than the nearest's.

    What they scored without it stays beside the score, for the refusal gate.
    """
    known = {
        found.clause.id: found.nearness
        for found in candidates
        if found.nearness is not None and found.clause.document.kind == REGULATION
    }
    nearest = max(known.values(), default=0.0)
    return [
        replace(
            found,
            score=found.score - NEARNESS * (nearest - known.get(found.clause.id, nearest)),
            evidence=found.score,
        )
        for found in candidates
    ]


def _with_twins_in_order(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Of clauses that say the same word for word in several sections, the one that prevails goes before the others."""
    twins: dict[str, list[Candidate]] = defaultdict(list)
    for found in candidates:
        if found.clause.document.kind == REGULATION:
            twins["".join(found.clause.text.split()).casefold()].append(found)
    ahead = {
        found.clause.id: max(twin.score for twin in alike) + _AHEAD
        for alike in twins.values()
        if EXCEPT not in (sections := {twin.clause.section for twin in alike}) and len(sections) > 1
        for found in alike
        if found.clause.section == PREVAILING
    }
    return [replace(found, score=ahead.get(found.clause.id, found.score)) for found in candidates]


def _worth_showing(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates without passages of text documents that score too far below the best to add anything.

    Late-interaction scores are cosines, so a share of the best means the same for every question. Clauses of
    regulations all stay: a person may look further down the list for a sibling of the right one.
    """
    evidence = [found.score if found.evidence is None else found.evidence for found in candidates]
    least = TEXT_SHARE * max(evidence, default=0.0)
    return [
        found
        for found, score in zip(candidates, evidence, strict=True)
        if score >= least or found.clause.document.kind == REGULATION
    ]
