"""Files into the index: read, cut into nodes, embed, replace; and a report of what happened to each file."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from importlib import metadata
from pathlib import Path

from pipelines.errors import UsageError
from pipelines.index import Entry, Index, Manifest, ManifestFile, open_index
from pipelines.index.manifest import in_force
from pipelines.index.store import Point, moved
from pipelines.index_text import RECIPE
from pipelines.models.embedding import Embedder, embedder_identity, load_embedder
from pipelines.points import ahead, points
from pipelines.read_all import Reader, Unread, read_all
from pipelines.report import DocumentReport, IngestReport, Progress, ProgressCallback
from pipelines.schema import Document, ReadResult, Status
from pipelines.settings import Settings

__all__ = ["DocumentReport", "IngestReport", "Progress", "ProgressCallback", "ingest"]

SUFFIXES = frozenset({".pdf", ".docx", ".csv", ".txt", ".md", ".rst"})
"""Files that a folder is searched for; a file that is named is tried whatever it is called."""

_VERSIONED = ("techreg-analyst", "pymupdf", "llama-index-core", "qdrant-client", "sentence-transformers")


def ingest(
    paths: Sequence[Path],
    settings: Settings,
    progress: ProgressCallback | None = None,
    *,
    remove: Sequence[str] = (),
    rebuild: bool = False,
    reader: Reader | None = None,
    embedder: Embedder | None = None,
) -> IngestReport:
    """Bring the index up to date with ``paths`` (files or folders); an unchanged file writes nothing.

    Whether anything is to be done is decided from the manifest and the files' hashes, without loading a model.

    Args:
        paths: files and folders to read.
        settings: where the index is and which model embeds.
        progress: called often, from this thread.
        remove: file names (as reported) or paths to take out of the index.
        rebuild: drop the index first and read again what it held; the remedy for :class:`IndexMismatch`.
        reader: reads a file instead of the product's own reader.
        embedder: embeds instead of the model that the settings name.

    Raises:
        IndexMismatch: the index was built by another model or text recipe.
        IndexBusy: another process holds the storage folder.
        IndexUnavailable: the Qdrant server does not answer.
        ModelNotFound: the embedding model cannot be loaded.
        UsageError: ``remove`` names nothing that is indexed.
    """
    run = _Run(settings, progress, reader, embedder)
    return run(paths, remove, rebuild)


class _Run:
    """One call of :func:`ingest`."""

    def __init__(
        self, settings: Settings, progress: ProgressCallback | None, reader: Reader | None, embedder: Embedder | None
    ) -> None:
        self.settings = settings
        self.tell = progress or (lambda _: None)
        self.reader = reader
        self.embedder = embedder
        self.identity = embedder.identity if embedder else embedder_identity(settings)
        self.started = time.perf_counter()
        self.order: dict[str, int] = {}  # the paths in the order given
        self.reports: dict[str, DocumentReport] = {}  # by path

    def __call__(self, paths: Sequence[Path], remove: Sequence[str], rebuild: bool) -> IngestReport:
        if not rebuild and not remove and not self.settings.qdrant_url:
            manifest = ManifestFile(self.settings.storage).load()
            if manifest is not None and manifest.settled and not self._changed(self._files(paths), manifest):
                return self._report(manifest)
        with closing(open_index(self.settings)) as index:
            if rebuild:
                paths = [*paths, *_known_files(index.manifest)]
                index.clear()
            removed = self._remove(index, remove)
            changed = self._changed(self._files(paths), index.manifest)
            if changed or (index.manifest is not None and not index.manifest.settled):
                self._bring_in(index, changed)
            return self._report(index.manifest, removed)

    def _files(self, paths: Sequence[Path]) -> list[Path]:
        """The files that the paths name, each once; a path that is not there is reported."""
        files: dict[Path, None] = {}
        for path in paths:
            if path.is_dir():
                found = (file for file in path.rglob("*") if file.is_file() and not file.name.startswith("."))
                files |= dict.fromkeys(sorted(file.resolve() for file in found if file.suffix.lower() in SUFFIXES))
            elif path.is_file():
                files[path.resolve()] = None
            else:
                files[path] = None
        self.order = {str(file): place for place, file in enumerate(files)}
        for file in [file for file in files if not file.is_file()]:
            self._fail(file, "there is no such file or folder")
            del files[file]
        return list(files)

    def _changed(self, files: Sequence[Path], manifest: Manifest | None) -> list[Path]:
        """The files whose bytes, or whose reading recipe, the index does not hold; the others are reported.

        Raises:
            IndexMismatch: another model or text recipe built the index.
        """
        if manifest is not None:
            manifest.check(RECIPE, self.identity)
        entries = manifest.entries if manifest else ()
        known = {entry.document.sha256: entry for entry in entries if entry.recipe == reading_recipe()}
        changed: list[Path] = []
        for file in files:
            try:
                entry = known.get(_sha256(file))
            except OSError as error:
                self._fail(file, f"cannot be opened: {error.strerror or error}")
                continue
            if entry is None:
                changed.append(file)
            else:
                self.reports[str(file)] = _describe(entry, "unchanged", 0.0)
        return changed

    def _remove(self, index: Index, names: Sequence[str]) -> list[DocumentReport]:
        if not names:
            return []
        entries = index.manifest.entries if index.manifest else ()
        chosen: dict[str, Entry] = {}
        for name in names:
            found = [entry for entry in entries if _names(name, entry.document)]
            if not found:
                raise UsageError(f"{name} is not indexed", "Run: techreg clauses --json to see what is")
            chosen |= {entry.generation: entry for entry in found}
        index.settle()
        index.remove(list(chosen))
        return [_describe(entry, "removed", 0.0) for entry in chosen.values()]

    def _bring_in(self, index: Index, files: Sequence[Path]) -> None:
        """Read the files, then put the newest in first, so that an older issue comes in as superseded at once."""
        results = self._read(files)
        results.sort(key=lambda result: (result.document.date, result.document.issue), reverse=True)
        meter = _Meter(self.tell, results)
        for result in results:
            start = time.perf_counter()
            self.embedder = self.embedder or load_embedder(self.settings)
            manifest = index.prepare(self._empty(self.embedder))
            document = result.document
            earlier = [entry for entry in manifest.entries if _replaces(document, entry.document)]
            twin = next((old.document for old in earlier if _stands_elsewhere(document, old.document)), None)
            if twin is not None:
                self._fail(Path(document.path), f"this issue is indexed from another file, {twin.path}: remove one")
                continue
            write = partial(self._points, result, self.embedder, meter)
            entry = index.replace(_entry(result), write, drop=[old.generation for old in earlier])
            seconds = result.seconds + time.perf_counter() - start
            self.reports[document.path] = _describe(entry, "changed" if earlier else "added", seconds)
        index.settle()

    def _points(self, result: ReadResult, embedder: Embedder, meter: _Meter, status: Status) -> Iterator[Point]:
        """The points of a document that belong into a status's collection; the next ones are embedded meanwhile."""
        chosen = [clause for clause in result.clauses if status in (clause.status, Status.SUPERSEDED)]
        order = {clause.id: place for place, clause in enumerate(result.clauses)}
        batches = ahead(points(chosen, order, generation(result.document.sha256), embedder))
        with closing(batches):
            for batch in batches:
                yield from (moved(point, status) for point in batch)
                meter.indexed(result.document.file, sum(1 for point in batch if point.payload["part"] == 0))

    def _empty(self, embedder: Embedder) -> Manifest:
        versions = {name: metadata.version(name) for name in _VERSIONED}
        return Manifest(RECIPE, embedder.identity, embedder.dimension, versions=versions)

    def _read(self, files: Sequence[Path]) -> list[ReadResult]:
        results: list[ReadResult] = []
        pages = clauses = 0
        with closing(read_all(files, self.reader)) as found:
            for file, result in found:
                if isinstance(result, Unread):
                    self._fail(file, result.message, result.seconds)
                    continue
                results.append(_located(result, file))
                pages, clauses = pages + result.document.pages, clauses + len(result.clauses)
                self.tell(Progress("read", file.name, pages, 0, clauses, 0))
        return results

    def _fail(self, file: Path, message: str, seconds: float = 0.0) -> None:
        self.reports[str(file)] = DocumentReport(file.name, "failed", error=message, seconds=round(seconds, 3))

    def _report(self, manifest: Manifest | None, removed: Sequence[DocumentReport] = ()) -> IngestReport:
        current = in_force(manifest.entries) if manifest else set()
        entries = {entry.document.sha256: entry for entry in manifest.entries} if manifest else {}
        documents = []
        for path in sorted(self.reports, key=lambda path: self.order.get(path, len(self.order))):
            report = self.reports[path]
            entry = entries.get(report.sha256)
            status = (Status.IN_FORCE if entry.generation in current else Status.SUPERSEDED) if entry else ""
            documents.append(replace(report, status=str(status)))
        pages = sum(document.pages for document in documents)
        clauses = sum(document.clauses for document in documents)
        self.tell(Progress("done", "", pages, pages, clauses, clauses))
        return IngestReport((*documents, *removed), time.perf_counter() - self.started)


