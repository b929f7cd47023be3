"""What every way in asks of the product, and who answers: this process, or the server that holds the storage folder."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pipelines.schema import Clause, Filters, Heading, Reply, SearchResult, Status
from pipelines.settings import Settings

if TYPE_CHECKING:
    from pipelines.engine import Engine
    from pipelines.index import Manifest
    from pipelines.ingest import IngestReport, ProgressCallback


WARM_UP = "minimum mass of the car"


class Backend(Protocol):
    """The calls behind the commands. Expected failures are raised as :class:`~pipelines.errors.TechRegError`."""

    def search(
        self,
        question: str,
        k: int | None = None,
        filters: Filters | None = None,
        explain: bool = False,
        history: Sequence[str] = (),
    ) -> SearchResult:
        """The clauses that bear on a question, best first."""
        ...

    def ask(self, question: str, filters: Filters | None = None, history: Sequence[str] = ()) -> Reply:
        """The answer to one question, a refusal, or what broke."""
        ...

    def clauses(self, article: str = "", filters: Filters | None = None) -> Sequence[Clause]:
        """The clauses of an article and below it, in reading order; "" means every clause."""
        ...

    def ingest(
        self,
        paths: Sequence[Path],
        progress: ProgressCallback | None = None,
        *,
        remove: Sequence[str] = (),
        rebuild: bool = False,
    ) -> IngestReport:
        """Bring the index up to date with files and folders."""
        ...

    def close(self) -> None:
        """Release what is held; harmless when nothing is."""
        ...


def warm_up(engine: Engine | Backend, settings: Settings) -> None:
    """Load what the first question needs; a language model is not asked, it may cost money."""
    named = settings.llm != "none" or settings.llm_url
    if named and settings.answer_mode != "extractive":
        engine.search(WARM_UP, 1)
    else:
        engine.ask(WARM_UP)


class LocalBackend:
    """The product in this process. The engine opens at the first question and is shared by all threads."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._lock = threading.Lock()
        self._engine: Engine | None = None
        self._warm = False

    @property
    def engine(self) -> Engine:
        """The open engine.

        Raises:
            SearchIndexError: the index cannot serve; the subclass says why.
        """
        with self._lock:
            if self._engine is None:
                from pipelines.engine import Engine

                self._engine = Engine(self.settings)
            return self._engine

    def search(
        self,
        question: str,
        k: int | None = None,
        filters: Filters | None = None,
        explain: bool = False,
        history: Sequence[str] = (),
    ) -> SearchResult:
        """The clauses that bear on a question, best first."""
        self._warm_up()
        return self.engine.search(question, k, filters, explain, history)

    def ask(self, question: str, filters: Filters | None = None, history: Sequence[str] = ()) -> Reply:
        """The answer to one question, a refusal, or what broke."""
        self._warm_up()
        return self.engine.ask(question, filters, history)

    def stream(
        self, question: str, filters: Filters | None = None, history: Sequence[str] = ()
    ) -> Iterator[str | Reply]:
        """Pieces of the answer's text as they are written, then the whole reply."""
        self._warm_up()
        return self.engine.stream(question, filters, history)

    def clauses(self, article: str = "", filters: Filters | None = None) -> Sequence[Clause]:
        """The clauses of an article and below it, in reading order; "" means every clause."""
        return self.engine.clauses(article, filters)

    def ingest(
        self,
        paths: Sequence[Path],
        progress: ProgressCallback | None = None,
        *,
        remove: Sequence[str] = (),
        rebuild: bool = False,
    ) -> IngestReport:
        """Bring the index up to date with files and folders."""
        from pipelines.ingest import ingest

        return ingest(paths, self.settings, progress, remove=remove, rebuild=rebuild)

    def documents(self) -> Sequence[dict[str, Any]]:
        """What is indexed, one entry a document with its status as of now; empty where nothing is."""
        from pipelines.index import open_index

        index = open_index(self.settings)
        try:
            return documents(index.manifest)
        finally:
            index.close()

    def _warm_up(self) -> None:
        """Load what a question needs before the first one, so that its times are those of a warm question."""
        with self._lock:
            cold, self._warm = not self._warm, True
        if cold:
            warm_up(self.engine, self.settings)

    def close(self) -> None:
        """Close the engine if it is open."""
        with self._lock:
            if self._engine is not None:
                self._engine.close()
            self._engine = None


def documents(manifest: Manifest | None) -> list[dict[str, Any]]:
    """The documents of an index's manifest as plain data, in the order of section, date and file."""
    from pipelines.index.manifest import in_force

    if manifest is None:
        return []
    current = in_force(manifest.entries)
    return [
        {
            "file": entry.document.file,
            "sha256": entry.document.sha256,
            "section": entry.document.section,
            "title": entry.document.section_title,
            "issue": entry.document.issue,
            "date": entry.document.date,
            "season": entry.document.season,
            "status": (Status.IN_FORCE if entry.generation in current else Status.SUPERSEDED).value,
            "pages": entry.document.pages,
            "clauses": entry.clauses,
        }
        for entry in sorted(
            manifest.entries, key=lambda one: (one.document.section, one.document.date, one.document.file)
        )
    ]


def held_headings(settings: Settings) -> dict[str, tuple[Heading, ...]]:
    """The titles without words of what is indexed, by document hash; also while a server holds the folder."""
    from pipelines.index.manifest import ManifestFile, headings

    if not settings.qdrant_url:
        return headings(ManifestFile(settings.storage).load())
    from pipelines.index import open_index

    index = open_index(settings)
    try:
        return headings(index.manifest)
    finally:
        index.close()


def connect(settings: Settings) -> Backend:
    """The server that holds ``settings.storage`` if one runs, else the product in this process.

    Raises:
        IndexBusy: a server holds the folder and does not answer.
    """
    from app.lock import read_lock

    if read_lock(settings.storage) is not None:
        from app.handover import find_server

        server = find_server(settings.storage)
        if server is not None:
            return server
    return LocalBackend(settings)
