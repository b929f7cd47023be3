"""How much an extractive answer says: a brief one where that is likely to be enough, else a fuller one.

A brief answer is what the best clause, or the best two, say within 80 words, filled up with the pieces that an answer
most probably needs besides. A fuller one begins with the direct answer, from the best clauses and within 120 words or
so, and goes on with such pieces, within 190. Which of them it is depends on the number of needed pieces that the brief
answer is expected to lack.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pipelines.answer.cite import label
from pipelines.answer.extractive import Extract, Limits, Weighed, is_table, lead, quotable, take
from pipelines.answer.need import chances as needed
from pipelines.answer.ports import PieceScorer
from pipelines.answer.words import WordStatistics
from pipelines.schema import Clause, Passage, SearchResult

BRIEF = Limits(words=70, words_first=52, words_further=26, words_list=70, over=0, near=0.3, clauses=2)
BRIEF_WORDS = 80
DIRECT = Limits(words=110, words_first=80, words_further=40, words_siblings=75, near=0.4)
WORDS = 190
"""Of an answer, its articles included; tables are not counted."""
CLAUSES = 5
"""Further pieces come from so many of the best clauses."""
AT_ONCE = 3.0
"""A needed piece that only a fuller answer tells directly counts so much more, for it is read first."""
ENOUGH = 1.05
"""A brief answer may lack so much in expectation: in needed pieces, those told directly counted as above."""
LEAST, LEAST_BRIEF = 0.01, 0.02
"""A piece of a clause that does not answer directly is told where it is needed with such a probability."""
_SHARPNESS = 0.25
"""In leads of the best clause over the field: a clause so far behind the best is a third as likely to answer."""


def answering(
    result: SearchResult, statistics: WordStatistics, scorer: PieceScorer | None = None
) -> tuple[Extract, ...]:
    """What answers the question, in the order in which it is told; empty without passages.

    A fuller answer may tell a clause twice: what answers directly, and, behind all of that, what belongs to it.

    Raises:
        ModelNotFound: the scorer knows the question's tokens and the trees fitted on them cannot be loaded.
    """
    weighed = Weighed(result, statistics, scorer)
    chances = _chances(quotable(result.passages)[:CLAUSES], weighed)
    brief = _brief(result.passages, chances, weighed)
    direct = _blocks(take(result.passages, weighed, DIRECT), weighed)
    fuller = _filled(direct, chances, weighed, WORDS, least=LEAST, apart=True)
    told, at_once, whole = (_expected(blocks, chances) for blocks in (brief, direct, fuller))
    lacking = whole - told + AT_ONCE * max(0.0, at_once - told)
    enough = lacking < ENOUGH and _words(brief, weighed) <= BRIEF_WORDS
    return _extracts(brief if enough else fuller, weighed)


@dataclass(slots=True)
class _Block:
    """Pieces of a clause that are told together, by their positions, and the clause's score."""

    clause: Clause
    positions: frozenset[int]
    score: float


@dataclass(frozen=True, slots=True)
class _Chances:
    """The probabilities ``of`` the pieces of one clause that they are needed, and the clause's passage."""

    passage: Passage
    of: list[float]


def _chances(passages: Sequence[Passage], weighed: Weighed) -> list[_Chances]:
    if not passages:
        return []
    width = max(_SHARPNESS * lead(passages), 1e-6)
    best = max(passage.score for passage in passages)  # not the first where a later year's text is shown before
    weights = [math.exp((passage.score - best) / width) for passage in passages]
    return [
        _Chances(passage, [weight / sum(weights) * chance for chance in needed(passage.clause, weighed)])
        for passage, weight in zip(passages, weights, strict=True)
    ]


def _brief(passages: Sequence[Passage], chances: Sequence[_Chances], weighed: Weighed) -> list[_Block]:
    """What the best two clauses say within the words of a brief answer, or the best one where two say too much."""
    for limits in (BRIEF, replace(BRIEF, clauses=1)):
        told = _blocks(take(passages, weighed, limits), weighed)
        brief = _filled(told, chances, weighed, BRIEF_WORDS, least=LEAST_BRIEF)
        if _words(brief, weighed) <= BRIEF_WORDS:
            break
    return brief


