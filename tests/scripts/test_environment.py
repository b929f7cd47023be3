"""The two README commands, run with a Python that only writes down what it was asked to do."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
INDEX = "https://download.pytorch.org/whl/cpu"
STUB = """#!/bin/sh
echo "$*" >> "$STUB_LOG"
case "$*" in
    "-m venv .venv" | "-m venv --clear --without-pip .venv")
        [ "$STUB_ENSUREPIP$3" = no.venv ] && exit 1
        mkdir -p .venv/bin && cp "$0" .venv/bin/python && cp "$0" .venv/bin/techreg ;;
    "-m pip --version") [ "$STUB_ENSUREPIP" = yes ] ;;
    "- "*) exit "$STUB_INDEX" ;;
    *fetch_regulations*) exit "$STUB_FETCH" ;;
    "-m pip"*) exit "$STUB_PIP" ;;
    "-m pytest"*) echo "3 passed"; exit "$STUB_TESTS" ;;
esac
"""


@pytest.fixture
def call(tmp_path):
    """Run one of the scripts in a bare project; the finished process and the calls that were made."""
    if os.name == "nt":
        pytest.skip("the scripts are for a POSIX shell; on Windows the README's lines stand in")
    project = tmp_path / "project"
    shutil.copytree(ROOT / "scripts", project / "scripts", ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    for name in ("pyproject.toml", "constraints.txt"):
        (project / name).write_text("content\n")
    (project / "scripts/check").write_text('#!/bin/sh\necho check >> "$STUB_LOG"\nexit "$STUB_CHECK"\n')
    stub, log = tmp_path / "python3", tmp_path / "log"
    stub.write_text(STUB)
    stub.chmod(0o755)

    def run(script: str, *arguments: str, python: str = str(stub), **environment: str):
        log.write_text("")
        own = {name: environment.pop(name) for name in ("PATH", "CI") if name in environment}
        chromium = {} if own else {"TECHREG_CHROMIUM": "/none"}  # else nothing is installed by the tests of the rest
        settings = {"ENSUREPIP": "yes", "INDEX": "1", "FETCH": "0", "PIP": "0", "TESTS": "0", "CHECK": "0"}
        env = {f"STUB_{name}": value for name, value in (settings | environment).items()}
        done = subprocess.run(
            [str(project / "scripts" / script), *arguments],
            env={"PATH": os.environ["PATH"], "PYTHON": python, "STUB_LOG": str(log)} | chromium | env | own,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=60,
        )
        return done, log.read_text().splitlines()

    return run


def installs(calls: list[str]) -> list[str]:
    return [one for one in calls if " install " in one]


def test_run_installs_fetches_and_serves(call):
    done, calls = call("run", "--port", "8000")
    assert done.returncode == 0, done.stderr
    assert installs(calls) == [
        "-m pip install --quiet --no-input --constraint constraints.txt torch",
        "-m pip install --quiet --no-input --constraint constraints.txt --editable .",
    ]
    assert calls[-2:] == ["-m scripts.fetch_regulations --if-empty", "serve --port 8000"]


def test_a_second_run_installs_nothing(call):
    call("run")
    _, calls = call("run")
    assert calls == ["-m scripts.fetch_regulations --if-empty", "serve"]


def test_changed_requirements_are_installed_again(call, tmp_path):
    call("run")
    (tmp_path / "project/constraints.txt").write_text("other\n")
    _, calls = call("run")
    assert len(installs(calls)) == 2
    assert "-m venv .venv" not in calls


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has the CUDA build as its plain torch")
def test_pytorchs_cpu_index_is_used_where_it_answers(call):
    done, calls = call("run", INDEX="0")
    assert installs(calls)[0].endswith(f"--extra-index-url {INDEX} torch")
    assert "does not answer" not in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has the CUDA build as its plain torch")
def test_it_is_skipped_with_a_note_where_it_does_not(call):
    done, calls = call("run", INDEX="1")
    assert not any(INDEX in one for one in installs(calls))
    assert "PyTorch's CPU index does not answer" in done.stderr


def test_a_python_without_ensurepip_installs_from_outside(call):
    done, calls = call("run", ENSUREPIP="no")
    assert done.returncode == 0, done.stderr
    assert installs(calls)[0] == (
        "-m pip --python .venv/bin/python install --quiet --no-input --constraint constraints.txt torch"
    )


def test_without_the_regulations_the_sample_stands_in(call):
    done, calls = call("run", FETCH="1")
    assert "the sample regulation is indexed" in done.stderr
    assert calls[-1] == "serve"


def test_a_failed_installation_is_tried_again_next_time(call):
    done, _ = call("run", PIP="1")
    assert done.returncode != 0
    _, calls = call("run")
    assert len(installs(calls)) == 2


def test_an_old_python_is_told(call, tmp_path):
    old = tmp_path / "old"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    done, calls = call("run", python=str(old))
    assert (done.returncode, calls) == (1, [])
    assert done.stderr == "Python 3.11 or newer is needed: install it, or set PYTHON to its path.\n"


def test_test_installs_the_dev_extra_checks_and_tests(call):
    done, calls = call("test", "tests/app", "-k", "lock")
    assert done.returncode == 0, done.stderr
    assert installs(calls)[1].endswith("--editable .[dev]")
    assert calls[-2:] == ["check", "-m pytest tests/app -k lock"]
    assert done.stdout.splitlines()[-1] == "3 passed"


def test_what_the_tests_need_is_enough_to_run(call):
    call("test")
    _, calls = call("run")
    assert installs(calls) == []


@pytest.mark.parametrize("broken", ["PIP", "CHECK", "TESTS"])
def test_any_failure_fails_the_tests(call, broken):
    assert call("test", **{broken: "5"})[0].returncode == 5


@pytest.fixture
def bare(tmp_path):
    """A PATH on which there is no browser, and an apt-get and an id that only pretend; what the id says is given."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("sh", "dirname", "cat", "cksum", "uname", "cp", "mkdir"):
        (folder / name).symlink_to(shutil.which(name))

    def made(user: str) -> str:
        for name, does in (
            ("apt-get", f'echo "apt-get $*" >> "$STUB_LOG"; : > {folder / "chromium"}; chmod +x {folder / "chromium"}'),
            ("id", f"echo {user}"),
            ("sudo", 'shift; exec "$@"'),
        ):
            (folder / name).write_text(f"#!/bin/sh\n{does}\n")
            (folder / name).chmod(0o755)
        (folder / "chmod").symlink_to(shutil.which("chmod"))
        return str(folder)

    return made


@pytest.mark.parametrize(("user", "ci", "installed"), [("0", "", True), ("1000", "true", True), ("1000", "", False)])
def test_a_browser_is_installed_by_root_and_by_ci_only(call, bare, user, ci, installed):
    path = bare(user)
    done, calls = call("test", PATH=path, CI=ci)
    assert done.returncode == 0, done.stderr
    apt = [one for one in calls if one.startswith("apt-get")]
    wanted = ["apt-get update -qq", "apt-get install -y -qq --no-install-recommends chromium"]
    assert apt == (wanted if installed else [])
    if installed:
        _, calls = call("test", PATH=path, CI=ci)
        assert not any(one.startswith("apt-get") for one in calls)
