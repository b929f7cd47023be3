"""The extractive answer: runs of the best clauses, word for word, chosen because they bear on the question.

Each passage is cut into pieces (see :mod:`pipelines.answer.pieces`); a piece earns the weight of the question's terms
it holds, in part those that stand above it (lead-in, heading), and more where it has the kind of thing the question
asks for (a number, a time, an amount of money). Pieces are taken best first within a budget of words, each with what
it stands under, until what is left bears too little on the question.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.answer.pieces import Piece, pieces
from pipelines.answer.ports import SentenceScorer
from pipelines.answer.words import NUMBER_WORDS, WordStatistics, stems
from pipelines.schema import Clause, Passage, SearchResult

_WANTS = (
    (re.compile(r"\b(how (?:long|soon|early|late)|when|deadline|until|by what (?:date|time)|time limit|window|dates?|"
                r"hours?|minutes?|days?|weeks?|months?|which day)\b", re.I),
     re.compile(r"\d|\b(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|before|after|until|within)\b", re.I)),
    (re.compile(r"\b(how much|costs?|fee|fine[ds]?|price|pay|money|budget|euros?|dollars?|deposit)\b", re.I),
     re.compile(r"[€$£]|\b(?:USD?|EUR|GBP|dollars?|euros?|million|fee)\b|%", re.I)),
    (re.compile(r"\b(how (?:many|much|big|large|small|tall|wide|thick|heavy|fast|high|low|far|deep|hot|old|often)|"
                r"maximum|minimum|max|min|limits?|most|least|number of|what (?:size|weight|speed|pressure|percentage|"
                r"thickness|diameter|length|width|height|volume|temperature))\b", re.I),
     re.compile(r"\d|\b(?:" + "|".join(NUMBER_WORDS) + r")\b", re.I)),
)  # fmt: skip
_WANTS_ALL = re.compile(
    r"\b(list|which (?:\w+ ){0,3}(?:are|may|must|can|do|have)|what (?:\w+ ){0,2}(?:are|kinds|types)|all (?:of )?the|"
    r"every|name the|conditions|exceptions|requirements|criteria|steps|circumstances)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Limits:
    """How much an extractive answer may say. Words are counted without tables."""

    words: int = 100  # of the best clause
    words_list: int = 150  # of the best clause, where the question asks for a list
    words_further: int = 45  # of each further clause
    clauses: int = 2
    rows: int = 6
    keep: float = 0.2  # past half of its words, a clause's further piece must score this share of its best one
    near: float = 0.9  # a further clause's score must be this share of the best clause's


@dataclass(frozen=True, slots=True)
class Extract:
    """What was taken from one clause: runs of its text as spans, in reading order, and the best piece's score."""

    clause: Clause
    spans: tuple[tuple[int, int], ...]
    score: float

    def texts(self) -> tuple[str, ...]:
        """The runs, word for word."""
        return tuple(self.clause.text[start:end] for start, end in self.spans)


@dataclass(slots=True)
class _Candidate:
    position: int
    piece: Piece
    score: float


def extract(
    result: SearchResult,
    statistics: WordStatistics,
    scorer: SentenceScorer | None = None,
    limits: Limits | None = None,
) -> tuple[Extract, ...]:
    """Take what answers the question from the passages of a search, best clause first; empty without passages."""
    limits = limits or Limits()
    question = _Question(result, statistics)
    extracts: list[Extract] = []
    for passage in _worth_quoting(result.passages, limits):
        cut = pieces(passage.clause)
        candidates = _scored(question, passage.clause, cut, scorer)
        budget = limits.words_further if extracts else limits.words_list if question.wants_list else limits.words
        positions = _choose(candidates, passage.clause, cut, budget, limits)
        spans = tuple((cut[i].start, cut[i].end) for i in sorted(positions))
        extracts.append(Extract(passage.clause, spans, passage.score))
    return tuple(extracts)


