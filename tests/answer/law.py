"""A small regulation made by hand: clauses, and the PDF they were read from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pymupdf

from pipelines.conversation import resolve
from pipelines.schema import (
    Clause,
    Document,
    Filters,
    Kind,
    LineBox,
    Passage,
    SearchResult,
    Status,
    Understood,
)

# Settings of an answer over a hand-made corpus: no fitted model scores it, nothing is refused for its score.
PLAIN = {"embed_model": "packaged", "reranker": "none", "gate": 0.0}

# One string a clause; a line of it is a printed line; "\f" is a page break.
TEXTS = {
    "B1.6.3": (
        "Driving in the Pit Lane\n"
        "A speed limit of 80km/h will be imposed in the Pit Lane during the whole Competition. "
        "This limit may be amended by the Race Director.\n"
        "a. Any Competitor whose driver exceeds the limit will be fined 100 euros for each km/h, up to a maximum of "
        "1000 euros.\n"
        "b. At no time may a car be reversed in the Pit Lane under its own power."
    ),
    "B2.1.1": (
        "The Race will be suspended if the track is blocked and the cars must return\f"
        "slowly to the Pit Lane and stop there in the order they arrived."
    ),
    "A2.2.1": (
        "Points will be awarded for a Race as follows:\n"
        "| Position | Points |\n"
        "| --- | --- |\n"
        "| 1st | 25 |\n"
        "| 2nd | 18 |\n"
        "| 3rd | 15 |"
    ),
    "C4.1": "The minimum mass of the car is 724kg plus the mass of the tyres.",
    "C9.9": "The gearbox must be sealed with an official seal for the whole season.",
}
TITLES = {"B1.6.3": "Pit lane", "B2.1.1": "Suspension", "A2.2.1": "Points", "C4.1": "Mass", "C9.9": "Gearbox"}


def write_pdf(path: Path, pages: Sequence[Sequence[str]]) -> None:
    """A PDF with the given lines; table rows are printed cell by cell."""
    document = pymupdf.open()
    for lines in pages:
        page = document.new_page()
        for number, line in enumerate(lines):
            cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else [line]
            for column, cell in enumerate(cells):
                page.insert_text((60 + 150 * column, 60 + 14 * number), cell, fontsize=9)
    document.save(path)
    document.close()


def make_law(folder: Path) -> dict[str, Clause]:
    """The clauses by article, read "by hand" from a PDF that is written to ``folder``."""
    path = folder / "law.pdf"
    pages: list[list[str]] = [[]]
    clauses = {}
    document = Document("law.pdf", "0" * 64, "regulation", "B", "Sporting", "05", "2026-02-27", "2026", 2, str(path))
    for article, source in TEXTS.items():
        text = source.replace("\f", " ")
        boxes, position = [], 0
        start = len(pages)
        for part in source.split("\f"):
            if part != source.split("\f")[0]:
                pages.append([])
            for line in part.split("\n"):
                if "---" not in line:
                    pages[-1].append(line)
                boxes.append(LineBox(len(pages), 60, 0, 500, 0, position, position + len(line)))
                position += len(line) + 1
        tables = ((text.index("|"), len(text)),) if "|" in text else ()
        clauses[article] = Clause(
            id=article,
            document=replace(document, section=article[0]),
            kind=Kind.CLAUSE,
            article=article,
            article_printed=article,
            title=TITLES[article],
            text=text,
            page_start=start,
            page_end=len(pages),
            path=(f"{article.split('.')[0]} {TITLES[article].upper()}",),
            lines=tuple(boxes),
            tables=tables,
        )
    write_pdf(path, pages)
    return clauses


class FakeCorpus:
    """A corpus whose search returns the same clauses for every question, best first."""

    def __init__(self, clauses: Sequence[Clause], later: Sequence[Clause] = ()) -> None:
        self.found = list(clauses)
        self.later = list(later)
        self.asked: list[tuple[str, Filters]] = []
        self.error: Exception | None = None

    def search(
        self,
        question: str,
        k: int | None = None,
        filters: Filters | None = None,
        explain: bool = False,
        history: Sequence[str] = (),
    ) -> SearchResult:
        filters = filters or Filters()
        self.asked.append((question, filters))
        if self.error is not None:
            raise self.error
        clauses = self.later if filters.status == Status.FUTURE else self.found
        passages = tuple(Passage(clause, 1.0 / rank) for rank, clause in enumerate(clauses, 1))
        resolved = resolve(question, history)
        return SearchResult(question, Understood(resolved.question), passages, {"total": 5.0})

    def clauses(self, article: str, filters: Filters | None = None) -> Sequence[Clause]:
        section = filters.section if filters else ""
        return [c for c in self.found if (not article or c.article.startswith(article)) and section in ("", c.section)]
