"""Points in Qdrant, a local folder or a server: the only module that calls ``qdrant_client``.

There is one collection for each status, so the usual search, the law in force, asks for no filter: in a local folder
Qdrant checks a filter point by point in Python, which costs more than the search itself. Word statistics (IDF) are
those of the collection, hence of the law that is searched.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from json import JSONDecodeError
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pipelines.errors import IndexUnavailable
from pipelines.schema import Status
from pipelines.settings import Settings

if TYPE_CHECKING:
    from qdrant_client import QdrantClient, models

Vector = NDArray[np.float32]

DENSE = "dense"
SPARSE = "sparse"
RRF_K = 10
"""Chosen on training questions: with the usual 60, middling ranks of both stages outweigh a first rank of one."""
ARTICLE_FIELDS = ("article", "article_printed", "ancestors")
WANTED = ["clause_id", "generation", "text", "token_vectors"]
OLDEST_SERVER = (1, 17)
"""The first server release with weighted reciprocal rank fusion."""

_INDEXED = (
    "generation",
    "section",
    "issue",
    "document",
    "article",
    "article_printed",
    "ancestors",
    "year",
    "clause_id",
)
_NOTE = "manifest"
_PAGE = 512
_UPSERT = 32


@dataclass(frozen=True, slots=True)
class Point:
    """A node as it is stored. Without vectors it is kept but never found."""

    id: str
    payload: dict[str, Any]
    dense: Sequence[float] | None = None
    sparse: dict[int, float] | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A node that a search found: the clause it belongs to, its own text, its score at that stage.

    ``token_vectors`` are those of late interaction as the embedding packed them, "" where it makes none. ``vector`` is
    the node's dense vector, of length 1.
    """

    node_id: str
    clause_id: str
    generation: str
    text: str
    score: float
    token_vectors: str = ""
    vector: Vector | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Scope:
    """Where to search: a status's collection, the versions in it to leave out, and a user's filters."""

    status: Status
    hidden: tuple[str, ...] = ()
    must: dict[str, str] = field(default_factory=dict)  # payload field to its value
    article: str = ""  # as printed or as mended, or an ancestor's