class _Meter:
    """Counts clauses as they are indexed and tells how far the run is."""

    def __init__(self, tell: ProgressCallback, results: Sequence[ReadResult]) -> None:
        self.tell = tell
        self.pages = sum(result.document.pages for result in results)
        self.total = sum(len(result.clauses) for result in results)
        self.done = 0

    def indexed(self, file: str, clauses: int) -> None:
        """Count ``clauses`` more."""
        self.done += clauses
        self.tell(Progress("index", file, self.pages, self.pages, self.done, self.total))


def generation(sha256: str) -> str:
    """The name of a document version: it changes with the file's bytes and with how they are read and cut."""
    recipe = hashlib.sha256(f"{reading_recipe()} {RECIPE}".encode()).hexdigest()[:8]
    return f"{sha256[:16]}-{recipe}"


def reading_recipe() -> str:
    """The version of the readers: documents read by another one are read again."""
    return metadata.version("techreg-analyst")


def _entry(result: ReadResult) -> Entry:
    account = result.account
    return Entry(
        generation=generation(result.document.sha256),
        document=result.document,
        recipe=reading_recipe(),
        clauses=len(result.clauses),
        account={"total": account.total, "clauses": account.clauses, **account.dropped} if account else {},
        headings=result.headings,
        warnings=result.warnings,
    )


