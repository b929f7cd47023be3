"""``techreg serve`` as a process of its own: a real index of a small document, asked through it, stopped cleanly."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from app.cli import main
from app.lock import read_lock

GUARD = '''
"""No connection leaves this machine: whatever tries is told off and written down."""
import os, socket

def _guarded(call):
    def connect(self, address):
        host = address[0] if isinstance(address, tuple) else "local"
        if not str(host).startswith(("127.", "::1", "localhost", "local")):
            with open(os.environ["GUARD_LOG"], "a") as log:
                print(address, file=log)
            raise OSError(f"no connection to {address} in tests")
        return call(self, address)
    return connect

socket.socket.connect = _guarded(socket.socket.connect)
socket.socket.connect_ex = _guarded(socket.socket.connect_ex)
'''
NOTES = """# Pit stops

Every car must stop at least once for new tyres during the race.

# Fuel

Fuel may not be colder than ten degrees below the ambient temperature.
"""
STARTED_S = 240  # generous: on a busy machine importing torch and gradio alone takes a minute


@pytest.fixture
def served(tmp_path, monkeypatch):
    """The running process and its environment; its documents folder holds NOTES."""
    (tmp_path / "guard").mkdir()
    (tmp_path / "guard/sitecustomize.py").write_text(GUARD)
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents/notes.md").write_text(NOTES)
    for name, value in (
        ("TECHREG_STORAGE", tmp_path / "storage"),
        ("TECHREG_DOCUMENTS", tmp_path / "documents"),
        ("GUARD_LOG", tmp_path / "outside"),
    ):
        monkeypatch.setenv(name, str(value))
    root = Path(__file__).parents[2]
    process = subprocess.Popen(
        [sys.executable, "-m", "app", "serve", "--port", "0"],
        env=os.environ | {"PYTHONPATH": f"{tmp_path / 'guard'}{os.pathsep}{root}"},
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    )
    yield process
    if process.poll() is None:
        process.kill()
    process.wait()
    if process.stderr is not None:
        process.stderr.close()


def health(storage: Path, until) -> dict:
    """The server's health once ``until`` holds for it."""
    deadline = time.monotonic() + STARTED_S
    while time.monotonic() < deadline:
        lock = read_lock(storage)
        if lock is not None:
            try:
                shaped = httpx.get(f"{lock.url}/api/health", timeout=30, trust_env=False).json()
            except httpx.HTTPError:
                continue
            if until(shaped):
                return shaped
        time.sleep(0.05)  # the process starts in its own time
    pytest.fail(f"the server was not ready in {STARTED_S} s")


@pytest.mark.skipif(os.name == "nt", reason="stops the process by a POSIX signal")
def test_it_indexes_answers_and_ends_cleanly(served, tmp_path, capsys):
    ready = health(tmp_path / "storage", lambda shaped: shaped["status"] in ("ready", "failed"))
    assert (ready["status"], ready["error"]) == ("ready", None)
    assert [document["file"] for document in ready["documents"]] == ["notes.md"]
    assert ready["sample"] is False

    assert main(["search", "how often must a car stop for tyres", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert "stop at least once" in found["results"][0]["text"]

    (tmp_path / "more.md").write_text("# Weather\n\nA wet race may be shortened by the director.\n")
    assert main(["ingest", str(tmp_path / "more.md"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["documents"][0]["state"] == "added"
    assert main(["clauses", "--json"]) == 0
    assert "A wet race" in capsys.readouterr().out
    after = health(tmp_path / "storage", lambda shaped: shaped["status"] == "ready")
    assert {document["file"] for document in after["documents"]} == {"notes.md", "more.md"}

    lock = read_lock(tmp_path / "storage")
    page = httpx.get(lock.url, timeout=30, trust_env=False).text
    assert "TechReg Analyst" in page
    served.send_signal(signal.SIGTERM)
    said = served.communicate(timeout=60)[1]
    assert f"TechReg Analyst on {lock.url}" in said
    assert "Traceback" not in said
    assert read_lock(tmp_path / "storage") is None
    assert not (tmp_path / "outside").exists(), (tmp_path / "outside").read_text()


def test_an_unchanged_ingest_imports_no_torch(tmp_path):
    (tmp_path / "empty").mkdir()
    code = (
        "import sys; from app.cli import main; code = main(['ingest', 'empty', '--json']);"
        "sys.exit(code or ('torch' in sys.modules) * 9)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"TECHREG_STORAGE": str(tmp_path / "storage"), "PYTHONPATH": str(Path(__file__).parents[2])},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["totals"]["documents"] == 0
