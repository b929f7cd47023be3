"""A clause cut into the pieces an answer is made of: sentences, lettered items under their lead-in, table rows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from pipelines.schema import Clause

# "a.", "(iv)", "B)", "2." and bullets; "(10) minutes" at the start of a line is a number, no marker
MARKER = re.compile(r"(?:\(?(?P<mark>[a-z]{1,2}|[ivx]{3,5}|[A-Z]|(?<!\()\d{1,2})[.)]|(?P<bullet>[•▪◦\-–o]))(?=\s)\s*")
_BULLETS = "•▪◦-–"
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv", "xvi")
_END = re.compile(r"(?<=[.!?;:])[”\"’)]*\s+(?=[A-Z“\"(\[€0-9])")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|approx|art|no|nos|cf|vs|incl|max|min|fig|ref|para|resp|dr|mr|mrs|st|[a-z])\.)$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of a clause's text that can stand in an answer.

    ``start`` and ``end`` are offsets into :attr:`Clause.text`; ``under`` holds the positions, in the clause's list of
    pieces, of what it must be shown under: its lead-in, the items above it, the header of its table, outermost first.
    """

    start: int
    end: int
    kind: str  # "sentence", "item", "header" or "row"
    under: tuple[int, ...] = ()
    lead: bool = False  # ends in a colon or is followed by items: says little alone


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Item:
    """An item that is still open: how it is marked, and the positions of its first piece and of its last so far."""

    style: str
    mark: str
    first: int
    last: int


def pieces(clause: Clause) -> tuple[Piece, ...]:
    """The pieces of a clause in reading order; together they cover its words. An empty clause has none."""
    found: list[Piece] = []
    items: list[_Item] = []  # from the outermost to the innermost that is open
    base: int | None = None  # the sentence that leads into the items
    left: tuple[list[_Item], int | None] = ([], None)  # the list that plain words interrupt; it may go on after them
    lines = _lines(clause.text)
    marks = [_mark(clause.text, line) for line in lines]
    for number, line in enumerate(lines):
        if (table := _table_at(clause, line.start)) is not None:
            lead = items[-1].last if items else (len(found) - 1 if found and found[-1].kind != "row" else None)
            _add_row(clause.text, line, table, lead, found)
            continue
        spans = sentences(clause.text, line.start, line.end)
        mark = marks[number]
        if not mark and items and clause.text[line.start].islower():  # goes on with what the items belong to
            under = found[items[-1].first].under
            found.extend(Piece(start, end, "sentence", under) for start, end in spans)
            continue
        if not mark:
            left = (items, base) if items else left
            items = []
            found.extend(Piece(start, end, "sentence") for start, end in spans)
            base = len(found) - 1 if clause.text[line.end - 1] not in ".;" else None
            continue
        if not items and any(_follows(mark, item) for item in left[0]):
            items, base = left
        following = next((after for after in marks[number + 1 :] if after), "")
        style = _style(mark, items, following)
        while any(item.style == style for item in items):
            items.pop()
        above = [position for item in items for position in dict.fromkeys((item.first, item.last))]
        under = tuple(above if base is None else (base, *above))
        first = len(found)
        found.append(Piece(*spans[0], "item", under))
        found.extend(Piece(*span, "sentence", (*under, first)) for span in spans[1:])
        items.append(_Item(style, mark, first, len(found) - 1))
    return _mark_leads(clause.text, found)


