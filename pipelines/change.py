"""Questions about change and time: what this issue changed, and what a later year's text says.

The FIA prints in colour what an issue inserted or deleted; the reader keeps it as :attr:`Clause.changed` and
:attr:`Clause.inserted`. Appendices of later years are clauses of status ``future`` with their year.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.answer.pieces import pieces
from pipelines.schema import Clause, Passage

MARK = "**"
"""Put before and after inserted words."""

SHOWN_CLAUSES = 8
"""Changed clauses shown with their words; further ones are named by their article."""

_ASKS = re.compile(
    r"\bwhat(?:['’]s| is| was| has| have)? (?:been )?(?:changed|new|amended|updated)\b"
    r"(?= (?:in|to|about|for|with|since|on)\b|\W*$)"
    r"|\bwhat did .{0,60}\bchange\b|\bwhat changes were (?:made|introduced)\b"
    r"|\bwhat (?:are the )?changes (?:in|to|of) (?:section|article|issue|[A-F]\s?\d|this|the (?:last|latest|new))\b"
    r"|\b(?:which|what|list|show)\b.{0,20} (?:clauses|articles|rules|parts)\b.{0,12} (?:changed|amended|new)\b"
    r"|\b(?:list|show|any|are there|were there)\b.{0,20}\bchanges (?:in|to|of|since|with)\b"
    r"|\bchanged (?:in|since|with|by) (?:this|the (?:last|latest|new|current)) (?:issue|version)\b",
    re.IGNORECASE,
)
_ID = re.compile(r"\b([A-F])\s?(\d{1,2}(?:\.\d{1,2})*)\b", re.IGNORECASE)
_SECTION = re.compile(r"\bsection\s+([A-F])\b", re.IGNORECASE)
_YEAR = re.compile(r"\b(20[2-4]\d)\b")


@dataclass(frozen=True, slots=True)
class ChangeAsked:
    """A question about what this issue changed: in which articles, in which section, or in what else."""

    articles: tuple[str, ...] = ()
    section: str = ""


def change_asked(question: str) -> ChangeAsked | None:
    """What a question about changes is about; None for any other question."""
    if not _ASKS.search(question):
        return None
    articles = tuple(dict.fromkeys(letter.upper() + number for letter, number in _ID.findall(question)))
    section = _SECTION.search(question)
    return ChangeAsked(articles, section.group(1).upper() if section else "")


def later_year(question: str, season: str) -> str:
    """The first year after ``season`` that a question names, "" where it names none."""
    return next((year for year in _YEAR.findall(question) if season and year > season), "")


def applies_in(clause: Clause, year: str) -> bool:
    """Whether a later year's clause is of ``year``; a clause that names no year is of any."""
    return not clause.year or year in clause.year


def changed(clauses: Sequence[Clause]) -> list[Clause]:
    """The clauses that this issue changed and that still say something."""
    return [clause for clause in clauses if clause.changed and not clause.void and clause.text.strip()]


def changed_spans(clause: Clause) -> list[tuple[int, int]]:
    """The pieces of a clause that hold inserted words, with what they stand under; the first piece where none does."""
    cut = pieces(clause)
    touched: set[int] = set()
    for position, piece in enumerate(cut):
        if any(start < piece.end and end > piece.start for start, end in clause.inserted):
            touched.update((position, *piece.under))
    return [(cut[i].start, cut[i].end) for i in sorted(touched)] or [(p.start, p.end) for p in cut[:1]]


def marked(clause: Clause, start: int, end: int) -> str:
    """``clause.text[start:end]`` with its inserted words between marks; a mark never spans a line."""
    text, position = "", start
    for first, last in sorted(clause.inserted):
        first, last = max(first, start), min(last, end)
        if first >= last:
            continue
        text += clause.text[position:first]
        text += "\n".join(_mark(line) for line in clause.text[first:last].split("\n"))
        position = last
    return text + clause.text[position:end]


def merge_later(current: Sequence[Passage], later: Sequence[Passage], year: str) -> tuple[Passage, ...]:
    """Passages of a later year beside those in force: its best first, then in turn; other years' are left out."""
    fitting = [passage for passage in later if applies_in(passage.clause, year)]
    merged: list[Passage] = []
    for position in range(max(len(fitting), len(current))):
        merged += fitting[position : position + 1]
        merged += current[position : position + 1]
    return tuple(merged)


def _mark(words: str) -> str:
    bare = words.strip()
    if not bare or bare.startswith("|"):
        return words
    lead = words[: len(words) - len(words.lstrip())]
    return f"{lead}{MARK}{bare}{MARK}{words[len(lead) + len(bare) :]}"
