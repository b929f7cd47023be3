"""Clauses, passages and a searcher whose results are written down: every score can be worked out by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pipelines.errors import IndexUnavailable
from pipelines.schema import Clause, Document, Filters, Kind, Passage, SearchResult, Understood


def clause(article: str, text: str = "Some words of law.", **changes: Any) -> Clause:
    """A clause of the regulations."""
    section = article.removeprefix("APP ")[0]
    document = Document(f"{section}.pdf", "0" * 64, "regulation", section, "", "05", "2026-02-27", "2026", 9)
    numbers = article.split(".")
    fields: dict[str, Any] = {
        "id": article,
        "document": document,
        "kind": Kind.CLAUSE,
        "article": article,
        "article_printed": article,
        "title": "",
        "text": text,
        "page_start": 1,
        "page_end": 1,
        "ancestors": tuple(".".join(numbers[:depth]) for depth in range(1, len(numbers))),
    }
    return Clause(**(fields | changes))


def passage(file: str, first: int, last: int, text: str = "Some words.") -> Clause:
    """A passage of a text file."""
    document = Document(file, "0" * 64, "document", file, "", "", "", "", 1)
    return Clause(
        f"{file}/{first}", document, Kind.PASSAGE, "Heading", "Heading", "Heading", text, 1, 1, file_lines=(first, last)
    )


class Scripted:
    """Finds, for each question, the ids it is told; the candidates are ``candidates`` where given, else the same."""

    def __init__(
        self,
        clauses: Sequence[Clause],
        results: Mapping[str, Sequence[str]],
        candidates: Mapping[str, Sequence[str]] | None = None,
        ranks: Mapping[str, Mapping[str, int]] | None = None,
    ) -> None:
        self.by_id = {found.id: found for found in clauses}
        self.results = results
        self.fused = candidates or {}
        self.ranks = ranks or {}
        self.asked: list[tuple[str, int | None, Filters | None, tuple[str, ...]]] = []

    def search(
        self,
        question: str,
        k: int | None = None,
        filters: Filters | None = None,
        explain: bool = False,
        history: Sequence[str] = (),
    ) -> SearchResult:
        self.asked.append((question, k, filters, tuple(history)))
        if question not in self.results:
            raise IndexUnavailable("the index is gone")
        names = list(self.results[question])
        passages = tuple(
            Passage(self.by_id[name], 1 / place, dict(self.ranks.get(name, {}))) for place, name in enumerate(names, 1)
        )
        fused = tuple(self.fused.get(question, names))
        return SearchResult(question, Understood(question), passages[:k], {"total": 1.0}, fused)

    def clauses(self, article: str = "", filters: Filters | None = None) -> Sequence[Clause]:
        return tuple(self.by_id.values())


def write_jsonl(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path
