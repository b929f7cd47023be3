"""The extractive answer: runs of the best clauses, word for word, chosen because they bear on the question.

Each passage is cut into pieces (see :mod:`pipelines.answer.pieces`); a piece earns the weight of the question's terms
it holds, in part those that stand above it (lead-in, heading), and more where it has the kind of thing the question
asks for (a number, a time, an amount of money). Pieces are taken best first within a budget of words, each with what
it stands under, until what is left bears too little on the question.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pipelines.answer.pieces import Piece, pieces
from pipelines.answer.ports import PieceMatches, PieceScorer, TokenMatcher
from pipelines.answer.words import NUMBER_WORDS, WordStatistics, stems
from pipelines.schema import Clause, Passage, SearchResult

_NUMBER = re.compile(r"\d|\b(?:" + "|".join(NUMBER_WORDS) + r")\b", re.IGNORECASE)
_TIME = re.compile(
    r"\d|\b(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|before|after|until|within)\b", re.IGNORECASE
)
_MONEY = re.compile(r"[€$£]|\b(?:USD?|EUR|GBP|dollars?|euros?|million|fee)\b|%", re.IGNORECASE)
_WANTS = (
    (
        re.compile(
            r"\b(how (?:long|soon|early|late)|when|deadline|until|time|duration|window|dates?|hours?|minutes?|days?|"
            r"weeks?|months?)\b",
            re.IGNORECASE,
        ),
        _TIME,
    ),
    (
        re.compile(
            r"\b(how much|costs?|fee|fine[ds]?|price|pay|money|budget|euros?|dollars?|deposit)\b", re.IGNORECASE
        ),
        _MONEY,
    ),
    (
        re.compile(
            r"\b(how (?:many|much|big|large|small|tall|wide|thick|thin|heavy|fast|high|low|far|deep|hot|old|often)|"
            r"maximum|minimum|max|min|limits?|most|least|fewest|number|size|weight|mass|speed|pressure|percentage|"
            r"proportion|share|thickness|diameter|radius|length|width|height|distance|depth|volume|temperature|voltage|"
            r"power|energy|torque|load|force|rate|ratio|angle)\b",
            re.IGNORECASE,
        ),
        _NUMBER,
    ),
)
# What a piece earns, beside the weight of the question's words that it holds itself (0 to 1):
_ABOVE = 0.4  # the share of the weight, and of the relevance, that what it stands under has
_FREE = 0.5  # the relevance taken for what a piece stands under where that is nothing
_WANTED = 0.15  # for each kind of thing that the question asks for and it has
_RELEVANCE = 1.0  # the weight of a model's relevance, from 0 for the clause's least to 1 for its most relevant piece
_LENGTH = 100.0  # in words: a piece so long is worth half
_RUNNERS_UP = slice(4, 10)  # the passages that tell how far apart scores are


@dataclass(frozen=True, slots=True)
class Limits:
    """How much an extractive answer may say. Words are counted without tables."""

    words: int = 80  # of a clause that answers alone
    words_first: int = 65  # of the best clause where others follow
    words_further: int = 40  # of each further clause
    words_list: int = 150  # of a list that is given whole
    clauses: int = 3
    words_siblings: int = 60  # of the items that are taken with one of theirs, so that a short list is whole
    over: int = 20  # by so much may a list that is made whole exceed the words of its clause
    rows: int = 6
    words_rows: int = 150  # of the rows together, beyond the first
    rows_whole: int = 12  # a table of so few rows is given whole, the best clause's always
    keep: float = 0.2  # past half of its words, a clause's further piece must score this share of its best one
    near: float = 0.32  # a further clause lies behind the best by this share of the best one's lead over the field


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
class Candidate:
    """A piece of a clause, its position among the clause's pieces, and what it earns for a question."""

    position: int
    piece: Piece
    score: float


def extract(
    result: SearchResult,
    statistics: WordStatistics,
    scorer: PieceScorer | None = None,
    limits: Limits | None = None,
) -> tuple[Extract, ...]:
    """Take what answers the question from the passages of a search, best clause first; empty without passages."""
    return take(result.passages, Weighed(result, statistics, scorer), limits or Limits())


