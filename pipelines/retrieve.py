"""Candidates for a question: by vector, by words and by exact look-up, fused by rank, one clause once.

Vector and word ranks are fused in Qdrant, filters inside each prefetch. An exact look-up takes a rank beside them by
the same formula. A long clause has several nodes: its best one stands for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from pipelines.bm25 import query_vector
from pipelines.index.store import RRF_K, Hit, Vector, unit
from pipelines.late_interaction import TOKEN_VECTORS
from pipelines.products import product
from pipelines.schema import Clause, Filters, Understood

if TYPE_CHECKING:
    from pipelines.index import Index
    from pipelines.library import Library
    from pipelines.models.embedding import Embedder

SPARSE_WEIGHT = 1.0
EXACT_WEIGHT = 4.0
NODES_A_CANDIDATE = 2
"""Nodes fetched for each candidate wanted: some clauses have several."""
MOST_EXACT = 12
"""An article that is named may stand above dozens of clauses; so many of them take a rank."""


@dataclass(slots=True)
class Candidate:
    """A clause that was found: its best node's text, its fused score, and its ranks where they were asked for.

    ``nodes`` are all of its nodes that were found, best first; ``named`` says that the question names its article;
    ``nearness`` is the mean cosine, from -1 to 1, of its nodes' dense vectors with the question's, None where they are
    another model's than late interaction's;
    ``evidence`` is the score before nearness counted, None where it does not.
    """

    clause: Clause
    text: str
    score: float
    ranks: dict[str, int] = field(default_factory=dict)
    nodes: list[Hit] = field(default_factory=list)
    named: bool = False
    nearness: float | None = None
    evidence: float | None = None


class ClauseRetriever(BaseRetriever):
    """A LlamaIndex retriever for one question's filters and understanding; cheap to make.

    ``retrieve`` gives at most ``limit`` nodes, one a clause, best first. A node's id is its clause's id.
    """

    def __init__(
        self,
        index: Index,
        library: Library,
        embedder: Embedder,
        filters: Filters,
        understood: Understood,
        limit: int,
    ) -> None:
        super().__init__()
        self._index = index
        self._library = library
        self._embedder = embedder
        self._filters = filters
        self._understood = understood
        self._limit = limit

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [to_scored_node(candidate) for candidate in self.candidates(query_bundle.query_str)]

    def candidates(self, question: str, explain: bool = False) -> list[Candidate]:
        """The clauses found for a question, best first; ``explain`` also finds each one's rank at each stage."""
        expansions = self._understood.expansions
        dense = self._embedder.query(question)
        if expansions:
            dense = _mean(dense, self._embedder.query(f"{question} ({'; '.join(expansions)})"))
        sparse = query_vector(question, expansions)
        depth = self._limit * NODES_A_CANDIDATE
        hits: list[Hit] = []
        for scope in self._index.scopes(self._filters):
            weights = (self._embedder.dense_weight, SPARSE_WEIGHT)
            hits += self._index.hybrid(scope, dense, sparse, depth=depth, limit=2 * depth, weights=weights)
        fused = self._fold(sorted(hits, key=lambda hit: -hit.score))
        exact = self._exact(fused)
        named = {clause.id for clause in self._named(self._terms(), fused)}
        for rank, clause in enumerate(exact, start=1):
            found = fused.setdefault(clause.id, Candidate(clause, "", 0.0))
            found.score += reciprocal_rank(rank, EXACT_WEIGHT)
            found.named = clause.id in named
        self._add_nodes([fused[clause.id] for clause in exact if not fused[clause.id].nodes])
        best = sorted(fused.values(), key=lambda candidate: -candidate.score)[: self._limit]
        asked = unit(np.asarray(dense, dtype=np.float32))
        for candidate in best:
            candidate.nearness = _nearness(asked, candidate.nodes)
        if explain:
            ranks = {"exact": [clause.id for clause in exact], **self._stage_ranks(dense, sparse, depth)}
            for candidate in best:
                candidate.ranks = {
                    stage: ids.index(candidate.clause.id) + 1
                    for stage, ids in ranks.items()
                    if candidate.clause.id in ids
                }
        for rank, candidate in enumerate(best, start=1):
            candidate.ranks["fused"] = rank
        return best

    def _fold(self, hits: Sequence[Hit]) -> dict[str, Candidate]:
        """The clauses of the hits, best first, each by its best node."""
        folded: dict[str, Candidate] = {}
        for hit in hits:
            clause = self._library.by_id.get(hit.clause_id)
            if clause is not None:
                found = folded.setdefault(hit.clause_id, Candidate(clause, hit.text, hit.score))
                found.nodes.append(hit)
        return folded

    def _add_nodes(self, candidates: Sequence[Candidate]) -> None:
        """Give candidates that were only looked up their nodes, as if a search had found them."""
        by_id = {candidate.clause.id: candidate for candidate in candidates}
        for hit in self._index.nodes([candidate.clause for candidate in candidates]) if candidates else []:
            found = by_id[hit.clause_id]
            found.nodes.append(hit)
            found.text = found.text or hit.text

    def _exact(self, fused: dict[str, Candidate]) -> list[Clause]:
        """The clauses that the question names: by article, volume or defined term; then those below a named article.

        Below a named article the order is that of the fused ranks, then the document's.
        """
        understood, library, filters = self._understood, self._library, self._filters
        terms = self._terms()
        named = [*self._named(terms, fused), *terms]
        below = [clause for article in understood.articles for clause in library.article(article, filters)]
        below.sort(key=_place(fused))
        unique = {clause.id: clause for clause in (*named, *below) if not clause.void and not clause.replaced_by}
        return list(unique.values())[:MOST_EXACT]

    def _terms(self) -> list[Clause]:
        """The definitions of the volumes and terms that the question names."""
        terms: list[Clause] = []
        for term in self._understood.terms:
            terms += self._library.volume(term, self._filters) or self._library.term(term, self._filters)
        return terms

    def _named(self, terms: Sequence[Clause], fused: dict[str, Candidate]) -> list[Clause]:
        """The clauses whose article the question names, those of each article in the order of the fused ranks.

        An appendix of definitions is one article to them all: where the question names some of its terms, they are
        meant, and no others.
        """
        known = {clause.id for clause in terms}
        named: list[Clause] = []
        for article in self._understood.articles:
            exactly = sorted(self._library.exactly(article, self._filters), key=_place(fused))
            named += [clause for clause in exactly if clause.id in known] or exactly
        return named

    def _stage_ranks(self, dense: list[float], sparse: dict[int, float], depth: int) -> dict[str, list[str]]:
        ranks: dict[str, list[str]] = {}
        queries: tuple[tuple[str, Any], ...] = (("dense", dense), ("sparse", sparse))
        for stage, query in queries:
            hits = [
                hit
                for scope in self._index.scopes(self._filters)
                for hit in self._index.nearest(scope, query, limit=depth)
            ]
            ranks[stage] = list(self._fold(sorted(hits, key=lambda hit: -hit.score)))
        return ranks


