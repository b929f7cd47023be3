"""The words of a clause: its lines and tables as one text, with where every line and every insertion stands in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from pipelines.reading.fia.colors import CHANGED, REFERENCE, Palette
from pipelines.reading.fia.lines import LABEL, Figure, Item, Line, first_token, is_live, label_of
from pipelines.reading.fia.page import Glyph
from pipelines.reading.fia.tables import Cell, Table
from pipelines.schema import LineBox

# In parts of the type size. A gap this wide is a space though none is printed.
_GAP = 0.22
# A step down the page this much larger than the document's usual one, or than the type size, begins a paragraph.
_WIDER_STEP = 1.12
_LEAST_STEP = 1.2
_CLOSING = frozenset(",.;:)]%!?’”")
_OPENING = frozenset("([“‘")
_HYPHENS = frozenset("-‐−–")
_SENTENCE_END = re.compile(r"[.;:!?][”\"’)\]]*$")
_OMISSION = re.compile(r"^(?:[….]+\s*/\s*[….]+|\[?(?:…+|\.{3,})\]?)$")


@dataclass(frozen=True, slots=True)
class Composed:
    """A clause's text and what stands where in it. ``glyphs`` are the source glyphs that the text holds."""

    text: str
    lines: tuple[LineBox, ...]
    inserted: tuple[tuple[int, int], ...]
    tables: tuple[tuple[int, int], ...]
    named: tuple[tuple[int, int], ...]  # runs in the colour of references to FIA documents
    glyphs: tuple[Glyph, ...]


@dataclass(slots=True)
class _Text:
    """Characters in the making, each with the glyph that it comes from and the number of its line."""

    chars: list[str] = field(default_factory=list)
    sources: list[Glyph | None] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)

    def add(self, text: str, glyph: Glyph | None, owner: int) -> None:
        for char in text:
            self.chars.append(char)
            self.sources.append(glyph)
            self.owners.append(owner)

    @property
    def last(self) -> str:
        return self.chars[-1] if self.chars else ""

    def strip_end(self, blanks: str = " ") -> None:
        while self.chars and self.chars[-1] in blanks:
            del self.chars[-1], self.sources[-1], self.owners[-1]


def is_omission(text: str) -> bool:
    """True for the mark "…/…" that stands for wording that does not change."""
    return bool(_OMISSION.match(text))


_IN_FIGURES = re.compile(r"\(\d{1,3}\)[,.;:]?")
_NUMBER_WORDS = frozenset(
    """one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred""".split()
)
_LONGEST_NUMBER = 30  # characters of "one hundred and twenty-seven" and the space behind it


def compose(items: Sequence[Item], palette: Palette, step: float) -> Composed:
    """Join the lines and tables of one clause.

    Wrapped lines of a paragraph are joined by a space, paragraphs and list items by a line break; a table is Markdown
    on lines of its own. Struck and dropped glyphs leave no trace but a clean join.

    Args:
        items: lines, tables and figures in reading order.
        palette: the document's colours.
        step: the document's usual distance between lines of a paragraph, in points.
    """
    text = _Text()
    boxes: list[LineBox] = []
    tables: list[tuple[int, int]] = []
    table_glyphs: list[Glyph] = []
    table_boxes: list[LineBox] = []
    cut = _Cut()
    pending = False
    before: Line | None = None
    lines: list[Line] = []
    for item in items:
        if isinstance(item, Figure):
            continue
        if isinstance(item, Table):
            text.strip_end(" \n")
            text.add(("\n\n" if tables and tables[-1][1] == len(text.chars) else "\n") if text.chars else "", None, -1)
            start = len(text.chars)
            markdown, spans = item.layout()
            text.add(markdown, None, -1)
            tables.append((start, len(text.chars)))
            table_boxes += _cell_boxes(spans, start)
            table_glyphs += item.glyphs
            before, pending, cut = None, True, _Cut()
            continue
        number = _goes_on_with_a_number(text, item)
        if before is not None and not number:
            pending = pending or begins_paragraph(before, item, step)
        before = item
        if not item.live:
            cut.see_line(item)
            continue
        if text.chars:
            _join(text, item, pending or (bool(label_of(item)) and not number), cut)
        pending = False
        lines.append(item)
        _add_line(text, item, len(lines) - 1, cut)
    text.strip_end(" \n")
    boxes = _line_boxes(text, lines) + table_boxes
    inserted = _runs(text, lambda glyph: palette.role(glyph.color) == CHANGED)
    shaded = [
        (box.start, box.end)
        for box, glyphs in _table_cells(items, tables)
        if glyphs and all(palette.role(glyph.color) == CHANGED for glyph in glyphs if is_live(glyph))
    ]
    sources = {id(glyph): glyph for glyph in text.sources if glyph is not None}
    return Composed(
        text="".join(text.chars),
        lines=tuple(sorted(boxes, key=lambda box: (box.start, box.page, box.y0))),
        inserted=tuple(sorted({*inserted, *shaded})),
        tables=tuple(tables),
        named=tuple(_runs(text, lambda glyph: palette.role(glyph.color) == REFERENCE)),
        glyphs=(*sources.values(), *(glyph for glyph in table_glyphs if is_live(glyph))),
    )


