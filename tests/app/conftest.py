"""A backend that needs no index and no model: it finds clauses by the words they share with a question."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from pipelines.errors import IndexEmpty, ModelTimeout
from pipelines.ingest import DocumentReport, IngestReport, Progress
from pipelines.schema import (
    Answer,
    Citation,
    Clause,
    Document,
    Failure,
    Filters,
    Kind,
    Passage,
    Refusal,
    Reply,
    SearchResult,
    Status,
    Understood,
)
from pipelines.settings import Settings

TABLE = "| Position | Points |\n| --- | --- |\n| 1st | 25 |\n| 2nd | 18 |"
SPORTING = Document("b.pdf", "0" * 64, "regulation", "B", "Sporting", "05", "2026-02-27", "2026", 96, "/docs/b.pdf")
TECHNICAL = Document("c.pdf", "1" * 64, "regulation", "C", "Technical", "13", "2025-07-31", "2026", 264, "/docs/c.pdf")
NOTES = Document("notes.md", "2" * 64, "document", "notes.md", "Notes", "", "", "", 0, "/docs/notes.md")

CLAUSES = (
    Clause(
        id="b-1-6-3", document=SPORTING, kind=Kind.CLAUSE, article="B1.6.3", article_printed="B1.6.3", title="Fines",
        text="A fine may not exceed $215 million.\nIt is due within *seven* days <of the decision>.",
        page_start=12, page_end=13, path=("B1 GENERAL", "B1.6 Penalties"), ancestors=("B1", "B1.6"), changed=True,
    ),
    Clause(
        id="b-2-2", document=SPORTING, kind=Kind.CLAUSE, article="B2.2", article_printed="B.2.2", title="Points",
        text=f"Points are awarded as follows:\n{TABLE}\nNo others count.", page_start=20, page_end=20,
        path=("B2 POINTS",), tables=((31, 31 + len(TABLE)),),
    ),
    Clause(
        id="c-4-1", document=TECHNICAL, kind=Kind.CLAUSE, article="C4.1", article_printed="C4.1", title="Minimum mass",
        text="The mass of the car must not be less than 768kg at any time.", page_start=60, page_end=60,
        path=("C4 MASS",),
    ),
    Clause(
        id="c-4-1-2027", document=TECHNICAL, kind=Kind.CLAUSE, article="C4.1", article_printed="C4.1",
        title="Minimum mass", text="The mass of the car must not be less than 758kg at any time.", page_start=250,
        page_end=250, path=("APPENDIX C7",), status=Status.FUTURE, year="2027",
    ),
    Clause(
        id="app-c1-car", document=TECHNICAL, kind=Kind.DEFINITION, article="APP C1", article_printed="APP C1",
        title="Definitions", term="Car", text="a vehicle with four wheels", page_start=170, page_end=170,
    ),
    Clause(
        id="notes-1", document=NOTES, kind=Kind.PASSAGE, article="Pit stops", article_printed="Pit stops",
        title="Pit stops", text="A stop takes two seconds.", page_start=0, page_end=0, file_lines=(3, 4),
    ),
)  # fmt: skip


class FakeBackend:
    """Answers from CLAUSES. A question that says "break" fails, one that says "slow" waits for :attr:`go_on`."""

    def __init__(self, clauses: Sequence[Clause] = CLAUSES) -> None:
        self.indexed = tuple(clauses)
        self.asked: list[tuple[str, Filters | None, tuple[str, ...]]] = []
        self.ingested: list[tuple[tuple[Path, ...], tuple[str, ...], bool]] = []
        self.go_on = threading.Event()
        self.ingest_may_end = threading.Event()
        self.ingest_may_end.set()
        self.closed = False

    def search(self, question, k=None, filters=None, explain=False, history=()):
        self.asked.append((question, filters, tuple(history)))
        if not self.indexed:
            raise IndexEmpty("nothing is indexed yet")
        if "break" in question:
            raise ModelTimeout("the embedding model did not answer in 5 s")
        if "crash" in question:
            raise ValueError("a\nsurprise")
        words = set(question.lower().split())
        found = [one for one in self.indexed if words & set(one.text.lower().replace(".", "").split())]
        found = [one for one in found if _fits(one, filters or Filters())]
        passages = tuple(
            Passage(one, 1.0 / rank, {"dense": rank, "fused": rank})
            for rank, one in enumerate(found[: k or 10], start=1)
        )
        understood = Understood(question, articles=("C4.1",) if "C4.1" in question else (), corrections=(("a", "b"),))
        return SearchResult(question, understood, passages, {"total": 12.0, "embed": 5.0}, tuple(x.id for x in found))

    def ask(self, question, filters=None, history=()) -> Reply:
        *_, reply = self.stream(question, filters, history)
        assert not isinstance(reply, str)
        return reply

    def stream(self, question, filters=None, history=()) -> Iterator[str | Reply]:
        try:
            result = self.search(question, None, filters, False, history)
        except ModelTimeout as error:
            yield Failure(question, "ModelTimeout", error.message, error.fix, ms={"total": 1.0})
            return
        if not result.passages:
            nearest = ("B1 GENERAL",)
            yield Refusal(question, f"The regulations say nothing of {question}.", result.understood, 0.1, nearest)
            return
        best = result.passages[0].clause
        yield "The first words. "
        if "slow" in question:
            assert self.go_on.wait(10)
        quote = best.text.splitlines()[0]
        cited = Citation(
            best.id, best.article, best.term, best.section, best.issue, best.document.date, best.page_start, quote,
            True, best.document.file, best.file_lines,
        )  # fmt: skip
        text = f"{quote} [{best.article}]"
        yield Answer(
            question, text, (cited,), result.passages, result.understood, 0.9, ms={"total": 20.0, "search": 12.0}
        )

    def clauses(self, article="", filters=None):
        fitting = [one for one in self.indexed if _fits(one, filters or Filters())]
        return tuple(one for one in fitting if one.article.startswith(article))

    def ingest(self, paths, progress=None, *, remove=(), rebuild=False) -> IngestReport:
        self.ingested.append((tuple(paths), tuple(remove), rebuild))
        if progress is not None:
            progress(Progress("read", "b.pdf", 48, 96, 300, 300))
            progress(Progress("index", "b.pdf", 96, 96, 300, 600))
        assert self.ingest_may_end.wait(10)
        reports = [
            DocumentReport(path.name, "added", "B", "05", "2026-02-27", "2026", "in_force", 96, 600, 700, 7123)
            if path.name != "bad.pdf"
            else DocumentReport("bad.pdf", "failed", error="the file is encrypted", warnings=("odd",))
            for path in paths
        ]
        self.indexed = self.indexed or CLAUSES
        return IngestReport(tuple(reports), 1.5)

    def documents(self):
        kept = {one.document.file: one.document for one in self.indexed}
        return [
            {"file": one.file, "sha256": one.sha256, "section": one.section,
             "title": one.section_title, "issue": one.issue, "date": one.date, "season": one.season,
             "status": "in_force", "pages": one.pages}
            for one in kept.values()
        ]  # fmt: skip

    def close(self) -> None:
        self.closed = True


def _fits(clause: Clause, filters: Filters) -> bool:
    return (
        filters.section in ("", clause.section)
        and filters.issue in ("", clause.issue)
        and filters.status in ("all", clause.status.value)
    )


@pytest.fixture
def backend() -> FakeBackend:
    return FakeBackend()


@pytest.fixture
def empty_backend() -> FakeBackend:
    return FakeBackend(())


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(storage=tmp_path / "storage", documents=tmp_path / "documents", _env_file=None)


@pytest.fixture
def clause() -> Clause:
    return replace(CLAUSES[0])
