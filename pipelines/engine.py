"""The one entry for app, API, command line and evaluation: search, ask, stream, clauses."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pipelines.errors import UsageError
from pipelines.index import open_index
from pipelines.index.manifest import headings
from pipelines.index_text import RECIPE
from pipelines.late_interaction import FITTED
from pipelines.library import ALL, Library, key
from pipelines.links import Links
from pipelines.models.embedding import embedder_identity, load_embedder
from pipelines.models.reranking import NONE, load_reranker
from pipelines.ranking import reranked
from pipelines.schema import Clause, Filters, Passage, Reply, SearchResult, Status
from pipelines.settings import Settings
from pipelines.understand import understand

if TYPE_CHECKING:
    from llama_index.core.postprocessor.types import BaseNodePostprocessor

    from pipelines.answer.answerer import Answerer
    from pipelines.answer.relevance import EncodedNode
    from pipelines.llm import LanguageModel
    from pipelines.models.embedding import Embedder

RELOAD_S = 30.0
"""How often an index on a server is asked whether another app has changed it."""


class Engine:
    """An open index with its models. Opening is cheap: models load at the first question. Thread-safe."""

    def __init__(
        self,
        settings: Settings,
        embedder: Embedder | None = None,
        reranker: BaseNodePostprocessor | None = None,
    ) -> None:
        """Open the index that the settings name; ``embedder`` and ``reranker`` stand in for the models they name.

        Raises:
            IndexEmpty: nothing is indexed yet.
            IndexMismatch: the index was built by another model or text recipe.
            IndexBusy: another process holds the storage folder.
            IndexUnavailable: the Qdrant server does not answer.
            ModelNotFound: a setting names a model that is not there.
        """
        self.settings = settings
        self._embedder = embedder
        self._reranker = reranker
        self._lock = threading.Lock()
        self._library: Library | None = None
        self._links: Links | None = None
        self._answerer: Answerer | None = None
        self._answers_of: Library | None = None
        self._language_model: LanguageModel | None = None
        self._revision = -1
        self._index = open_index(settings)
        self._reloaded = time.monotonic()
        try:
            self._index.require(RECIPE, embedder.identity if embedder else embedder_identity(settings))
        except BaseException:
            self._index.close()
            raise

    def search(
        self,
        question: str,
        k: int | None = None,
        filters: Filters | None = None,
        explain: bool = False,
        history: Sequence[str] = (),
    ) -> SearchResult:
        """Find the clauses that bear on a question, best first, at most ``k`` (default: the setting ``results``).

        Args:
            question: in the words of a person; nothing is found for a blank one.
            k: how many clauses to return.
            filters: what to search; by default the law in force.
            explain: also tell each passage's rank by vector, by words and by look-up, which costs two more searches.
            history: the conversation's earlier questions, oldest first.

        Raises:
            UsageError: a filter names a status that does not exist, or ``k`` is below 1.
        """
        from llama_index.core.schema import QueryBundle

        from pipelines.retrieve import ClauseRetriever, to_scored_nodes

        k = self.settings.results if k is None else k
        if k < 1:
            raise UsageError("the number of results must be at least 1")
        clock = _Clock()
        library = self._current_library()
        filters = self._spelled(filters or Filters(), library)
        embedder, reranker = self._models()
        understood = understand(question, library, history, embedder.knows)
        clock.lap("understand")
        if not understood.question.strip():
            return SearchResult(question, understood, (), clock.laps())
        embedder.query(understood.question)
        clock.lap("embed")
        wanted = max(self.settings.candidates, k)
        retriever = ClauseRetriever(self._index, library, embedder, filters, understood, wanted)
        candidates = retriever.candidates(understood.question, explain)
        clock.lap("retrieve")
        order = [candidate.clause.id for candidate in candidates]
        if reranker is not None and candidates:
            nodes = [node for candidate in candidates for node in to_scored_nodes(candidate)]
            ranked = reranker.postprocess_nodes(nodes, query_bundle=QueryBundle(understood.question))
            scores = [(node.node.node_id, float(node.score or 0.0)) for node in ranked]
            candidates = reranked(understood.question, candidates, scores, late=self.settings.reranker == FITTED)
            clock.lap("rerank")
        links = self._links_of(library)
        passages = tuple(
            links.joined(Passage(one.clause, one.score, dict(one.ranks), evidence=one.evidence))
            for one in candidates[:k]
        )
        clock.lap("context")
        return SearchResult(question, understood, passages, clock.laps(), tuple(order))

    def clauses(self, article: str = "", filters: Filters | None = None) -> tuple[Clause, ...]:
        """The clauses of an article and of everything below it, in reading order; "" means every clause.

        ``article`` may be an id as printed or as mended. Each clause carries its status as of now.
        """
        library = self._current_library()
        wanted = self._spelled(filters or Filters(), library)
        return library.article(article, wanted) if article else library.within(library.clauses, wanted)

    def ask(self, question: str, filters: Filters | None = None, history: Sequence[str] = ()) -> Reply:
        """Answer one question; an expected failure is returned as a Failure, never raised.

        Args:
            question: in the words of a person.
            filters: what to search; by default the law in force.
            history: the conversation's earlier questions, oldest first.
        """
        return self.answerer.ask(question, filters, history)

    def stream(
        self, question: str, filters: Filters | None = None, history: Sequence[str] = ()
    ) -> Iterator[str | Reply]:
        """Pieces of the answer's text as they are written, then the whole reply; closing it ends a model call."""
        return self.answerer.stream(question, filters, history)

    @property
    def answerer(self) -> Answerer:
        """Who answers over the index as it is now: what an answerer counts and keeps of the clauses is never stale.

        Raises:
            SettingsError: a language model is wanted but its address or name is missing.
            ModelNotFound: the language model's file is not there.
        """
        from pipelines.answer.answerer import Answerer
        from pipelines.llm import language_model

        library = self._current_library()
        with self._lock:
            if self._answerer is None or self._answers_of is not library:
                self._language_model = self._language_model or language_model(self.settings)
                self._answerer = Answerer(self.settings, self, model=self._language_model)
                self._answers_of = library
            return self._answerer

    def encoded(self, clause: Clause) -> Sequence[EncodedNode]:
        """The nodes of a clause with the token vectors that the index keeps; none where the model makes none."""
        from pipelines.answer.relevance import EncodedNode
        from pipelines.models.fitted import unpack

        kept = [hit for hit in self._index.nodes([clause]) if hit.token_vectors]
        return [EncodedNode(hit.text, unpack(hit.token_vectors)) for hit in kept]

    def announce(self, host: str, port: int) -> None:
        """Tell other processes, through the storage folder, where this one serves the app."""
        self._index.announce(host, port)

    def close(self) -> None:
        """Release the storage folder and the connection."""
        self._index.close()

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _current_library(self) -> Library:
        """The clauses of the index as it is now, read again when it has changed."""
        with self._lock:
            if not self._index.store.local and time.monotonic() - self._reloaded > RELOAD_S:
                self._index.reload()
                self._reloaded = time.monotonic()
            revision = self._index.revision
            if self._library is None or revision != self._revision:
                self._library, self._revision = Library(self._index.ordered()), revision
            return self._library

    def _links_of(self, library: Library) -> Links:
        """What the references of a library's clauses lead to."""
        with self._lock:
            if self._links is None or self._links.library is not library:
                self._links = Links(library, headings(self._index.manifest))
            return self._links

    def _models(self) -> tuple[Embedder, BaseNodePostprocessor | None]:
        with self._lock:
            if self._embedder is None:
                self._embedder = load_embedder(self.settings)
            if self._reranker is None and self.settings.reranker != NONE:
                self._reranker = load_reranker(self.settings)
            return self._embedder, self._reranker

    def _spelled(self, filters: Filters, library: Library) -> Filters:
        """The filters in the index's own spelling: b is Section B, issue 5 is 05, c 3.10 is C3.10.

        Raises:
            UsageError: there is no such status.
        """
        if filters.status not in (ALL, *Status):
            raise UsageError(f"there is no status {filters.status}; use in_force, future, superseded or all")
        section = filters.section.upper() if len(filters.section) == 1 else filters.section
        article = key(filters.article) if filters.article else ""
        if article and (named := library.exactly(article)):
            article = named[0].article
        issues = {clause.issue for clause in library.clauses} if filters.issue else set()
        issue = next((found for found in sorted(issues) if _same_number(found, filters.issue)), filters.issue)
        return replace(filters, section=section, issue=issue, article=article)


def _same_number(one: str, other: str) -> bool:
    return one == other or (one.isdigit() and other.isdigit() and int(one) == int(other))


class _Clock:
    """The wall time of each stage, in milliseconds."""

    def __init__(self) -> None:
        self._start = self._last = time.perf_counter()
        self._laps: dict[str, float] = {}

    def lap(self, stage: str) -> None:
        """End a stage."""
        now = time.perf_counter()
        self._laps[stage] = round((now - self._last) * 1000, 3)
        self._last = now

    def laps(self) -> dict[str, float]:
        """The stages and their ``total``."""
        return {**self._laps, "total": round((time.perf_counter() - self._start) * 1000, 3)}
