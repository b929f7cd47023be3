"""The collections: what a search gives, and that a collection for each status changes nothing but the time it takes."""

import random
import uuid
from collections.abc import Iterator

import numpy as np
import pytest
from qdrant_client import QdrantClient, models

from pipelines.bm25 import document_vector, query_vector
from pipelines.errors import IndexUnavailable
from pipelines.index.snapshot import Snapshot
from pipelines.index.store import DENSE, RRF_K, SPARSE, Hit, Point, Scope, Store, translated
from pipelines.schema import Status
from pipelines.settings import Settings

WORDS = ["pit", "lane", "speed", "limit", "fuel", "tyre", "wing", "penalty", "driver", "team", "safety", "car", "floor"]
QUESTION = "speed limit of the pit lane"


@pytest.fixture
def store() -> Iterator[Store]:
    client = QdrantClient(":memory:")
    made = Store(client, "test", local=True)
    made.create(4)
    yield made
    client.close()


def sample(seed: int = 0, size: int = 120) -> list[Point]:
    chance = random.Random(seed)
    points = []
    for number in range(size):
        text = " ".join(chance.choices(WORDS, k=chance.randrange(3, 12)))
        payload = {
            "clause_id": f"c{number}",
            "generation": chance.choice(["g1", "g2", "g3"]),
            "section": chance.choice("ABC"),
            "issue": "05",
            "document": "b.pdf",
            "article": f"B{number % 9}.1",
            "article_printed": f"B{number % 7}.1",
            "ancestors": [f"B{number % 9}"],
            "status": chance.choice(list(Status)).value,
            "part": 0,
            "text": text,
        }
        dense = [chance.random() for _ in range(4)]
        # No two alike: which of two equal scores comes first is not fixed.
        sparse = {word: weight * (1 + chance.random()) for word, weight in document_vector(text).items()}
        points.append(Point(str(uuid.UUID(int=number + 1)), payload, dense, sparse))
    return points


def fill(store: Store, points: list[Point]) -> None:
    for status in Status:
        store.upsert(status, [point for point in points if point.payload["status"] == status])


def condition(**values: str) -> list[models.Condition]:
    return [models.FieldCondition(key=key, match=models.MatchValue(value=value)) for key, value in values.items()]


@pytest.mark.parametrize("status", list(Status))
@pytest.mark.parametrize("section", ["", "B"])
def test_a_collection_for_each_status_gives_what_a_filter_on_one_collection_gives(
    store: Store, status: Status, section: str
) -> None:
    """All points in one collection, filtered by status, word statistics taken over the filtered points."""
    points = sample()
    fill(store, points)
    store.client.create_collection(
        "whole",
        vectors_config={DENSE: models.VectorParams(size=4, distance=models.Distance.COSINE)},
        sparse_vectors_config={SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)},
    )
    for point in points:
        sparse = models.SparseVector(indices=list(point.sparse or {}), values=list((point.sparse or {}).values()))
        vector = {DENSE: list(point.dense or []), SPARSE: sparse}
        store.client.upsert("whole", [models.PointStruct(id=point.id, vector=vector, payload=point.payload)])
    dense, sparse_query = [0.4, 0.1, 0.9, 0.2], query_vector(QUESTION)
    by_status = models.Filter(must=condition(status=status))
    where = models.Filter(must=[*condition(status=status), *(condition(section=section) if section else [])])
    words = models.SparseVector(indices=list(sparse_query), values=list(sparse_query.values()))
    statistics = models.SearchParams(idf=models.IdfCorpusParams(corpus=by_status))
    filtered = store.client.query_points(
        "whole",
        prefetch=[
            models.Prefetch(query=dense, using=DENSE, filter=where, limit=20),
            models.Prefetch(query=words, using=SPARSE, filter=where, limit=20, params=statistics),
        ],
        query=models.RrfQuery(rrf=models.Rrf(k=RRF_K, weights=[1.0, 1.0])),
        limit=40,
    ).points
    scope = Scope(status, must={"section": section} if section else {})
    hits = store.hybrid(scope, dense, sparse_query, depth=20, limit=40, weights=(1.0, 1.0))
    assert len(hits) > 10 or section
    assert [(hit.node_id, hit.score) for hit in hits] == [(point.id, point.score) for point in filtered]


SCOPES = [
    Scope(Status.IN_FORCE),
    Scope(Status.FUTURE, must={"section": "B"}),
    Scope(Status.IN_FORCE, hidden=("g1",)),
    Scope(Status.IN_FORCE, hidden=("g1", "g3"), must={"section": "A", "issue": "05", "document": "b.pdf"}),
    Scope(Status.SUPERSEDED, article="B3"),
    Scope(Status.IN_FORCE, article="B3.1", must={"section": "C"}),
    Scope(Status.IN_FORCE, must={"section": "F"}),
    Scope(Status.IN_FORCE, article="no such"),
]


