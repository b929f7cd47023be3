"""PDFs that are no regulation: paragraphs by MuPDF's blocks, headings by size and weight, tables by their rules."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pymupdf

from pipelines.errors import DamagedFile, EncryptedFile, NoText
from pipelines.reading.documents.sections import Block, Outline, clauses_of
from pipelines.reading.documents.source import describe, read_bytes
from pipelines.reading.fia.glyphs import load_page
from pipelines.reading.fia.tables import Table, find_tables
from pipelines.schema import LineBox, ReadResult

_STRUCK = 1  # bit of a span's char_flags
_BOLD = 16  # bit of a span's flags
_LARGER = 1.12  # times the body's size: a heading
_LONGEST_HEADING = 14  # words
_BAND = 0.09  # of the page's height at top and bottom: where headers and footers stand
_FLAGS = pymupdf.TEXT_COLLECT_STYLES | pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP
_Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    box: _Box
    size: float
    bold: bool


@dataclass(frozen=True, slots=True)
class _Paragraph:
    page: int
    lines: tuple[_Line, ...]

    @property
    def text(self) -> str:
        return " ".join(line.text for line in self.lines)


def read_plain_pdf(path: Path) -> ReadResult:
    """Read any PDF with a text layer; struck-out words, and headers and footers that recur, are left out.

    Raises:
        DamagedFile: the bytes are no readable PDF.
        EncryptedFile: the PDF wants a password.
        NoText: the PDF is empty or scanned.
    """
    data = read_bytes(path)
    outline = Outline()
    try:
        with pymupdf.open(stream=data, filetype="pdf") as pdf:
            if pdf.needs_pass:
                raise EncryptedFile(f"{path.name}: the file wants a password")
            pages = pdf.page_count
            found = [(page.number + 1, page.rect.height, *_content(page)) for page in pdf]
    except (pymupdf.FileDataError, RuntimeError, ValueError) as error:
        raise DamagedFile(f"{path.name}: not a readable PDF") from error
    recurring = _recurring(found)
    paragraphs = [paragraph for _, _, each, _ in found for paragraph in each]
    body = _body_size(paragraphs)
    levels = _levels(paragraphs, body)
    for number, height, each, tables in found:
        kept = (p for p in each if not (_key(p) in recurring and _in_band(p, height)))
        for piece in _in_order(kept, tables):
            if isinstance(piece, _Paragraph) and (level := _heading(piece, body, levels)):
                outline.heading(level, piece.text, number)
            else:
                outline.add(_block(piece, number))
    if not any(section.blocks for section in outline.sections):
        raise NoText(f"{path.name}: the file is scanned or empty, it holds no text layer")
    title = next((section.title for section in outline.sections if section.title), "")
    document = describe(path, data, title, pages)
    return ReadResult(document, clauses_of(document, outline.sections, lines=False))


def _content(page: pymupdf.Page) -> tuple[list[_Paragraph], list[Table]]:
    """A page's paragraphs outside its tables, and its tables."""
    tables = find_tables(load_page(page)) if page.get_cdrawings() else []
    for table in tables:
        table.header_rows = table.header_rows or 1  # a Markdown table has a header, marked on the page or not
    boxes = [pymupdf.Rect(table.x0, table.y0, table.x1, table.y1) for table in tables]
    paragraphs = []
    for block in page.get_text("dict", flags=_FLAGS)["blocks"]:
        middle = pymupdf.Point((block["bbox"][0] + block["bbox"][2]) / 2, (block["bbox"][1] + block["bbox"][3]) / 2)
        if any(middle in box for box in boxes):
            continue
        lines = tuple(filter(None, map(_line, block.get("lines", ()))))
        paragraphs += [_Paragraph(page.number + 1, run) for run in _runs(lines)]
    return paragraphs, tables


