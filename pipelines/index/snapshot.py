"""A local collection's points in arrays, searched as Qdrant searches them.

In a local folder Qdrant scores sparse vectors and checks filters point by point in Python: 100 ms and more a question
for the regulations of one season. The same scores by numpy take 2. Results equal those of :class:`Store`, which a test
asserts; a server is asked through :class:`Store` itself.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pipelines.index.store import ARTICLE_FIELDS, RRF_K, Hit, Point, Scope, as_hit, unit
from pipelines.products import product

Rows = NDArray[np.intp]
Mask = NDArray[np.bool_]


class Snapshot:
    """The findable points of one collection as they were when it was made. Never changes, so threads may share it."""

    def __init__(self, points: Iterable[Point]) -> None:
        kept = [point for point in points if point.dense is not None]
        self._hits = [as_hit(point.id, point.payload, 0.0) for point in kept]
        self._columns = {
            name: np.array([point.payload.get(name, "") for point in kept], dtype=object)
            for name in ("generation", "section", "issue", "document")
        }
        self._articles: dict[str, set[int]] = defaultdict(set)
        postings: dict[int, list[tuple[int, float]]] = defaultdict(list)
        for row, point in enumerate(kept):
            for name in ARTICLE_FIELDS:
                value = point.payload.get(name, "")
                for article in value if isinstance(value, list) else [value]:
                    self._articles[article].add(row)
            for word, weight in (point.sparse or {}).items():
                postings[word].append((row, weight))
        self._with_words = sum(1 for point in kept if point.sparse is not None)
        self._postings = {
            word: (np.array([row for row, _ in found], dtype=np.intp), np.array([weight for _, weight in found]))
            for word, found in postings.items()
        }
        vectors = np.array([point.dense for point in kept] or np.zeros((0, 1)), dtype=np.float32)
        self._vectors = unit(vectors)

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
        if not self._hits:
            return []
        mask = self._mask(scope)
        stages = [self._nearest(self._by_vector(dense), mask, depth)]
        if sparse:
            stages.append(self._nearest(self._by_words(sparse), mask, depth))
        scores: dict[int, float] = {}
        for (rows, _), weight in zip(stages, weights, strict=False):
            for rank, row in enumerate(rows, start=1):
                scores[int(row)] = scores.get(int(row), 0.0) + 1 / (rank / weight + RRF_K - 1)
        best = sorted(scores.items(), key=lambda found: -found[1])[:limit]
        return [self._hit(row, score) for row, score in best]

    def nearest(self, scope: Scope, query: Sequence[float] | dict[int, float], *, limit: int) -> list[Hit]:
        """See :meth:`Store.nearest`."""
        if not query or not self._hits:
            return []
        scores = self._by_words(query) if isinstance(query, dict) else self._by_vector(query)
        rows, found = self._nearest(scores, self._mask(scope), limit)
        return [self._hit(int(row), float(score)) for row, score in zip(rows, found, strict=True)]

    def _hit(self, row: int, score: float) -> Hit:
        return replace(self._hits[row], score=score, vector=self._vectors[row])

    def _mask(self, scope: Scope) -> Mask | None:
        """Which rows a scope lets through; None for all."""
        masks = [np.asarray(self._columns[name] == value, dtype=bool) for name, value in scope.must.items()]
        if scope.hidden:
            masks.append(~np.isin(self._columns["generation"].astype(str), list(scope.hidden)))
        if scope.article:
            named = np.zeros(len(self._hits), dtype=bool)
            named[list(self._articles.get(scope.article, ()))] = True
            masks.append(named)
        return np.logical_and.reduce(masks) if masks else None

    def _by_vector(self, query: Sequence[float]) -> NDArray[np.float64]:
        return np.asarray(product(self._vectors, unit(np.asarray(query, dtype=np.float32))), np.float64)

    def _by_words(self, query: dict[int, float]) -> NDArray[np.float64]:
        """BM25 scores with Qdrant's inverse document frequency; minus infinity where no word is shared."""
        scores = np.zeros(len(self._hits))
        shared = np.zeros(len(self._hits), dtype=bool)
        for word, count in query.items():
            if word not in self._postings:
                continue
            rows, weights = self._postings[word]
            rarity = math.log((self._with_words - len(rows) + 0.5) / (len(rows) + 0.5) + 1)
            scores[rows] += count * rarity * weights
            shared[rows] = True
        return np.where(shared, scores, -np.inf)

    def _nearest(self, scores: NDArray[np.float64], mask: Mask | None, limit: int) -> tuple[Rows, NDArray[np.float64]]:
        """The rows of the highest scores, best first; of equal ones the earlier."""
        allowed = np.isfinite(scores) if mask is None else mask & np.isfinite(scores)
        rows = np.flatnonzero(allowed)
        best = rows[np.argsort(-scores[rows], kind="stable")[:limit]]
        return best, scores[best]