def _goes_on_with_a_number(text: _Text, line: Line) -> bool:
    """Whether a line that looks like a list item is the second half of "ten (10)", broken behind the word."""
    if not _IN_FIGURES.fullmatch(label_of(line)):
        return False
    words = "".join(text.chars[-_LONGEST_NUMBER:]).lower().split()
    return bool(words) and words[-1].rpartition("-")[2] in _NUMBER_WORDS


def begins_paragraph(before: Line, line: Line, step: float) -> bool:
    """True when a line begins a paragraph: by its label, the space above it, or room that the line before left."""
    if label_of(line):
        return True
    if not before.ink or not line.ink:
        return False
    if line.page == before.page and line.baseline > before.baseline:
        limit = max(_WIDER_STEP * step, _LEAST_STEP * min(line.size, before.size))
        if line.baseline - before.baseline > limit:
            return True
        if line.x0 < before.x0 - 4 and not label_of(before):
            return True
    word = first_token(line.glyphs)
    if not word:
        return False
    width = word[-1].x1 - word[0].x0
    room = min(before.right, line.right) - before.x1
    return width + 0.3 * line.size + 3 < room


class _Cut:
    """What was struck out since the last character: whether anything, and whether white space was among it."""

    def __init__(self) -> None:
        self.any = False
        self.space = False

    def see(self, glyph: Glyph) -> None:
        """Note a glyph that is left out."""
        self.any = True
        self.space = self.space or glyph.raw.isspace()

    def see_line(self, line: Line) -> None:
        """Note a line of which nothing is left."""
        self.any = self.space = self.any or bool(line.glyphs)

    def clear(self) -> None:
        """Begin anew behind a character that stays."""
        self.any = self.space = False


def _join(text: _Text, line: Line, paragraph: bool, cut: _Cut) -> None:
    """End the line before: with a line break, a space, or nothing behind a hyphen."""
    text.strip_end()
    if paragraph and not _ends_in_label(text):
        text.add("\n", None, -1)
        return
    first = line.live[0].text[:1]
    before = text.chars[-2] if len(text.chars) > 1 else ""
    hyphen = text.last in _HYPHENS and before.isalnum() and first.isalnum()
    if not hyphen and not (cut.any and first in _CLOSING):
        text.add(" ", None, -1)


def _ends_in_label(text: _Text) -> bool:
    """True when the last line of the text is a label that waits for its words: those beside it were struck out."""
    start = len(text.chars)
    while start and len(text.chars) - start < 6 and text.chars[start - 1] != "\n":
        start -= 1
    return bool(LABEL.match("".join(text.chars[start:]))) and (not start or text.chars[start - 1] == "\n")


