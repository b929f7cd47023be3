"""Sections of a document, and the clauses made of them: one contract for every format without article numbers."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from pipelines.errors import NoText
from pipelines.schema import Clause, Document, Kind, LineBox

MAX_WORDS = 320
"""A section longer than this is split between its blocks, so that a passage stays readable beside its answer."""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, list item, table or code block: its text, its first and last source line, and where it is printed.

    ``boxes`` are offsets into ``text``; they are empty for formats without pages.
    """

    text: str
    first: int
    last: int
    table: bool = False
    page: int = 1
    page_end: int = 0
    boxes: tuple[LineBox, ...] = ()

    @property
    def words(self) -> int:
        """Length in words."""
        return len(self.text.split())


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with the blocks below it, down to the next one. ``path`` holds the headings above, outermost first."""

    title: str
    line: int
    path: tuple[str, ...] = ()
    blocks: list[Block] = field(default_factory=list)


class Outline:
    """Collects blocks under headings as a reader meets them, keeping the path of headings above."""

    def __init__(self, title: str = "") -> None:
        """``title`` names what stands before the first heading."""
        self._stack: list[tuple[int, str]] = []
        self.sections: list[Section] = [Section(title, 1)]

    def heading(self, level: int, title: str, line: int) -> None:
        """Open a section; ``level`` is 1 for the outermost."""
        while self._stack and self._stack[-1][0] >= level:
            self._stack.pop()
        path = tuple(name for _, name in self._stack)
        self._stack.append((level, title))
        self.sections.append(Section(title, line, path))

    def add(self, block: Block) -> None:
        """Add a block to the open section; an empty one is left out."""
        if block.text.strip():
            self.sections[-1].blocks.append(block)


def clauses_of(document: Document, sections: Iterable[Section], *, lines: bool = True) -> tuple[Clause, ...]:
    """Make one clause of every section, of every part of a long one.

    Args:
        document: the document the sections are of.
        sections: in reading order.
        lines: whether source lines mean something to a person (they do not in a PDF).

    Raises:
        NoText: no section has a word.
    """
    clauses: list[Clause] = []
    taken: dict[str, int] = {}
    for section in sections:
        for part in _parts(section.blocks):
            clause = _clause(document, section, part, lines)
            number = taken[clause.id] = taken.get(clause.id, 0) + 1
            clauses.append(clause if number == 1 else replace(clause, id=f"{clause.id}~{number}"))
    if not clauses:
        raise NoText(f"{document.file}: no text found")
    return tuple(clauses)


def _parts(blocks: list[Block]) -> Iterator[list[Block]]:
    """Runs of blocks of at most MAX_WORDS, of nearly equal length; a lead-in line stays with what follows it."""
    total = sum(block.words for block in blocks)
    if not blocks:
        return
    wanted = total / max(1, -(-total // MAX_WORDS))
    part: list[Block] = []
    words = 0
    for block in blocks:
        leads = bool(part) and part[-1].text.rstrip().endswith(":")
        if part and words + block.words / 2 > wanted and not leads:
            yield part
            part, words = [], 0
        part.append(block)
        words += block.words
    yield part


def _clause(document: Document, section: Section, blocks: list[Block], lines: bool) -> Clause:
    text = ""
    tables: list[tuple[int, int]] = []
    boxes: list[LineBox] = []
    for block in blocks:
        if text:
            text += "\n\n" if block.table else "\n"
        start = len(text)
        text += block.text
        if block.table:
            tables.append((start, len(text)))
        boxes.extend(replace(box, start=box.start + start, end=box.end + start) for box in block.boxes)
    first, last = blocks[0].first, blocks[-1].last
    if blocks[0] is section.blocks[0] and section.title:
        first = min(first, section.line)  # the heading stands with its first part
    title = section.title or document.section_title or document.file
    return Clause(
        id=f"{document.file}/{slug(' '.join((*section.path, title)))}",
        document=document,
        kind=Kind.PASSAGE,
        article=title,
        article_printed=title,
        title=title,
        text=text,
        page_start=blocks[0].page,
        page_end=max(max(block.page, block.page_end) for block in blocks),
        path=section.path,
        lines=tuple(boxes),
        tables=tuple(tables),
        file_lines=(first, last) if lines else None,
    )


def markdown_table(rows: list[list[str]]) -> str:
    """Rows of cell texts, the first one the header, as a Markdown table."""
    width = max(len(row) for row in rows)
    cells = [[" ".join(cell.split()).replace("|", "\\|") for cell in row] + [""] * (width - len(row)) for row in rows]
    head, *body = (f"| {' | '.join(row)} |" for row in cells)
    return "\n".join([head, "|" + " --- |" * width, *body])


def slug(text: str) -> str:
    """A readable part of an id: lower case, letters and digits, joined by hyphens."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-") or "text"
