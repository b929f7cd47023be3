"""Coloured runs that are no wording of the law: governance lines and comments, marked over line breaks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pipelines.reading.fia.colors import COMMENT, GOVERNANCE, Palette
from pipelines.reading.fia.lines import Item, Line, is_live
from pipelines.reading.fia.numbering import REPLACED
from pipelines.reading.fia.page import Glyph

_GOVERNANCE = re.compile(r"Advisory Committee|Governance", re.IGNORECASE)


def mark_runs(items: Iterable[Item], palette: Palette) -> None:
    """Drop governance lines and comments from the lines among ``items``.

    A red run is governance when it says so: red wording of the law stays. A green run is a comment, except
    "[Replaced by ...]", which says what became of a clause.
    """
    lines = [item for item in items if isinstance(item, Line)]
    for role, name in ((GOVERNANCE, "governance"), (COMMENT, "comment")):
        for run in _colored(lines, palette, role):
            text = words(run)
            governs = bool(_GOVERNANCE.search(text))
            remarks = any(char.isalnum() for char in text) and not REPLACED.search(text)
            if governs if role == GOVERNANCE else remarks:
                for glyph in run:
                    if not glyph.raw.isspace():
                        glyph.drop = name


def _colored(lines: Sequence[Line], palette: Palette, role: str) -> list[list[Glyph]]:
    """Runs of glyphs of one role and the white space in and behind them, over line and page breaks."""
    runs: list[list[Glyph]] = []
    open_run = False
    for line in lines:
        for glyph in line.glyphs:
            if not is_live(glyph):
                if open_run and glyph.raw.isspace():
                    runs[-1].append(glyph)
                continue
            if palette.role(glyph.color) != role:
                open_run = False
                continue
            if not open_run:
                runs.append([])
                open_run = True
            runs[-1].append(glyph)
    return runs


def words(glyphs: Sequence[Glyph]) -> str:
    """The text of glyphs in reading order with one space where white space, a gap or a line break lies between them."""
    text = ""
    before: Glyph | None = None
    blank = False
    for glyph in glyphs:
        if glyph.raw.isspace():
            blank = True
            continue
        if before is not None and (
            blank
            or abs(glyph.baseline - before.baseline) > 0.6 * glyph.size
            or glyph.x0 - before.x1 > 0.22 * glyph.size
        ):
            text += " "
        text += glyph.text
        before, blank = glyph, False
    return text
