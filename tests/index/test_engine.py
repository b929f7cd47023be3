"""Searching an index of four topics, whose vectors can be computed by hand."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle

from index.fakes import read_json, topic_embedder, write_regulation
from pipelines.engine import Engine
from pipelines.errors import IndexBusy, IndexEmpty, UsageError
from pipelines.index import open_index, owner
from pipelines.index.store import RRF_K
from pipelines.ingest import ingest
from pipelines.retrieve import ClauseRetriever, reciprocal_rank
from pipelines.schema import Filters, SearchResult, Understood
from pipelines.settings import Settings

LONG = "Each car must:\n" + "\n".join(
    f"{letter}. carry tyre number {letter} in the pit at all times" for letter in "abcdef"
)
SPORTING = {
    "B1.1": "Fuel is weighed in the pit lane.",
    "B1.2": "A penalty for tyre changes.",
    "B1.3": LONG,
    "B2.1": "A driver wears gloves.",
    "B9.1": "VOID",
}
TECHNICAL = {"C1.1": "Fuel tanks are tested.", "C1.2": "Tyre pressure is measured."}

Ingest = Callable[..., object]


@pytest.fixture
def law(tmp_path: Path, run: Ingest, engine: Callable[[], Engine]) -> Engine:
    run(
        write_regulation(tmp_path, "B", "05", "2026-02-27", SPORTING),
        write_regulation(tmp_path, "C", "13", "2025-07-31", TECHNICAL),
    )
    return engine()


def articles(result: SearchResult) -> list[str]:
    return [passage.clause.article for passage in result.passages]


def test_scores_fall_and_ranks_start_at_one(law: Engine) -> None:
    result = law.search("penalty for tyre changes")
    assert articles(result)[0] == "B1.2"
    scores = [passage.score for passage in result.passages]
    assert scores == sorted(scores, reverse=True)
    assert [passage.ranks["fused"] for passage in result.passages] == list(range(1, len(scores) + 1))
    assert result.candidates == tuple(passage.clause.id for passage in result.passages)
    assert {"understand", "embed", "retrieve", "total"} <= result.ms.keys()


def test_a_clause_of_many_nodes_is_found_once(law: Engine) -> None:
    found = articles(law.search("tyre number in the pit"))
    assert found[0] == "B1.3"
    assert len(found) == len(set(found))


def test_explain_tells_the_rank_at_each_stage(law: Engine) -> None:
    result = law.search("C1.2 tyre", explain=True)
    ranks = {passage.clause.article: passage.ranks for passage in result.passages}
    assert ranks["C1.2"]["exact"] == 1
    assert {"dense", "sparse", "fused"} <= ranks["C1.2"].keys()
    assert "exact" not in ranks["B1.2"]
    # Nothing but the ranks differs from a search that does not explain.
    assert articles(law.search("C1.2 tyre")) == articles(result)


def test_a_named_article_comes_first_though_no_stage_finds_it(law: Engine) -> None:
    assert articles(law.search("what does b2.1 say about fuel fuel fuel", k=1)) == ["B2.1"]


def test_an_exact_rank_counts_by_the_formula_of_the_others(law: Engine) -> None:
    plain = law.search("gloves", k=1).passages[0]
    named = law.search("B2.1 gloves", k=1).passages[0]
    assert plain.clause.article == named.clause.article == "B2.1"
    assert named.score > plain.score
    # Rank 1 of weight 4: 1 / (1/4 + 10 - 1)
    assert RRF_K == 10
    assert reciprocal_rank(1, 4.0) == pytest.approx(1 / 9.25)


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(section="C"), {"C1.1", "C1.2"}),
        (Filters(section="c"), {"C1.1", "C1.2"}),
        (Filters(issue="5"), {"B1.1", "B1.2", "B1.3", "B2.1"}),
        (Filters(document="section_c_13.txt"), {"C1.1", "C1.2"}),
        (Filters(article="b1"), {"B1.1", "B1.2", "B1.3"}),
        (Filters(article="B1.2"), {"B1.2"}),
        (Filters(section="F"), set()),
        (Filters(status="future"), set()),
    ],
)
def test_filters_limit_what_is_found_and_what_is_looked_up(law: Engine, filters: Filters, expected: set[str]) -> None:
    # B1.1 is named in the question: a filter that leaves it out does so for the exact look-up too.
    assert set(articles(law.search("B1.1 fuel tyre penalty pit gloves", filters=filters))) == expected


def test_wrong_calls(law: Engine) -> None:
    with pytest.raises(UsageError, match="there is no status old"):
        law.search("fuel", filters=Filters(status="old"))
    with pytest.raises(UsageError, match="at least 1"):
        law.search("fuel", k=0)


def test_a_blank_question_finds_nothing(law: Engine) -> None:
    assert law.search("  ").passages == ()


def test_k_limits_the_results_not_the_candidates(law: Engine) -> None:
    result = law.search("fuel tyre", k=2)
    assert len(result.passages) == 2
    assert len(result.candidates) > 2


class ByLength(BaseNodePostprocessor):
    """Ranks longer texts higher and keeps two."""

    def _postprocess_nodes(self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None) -> Any:
        scored = [NodeWithScore(node=found.node, score=float(len(found.text))) for found in nodes]
        return sorted(scored, key=lambda found: -(found.score or 0))[:2]


def test_a_reranker_orders_and_what_it_leaves_out_comes_after(law: Engine, settings: Settings) -> None:
    before = law.search("fuel in the pit lane")
    with Engine(settings, embedder=topic_embedder(), reranker=ByLength()) as reranked:
        after = reranked.search("fuel in the pit lane")
    assert articles(after)[0] == "B1.3"
    assert after.passages[0].ranks["rerank"] == 1
    assert after.candidates == before.candidates
    assert {passage.clause.id for passage in after.passages} == {passage.clause.id for passage in before.passages}
    scores = [passage.score for passage in after.passages]
    assert scores == sorted(scores, reverse=True)


def test_the_retriever_is_a_llama_index_one(law: Engine, settings: Settings) -> None:
    index = open_index(settings)
    try:
        library = law._current_library()
        retriever = ClauseRetriever(index, library, topic_embedder(), Filters(), Understood("fuel"), limit=3)
        nodes = retriever.retrieve("fuel in the pit lane")
        assert nodes[0].node.node_id == next(c.id for c in library.clauses if c.article == "B1.1")
        assert len(nodes) == 3
        assert "Fuel is weighed" in nodes[0].text
    finally:
        index.close()


def test_two_searches_at_once_agree_with_one_alone(law: Engine) -> None:
    from concurrent.futures import ThreadPoolExecutor

    questions = ["fuel in the pit lane", "tyre pressure", "penalty", "gloves"] * 5
    alone = [articles(law.search(question)) for question in questions]
    with ThreadPoolExecutor(4) as pool:
        assert [articles(result) for result in pool.map(law.search, questions)] == alone


def test_a_question_is_embedded_once(tmp_path: Path, run: Ingest, settings: Settings) -> None:
    run(write_regulation(tmp_path, "B", "05", "2026-02-27", SPORTING))
    embedder = topic_embedder()
    with Engine(settings, embedder=embedder) as opened:
        for _ in range(3):
            opened.search("gloves")
    assert embedder.model.calls == 1  # type: ignore[attr-defined]


def test_what_answers_are_made_with_follows_the_index(tmp_path: Path, law: Engine, run: Ingest) -> None:
    before = law.answerer
    law.search("fuel")
    assert law.answerer is before
    # What is written to the folder while the engine is open is seen by the next question.
    run(write_regulation(tmp_path, "F", "01", "2026-02-27", {"F1.1": "No zeppelin may race."}))
    assert law.answerer is not before


def test_an_empty_index_says_what_to_run(settings: Settings) -> None:
    with pytest.raises(IndexEmpty) as empty:
        Engine(settings, embedder=topic_embedder())
    assert empty.value.fix == "Run: techreg ingest data/regulations"
    assert owner(settings.storage) is None


def test_opening_and_searching_write_nothing(law: Engine, settings: Settings) -> None:
    before = {path: path.read_bytes() for path in settings.storage.rglob("*") if path.is_file()}
    law.search("fuel")
    with Engine(settings, embedder=topic_embedder()) as second:
        second.search("tyre")
        second.clauses()
    assert {path: path.read_bytes() for path in settings.storage.rglob("*") if path.is_file()} == before


@pytest.mark.filterwarnings(
    "ignore:Exception ignored in.*lock:pytest.PytestUnraisableExceptionWarning"
)  # qdrant_client's
def test_a_folder_of_another_qdrant_client_is_busy(tmp_path: Path, settings: Settings) -> None:
    from qdrant_client import QdrantClient

    other = QdrantClient(path=str(settings.storage))
    try:
        with pytest.raises(IndexBusy, match="another Qdrant client holds the storage folder"):
            ingest(
                [write_regulation(tmp_path, "B", "05", "2026-02-27", SPORTING)],
                settings,
                reader=read_json,
                embedder=topic_embedder(),
            )
    finally:
        other.close()
    assert owner(settings.storage) is None