def _located(result: ReadResult, file: Path) -> ReadResult:
    """The result with its document named by the file that was read."""
    document = replace(result.document, file=file.name, path=str(file), sha256=_sha256(file))
    clauses = tuple(replace(clause, document=document) for clause in result.clauses)
    return replace(result, document=document, clauses=clauses)


def _replaces(new: Document, old: Document) -> bool:
    """Whether a file takes the place of an indexed one: it is the same file, or the same issue of a section."""
    if new.path == old.path:
        return True
    same = ("kind", "season", "section", "issue", "date")
    return new.kind == "regulation" and all(getattr(new, name) == getattr(old, name) for name in same)


def _stands_elsewhere(new: Document, old: Document) -> bool:
    """Whether the indexed file is another one that is still there: two files cannot both be the issue."""
    return new.path != old.path and Path(old.path).is_file() and _sha256(Path(old.path)) == old.sha256


def _describe(entry: Entry, state: str, seconds: float) -> DocumentReport:
    document = entry.document
    return DocumentReport(
        file=document.file,
        state=state,
        section=document.section,
        issue=document.issue,
        date=document.date,
        season=document.season,
        pages=document.pages,
        clauses=entry.clauses,
        nodes=entry.nodes,
        struck_characters=entry.account.get("struck", 0),
        account=entry.account,
        warnings=entry.warnings,
        seconds=round(seconds, 3),
        sha256=document.sha256,
    )


def _known_files(manifest: Manifest | None) -> list[Path]:
    """The indexed files that are still where they were read from."""
    return [path for entry in (manifest.entries if manifest else ()) if (path := Path(entry.document.path)).is_file()]


def _names(name: str, document: Document) -> bool:
    return name in (document.file, document.path) or Path(name).resolve() == Path(document.path)


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