def _place(fused: dict[str, Candidate]) -> Callable[[Clause], int]:
    """A sort key: where a clause stands among the candidates found; those that were not found come last."""
    places = {clause_id: place for place, clause_id in enumerate(fused)}
    return lambda clause: places.get(clause.id, len(places))


def _nearness(asked: Vector, nodes: Sequence[Hit]) -> float | None:
    """The mean cosine of the nodes that the fitted model encoded; other models' cosines are of another width."""
    vectors = [hit.vector for hit in nodes if hit.vector is not None and hit.token_vectors]
    return float(np.mean(product(np.stack(vectors), asked))) if vectors else None


def _mean(one: Sequence[float], other: Sequence[float]) -> list[float]:
    """The vector half way between two: what a question asks, in its own words and in the regulations'."""
    return [(a + b) / 2 for a, b in zip(one, other, strict=True)]


def reciprocal_rank(rank: int, weight: float) -> float:
    """A rank's share of a fused score, by Qdrant's formula: ``rank`` counts from 1, ``weight`` stretches it."""
    return 1 / (rank / weight + RRF_K - 1)


def to_scored_nodes(candidate: Candidate) -> list[NodeWithScore]:
    """A candidate as a late-interaction reranker sees it: all its nodes that have token vectors, else its best one."""
    kept = [hit for hit in candidate.nodes if hit.token_vectors]
    if not kept:
        return [to_scored_node(candidate)]
    return [
        NodeWithScore(
            node=TextNode(id_=candidate.clause.id, text=hit.text, metadata={TOKEN_VECTORS: hit.token_vectors}),
            score=candidate.score,
        )
        for hit in kept
    ]


def to_scored_node(candidate: Candidate) -> NodeWithScore:
    """A candidate as a reranker sees it: its best node's text, the clause's words where no node was found."""
    text = candidate.text or candidate.clause.text
    return NodeWithScore(node=TextNode(id_=candidate.clause.id, text=text), score=candidate.score)
