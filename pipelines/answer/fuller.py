"""How much an extractive answer says: a brief one where that is likely to be enough, else a fuller one.

A brief answer is what the best clause, or the best two, say within 80 words. A fuller one begins with the direct
answer, from the best clauses and within 120 words or so, and goes on with the pieces that an answer most probably needs
besides, within 190. Which of them it is depends on the number of needed pieces that the brief answer is expected to
lack.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from pipelines.answer.extractive import Candidate, Extract, Limits, Weighed, is_table, lead, quotable, take
from pipelines.answer.pieces import Piece
from pipelines.answer.ports import PieceScorer
from pipelines.answer.words import WordStatistics
from pipelines.schema import Passage, SearchResult

BRIEF = Limits(words=78, words_first=60, words_further=30, words_list=78, over=0, near=0.3, clauses=2)
BRIEF_WORDS = 80
DIRECT = Limits(words=110, words_first=80, words_further=40, words_siblings=75, near=0.3)
WORDS = 190
"""Of a fuller answer, its articles included; tables are not counted."""
CLAUSES = 5
"""A fuller answer takes further pieces from so many of the best clauses."""
ENOUGH = 0.75
"""A brief answer may lack so many needed pieces, in expectation."""
_SHARPNESS = 0.25
"""In leads of the best clause over the field: a clause so far behind the best is a third as likely to answer."""
_BEHIND, _MANY, _LONG, _EARNED, _ALWAYS = 2.271, -0.996, -0.079, 1.181, 2.000
"""Log-odds that a piece is needed: by its distance to the clause's best piece, the natural logarithms of the number of
the clause's pieces and of one more than its words, what it earns, and always. A logistic regression over the pieces of
the clauses that answer 1,616 training questions, each marked as needed or not (docs/fitting.md)."""

Positions = dict[str, set[int]]


def answering(
    result: SearchResult, statistics: WordStatistics, scorer: PieceScorer | None = None
) -> tuple[Extract, ...]:
    """What answers the question, in the order in which it is told; empty without passages.

    A fuller answer may tell a clause twice: what answers directly, and, behind all of that, what belongs to it.
    """
    weighed = Weighed(result, statistics, scorer)
    brief = take(result.passages, weighed, BRIEF)
    told = take(result.passages, weighed, DIRECT)
    chances = _chances(quotable(result.passages)[:CLAUSES], weighed)
    further = _further(told, chances, weighed)
    fuller = (*told, *further)
    lacking = _expected(fuller, chances, weighed) - _expected(brief, chances, weighed)
    return brief if lacking < ENOUGH and _words(brief, weighed) <= BRIEF_WORDS else fuller


class _Chances:
    """The probabilities that the pieces of one clause are needed, and the clause's passage."""

    def __init__(self, passage: Passage, clause_answers: float, candidates: Sequence[Candidate]) -> None:
        self.passage = passage
        best = max((candidate.score for candidate in candidates), default=0.0)
        self.of = [clause_answers * self._needed(candidate, best, len(candidates)) for candidate in candidates]

    def _needed(self, candidate: Candidate, best: float, pieces: int) -> float:
        words = len(_text(self.passage, candidate.piece).split())
        odds = _BEHIND * (candidate.score - best) + _EARNED * candidate.score
        odds += _MANY * math.log(pieces) + _LONG * math.log1p(words) + _ALWAYS
        return 1 / (1 + math.exp(-odds))


def _chances(passages: Sequence[Passage], weighed: Weighed) -> list[_Chances]:
    if not passages:
        return []
    width = max(_SHARPNESS * lead(passages), 1e-6)
    best = max(passage.score for passage in passages)  # not the first where a later year's text is shown before
    weights = [math.exp((passage.score - best) / width) for passage in passages]
    return [
        _Chances(passage, weight / sum(weights), weighed.candidates(passage.clause))
        for passage, weight in zip(passages, weights, strict=True)
    ]


def _further(told: Sequence[Extract], chances: Sequence[_Chances], weighed: Weighed) -> list[Extract]:
    """The pieces most probably needed beside what is told, the most probable first, while words are left."""
    shown = _positions(told, weighed)
    added: Positions = {}
    left = WORDS - _words(told, weighed)
    pool = [
        (chance, one, position)
        for one in chances
        for position, chance in enumerate(one.of)
        if not is_table(weighed.candidates(one.passage.clause)[position].piece)
    ]
    for _, one, position in sorted(pool, key=lambda entry: -entry[0]):
        clause = one.passage.clause
        cut = [candidate.piece for candidate in weighed.candidates(clause)]
        needed = {position, *cut[position].under} - shown.get(clause.id, set()) - added.get(clause.id, set())
        words = sum(len(_text(one.passage, cut[i]).split()) for i in needed) + (clause.id not in added)
        if position in needed and words <= left:
            added.setdefault(clause.id, set()).update(needed)
            left -= words
    return [
        Extract(clause, tuple((cut[i].piece.start, cut[i].piece.end) for i in sorted(added[clause.id])), passage.score)
        for passage in (one.passage for one in chances)
        for clause in (passage.clause,)
        for cut in (weighed.candidates(clause),)
        if clause.id in added
    ]


def _expected(extracts: Iterable[Extract], chances: Sequence[_Chances], weighed: Weighed) -> float:
    """How many needed pieces are expected among those of some extracts."""
    positions = _positions(extracts, weighed)
    return sum(one.of[i] for one in chances for i in positions.get(one.passage.clause.id, ()))


def _positions(extracts: Iterable[Extract], weighed: Weighed) -> Positions:
    """The positions of the pieces that some extracts hold, by clause."""
    found: Positions = {}
    for extract in extracts:
        places = {
            (candidate.piece.start, candidate.piece.end): candidate.position
            for candidate in weighed.candidates(extract.clause)
        }
        found.setdefault(extract.clause.id, set()).update(places[span] for span in extract.spans)
    return found


def _words(extracts: Sequence[Extract], weighed: Weighed) -> int:
    """The words of some extracts as they are told, each with its article; tables are not counted."""
    tables = {
        (extract.clause.id, candidate.piece.start)
        for extract in extracts
        for candidate in weighed.candidates(extract.clause)
        if is_table(candidate.piece)
    }
    return len(extracts) + sum(
        len(extract.clause.text[start:end].split())
        for extract in extracts
        for start, end in extract.spans
        if (extract.clause.id, start) not in tables
    )


def _text(passage: Passage, piece: Piece) -> str:
    return passage.clause.text[piece.start : piece.end]
