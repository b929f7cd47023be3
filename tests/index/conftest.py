from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from index.fakes import read_json, topic_embedder
from pipelines.engine import Engine
from pipelines.ingest import ingest
from pipelines.report import IngestReport
from pipelines.settings import Settings

Ingest = Callable[..., IngestReport]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(storage=tmp_path / "storage", reranker="none", _env_file=None)


@pytest.fixture
def run(settings: Settings) -> Ingest:
    """Ingest with a reader of small JSON files and an embedder of four topics."""

    def call(*paths: Path, **options: object) -> IngestReport:
        defaults = {"reader": read_json, "embedder": topic_embedder()}
        return ingest(paths, settings, **(defaults | options))

    return call


@pytest.fixture
def engine(settings: Settings) -> Iterator[Callable[[], Engine]]:
    """Opens engines that are closed when the test ends."""
    opened: list[Engine] = []

    def call() -> Engine:
        opened.append(Engine(settings, embedder=topic_embedder()))
        return opened[-1]

    yield call
    for found in opened:
        found.close()
