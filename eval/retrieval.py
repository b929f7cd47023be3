"""Retrieval scored against gold questions: is the right clause first, in the first five, among the candidates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipelines.engine import Engine
from pipelines.schema import Filters


@dataclass(frozen=True, slots=True)
class Miss:
    """A gold question whose right clause did not come first, and the stage that lost it."""

    id: str
    question: str
    wanted: tuple[str, ...]
    got: tuple[str, ...]
    stage: str  # "dense and sparse", "fusion" or "rerank"
    rank: int  # of the first right clause among the results, 0 when it is not there


@dataclass(frozen=True, slots=True)
class RetrievalReport:
    """Scores over all gold questions, by style and by section, and what was missed."""

    n: int
    metrics: dict[str, float]
    by_style: dict[str, dict[str, float]]
    by_section: dict[str, dict[str, float]]
    ms: dict[str, float]
    counts: dict[str, int]
    misses: tuple[Miss, ...]

    def as_dict(self) -> dict[str, Any]:
        """The report as plain JSON data."""
        raise NotImplementedError


def evaluate(
    gold_path: Path,
    engine: Engine,
    *,
    k: int = 10,
    filters: Filters | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> RetrievalReport:
    """Search every question of ``gold_path`` and score the results; ``progress`` gets (done, total).

    Raises:
        UsageError: the gold file cannot be read; the message names the line.
    """
    raise NotImplementedError
