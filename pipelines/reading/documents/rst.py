"""reStructuredText files: sections by docutils, blocks by their source lines, described objects as sections."""

from __future__ import annotations

import re
from pathlib import Path

from docutils import frontend, nodes, utils
from docutils.parsers.rst import Parser

from pipelines.reading.documents.plain import blocks, paragraphs
from pipelines.reading.documents.sections import Block, Outline, clauses_of
from pipelines.reading.documents.source import decode, describe, read_bytes
from pipelines.schema import ReadResult

_OBJECT = re.compile(
    r"\.\. (?:[a-z]+:)?(?:function|class|method|attribute|data|exception|module|option|envvar|confval)::\s*(\S.*)"
)
_LITERAL = re.compile(r"\.\. (?:code-block|code|sourcecode|parsed-literal|highlight)::")
_HIDDEN = re.compile(r"\.\. (?:_[^:]+:|image::|figure::|toctree::|raw::|contents::|meta::|\|[^|]+\| )")
_ROLE = re.compile(r":(?:[a-z]+:)?[a-z]+:`~?([^`<]+?)(?:\s*<[^`>]*>)?`")
_LINK = re.compile(r"`([^`<]+?)\s*<[^`>]*>`__?")


def read_rst(path: Path) -> ReadResult:
    """Read a reStructuredText file; Sphinx directives and roles it does not know are kept as their words.

    Raises:
        NoText: the file has no words.
        DamagedFile: the file is not text.
    """
    data = read_bytes(path)
    text = decode(data, path.name)
    lines = [line.expandtabs(4) for line in text.split("\n")]
    headings = section_lines(text, lines)
    outline = Outline()
    starts = [first for first, _, _, _ in headings]
    for block in _body(lines, 0, starts[0] if starts else len(lines)):
        outline.add(block)
    for number, (first, below, level, title) in enumerate(headings):
        outline.heading(level, title, first + 1)
        end = starts[number + 1] if number + 1 < len(starts) else len(lines)
        _section(outline, lines, below, end, level)
    document = describe(path, data, headings[0][3] if headings else "")
    return ReadResult(document, clauses_of(document, outline.sections))


def section_lines(text: str, lines: list[str]) -> list[tuple[int, int, int, str]]:
    """Sections in order: index of the heading's first line, of the first line below it, level from 1, title."""
    settings = frontend.get_default_settings(Parser)
    settings.report_level = 5  # unknown Sphinx directives are no concern here
    settings.halt_level = 6
    settings.file_insertion_enabled = False
    settings.raw_enabled = False
    tree = utils.new_document("source", settings)
    Parser().parse(text, tree)
    found = []
    for section in tree.findall(nodes.section):
        title = section[0]
        assert isinstance(title, nodes.title)
        place = (section.line or title.line or 1) - 1
        while place > 0 and lines[place].strip() != title.rawsource.strip():
            place -= 1
        below = place + 2
        first = place - 1 if place and _is_overline(lines[place - 1], lines[place + 1]) else place
        found.append((first, below, _depth(section), title.astext()))
    return found


def _depth(section: nodes.Node) -> int:
    depth = 0
    node: nodes.Node | None = section
    while node is not None:
        depth += isinstance(node, nodes.section)
        node = node.parent
    return depth


def _is_overline(above: str, under: str) -> bool:
    return bool(above.strip()) and above.strip() == under.strip()


def _section(outline: Outline, lines: list[str], start: int, end: int, level: int) -> None:
    """Add a section's blocks; a described object (``.. py:function::``) opens a section of its own."""
    objects = [
        number
        for number in range(start, end)
        if _OBJECT.match(lines[number].strip()) and not lines[number].startswith(" ")
    ]
    for block in _body(lines, start, objects[0] if objects else end):
        outline.add(block)
    for place, first in enumerate(objects):
        match = _OBJECT.match(lines[first].strip())
        assert match is not None
        outline.heading(level + 1, match[1].split("(")[0].strip(), first + 1)
        stop = objects[place + 1] if place + 1 < len(objects) else end
        outline.add(Block(match[1].strip(), first + 1, first + 1))
        for block in _body(lines, first + 1, stop):
            outline.add(block)


def _body(lines: list[str], start: int, end: int) -> list[Block]:
    found: list[Block] = []
    indent = -1  # of the open literal block
    for first, last in paragraphs(lines, start, end):
        margin = len(lines[first]) - len(lines[first].lstrip())
        opening = lines[first].strip()
        if indent >= 0 and margin > indent:
            found.append(Block("\n".join(line.rstrip() for line in lines[first:last]), first + 1, last))
            continue
        indent = -1
        if _LITERAL.match(opening) or lines[last - 1].rstrip().endswith("::"):
            indent = len(lines[last - 1]) - len(lines[last - 1].lstrip())
            if _LITERAL.match(opening):
                indent = margin
                found.extend(_literal(lines, first + 1, last))
                continue
        if _HIDDEN.match(opening):
            continue
        if opening.startswith(("+--", "+==", "===")):
            found.append(Block("\n".join(line.rstrip() for line in lines[first:last]), first + 1, last))
            continue
        found.extend(
            Block(_plain(block.text), block.first, block.last) for block in blocks(lines, first, last) if block.text
        )
    return found


def _literal(lines: list[str], first: int, last: int) -> list[Block]:
    """What stands right below a code directive without a blank line, without its options."""
    while first < last and lines[first].strip().startswith(":"):
        first += 1
    return [Block("\n".join(line.rstrip() for line in lines[first:last]), first + 1, last)] if first < last else []


def _plain(text: str) -> str:
    """Words without roles, links and emphasis marks."""
    text = _LINK.sub(r"\1", _ROLE.sub(r"\1", text))
    text = re.sub(r"\*\*([^*\n]+)\*\*", r"\1", text)
    text = re.sub(r"``([^`\n]+)``", r"\1", text)
    return re.sub(r"::$", ":", re.sub(r"^\.\. (?:note|warning|tip|important|hint|caution|seealso)::\s*", "", text))
