"""A page as lines, tables and figures in reading order."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from pipelines.reading.fia.page import Glyph, Page
from pipelines.reading.fia.tables import Table

# Points. Baselines this close are one line; a gap this wide may part two columns; columns start at one x within this.
_BASELINE = 2.5
_COLUMN_GAP = 14.0
_SAME_X = 2.0
# A glyph under this part of the page's usual size is an index: it belongs to the line that it stands beside.
_INDEX = 0.72
# An image at least this high and wide, in points, is a figure and no ornament.
_FIGURE = 24.0

_ROMAN_NUMBER = r"(?=[ivxl])(?:xl|x{0,3})(?:ix|iv|v?i{0,3})"
LABEL = re.compile(rf"^(?:\(?(?:[a-z]|([a-z])\1|{_ROMAN_NUMBER}|\d{{1,2}}|[A-Z])[.)]|[•▪·◦●–-])$")
_BARE_ROMAN = re.compile(rf"^{_ROMAN_NUMBER}$")
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50}


@dataclass(slots=True, eq=False)
class Line:
    """One printed line, or one column's part of it: its glyphs from left to right, struck ones and spaces among them.

    ``right`` is the x up to which the line could have been filled.
    """

    page: int
    baseline: float
    glyphs: list[Glyph]
    right: float
    ink: list[Glyph] = field(init=False)  # the glyphs that leave ink, struck or not
    x0: float = field(init=False)  # the edges of its ink
    x1: float = field(init=False)
    size: float = field(init=False)  # the type size of most of its ink, in points

    def __post_init__(self) -> None:
        self.ink = [glyph for glyph in self.glyphs if not glyph.raw.isspace()]
        self.x0 = min((glyph.x0 for glyph in self.ink), default=0.0)
        self.x1 = max((glyph.x1 for glyph in self.ink), default=0.0)
        sizes = Counter(round(glyph.size, 1) for glyph in self.ink)
        self.size = max(sizes, key=lambda size: sizes[size]) if sizes else 0.0

    @property
    def live(self) -> list[Glyph]:
        """The glyphs in force that leave ink."""
        return [glyph for glyph in self.ink if not glyph.struck and not glyph.drop]

    @property
    def text(self) -> str:
        """Its words in force, white space folded."""
        return " ".join("".join(glyph.text for glyph in self.glyphs if _counts(glyph)).split())


@dataclass(slots=True, eq=False)
class Figure:
    """A picture in the body of a page."""

    page: int
    x0: float
    y0: float
    x1: float
    y1: float


Item = Line | Table | Figure


def is_live(glyph: Glyph) -> bool:
    """True for a glyph in force that leaves ink."""
    return not glyph.struck and not glyph.drop and not glyph.raw.isspace()


def _counts(glyph: Glyph) -> bool:
    return not glyph.struck and not glyph.drop


def read_items(page: Page, tables: Sequence[Table], *, taken: set[int], right: float) -> list[Item]:
    """The lines, tables and figures of a page in reading order: top to bottom, a list in two columns one by one.

    Glyphs that are dropped or taken are in no line. Glyphs over a figure and those set at an angle are
    dropped here as figure labels.

    Args:
        page: a page whose furniture is marked.
        tables: the tables that begin on the page.
        taken: ``id()`` of every glyph in a table.
        right: the right edge of the text area, in points.
    """
    figures = [
        Figure(page.number, *box)
        for box in page.images
        if box[3] - box[1] >= _FIGURE and box[2] - box[0] >= _FIGURE and _in_body(box, page)
    ]
    free = [glyph for glyph in page.glyphs if not glyph.drop and id(glyph) not in taken]
    for glyph in free:
        if not glyph.upright or any(_inside(glyph, figure) for figure in figures):
            glyph.drop = "figure_label"
    lines = _lines(page, [glyph for glyph in free if not glyph.drop], right)
    items: list[tuple[float, int, Item]] = [(line.baseline, 1, line) for line in lines]
    ordered = _by_columns(items)
    others: list[tuple[float, Item]] = [(table.y0, table) for table in tables]
    others += [(figure.y0, figure) for figure in figures]
    for top, other in sorted(others, key=lambda pair: pair[0], reverse=True):
        place = next((index for index, line in enumerate(ordered) if line.baseline > top + 4), len(ordered))
        ordered.insert(place, _Slot(top, other))
    return [line.item if isinstance(line, _Slot) else line for line in ordered]


@dataclass(slots=True)
class _Slot:
    """A table or figure among lines."""

    baseline: float
    item: Item


def _in_body(box: tuple[float, float, float, float], page: Page) -> bool:
    middle = (box[1] + box[3]) / 2
    return 0.09 * page.height < middle < 0.905 * page.height and box[3] - box[1] < 0.97 * page.height


def _inside(glyph: Glyph, figure: Figure) -> bool:
    x, y = (glyph.x0 + glyph.x1) / 2, (glyph.y0 + glyph.y1) / 2
    return figure.x0 + 3 < x < figure.x1 - 3 and figure.y0 + 3 < y < figure.y1 - 3


def _lines(page: Page, glyphs: list[Glyph], right: float) -> list[Line]:
    """Glyphs gathered into lines by baseline, indices beside what they belong to, each line left to right."""
    if not any(not glyph.raw.isspace() for glyph in glyphs):
        return []
    usual = Counter(round(glyph.size) for glyph in glyphs if not glyph.raw.isspace()).most_common(1)[0][0]
    rows: list[list[Glyph]] = []
    for glyph in sorted(
        (glyph for glyph in glyphs if glyph.size >= _INDEX * usual and not glyph.raw.isspace()),
        key=lambda glyph: glyph.baseline,
    ):
        if not rows or glyph.baseline - rows[-1][0].baseline > _BASELINE:
            rows.append([])
        rows[-1].append(glyph)
    bases = [row[0].baseline for row in rows]
    alone: list[list[Glyph]] = []
    for glyph in glyphs:
        blank = glyph.raw.isspace()
        if not blank and glyph.size >= _INDEX * usual:
            continue
        row = _row_beside(glyph, rows, bases, blank=blank)
        if row is not None:
            row.append(glyph)
        elif blank:
            glyph.drop = "white_space"
        else:
            _stand_alone(glyph, alone)
    return sorted((_line(page, row, right) for row in [*rows, *alone]), key=lambda line: line.baseline)


def _line(page: Page, row: list[Glyph], right: float) -> Line:
    """A line out of the glyphs of a row; ligature parts of no width follow the glyph that draws them."""
    row.sort(key=lambda glyph: glyph.x0)
    bases = Counter(glyph.baseline for glyph in row if not glyph.raw.isspace())
    return Line(page.number, bases.most_common(1)[0][0], row, right)


def _row_beside(glyph: Glyph, rows: list[list[Glyph]], bases: list[float], *, blank: bool) -> list[Glyph] | None:
    """The row that an index or a space belongs to: the nearest by baseline that it stands beside."""
    best: list[Glyph] | None = None
    nearest = float("inf")
    first = bisect_left(bases, glyph.baseline - 12)
    for row, base in zip(rows[first:], bases[first:], strict=True):
        offset = glyph.baseline - base
        size = row[0].size
        if offset < -0.75 * size:
            break
        if offset > 0.4 * size or abs(offset) >= nearest:
            continue
        if blank or any(-1.0 <= glyph.x0 - other.x1 < size or -size < glyph.x1 - other.x0 <= 1.0 for other in row):
            best, nearest = row, abs(offset)
    return best


def _stand_alone(glyph: Glyph, rows: list[list[Glyph]]) -> None:
    """Add a small glyph that belongs to no line of the usual size to a line of small ones."""
    for row in rows:
        if abs(row[0].baseline - glyph.baseline) <= _BASELINE:
            row.append(glyph)
            return
    rows.append([glyph])


def _pieces(line: Line) -> list[list[Glyph]]:
    """A line's ink cut at gaps as wide as those between columns."""
    pieces: list[list[Glyph]] = [[]]
    ink = line.ink
    pieces[0].append(ink[0])
    for before, glyph in pairwise(ink):
        if glyph.x0 - before.x1 >= _COLUMN_GAP:
            pieces.append([])
        pieces[-1].append(glyph)
    return pieces


