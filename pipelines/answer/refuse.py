"""When the regulations do not answer: how likely the best passages answer, and the words of a refusal."""

from __future__ import annotations

from collections.abc import Sequence

from pipelines.answer.words import WordStatistics, stems
from pipelines.schema import Passage, Refusal, SearchResult

_LOOKED_AT = 3
_NEAREST = 3


class CoverageGate:
    """The share of the question's weight that one of the best passages holds in its words and headings.

    A word that stands in no clause weighs as much as the rarest one that does, so a question about something else has
    little of its weight covered. It is no calibrated probability; a fitted gate takes its place where there is one.
    """

    def __init__(self, statistics: WordStatistics) -> None:
        self._statistics = statistics

    def __call__(self, result: SearchResult) -> float:
        """The share, from 0 to 1; 0 without passages or without a word that carries meaning."""
        asked = result.understood.question or result.question
        weights = {term: self._statistics.idf(term) for term in stems(asked)}
        total = sum(weights.values())
        if not total or not result.passages:
            return 0.0
        return max(self._covered(weights, passage) / total for passage in result.passages[:_LOOKED_AT])

    @staticmethod
    def _covered(weights: dict[str, float], passage: Passage) -> float:
        clause = passage.clause
        terms = set(stems(" ".join((clause.text, clause.title, clause.term, clause.article, *clause.path))))
        return sum(weight for term, weight in weights.items() if term in terms)


def refusal(result: SearchResult, confidence: float, *, model: str = "extractive") -> Refusal:
    """A refusal of a question that was searched; it names what was looked for and the nearest headings, no source."""
    headings = nearest(result.passages)
    looked_for = result.understood.question or result.question
    text = f"The indexed regulations do not seem to answer this. Looked for: {looked_for.strip()}"
    if headings:
        text += "\nNearest headings: " + "; ".join(headings) + "."
    return Refusal(
        question=result.question,
        text=text,
        understood=result.understood,
        confidence=confidence,
        nearest=headings,
        model=model,
        ms=result.ms,
    )


def nearest(passages: Sequence[Passage]) -> tuple[str, ...]:
    """The headings that the best passages stand under, without repetition."""
    headings = (p.clause.path[-1] if p.clause.path else p.clause.title for p in passages)
    return tuple(dict.fromkeys(heading for heading in headings if heading))[:_NEAREST]
