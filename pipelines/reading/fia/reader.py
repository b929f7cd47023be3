"""An FIA regulation read from PDF: pages to glyphs to lines to articles to clauses."""

from __future__ import annotations

import hashlib
import re
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pymupdf

from pipelines.errors import DamagedFile, EncryptedFile, NoText, UnknownFormat
from pipelines.reading.fia import ligatures
from pipelines.reading.fia.account import LOST, account
from pipelines.reading.fia.builder import Builder
from pipelines.reading.fia.colors import read_palette
from pipelines.reading.fia.furniture import drop_furniture
from pipelines.reading.fia.glyphs import load_pages
from pipelines.reading.fia.identity import Identity, identify
from pipelines.reading.fia.layers import drop_layers
from pipelines.reading.fia.lines import Item, Line, read_items
from pipelines.reading.fia.marks import mark_runs
from pipelines.reading.fia.page import Page
from pipelines.reading.fia.tables import Table, find_tables, join_all
from pipelines.reading.fia.tree import Tree
from pipelines.schema import Document, ReadResult

# Fewer inked characters a page than this is a scan or an empty file.
_LEAST_INK = 20
_LETTERED = re.compile(r"^ARTICLE\s+[A-F]\d")
_PLAIN_ARTICLE = re.compile(r"^ARTICLE\s+\d", re.IGNORECASE)


class NotARegulation(UnknownFormat):
    """Raised for a PDF with text that is no FIA regulation: another reader may take it."""


def read_regulation(path: Path) -> ReadResult:
    """Read one FIA regulation.

    Raises:
        DamagedFile: the bytes are no readable PDF.
        EncryptedFile: the PDF wants a password.
        NoText: the PDF holds no text layer.
        NotARegulation: it holds text, but no regulation's.
    """
    started = time.perf_counter()
    data = path.read_bytes()
    pages = _load(path, data)
    for page in pages:
        drop_layers(page)
    ligatures.mend(pages)
    drop_furniture(pages)
    identity = identify(pages)
    if identity is None:
        raise NotARegulation(f"{path.name} is no FIA regulation")
    document = _document(path, data, identity, len(pages))
    result = _read(pages, document)
    return ReadResult(
        document=document,
        clauses=result.clauses,
        headings=result.headings,
        account=result.account,
        warnings=result.warnings,
        cross_references=result.cross_references,
        seconds=round(time.perf_counter() - started, 3),
    )


def _load(path: Path, data: bytes) -> list[Page]:
    if not data:
        raise NoText(f"{path.name} is empty")
    try:
        with pymupdf.open(stream=data, filetype="pdf") as source:
            if source.needs_pass:
                raise EncryptedFile(f"{path.name} wants a password")
            if source.page_count == 0:
                raise DamagedFile(f"{path.name} has no pages")
            pages = load_pages(source)
    except (pymupdf.FileDataError, pymupdf.mupdf.FzErrorBase, RuntimeError, ValueError) as error:
        raise DamagedFile(f"{path.name} is no readable PDF") from error
    ink = sum(not glyph.raw.isspace() for page in pages for glyph in page.glyphs if not glyph.hidden)
    if ink < _LEAST_INK * min(len(pages), 5):
        raise NoText(f"{path.name} is scanned: it holds no text layer")
    return pages


def _document(path: Path, data: bytes, identity: Identity, pages: int) -> Document:
    return Document(
        file=path.name,
        sha256=hashlib.sha256(data).hexdigest(),
        kind="regulation",
        section=identity.section,
        section_title=identity.title,
        issue=identity.issue,
        date=identity.date,
        season=identity.season,
        pages=pages,
        path=str(path.resolve()),
    )


def _read(pages: list[Page], document: Document) -> ReadResult:
    palette = read_palette(pages)
    items = _items(pages)
    mark_runs(items, palette)
    lines = [item for item in items if isinstance(item, Line) and item.ink]
    lettered = _is_lettered(lines)
    tree = Tree(items, letter=document.section, lettered=lettered)
    if not any(block.numbered for block in tree.blocks):
        raise NotARegulation(f"{document.file} has no numbered articles")
    builder = Builder(document, tree, palette, lettered)
    builder.build()
    accounted = account(pages, builder.placed)
    if lost := accounted.dropped.get(LOST):
        builder.warnings.append(f"{lost} characters are in no clause")
    return ReadResult(
        document=document,
        clauses=tuple(builder.clauses),
        headings=tuple(builder.headings),
        account=accounted,
        warnings=tuple(builder.warnings),
        cross_references=tuple(tree.references),
    )


def _items(pages: list[Page]) -> list[Item]:
    """Every line, table and figure of the document in reading order; a table over a page break stands once."""
    tables = join_all([table for page in pages for table in find_tables(page)])
    starting: dict[int, list[Table]] = {}
    for table in tables:
        starting.setdefault(table.page, []).append(table)
    taken = {id(glyph) for table in tables for glyph in table.glyphs}
    right = _right_edge(pages)
    return [
        item for page in pages for item in read_items(page, starting.get(page.number, []), taken=taken, right=right)
    ]


def _right_edge(pages: Iterable[Page]) -> float:
    """The x at which most lines end: the right edge of the text area."""
    ends: dict[tuple[int, int], float] = {}
    for page in pages:
        for glyph in page.glyphs:
            if not glyph.drop and not glyph.raw.isspace():
                key = page.number, round(glyph.baseline)
                ends[key] = max(ends.get(key, 0.0), glyph.x1)
    edges = Counter(round(end) for end in ends.values())
    return float(edges.most_common(1)[0][0]) if edges else 0.0


def _is_lettered(lines: Iterable[Line]) -> bool:
    """True when articles carry their section's letter."""
    texts = [line.text for line in lines]
    lettered = sum(bool(_LETTERED.match(text)) for text in texts)
    return lettered > 0 or not any(_PLAIN_ARTICLE.match(text) for text in texts)
