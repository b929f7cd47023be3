"""The account of characters: where every source glyph of a document went."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from pipelines.reading.fia.page import Page
from pipelines.schema import CharacterAccount

LOST = "unplaced"


def account(pages: Iterable[Page], placed: set[int]) -> CharacterAccount:
    """Count every glyph once: struck, white space, dropped under its name, or in a clause.

    Args:
        pages: the document's pages after reading, drops marked.
        placed: ``id()`` of each glyph that a clause's text holds.

    Returns:
        The account. A glyph that is in no clause and was not dropped is counted as ``unplaced``: a fault of the reader.
    """
    total = clauses = 0
    dropped: Counter[str] = Counter()
    for page in pages:
        total += len(page.glyphs)
        for glyph in page.glyphs:
            if glyph.struck:
                dropped["struck"] += 1
            elif glyph.raw.isspace():
                dropped["white_space"] += 1
            elif id(glyph) in placed:
                clauses += 1
            else:
                dropped[glyph.drop or LOST] += 1
    return CharacterAccount(total, clauses, dict(sorted(dropped.items())))
