"""Markdown files, by markdown-it-py's tokens: each token knows its source lines."""

from __future__ import annotations

from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from pipelines.reading.documents.sections import Block, Outline, clauses_of, markdown_table
from pipelines.reading.documents.source import decode, describe, read_bytes
from pipelines.schema import ReadResult

_VERBATIM = {"fence", "code_block", "html_block"}


def read_markdown(path: Path) -> ReadResult:
    """Read a Markdown file (CommonMark with tables); front matter is left out.

    Raises:
        NoText: the file has no words.
        DamagedFile: the file is not text.
    """
    data = read_bytes(path)
    text = _without_front_matter(decode(data, path.name))
    outline = Outline()
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    tokens = parser.parse(text)
    number = 0
    while number < len(tokens):
        token = tokens[number]
        if token.type == "heading_open":
            outline.heading(int(token.tag[1:]), inline_text(tokens[number + 1]), token.map[0] + 1 if token.map else 1)
            number += 2
        elif token.type == "table_open":
            close = _close(tokens, number, "table_close")
            outline.add(_table(tokens[number:close], token))
            number = close
        elif token.type == "inline" and token.map:
            outline.add(Block(_marker(tokens, number) + inline_text(token), token.map[0] + 1, token.map[1]))
        elif token.type in _VERBATIM and token.map:
            first, last = token.map
            while last > first + 1 and not text.split("\n")[last - 1].strip():
                last -= 1
            outline.add(Block(token.content.rstrip("\n"), first + 1, last))
        number += 1
    document = describe(path, data, _title(outline))
    return ReadResult(document, clauses_of(document, outline.sections))


def inline_text(token: Token) -> str:
    """The words of an inline token: links and emphasis without their marks, struck words left out."""
    words: list[str] = []
    struck = 0
    for child in token.children or ():
        struck += (child.type == "s_open") - (child.type == "s_close")
        if struck:
            continue
        if child.type in ("text", "code_inline"):
            words.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            words.append(" ")
        elif child.type == "image":
            words.append(child.content)
    return " ".join("".join(words).split())


def _marker(tokens: list[Token], number: int) -> str:
    """The mark of the list item whose first paragraph this is, "" elsewhere."""
    if number >= 2 and tokens[number - 1].type == "paragraph_open" and tokens[number - 2].type == "list_item_open":
        item = tokens[number - 2]
        return f"{item.info}{item.markup} " if item.info else "- "
    return ""


def _close(tokens: list[Token], number: int, kind: str) -> int:
    return next(place for place in range(number, len(tokens)) if tokens[place].type == kind)


def _table(tokens: list[Token], token: Token) -> Block:
    rows: list[list[str]] = []
    for each in tokens:
        if each.type == "tr_open":
            rows.append([])
        elif each.type == "inline":
            rows[-1].append(inline_text(each))
    first, last = token.map or (0, 1)
    return Block(markdown_table(rows), first + 1, last, table=True)


def _without_front_matter(text: str) -> str:
    """Blank the YAML front matter, keeping line numbers."""
    lines = text.split("\n")
    if lines[0].strip() != "---":
        return text
    for number, line in enumerate(lines[1:], 1):
        if line.strip() == "---":
            return "\n" * (number + 1) + "\n".join(lines[number + 1 :])
    return text


def _title(outline: Outline) -> str:
    return next((section.title for section in outline.sections if section.title), "")
