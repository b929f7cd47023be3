"""A GGUF file on this machine as a language model, through llama.cpp (the extra ``gguf``)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pipelines.errors import ModelNotFound, ModelReplyError, ModelTimeout
from pipelines.llm import CircuitBreaker, Message
from pipelines.settings import Settings
from pipelines.tokens import TokenCounter


class LlamaCppModel:
    """A chat model read from a file. One call at a time: llama.cpp's context is not shared between threads.

    Raises:
        ModelNotFound: the file or the package ``llama-cpp-python`` is missing, or the file is no model.
    """

    def __init__(
        self,
        settings: Settings,
        breaker: CircuitBreaker,
        load: Callable[..., Any] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        path = Path(settings.llm_model).expanduser()
        if not path.is_file():
            raise ModelNotFound(f"no GGUF file at {path}", "Set TECHREG_LLM_MODEL to the path of a GGUF file")
        self.name = path.stem
        self.breaker = breaker
        self._timeout_s = settings.llm_timeout_s
        self._clock = clock
        self._lock = threading.Lock()
        window = settings.context_tokens + settings.answer_tokens
        try:
            self._model = (load or _llama())(
                model_path=str(path), n_ctx=window, n_threads=settings.threads or None, verbose=False
            )
        except (ValueError, RuntimeError, OSError) as error:
            raise ModelNotFound(f"{path.name} cannot be loaded as a model") from error
        self.counter = TokenCounter(self.name, lambda text: len(self._model.tokenize(text.encode(), add_bos=False)))

    def complete(self, messages: Sequence[Message], max_tokens: int) -> str:
        """The whole reply."""
        return "".join(self.stream(messages, max_tokens))

    def stream(self, messages: Sequence[Message], max_tokens: int) -> Iterator[str]:
        """The reply in pieces as it is written; closing the iterator ends the call."""
        deadline = self._clock() + self._timeout_s
        written = False
        try:
            with self._lock:
                events = self._model.create_chat_completion(
                    messages=list(messages), temperature=0, max_tokens=max_tokens, stream=True
                )
                for event in events:
                    piece = event["choices"][0]["delta"].get("content") or ""
                    if self._clock() > deadline:
                        raise ModelTimeout(f"{self.name} took more than {self._timeout_s:g} s")
                    if piece:
                        written = True
                        yield piece
            if not written:
                raise ModelReplyError(f"{self.name} replied with nothing")
        except (ValueError, RuntimeError) as error:
            self.breaker.failed()
            raise ModelReplyError(f"{self.name} failed: {error}") from error
        except (ModelTimeout, ModelReplyError):
            self.breaker.failed()
            raise
        self.breaker.succeeded()


def _llama() -> Callable[..., Any]:
    """llama.cpp's model class."""
    try:
        from llama_cpp import Llama
    except ImportError as error:
        raise ModelNotFound("llama.cpp is not installed", "Run: pip install 'techreg-analyst[gguf]'") from error
    return Llama  # type: ignore[no-any-return]