def first_token(glyphs: Iterable[Glyph]) -> list[Glyph]:
    """The glyphs of the first word: up to white space or to a gap."""
    token: list[Glyph] = []
    for glyph in glyphs:
        if glyph.raw.isspace():
            if token:
                break
            continue
        if token and glyph.x0 - token[-1].x1 > 0.3 * glyph.size:
            break
        token.append(glyph)
    return token


def label_of(line: Line) -> str:
    """The label of a list item that a line begins with ("a.", "(iv)", "•"), "" for none."""
    live = [glyph for glyph in line.glyphs if _counts(glyph)]
    token = first_token(live)
    text = "".join(glyph.text for glyph in token)
    if LABEL.match(text):
        return text if len(token) < len([glyph for glyph in live if not glyph.raw.isspace()]) or len(text) < 4 else ""
    if _BARE_ROMAN.match(text):
        rest = [glyph for glyph in live if not glyph.raw.isspace()][len(token) :]
        if rest and rest[0].x0 - token[-1].x1 > 0.5 * token[-1].size:
            return text
    return ""


def _by_columns(items: list[tuple[float, int, Item]]) -> list[Line | _Slot]:
    """Lines in reading order, those of a list set in two columns column by column."""
    lines = [item for _, _, item in items if isinstance(item, Line)]
    ordered: list[Line | _Slot] = []
    index = 0
    while index < len(lines):
        start = _second_column(lines[index])
        if start is None:
            ordered.append(lines[index])
            index += 1
            continue
        end = _end_of_columns(lines, index, start)
        ordered.extend(_split(lines[index:end], start))
        index = end
    return ordered