def _line(line: dict[str, Any]) -> _Line | None:
    spans = [span for span in line["spans"] if not span["char_flags"] & _STRUCK and span["text"].strip()]
    text = " ".join("".join(span["text"] for span in line["spans"] if not span["char_flags"] & _STRUCK).split())
    if not text:
        return None
    size = max(span["size"] for span in spans)
    return _Line(text, tuple(line["bbox"]), size, all(span["flags"] & _BOLD for span in spans))


def _runs(lines: tuple[_Line, ...]) -> Iterator[tuple[_Line, ...]]:
    """Lines of one look: a heading that MuPDF put in one block with its text is cut off."""
    start = 0
    for number in range(1, len(lines) + 1):
        end = number == len(lines)
        if end or abs(lines[number].size - lines[start].size) > 0.5 or lines[number].bold != lines[start].bold:
            yield lines[start:number]
            start = number


def _key(paragraph: _Paragraph) -> str:
    return re.sub(r"\d+", "#", paragraph.text)


def _in_band(paragraph: _Paragraph, height: float) -> bool:
    return paragraph.lines[-1].box[3] < height * _BAND or paragraph.lines[0].box[1] > height * (1 - _BAND)


def _recurring(found: list[tuple[int, float, list[_Paragraph], list[Table]]]) -> set[str]:
    """What stands at the top or bottom of at least half of three pages or more, numbers aside."""
    counts = Counter(key for _, height, each, _ in found for key in {_key(p) for p in each if _in_band(p, height)})
    return {key for key, count in counts.items() if count >= max(3, len(found) / 2)}


def _body_size(paragraphs: Iterable[_Paragraph]) -> float:
    sizes: Counter[float] = Counter()
    for paragraph in paragraphs:
        for line in paragraph.lines:
            sizes[round(line.size, 1)] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _is_heading(paragraph: _Paragraph, body: float) -> bool:
    text = paragraph.text
    if len(text.split()) > _LONGEST_HEADING or not re.search(r"[^\W\d]", text) or text.endswith((".", ",", ";", ":")):
        return False
    first = paragraph.lines[0]
    return first.size > body * _LARGER or (first.bold and first.size >= body * 0.98)


def _levels(paragraphs: Iterable[_Paragraph], body: float) -> dict[float, int]:
    """Levels by size, the largest first."""
    sizes = {round(p.lines[0].size, 1) for p in paragraphs if _is_heading(p, body)}
    return {size: level for level, size in enumerate(sorted(sizes, reverse=True), 1)}


def _heading(paragraph: _Paragraph, body: float, levels: dict[float, int]) -> int:
    return levels[round(paragraph.lines[0].size, 1)] if _is_heading(paragraph, body) else 0


def _in_order(paragraphs: Iterable[_Paragraph], tables: Iterable[Table]) -> Iterator[_Paragraph | Table]:
    """Paragraphs in content order, each table before the first paragraph that stands below it."""
    left = sorted(tables, key=lambda table: table.y0)
    for paragraph in paragraphs:
        while left and left[0].y0 < paragraph.lines[0].box[1]:
            yield left.pop(0)
        yield paragraph
    yield from left


def _block(piece: _Paragraph | Table, page: int) -> Block:
    boxes: list[LineBox] = []
    if isinstance(piece, Table):
        text, cells = piece.layout()
        for cell, start, end in cells:
            inked = [glyph for glyph in cell.glyphs if not glyph.raw.isspace()]
            if inked:
                left, top = min(glyph.x0 for glyph in inked), min(glyph.y0 for glyph in inked)
                right, bottom = max(glyph.x1 for glyph in inked), max(glyph.y1 for glyph in inked)
                boxes.append(LineBox(page, left, top, right, bottom, start, end))
        return Block(text, page, page, table=True, page=page, boxes=tuple(boxes))
    start = 0
    for line in piece.lines:
        boxes.append(LineBox(page, *line.box, start, start + len(line.text)))
        start += len(line.text) + 1
    return Block(piece.text, page, page, page=page, boxes=tuple(boxes))
