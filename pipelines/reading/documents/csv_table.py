"""CSV files: runs of rows, each a Markdown table under the file's header row."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from pipelines.errors import DamagedFile
from pipelines.reading.documents.sections import Block, Outline, clauses_of, markdown_table
from pipelines.reading.documents.source import decode, describe, read_bytes
from pipelines.schema import ReadResult

ROWS = 12
"""Rows of one passage: few enough to stand beside an answer, each run under the header row."""


def read_csv(path: Path) -> ReadResult:
    """Read a CSV file; the delimiter is found by csv.Sniffer among comma, semicolon, tab and bar.

    Raises:
        NoText: the file is empty.
        DamagedFile: the file is not text, or no CSV.
    """
    data = read_bytes(path)
    text = decode(data, path.name)
    try:
        dialect: type[csv.Dialect] = csv.Sniffer().sniff(text[:8192], delimiters=",;\t|")
    except csv.Error:
        dialect = csv.excel  # one column, or too few lines to tell
    reader = csv.reader(io.StringIO(text), dialect, strict=True)
    rows: list[tuple[int, int, list[str]]] = []
    before = 0
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                rows.append((before + 1, reader.line_num, row))
            before = reader.line_num
    except csv.Error as error:
        raise DamagedFile(f"{path.name}: line {reader.line_num}: {error}") from error
    head, body = rows[0], rows[1:]
    outline = Outline()
    for start in range(0, len(body), ROWS):
        run = body[start : start + ROWS]
        outline.heading(1, f"lines {run[0][0]} to {run[-1][1]}", run[0][0])
        table = markdown_table([head[2], *(row for _, _, row in run)])
        outline.add(Block(table, run[0][0], run[-1][1], table=True))
    if not body:
        outline.add(Block(markdown_table([head[2]]), head[0], head[1], table=True))
    document = describe(path, data)
    return ReadResult(document, clauses_of(document, outline.sections))
