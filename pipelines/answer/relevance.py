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

from pipelines.answer.ports import PieceMatches
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
        return self.matches(question, clause, spans).scores

    def matches(self, question: str, clause: Clause, spans: Sequence[Span]) -> PieceMatches:
        """The best match of each of the question's tokens in each span, and in the headings above the clause."""
        asked = self._encoder.question(question)
        tokens = np.zeros((len(spans), len(asked.weights)), dtype=np.float32)
        heading = np.zeros(len(asked.weights), dtype=np.float32)
        best: dict[int, float] = {}
        for node in self._nodes(clause):
            offsets = self._encoder.offsets(node.text)
            if len(offsets) != len(node.vectors.values):
                continue  # encoded with other words than these
            similar = product(node.vectors.values.astype(np.float32), asked.tokens.T) * np.float32(node.vectors.scale)
            position, first = 0, len(node.text)
            for place, (start, end) in enumerate(spans):
                run = clause.text[start:end]
                found = node.text.find(run, position)
                if found < 0:
                    found = node.text.find(run)
                if found < 0:
                    continue
                position, first = found, min(first, found)
                matched = _best(similar, offsets, (found, found + len(run)))
                if matched is None:
                    continue
                score = float(product(matched, asked.weights))
                if score > best.get(place, -np.inf):
                    best[place], tokens[place] = score, matched
            above = _best(similar, offsets, (0, first)) if first < len(node.text) else None
            if above is not None:
                heading = np.maximum(heading, above)
        lowest = min(best.values(), default=0.0)
        scores = tuple(best.get(place, lowest) for place in range(len(spans)))
        return PieceMatches(tokens, heading, asked.weights, scores)


def _best(similar: Floats, offsets: Sequence[Span], run: Span) -> Floats | None:
    """The best match of each question token among the tokens within ``run``; None where there are none."""
    inside = [place for place, (start, end) in enumerate(offsets) if start < end and run[0] <= start and end <= run[1]]
    return np.asarray(similar[inside].max(axis=0), dtype=np.float32) if inside else None
