"""What the pane asks for: only indexed documents, clauses by id, boxes by page, thumbs into the log."""

from __future__ import annotations

import json
from dataclasses import replace

import pymupdf
import pytest
from conftest import CLAUSES, SPORTING, FakeBackend
from fastapi.testclient import TestClient

from app.lock import new_lock
from app.runtime import Runtime
from app.server import create_app
from pipelines.schema import LineBox, Reference


@pytest.fixture
def pdf(tmp_path):
    path = tmp_path / "b.pdf"
    with pymupdf.open() as document:
        for number in range(1, 97):
            document.new_page(width=200, height=100).insert_text((20, 50), f"page {number}")
        document.save(path)
    return path


@pytest.fixture
def backend(pdf):
    sporting = replace(SPORTING, path=str(pdf))
    own = [replace(one, document=sporting) if one.document is SPORTING else one for one in CLAUSES]
    boxes = (LineBox(12, 20, 40, 120, 50, 0, 35), LineBox(13, 20, 10, 60, 20, 36, 80))
    own[0] = replace(own[0], lines=boxes, references=(Reference("article", "B2.2", "B2.2", 0, 1),))
    return FakeBackend(own)


@pytest.fixture
def client(settings, backend, tmp_path):
    logged = settings.model_copy(update={"question_log": str(tmp_path / "log.jsonl")})
    yield from _serving(logged, backend, tmp_path)


@pytest.fixture
def unlogged(settings, backend, tmp_path):
    yield from _serving(settings, backend, tmp_path)


def _serving(settings, backend, tmp_path):
    runtime = Runtime(settings, backend, sample=tmp_path / "no-sample")
    with TestClient(create_app(runtime, new_lock("127.0.0.1", 1))) as client:
        assert runtime.wait(10)
        yield client


def test_a_page_is_a_picture_that_is_kept_for_good(client):
    got = client.get(f"/api/page/{'0' * 64}/12.png")
    assert got.headers["content-type"] == "image/png"
    assert "immutable" in got.headers["cache-control"]
    assert got.content.startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "path",
    [
        f"/api/page/{'0' * 64}/0.png",
        f"/api/page/{'0' * 64}/97.png",
        f"/api/page/{'f' * 64}/1.png",
        f"/api/page/{'2' * 64}/1.png",  # notes.md has no pages
        f"/api/document/{'f' * 64}.pdf",
        f"/api/document/{'2' * 64}.pdf",
        f"/api/document/{'1' * 64}.pdf",  # indexed, but its file is gone
        "/api/document/..%2F..%2Fetc%2Fpasswd.pdf",
        "/api/clause?id=nobody",
        "/api/marks?id=nobody",
        "/api/named/Z9",
    ],
)
def test_nothing_else_is_served(client, path):
    assert client.get(path).status_code == 404


def test_a_document_opens_in_the_browser(client, pdf):
    got = client.get(f"/api/document/{'0' * 64}.pdf")
    assert got.headers["content-type"] == "application/pdf"
    assert got.headers["content-disposition"].startswith("inline")
    assert got.content == pdf.read_bytes()


def test_marks_by_page_and_the_page_of_the_quote_first(client):
    got = client.get("/api/marks", params={"id": "b-1-6-3", "spans": "40-60"}).json()
    assert (got["label"], got["pages"], got["first"]) == ("B1.6.3", 96, 13)
    (line,) = got["marks"]["13"]
    assert line == {"left": 0.1, "top": 0.1, "width": 0.2, "height": 0.1, "strong": True}
    assert [one["strong"] for one in got["marks"]["12"]] == [False]
    assert client.get("/api/marks", params={"id": "b-1-6-3"}).json()["first"] == 12
    assert client.get("/api/marks", params={"id": "b-1-6-3", "spans": "x"}).status_code == 422


def test_a_clause_with_its_neighbours(client):
    got = client.get("/api/clause", params={"id": "b-1-6-3"}).json()
    assert 'data-article="B2.2"' in got["html"]
    assert got["before"] is None
    assert got["after"]["id"] == "b-2-2"


def test_a_reference_leads_to_a_clause_by_its_printed_id_too(client):
    assert client.get("/api/named/B2.2").json() == {"id": "b-2-2"}
    assert client.get("/api/named/B.2.2").json() == {"id": "b-2-2"}
    assert client.get("/api/named/C4.1").json() == {"id": "c-4-1"}  # the law in force, not that of 2027


def test_thumbs_go_to_the_log(client, tmp_path):
    assert client.get("/api/start").json()["thumbs"] is True
    assert client.post("/api/feedback", json={"question": "q", "helpful": False}).status_code == 204
    (line,) = [json.loads(one) for one in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert {"event": "feedback", "question": "q", "helpful": False}.items() <= line.items()
    # A form of another site can send no JSON.
    sent = client.post(
        "/api/feedback", content='{"question": "q", "helpful": true}', headers={"Content-Type": "text/plain"}
    )
    assert sent.status_code == 422
    assert client.post("/api/feedback", json={"question": "q" * 5000, "helpful": True}).status_code == 422


def test_without_a_log_there_are_no_thumbs(unlogged):
    assert unlogged.get("/api/start").json()["thumbs"] is False
    assert unlogged.post("/api/feedback", json={"question": "q", "helpful": True}).status_code == 404


def test_nothing_is_loaded_from_elsewhere(client):
    headers = client.get("/look/main.js").headers
    assert "default-src 'self'" in headers["content-security-policy"]
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-cache"
    assert "http" not in headers["content-security-policy"]


def test_the_tree_and_the_terms_and_finding(client):
    tree = client.get(f"/api/tree/{'0' * 64}").json()
    assert [(one["label"], one["title"]) for one in tree] == [("B1", "GENERAL"), ("B2", "POINTS")]
    assert tree[0]["children"][0]["children"][0] == {
        "label": "B1.6.3", "title": "Fines", "id": "b-1-6-3", "year": "", "children": [],
    }  # fmt: skip
    assert client.get("/api/terms").json() == [
        {"term": "Car", "section": "C", "id": "app-c1-car", "text": "a vehicle with four wheels"}
    ]
    found = client.get("/api/find", params={"q": "fine", "section": "B"}).json()
    assert found[0]["id"] == "b-1-6-3"
