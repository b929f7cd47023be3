"""What a server indexes when it starts, and how it recovers."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from app.runtime import Runtime
from pipelines.errors import IndexMismatch, IndexUnavailable


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    folder = tmp_path / "sample"
    folder.mkdir()
    (folder / "b.pdf").touch()
    (folder / "c.pdf").touch()
    (folder / "source.txt").touch()  # what the PDFs are built from is not read
    return folder


def started(settings, backend, sample: Path) -> Runtime:
    runtime = Runtime(settings, backend, sample=sample)
    runtime.start()
    assert runtime.wait(10)
    return runtime


def fill(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "x.pdf").touch()


def test_the_documents_folder_is_indexed(settings, empty_backend, sample):
    fill(settings.documents)
    assert started(settings, empty_backend, sample).health()["status"] == "ready"
    assert empty_backend.ingested == [((settings.documents,), (), False)]


def test_the_sample_is_indexed_where_there_is_nothing(settings, empty_backend, sample):
    started(settings, empty_backend, sample)
    assert empty_backend.ingested == [((sample / "b.pdf", sample / "c.pdf"), (), False)]


def test_documents_replace_the_sample(settings, backend, sample):
    fill(settings.documents)
    started(settings, backend, sample)
    assert backend.ingested == [((settings.documents,), ("b.pdf", "c.pdf"), False)]


def test_what_was_indexed_from_elsewhere_stays(settings, backend, sample):
    started(settings, backend, sample)  # notes.md is no part of the sample
    assert backend.ingested == []


def test_only_the_sample_is_called_sample(settings, backend, sample):
    assert not started(settings, backend, sample).is_sample()
    (sample / "notes.pdf").touch()
    backend.indexed = backend.indexed[:-1]
    assert started(settings, backend, sample).is_sample()


def test_a_hidden_file_is_no_document(settings, empty_backend, sample):
    settings.documents.mkdir()
    (settings.documents / ".gitkeep").touch()
    started(settings, empty_backend, sample)
    assert empty_backend.ingested == [((sample / "b.pdf", sample / "c.pdf"), (), False)]


def test_a_server_that_starts_later_is_waited_for(settings, backend, sample, monkeypatch):
    monkeypatch.setattr("app.runtime.RETRY_S", 0.0)
    answers = iter([IndexUnavailable("no answer"), IndexUnavailable("no answer"), None])
    documents = backend.documents

    def flaky():
        error = next(answers, None)
        if error is not None:
            raise error
        return documents()

    backend.documents = flaky
    health = started(settings, backend, sample).health()
    assert (health["status"], health["error"]) == ("ready", None)


def test_a_question_waits_while_the_index_is_opened(settings, backend, sample):
    documents, opened = backend.documents, threading.Event()
    backend.documents = lambda: opened.wait(10) and documents()
    runtime = Runtime(settings, backend, sample=sample)
    runtime.start()
    threading.Timer(0.05, opened.set).start()
    assert runtime.search("mass").passages


@pytest.mark.parametrize(
    ("changes", "asked"),
    [({}, 1), ({"llm": "openai", "llm_model": "x"}, 0), ({"llm_url": "http://x", "answer_mode": "extractive"}, 1)],
)
def test_warming_up_asks_no_language_model(settings, backend, sample, changes, asked):
    warmed = []
    backend.ask = warmed.append
    started(settings.model_copy(update=changes), backend, sample)
    assert len(warmed) == asked
    assert len(backend.asked) == 1 - asked  # the search alone


def test_a_mismatch_is_told_with_its_command(settings, backend, sample):
    def mismatched():
        raise IndexMismatch("built by another model")

    backend.documents = mismatched
    runtime = started(settings, backend, sample)
    assert runtime.health()["error"]["fix"] == "Run: techreg ingest --rebuild"
    with pytest.raises(IndexMismatch):
        runtime.search("mass")


@pytest.mark.parametrize("with_documents", [False, True])
def test_a_sample_that_another_version_indexed_is_built_anew(settings, backend, sample, with_documents):
    old(backend)
    backend.indexed = backend.indexed[:-1]
    if with_documents:
        fill(settings.documents)
    health = started(settings, backend, sample).health()
    assert (health["status"], health["error"]) == ("ready", None)
    both = (sample / "b.pdf", sample / "c.pdf")
    after = ((settings.documents,), ("b.pdf", "c.pdf"), False) if with_documents else (both, (), False)
    assert backend.ingested == [(both, (), True), after]


def test_what_others_have_indexed_is_never_dropped_by_itself(settings, backend, sample):
    old(backend)
    fill(settings.documents)
    runtime = started(settings, backend, sample)  # notes.md is no part of the sample
    assert runtime.health()["error"]["fix"] == "Run: techreg ingest --rebuild"
    assert backend.ingested == []


def old(backend) -> None:
    """The index refuses until it is rebuilt."""
    ingest = backend.ingest

    def checked(paths, progress=None, *, remove=(), rebuild=False):
        if not rebuild:
            raise IndexMismatch("the index was built by text recipe 2, this version has 3")
        backend.ingest = ingest
        return ingest(paths, progress, remove=remove, rebuild=rebuild)

    backend.ingest = checked


def test_a_rebuild_mends_a_failed_start(settings, backend, sample):
    documents = backend.documents
    backend.documents = lambda: (_ for _ in ()).throw(IndexMismatch("built by another model"))
    runtime = started(settings, backend, sample)
    backend.documents = documents
    runtime.ingest([Path("b.pdf")], rebuild=True)
    health = runtime.health()
    assert (health["status"], health["error"]) == ("ready", None)


def test_an_unexpected_error_is_told_not_lost(settings, backend, sample):
    def broken():
        raise ZeroDivisionError("no")

    backend.documents = broken
    health = started(settings, backend, sample).health()
    assert (health["status"], health["error"]["message"]) == ("failed", "unexpected ZeroDivisionError: no")
