"""A clause or heading in the making: what belongs to one article number, one term or one unnumbered stretch."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from pipelines.reading.fia.compose import begins_paragraph
from pipelines.reading.fia.lines import LABEL, Figure, Item, Line, is_live, label_of
from pipelines.reading.fia.marks import words
from pipelines.reading.fia.page import Glyph
from pipelines.reading.fia.tables import Table
from pipelines.schema import Kind

_SENTENCE = re.compile(
    r"\b(?:must|may|shall|will|is|are|was|were|has|have|had|can|cannot|be|been|apply|applies|means?|includes?|do|does)\b"
)
_TITLE_END = re.compile(r"[.;:,]\W*$")
_LONGEST_TITLE = 14  # words
_INDENT = 4.0  # points by which the words of an item are set in under its label


@dataclass(slots=True, eq=False)
class Block:
    """Lines, tables and figures under one number, term or subheading, with the headings above it.

    ``path`` holds (id, title) of the headings above, outermost first.
    """

    kind: Kind
    article: str
    printed: str
    page: int
    year: str = ""
    term: str = ""
    title: str = ""
    part: str = ""
    numbered: bool = False
    path: tuple[tuple[str, str], ...] = ()
    items: list[Item] = field(default_factory=list)
    governance: list[str] = field(default_factory=list)
    heading: list[Glyph] = field(default_factory=list)
    silent: bool = False  # its heading alone, without words, is not worth an entry

    @property
    def lines(self) -> list[Line]:
        """Its lines that hold words in force."""
        return [item for item in self.items if isinstance(item, Line) and item.live]

    @property
    def has_words(self) -> bool:
        """True when it says something of its own."""
        return bool(self.lines) or any(isinstance(item, Table) for item in self.items)

    @property
    def has_figure(self) -> bool:
        """True when a picture stands in it."""
        return any(isinstance(item, Figure) for item in self.items)

    def settle(self, step: float) -> None:
        """Take the plain title off its words and the labels off its emptied items."""
        if self.numbered and not self.title:
            self._take_title(step)
        _drop_emptied(self.items, step)

    def _take_title(self, step: float) -> None:
        """A first line that stands alone and is no sentence is the title, also where it is not set in bold."""
        lines = [item for item in self.items if isinstance(item, Line)]
        if len(lines) < 2 or not isinstance(self.items[0], Line):
            return
        first, second = lines[0], lines[1]
        following = next((line for line in lines[1:] if line.live), None)
        if following is None and not any(isinstance(item, Table) for item in self.items):
            return
        text = first.text
        if not first.live or label_of(first) or not begins_paragraph(first, second, step):
            return
        if _TITLE_END.search(text) or _SENTENCE.search(text) or len(text.split()) > _LONGEST_TITLE:
            return
        if text.startswith(tuple('“"‘[(')) or (not text[:1].isupper() and not text[:1].isdigit()):
            return
        if following is not None and not label_of(following) and following.live[0].text[:1].islower():
            return
        self.title = text
        for glyph in first.live:
            glyph.drop = "heading"
        self.heading += first.glyphs


def _drop_emptied(items: Sequence[Item], step: float) -> None:
    """Drop the label of an item of which every word is struck out.

    It stays where new words take it up: a line without a label that is set in under it or goes on its paragraph.
    """
    lines = [item for item in items if isinstance(item, Line)]
    for index, line in enumerate(lines):
        if not label_only(line):
            continue
        place = next((place for place in range(index + 1, len(lines)) if lines[place].live), None)
        following = lines[place] if place is not None else None
        live = line.live
        taken_up = (
            following is not None
            and place is not None
            and not label_of(following)
            and (following.live[0].x0 > live[0].x0 + _INDENT or not begins_paragraph(lines[place - 1], following, step))
        )
        if not taken_up:
            for glyph in live:
                glyph.drop = "struck"


def label_only(line: Line) -> bool:
    """True for a line of which a list label is all that stays in force beside words that are struck out."""
    live = line.live
    return bool(live) and bool(LABEL.match(words(live))) and any(glyph.struck for glyph in line.ink)


def is_bold(glyphs: Sequence[Glyph]) -> bool:
    """True when nearly all of some inked glyphs are bold."""
    ink = [glyph for glyph in glyphs if is_live(glyph)]
    return bool(ink) and sum(glyph.bold for glyph in ink) >= 0.95 * len(ink)
