"""A GGUF file through llama.cpp, with a stand-in for llama.cpp's model class."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pipelines.errors import ModelNotFound, ModelReplyError, ModelTimeout
from pipelines.gguf import LlamaCppModel
from pipelines.llm import CircuitBreaker, language_model
from pipelines.settings import Settings

ASKED = [{"role": "user", "content": "Pit lane speed?"}]


class FakeLlama:
    """What llama.cpp's class offers, with a scripted reply."""

    reply: tuple[str, ...] = ("The limit ", "is 80km/h [1].")
    error: Exception | None = None

    def __init__(self, **options: Any) -> None:
        self.options = options
        self.asked: dict[str, Any] = {}

    def tokenize(self, text: bytes, add_bos: bool) -> list[int]:
        assert not add_bos
        return list(range(len(text.split())))

    def create_chat_completion(self, **asked: Any) -> Iterator[dict[str, Any]]:
        self.asked = asked
        if self.error:
            raise self.error
        yield {"choices": [{"delta": {"role": "assistant"}}]}
        for piece in self.reply:
            yield {"choices": [{"delta": {"content": piece}}]}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    path = tmp_path / "small.gguf"
    path.write_bytes(b"GGUF")
    return Settings(_env_file=None, llm="gguf", llm_model=str(path), context_tokens=1000, answer_tokens=100)


def load(settings: Settings, fake: type[FakeLlama] = FakeLlama, **options: Any) -> LlamaCppModel:
    return LlamaCppModel(settings, CircuitBreaker(1, 60.0), load=fake, **options)


def test_the_window_holds_context_and_answer_and_tokens_are_the_models_own(settings: Settings) -> None:
    model = load(settings)
    assert model._model.options["n_ctx"] == 1100
    assert model.counter.count("three little words") == 3
    assert model.name == "small"


def test_a_reply_whole_and_in_pieces(settings: Settings) -> None:
    model = load(settings)
    assert model.complete(ASKED, 50) == "The limit is 80km/h [1]."
    assert list(model.stream(ASKED, 50)) == ["The limit ", "is 80km/h [1]."]
    assert model._model.asked["temperature"] == 0
    assert model._model.asked["max_tokens"] == 50


def test_nothing_written_and_an_error_are_errors_and_open_the_breaker(settings: Settings) -> None:
    class Silent(FakeLlama):
        reply = ()

    class Broken(FakeLlama):
        error = ValueError("context too long")

    for fake, message in ((Silent, "nothing"), (Broken, "context too long")):
        model = load(settings, fake)
        with pytest.raises(ModelReplyError, match=message):
            model.complete(ASKED, 50)
        assert model.breaker.open


def test_a_slow_model_is_a_time_out(settings: Settings) -> None:
    ticks = iter([0.0, 1.0, 100.0, 200.0])
    model = load(settings, clock=lambda: next(ticks))
    with pytest.raises(ModelTimeout):
        model.complete(ASKED, 50)


def test_a_missing_file_and_a_missing_package_say_what_to_do(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    gone = settings.model_copy(update={"llm_model": str(tmp_path / "gone.gguf")})
    with pytest.raises(ModelNotFound, match="no GGUF file"):
        load(gone)
    monkeypatch.setitem(sys.modules, "llama_cpp", None)
    with pytest.raises(ModelNotFound) as caught:
        language_model(settings)
    assert "gguf" in caught.value.fix


def test_a_file_that_is_no_model(settings: Settings) -> None:
    def refuse(**options: Any) -> None:
        raise ValueError("Failed to load model from file")

    with pytest.raises(ModelNotFound, match="cannot be loaded"):
        LlamaCppModel(settings, CircuitBreaker(1, 60.0), load=refuse)
