"""What a clause's references lead to in the indexed issues, and the clauses that it is read with.

A reference to an article of the clause's own section is looked up in its own issue alone; one to another section in the
issue of that section in force. What nothing carries there is a dead reference of the document.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from pipelines.library import Library, key
from pipelines.schema import Clause, Heading, Kind, Link, Passage, Reference, Status

MOST_CONTEXT = 6
"""So many clauses are read with a clause: its lead-in and the first that it refers to."""
_LETTERED = re.compile(r"\|\s*([A-F]\d+(?:\.\d+)+)\b")
_ITEM = re.compile(r"\d(?P<item>(?:[a-z]\b)?(?:\.[a-z](?:\.\d+)?\b|\s?\([a-z0-9]{1,4}\))*)(?:\s+(?:of|in|to)\s.*)?$")


class Found(StrEnum):
    """What carries the id that a reference names."""

    CLAUSE = "clause"  # a clause of its own
    ROW = "row"  # a row of a clause's table
    ABOVE = "above"  # nothing, but clauses stand below it
    HEADING = "heading"  # a title without words: an article that is void, an appendix of drawings
    NOTHING = ""  # it is dead


@dataclass(frozen=True, slots=True)
class DeadReference:
    """A reference to an article or appendix that the issue does not have."""

    clause: Clause
    reference: Reference


class Links:
    """References of an index's clauses, resolved; ``headings`` are the articles without words, by document hash."""

    def __init__(self, library: Library, headings: Mapping[str, Iterable[Heading]]) -> None:
        self.library = library
        self._titled = {sha256: {key(one.article) for one in found} for sha256, found in headings.items()}
        self._documents = {clause.document.sha256: clause.document for clause in library.clauses}
        self._rows = _rows(library.clauses)
        self._known: dict[tuple[str, str, str], tuple[Found, Clause | None]] = {}
        self._joined: dict[str, tuple[Clause | None, tuple[Link, ...], tuple[Clause, ...]]] = {}

    def links(self, clause: Clause) -> tuple[Link, ...]:
        """A clause's references to articles and appendices, in its order, each once."""
        found = (self._link(clause, one) for one in clause.references if one.kind != "document")
        return tuple(dict.fromkeys(found))

    def lead_in(self, clause: Clause) -> Clause | None:
        """The nearest clause above with words of its own, which the clause goes on from; None where there is none."""
        for above in reversed(clause.ancestors):
            for parent in self.library.exactly(above):
                same = parent.document.sha256 == clause.document.sha256 and parent.year == clause.year
                if same and parent.kind == Kind.CLAUSE and not parent.void and parent.id != clause.id:
                    return parent
        return None

    def joined(self, passage: Passage) -> Passage:
        """A passage with what its clause is read with and leads to; its place among others stays.

        Its context is, at most :data:`MOST_CONTEXT` in all, the lead-in and then what the clause refers to by id.
        """
        clause = passage.clause
        if clause.id not in self._joined:
            links, lead_in = self.links(clause), self.lead_in(clause)
            named = [link.clause_id for link in links if link.found in (Found.CLAUSE, Found.ROW)]
            read_with = [*([lead_in] if lead_in else []), *(self.library.by_id[clause_id] for clause_id in named)]
            useful = (one for one in read_with if one.id != clause.id and not one.void and one.kind == Kind.CLAUSE)
            context = tuple({one.id: one for one in useful}.values())[:MOST_CONTEXT]
            self._joined[clause.id] = (lead_in, links, context)
        lead_in, links, context = self._joined[clause.id]
        return replace(passage, context=context, lead_in=lead_in.id if lead_in else "", links=links)

    def dead(self, clauses: Iterable[Clause]) -> list[DeadReference]:
        """Every reference of some clauses that leads nowhere, in their order."""
        return [
            DeadReference(clause, one)
            for clause in clauses
            for one in clause.references
            if one.kind != "document" and self._link(clause, one).found == Found.NOTHING
        ]

    def _link(self, clause: Clause, reference: Reference) -> Link:
        target = reference.target
        printed = _ITEM.search(reference.printed) if reference.kind == "article" else None
        item = ".".join(re.findall(r"[a-z0-9]+", printed["item"])) if printed else ""
        place = (clause.document.sha256, clause.year, target)
        if place not in self._known:
            self._known[place] = self._find(clause, target)
        found, carrier = self._known[place]
        return Link(reference.printed, target, item, found.value, carrier.id if carrier else "")

    def _find(self, clause: Clause, target: str) -> tuple[Found, Clause | None]:
        """What carries an id for a clause, and the first clause that does."""
        for found, carriers in (
            (Found.CLAUSE, self.library.exactly(target)),
            (Found.ROW, self._rows.get(key(target), ())),
            (Found.ABOVE, self.library.article(target)),
        ):
            fitting = self._fitting(clause, target, carriers)
            if fitting:
                return found, fitting[0]
        if any(key(target) in self._titled.get(sha256, ()) for sha256 in self._where(clause, target)):
            return Found.HEADING, None
        return Found.NOTHING, None

    def _where(self, clause: Clause, target: str) -> list[str]:
        """The hashes of the documents that a reference may point into."""
        letter = _letter(target)
        if letter in ("", clause.section):
            return [clause.document.sha256]
        return [sha256 for sha256, document in self._documents.items() if document.section == letter]

    @staticmethod
    def _fitting(clause: Clause, target: str, carriers: Sequence[Clause]) -> list[Clause]:
        """Those of the clauses that stand where the reference points, the likeliest first."""
        own = clause.document.sha256
        if _letter(target) in ("", clause.section):
            carriers = [one for one in carriers if one.document.sha256 == own]
        return sorted(carriers, key=lambda one: (one.year != clause.year, one.status != Status.IN_FORCE))


def _letter(target: str) -> str:
    """The section of an id: C3.10 and APP C2.1 are C's; "" for one without a letter."""
    bare = target.removeprefix("APP ")
    return bare[:1] if bare[:1].isalpha() else ""


def _rows(clauses: Iterable[Clause]) -> dict[str, list[Clause]]:
    """The clauses whose tables have rows that are numbered below the clause, by the rows' numbers."""
    found: dict[str, list[Clause]] = {}
    for clause in clauses:
        for start, end in clause.tables:
            numbers = {match[1] for line in clause.text[start:end].split("\n") if (match := _LETTERED.match(line))}
            for number in sorted(numbers):
                if number.startswith(f"{clause.article}."):
                    found.setdefault(key(number), []).append(clause)
    return found