class Store:
    """The collections of one index. Safe to share between threads."""

    def __init__(self, client: QdrantClient, prefix: str, local: bool) -> None:
        self.client = client
        self.prefix = prefix
        self.local = local
        # A local collection is plain lists in this process: a search must not run while points are being added.
        self._lock = threading.RLock() if local else _NoLock()

    @classmethod
    def connect(cls, settings: Settings) -> Store:
        """Open the local folder, which this process must own, or reach the server.

        Raises:
            IndexUnavailable: the server does not answer, refuses the key, or is too old.
        """
        from qdrant_client import QdrantClient

        if not settings.qdrant_url:
            return cls(QdrantClient(path=str(settings.storage)), settings.qdrant_prefix, local=True)
        key = settings.qdrant_api_key.get_secret_value() or None
        with translated(settings.qdrant_url):
            client = QdrantClient(
                url=settings.qdrant_url, api_key=key, timeout=int(settings.qdrant_timeout_s), check_compatibility=False
            )
            version = client.info().version
        if _version(version) < OLDEST_SERVER:
            wanted = ".".join(map(str, OLDEST_SERVER))
            raise IndexUnavailable(f"Qdrant at {settings.qdrant_url} is {version}; {wanted} or later is needed")
        return cls(client, settings.qdrant_prefix, local=False)

    def collection(self, status: Status) -> str:
        """The name of a status's collection."""
        return f"{self.prefix}_{status}"

    def create(self, dimension: int) -> None:
        """Make the collections that are missing, for dense vectors of ``dimension``; on a server also their indexes."""
        from qdrant_client import models

        for status in Status:
            name = self.collection(status)
            with self._guarded():
                if self.client.collection_exists(name):
                    continue
                self.client.create_collection(
                    name,
                    vectors_config={DENSE: models.VectorParams(size=dimension, distance=models.Distance.COSINE)},
                    sparse_vectors_config={SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)},
                )
                if not self.local:
                    for field_name in _INDEXED:
                        self.client.create_payload_index(name, field_name, models.PayloadSchemaType.KEYWORD)

    def drop(self) -> None:
        """Delete every collection."""
        for status in Status:
            with self._guarded():
                self.client.delete_collection(self.collection(status))

    def read_note(self) -> str | None:
        """The text that :meth:`write_note` left on the server, None where there is none."""
        name = f"{self.prefix}_{_NOTE}"
        with self._guarded():
            if not self.client.collection_exists(name):
                return None
            records = self.client.retrieve(name, [0], with_payload=True)
        return str((records[0].payload or {})[_NOTE]) if records else None

    def write_note(self, text: str) -> None:
        """Keep a text beside the points, replaced in one step; "" removes it."""
        from qdrant_client import models

        name = f"{self.prefix}_{_NOTE}"
        with self._guarded():
            if not text:
                self.client.delete_collection(name)
                return
            if not self.client.collection_exists(name):
                self.client.create_collection(name, vectors_config={})
            self.client.upsert(name, [models.PointStruct(id=0, vector={}, payload={_NOTE: text})], wait=True)

    def upsert(self, status: Status, points: Iterable[Point]) -> int:
        """Write points; returns how many of them can be found.

        A local folder commits each point by itself, two flushes to disk each, which is where its time goes: callers
        embed the next points meanwhile. The lock is given back between batches, so searches wait for one at most.
        """
        written = 0
        remaining = iter(points)
        while batch := list(itertools.islice(remaining, _UPSERT)):
            with self._guarded():
                self.client.upsert(self.collection(status), [_struct(point) for point in batch], wait=True)
            written += sum(1 for point in batch if point.dense is not None)
        return written

    def delete(self, status: Status, generation: str) -> None:
        """Delete the points of one document version."""
        from qdrant_client import models

        version = models.FieldCondition(key="generation", match=models.MatchValue(value=generation))
        selector = models.FilterSelector(filter=models.Filter(must=[version]))
        with self._guarded():
            self.client.delete(self.collection(status), selector, wait=True)

    def scroll(
        self, status: Status, generation: str = "", *, first_parts: bool = False, payload: Sequence[str] = ()
    ) -> Iterator[Point]:
        """The points of a collection, of one version if named.

        ``first_parts`` leaves out vectors and later parts; ``payload`` names the fields that are wanted, all if empty.
        """
        offset: Any = None
        conditions: dict[str, Any] = {"generation": generation} if generation else {}
        if first_parts:
            conditions["part"] = 0
        while True:
            with self._guarded():
                records, offset = self.client.scroll(
                    self.collection(status),
                    scroll_filter=_filter(**conditions),
                    limit=_PAGE,
                    offset=offset,
                    with_payload=list(payload) or True,
                    with_vectors=not first_parts,
                )
            yield from (_point(record) for record in records)
            if offset is None:
                return

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
        """The nodes nearest by vector and by words, ``depth`` of each, fused by reciprocal rank.

        ``weights`` are those of the dense and the sparse ranks. Filters stand inside each prefetch. A question without
        index words is searched by vector alone.
        """
        from qdrant_client import models

        where = _scope_filter(scope)
        prefetch = [models.Prefetch(query=list(dense), using=DENSE, filter=where, limit=depth)]
        if sparse:
            prefetch.append(models.Prefetch(query=_sparse(sparse), using=SPARSE, filter=where, limit=depth))
        fusion = models.RrfQuery(rrf=models.Rrf(k=RRF_K, weights=list(weights[: len(prefetch)])))
        with self._guarded():
            found = self.client.query_points(
                self.collection(scope.status),
                prefetch=prefetch,
                query=fusion,
                limit=limit,
                with_payload=WANTED,
                with_vectors=[DENSE],
            )
        return [_hit(point) for point in found.points]

    def nearest(self, scope: Scope, query: Sequence[float] | dict[int, float], *, limit: int) -> list[Hit]:
        """The nodes nearest by one stage alone: by vector for a list, by words for word weights."""
        where = _scope_filter(scope)
        if not query:
            return []
        with self._guarded():
            found = self.client.query_points(
                self.collection(scope.status),
                query=_sparse(query) if isinstance(query, dict) else list(query),
                using=SPARSE if isinstance(query, dict) else DENSE,
                query_filter=where,
                limit=limit,
                with_payload=WANTED,
            )
        return [_hit(point) for point in found.points]

    def fetch(self, status: Status, ids: Sequence[str]) -> list[Hit]:
        """The nodes that there are of these ids, each with score 0."""
        with self._guarded():
            records = self.client.retrieve(
                self.collection(status), list(ids), with_payload=WANTED, with_vectors=[DENSE]
            )
        return [as_hit(str(record.id), record.payload or {}, 0.0, _dense(record)) for record in records]

    def close(self) -> None:
        """Close the connection or the folder."""
        self.client.close()

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        with self._lock, translated("the local folder" if self.local else "the server"):
            yield