class Weighed:
    """The pieces of clauses and what each of them earns for one question; a clause is weighed once."""

    def __init__(self, result: SearchResult, statistics: WordStatistics, scorer: PieceScorer | None = None) -> None:
        self.question = Question(result, statistics)
        self._scorer = scorer
        self._clauses: dict[str, tuple[Candidate, ...]] = {}
        self._matches: dict[str, PieceMatches] = {}
        self._lengths: dict[str, tuple[int, ...]] = {}

    @property
    def asks_for_a_kind(self) -> bool:
        """Whether the question asks for a number, a time or an amount."""
        return bool(self.question.wanted)

    def candidates(self, clause: Clause) -> tuple[Candidate, ...]:
        """The pieces of a clause in reading order."""
        if clause.id not in self._clauses:
            cut = pieces(clause)
            found = _scored(self.question, clause, cut, self._relevance(clause, cut))
            self._clauses[clause.id] = tuple(found)
        return self._clauses[clause.id]

    def lengths(self, clause: Clause) -> tuple[int, ...]:
        """The words of the pieces of a clause in reading order; 0 for lines of tables."""
        if clause.id not in self._lengths:
            self._lengths[clause.id] = tuple(_words(clause, one.piece) for one in self.candidates(clause))
        return self._lengths[clause.id]

    def matches(self, clause: Clause) -> PieceMatches | None:
        """Which of the question's tokens the pieces of a clause match; None without token vectors."""
        self.candidates(clause)
        return self._matches.get(clause.id)

    def _relevance(self, clause: Clause, cut: Sequence[Piece]) -> list[float]:
        """The relevance of the pieces by the scorer, 0 for the least and 1 for the most relevant; 0 without one."""
        spans = [(piece.start, piece.end) for piece in cut]
        if self._scorer is None:
            return [0.0] * len(cut)
        if not isinstance(self._scorer, TokenMatcher):
            return _to_unit(self._scorer(self.question.text, clause, spans))
        self._matches[clause.id] = matches = self._scorer.matches(self.question.text, clause, spans)
        return _to_unit(matches.scores)


def take(passages: Sequence[Passage], weighed: Weighed, limits: Limits) -> tuple[Extract, ...]:
    """What the limits let an answer take from the passages, best clause first."""
    extracts: list[Extract] = []
    worth = _worth_quoting(passages, limits)
    for passage in worth:
        candidates = weighed.candidates(passage.clause)
        cut = [candidate.piece for candidate in candidates]
        budget = limits.words if len(worth) == 1 else limits.words_further if extracts else limits.words_first
        positions = _choose(weighed.asks_for_a_kind, candidates, passage.clause, cut, budget, limits)
        if not extracts or any(cut[i].kind == "row" for i in positions):
            positions |= _short_tables(passage.clause, cut, limits)
        spans = tuple((cut[i].start, cut[i].end) for i in sorted(positions))
        extracts.append(Extract(passage.clause, spans, passage.score))
    return tuple(extracts)


def _worth_quoting(passages: Sequence[Passage], limits: Limits) -> list[Passage]:
    """The best passage and those nearly as good, without void and empty ones.

    How near is told against the best one's lead over the field, so that scores of any scale serve.
    """
    usable = quotable(passages)
    if len(usable) < 2:
        return usable
    near = [p for p in usable[1 : limits.clauses] if usable[0].score - p.score < limits.near * lead(usable)]
    return [usable[0], *near]


def quotable(passages: Sequence[Passage]) -> list[Passage]:
    """The passages whose clauses have words and are not void."""
    return [p for p in passages if not p.clause.void and p.clause.text.strip()]


def lead(passages: Sequence[Passage]) -> float:
    """How far the best of some passages, at least one, lies before the field behind it, in its reranker's scores."""
    field = [p.score for p in passages[_RUNNERS_UP]] or [passages[-1].score]
    return passages[0].score - sum(field) / len(field)


class Question:
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

    def weight(self, terms: frozenset[str]) -> float:
        """The share, 0 to 1, of the question's weight that the terms carry."""
        return sum(weight for term, weight in self.weights.items() if term in terms) / self.total


def heading_terms(clause: Clause) -> frozenset[str]:
    """The stems of what stands above a clause."""
    return frozenset(stems(" ".join((*clause.path, clause.title, clause.term))))


def _scored(question: Question, clause: Clause, cut: Sequence[Piece], relevance: Sequence[float]) -> list[Candidate]:
    """Every piece of a clause with its score."""
    heading = heading_terms(clause)
    texts = [clause.text[piece.start : piece.end] for piece in cut]
    terms = [frozenset(stems(text)) for text in texts]
    candidates = []
    for position, piece in enumerate(cut):
        above = heading.union(*(terms[i] for i in piece.under))
        score = question.weight(terms[position]) + _ABOVE * question.weight(above - terms[position])
        score += _WANTED * sum(1 for pattern in question.wanted if pattern.search(texts[position]))
        score += _RELEVANCE * (relevance[position] + _ABOVE * max((relevance[i] for i in piece.under), default=_FREE))
        score /= 1.0 + len(texts[position].split()) / _LENGTH
        candidates.append(Candidate(position, piece, 0.5 * score if piece.lead else score))
    return candidates


