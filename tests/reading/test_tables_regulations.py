"""Tables of the FIA's documents: cells typed from the pictures of the pages, and what holds on every page."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from pipelines.reading.fia.page import Page
from pipelines.reading.fia.tables import Table, find_tables, join_all

REGULATIONS = Path(__file__).parents[2] / "../shared/regulations"
TYPED = Path(__file__).parent / "typed_tables.txt"
FEBRUARY, JUNE = "2026-02-27", "2026-06-25"


def _file(section: str, date: str) -> Path:
    """The PDF of a section and date, or a skip where the documents are not at hand."""
    for file in sorted((REGULATIONS / date).glob("*.pdf")):
        match = re.search(r"section[ _]([a-f])[ _]", file.name, re.IGNORECASE)
        if match and match[1].upper() == section:
            return file
    pytest.skip(f"the FIA's documents of {date} are not in ../shared/regulations")


@cache
def _pages(section: str, date: str) -> list[Page]:
    import pymupdf

    from pipelines.reading.fia.glyphs import load_pages

    with pymupdf.open(_file(section, date)) as document:
        return load_pages(document)


@cache
def _joined(section: str, date: str) -> list[Table]:
    return join_all([table for page in _pages(section, date) for table in find_tables(page)])


@dataclass(frozen=True)
class Typed:
    """A table as typed: where it stands, whether all its rows are typed, its header and rows."""

    section: str
    date: str
    page: int
    article: str
    some: bool
    header: list[str]
    rows: list[list[str]]


def _typed() -> list[Typed]:
    records = []
    for block in re.split(r"^# ", TYPED.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        first, *lines = block.strip().splitlines()
        section, date, page, article = first.split(" ", 3)
        rows = [["" if cell == "~" else cell for cell in line.split(" | ")] for line in lines]
        header = rows[0] if len(rows[0]) > 1 else [""] * len(rows[1])
        some = article.endswith(" some")
        records.append(Typed(section, date, int(page), article.removesuffix(" some"), some, header, rows[1:]))
    return records


def _cells(line: str) -> list[str]:
    """The cells of a line of Markdown."""
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]


def _plain(row: list[str]) -> list[str]:
    return [" ".join(unicodedata.normalize("NFKC", cell).split()) for cell in row]


@pytest.mark.real
@pytest.mark.parametrize("typed", _typed(), ids=lambda typed: f"{typed.article}-{typed.date}-p{typed.page}")
def test_cells_typed_from_the_pictures(typed: Typed) -> None:
    tables = [table for table in _joined(typed.section, typed.date) if table.page <= typed.page <= table.page_end]
    found = [[_plain(_cells(line)) for line in table.markdown().splitlines()] for table in tables]
    found = [lines for lines in found if lines[0] == _plain(typed.header) and _plain(typed.rows[0]) in lines]
    assert len(found) == 1, [table.markdown().splitlines()[0] for table in tables]
    rows = found[0][2:]
    wanted = [_plain(row) for row in typed.rows]
    assert (rows if not typed.some else [row for row in rows if row in wanted]) == wanted


# How many tables begin or go on on which page, counted in the pictures.
COUNTED = {
    ("A", FEBRUARY): {10: 2, 11: 1, 54: 1, 70: 2, 81: 1},
    ("B", FEBRUARY): {55: 1, 56: 1, 86: 4, 87: 3, 88: 6},
    ("C", FEBRUARY): {
        **dict.fromkeys([48, 49, 50, 89, 110, 112, 163, 166, 167, 200, 201, 212, 214], 1),
        **{152: 2, 164: 2, 213: 2, 246: 2, 251: 1, 263: 1},
        **dict.fromkeys([*range(223, 232), *range(238, 246), 247, 248, 249], 1),
    },
    ("D", FEBRUARY): {8: 1, 50: 1},
    ("E", FEBRUARY): {6: 1, 17: 1, 45: 1, 56: 2},
    ("F", FEBRUARY): {16: 2, 17: 3, 25: 2},
    ("A", JUNE): {10: 2, 11: 1, 54: 1, 70: 2, 81: 1},
    ("B", JUNE): {56: 1, 57: 1, 86: 4, 87: 3, 88: 6},
    ("D", JUNE): {8: 1, 51: 1},
    ("E", JUNE): {6: 1, 17: 1, 18: 1, 48: 1, 60: 2},
    ("F", JUNE): {16: 2, 17: 3, 25: 2},
}


@pytest.mark.real
@pytest.mark.parametrize(("section", "date"), COUNTED, ids=lambda part: part)
def test_tables_of_a_document(section: str, date: str) -> None:
    """Every table and nothing else is found, and every glyph in its box is in one cell, or struck or furniture."""
    counted: dict[int, int] = {}
    for page in _pages(section, date):
        tables = find_tables(page)
        if tables:
            counted[page.number] = len(tables)
        owned = Counter(id(glyph) for table in tables for glyph in table.glyphs)
        assert not owned or max(owned.values()) == 1
        for glyph in page.glyphs:
            inside = any(
                table.x0 < (glyph.x0 + glyph.x1) / 2 < table.x1 and table.y0 < (glyph.y0 + glyph.y1) / 2 < table.y1
                for table in tables
            )
            left_out = glyph.struck or glyph.hidden or glyph.drop not in ("", "white_space")
            assert not inside or (id(glyph) in owned) is not left_out, (page.number, glyph)
        for table in tables:
            text, spans = table.layout()
            assert {id(cell) for cell, _, _ in spans} == {id(cell) for cell in table.cells if cell.text}
            assert all(text[start:end].replace("\\|", "|") == cell.text for cell, start, end in spans)
    assert counted == COUNTED[section, date]