def _add_line(text: _Text, line: Line, owner: int, cut: _Cut) -> None:
    """Add a line's glyphs in force; white space is folded, and a deletion leaves one space or none."""
    right: float | None = None
    for glyph in line.glyphs:
        if glyph.struck or glyph.drop:
            cut.see(glyph)
            if not glyph.raw.isspace():
                right = glyph.x1
            continue
        if glyph.raw.isspace():
            if text.last not in ("", " ", "\n"):
                text.add(" ", None, owner)
            continue
        wide = right is not None and glyph.x0 - right > _GAP * glyph.size
        if cut.any:
            if glyph.text[:1] in _CLOSING:
                text.strip_end()
                if _is_orphan(text, glyph):
                    glyph.drop = "struck"
                    continue
            elif (cut.space or wide) and text.last not in ("", " ", "\n") and text.last not in _OPENING:
                text.add(" ", None, owner)
            cut.clear()
        elif wide and text.last not in ("", " ", "\n"):
            text.add(" ", None, owner)
        text.add(glyph.text, glyph, owner)
        right = glyph.x1


def _is_orphan(text: _Text, mark: Glyph) -> bool:
    """True for the mark of a struck sentence behind another's: "a race. ~In such a case~." ends once.

    Of a comma and the full stop behind struck words, the comma goes.
    """
    if text.last == "," and mark.text in ".;:":
        comma = text.sources[-1]
        if comma is not None:
            comma.drop = "struck"
            text.strip_end(",")
            return False
    return bool(text.chars) and mark.text in ".,;:" and text.last == mark.text


def _line_boxes(text: _Text, lines: list[Line]) -> list[LineBox]:
    """One box for each line, with its run of the text."""
    spans: dict[int, tuple[int, int]] = {}
    for index, (owner, source) in enumerate(zip(text.owners, text.sources, strict=True)):
        if source is not None:
            first, _ = spans.get(owner, (index, index))
            spans[owner] = (first, index + 1)
    boxes = []
    for owner, (start, end) in spans.items():
        live = lines[owner].live
        boxes.append(
            LineBox(
                lines[owner].page,
                min(glyph.x0 for glyph in live),
                min(glyph.y0 for glyph in live),
                max(glyph.x1 for glyph in live),
                max(glyph.y1 for glyph in live),
                start,
                end,
            )
        )
    return boxes


def _cell_boxes(spans: list[tuple[Cell, int, int]], offset: int) -> list[LineBox]:
    """A box for each cell on each page it stands on; the text is the whole cell's where a page break cuts it."""
    boxes = []
    for cell, start, end in spans:
        ink = [glyph for glyph in cell.glyphs if not glyph.raw.isspace()]
        for page, group in groupby(sorted(ink, key=lambda glyph: glyph.page), key=lambda glyph: glyph.page):
            glyphs = list(group)
            boxes.append(
                LineBox(
                    page,
                    min(glyph.x0 for glyph in glyphs),
                    min(glyph.y0 for glyph in glyphs),
                    max(glyph.x1 for glyph in glyphs),
                    max(glyph.y1 for glyph in glyphs),
                    offset + start,
                    offset + end,
                )
            )
    return boxes


def _table_cells(items: Sequence[Item], places: list[tuple[int, int]]) -> list[tuple[LineBox, list[Glyph]]]:
    """Every written cell of the tables among the items, with its run of the text and its glyphs."""
    cells = []
    for table, (offset, _) in zip((item for item in items if isinstance(item, Table)), places, strict=True):
        for cell, start, end in table.layout()[1]:
            cells.append((LineBox(table.page, 0, 0, 0, 0, offset + start, offset + end), cell.glyphs))
    return cells


def _runs(text: _Text, chosen: Callable[[Glyph], bool]) -> list[tuple[int, int]]:
    """Runs of the text whose glyphs are chosen; a space or line break between two of them belongs to the run."""
    runs: list[tuple[int, int]] = []
    for index, source in enumerate(text.sources):
        if source is None or not chosen(source):
            continue
        if runs and all(text.sources[between] is None for between in range(runs[-1][1], index)):
            runs[-1] = (runs[-1][0], index + 1)
        else:
            runs.append((index, index + 1))
    return runs
