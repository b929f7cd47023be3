"""An open index: the points, the manifest that says which of them count, and how a document version comes and goes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from pipelines.errors import IndexBusy, IndexEmpty
from pipelines.index import records
from pipelines.index.lock import FolderLock
from pipelines.index.manifest import Entry, Manifest, ManifestFile, ManifestStore, State, dump, in_force, parse
from pipelines.index.snapshot import Snapshot
from pipelines.index.store import ARTICLE_FIELDS, WANTED, Hit, Point, Scope, Store, moved
from pipelines.index_text import node_id
from pipelines.models.embedding import ModelIdentity
from pipelines.schema import Clause, Filters, Status
from pipelines.settings import Settings

MOST_PARTS = 8
_SEARCHED = (*WANTED, *ARTICLE_FIELDS, "section", "issue", "document")
Change = tuple[Status, str, State | None]
Write = Callable[[Status], Iterable[Point]]
"""Gives the points of a new version that belong into a status's collection."""


class ManifestNote:
    """The manifest of an index on a server, kept there for every app that shares it."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def load(self) -> Manifest | None:
        """The manifest, None where nothing was ever indexed."""
        text = self.store.read_note()
        return parse(text) if text else None

    def save(self, manifest: Manifest) -> None:
        """Replace the manifest in one step."""
        self.store.write_note(dump(manifest))

    def clear(self) -> None:
        """Forget the manifest."""
        self.store.write_note("")


class Index:
    """One index, open. ``revision`` grows with every change, so that a reader knows when to look again."""

    def __init__(self, store: Store, manifests: ManifestStore, lock: FolderLock | None = None) -> None:
        self.store = store
        self.revision = 0
        self._manifests = manifests
        self._lock = lock
        self._manifest = manifests.load()
        self._users = 1
        self._making = threading.Lock()
        self._snapshots: dict[Status, tuple[int, Snapshot]] = {}
        self._key: Path | None = None

    @property
    def manifest(self) -> Manifest | None:
        """What the index holds, None while nothing was ever indexed."""
        return self._manifest

    def require(self, recipe: str, model: ModelIdentity) -> Manifest:
        """The manifest of an index that can answer.

        Raises:
            IndexEmpty: nothing is indexed.
            IndexMismatch: another model or text recipe built it.
        """
        manifest = self._manifest
        if manifest is None or not manifest.entries:
            raise IndexEmpty("nothing is indexed yet")
        manifest.check(recipe, model)
        return manifest

    def reload(self) -> None:
        """Read the manifest again: on a server another app may have changed it."""
        manifest = self._manifests.load()
        if manifest != self._manifest:
            self._manifest = manifest
            self.revision += 1

    def prepare(self, empty: Manifest) -> Manifest:
        """Make the collections of an index that holds nothing, or finish what an interrupted run left.

        Raises:
            IndexMismatch: what is indexed was built otherwise than ``empty`` says.
        """
        if self._manifest is None:
            self.store.create(empty.dimension)
            self._save(empty)
        self._require_manifest().check(empty.recipe, empty.model)
        self.settle()
        return self._require_manifest()

    def settle(self) -> None:
        """Delete what is half written or half deleted. Running it twice, or after a crash within it, does no harm."""
        manifest = self._manifest
        if manifest is None:
            return
        leftovers = [(status, generation) for status in Status for generation in manifest.hidden(status)]
        for status, generation in leftovers:
            self.store.delete(status, generation)
        if leftovers:
            self._save(manifest.with_states((status, generation, None) for status, generation in leftovers))

    def replace(self, entry: Entry, write: Write, drop: Sequence[str] = ()) -> Entry:
        """Put a document version in, and the versions in ``drop`` out, in one visible step.

        Points are written out of sight, then the manifest is flipped, then what no longer counts is deleted. Versions
        whose status changes with it (a newer issue supersedes an older one) move in the same step.

        Returns:
            The entry as it was recorded, its nodes counted.
        """
        gone = {*drop, entry.generation}
        kept = [other for other in self._require_manifest().entries if other.generation not in gone]
        self._change([*kept, entry], entry.generation, write)
        return next(found for found in self._require_manifest().entries if found.generation == entry.generation)

    def remove(self, generations: Sequence[str]) -> None:
        """Take document versions out; an older issue that they superseded is in force again."""
        manifest = self._require_manifest()
        self._change([entry for entry in manifest.entries if entry.generation not in generations])

    def clear(self) -> None:
        """Forget everything that is indexed."""
        self.store.drop()
        self._manifests.clear()
        self._manifest = None
        self.revision += 1

    def clauses(self) -> Iterator[Clause]:
        """Every clause that counts, whole, with its status as of now, in no order."""
        for clause, _ in self._clauses():
            yield clause

    def ordered(self) -> list[Clause]:
        """Every clause that counts: law in force first, by section, issue and place in the document."""
        statuses = list(Status)

        def place(found: tuple[Clause, int]) -> tuple[int, str, str, str, int]:
            clause, order = found
            document = clause.document
            return (statuses.index(clause.status), document.section, document.date, document.file, order)

        return [clause for clause, _ in sorted(self._clauses(), key=place)]

    def scopes(self, filters: Filters) -> list[Scope]:
        """Where a search with these filters looks, in order: one status's collection, or all of them."""
        manifest = self._require_manifest()
        asked = list(Status) if filters.status == "all" else [Status(filters.status)]
        must = {
            name: value
            for name, value in (("section", filters.section), ("issue", filters.issue), ("document", filters.document))
            if value
        }
        live = [status for status in asked if manifest.live(status)]
        return [Scope(status, manifest.hidden(status), must, filters.article) for status in live]

    def hybrid(
        self,
        scope: Scope,
        dense: Sequence[float],
        sparse: dict[int, float],
        *,
        depth: int,
        limit: int,
        weights: tuple[float, float],
    ) -> list[Hit]:
        """See :meth:`Store.hybrid`."""
        return self._searched(scope.status).hybrid(scope, dense, sparse, depth=depth, limit=limit, weights=weights)

    def nearest(self, scope: Scope, query: Sequence[float] | dict[int, float], *, limit: int) -> list[Hit]:
        """See :meth:`Store.nearest`."""
        return self._searched(scope.status).nearest(scope, query, limit=limit)

    def nodes(self, clauses: Sequence[Clause]) -> list[Hit]:
        """The nodes of some clauses, up to :data:`MOST_PARTS` of each, by their ids: no search is needed."""
        manifest = self._require_manifest()
        versions = {entry.document.sha256: entry.generation for entry in manifest.entries}
        hits: list[Hit] = []
        for status in {clause.status for clause in clauses}:
            of_status = [clause for clause in clauses if clause.status is status and clause.document.sha256 in versions]
            ids = [
                node_id(versions[clause.document.sha256], clause, part)
                for clause in of_status
                for part in range(MOST_PARTS)
            ]
            hits += self.store.fetch(status, ids)
        return hits

    def announce(self, host: str, port: int) -> None:
        """Tell other processes where this one serves the app; on a server index there is nothing to tell."""
        if self._lock is not None:
            self._lock.announce(host, port)

    def close(self) -> None:
        """Let go of the index; the last user in this process closes it."""
        with _OPEN_LOCK:
            self._users -= 1
            if self._users > 0:
                return
            if self._key is not None:
                _OPEN.pop(self._key, None)
            self.store.close()
            if self._lock is not None:
                self._lock.release()

    def _searched(self, status: Status) -> Store | Snapshot:
        """What answers searches: the server; of a local folder, its points in arrays as of now."""
        if not self.store.local:
            return self.store
        with self._making:
            revision, snapshot = self._snapshots.get(status, (-1, None))
            if snapshot is None or revision != self.revision:
                revision = self.revision
                snapshot = Snapshot(self.store.scroll(status, payload=_SEARCHED))
                self._snapshots[status] = (revision, snapshot)
            return snapshot

    def _change(self, entries: list[Entry], new: str = "", write: Write | None = None) -> None:
        """Make ``entries`` what the index holds; ``write`` gives the points of the version ``new``."""
        manifest = self._require_manifest()
        current = in_force(entries)
        wanted = {
            (status, entry.generation)
            for entry in entries
            for status in ((Status.IN_FORCE, Status.FUTURE) if entry.generation in current else (Status.SUPERSEDED,))
        }
        present = {(status, generation) for status in Status for generation in manifest.live(status)}
        # A version that is written anew under its own name overwrites its points: nothing of it is kept apart.
        added = sorted((wanted - present) | {place for place in wanted if place[1] == new})
        removed = sorted(present - wanted)
        self._save(manifest.with_states((status, generation, State.WRITING) for status, generation in added))
        nodes = 0
        for status, generation in added:
            if write is not None and generation == new:
                nodes += self.store.upsert(status, write(status))
            else:
                self.store.upsert(status, self._moving(manifest, generation, status))
        counted = tuple(replace(entry, nodes=nodes) if entry.generation == new else entry for entry in entries)
        flipped = replace(self._require_manifest(), entries=counted).with_states(
            [(status, generation, State.LIVE) for status, generation in added]
            + [(status, generation, State.DELETING) for status, generation in removed]
        )
        self._save(flipped)
        self.settle()

    def _moving(self, manifest: Manifest, generation: str, status: Status) -> Iterator[Point]:
        """The points of a version that belong into another status's collection, copied from where they count now."""
        for source in Status:
            if generation not in manifest.live(source):
                continue
            for point in self.store.scroll(source, generation):
                if status == Status.SUPERSEDED or point.payload["read_as"] == status:
                    yield moved(point, status)

    def _clauses(self) -> Iterator[tuple[Clause, int]]:
        manifest = self._manifest
        if manifest is None:
            return
        documents = {entry.generation: entry.document for entry in manifest.entries}
        for status in Status:
            live = set(manifest.live(status))
            if not live:
                continue
            for point in self.store.scroll(status, first_parts=True):
                generation = point.payload["generation"]
                if generation in live:
                    yield records.decode(point.payload["clause"], documents[generation], status), point.payload["order"]

    def _require_manifest(self) -> Manifest:
        if self._manifest is None:
            raise IndexEmpty("nothing is indexed yet")
        return self._manifest

    def _save(self, manifest: Manifest) -> None:
        self._manifests.save(manifest)
        self._manifest = manifest
        self.revision += 1