@pytest.mark.parametrize("scope", SCOPES, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_a_snapshot_of_a_collection_searches_as_qdrant_does(store: Store, scope: Scope, seed: int) -> None:
    chance = random.Random(seed)
    fill(store, sample(seed))
    payload = {"clause_id": "void", "generation": "g1", "part": 0, "text": "pit", "section": "A", "article": "A1"}
    store.upsert(scope.status, [Point(str(uuid.UUID(int=9999)), payload)])
    snapshot = Snapshot(store.scroll(scope.status))
    dense = [chance.random() for _ in range(4)]
    for question in (QUESTION, "floor", "what is the", "nothing shared"):
        words = query_vector(question, ("wing penalty",)) if question == QUESTION else query_vector(question)
        for depth, weights in ((5, (1.0, 1.0)), (20, (4.0, 1.0)), (500, (1.0, 2.0))):
            qdrants = store.hybrid(scope, dense, words, depth=depth, limit=30, weights=weights)
            ours = snapshot.hybrid(scope, dense, words, depth=depth, limit=30, weights=weights)
            assert {hit.node_id: hit.score for hit in ours} == pytest.approx(
                {hit.node_id: hit.score for hit in qdrants}
            )
            assert [hit.score for hit in ours] == pytest.approx([hit.score for hit in qdrants])
            assert_same_vectors(ours, qdrants)
        for query in (dense, words):
            qdrants, ours = store.nearest(scope, query, limit=15), snapshot.nearest(scope, query, limit=15)
            assert [hit.node_id for hit in ours] == [hit.node_id for hit in qdrants]
            assert [hit.score for hit in ours] == pytest.approx([hit.score for hit in qdrants], rel=1e-5)
            assert [hit.text for hit in ours] == [hit.text for hit in qdrants]


def assert_same_vectors(ours: list[Hit], qdrants: list[Hit]) -> None:
    """Every hit brings its dense vector, of length 1, alike from both."""
    theirs = {hit.node_id: hit.vector for hit in qdrants}
    for hit in ours:
        other = theirs[hit.node_id]
        assert hit.vector is not None
        assert other is not None
        assert np.allclose(hit.vector, other, atol=1e-6)
        assert np.linalg.norm(hit.vector) == pytest.approx(1.0)


def test_nodes_that_are_looked_up_bring_their_vectors(store: Store) -> None:
    points = sample()
    fill(store, points)
    first = points[0]
    hit = store.fetch(Status(first.payload["status"]), [first.id])[0]
    assert hit.vector is not None
    assert first.dense is not None
    assert np.allclose(hit.vector, np.array(first.dense) / np.linalg.norm(first.dense), atol=1e-6)


def test_a_snapshot_of_nothing_finds_nothing() -> None:
    empty = Snapshot([])
    assert empty.hybrid(Scope(Status.FUTURE), [1, 0, 0, 0], {1: 1.0}, depth=5, limit=5, weights=(1, 1)) == []
    assert empty.nearest(Scope(Status.FUTURE), {1: 1.0}, limit=5) == []


def test_hidden_versions_sections_and_articles_are_left_out_within_each_stage(store: Store) -> None:
    points = sample()
    fill(store, points)
    by_id = {point.id: point.payload for point in points}

    def payloads(scope: Scope) -> list[dict[str, object]]:
        hits = store.hybrid(scope, [1, 1, 1, 1], query_vector(QUESTION), depth=5, limit=10, weights=(1, 1))
        # A filter after the prefetches would leave fewer than the five that each stage has to give.
        assert len(hits) >= 5
        return [by_id[hit.node_id] for hit in hits]

    assert {found["generation"] for found in payloads(Scope(Status.IN_FORCE, hidden=("g1", "g2")))} == {"g3"}
    assert {found["section"] for found in payloads(Scope(Status.IN_FORCE, must={"section": "A"}))} == {"A"}
    for found in payloads(Scope(Status.IN_FORCE, article="B3.1")):
        assert "B3.1" in (found["article"], found["article_printed"])
    assert {found["article"] for found in payloads(Scope(Status.IN_FORCE, article="B3"))} == {"B3.1"}


def test_fused_scores_follow_qdrants_reciprocal_ranks(store: Store) -> None:
    assert RRF_K == 10
    # One point is first by vector and second by words, the other the reverse: 1/(1+9) + 1/(2+9) each.
    ids = [str(uuid.UUID(int=1)), str(uuid.UUID(int=2))]
    payload = {"generation": "g", "text": "t"}
    store.upsert(
        Status.IN_FORCE,
        [
            Point(ids[0], {**payload, "clause_id": "a"}, [1, 0, 0, 0], {1: 1.0}),
            Point(ids[1], {**payload, "clause_id": "b"}, [0, 1, 0, 0], {1: 2.0}),
        ],
    )
    scope = Scope(Status.IN_FORCE)
    hits = store.hybrid(scope, [1, 0.5, 0, 0], {1: 1.0}, depth=5, limit=5, weights=(1.0, 1.0))
    assert {hit.clause_id: hit.score for hit in hits} == pytest.approx({"a": 1 / 10 + 1 / 11, "b": 1 / 10 + 1 / 11})
    # A weight stretches the ranks of its stage: with 4 the second by vector counts as 2/4.
    hits = store.hybrid(scope, [1, 0.5, 0, 0], {1: 1.0}, depth=5, limit=5, weights=(4.0, 1.0))
    expected = {"a": 1 / (0.25 + 9) + 1 / 11, "b": 1 / (0.5 + 9) + 1 / 10}
    assert {hit.clause_id: hit.score for hit in hits} == pytest.approx(expected)
    assert [hit.clause_id for hit in store.nearest(scope, [1, 0.5, 0, 0], limit=5)] == ["a", "b"]
    assert [hit.clause_id for hit in store.nearest(scope, {1: 1.0}, limit=5)] == ["b", "a"]


def test_a_question_of_stop_words_is_searched_by_vector_alone(store: Store) -> None:
    fill(store, sample())
    scope = Scope(Status.IN_FORCE)
    hits = store.hybrid(scope, [1, 0, 0, 0], query_vector("what is the"), depth=3, limit=9, weights=(1, 1))
    assert len(hits) == 3
    assert store.nearest(scope, {}, limit=3) == []


def test_points_without_vectors_are_kept_and_never_found(store: Store) -> None:
    payload = {"clause_id": "void", "generation": "g", "part": 0, "text": "pit"}
    assert store.upsert(Status.IN_FORCE, [Point(str(uuid.UUID(int=9)), payload)]) == 0
    assert [point.payload["clause_id"] for point in store.scroll(Status.IN_FORCE, first_parts=True)] == ["void"]
    hits = store.hybrid(Scope(Status.IN_FORCE), [1, 0, 0, 0], query_vector("pit"), depth=5, limit=5, weights=(1, 1))
    assert hits == []


def test_scrolling_gives_points_back_as_they_were_written(store: Store) -> None:
    points = sample(size=40)
    store.upsert(Status.IN_FORCE, points)
    found = {point.id: point for point in store.scroll(Status.IN_FORCE, "g1")}
    assert found.keys() == {point.id for point in points if point.payload["generation"] == "g1"}
    for point in points:
        if point.id in found:
            assert found[point.id].payload == point.payload
            assert found[point.id].sparse == pytest.approx(point.sparse)


def test_deleting_a_version_leaves_the_others(store: Store) -> None:
    store.upsert(Status.IN_FORCE, sample(size=40))
    store.delete(Status.IN_FORCE, "g1")
    assert {point.payload["generation"] for point in store.scroll(Status.IN_FORCE)} == {"g2", "g3"}


def test_a_note_is_kept_beside_the_points(store: Store) -> None:
    assert store.read_note() is None
    store.write_note("one")
    store.write_note("two")
    assert store.read_note() == "two"
    store.write_note("")
    assert store.read_note() is None


def test_hits_carry_what_folding_needs(store: Store) -> None:
    fill(store, sample())
    (hit, *_) = store.nearest(Scope(Status.IN_FORCE), [1, 0, 0, 0], limit=1)
    assert isinstance(hit, Hit)
    assert hit.clause_id.startswith("c")
    assert hit.text


def test_an_unreachable_server_is_an_index_error(settings: Settings) -> None:
    # Port 9 of this machine is closed: the connection is refused at once.
    away = settings.model_copy(update={"qdrant_url": "http://127.0.0.1:9"})
    with pytest.raises(IndexUnavailable, match=r"Qdrant at http://127\.0\.0\.1:9 does not answer"):
        Store.connect(away)


def test_every_error_of_the_client_is_translated() -> None:
    from httpx import Headers
    from qdrant_client.common import client_exceptions
    from qdrant_client.http import exceptions

    raised = [
        client_exceptions.ResourceExhaustedResponse("too many requests", 3),
        exceptions.UnexpectedResponse(401, "Unauthorized", b"", Headers()),
        exceptions.ResponseHandlingException(TimeoutError("timed out")),
        exceptions.ApiException("other"),
    ]
    known = {type(error) for error in raised}
    modules = (exceptions, client_exceptions)
    defined = [kind for module in modules for kind in vars(module).values() if isinstance(kind, type)]
    clients = {kind for kind in defined if issubclass(kind, Exception) and kind.__module__.startswith("qdrant_client")}
    assert clients - known == {client_exceptions.QdrantException}  # a base that is never raised itself
    for error in raised:
        with pytest.raises(IndexUnavailable), translated("here"):
            raise error
