"""Questions to begin with, for each section that is indexed.

A written question is offered only where one clause in force holds its words; where none fits, a defined term or a
heading of the section makes one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from app.render import Json
from pipelines.schema import Clause, Kind, Status

A_SECTION = 2
_TITLE = 60

# Section, question, words that one clause of it (or the headings above the clause) must hold.
_WRITTEN: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("A", "How many penalty points lead to a ban?", ("penalty points", "licence")),
    ("A", "How are points awarded in a race?", ("points", "scheduled race distance")),
    ("B", "What is the speed limit in the pit lane?", ("pit lane", "speed limit", "km/h")),
    ("B", "What happens when the race is suspended with red flags?", ("red flag", "suspen")),
    ("C", "What is the maximum fuel flow?", ("fuel", "flow", "rpm")),
    ("C", "What is the maximum width of the car?", ("wheel rims", "width")),
    ("C", "What is the minimum mass of the car?", ("minimum mass", "kg")),
    ("D", "How high is the cost cap of a team?", ("cost cap", "us dollars")),
    ("D", "Which costs are excluded from relevant costs?", ("relevant costs", "exclu")),
    ("E", "How high is the power unit cost cap?", ("cost cap", "us dollars")),
    ("E", "What is a minor overspend breach?", ("minor overspend breach",)),
    ("F", "How long is the factory shutdown of a team?", ("shutdown", "july")),
    ("F", "How many wind tunnel runs may a team make?", ("wind tunnel", "runs")),
)


def examples(clauses: Iterable[Clause]) -> list[Json]:
    """For each section, in order: ``section``, its ``title`` and at most two ``questions``."""
    sections: dict[str, list[Clause]] = {}
    for clause in clauses:
        if clause.status == Status.IN_FORCE and not clause.void:
            sections.setdefault(clause.section, []).append(clause)
    offered = []
    for section, own in sorted(sections.items()):
        questions = list(islice(dict.fromkeys((*_written(section, own), *_made(own))), A_SECTION))
        offered.append({"section": section, "title": own[0].document.section_title, "questions": questions})
    return offered


def _written(section: str, clauses: list[Clause]) -> Iterator[str]:
    for of, question, needed in _WRITTEN:
        if of == section and any(all(word in _words(clause) for word in needed) for clause in clauses):
            yield question


def _made(clauses: list[Clause]) -> Iterator[str]:
    """Questions from the section's own terms and headings."""
    for clause in clauses:
        if clause.kind == Kind.DEFINITION:
            yield f"What does “{clause.term}” mean?"
    for clause in clauses:
        if clause.title and len(clause.title) <= _TITLE and clause.kind == Kind.PASSAGE:
            yield f"What is said about “{clause.title}”?"


def _words(clause: Clause) -> str:
    return " ".join((*clause.path, clause.title, clause.text)).lower()