_OPEN: dict[Path, Index] = {}
_OPEN_LOCK = threading.Lock()


def open_index(settings: Settings) -> Index:
    """Open the index that the settings name; within one process every opener of a local folder shares it.

    Close it as often as it was opened.

    Raises:
        IndexBusy: another process holds the local folder.
        IndexMismatch: the manifest cannot be read.
        IndexUnavailable: the Qdrant server does not answer.
    """
    if settings.qdrant_url:
        store = Store.connect(settings)
        return _opened(store, lambda: Index(store, ManifestNote(store)))
    key = settings.storage.resolve()
    with _OPEN_LOCK:
        if key in _OPEN:
            _OPEN[key]._users += 1
            return _OPEN[key]
        lock = FolderLock(settings.storage)
        try:
            store = Store.connect(settings)
            index = _opened(store, lambda: Index(store, ManifestFile(settings.storage), lock))
        except RuntimeError as error:  # Qdrant's own lock: a program other than this one has the folder open
            lock.release()
            raise IndexBusy(f"another Qdrant client holds the storage folder {settings.storage}") from error
        except BaseException:
            lock.release()
            raise
        index._key = key
        _OPEN[key] = index
        return index


def _opened(store: Store, make: Callable[[], Index]) -> Index:
    try:
        return make()
    except BaseException:
        store.close()
        raise