def _worth_quoting(passages: Sequence[Passage], limits: Limits) -> list[Passage]:
    """The best passage and those nearly as good, without void and empty ones."""
    usable = [p for p in passages if not p.clause.void and p.clause.text.strip()]
    return [p for p in usable[: limits.clauses] if p is usable[0] or p.score >= limits.near * usable[0].score > 0]


class _Question:
    """What a question asks for: its terms with their weights, and the kinds of thing that would answer it."""

    def __init__(self, result: SearchResult, statistics: WordStatistics) -> None:
        text = result.understood.question or result.question
        self.text = text
        self.weights = {term: statistics.idf(term) for term in stems(text) if statistics.known(term)}
        for addition in (*result.understood.expansions, *result.understood.terms):
            for term in stems(addition):
                self.weights.setdefault(term, 0.5 * statistics.idf(term))
        self.total = sum(self.weights.values()) or 1.0
        self.wanted = [pattern for asks, pattern in _WANTS if asks.search(text)]
        self.wants_list = bool(_WANTS_ALL.search(text))

    def weight(self, terms: frozenset[str]) -> float:
        """The share, 0 to 1, of the question's weight that the terms carry."""
        return sum(weight for term, weight in self.weights.items() if term in terms) / self.total


def _scored(
    question: _Question, clause: Clause, cut: Sequence[Piece], scorer: SentenceScorer | None
) -> list[_Candidate]:
    """Every piece of a clause with its score."""
    heading = frozenset(stems(" ".join((*clause.path, clause.title, clause.term))))
    texts = [clause.text[piece.start : piece.end] for piece in cut]
    terms = [frozenset(stems(text)) for text in texts]
    relevance = _to_unit(scorer(question.text, texts)) if scorer is not None else [0.0] * len(cut)
    candidates = []
    for position, piece in enumerate(cut):
        above = heading.union(*(terms[i] for i in piece.under))
        score = question.weight(terms[position]) + 0.4 * question.weight(above - terms[position])
        score += 0.15 * sum(1 for pattern in question.wanted if pattern.search(texts[position]))
        score += 0.5 * relevance[position]
        candidates.append(_Candidate(position, piece, 0.5 * score if piece.lead else score))
    return candidates


def _to_unit(values: Sequence[float]) -> list[float]:
    low, high = min(values), max(values)
    return [(value - low) / (high - low) if high > low else 0.0 for value in values]


def _choose(
    candidates: Sequence[_Candidate], clause: Clause, cut: Sequence[Piece], budget: int, limits: Limits
) -> set[int]:
    """Positions of the pieces taken: best first, each with what it stands under, while they fit the budget."""
    ranked = sorted(candidates, key=lambda c: (-c.score, c.position))
    taken = _whole_list(ranked[0], clause, cut, limits.words_list)
    words = sum(_words(clause, cut[i]) for i in taken)
    rows = 0
    for candidate in ranked:
        needed = {candidate.position, *candidate.piece.under} - taken
        length = sum(_words(clause, cut[i]) for i in needed)
        if not needed:
            continue
        if taken:
            weak = candidate.score < limits.keep * ranked[0].score and words > budget / 2
            if weak or words + length > budget or (candidate.piece.kind == "row" and rows >= limits.rows):
                continue
        taken |= needed
        words += length
        rows += candidate.piece.kind == "row"
    return taken


def _whole_list(best: _Candidate, clause: Clause, cut: Sequence[Piece], most: int) -> set[int]:
    """The list that the best piece is an item of, lead-in included, where all of it is short enough; else nothing."""
    if best.piece.kind != "item" or not best.piece.under:
        return set()
    lead = best.piece.under[0]
    members = {lead} | {i for i, piece in enumerate(cut) if lead in piece.under and not _is_table(piece)}
    return members if sum(_words(clause, cut[i]) for i in members) <= most else set()


def _words(clause: Clause, piece: Piece) -> int:
    """The length of a piece in words; tables are not counted."""
    return 0 if _is_table(piece) else len(clause.text[piece.start : piece.end].split())


def _is_table(piece: Piece) -> bool:
    return piece.kind in ("row", "header")
