"""The extractive answer: runs of the best clauses, word for word, chosen because they bear on the question.

Each passage is cut into pieces (see :mod:`pipelines.answer.pieces`); a piece earns the weight of the question's terms
it holds, in part those that stand above it (lead-in, heading), and more where it has the kind of thing the question
asks for (a number, a time, an amount of money). Pieces are taken best first within a budget of words, each with what
it stands under, until what is left bears too little on the question.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

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

    words: int = 80  # aimed at
    words_list: int = 150  # aimed at where the question asks for a list
    clauses: int = 3
    rows: int = 6
    keep: float = 0.45  # a further piece must score this share of the best one
    next_passage: float = 0.8  # a further passage's best piece must score this share of the best one


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
    passage: int
    position: int
    piece: Piece
    score: float
    terms: frozenset[str]


@dataclass(slots=True)
class _Chosen:
    """The pieces taken so far, by passage."""

    positions: dict[int, set[int]] = field(default_factory=dict)
    words: int = 0
    rows: int = 0


def extract(
    result: SearchResult,
    statistics: WordStatistics,
    scorer: SentenceScorer | None = None,
    limits: Limits | None = None,
) -> tuple[Extract, ...]:
    """Take what answers the question from the passages of a search, best clause first; empty without passages."""
    limits = limits or Limits()
    passages = [p for p in result.passages if not p.clause.void and p.clause.text.strip()][: limits.clauses]
    if not passages:
        return ()
    cut = [pieces(passage.clause) for passage in passages]
    question = _Question(result, statistics)
    candidates = _scored(question, passages, cut, scorer)
    chosen = _choose(question, candidates, passages, cut, limits)
    return _extracts(passages, cut, candidates, chosen)


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
    question: _Question, passages: Sequence[Passage], cut: Sequence[Sequence[Piece]], scorer: SentenceScorer | None
) -> list[_Candidate]:
    """Every piece of every passage with its score."""
    candidates: list[_Candidate] = []
    for number, passage in enumerate(passages):
        clause = passage.clause
        heading = frozenset(stems(" ".join((*clause.path, clause.title, clause.term))))
        terms = [frozenset(stems(clause.text[piece.start : piece.end])) for piece in cut[number]]
        for position, piece in enumerate(cut[number]):
            above = heading.union(*(terms[i] for i in piece.under))
            own = question.weight(terms[position])
            score = own + 0.4 * question.weight(above - terms[position])
            text = clause.text[piece.start : piece.end]
            score += 0.15 * sum(1 for pattern in question.wanted if pattern.search(text)) if own > 0 else 0.0
            if piece.lead:
                score *= 0.5
            candidates.append(_Candidate(number, position, piece, score / (1 + 0.15 * number), terms[position]))
    if scorer is not None:
        texts = [passages[c.passage].clause.text[c.piece.start : c.piece.end] for c in candidates]
        for candidate, relevance in zip(candidates, _to_unit(scorer(question.text, texts)), strict=True):
            candidate.score = 0.5 * candidate.score + 0.5 * relevance
    return candidates


def _to_unit(values: Sequence[float]) -> list[float]:
    low, high = min(values), max(values)
    return [(value - low) / (high - low) if high > low else 0.0 for value in values]


def _choose(
    question: _Question,
    candidates: Sequence[_Candidate],
    passages: Sequence[Passage],
    cut: Sequence[Sequence[Piece]],
    limits: Limits,
) -> _Chosen:
    """Take pieces best first, each with what it stands under, while they add to the answer and fit the budget."""
    chosen = _Chosen()
    budget = limits.words_list if question.wants_list else limits.words
    ranked = sorted(candidates, key=lambda c: (-c.score, c.passage, c.position))
    best = ranked[0].score
    for candidate in ranked:
        taken = chosen.positions.get(candidate.passage)
        threshold = limits.keep if taken or not chosen.positions else limits.next_passage
        if chosen.positions and candidate.score < threshold * best:
            continue
        needed = {candidate.position, *candidate.piece.under} - (taken or set())
        if not needed:
            continue
        text = passages[candidate.passage].clause.text
        row = candidate.piece.kind == "row"
        length = sum(
            len(text[p.start : p.end].split())
            for p in (cut[candidate.passage][i] for i in needed)
            if p.kind not in ("row", "header")
        )
        if chosen.positions and (chosen.words + length > budget or (row and chosen.rows >= limits.rows)):
            continue
        chosen.positions.setdefault(candidate.passage, set()).update(needed)
        chosen.words += length
        chosen.rows += row
    return chosen


def _extracts(
    passages: Sequence[Passage],
    cut: Sequence[Sequence[Piece]],
    candidates: Sequence[_Candidate],
    chosen: _Chosen,
) -> tuple[Extract, ...]:
    """The chosen pieces as runs of text, the clause with the best piece first."""
    extracts = []
    for number, positions in chosen.positions.items():
        best = max(c.score for c in candidates if c.passage == number and c.position in positions)
        spans = tuple((cut[number][i].start, cut[number][i].end) for i in sorted(positions))
        extracts.append(Extract(passages[number].clause, spans, best))
    return tuple(sorted(extracts, key=lambda extract: -extract.score))
