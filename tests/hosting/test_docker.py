"""Dockerfile and compose file, as far as can be checked without an engine: parsed and compared with the project."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml

from pipelines.settings import Settings

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def compose() -> dict:
    return yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions with what follows them, continued lines joined."""
    text = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text(encoding="utf-8"))
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [tuple(line.split(" ", 1)) for line in lines]


def test_the_image_of_qdrant_is_pinned_and_not_older_than_the_app_takes(compose):
    from pipelines.index.store import OLDEST_SERVER

    image = compose["services"]["qdrant"]["image"]
    version = re.fullmatch(r"qdrant/qdrant:v(\d+)\.(\d+)\.(\d+)", image)
    assert version is not None
    assert tuple(map(int, version.groups())) >= OLDEST_SERVER


def test_every_port_is_this_machines_only(compose):
    ports = [port for service in compose["services"].values() for port in service["ports"]]
    assert len(ports) == 2
    assert all(port.startswith("127.0.0.1:") for port in ports)


def test_the_app_waits_for_a_healthy_qdrant_and_finds_it(compose):
    app, qdrant = compose["services"]["app"], compose["services"]["qdrant"]
    assert qdrant["healthcheck"]["test"][0] == "CMD"
    assert app["depends_on"] == {"qdrant": {"condition": "service_healthy"}}
    assert app["environment"]["TECHREG_QDRANT_URL"] == "http://qdrant:6333"


def test_what_must_last_lies_in_volumes_that_are_declared(compose):
    used = {volume.split(":")[0] for service in compose["services"].values() for volume in service["volumes"]}
    assert {name for name in used if not name.startswith(".")} == set(compose["volumes"])
    assert "qdrant:/qdrant/storage" in compose["services"]["qdrant"]["volumes"]


def test_every_setting_that_is_named_exists(compose, instructions):
    named = set(compose["services"]["app"]["environment"])
    named |= {key for word, rest in instructions if word == "ENV" for key in re.findall(r"TECHREG_\w+", rest)}
    assert {name.removeprefix("TECHREG_").lower() for name in named} <= set(Settings.model_fields)


def test_the_image_runs_as_nobody_special_and_tells_its_health(instructions):
    words = [word for word, _ in instructions]
    user = next(rest for word, rest in instructions if word == "USER")
    assert user not in ("root", "0")
    assert words.index("USER") < words.index("CMD")
    check = next(rest for word, rest in instructions if word == "HEALTHCHECK")
    assert "/api/health" in check
    command = json.loads(next(rest for word, rest in instructions if word == "CMD"))
    assert command[:2] == ["techreg", "serve"]
    assert command[command.index("--host") + 1] == "0.0.0.0"


def test_what_is_copied_is_there_and_all_that_is_installed(instructions):
    copied = [name for word, rest in instructions if word == "COPY" for name in rest.split()[:-1]]
    assert all((ROOT / name).exists() for name in copied)
    found = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]["find"]["include"]
    assert {name.rstrip("*") for name in found} <= set(copied)


def test_python_is_one_that_the_project_takes(instructions):
    base = next(rest for word, rest in instructions if word == "FROM")
    minor = int(re.fullmatch(r"python:3\.(\d+)-slim", base)[1])
    assert minor >= 11