def _second_column(line: Line) -> float | None:
    """The x at which a second labelled item starts on a line that begins with a labelled item."""
    pieces = _pieces(line)
    if len(pieces) < 2 or not label_of(line):
        return None
    for piece in pieces[1:]:
        text = "".join(glyph.text for glyph in first_token(piece))
        if LABEL.match(text) and not text.isdigit():
            return piece[0].x0
    return None


def _end_of_columns(lines: list[Line], first: int, start: float) -> int:
    """The index after the last line of a list in two columns that begins at ``first``."""
    left = lines[first].x0
    index = first + 1
    while index < len(lines):
        line = lines[index]
        if line.baseline - lines[index - 1].baseline > 2.6 * line.size:
            break
        has_second = any(abs(piece[0].x0 - start) <= _SAME_X for piece in _pieces(line))
        fits = line.x1 < start or has_second
        if not fits or (not has_second and not label_of(line) and line.x0 <= left + _SAME_X):
            break
        index += 1
    return index


def _split(lines: list[Line], start: float) -> list[Line]:
    """The lines cut at the second column: the first column, then the second, or row by row if labels count so."""
    first: list[Line] = []
    second: list[Line] = []
    for line in lines:
        left = [glyph for glyph in line.glyphs if glyph.x0 < start - _SAME_X]
        rest = [glyph for glyph in line.glyphs if glyph.x0 >= start - _SAME_X]
        if any(not glyph.raw.isspace() for glyph in left):
            first.append(Line(line.page, line.baseline, left, start - 12))
        else:
            rest = left + rest
        if any(not glyph.raw.isspace() for glyph in rest):
            second.append(Line(line.page, line.baseline, rest, line.right))
        else:
            first[-1].glyphs.extend(rest)
    by_rows = sorted([*first, *second], key=lambda line: (line.baseline, line.x0))
    if not _rising([*first, *second]) and _rising(by_rows):
        return by_rows
    return [*first, *second]


def _rising(lines: list[Line]) -> bool:
    """True when the labels of the lines count upwards."""
    values = [_value(label) for label in (label_of(line) for line in lines) if label]
    return all(left <= right for left, right in pairwise(values))


def _value(label: str) -> int:
    """A label as a number: letters by the alphabet, romans and digits by value, a bullet as 0."""
    core = label.strip("().").lower()
    if core.isdigit():
        return int(core)
    if len(core) > 1 and set(core) <= set(_ROMAN):
        values = [_ROMAN[char] for char in core]
        return sum(
            -value if following > value else value for value, following in zip(values, [*values[1:], 0], strict=True)
        )
    return ord(core) - 96 if len(core) == 1 and core.isalpha() else 0
