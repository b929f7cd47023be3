"""Clauses to points: cut, embedded and weighed by a LlamaIndex IngestionPipeline, a batch at a time."""

from __future__ import annotations

import contextlib
import ctypes
import queue
import sys
import threading
from collections.abc import Generator, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from pipelines.bm25 import document_vector
from pipelines.index.records import encode
from pipelines.index.store import Point
from pipelines.index_text import is_searchable
from pipelines.schema import Clause

if TYPE_CHECKING:
    from llama_index.core.schema import BaseNode

    from pipelines.models.embedding import Embedder

T = TypeVar("T")
BATCH = 96


def points(
    clauses: Sequence[Clause], order: dict[str, int], generation: str, embedder: Embedder
) -> Iterator[list[Point]]:
    """The points of some clauses of one document version, a batch of clauses at a time.

    Args:
        clauses: the clauses to turn into points.
        order: each clause's place in its document, by clause id.
        generation: the document version.
        embedder: the embedding model.

    Yields:
        The points of the next clauses. Each clause's first point carries the whole clause; a clause that cannot be an
        answer has that one point, without vectors.
    """
    from llama_index.core.ingestion import IngestionPipeline

    from pipelines.nodes import ClauseCutter, ShortFirst, to_node

    by_id = {clause.id: clause for clause in clauses}
    cutter = ClauseCutter(clauses=by_id, count=embedder.count, window=embedder.window)
    pipeline = IngestionPipeline(transformations=[cutter, ShortFirst(), embedder.model], disable_cache=True)
    remaining = iter(clauses)
    while batch := list(islice(remaining, BATCH)):
        whole = [to_node(clause, generation, 0, clause.text) for clause in batch]
        kept = [node for node, clause in zip(whole, batch, strict=True) if is_searchable(clause)]
        plain = [node for node, clause in zip(whole, batch, strict=True) if not is_searchable(clause)]
        nodes = pipeline.run(nodes=kept) if kept else []
        _give_memory_back()
        yield [_point(node, by_id, order) for node in (*nodes, *plain)]


def _point(node: BaseNode, clauses: dict[str, Clause], order: dict[str, int]) -> Point:
    text = node.get_content()
    payload: dict[str, Any] = {**node.metadata, "text": text}
    clause = clauses[payload["clause_id"]]
    if payload["part"] == 0:
        payload |= {"clause": encode(clause), "order": order[clause.id]}
    if node.embedding is None:
        return Point(node.node_id, payload)
    return Point(node.node_id, payload, node.embedding, document_vector(text))


def _give_memory_back() -> None:
    """Hand freed memory to the system: glibc keeps what batches of ever other lengths leave, half a gigabyte a run."""
    if sys.platform == "linux":
        with contextlib.suppress(AttributeError, OSError):
            ctypes.CDLL(None).malloc_trim(0)


def ahead(items: Iterable[T], depth: int = 2) -> Generator[T]:
    """The items, made up to ``depth`` ahead in a thread of their own, so that making and using them overlap.

    An error in making an item is raised where the item would have come. Closing the iterator ends the thread.
    """
    done = object()
    ready: queue.Queue[Any] = queue.Queue(maxsize=depth)
    stop = threading.Event()

    def put(item: Any) -> bool:
        while not stop.is_set():
            try:
                ready.put(item, timeout=0.1)
                return True
            except queue.Full:
                continue
        return False

    def make() -> None:
        try:
            for item in items:
                if not put(item):
                    return
            put(done)
        except BaseException as error:
            put(_Raised(error))

    thread = threading.Thread(target=make, name="techreg-embed", daemon=True)
    thread.start()
    try:
        while (item := ready.get()) is not done:
            if isinstance(item, _Raised):
                raise item.error
            yield item
    finally:
        stop.set()
        thread.join()


class _Raised:
    def __init__(self, error: BaseException) -> None:
        self.error = error
