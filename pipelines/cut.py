"""Cutting a clause that is too long for a model's window, without losing a word.

It is cut where the law itself is: at lettered items, each part led by the clause's lead-in and by the item it belongs
to; a table between rows, each part led by its header; what is still too long between sentences, words, then letters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

Count = Callable[[str], int]
Fits = Callable[[str], bool]

_LABEL = re.compile(r"\(?(?P<label>[a-z]{1,2}|[ivxl]{1,5}|\d{1,2})[.)]\s|(?P<bullet>[•–\-])\s", re.IGNORECASE)
_ROMAN = re.compile(r"[ivxl]+", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.;:!?])\s+(?=[A-Z(“\"‘0-9])|(?<=;)\s+")
_CONTEXT_SHARE = 3
"""What stands again above a part may take up to one in this many of its tokens."""


@dataclass(frozen=True, slots=True)
class _Unit:
    """A piece of the text. ``context`` stands again above it where it opens a part; ``glue`` joins it to the last."""

    text: str
    context: tuple[str, ...] = ()
    glue: str = "\n"


def cut(text: str, tables: Sequence[tuple[int, int]], fits: Fits) -> list[str]:
    """The text in parts that fit, in order; every word of it is in at least one part.

    Args:
        text: a clause's words; items and table rows start lines.
        tables: spans of ``text`` that are Markdown tables.
        fits: whether a part is short enough. Where a single letter does not fit, its part is too long.
    """
    if fits(text):
        return [text]
    parts: list[str] = []
    part = ""
    for unit in _fitting(_units(text, tables, fits), fits):
        longer = f"{part}{unit.glue}{unit.text}"
        if part and fits(longer):
            part = longer
            continue
        above = _above(unit, fits)
        if part and part != above:
            parts.append(part)
        part = f"{above}\n{unit.text}" if above else unit.text
    return [*parts, part]


def _fitting(units: Iterator[_Unit], fits: Fits) -> Iterator[_Unit]:
    """The units, each in its sentences or words where it does not fit as it is."""
    for unit in units:
        if fits(unit.text):
            yield unit
            continue
        finer, within = _sentences(unit.text), " "
        if len(finer) == 1:
            finer = unit.text.split()
        if len(finer) == 1:
            middle = len(unit.text) // 2
            finer, within = [unit.text[:middle], unit.text[middle:]], ""
        if not finer[0]:
            yield unit
            continue
        glues = (unit.glue, *[within] * (len(finer) - 1))
        yield from _fitting((_Unit(piece, unit.context, glue) for piece, glue in zip(finer, glues, strict=True)), fits)


def _above(unit: _Unit, fits: Fits) -> str:
    """As much of a unit's context as fits above it; the innermost lines matter most."""
    for first in range(len(unit.context)):
        above = "\n".join(unit.context[first:])
        if fits(f"{above}\n{unit.text}"):
            return above
    return ""


def _units(text: str, tables: Sequence[tuple[int, int]], fits: Fits) -> Iterator[_Unit]:
    """The lead-in, items and table rows of a clause, each with what stands above it."""
    lead: list[str] = []
    items: list[tuple[str, str]] = []  # the items that are open, outermost first: their kind of label and line
    context: tuple[str, ...] | None = None
    for is_table, lines in _runs(text, tables):
        if context is None and is_table:
            context = _repeatable("\n".join(lead), fits)
        if is_table:
            above = (*(context or ()), *_repeated_items(items, fits))
            yield from (_Unit(line, above) for line in lines[:2])
            yield from (_Unit(line, (*above, "\n".join(lines[:2]))) for line in lines[2:])
            continue
        for line in lines:
            label = _LABEL.match(line)
            if label is None and context is None:
                lead.append(line)
                yield _Unit(line)
                continue
            if context is None:
                context = _repeatable("\n".join(lead), fits)
            if label is not None:
                _close_items(items, _kind(label, items))
            yield _Unit(line, (*context, *_repeated_items(items, fits)))
            if label is not None:
                items.append((_kind(label, items), line))


def _close_items(items: list[tuple[str, str]], kind: str) -> None:
    """Close the open items that an item of this kind of label ends: its elder sibling and what is below that."""
    for depth, (open_kind, _) in enumerate(items):
        if open_kind == kind:
            del items[depth:]
            return


def _kind(label: re.Match[str], items: Sequence[tuple[str, str]]) -> str:
    """The kind of a label: letters, roman numbers, numbers or bullets; "i." after "h." is a letter."""
    if label["bullet"]:
        return "bullet"
    text = label["label"].lower()
    if text.isdigit():
        return "number"
    letters = next((line for kind, line in items if kind == "letter"), "")
    before = _LABEL.match(letters)
    follows = before is not None and len(text) == 1 and ord(before["label"].lower()[-1]) + 1 == ord(text)
    return "roman" if _ROMAN.fullmatch(text) and not follows else "letter"


def _repeated_items(items: Sequence[tuple[str, str]], fits: Fits) -> list[str]:
    return [line for _, line in items if _is_short(line, fits)]


def _repeatable(lead: str, fits: Fits) -> tuple[str, ...]:
    """What of the lead-in stands again above later parts: all of it, else its last sentence, if that is short."""
    for candidate in (lead, (_sentences(lead) or [""])[-1]):
        if candidate and _is_short(candidate, fits):
            return (candidate,)
    return ()


def _is_short(text: str, fits: Fits) -> bool:
    return fits(" ".join([text] * _CONTEXT_SHARE))


def _sentences(text: str) -> list[str]:
    return [sentence for sentence in _SENTENCE.split(text) if sentence]


def _runs(text: str, tables: Sequence[tuple[int, int]]) -> Iterator[tuple[bool, list[str]]]:
    """The text's lines in order, tables apart."""
    end = 0
    for first, last in sorted(tables):
        yield False, _lines(text[end:first])
        yield True, _lines(text[first:last])
        end = last
    yield False, _lines(text[end:])


def _lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()]
