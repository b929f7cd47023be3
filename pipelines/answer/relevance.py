"""How relevant the pieces of a clause are to a question, from the token vectors that late interaction has stored.

A clause was encoded when it was indexed, every word in the light of those around it. A piece takes the vectors of its
own words from there: for each token of the question its best match among them, weighted as the reranker weighs it.
Nothing is encoded but the question, and that was done by the search.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from pipelines.late_interaction import FITTED, FITTED_FOLDER, Floats, LateInteractionEncoder, TokenVectors
from pipelines.products import product
from pipelines.schema import Clause
from pipelines.settings import Settings

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class EncodedNode:
    """A node of a clause: its text as it was indexed, heading included, and its token vectors."""

    text: str
    vectors: TokenVectors


Nodes = Callable[[Clause], Sequence[EncodedNode]]
"""The nodes of a clause, in order; none where they are not encoded."""


@runtime_checkable
class EncodedCorpus(Protocol):
    """A corpus that keeps the token vectors of its nodes: :class:`pipelines.engine.Engine` is one."""

    def encoded(self, clause: Clause) -> Sequence[EncodedNode]:
        """The nodes of a clause with their token vectors; none where they are not encoded."""
        ...


def load_relevance(settings: Settings, corpus: object) -> TokenRelevance | None:
    """The relevance for the model that the settings name; None where it keeps no token vectors.

    Raises:
        ModelNotFound: the fitted model cannot be loaded.
    """
    if settings.embed_model != FITTED or not isinstance(corpus, EncodedCorpus):
        return None
    from pipelines.models.fitted import encoder

    return TokenRelevance(encoder(FITTED_FOLDER, settings.threads), corpus.encoded)


class TokenRelevance:
    """Scores pieces by the late interaction of the question with the piece's own words. Thread-safe."""

    def __init__(self, encoder: LateInteractionEncoder, nodes: Nodes) -> None:
        self._encoder = encoder
        self._nodes = nodes

    def __call__(self, question: str, clause: Clause, spans: Sequence[Span]) -> Sequence[float]:
        """One score a span; a span that stands in no node scores as the lowest of the others."""
        asked = self._encoder.question(question)
        best: dict[int, float] = {}
        for node in self._nodes(clause):
            offsets = self._encoder.offsets(node.text)
            if len(offsets) != len(node.vectors.values):
                continue  # encoded with other words than these
            similar = product(node.vectors.values.astype(np.float32), asked.tokens.T) * np.float32(node.vectors.scale)
            position = 0
            for place, (start, end) in enumerate(spans):
                run = clause.text[start:end]
                found = node.text.find(run, position)
                if found < 0:
                    found = node.text.find(run)
                if found < 0:
                    continue
                position = found
                score = _late(similar, offsets, (found, found + len(run)), asked.weights)
                if score is not None:
                    best[place] = max(score, best.get(place, score))
        lowest = min(best.values(), default=0.0)
        return [best.get(place, lowest) for place in range(len(spans))]


def _late(similar: Floats, offsets: Sequence[Span], run: Span, weights: Floats) -> float | None:
    """The late-interaction score of the tokens within ``run``; None where there are none."""
    inside = [place for place, (start, end) in enumerate(offsets) if start < end and run[0] <= start and end <= run[1]]
    return float(product(similar[inside].max(axis=0), weights)) if inside else None
