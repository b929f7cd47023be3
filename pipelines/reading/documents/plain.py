"""TXT files: headings by underline, number or capitals; paragraphs by blank lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from pipelines.reading.documents.sections import Block, Outline, clauses_of
from pipelines.reading.documents.source import decode, describe, read_bytes
from pipelines.schema import ReadResult

_UNDERLINE = re.compile(r"([=\-~#*^])\1{2,}\s*$")
_NUMBERED = re.compile(r"(?P<number>\d+(?:\.\d+)*)\.?\s+(?P<title>[A-Z][^.;:]{2,70})$")
_ITEM = re.compile(r"\s*(?:[-*•+]|\(?[0-9a-zA-Z]{1,4}[.)]|:[a-z]+ [^:]+:)\s+\S")


def read_plain(path: Path) -> ReadResult:
    """Read a text file.

    Raises:
        NoText: the file is empty.
        DamagedFile: the file is not text.
    """
    data = read_bytes(path)
    lines = decode(data, path.name).split("\n")
    outline = Outline()
    for first, last in paragraphs(lines):
        heading = _heading(lines, first, last)
        if heading:
            level, title, below = heading
            outline.heading(level, title, first + 1)
            first = below
        for block in blocks(lines, first, last):
            outline.add(block)
    document = describe(path, data)
    return ReadResult(document, clauses_of(document, outline.sections))


def paragraphs(lines: list[str], start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Runs of lines without a blank one between them: first index and the index after the last."""
    first: int | None = None
    stop = len(lines) if end is None else end
    for number in range(start, stop):
        if lines[number].strip():
            first = number if first is None else first
        elif first is not None:
            yield first, number
            first = None
    if first is not None:
        yield first, stop


def blocks(lines: list[str], first: int, last: int) -> Iterator[Block]:
    """The blocks of a paragraph: each list item one, wrapped lines joined; aligned lines kept as they are."""
    if first >= last:
        return
    run = lines[first:last]
    if any("  " in line.strip() or "\t" in line.strip() for line in run) and len(run) > 1:
        yield Block("\n".join(line.rstrip() for line in run), first + 1, last)
        return
    start = first
    for number in range(first + 1, last + 1):
        if number == last or _ITEM.match(lines[number]):
            yield Block(" ".join(line.strip() for line in lines[start:number]), start + 1, number)
            start = number


def _heading(lines: list[str], first: int, last: int) -> tuple[int, str, int] | None:
    """Level, title and the index of the line below a heading that opens a paragraph."""
    line = lines[first].strip()
    if last - first >= 2 and _UNDERLINE.match(lines[first + 1].strip()) and len(line) <= 120:
        return (1 if lines[first + 1].strip()[0] == "=" else 2), line, first + 2
    if last - first > 1:
        return None
    numbered = _NUMBERED.match(line)
    if numbered:
        return numbered["number"].count(".") + 1, line, last
    if line.isupper() and 3 <= len(line) <= 80 and len(line.split()) <= 12:
        return 1, line, last
    return None
