"""What answering asks of the rest of the product, so that it is tested without an index or a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pipelines.schema import Clause, Filters, SearchResult


class Corpus(Protocol):
    """The indexed regulations: :class:`pipelines.engine.Engine` is one."""

    def search(
        self,
        question: str,
        k: int | None = None,
        filters: Filters | None = None,
        explain: bool = False,
        history: Sequence[str] = (),
    ) -> SearchResult:
        """The best clauses for a question, best first; ``history`` holds the earlier questions, oldest first."""
        ...

    def clauses(self, article: str, filters: Filters | None = None) -> Sequence[Clause]:
        """The clauses of an article and of everything below it, in reading order; "" means every clause."""
        ...


class Gate(Protocol):
    """The probability, from 0 to 1, that the best passages of a search answer its question."""

    def __call__(self, result: SearchResult) -> float:
        """The probability for one search."""
        ...


class PieceScorer(Protocol):
    """How relevant runs of a clause are to a question: one score a run, higher is better, of any scale."""

    def __call__(self, question: str, clause: Clause, spans: Sequence[tuple[int, int]]) -> Sequence[float]:
        """The scores, in the order of the runs; ``spans`` are offsets into the clause's text."""
        ...


@dataclass(frozen=True, slots=True)
class PieceMatches:
    """How well n runs of a clause match the t tokens of a question.

    ``tokens`` (n, t) is the best cosine of each question token among a run's words, zeros for a run that is not
    encoded; ``heading`` (t,) the same among the words above the clause; ``weights`` (t,) are the tokens' and sum to 1;
    ``scores`` (n,) are the runs' late-interaction scores, the lowest of the others for a run that is not encoded.
    """

    tokens: NDArray[np.float32]
    heading: NDArray[np.float32]
    weights: NDArray[np.float32]
    scores: tuple[float, ...]


@runtime_checkable
class TokenMatcher(Protocol):
    """A :class:`PieceScorer` that also tells which of the question's tokens a run matches."""

    def matches(self, question: str, clause: Clause, spans: Sequence[tuple[int, int]]) -> PieceMatches:
        """The matches, in the order of the runs; ``spans`` are offsets into the clause's text."""
        ...
