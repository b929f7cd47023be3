from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from answer.law import make_law

from pipelines.llm import ChatModel, CircuitBreaker
from pipelines.schema import Clause
from pipelines.tokens import TokenCounter, estimate

from .scripted import ScriptedServer, Step


@pytest.fixture
def serve() -> Iterator[Callable[..., ScriptedServer]]:
    """Start a scripted server; every one is stopped after the test."""
    servers: list[ScriptedServer] = []

    def start(*steps: Step) -> ScriptedServer:
        servers.append(ScriptedServer(steps))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


@pytest.fixture
def connect() -> Iterator[Callable[..., ChatModel]]:
    """A client for a server that never really pauses between tries; ``slept`` keeps the pauses."""
    models: list[ChatModel] = []

    def make(server: ScriptedServer, *, retries: int = 2, timeout_s: float = 5.0, breaker: int = 3) -> ChatModel:
        slept: list[float] = []
        model = ChatModel(
            url=server.url,
            model="scripted",
            api_key="sk-secret",
            timeout_s=timeout_s,
            retries=retries,
            counter=TokenCounter("estimate", estimate),
            breaker=CircuitBreaker(breaker, 60.0),
            sleep=slept.append,
        )
        model.slept = slept  # type: ignore[attr-defined]
        models.append(model)
        return model

    yield make
    for model in models:
        model.close()


@pytest.fixture(scope="session")
def law(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Clause]:
    """A small regulation made by hand, by article."""
    return make_law(tmp_path_factory.mktemp("law"))
