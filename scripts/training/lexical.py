"""BM25 over all passages in memory, with the index's own words and weights: for mining and for measuring mixtures."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pipelines.bm25 import document_vector, query_vector


class Bm25:
    """BM25 scores of a fixed list of texts."""

    def __init__(self, texts: Sequence[str]) -> None:
        postings: dict[int, list[tuple[int, float]]] = defaultdict(list)
        for row, text in enumerate(texts):
            for word, weight in document_vector(text).items():
                postings[word].append((row, weight))
        self._size = len(texts)
        self._postings = {}
        for word, pairs in postings.items():
            idf = math.log(1 + (self._size - len(pairs) + 0.5) / (len(pairs) + 0.5))
            rows = np.array([row for row, _ in pairs])
            self._postings[word] = (rows, np.array([weight * idf for _, weight in pairs], dtype=np.float32))

    def scores(self, question: str) -> NDArray[np.float32]:
        """The score of each text, shape (texts,)."""
        total = np.zeros(self._size, dtype=np.float32)
        for word, count in query_vector(question).items():
            if word in self._postings:
                rows, weights = self._postings[word]
                total[rows] += weights * count
        return total