def sentences(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The sentences of ``text[start:end]`` as spans without the white space around them."""
    cuts = [start]
    body = MARKER.match(text, start, end)
    first = body.end() if body else start
    for gap in _END.finditer(text, first, end):
        before = text[first : gap.start()]
        if text[gap.start() - 1 : gap.start()] in ";:" or _ABBREVIATION.search(before.rstrip('”"’)')):
            continue
        cuts.append(gap.end())
    cuts.append(end)
    spans = []
    for left, right in pairwise(cuts):
        piece = text[left:right]
        stripped = piece.strip()
        if stripped:
            offset = left + piece.index(stripped[0])
            spans.append((offset, offset + len(stripped)))
    return spans


def cells(row: str) -> list[str]:
    """The cells of one Markdown table row; empty cells are kept as ""."""
    return [cell.replace("\\|", "|").strip() for cell in re.split(r"(?<!\\)\|", row.strip()[1:-1])]


def is_rule(row: str) -> bool:
    """Whether a Markdown table line is the rule under the header."""
    return bool(re.fullmatch(r"\s*\|?(?:\s*(?:-{2,}|:-+:?|-+:)\s*\|?)+\s*", row))


def _lines(text: str) -> list[_Line]:
    """The lines of a text that hold more than white space."""
    found, position = [], 0
    for line in text.splitlines(keepends=True):
        stripped = line.strip()
        if stripped:
            start = position + line.index(stripped[0])
            found.append(_Line(start, start + len(stripped)))
        position += len(line)
    return found


def _table_at(clause: Clause, offset: int) -> tuple[int, int] | None:
    return next((span for span in clause.tables if span[0] <= offset < span[1]), None)


def _add_row(text: str, line: _Line, table: tuple[int, int], lead: int | None, found: list[Piece]) -> None:
    """Add a table line: the first one is the header, the rule joins it, every other is a row under both."""
    header = next((i for i, piece in enumerate(found) if piece.kind == "header" and piece.start >= table[0]), None)
    if header is None:
        under = () if lead is None else (*found[lead].under, lead)
        found.append(Piece(line.start, line.end, "header", under, lead=True))
    elif is_rule(text[line.start : line.end]):
        old = found[header]
        found[header] = Piece(old.start, line.end, "header", old.under, lead=True)
    else:
        found.append(Piece(line.start, line.end, "row", (*found[header].under, header)))


def _mark(text: str, line: _Line) -> str:
    """The marker that a line begins with; "" where it begins with none."""
    marker = MARKER.match(text, line.start, line.end)
    if marker is None:
        return ""
    return marker.group("mark") or marker.group("bullet").replace("o", "•")


def _style(mark: str, items: list[_Item], following: str) -> str:
    """The numbering style of a marker, its own sign for a bullet.

    An "i" after "h" goes on with letters unless "ii" is the next marker; any other "i" begins Roman numbers.
    """
    if mark.isdigit():
        return "1"
    if mark in _BULLETS:
        return mark
    if mark.isupper():
        return "A"
    if mark not in _ROMAN:
        return "a"
    open_styles = {item.style: item.mark for item in items}
    place = _ROMAN.index(mark)
    if "i" in open_styles and place > 0 and open_styles["i"] == _ROMAN[place - 1]:
        return "i"
    if mark == "i" and following == "ii":
        return "i"
    if "a" in open_styles and len(mark) == 1 and ord(mark) == ord(open_styles["a"][0]) + 1:
        return "a"
    return "i" if mark == "i" or "i" in open_styles else "a"


def _follows(mark: str, item: _Item) -> bool:
    """Whether a marker is the next one after an item's: (iv) after (iii), h after g, 5 after 4."""
    if mark.isdigit() or item.mark.isdigit():
        return mark.isdigit() and item.mark.isdigit() and int(mark) == int(item.mark) + 1
    if item.style == "i":
        return mark in _ROMAN[1:] and _ROMAN[_ROMAN.index(mark) - 1] == item.mark
    return len(mark) == len(item.mark) == 1 and item.style in ("a", "A") and ord(mark) == ord(item.mark) + 1


def _mark_leads(text: str, found: list[Piece]) -> tuple[Piece, ...]:
    """Mark the pieces that only lead into others."""
    used = {position for piece in found for position in piece.under}
    marked = []
    for position, piece in enumerate(found):
        lead = piece.lead or (
            position in used and text[piece.start : piece.end].rstrip().endswith((":", ",", "–", "-"))
        )
        marked.append(Piece(piece.start, piece.end, piece.kind, piece.under, lead))
    return tuple(marked)
