"""DOCX files, by python-docx: headings by style, deleted and struck words left out, inserted ones kept."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

import docx
from docx.oxml.ns import qn
from docx.table import Table
from docx.text.paragraph import Paragraph
from docx.text.run import Run

from pipelines.errors import DamagedFile, EncryptedFile
from pipelines.reading.documents.sections import Block, Outline, clauses_of, markdown_table
from pipelines.reading.documents.source import describe, read_bytes
from pipelines.schema import ReadResult

_COMPOUND_FILE = b"\xd0\xcf\x11\xe0"  # Word files with a password are wrapped so
_HEADING = re.compile(r"(?:Heading|Title)\s*(\d?)")


def read_docx(path: Path) -> ReadResult:
    """Read a Word file. It has no page numbers, so its ``lines`` are paragraphs, a table counting as one.

    Raises:
        EncryptedFile: the file wants a password.
        DamagedFile: the bytes are no Word file.
        NoText: the file has no words.
    """
    data = read_bytes(path)
    if data.startswith(_COMPOUND_FILE):
        raise EncryptedFile(f"{path.name}: the file wants a password or is an old .doc")
    try:
        word = docx.Document(io.BytesIO(data))
        parts = list(word.iter_inner_content())
    except (KeyError, ValueError, zipfile.BadZipFile, SyntaxError) as error:
        raise DamagedFile(f"{path.name}: not a readable Word file") from error
    outline = Outline()
    for number, part in enumerate(parts, 1):
        if isinstance(part, Table):
            outline.add(_table(part, number))
            continue
        text = words(part)
        style = _HEADING.match(part.style.name if part.style is not None and part.style.name else "")
        if style and text:
            outline.heading(int(style[1] or 1), text, number)
        else:
            bullet = "- " if text and _is_list_item(part) else ""
            outline.add(Block(bullet + text, number, number))
    title = next((section.title for section in outline.sections if section.title), "")
    document = describe(path, data, title)
    return ReadResult(document, clauses_of(document, outline.sections))


def words(paragraph: Paragraph) -> str:
    """A paragraph's words in force: runs of tracked insertions and links, none of deletions, none struck through."""
    found: list[str] = []
    for element in paragraph._p.iter(qn("w:r")):
        if any(parent.tag == qn("w:del") for parent in element.iterancestors()):
            continue
        run = Run(element, paragraph)
        if run.font.strike or run.font.double_strike or run.font.hidden:
            continue
        found.append(run.text)
    return " ".join("".join(found).split())


def _is_list_item(paragraph: Paragraph) -> bool:
    properties = paragraph._p.pPr
    style = paragraph.style.name if paragraph.style is not None else ""
    return (properties is not None and properties.numPr is not None) or bool(style and style.startswith("List"))


def _table(table: Table, number: int) -> Block:
    rows: list[list[str]] = []
    for row in table.rows:
        cells: list[str] = []
        seen: set[int] = set()
        for cell in row.cells:  # a merged cell is listed once a column
            text = " ".join(filter(None, (words(paragraph) for paragraph in cell.paragraphs)))
            cells.append("" if id(cell._tc) in seen else text)
            seen.add(id(cell._tc))
        rows.append(cells)
    return Block(markdown_table(rows) if any(any(row) for row in rows) else "", number, number, table=True)
