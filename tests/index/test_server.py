"""The index on a Qdrant server, against a small double of its API: what it is asked, and what its failures become."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from pydantic import SecretStr

from pipelines.errors import IndexUnavailable
from pipelines.index.store import DENSE, SPARSE, Point, Scope, Store
from pipelines.schema import Status
from pipelines.settings import Settings

ID = "00000000-0000-0000-0000-000000000001"
POINT = Point(ID, {"generation": "g1", "clause_id": "c1", "part": 0, "text": "words"}, [0.0, 1.0], {7: 1.5})
# What the server answers, by method and path; the first that fits.
ANSWERS: tuple[tuple[str, Any], ...] = (
    (r"GET /", {"title": "qdrant", "version": "1.18.0"}),
    (r"GET /collections/[^/]+/exists", {"exists": False}),
    (r"PUT /collections/[^/]+", True),
    (r"DELETE /collections/[^/]+", True),
    (r"PUT /collections/[^/]+/index", {"operation_id": 1, "status": "completed"}),
    (r"PUT /collections/[^/]+/points", {"operation_id": 2, "status": "completed"}),
    (r"POST /collections/[^/]+/points/delete", {"operation_id": 3, "status": "completed"}),
    (
        r"POST /collections/[^/]+/points/query",
        {"points": [{"id": ID, "version": 1, "score": 0.5, "payload": POINT.payload}]},
    ),
    (
        r"POST /collections/[^/]+/points/scroll",
        {
            "points": [
                {
                    "id": ID,
                    "payload": POINT.payload,
                    "vector": {DENSE: [0.0, 1.0], SPARSE: {"indices": [7], "values": [1.5]}},
                }
            ],
            "next_page_offset": None,
        },
    ),
)


@dataclass
class Double:
    """The double: what it was asked (method, path with its query, body, key), and how it misbehaves."""

    url: str = ""
    asked: list[tuple[str, str, Any, str | None]] = field(default_factory=list)
    status: int = 200
    version: str = "1.18.0"
    silent: threading.Event | None = None  # while it is not set, nothing is answered
    garbled: bool = False

    def paths(self) -> list[str]:
        return [f"{method} {path.split('?')[0]}" for method, path, *_ in self.asked]

    def body(self, call: str) -> Any:
        return next(body for method, path, body, _ in self.asked if f"{method} {path.split('?')[0]}" == call)


@pytest.fixture
def qdrant() -> Iterator[Double]:
    double = Double()

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            double.asked.append((self.command, self.path, body, self.headers.get("api-key")))
            if double.silent is not None:
                double.silent.wait(10)
            call = f"{self.command} {self.path.split('?')[0]}"
            result = next((shaped for pattern, shaped in ANSWERS if re.fullmatch(pattern, call)), None)
            if call == "GET /":
                sent: Any = {"title": "qdrant", "version": double.version}
            elif double.status == 200:
                sent = {"result": result, "status": "ok", "time": 0.0}
            else:
                sent = {"status": {"error": "refused on purpose"}, "time": 0.0}
            data = b"<html>" if double.garbled else json.dumps(sent).encode()
            self.send_response(double.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_PUT = do_POST = do_DELETE = answer  # noqa: N815

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    double.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield double
    server.shutdown()
    thread.join()
    server.server_close()


def connect(url: str, **more: Any) -> Store:
    return Store.connect(Settings(qdrant_url=url, qdrant_timeout_s=1, _env_file=None, **more))


@pytest.fixture
def store(qdrant: Double) -> Iterator[Store]:
    made = connect(qdrant.url, qdrant_api_key=SecretStr("the key"), qdrant_prefix="ours")
    yield made
    made.close()


@pytest.mark.filterwarnings("ignore:Api key is used with an insecure connection")
class TestRequests:
    def test_the_key_goes_with_every_request(self, store: Store, qdrant: Double) -> None:
        store.upsert(Status.IN_FORCE, [POINT])
        assert len(qdrant.asked) == 2
        assert {key for *_, key in qdrant.asked} == {"the key"}

    def test_a_collection_for_each_status_with_its_vectors_and_indexes(self, store: Store, qdrant: Double) -> None:
        store.create(384)
        for status in Status:
            made = qdrant.body(f"PUT /collections/ours_{status}")
            assert made["vectors"] == {DENSE: {"size": 384, "distance": "Cosine"}}
            assert made["sparse_vectors"] == {SPARSE: {"modifier": "idf"}}
            indexed = [
                body["field_name"]
                for method, path, body, _ in qdrant.asked
                if (method, path.split("?")[0]) == ("PUT", f"/collections/ours_{status}/index")
            ]
            assert {"generation", "section", "issue"} <= set(indexed)

    def test_points_are_written_and_waited_for(self, store: Store, qdrant: Double) -> None:
        assert store.upsert(Status.FUTURE, [POINT]) == 1
        method, path, body, _ = qdrant.asked[-1]
        assert (method, path) == ("PUT", "/collections/ours_future/points?wait=true")
        (point,) = body["points"]
        assert (point["id"], point["payload"]) == (ID, POINT.payload)
        assert point["vector"] == {DENSE: [0.0, 1.0], SPARSE: {"indices": [7], "values": [1.5]}}

    def test_a_search_is_one_request_filtered_in_each_part(self, store: Store, qdrant: Double) -> None:
        scope = Scope(Status.IN_FORCE, ("hidden",), {"section": "B"}, "")
        (hit,) = store.hybrid(scope, [0.0, 1.0], {7: 1.5}, depth=30, limit=5, weights=(2.0, 1.0))
        assert hit.clause_id == "c1"
        assert qdrant.paths()[1:] == ["POST /collections/ours_in_force/points/query"]
        body = qdrant.asked[-1][2]
        assert [part["using"] for part in body["prefetch"]] == [DENSE, SPARSE]
        assert body["query"]["rrf"]["weights"] == [2.0, 1.0]
        for part in body["prefetch"]:
            assert "hidden" in json.dumps(part["filter"]["must_not"])
            assert {"key": "section", "match": {"value": "B"}} in part["filter"]["must"]

    def test_points_are_read_and_deleted_by_version(self, store: Store, qdrant: Double) -> None:
        assert list(store.scroll(Status.IN_FORCE, "g1")) == [POINT]
        store.delete(Status.IN_FORCE, "g1")
        for _, _, body, _ in qdrant.asked[-2:]:
            assert body["filter"]["must"] == [{"key": "generation", "match": {"value": "g1"}}]


@pytest.mark.parametrize(("status", "told"), [(401, "401 Unauthorized"), (403, "403 Forbidden"), (500, "500 Internal")])
def test_a_refusal_of_the_server_is_told(qdrant: Double, status: int, told: str) -> None:
    qdrant.status = status
    with pytest.raises(IndexUnavailable, match=told) as raised:
        connect(qdrant.url)
    assert "TECHREG_QDRANT_API_KEY" in raised.value.fix


def test_a_server_that_fails_later_is_told_too(qdrant: Double) -> None:
    store = connect(qdrant.url)
    qdrant.status = 500
    with pytest.raises(IndexUnavailable, match="500"):
        store.upsert(Status.IN_FORCE, [POINT])
    store.close()


def test_a_server_that_does_not_answer_in_time_is_told(qdrant: Double) -> None:
    qdrant.silent = threading.Event()
    try:
        with pytest.raises(IndexUnavailable, match="does not answer: timed out"):
            connect(qdrant.url)
    finally:
        qdrant.silent.set()


def test_a_server_that_is_not_there_is_told(qdrant: Double) -> None:
    with pytest.raises(IndexUnavailable, match="does not answer"):
        connect("http://127.0.0.1:9")


@pytest.mark.parametrize("version", ["1.16.3", "0.9.0", "1.16.0-dev"])
def test_a_server_of_an_older_version_is_refused(qdrant: Double, version: str) -> None:
    qdrant.version = version
    with pytest.raises(IndexUnavailable, match=rf"is {re.escape(version)}; 1.17 or later is needed"):
        connect(qdrant.url)


@pytest.mark.parametrize("version", ["1.17.0", "1.20.1", "2.0.0"])
def test_a_newer_version_is_taken(qdrant: Double, version: str) -> None:
    qdrant.version = version
    connect(qdrant.url).close()


def test_something_else_on_that_address_is_told(qdrant: Double) -> None:
    qdrant.garbled = True
    with pytest.raises(IndexUnavailable, match="no Qdrant server"):
        connect(qdrant.url)
