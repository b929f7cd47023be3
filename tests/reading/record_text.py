"""What the page and table records are compared with: a clause's words without layout, its tables as cells."""

from __future__ import annotations

import re
import unicodedata

from pipelines.schema import Clause

_EMPHASIS = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_TAG = re.compile(r"</?(?:sub|sup|b|i|em|strong)>")
_SEPARATOR = re.compile(r"[|\s:-]+")


def words(text: str) -> str:
    """The text after NFKC with white space folded."""
    return " ".join(unicodedata.normalize("NFKC", text).split())


def squeezed(text: str) -> str:
    """The text after NFKC without any white space: what a table's cell is compared by."""
    return "".join(unicodedata.normalize("NFKC", text).split())


def clause_words(clause: Clause) -> str:
    """A clause's words in reading order, each table cell by cell."""
    parts: list[str] = []
    done = 0
    for start, end in clause.tables:
        parts.append(clause.text[done:start])
        parts.extend(" ".join(cell for cell in row if cell) for row in table_rows(clause.text[start:end]))
        done = end
    parts.append(clause.text[done:])
    return words("\n".join(parts))


def table_rows(markdown: str) -> list[list[str]]:
    """The cells of a Markdown table, header first, without emphasis; a line break in a cell is a space."""
    lines = [line.strip() for line in markdown.strip().splitlines() if line.strip()]
    return [_cells(line) for number, line in enumerate(lines) if number != 1 or not _SEPARATOR.fullmatch(line)]


def _cells(line: str) -> list[str]:
    cells = re.split(r"(?<!\\)\|", line.removeprefix("|").removesuffix("|"))
    return [_plain(cell) for cell in cells]


def _plain(cell: str) -> str:
    text = re.sub(r"<br\s*/?>", " ", cell)
    text = _EMPHASIS.sub(r"\2", _TAG.sub("", text))
    return words(re.sub(r"\\([\\|*_<>`])", r"\1", text))
