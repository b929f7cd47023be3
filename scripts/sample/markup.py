"""The light markup that the sample regulation is written in, and the blocks it is parsed into.

A source file opens with ``key: value`` lines up to ``---``; then one block follows another:

==========================  ==========================================================================
``# B1: TITLE``             an article; ``# APPENDIX B1: TITLE`` an appendix
``## B1.1 Title``           a sub-article; ``#### Changes for 2027`` or any other text a bold heading
``### B1.1.1 | Title``      a clause, its title optional; ``{id: C3.6.1}`` gives the id meant by an odd one
``@ Governance: ...``       a red line of governance or advisory committee
``= “**Term**” means``      a definition
``a. text``                 a lettered item; four spaces of indent a level; blank lines part paragraphs
``…/…``                     text left out, in an appendix of later years
``<table 90 60>``           ruled table with the widths of its columns, ``| a | b |`` rows, ``</table>``
``<columns>``               items in two columns, ``<next>`` between them, ``</columns>``
``<figure name>``           a drawing
==========================  ==========================================================================

Within text: ``{-struck-}`` and ``{+inserted+}`` in magenta, ``{=struck in black=}``, ``**bold**``, ``*term*``,
``{o:orange document}``, ``{g:green comment}``, ``{r:red governance}``, and ``[[printed|target]]`` for a reference.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text of one look. ``tone`` is black, changed, document, comment, governance or navy.

    ``reference`` is (kind, target) where the run is a cross-reference or a document's name.
    """

    text: str
    bold: bool = False
    term: bool = False
    tone: str = "black"
    struck: bool = False
    reference: tuple[str, str] | None = None


@dataclass(slots=True)
class Block:
    """One piece of a section in reading order; the layout adds the ``pages`` that it stands on."""

    kind: str
    id: str = ""
    number: list[Run] = field(default_factory=list)
    title: list[Run] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    marker: str = ""
    level: int = 0
    rows: list[list[str]] = field(default_factory=list)
    widths: list[float] = field(default_factory=list)
    columns: list[list[Block]] = field(default_factory=list)
    pages: set[int] = field(default_factory=set)

    @property
    def struck(self) -> bool:
        """True when every letter of the block is struck out."""
        return bool(self.runs) and all(run.struck for run in self.runs if run.text.strip())

    @property
    def inserted(self) -> bool:
        """True when every letter of the block is in the colour of this issue's changes."""
        return bool(self.runs) and all(run.tone == "changed" for run in self.runs if run.text.strip())


@dataclass(frozen=True, slots=True)
class Source:
    """A section's head (section, title, issue, date ...) and its blocks."""

    head: dict[str, str]
    blocks: list[Block]


REPLACED = re.compile(r"^\[Replaced by Article ([\w.]+)\]$")  # a comment that stands for its clause

_MODES = {"{-": ("-}", "changed", True), "{+": ("+}", "changed", False), "{=": ("=}", "black", True)}
_TONES = {"{o:": "document", "{g:": "comment", "{r:": "governance"}
_TOKEN = re.compile(r"\{[-+=]|[-+=]\}|\{[ogr]:|\}|\*\*|\*|\[\[.*?\]\]")
_ITEM = re.compile(r"(\{[-+=])?((?:[a-z]|[ivx]+)[.)]) +(?=\S)")


def inline(text: str) -> list[Run]:
    """Parse text with inline marks into runs; neighbouring runs differ in look."""
    runs: list[Run] = []
    look = Run("")
    stack: list[Run] = []
    position = 0
    for token in _TOKEN.finditer(text):
        runs.append(replace(look, text=text[position : token.start()]))
        position, mark = token.end(), token[0]
        if mark in _MODES:
            stack.append(look)
            look = replace(look, tone=_MODES[mark][1], struck=_MODES[mark][2])
        elif mark in _TONES:
            stack.append(look)
            look = replace(look, tone=_TONES[mark])
        elif mark.endswith("}"):
            look = stack.pop()
        elif mark == "**":
            look = replace(look, bold=not look.bold)
        elif mark == "*":
            look = replace(look, term=not look.term)
        else:
            printed, _, target = mark[2:-2].partition("|")
            runs.append(replace(look, text=printed, reference=_reference(printed, target)))
    runs.append(replace(look, text=text[position:]))
    if stack:
        raise ValueError(f"unclosed mark in {text!r}")
    return [
        replace(run, reference=("document", run.text)) if run.tone == "document" else run for run in runs if run.text
    ]


