"""Language models by setting: any OpenAI-compatible endpoint over HTTP, or a local GGUF file through llama.cpp.

Temperature is 0. A call that gets 429, 5xx or no connection is tried again with growing pauses; a time-out, an empty,
cut or unreadable reply is not. Every failed try counts for the circuit breaker: after so many in a row the model is
left alone for a while, and the caller answers without it. Keys are sent in the header and never logged or shown.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from urllib.parse import urlsplit

from pipelines.errors import ModelError, ModelNotFound, ModelReplyError, ModelTimeout, SettingsError
from pipelines.settings import Settings
from pipelines.tokens import TokenCounter, token_counter

if TYPE_CHECKING:
    import httpx

PRESETS = {
    "openai": "https://api.openai.com/v1",
    "groq": "https://api.groq.com/openai/v1",
    "ollama": "http://localhost:11434/v1",
    "vllm": "http://localhost:8000/v1",
}
_RETRIED = frozenset({429, 500, 502, 503, 504})
_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 20.0

T = TypeVar("T")

Message = dict[str, str]
"""One chat message: ``role`` (system, user or assistant) and ``content``."""


class CircuitBreaker:
    """Counts failures in a row; open (the model is left alone) from ``failures`` on, for ``cooldown_s``.

    After that one call is let through: its success closes the breaker, its failure opens it again.
    """

    def __init__(self, failures: int, cooldown_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = failures
        self._cooldown_s = cooldown_s
        self._clock = clock
        self._lock = threading.Lock()
        self._failures = 0
        self._opened_at = 0.0

    @property
    def open(self) -> bool:
        """Whether calls are held back now."""
        with self._lock:
            return self._failures >= self._limit and self._clock() - self._opened_at < self._cooldown_s

    def failed(self) -> None:
        """Count one failed try."""
        with self._lock:
            self._failures += 1
            if self._failures >= self._limit:
                self._opened_at = self._clock()

    def succeeded(self) -> None:
        """Forget the failures."""
        with self._lock:
            self._failures = 0


class LanguageModel(Protocol):
    """A chat model. Both calls raise a :class:`~pipelines.errors.ModelError` and never return nothing."""

    name: str
    counter: TokenCounter
    breaker: CircuitBreaker

    def complete(self, messages: Sequence[Message], max_tokens: int) -> str:
        """The whole reply."""
        ...

    def stream(self, messages: Sequence[Message], max_tokens: int) -> Iterator[str]:
        """The reply in pieces as it is written; closing the iterator ends the call."""
        ...


def language_model(settings: Settings) -> LanguageModel | None:
    """The model that the settings name, None for the extractive answer.

    Raises:
        SettingsError: a model is wanted but its address or name is missing.
        ModelNotFound: the GGUF file or llama.cpp is missing.
    """
    named = settings.llm != "none" or bool(settings.llm_url)
    if settings.answer_mode == "extractive" or (settings.answer_mode == "auto" and not named):
        return None
    if not named:
        raise SettingsError("TECHREG_ANSWER_MODE is llm but no language model is set", "Set TECHREG_LLM")
    if not settings.llm_model:
        raise SettingsError("no language model is named", "Set TECHREG_LLM_MODEL")
    breaker = CircuitBreaker(settings.llm_breaker, settings.llm_breaker_s)
    if settings.llm == "gguf":
        from pipelines.gguf import LlamaCppModel

        return LlamaCppModel(settings, breaker)
    url = settings.llm_url or PRESETS.get(settings.llm, "")
    if not url:
        raise SettingsError("the language model has no address", "Set TECHREG_LLM_URL")
    return ChatModel(
        url=url,
        model=settings.llm_model,
        api_key=settings.llm_api_key.get_secret_value(),
        timeout_s=settings.llm_timeout_s,
        retries=settings.llm_retries,
        counter=token_counter(settings.llm_model, settings.llm_tokenizer),
        breaker=breaker,
    )


class ChatModel:
    """A model behind an OpenAI-compatible ``/chat/completions`` endpoint. Safe to share between threads."""

    def __init__(
        self,
        *,
        url: str,
        model: str,
        api_key: str = "",
        timeout_s: float,
        retries: int,
        counter: TokenCounter,
        breaker: CircuitBreaker,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        import httpx

        self.name = model
        self.counter = counter
        self.breaker = breaker
        self._host = urlsplit(url).hostname or url
        self._key = api_key
        self._timeout_s = timeout_s
        self._retries = retries
        self._sleep = sleep
        self._clock = clock
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._client = httpx.Client(base_url=url.rstrip("/") + "/", headers=headers, timeout=timeout_s)

    def complete(self, messages: Sequence[Message], max_tokens: int) -> str:
        """The whole reply; raises a :class:`~pipelines.errors.ModelError` for anything else."""

        def once() -> str:
            with self._reply(messages, max_tokens, stream=False) as response:
                deadline = self._clock() + self._timeout_s
                body = b""
                for chunk in response.iter_bytes():
                    body += chunk
                    self._in_time(deadline)
            return _content(body)

        return self._tried(once)

    def stream(self, messages: Sequence[Message], max_tokens: int) -> Iterator[str]:
        """The reply in pieces; a try that fails before its first piece is tried again, a later one is an error."""

        def once() -> tuple[str, Generator[str, None, None]]:
            pieces = self._pieces(messages, max_tokens)
            return next(pieces), pieces

        first, rest = self._tried(once)
        with closing(rest):
            yield first
            try:
                yield from rest
            except ModelError:
                self.breaker.failed()
                raise

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _pieces(self, messages: Sequence[Message], max_tokens: int) -> Generator[str, None, None]:
        """The pieces of one streamed reply that hold text; at least one, or an error."""
        deadline = self._clock() + self._timeout_s
        written = finished = False
        with self._reply(messages, max_tokens, stream=True) as response:
            for line in response.iter_lines():
                self._in_time(deadline)
                data = line.removeprefix("data:").strip() if line.startswith("data:") else ""
                if data == "[DONE]":
                    finished = True
                    break
                if not data:
                    continue
                piece, ended = _delta(data)
                finished = finished or ended
                if piece:
                    written = True
                    yield piece
        if not finished:
            raise ModelReplyError("the language model's reply was cut off")
        if not written:
            raise ModelReplyError("the language model's reply was empty")

    def _tried(self, once: Callable[[], T]) -> T:
        """``once()``, again after a pause where that may help; every failure counts for the breaker."""
        for attempt in range(self._retries + 1):
            try:
                result = once()
            except _TryAgain as trouble:
                self.breaker.failed()
                if attempt == self._retries:
                    raise ModelReplyError(str(trouble)) from trouble
                self._sleep(min(trouble.wait_s or _FIRST_PAUSE_S * 2**attempt, _LONGEST_PAUSE_S))
            except ModelError:
                self.breaker.failed()
                raise
            else:
                self.breaker.succeeded()
                return result
        raise AssertionError("unreachable")

    @contextmanager
    def _reply(self, messages: Sequence[Message], max_tokens: int, *, stream: bool) -> Iterator[httpx.Response]:
        """An open response of status 200; httpx's errors are translated here and nowhere else."""
        import httpx

        body = {
            "model": self.name,
            "messages": list(messages),
            "temperature": 0,
            "max_tokens": max_tokens,
            "stream": stream,
        }
        try:
            with self._client.stream("POST", "chat/completions", json=body) as response:
                if response.status_code != httpx.codes.OK:
                    response.read()
                    raise self._refused(response)
                yield response
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise _TryAgain(f"the language model at {self._host} cannot be reached") from error
        except httpx.TimeoutException as error:
            raise ModelTimeout(f"the language model at {self._host} did not answer in {self._timeout_s:g} s") from error
        except httpx.RequestError as error:
            raise ModelReplyError("the language model's reply was cut off") from error
        except (httpx.InvalidURL, httpx.StreamError) as error:
            raise ModelReplyError(f"the language model at {self._host} cannot be used") from error

    def _refused(self, response: httpx.Response) -> ModelError | _TryAgain:
        """What a status other than 200 means."""
        status = response.status_code
        if status in _RETRIED:
            return _TryAgain(f"the language model at {self._host} answered {status}", _seconds(response.headers))
        if status in (401, 403):
            return ModelReplyError(f"{self._host} refuses the key ({status})", "Set TECHREG_LLM_API_KEY")
        if status == 404:
            return ModelNotFound(
                f"{self._host} has no model {self.name!r}", "Set TECHREG_LLM_MODEL and TECHREG_LLM_URL"
            )
        return ModelReplyError(f"the language model at {self._host} answered {status}")

    def _in_time(self, deadline: float) -> None:
        if self._clock() > deadline:
            raise ModelTimeout(f"the language model at {self._host} took more than {self._timeout_s:g} s")


