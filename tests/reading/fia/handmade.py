"""Glyphs and lines made by hand: a font six points wide a letter, so that every place can be worked out."""

from __future__ import annotations

from pipelines.reading.fia.lines import Line
from pipelines.reading.fia.page import Glyph, Page

WIDTH = 6.0
SIZE = 11.0
RIGHT = 553.0
MAGENTA, RED, GREEN, ORANGE = 0xFF00FF, 0xC00000, 0x00B050, 0xFF9900


def glyphs(
    text: str,
    x: float = 92.0,
    y: float = 100.0,
    *,
    page: int = 1,
    size: float = SIZE,
    bold: bool = False,
    color: int = 0,
    struck: bool = False,
    font: str = "Aptos",
) -> list[Glyph]:
    """One glyph a character from ``x`` on; what stands between tildes is struck: "the ~old~ new"."""
    made: list[Glyph] = []
    for char in text:
        if char == "~":
            struck = not struck
            continue
        x0 = made[-1].x1 if made else x
        made.append(
            Glyph(
                raw=char,
                text=char,
                page=page,
                x0=x0,
                y0=y - 0.8 * size,
                x1=x0 + WIDTH,
                y1=y + 0.2 * size,
                baseline=y,
                font=font,
                size=size,
                bold=bold,
                italic=False,
                color=color,
                struck=struck,
                glyph_id=ord(char),
            )
        )
    return made


def line(text: str, x: float = 92.0, y: float = 100.0, *, right: float = RIGHT, **style: object) -> Line:
    """A line of its own."""
    page = style.get("page", 1)
    assert isinstance(page, int)
    return Line(page, y, glyphs(text, x, y, **style), right)  # type: ignore[arg-type]


def page(*runs: list[Glyph], number: int = 1) -> Page:
    """An A4 page of the runs in the order given."""
    made = Page(number=number, width=595.0, height=842.0, glyphs=[glyph for run in runs for glyph in run])
    for glyph in made.glyphs:
        glyph.page = number
    return made


def full(text: str, width: int = 76) -> str:
    """The text with letters added up to the right edge, so that the next line's first word has no room on it."""
    return text + " " + "x" * (width - len(text) - 1)