class _NoLock:
    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


@contextmanager
def translated(where: str) -> Iterator[None]:
    """Turn what the client raises for a server that fails into the project's error."""
    from qdrant_client.common.client_exceptions import QdrantException
    from qdrant_client.http.exceptions import ApiException, ResponseHandlingException, UnexpectedResponse

    try:
        yield
    except UnexpectedResponse as error:
        reason = (error.reason_phrase or "").strip()
        raise IndexUnavailable(f"Qdrant at {where} answered {error.status_code} {reason}".rstrip()) from error
    except ResponseHandlingException as error:
        source = error.source if error.source is not None else error
        raise IndexUnavailable(f"Qdrant at {where} does not answer: {source or type(source).__name__}") from error
    except (ApiException, QdrantException) as error:
        raise IndexUnavailable(f"Qdrant at {where} failed: {error}") from error
    except JSONDecodeError as error:
        raise IndexUnavailable(f"what answers at {where} is no Qdrant server") from error


def moved(point: Point, status: Status) -> Point:
    """The same point with another status in its payload."""
    return replace(point, payload={**point.payload, "status": str(status)})


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("-")[0].split(".")[:2] if part.isdigit())


def _filter(**values: Any) -> models.Filter | None:
    from qdrant_client import models

    must: list[models.Condition] = [
        models.FieldCondition(key=key, match=models.MatchValue(value=value)) for key, value in values.items()
    ]
    return models.Filter(must=must) if must else None


def _scope_filter(scope: Scope) -> models.Filter | None:
    from qdrant_client import models

    must: list[models.Condition] = [
        models.FieldCondition(key=key, match=models.MatchValue(value=value)) for key, value in scope.must.items()
    ]
    if scope.article:
        value = models.MatchValue(value=scope.article)
        must.append(models.Filter(should=[models.FieldCondition(key=key, match=value) for key in ARTICLE_FIELDS]))
    must_not: list[models.Condition] = []
    if scope.hidden:
        hidden = models.MatchAny(any=list(scope.hidden))
        must_not.append(models.FieldCondition(key="generation", match=hidden))
    return models.Filter(must=must or None, must_not=must_not or None) if must or must_not else None


def _sparse(weights: dict[int, float]) -> models.SparseVector:
    from qdrant_client import models

    return models.SparseVector(indices=list(weights), values=list(weights.values()))


def _struct(point: Point) -> models.PointStruct:
    from qdrant_client import models

    vector: dict[str, Any] = {}
    if point.dense is not None:
        vector[DENSE] = list(point.dense)
    if point.sparse is not None:
        vector[SPARSE] = _sparse(point.sparse)
    return models.PointStruct(id=point.id, vector=vector, payload=point.payload)


def _point(record: models.Record) -> Point:
    vectors = record.vector if isinstance(record.vector, dict) else {}
    dense: Any = vectors.get(DENSE)
    sparse: Any = vectors.get(SPARSE)
    weights = dict(zip(sparse.indices, sparse.values, strict=True)) if sparse is not None else None
    return Point(str(record.id), record.payload or {}, dense, weights)


def _hit(point: models.ScoredPoint) -> Hit:
    return as_hit(str(point.id), point.payload or {}, point.score, _dense(point))


def as_hit(node_id: str, payload: dict[str, Any], score: float, vector: Vector | None = None) -> Hit:
    """A point as a search returns it."""
    tokens = payload.get("token_vectors", "")
    return Hit(node_id, payload["clause_id"], payload["generation"], payload["text"], score, tokens, vector)


def _dense(point: models.ScoredPoint | models.Record) -> Vector | None:
    """The dense vector that came with a point, None where none was asked for or it has none."""
    found = point.vector.get(DENSE) if isinstance(point.vector, dict) else None
    return None if found is None else unit(np.asarray(found, dtype=np.float32))


def unit(vectors: Vector) -> Vector:
    """Vectors (..., h) at length 1."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-12), dtype=np.float32)