class _TryAgain(Exception):
    """A failure that another try may mend; ``wait_s`` is what the server asked for, 0 where it said nothing."""

    def __init__(self, message: str, wait_s: float = 0.0) -> None:
        super().__init__(message)
        self.wait_s = wait_s


def _seconds(headers: httpx.Headers) -> float:
    """The seconds a server asks to wait, 0 where it gives none or a date."""
    try:
        return max(0.0, float(headers.get("retry-after", "0")))
    except ValueError:
        return 0.0


def _content(body: bytes) -> str:
    """The text of a chat completion."""
    message = _choice(body).get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if content is not None and not isinstance(content, str):
        raise ModelReplyError("the language model's reply cannot be read")
    if not content or not content.strip():
        raise ModelReplyError("the language model's reply was empty")
    return content


def _delta(data: str) -> tuple[str, bool]:
    """The text of one streamed event, and whether the model says it has finished."""
    choice = _choice(data)
    delta = choice.get("delta") or {}
    content = delta.get("content") if isinstance(delta, dict) else None
    return content if isinstance(content, str) else "", bool(choice.get("finish_reason"))


def _choice(data: str | bytes) -> dict[str, Any]:
    """The first choice of a reply; {} for an event without any (usage, keep-alive)."""
    try:
        reply = json.loads(data)
    except ValueError as error:
        raise ModelReplyError("the language model's reply cannot be read") from error
    if not isinstance(reply, dict) or "error" in reply:
        raise ModelReplyError("the language model answered with an error")
    choices = reply.get("choices")
    if not isinstance(choices, list):
        raise ModelReplyError("the language model's reply cannot be read")
    if choices and not isinstance(choices[0], dict):
        raise ModelReplyError("the language model's reply cannot be read")
    return choices[0] if choices else {}
