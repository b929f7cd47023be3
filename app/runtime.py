"""The engine behind a running server: opened, filled and warmed in the background, and where that stands.

Questions are answered as soon as anything is indexed; until then they get a failure that says how far the index is.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from app import render
from app.backend import Backend, warm_up
from pipelines.errors import IndexEmpty, IndexMismatch, IndexUnavailable, TechRegError
from pipelines.schema import Clause, Filters, Reply, SearchResult
from pipelines.settings import Settings

if TYPE_CHECKING:
    from pipelines.ingest import IngestReport, Progress, ProgressCallback

SAMPLE = Path(__file__).parents[1] / "pipelines" / "data" / "sample"
RETRY_S = 5.0  # between two attempts to reach a Qdrant server that does not answer
OPENING_S = 60.0  # a question that comes while the index is being opened waits so long
log = logging.getLogger("techreg.serve")


class ServedBackend(Backend, Protocol):
    """What a server needs beyond a command: streamed answers and the list of what is indexed."""

    def stream(
        self, question: str, filters: Filters | None = None, history: Sequence[str] = ()
    ) -> Iterator[str | Reply]:
        """Pieces of the answer's text as they are written, then the whole reply."""
        ...

    def documents(self) -> Sequence[render.Json]:
        """What is indexed, one entry a document; empty where nothing is."""
        ...


class Runtime:
    """One backend for every caller of the server. ``phase``: starting, indexing, ready or failed."""

    def __init__(self, settings: Settings, backend: ServedBackend, sample: Path = SAMPLE) -> None:
        self.settings = settings
        self.phase = "starting"
        self.advice = f"Put the FIA’s PDFs into {settings.documents} and start again."  # how to leave the sample
        self._backend = backend
        self._sample = sample
        self._progress: Progress | None = None
        self._error: TechRegError | None = None
        self._documents: Sequence[render.Json] = ()
        self._writing = threading.Lock()
        self._looked = threading.Event()  # set once it is known what is indexed, or why it cannot be
        self._prepared = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="techreg-prepare", daemon=True)

    def start(self) -> None:
        """Open, index and warm up in the background."""
        self._thread.start()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until the preparation has ended; whether it has."""
        return self._prepared.wait(timeout_s)

    def close(self) -> None:
        """Stop preparing and release the index."""
        self._stopping.set()
        self._backend.close()

    def health(self) -> render.Json:
        """The state of the server as plain data: status, version, documents, model, indexing and error."""
        progress = self._progress
        return {
            "status": self.phase,
            "version": version("techreg-analyst"),
            "documents": list(self._documents),
            "sample": self.is_sample(),
            "model": {"embedding": self.settings.embed_model, "reranker": self.settings.reranker},
            "indexing": None if progress is None else _progress(progress),
            "error": None if self._error is None else render.error(self._error),
        }

    def is_sample(self) -> bool:
        """Whether what is indexed is the sample regulation."""
        names = self._sample_names()
        return bool(self._documents) and all(one["file"] in names for one in self._documents)

    def search(
        self,
        question: str,
        k: int | None = None,
        filters: Filters | None = None,
        explain: bool = False,
        history: Sequence[str] = (),
    ) -> SearchResult:
        """The clauses that bear on a question, best first."""
        self._require_index()
        return self._backend.search(question, k, filters, explain, history)

    def ask(self, question: str, filters: Filters | None = None, history: Sequence[str] = ()) -> Reply:
        """The answer to one question, a refusal, or what broke."""
        self._require_index()
        return self._backend.ask(question, filters, history)

    def stream(
        self, question: str, filters: Filters | None = None, history: Sequence[str] = ()
    ) -> Iterator[str | Reply]:
        """Pieces of the answer's text as they are written, then the whole reply."""
        self._require_index()
        return self._backend.stream(question, filters, history)

    def clauses(self, article: str = "", filters: Filters | None = None) -> Sequence[Clause]:
        """The clauses of an article and below it, in reading order; "" means every clause."""
        self._require_index()
        return self._backend.clauses(article, filters)

    def ingest(
        self,
        paths: Sequence[Path],
        progress: ProgressCallback | None = None,
        *,
        remove: Sequence[str] = (),
        rebuild: bool = False,
    ) -> IngestReport:
        """Bring the index up to date, one run at a time; the health shows how far it is."""

        def seen(now: Progress) -> None:
            self._progress = now
            if progress is not None:
                progress(now)

        with self._writing:
            before, self.phase = self.phase, "indexing"
            try:
                report = self._backend.ingest(paths, seen, remove=remove, rebuild=rebuild)
                self._documents = self._backend.documents()
                if self._documents:
                    before, self._error = "ready", None
            finally:
                self.phase, self._progress = before, None
        return report

    def fill(self) -> None:
        """Index the documents folder; the sample where nothing at all is there, and only as long.

        Calling it again takes in what has come since. An index of the sample alone that another version built is built
        anew.
        """
        self._documents = self._backend.documents()
        self._looked.set()
        try:
            self._take_in()
        except IndexMismatch:
            if not self.is_sample():  # what others have indexed is dropped on their word alone
                raise
            self._documents = ()
            self.ingest(self._sample_files(), rebuild=True)
            self._take_in()

    def _take_in(self) -> None:
        indexed = {one["file"] for one in self._documents}
        sample = indexed & self._sample_names()
        if _has_files(self.settings.documents):
            self.ingest([self.settings.documents], remove=sorted(sample))
        elif not indexed or (sample and sample == indexed):
            if not self._sample_files():
                raise IndexEmpty(f"nothing is indexed and {self.settings.documents} is empty")
            self.ingest(self._sample_files())

    def _run(self) -> None:
        try:
            self._prepare()
        finally:
            self._prepared.set()

    def _prepare(self) -> None:
        while True:
            try:
                self.fill()
                warm_up(self._backend, self.settings)
                self.phase, self._error = "ready", None
                return
            except IndexUnavailable as error:  # a Qdrant server may start later than we do
                self._fail(error)
                if self._stopping.wait(RETRY_S):
                    return
            except TechRegError as error:
                self._fail(error)
                return
            except Exception as error:
                log.exception("the index cannot be prepared")
                self._fail(TechRegError(f"unexpected {type(error).__name__}: {error}"))
                return

    def _fail(self, error: TechRegError) -> None:
        log.error("%s. %s", error.message, error.fix)
        self.phase, self._error = "failed", error
        self._looked.set()

    def _sample_files(self) -> list[Path]:
        return sorted(self._sample.glob("*.pdf"))

    def _sample_names(self) -> set[str]:
        return {path.name for path in self._sample_files()}

    def _require_index(self) -> None:
        if not self._documents and self._thread.is_alive():
            self._looked.wait(OPENING_S)
        if self._documents:
            return
        if self._error is not None:
            raise self._error
        if self._progress is not None:
            now = self._progress
            done = f"{now.pages} pages read" if now.stage == "read" else f"{now.clauses} of {now.clauses_total} clauses"
            raise IndexEmpty(f"the index is still being built: {done}", "Ask again in a moment")
        raise IndexEmpty("the index is still being opened", "Ask again in a moment")


def _progress(now: Progress) -> dict[str, Any]:
    return {
        "stage": now.stage,
        "file": now.file,
        "pages": now.pages,
        "pages_total": now.pages_total,
        "clauses": now.clauses,
        "clauses_total": now.clauses_total,
    }


def _has_files(folder: Path) -> bool:
    return folder.is_dir() and any(path.is_file() and not path.name.startswith(".") for path in folder.rglob("*"))
