"""The judge: a language model by setting, apart from the one that answers; its replies are kept, counted and priced."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from pydantic import BaseModel

from pipelines.errors import ModelReplyError, SettingsError
from pipelines.llm import ChatModel, LanguageModel, Message, language_model
from pipelines.settings import Settings

Reply = TypeVar("Reply", bound=BaseModel)
T = TypeVar("T")


class JudgeDown(Exception):
    """Raised when the judge has failed so often in a row that asking on is of no use; the run is resumed later."""


@dataclass(slots=True)
class Usage:
    """What a run cost. Tokens are counted here, not told by the endpoint; ``cached`` calls cost nothing.

    ``failed`` are the calls that broke and the replies that could not be read; the latter are among ``calls`` too.
    """

    calls: int = 0
    cached: int = 0
    failed: int = 0
    tokens_in: int = 0
    tokens_out: int = 0

    def cost(self, settings: Settings) -> float:
        """The price of the calls, in the currency that the settings' prices are in."""
        return (self.tokens_in * settings.judge_price_in + self.tokens_out * settings.judge_price_out) / 1e6


class ReplyCache:
    """Replies by model and prompt, in one SQLite file. Safe to share between threads."""

    def __init__(self, path: Path) -> None:
        """Open the file; it is made if need be."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self._base = sqlite3.connect(path, check_same_thread=False)
        self._base.execute("CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply TEXT NOT NULL)")

    def get(self, key: str) -> str | None:
        """The reply that was kept under a key."""
        with self._lock:
            row = self._base.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row else None

    def put(self, key: str, reply: str) -> None:
        """Keep a reply."""
        with self._lock, self._base:
            self._base.execute("INSERT OR REPLACE INTO replies VALUES (?, ?)", (key, reply))

    def close(self) -> None:
        """Close the file."""
        self._base.close()


class Judge:
    """Asks the judge, or the cache where the same was asked before. Safe to share between threads."""

    def __init__(self, model: LanguageModel, cache: ReplyCache, max_tokens: int, address: str = "") -> None:
        """``address`` is the host that the model is at; equal names at two hosts are two judges."""
        self.name = model.name
        self.address = address
        self.usage = Usage()
        self._model = model
        self._cache = cache
        self._max_tokens = max_tokens
        self._lock = threading.Lock()

    def text(self, messages: Sequence[Message]) -> str:
        """The reply to a conversation.

        Raises:
            ModelError: the judge did not reply as it should.
            JudgeDown: it has failed so often in a row that it is left alone.
        """
        return self._checked(messages, str)

    def structured(self, messages: Sequence[Message], shape: type[Reply]) -> Reply:
        """The reply as a record of ``shape``: the first JSON object or list in it that fits.

        Raises:
            ModelReplyError: the reply holds no such JSON; it is not kept.
            ModelError: the judge did not reply as it should.
            JudgeDown: it has failed so often in a row that it is left alone.
        """
        return self._checked(messages, lambda reply: parsed(reply, shape))

    def close(self) -> None:
        """Close the cache and the connections."""
        self._cache.close()
        if isinstance(self._model, ChatModel):
            self._model.close()

    def _checked(self, messages: Sequence[Message], read: Callable[[str], T]) -> T:
        """The reply as ``read`` gives it; only what could be read is kept."""
        key = self._key(messages)
        kept = self._cache.get(key)
        if kept is not None:
            with self._lock:
                self.usage.cached += 1
            return read(kept)
        if self._model.breaker.open:
            raise JudgeDown(f"the judge {self.name} failed too often in a row")
        try:
            reply = self._model.complete(messages, self._max_tokens)
        except Exception:
            with self._lock:
                self.usage.failed += 1
            raise
        count = self._model.counter.count
        with self._lock:
            self.usage.calls += 1
            self.usage.tokens_in += sum(count(message["content"]) for message in messages)
            self.usage.tokens_out += count(reply)
        try:
            result = read(reply)
        except ModelReplyError:
            with self._lock:
                self.usage.failed += 1
            raise
        self._cache.put(key, reply)
        return result

    def _key(self, messages: Sequence[Message]) -> str:
        asked = json.dumps([self.address, self.name, self._max_tokens, list(messages)], ensure_ascii=False)
        return hashlib.sha256(asked.encode()).hexdigest()


def parsed(reply: str, shape: type[Reply]) -> Reply:
    """The first JSON object or list in a reply that fits ``shape``; words and fences around it are no matter.

    Raises:
        ModelReplyError: there is none.
    """
    decoder = json.JSONDecoder(strict=False)
    for start, character in enumerate(reply):
        if character not in "{[":
            continue
        try:
            data, _ = decoder.raw_decode(reply, start)
            return shape.model_validate(data)
        except ValueError:  # no JSON from here, or none of this shape
            continue
    raise ModelReplyError(f"the judge's reply holds no {shape.__name__}: {' '.join(reply.split())[:80]!r}")


def open_judge(settings: Settings, cache: Path) -> Judge:
    """The judge that the settings name; its replies are kept in the file ``cache``.

    Raises:
        SettingsError: no judge is set, or its address or name is missing.
        ModelNotFound: its GGUF file or llama.cpp is missing.
    """
    if settings.judge == "none" and not settings.judge_url:
        raise SettingsError("no judge is set", "Set TECHREG_JUDGE_URL and TECHREG_JUDGE_MODEL")
    if not settings.judge_model:
        raise SettingsError("the judge is not named", "Set TECHREG_JUDGE_MODEL")
    as_judge = {
        "answer_mode": "llm",
        "llm": settings.judge if settings.judge != "none" else "custom",
        "llm_url": settings.judge_url,
        "llm_model": settings.judge_model,
        "llm_api_key": settings.judge_api_key,
        "llm_timeout_s": settings.judge_timeout_s,
        "llm_tokenizer": "",
    }
    model = language_model(settings.model_copy(update=as_judge))
    assert model is not None  # the mode asks for one
    address = settings.judge_url or settings.judge
    return Judge(model, ReplyCache(cache), settings.judge_tokens, urlsplit(address).hostname or address)