def _filled(
    told: Sequence[_Block],
    chances: Sequence[_Chances],
    weighed: Weighed,
    most: int,
    *,
    least: float,
    apart: bool = False,
) -> list[_Block]:
    """What is told with the pieces most probably needed besides, the most probable first, up to ``most`` words in all.

    They stand in their clause's block; ``apart`` puts them into blocks of their own, behind what is told. Clauses that
    are not told yet come in with what is needed with a probability of ``least`` or more.
    """
    blocks = [_Block(block.clause, block.positions, block.score) for block in told]
    shown: dict[str, set[int]] = {}
    for block in blocks:
        shown.setdefault(block.clause.id, set()).update(block.positions)
    places = {} if apart else {block.clause.id: block for block in reversed(blocks)}
    further = {
        one.passage.clause.id: _Block(one.passage.clause, frozenset(), one.passage.score)
        for one in chances
        if one.passage.clause.id not in places
    }
    blocks += further.values()
    words = _words(blocks, weighed)
    pool = [
        (chance, one.passage.clause, position)
        for one in chances
        for position, chance in enumerate(one.of)
        if chance >= least or one.passage.clause.id in shown
    ]
    for _, clause, position in sorted(pool, key=lambda entry: -entry[0]):
        piece = weighed.candidates(clause)[position].piece
        known = shown.setdefault(clause.id, set())
        if is_table(piece) or position in known or clause.text[piece.start : piece.end].rstrip().endswith(":"):
            continue
        block = places.get(clause.id) or further[clause.id]
        before, needed = block.positions, {position, *piece.under} - known
        block.positions = before | needed
        if (longer := _words(blocks, weighed)) > most and longer > words:
            block.positions = before
            continue
        words = longer
        known |= needed
    return [block for block in blocks if block.positions]


def _expected(blocks: Sequence[_Block], chances: Sequence[_Chances]) -> float:
    """How many needed pieces are expected among those of some blocks."""
    told: dict[str, frozenset[int]] = {}
    for block in blocks:
        told[block.clause.id] = told.get(block.clause.id, frozenset()) | block.positions
    return sum(one.of[position] for one in chances for position in told.get(one.passage.clause.id, ()))


def _words(blocks: Sequence[_Block], weighed: Weighed) -> int:
    """The words of some blocks as they are told, articles and ellipses included; tables are not counted."""
    told: set[str] = set()
    total = 0
    for block in blocks:
        if block.positions:
            total += _block_words(block, weighed) + len(label(block.clause).split()) + (block.clause.id in told)
            told.add(block.clause.id)
    return total


def _block_words(block: _Block, weighed: Weighed) -> int:
    candidates, lengths = weighed.candidates(block.clause), weighed.lengths(block.clause)
    total = 0
    end = -1
    for position in sorted(block.positions):
        piece = candidates[position].piece
        left_out = end >= 0 and bool(block.clause.text[end : piece.start].strip())
        total += lengths[position] + (left_out and not is_table(piece))
        end = piece.end
    return total


def _blocks(extracts: Sequence[Extract], weighed: Weighed) -> list[_Block]:
    found = []
    for extract in extracts:
        places = {(one.piece.start, one.piece.end): one.position for one in weighed.candidates(extract.clause)}
        found.append(_Block(extract.clause, frozenset(places[span] for span in extract.spans), extract.score))
    return found


def _extracts(blocks: Sequence[_Block], weighed: Weighed) -> tuple[Extract, ...]:
    found = []
    for block in blocks:
        cut = [weighed.candidates(block.clause)[position].piece for position in sorted(block.positions)]
        found.append(Extract(block.clause, tuple((piece.start, piece.end) for piece in cut), block.score))
    return tuple(found)
