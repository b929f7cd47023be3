"""Commands that answer through a running server: a real uvicorn on a free port, a real lock file, a fake engine."""

from __future__ import annotations

import json
import os
import socket
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
import uvicorn

from app.backend import LocalBackend, connect
from app.cli import main
from app.handover import TOKEN_HEADER, find_server
from app.lock import FILE, ServerLock, new_lock, read_lock, remove_lock, write_lock
from app.runtime import Runtime
from app.server import create_app, serve
from pipelines.errors import IndexBusy, IndexEmpty, ModelTimeout, TechRegError
from pipelines.schema import Failure, Filters, Refusal


@contextmanager
def running(settings, backend, sample: Path) -> Iterator[tuple[Runtime, ServerLock]]:
    """The server on a free port, from start to clean end."""
    with socket.create_server(("127.0.0.1", 0)) as bound:
        lock = new_lock("127.0.0.1", bound.getsockname()[1])
        runtime = Runtime(settings, backend, sample=sample)
        server = uvicorn.Server(uvicorn.Config(create_app(runtime, lock), log_level="critical"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
        thread.start()
        try:
            httpx.get(f"{lock.url}/api/health", timeout=10, trust_env=False)  # answers once the server is up
            yield runtime, lock
        finally:
            backend.ingest_may_end.set()
            server.should_exit = True
            thread.join()


@pytest.fixture
def server(settings, backend, tmp_path) -> Iterator[tuple[Runtime, ServerLock]]:
    with running(settings, backend, tmp_path / "no-sample") as (runtime, lock):
        assert runtime.wait(10)
        yield runtime, lock


class TestLock:
    def test_it_is_for_this_user_only(self, tmp_path):
        write_lock(tmp_path / "new", new_lock("127.0.0.1", 1))
        assert stat.S_IMODE((tmp_path / "new" / FILE).stat().st_mode) == 0o600

    def test_what_was_written_is_read(self, tmp_path):
        lock = new_lock("127.0.0.1", 7860)
        write_lock(tmp_path, lock)
        assert read_lock(tmp_path) == lock
        assert lock.pid == os.getpid()
        assert [path.name for path in tmp_path.iterdir()] == [FILE]

    @pytest.mark.parametrize("content", ["", "{", "[]", '{"pid": 1}', '{"a": 1}'])
    def test_a_damaged_file_is_no_lock(self, tmp_path, content):
        (tmp_path / FILE).write_text(content)
        assert read_lock(tmp_path) is None

    def test_only_its_owner_removes_it(self, tmp_path):
        mine, other = new_lock("127.0.0.1", 1), new_lock("127.0.0.1", 2)
        write_lock(tmp_path, other)
        remove_lock(tmp_path, mine)
        assert read_lock(tmp_path) == other
        remove_lock(tmp_path, other)
        assert read_lock(tmp_path) is None

    def test_tokens_differ_and_the_public_part_does_not_give_them_away(self):
        one, two = new_lock("127.0.0.1", 1), new_lock("127.0.0.1", 1)
        assert one.token != two.token
        assert len(one.instance) == 8 < len(one.token)

    @pytest.mark.parametrize(
        ("host", "url"),
        [
            ("127.0.0.1", "http://127.0.0.1:80"),
            ("0.0.0.0", "http://127.0.0.1:80"),
            ("::", "http://[::1]:80"),
            ("::1", "http://[::1]:80"),
            ("localhost", "http://localhost:80"),
        ],
    )
    def test_the_address_to_call(self, host, url):
        assert new_lock(host, 80).url == url


class TestFinding:
    def test_without_a_lock_this_process_answers(self, settings):
        assert isinstance(connect(settings), LocalBackend)

    def test_a_lock_of_a_dead_server_is_passed_over(self, settings):
        with socket.create_server(("127.0.0.1", 0)) as bound:
            port = bound.getsockname()[1]
        write_lock(settings.storage, new_lock("127.0.0.1", port))  # nothing listens there any more
        assert isinstance(connect(settings), LocalBackend)

    def test_another_server_on_the_port_is_not_ours(self, settings, server):
        _, lock = server
        write_lock(settings.storage, replace(lock, token="another-token-altogether"))
        assert find_server(settings.storage) is None
        write_lock(settings.storage, lock)

    def test_a_server_that_does_not_answer_is_told(self, settings, monkeypatch):
        monkeypatch.setattr("app.handover.HEALTH_TIMEOUT_S", 0.05)
        with socket.create_server(("127.0.0.1", 0)) as silent:
            write_lock(settings.storage, new_lock("127.0.0.1", silent.getsockname()[1]))
            with pytest.raises(IndexBusy, match="does not answer"):
                connect(settings)

    def test_the_lock_lives_as_long_as_the_server(self, settings, backend, tmp_path):
        with running(settings, backend, tmp_path) as (_, lock):
            assert read_lock(settings.storage) == lock
        assert read_lock(settings.storage) is None
        assert backend.closed


class TestCalls:
    def test_the_same_records_come_back(self, settings, server, backend):
        remote = connect(settings)
        filters = Filters(status="all")
        assert remote.search("mass car", 3, filters, True, ("before",)) == backend.search("mass car", 3, filters)
        assert backend.asked[0] == ("minimum mass of the car", None, ())  # the warm-up
        assert backend.asked[1] == ("mass car", filters, ("before",))
        assert remote.ask("fine") == backend.ask("fine")
        assert isinstance(remote.ask("zebra"), Refusal)
        assert isinstance(remote.ask("break"), Failure)
        assert remote.clauses("C4", filters) == backend.clauses("C4", filters)
        remote.close()

    def test_the_servers_errors_are_raised_here(self, settings, server):
        remote = connect(settings)
        with pytest.raises(ModelTimeout, match="did not answer in 5 s"):
            remote.search("break")
        with pytest.raises(TechRegError, match="unexpected ValueError"):
            remote.search("crash")
        remote.close()

    def test_ingest_is_handed_over_with_its_progress(self, settings, server, backend, monkeypatch, tmp_path):
        monkeypatch.chdir(tmp_path)
        seen = []
        remote = connect(settings)
        report = remote.ingest([Path("b.pdf")], seen.append, remove=["old.pdf"], rebuild=True)
        assert [(one.stage, one.pages) for one in seen] == [("read", 48), ("index", 96)]
        assert report == backend.ingest([Path("b.pdf")])
        assert backend.ingested[0] == ((tmp_path / "b.pdf",), ("old.pdf",), True)
        remote.close()

    def test_a_server_that_ends_in_the_middle_is_told(self, settings, server):
        _, lock = server
        with socket.create_server(("127.0.0.1", 0)) as closing:
            threading.Thread(target=lambda: closing.accept()[0].close()).start()
            from app.handover import RemoteBackend

            gone = RemoteBackend(replace(lock, port=closing.getsockname()[1]))
            with pytest.raises(IndexBusy, match="broke off"):
                gone.search("mass")
            gone.close()

    @pytest.mark.parametrize("name", ["search", "ask", "clauses", "ingest"])
    @pytest.mark.parametrize("token", [None, "", "wrong"])
    def test_without_the_token_nothing_is_done(self, server, backend, name, token):
        _, lock = server
        headers = {} if token is None else {TOKEN_HEADER: token}
        before = list(backend.asked)
        answer = httpx.post(f"{lock.url}/internal/{name}", json={}, headers=headers, trust_env=False)
        assert answer.status_code == 403
        assert (backend.asked, backend.ingested) == (before, [])

    def test_the_command_line_answers_through_the_server(self, settings, server, backend, capsys, monkeypatch):
        monkeypatch.setenv("TECHREG_STORAGE", str(settings.storage))
        assert main(["search", "fine", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["results"][0]["article"] == "B1.6.3"
        assert main(["ask", "fine", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["outcome"] == "answered"
        assert main(["clauses", "--json"]) == 0
        assert len(capsys.readouterr().out.splitlines()) == 5
        assert main(["ingest", "b.pdf", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["totals"]["added"] == 1

    def test_a_second_server_is_told_where_the_first_runs(self, settings, server):
        with pytest.raises(IndexBusy, match=r"already runs on http://127\.0\.0\.1:"):
            serve(settings)


class TestHealth:
    def health(self, lock: ServerLock) -> dict:
        return httpx.get(f"{lock.url}/api/health", trust_env=False).json()

    def test_ready(self, server):
        _, lock = server
        health = self.health(lock)
        assert (health["status"], health["error"], health["indexing"]) == ("ready", None, None)
        assert health["app"] == "techreg"
        assert health["version"]
        assert health["model"] == {"embedding": "fitted", "reranker": "fitted"}
        assert {"section": "B", "issue": "05", "date": "2026-02-27", "status": "in_force"}.items() <= health[
            "documents"
        ][0].items()
        assert lock.token not in json.dumps(health)

    def test_while_the_index_is_built(self, settings, empty_backend, tmp_path):
        settings.documents.mkdir()
        (settings.documents / "b.pdf").touch()
        empty_backend.ingest_may_end.clear()
        with running(settings, empty_backend, tmp_path) as (runtime, lock):
            while (health := self.health(lock))["indexing"] is None or health["indexing"]["stage"] == "read":
                pass
            assert health["status"] == "indexing"
            assert health["indexing"] == {
                "stage": "index", "file": "b.pdf", "pages": 96, "pages_total": 96, "clauses": 300, "clauses_total": 600,
            }  # fmt: skip
            remote = connect(settings)
            with pytest.raises(IndexEmpty, match="still being built: 300 of 600 clauses"):
                remote.ask("fine")
            empty_backend.ingest_may_end.set()
            assert runtime.wait(10)
            assert self.health(lock)["status"] == "ready"
            assert remote.ask("fine").outcome == "answered"
            remote.close()

    def test_with_nothing_to_index_it_says_so(self, settings, empty_backend, tmp_path):
        with running(settings, empty_backend, tmp_path / "no-sample") as (runtime, lock):
            assert runtime.wait(10)
            answer = httpx.get(f"{lock.url}/api/health", trust_env=False)
        assert answer.status_code == 503
        assert answer.json()["error"]["type"] == "IndexEmpty"


class TestServe:
    def test_a_port_in_use_is_told(self, settings):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            mine = settings.model_copy(update={"port": taken.getsockname()[1]})
            with pytest.raises(TechRegError, match=r"cannot bind 127\.0\.0\.1:") as raised:
                serve(mine)
        assert raised.value.fix == "Choose another: techreg serve --port 0"
