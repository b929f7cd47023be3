"""Tables cell by cell against records typed from the pictures of the pages.

A cell of ``null`` belongs to the cell on its left or above it: the reader may repeat that cell's words or leave the
place empty. Headers of several rows are typed from top to bottom for each column. ``lines`` are the rows of a list
in columns without ruled lines.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from record_text import clause_words, squeezed, table_rows

from pipelines.schema import Clause, ReadResult

RECORDS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "records/tables.json").read_text(encoding="utf-8"))
TABLES = [record for record in RECORDS if "rows" in record]
LISTS = [record for record in RECORDS if "lines" in record]

Row = list[str]


def _name(record: dict[str, Any]) -> str:
    columns = len(record.get("header", ()))
    return f"{record['set']}-{record['article']}-p{record['page']}-{columns}-columns".replace(" ", "-")


def _clause(record: dict[str, Any], request: pytest.FixtureRequest) -> Clause:
    name = "february" if record["set"] == "2026-02-27" else "june"
    result: ReadResult = request.getfixturevalue(name)[record["section"]]
    wanted = record["article"], record.get("term", ""), record.get("year", "")
    found = [clause for clause in result.clauses if (clause.article, clause.term, clause.year) == wanted]
    assert len(found) == 1, f"{len(found)} clauses {wanted}"
    assert found[0].page_start <= record["page"] <= found[0].page_end
    return found[0]


@pytest.mark.real
@pytest.mark.parametrize("record", TABLES, ids=_name)
def test_table(record: dict[str, Any], request: pytest.FixtureRequest) -> None:
    clause = _clause(record, request)
    tables = [table_rows(clause.text[start:end]) for start, end in clause.tables]
    assert tables, f"{clause.article} holds no table"
    faults = [_faults(record, rows) for rows in tables]
    best = min(faults, key=len)
    assert not best, "\n".join(["", *best])


@pytest.mark.real
@pytest.mark.parametrize("record", LISTS, ids=_name)
def test_list_in_columns(record: dict[str, Any], request: pytest.FixtureRequest) -> None:
    text = squeezed(clause_words(_clause(record, request)))
    place = 0
    for line in record["lines"]:
        at = text.find(squeezed(line), place)
        assert at >= 0, f"not in its place: {line!r}"
        place = at + len(squeezed(line))


def _faults(record: dict[str, Any], rows: list[Row]) -> list[str]:
    """Every difference between a table that was read and the record; none where they are equal."""
    expected = record["rows"]
    header, body = rows[0], rows[1:]
    if len(header) != len(record["header"]):
        return [f"{len(header)} columns, not {len(record['header'])}: {header}"] + ["row"] * len(expected)
    faults = [f"{len(body)} rows, not {len(expected)}"] if len(body) != len(expected) else []
    faults += [f"header: {fault}" for fault in _row_faults([_heading(c) for c in record["header"]], header, None, True)]
    for number, (wanted, row) in enumerate(zip(expected, body, strict=False)):
        above = body[number - 1] if number else None
        faults += [f"row {number + 1}: {fault}" for fault in _row_faults(wanted, row, above, False)]
    return faults


def _heading(cell: str | None) -> str | None:
    """A header cell without the dash that may join its rows."""
    return None if cell is None else cell.replace("–", "")


def _row_faults(wanted: list[str | None], row: Row, above: Row | None, header: bool) -> list[str]:
    if len(row) != len(wanted):
        return [f"{len(row)} cells, not {len(wanted)}: {row}"]
    cells = [_heading(cell) or "" for cell in row] if header else row
    faults = []
    for column, (expected, cell) in enumerate(zip(wanted, cells, strict=True)):
        allowed = {squeezed(expected)} if expected is not None else _continued(cells, above, column)
        if squeezed(cell) not in allowed:
            faults.append(f"{cell!r}, not {expected!r}")
    return faults


def _continued(cells: Row, above: Row | None, column: int) -> set[str]:
    """What may stand where a cell goes on: nothing, or the words of the cell on the left or above."""
    left = {squeezed(cells[column - 1])} if column else set()
    return {"", *left, *({squeezed(above[column])} if above else set())}
