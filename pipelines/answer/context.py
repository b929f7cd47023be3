"""Which passages a language model gets to see, within its budget of tokens, and in which order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pipelines.answer.prompts import passage_text
from pipelines.llm import Message
from pipelines.schema import Passage

MARGIN_TOKENS = 32
"""Kept free for what a chat template adds around messages."""

READ_WITH_BEST = 3
MOST_READ_WITH = 6
"""At most so many clauses are added that the best passages go on from or refer to, where the budget has room."""

Numbered = tuple[int, Passage]
"""A passage with the number it is cited by, which is its rank from 1."""


def tokens_of(messages: Sequence[Message], count: Callable[[str], int]) -> int:
    """Tokens of a conversation, a few a message included for its role."""
    return sum(count(message["content"]) + 4 for message in messages)


def fitting(passages: Sequence[Numbered], room: int, count: Callable[[str], int]) -> list[Numbered]:
    """Passages in rank order that fit into ``room`` tokens; one that does not is skipped, the next may still fit."""
    taken: list[Numbered] = []
    for number, passage in passages:
        length = count(passage_text(number, passage)) + 1
        if length <= room:
            taken.append((number, passage))
            room -= length
    return taken


def read_with(passages: Sequence[Passage]) -> list[Passage]:
    """The clauses that the best passages are read with, as passages of their own behind the ranked ones."""
    ranked = {passage.clause.id for passage in passages}
    found = {clause.id: clause for passage in passages[:READ_WITH_BEST] for clause in passage.context}
    others = [clause for clause in found.values() if clause.id not in ranked][:MOST_READ_WITH]
    last = passages[-1].score if passages else 0.0
    return [Passage(clause, last - place) for place, clause in enumerate(others, 1)]


def both_ends(passages: Sequence[Numbered]) -> list[Numbered]:
    """The best passages at both ends, the weakest in the middle, where models read least: 1 3 5 ... 6 4 2."""
    return [*passages[0::2], *reversed(passages[1::2])]


def batches(passages: Sequence[Numbered], room: int, count: Callable[[str], int]) -> list[list[Numbered]]:
    """All passages in as few groups as their order allows, each within ``room``; one too long for any is left out."""
    groups: list[list[Numbered]] = []
    left = 0
    for number, passage in passages:
        length = count(passage_text(number, passage)) + 1
        if length > room:
            continue
        if not groups or length > left:
            groups.append([])
            left = room
        groups[-1].append((number, passage))
        left -= length
    return groups
