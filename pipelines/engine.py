"""The one entry for app, API, command line and evaluation: search, ask, stream, clauses."""

from __future__ import annotations

from collections.abc import Sequence

from pipelines.schema import Clause, Filters, SearchResult
from pipelines.settings import Settings


class Engine:
    """An open index with its models. Opening is cheap; models load at the first question. Thread-safe.

    Raises:
        IndexEmpty: nothing is indexed yet.
        IndexMismatch: the index was built by another model or text recipe.
        IndexBusy: another process holds the storage folder.
        IndexUnavailable: the Qdrant server does not answer.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def search(
        self,
        question: str,
        k: int | None = None,
        filters: Filters | None = None,
        explain: bool = False,
        history: Sequence[str] = (),
    ) -> SearchResult:
        """Find the clauses that bear on a question, best first, at most ``k`` (default: the setting ``results``)."""
        raise NotImplementedError

    def clauses(self, article: str = "", filters: Filters | None = None) -> tuple[Clause, ...]:
        """The clauses of an article and of everything below it, in reading order; "" means every clause.

        ``article`` may be an id as printed or as mended. Each clause carries its status as of now.
        """
        raise NotImplementedError

    def close(self) -> None:
        """Release the storage folder and the connection."""
        raise NotImplementedError

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