def _to_unit(values: Sequence[float]) -> list[float]:
    low, high = min(values, default=0.0), max(values, default=0.0)
    return [(value - low) / (high - low) if high > low else 0.0 for value in values]


def _choose(
    asks_for_a_kind: bool,
    candidates: Sequence[Candidate],
    clause: Clause,
    cut: Sequence[Piece],
    budget: int,
    limits: Limits,
) -> set[int]:
    """Positions of the pieces taken: best first, each with what it stands under, while they fit the budget."""
    ranked = sorted(candidates, key=lambda c: (-c.score, c.position))
    taken = _whole_list(ranked[0], clause, cut, budget if budget < limits.words else limits.words_list)
    words = _length(taken, clause, cut)
    rows = _best_rows(ranked, clause, limits)
    for candidate in ranked:
        if candidate.piece.kind == "row" and candidate.position not in rows:
            continue
        needed = {candidate.position, *candidate.piece.under} - taken
        if not needed:
            continue
        siblings = _siblings(candidate.piece, cut) - taken - needed
        most = budget
        if siblings and _length(siblings, clause, cut) <= limits.words_siblings:
            whole = words + _length(needed | siblings, clause, cut)
            if whole <= budget + limits.over:
                needed |= siblings
                most = whole
        length = _length(needed, clause, cut)
        if taken:
            weak = candidate.score < limits.keep * ranked[0].score and words > budget / 2
            if weak or words + length > most:
                continue
        taken |= needed
        words += length
    tells = any(re.search(r"\btables?\b", clause.text[cut[i].start : cut[i].end]) for i in taken)
    if asks_for_a_kind and (rows & taken or tells):
        taken.update(i for row in rows for i in (row, *cut[row].under) if is_table(cut[i]) or i in taken)
    return taken


def _best_rows(ranked: Sequence[Candidate], clause: Clause, limits: Limits) -> set[int]:
    """The positions of the rows that may be shown: the best ones, as many as the limits allow."""
    found: set[int] = set()
    words = 0
    for candidate in ranked:
        if candidate.piece.kind != "row" or len(found) == limits.rows:
            continue
        length = len(clause.text[candidate.piece.start : candidate.piece.end].replace("|", " ").split())
        if not found or words + length <= limits.words_rows:
            found.add(candidate.position)
            words += length
    return found


def _short_tables(clause: Clause, cut: Sequence[Piece], limits: Limits) -> set[int]:
    """The positions of the tables that are short enough to be whole, with what they stand under."""
    tables: dict[tuple[int, ...], set[int]] = {}
    for place, piece in enumerate(cut):
        if piece.kind == "row":
            tables.setdefault(piece.under, set()).add(place)
    found: set[int] = set()
    for under, rows in tables.items():
        words = sum(len(clause.text[cut[i].start : cut[i].end].replace("|", " ").split()) for i in rows)
        if len(rows) <= limits.rows_whole and words <= limits.words_rows:
            found |= {*under, *rows}
    return found


def _whole_list(best: Candidate, clause: Clause, cut: Sequence[Piece], most: int) -> set[int]:
    """The list that the best piece leads into or is an item of, where all of it is short enough; else nothing."""
    under = [*best.piece.under, best.position]
    for lead in reversed(under):
        members = {i for i, piece in enumerate(cut) if lead in piece.under and not is_table(piece)}
        if len(members) > 1:
            whole = members | {lead, *cut[lead].under}
            return whole if _length(whole, clause, cut) <= most else set()
    return set()


def _siblings(piece: Piece, cut: Sequence[Piece]) -> set[int]:
    """The positions of the items of a piece's list and of what stands under them; none of a piece that is no item."""
    if piece.kind != "item" or not piece.under:
        return set()
    depth = len(piece.under)
    return {i for i, other in enumerate(cut) if other.under[:depth] == piece.under and not is_table(other)}


def _length(positions: Iterable[int], clause: Clause, cut: Sequence[Piece]) -> int:
    """The words of some pieces."""
    return sum(_words(clause, cut[i]) for i in positions)


def _words(clause: Clause, piece: Piece) -> int:
    """The length of a piece in words; tables are not counted."""
    return 0 if is_table(piece) else len(clause.text[piece.start : piece.end].split())


def is_table(piece: Piece) -> bool:
    """Whether a piece is a line of a table."""
    return piece.kind in ("row", "header")
