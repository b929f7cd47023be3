"""Tables without rules: list items whose words stand in columns set by tab stops."""

from __future__ import annotations

import re
from itertools import pairwise
from operator import attrgetter

from pipelines.reading.fia.page import Glyph, Page

# A list label: a, iv, 12 or a bullet, with its point or bracket.
_LABEL = re.compile(r"^(?:\(?(?:[a-z]{1,5}|\d{1,2})[.)]|[•·o▪–-])$")
# Points. Columns begin at one x within this much; a gap at least this wide is no word space, not even a stretched one.
_SAME = 1.5
_GAP = 10.0
# In parts of the type size: baselines within this are one line; rows further apart than this are no one table.
_LINE = 0.5
_APART = 3.0
_FEWEST_ROWS = 3

Row = list[list[Glyph]]


def find_aligned(page: Page, taken: list[tuple[float, float, float, float]]) -> list[list[Row]]:
    """Runs of at least three list items, one line each, whose words stand in the same columns.

    A row is its label and two or more further columns. What is left alone: a list set in two columns (its second
    column has labels of its own), a contents list (no labels), and items whose first words end in a colon, which reads
    on into the rest.

    Args:
        page: the page, its furniture marked or not.
        taken: boxes, as x0, y0, x1, y1, in which nothing is looked for.

    Returns:
        For each run, top to bottom, its rows; a row is its columns; a column is its glyphs.
    """
    rows = [_columns(line) for line in _lines(page, taken)]
    runs: list[list[Row]] = []
    run: list[Row] = []
    for row in rows:
        if run and not (_is_row(row) and _aligned(run[-1], row)):
            runs.append(run)
            run = []
        if _is_row(row):
            run.append(row)
    runs.append(run)
    return [run for run in runs if len(run) >= _FEWEST_ROWS]


def _lines(page: Page, taken: list[tuple[float, float, float, float]]) -> list[list[Glyph]]:
    """The page's unstruck upright lines, top to bottom, each left to right."""
    inked = [
        glyph
        for glyph in page.glyphs
        if glyph.upright and not glyph.struck and not glyph.hidden and glyph.drop in ("", "white_space")
    ]
    for x0, y0, x1, y1 in taken:
        inked = [glyph for glyph in inked if not (x0 <= glyph.x0 <= x1 and y0 <= glyph.baseline <= y1)]
    inked.sort(key=attrgetter("baseline"))
    lines: list[list[Glyph]] = []
    for glyph in inked:
        if lines and glyph.baseline - lines[-1][0].baseline < _LINE * glyph.size:
            lines[-1].append(glyph)
        else:
            lines.append([glyph])
    for line in lines:
        line.sort(key=attrgetter("x0"))
    return lines


def _columns(line: list[Glyph]) -> Row:
    """A line cut behind its label and at its wide gaps. White space goes with the column before it."""
    columns: Row = []
    inked_to = 0.0
    first_word = True  # until white space follows the first ink
    for glyph in line:
        if glyph.raw.isspace():
            if columns:
                columns[-1].append(glyph)
            continue
        if not columns:
            columns.append([])
        elif glyph.x0 - inked_to >= _GAP:
            columns.append([])
            first_word = False
        elif first_word and columns[0][-1].raw.isspace():
            first_word = False
            if _LABEL.match(_words(columns[0])):
                columns.append([])
        columns[-1].append(glyph)
        inked_to = max(inked_to, glyph.x1)
    return columns


def _words(column: list[Glyph]) -> str:
    return "".join(glyph.text for glyph in column).strip()


def _is_row(columns: Row) -> bool:
    if len(columns) < 3:
        return False
    words = [_words(column) for column in columns]
    return (
        _LABEL.match(words[0]) is not None
        and not any(_LABEL.match(word) for word in words[1:])
        and not words[1].endswith(":")
    )


def _aligned(above: Row, below: Row) -> bool:
    """True when two rows follow one another and their columns begin at the same places."""
    return (
        len(above) == len(below)
        and below[0][0].baseline - above[0][0].baseline <= _APART * below[0][0].size
        and all(abs(left[0].x0 - right[0].x0) <= _SAME for left, right in zip(above[1:], below[1:], strict=True))
    )


def column_edges(rows: list[Row]) -> list[float]:
    """The x borders of a run's columns: halfway between the end of one and the beginning of the next."""
    starts = [min(row[col][0].x0 for row in rows) for col in range(len(rows[0]))]
    ends = [max(max(glyph.x1 for glyph in row[col]) for row in rows) for col in range(len(rows[0]))]
    inner = [min((end + start) / 2, start) for end, start in zip(ends, starts[1:], strict=False)]
    return [starts[0], *inner, ends[-1]]


def row_borders(rows: list[Row]) -> list[float]:
    """The y borders of a run's rows: top of the first, halfway between rows, bottom of the last."""
    tops = [min(glyph.y0 for column in row for glyph in column) for row in rows]
    bottoms = [max(glyph.y1 for column in row for glyph in column) for row in rows]
    inner = [(bottom + top) / 2 for (_, bottom), (top, _) in pairwise(zip(tops, bottoms, strict=True))]
    return [tops[0], *inner, bottoms[-1]]
