"""What the pane beside the chat looks up: documents, their trees, clauses by article or word, defined terms.

Built from the indexed clauses, in memory, and built anew once they have changed.
"""

from __future__ import annotations

import re
import threading
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Protocol

from app.render import Json
from pipelines.library import ALL, Library, key
from pipelines.schema import Clause, Document, Filters, Kind, Status

FOUND = 40
SNIPPET = 110
DEFINITION = 320
_ID = re.compile(r"(APP [A-Z]+\d*|[A-Z]\.?\d+(?:\.\d+)*)\s+(.+)")
_FORCE = {Status.IN_FORCE: 0, Status.FUTURE: 1, Status.SUPERSEDED: 2}


class HasClauses(Protocol):
    """Whoever gives the indexed clauses in reading order."""

    def clauses(self, article: str = "", filters: Filters | None = None) -> Sequence[Clause]:
        """The clauses of an article and below it; "" means every clause."""
        ...


class Catalogue:
    """The indexed clauses, ready to be looked up."""

    def __init__(self, clauses: Sequence[Clause]) -> None:
        self.clauses = tuple(clauses)
        self.library = Library(self.clauses)
        self.documents: dict[str, Document] = {one.document.sha256: one.document for one in self.clauses}
        self._of: dict[str, list[Clause]] = defaultdict(list)
        for clause in self.clauses:
            self._of[clause.document.sha256].append(clause)
        self._folded = [
            (clause, clause.article.lower(), f"{clause.term} {clause.title}".lower(), clause.text.lower())
            for clause in self.clauses
        ]

    def clause(self, clause_id: str) -> Clause | None:
        """The clause of that id, None where there is none."""
        return self.library.by_id.get(clause_id)

    def neighbours(self, clause: Clause) -> tuple[Clause | None, Clause | None]:
        """The clauses before and after one in its document."""
        order = self._reading_order(clause.document.sha256)
        at = next(number for number, one in enumerate(order) if one.id == clause.id)
        return order[at - 1] if at else None, order[at + 1] if at + 1 < len(order) else None

    def tree(self, sha256: str) -> list[Json]:
        """A document's articles, each with its children, down to the clauses; empty for an unknown document.

        A node has ``label``, ``title``, ``id`` ("" where only a heading stands there), ``year`` and ``children``.
        """
        top: list[Json] = []
        headings: dict[tuple[str, ...], Json] = {}
        for clause in self._reading_order(sha256):
            level = top
            for depth in range(1, len(clause.path) + 1):
                place = clause.path[:depth]
                if place not in headings:
                    headings[place] = _heading(place[-1])
                    level.append(headings[place])
                level = headings[place]["children"]
            title = "" if clause.path and clause.title == headings[clause.path]["title"] else clause.title
            level.append(_node(clause.term or clause.article, title or _start(clause.text), clause.id, clause.year))
        return top

    def find(self, wanted: str, filters: Filters | None = None) -> list[Json]:
        """Clauses by the start of an article, by a term, by words of the heading, then by words of the text."""
        words = wanted.lower().split()
        if not words:
            return []
        article, phrase = key(wanted).lower(), " ".join(words)
        ranked: list[tuple[int, int, Clause]] = []
        allowed = {one.id for one in self.library.within(self.clauses, filters)}
        for clause, id_, heading, text in self._folded:
            if clause.id not in allowed:
                continue
            if id_ == article or clause.term.lower() == phrase:
                rank = 0
            elif re.match(rf"{re.escape(article)}(?!\d)", id_):
                rank = 1
            elif id_.startswith(article):
                rank = 2
            elif all(word in heading for word in words):
                rank = 3
            elif phrase in text:
                rank = 4
            elif all(word in text or word in heading for word in words):
                rank = 5
            else:
                continue
            ranked.append((rank, _FORCE[clause.status], clause))
        ranked.sort(key=lambda one: one[:2])
        return [self.entry(clause, words) for *_, clause in ranked[:FOUND]]

    def named(self, target: str, near: Clause | None = None) -> Clause | None:
        """The clause that a reference names, or the first one below it: of the same document where it has one."""
        found = self.library.exactly(target) or self.library.article(target)
        home = near.document.sha256 if near else ""
        return min(found, key=lambda one: (one.document.sha256 != home, _FORCE[one.status]), default=None)

    def terms(self) -> list[Json]:
        """The defined terms with the start of their definitions, for hints; law in force only."""
        defined = [one for one in self.clauses if one.kind == Kind.DEFINITION and one.status == Status.IN_FORCE]
        return [
            {"term": one.term, "section": one.section, "id": one.id, "text": shorten(one.text, DEFINITION)}
            for one in defined
        ]

    @staticmethod
    def entry(clause: Clause, words: Iterable[str] = ()) -> Json:
        """A clause as a line of a list, with the words around the first hit."""
        return {
            "id": clause.id,
            "label": clause.term or clause.article,
            "article": clause.article,
            "title": "" if clause.title == clause.term else clause.title,
            "section": clause.section,
            "issue": clause.issue,
            "status": clause.status.value,
            "year": clause.year,
            "page": clause.page_start,
            "snippet": snippet(clause.text, words),
        }

    def _reading_order(self, sha256: str) -> list[Clause]:
        return self._of.get(sha256, [])


class CatalogueKeeper:
    """The catalogue of what is indexed now. Thread-safe."""

    def __init__(self, source: HasClauses) -> None:
        self._source = source
        self._lock = threading.Lock()
        self._catalogue = Catalogue(())

    def now(self) -> Catalogue:
        """The catalogue, built anew if the clauses have changed.

        Raises:
            SearchIndexError: nothing is indexed, or the index cannot serve.
        """
        clauses = tuple(self._source.clauses("", Filters(status=ALL)))
        with self._lock:
            if clauses != self._catalogue.clauses:  # the same objects while nothing changes, so this costs nothing
                self._catalogue = Catalogue(clauses)
            return self._catalogue


def shorten(text: str, length: int) -> str:
    """The start of a text on one line, cut at a word."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[:length].rsplit(" ", 1)[0] + " …"


def snippet(text: str, words: Iterable[str]) -> str:
    """The part of a text around the first of ``words``, on one line."""
    line = " ".join(text.split())
    at = min((found for word in words if (found := line.lower().find(word)) >= 0), default=0)
    start = 0 if at < SNIPPET // 2 else line.rfind(" ", 0, at - SNIPPET // 3) + 1
    return ("… " if start else "") + shorten(line[start:], SNIPPET)


def _start(text: str) -> str:
    return shorten(re.sub(r"\|[\s|-]*", " ", text), 70)


def _heading(printed: str) -> Json:
    """A heading's node; its id stands before its title."""
    found = _ID.match(printed)
    return _node(found[1], found[2]) if found else _node("", printed)


def _node(label: str, title: str, id_: str = "", year: str = "") -> Json:
    return {"label": label, "title": title, "id": id_, "year": year, "children": []}