def _reference(printed: str, target: str) -> tuple[str, str]:
    if not target:
        target = re.sub(r"^Appendix ", "APP ", printed)
        target = re.sub(r"\(.*$|\.[a-z]$", "", target)
    return ("appendix" if target.startswith("APP") else "article"), target


def parse(text: str) -> Source:
    """Parse a source text.

    Raises:
        ValueError: a mark is not closed or a block is of no known kind.
    """
    top, _, body = text.partition("\n---\n")
    head = dict(re.split(r":\s*", line, maxsplit=1) for line in top.strip().splitlines())
    blocks: list[Block] = []
    lines = iter(body.splitlines())
    paragraph: list[str] = []

    def close() -> None:
        if paragraph:
            blocks.append(_paragraph(paragraph))
            paragraph.clear()

    for line in lines:
        opened = re.match(r"<(table|columns|figure)\b(.*)>", line)
        if opened or not line.strip() or line[0] in "#@" or line.startswith("…/…"):
            close()
            if opened:
                blocks.append(_special(opened[1], opened[2].split(), lines))
            elif line.strip():
                blocks.append(_line(line))
        else:
            if _ITEM.match(line.strip()) or line.startswith("= "):
                close()
            paragraph.append(line)
    close()
    return Source(head, blocks)


def read(path: Path) -> Source:
    """Parse the source file at ``path``."""
    return parse(path.read_text(encoding="utf-8"))


def _line(line: str) -> Block:
    mark, _, rest = line.partition(" ")
    if mark == "@":
        return Block("governance", runs=[replace(run, tone="governance") for run in inline(rest)])
    if line.startswith("…/…"):
        return Block("omission", runs=[Run("…/…", tone="omission")])
    if mark == "####":
        return Block("heading", id=rest if rest.startswith("Changes for") else "", title=inline(rest))
    if mark == "#":
        name, _, title = rest.partition(": ")
        kind = "appendix" if name.startswith("APPENDIX") else "article"
        return Block(kind, id=name.replace("APPENDIX", "APP"), title=inline(title))
    if mark not in ("##", "###"):
        raise ValueError(f"no such block: {line!r}")
    meant = re.search(r"\s*\{id: (\S+)\}", rest)
    rest = rest.replace(meant[0], "") if meant else rest
    number, _, title = rest.partition(" | " if mark == "###" else " ")
    runs = inline(number)
    printed = "".join(run.text for run in runs if not run.struck)
    kind = "sub-article" if mark == "##" else "clause"
    return Block(kind, id=meant[1] if meant else printed, number=runs, title=inline(title))


def _paragraph(lines: list[str]) -> Block:
    level = (len(lines[0]) - len(lines[0].lstrip())) // 4
    text = " ".join(line.strip() for line in lines)
    if text.startswith("= "):
        return Block("definition", runs=inline(text[2:]))
    item = _ITEM.match(text)
    if item:
        text = (item[1] or "") + text[item.end() :]
    return Block("paragraph", runs=inline(text), marker=item[2] if item else "", level=level)


def _special(kind: str, arguments: list[str], lines: Iterator[str]) -> Block:
    if kind == "figure":
        return Block("figure", id=arguments[0])
    inside: list[str] = []
    for line in lines:
        if line == f"</{kind}>":
            break
        inside.append(line)
    if kind == "table":
        rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in inside]
        return Block("table", rows=rows, widths=[float(argument) for argument in arguments])
    split = inside.index("<next>")
    halves = (inside[:split], inside[split + 1 :])
    return Block("columns", columns=[parse("\n---\n" + "\n".join(half)).blocks for half in halves])
