"""``techreg doctor``: what is installed, indexed and reachable, each check OK, WARN or FAIL with what to do.

A check never raises: what goes wrong in it is its finding. Nothing is written, and no other machine is asked but the
Qdrant server and the language model that the settings name.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any

from app.backend import documents
from app.lock import read_lock
from app.runtime import SAMPLE
from pipelines.errors import TechRegError
from pipelines.settings import Settings, load_settings

PYTHON = (3, 11)
INSTALL = "Run: pip install --constraint constraints.txt --editable ."
OK, WARN, FAIL = "OK", "WARN", "FAIL"


@dataclass(frozen=True, slots=True)
class Check:
    """One finding. ``fix`` is what to do about a WARN or FAIL."""

    name: str
    status: str
    detail: str
    fix: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The check as plain JSON data."""
        return asdict(self)


def diagnose(load: Callable[[], Settings] = load_settings) -> list[Check]:
    """Run every check that makes sense here; without settings only those of the installation."""
    checks = [_python(), _packages(), _sample(SAMPLE)]
    try:
        settings = load()
    except TechRegError as error:
        return [*checks, Check("settings", FAIL, error.message, error.fix)]
    checks.append(Check("settings", OK, _changed(settings)))
    for name, check in (
        ("documents", _documents),
        ("storage", _storage),
        ("server", _server),
        ("index", _index),
        ("embedding model", _embedder),
        *([("reranker", _reranker)] if settings.reranker != "none" else []),
        ("language model", _language_model),
        *([("qdrant server", _qdrant)] if settings.qdrant_url else []),
    ):
        checks.append(_guarded(name, check, settings))
    return checks


def _guarded(name: str, check: Callable[[Settings], Check], settings: Settings) -> Check:
    try:
        return check(settings)
    except TechRegError as error:
        return Check(name, FAIL, error.message, error.fix)
    except Exception as error:
        return Check(name, FAIL, f"unexpected {type(error).__name__}: {error}", INSTALL)


def _python() -> Check:
    found = ".".join(map(str, sys.version_info[:3]))
    wanted = ".".join(map(str, PYTHON))
    if sys.version_info < PYTHON:
        return Check("python", FAIL, f"{found}, at least {wanted} is needed", f"Install Python {wanted} or newer")
    return Check("python", OK, found)


def _packages() -> Check:
    problems = list(_package_problems())
    if problems:
        return Check("packages", FAIL, "; ".join(problems), INSTALL)
    return Check("packages", OK, f"techreg-analyst {version('techreg-analyst')} with what it needs")


def _package_problems() -> Iterator[str]:
    from packaging.requirements import Requirement

    try:
        lines = requires("techreg-analyst") or []
    except PackageNotFoundError:
        yield "techreg-analyst is not installed"
        return
    for requirement in map(Requirement, lines):
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        try:
            found = version(requirement.name)
        except PackageNotFoundError:
            yield f"{requirement.name} is missing"
            continue
        if not requirement.specifier.contains(found, prereleases=True):
            yield f"{requirement.name} {found} is not {requirement.specifier}"


def _sample(folder: Path) -> Check:
    count = len(list(folder.glob("*.pdf")))
    if not count:
        return Check("sample", WARN, f"no sample regulation in {folder}", "Run: python -m scripts.build_sample")
    return Check("sample", OK, f"{count} PDFs")


def _changed(settings: Settings) -> str:
    changed = sorted(name for name in settings.model_fields_set)
    return (
        "changed: " + ", ".join(f"TECHREG_{name.upper()}" for name in changed) if changed else "all at their defaults"
    )


def _documents(settings: Settings) -> Check:
    folder = settings.documents
    files = [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".")]
    if not files:
        detail = f"{folder} holds no document; the sample regulation stands in"
        return Check("documents", WARN, detail, "Run: python -m scripts.fetch_regulations")
    return Check("documents", OK, f"{len(files)} files in {folder}")


def _storage(settings: Settings) -> Check:
    folder = settings.storage
    nearest = next(path for path in (folder.resolve(), *folder.resolve().parents) if path.exists())
    if not nearest.is_dir() or not os.access(nearest, os.W_OK):
        return Check("storage", FAIL, f"{folder} cannot be written", "Set TECHREG_STORAGE to a folder of yours")
    return Check("storage", OK, f"{folder.resolve()} can be written")


def _server(settings: Settings) -> Check:
    from app.handover import find_server

    lock = read_lock(settings.storage)
    if lock is None:
        return Check("server", OK, "none runs on this storage")
    server = find_server(settings.storage)
    if server is None:
        return Check("server", WARN, f"process {lock.pid} left its lock file behind", "None needed: it is passed over")
    server.close()
    return Check("server", OK, f"runs on {lock.url} (process {lock.pid}); commands answer through it")


def _index(settings: Settings) -> Check:
    from pipelines.index import owner
    from pipelines.index.manifest import ManifestFile
    from pipelines.index_text import RECIPE
    from pipelines.models.embedding import embedder_identity

    if settings.qdrant_url:
        from pipelines.index import open_index

        index = open_index(settings)
        manifest = index.manifest
        index.close()
    else:
        manifest = ManifestFile(settings.storage).load()
    held = documents(manifest)
    if manifest is None or not held:
        return Check("index", WARN, "nothing is indexed yet", f"Run: techreg ingest {settings.documents}")
    manifest.check(RECIPE, embedder_identity(settings))
    clauses = sum(one["clauses"] for one in held)
    detail = f"{len(held)} documents, {clauses} clauses, built by {manifest.model.name}"
    if not manifest.settled and (settings.qdrant_url or owner(settings.storage) is None):
        return Check("index", WARN, f"{detail}; a run was interrupted", f"Run: techreg ingest {settings.documents}")
    return Check("index", OK, detail)


def _embedder(settings: Settings) -> Check:
    from pipelines.models.embedding import load_embedder

    embedder = load_embedder(settings)
    vector = embedder.query("How much must a car weigh?")
    return Check("embedding model", OK, f"{embedder.identity.name}, {len(vector)} dimensions")


def _reranker(settings: Settings) -> Check:
    from pipelines.models.reranking import load_reranker

    load_reranker(settings)
    return Check("reranker", OK, f"{settings.reranker} can be loaded")


def _language_model(settings: Settings) -> Check:
    from pipelines.llm import language_model

    model = language_model(settings)
    if model is None:
        return Check("language model", OK, "none is used; answers are the regulations' own words")
    model.complete([{"role": "user", "content": "Answer with the word yes."}], 8)
    return Check("language model", OK, f"{settings.llm_model} answers")


def _qdrant(settings: Settings) -> Check:
    from pipelines.index import open_index

    open_index(settings).close()
    return Check("qdrant server", OK, f"{settings.qdrant_url} answers")
