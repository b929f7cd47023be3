"""The Hugging Face Space: what is pushed there, and that its entry file serves in an otherwise bare environment."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time

import httpx
import pytest
import yaml
from over_http import asked, opened

from scripts import build_space
from scripts.lock import direct_requirements

STARTED_S = 300
GUARD = """
import os, socket

def _refused(name, call):
    def guarded(self_or_host, *rest, **more):
        host = rest[0] if name == "connect" else self_or_host
        host = host[0] if isinstance(host, tuple) else host
        if not str(host).startswith(("127.", "0.0.0.0", "localhost", "::1", "None")):
            with open(os.environ["GUARD_LOG"], "a") as log:
                print(host, file=log)
            raise OSError("no connection leaves this machine in tests")
        return call(self_or_host, *rest, **more)
    return guarded

socket.socket.connect = _refused("connect", socket.socket.connect)
socket.getaddrinfo = _refused("getaddrinfo", socket.getaddrinfo)
"""


@pytest.fixture(scope="module")
def space(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hosting") / "space"
    build_space.build(folder)
    return folder


def test_the_front_matter_fits_what_is_pinned(space):
    _, front, _ = (space / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    told = yaml.safe_load(front)
    assert told["sdk"] == "gradio"
    assert told["sdk_version"] == build_space.pinned()["gradio"]
    assert told["python_version"] == "3.11"
    assert (space / told["app_file"]).is_file()
    assert told["license"] == "agpl-3.0"
    assert told["startup_duration_timeout"]
    assert len(told["short_description"]) <= 60  # the hub refuses longer ones


def test_the_requirements_are_those_of_the_project_pinned(space):
    lines = (space / "requirements.txt").read_text().splitlines()
    named = {line.split("==")[0].lower() for line in lines if "==" in line}
    assert named == {one.name.lower() for one in direct_requirements()} - {"gradio"}


def test_it_holds_the_model_and_the_sample_and_none_of_the_fias_documents(space):
    assert sorted(path.name[:6] for path in space.rglob("*.pdf")) == ["sample"] * 6
    assert (space / "app/static/app.css").is_file()
    assert not list(space.rglob("__pycache__"))


def test_it_is_not_built_over_something(tmp_path):
    (tmp_path / "x").touch()
    with pytest.raises(FileExistsError):
        build_space.build(tmp_path)


def test_the_entry_file_serves_the_sample_where_nothing_can_be_fetched(space, tmp_path):
    (tmp_path / "guard").mkdir()
    (tmp_path / "guard/sitecustomize.py").write_text(GUARD)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    variables = {
        "PATH": os.defpath, "HOME": str(tmp_path), "TMPDIR": str(tmp_path), "PYTHONPATH": str(tmp_path / "guard"),
        "GUARD_LOG": str(tmp_path / "outside"), "OMP_NUM_THREADS": "1",
        "SYSTEM": "spaces", "SPACE_ID": "someone/techreg-analyst", "SPACE_HOST": "someone-techreg-analyst.hf.space",
        "GRADIO_SERVER_NAME": "0.0.0.0", "GRADIO_SERVER_PORT": str(port), "GRADIO_ANALYTICS_ENABLED": "True",
    }  # fmt: skip
    with (tmp_path / "said").open("w") as said:
        process = subprocess.Popen([sys.executable, "space.py"], cwd=space, env=variables, stdout=said, stderr=said)
    try:
        health = _health(port, process)
        assert health["status"] == "ready", (tmp_path / "said").read_text()
        assert health["sample"] is True
        start = httpx.get(f"http://127.0.0.1:{port}/api/start", timeout=60, trust_env=False).json()
        assert start["thumbs"] is False
        url = f"http://127.0.0.1:{port}"
        told = opened(url, "one")
        assert "This is the sample regulation" in told
        assert str(tmp_path) not in told  # a visitor has no use for the server's folders
        assert "65km/h" in asked(url, "What is the speed limit in the pit lane?", "B", "two")["reply"]["answer"]
    finally:
        process.terminate()
        process.wait(60)
    tried = set((tmp_path / "outside").read_text().split()) if (tmp_path / "outside").exists() else set()
    assert tried <= {"www.fia.com"}  # nothing but the regulations is ever asked for


def _health(port: int, process: subprocess.Popen) -> dict:
    deadline = time.monotonic() + STARTED_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            health = httpx.get(f"http://127.0.0.1:{port}/api/health", timeout=30, trust_env=False).json()
        except httpx.HTTPError:
            time.sleep(0.1)  # the process starts in its own time
            continue
        if health["status"] in ("ready", "failed"):
            return health
        time.sleep(0.1)
    return {"status": "no answer"}
