"""Records between two processes of this machine: as JSON and back, the same frozen records on both sides."""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter

import pipelines.errors as errors
from pipelines.schema import Answer, Failure, Filters, Refusal, Reply

T = TypeVar("T")
_ADAPTERS: dict[Any, TypeAdapter[Any]] = {}
_OUTCOMES: dict[str, type[Answer] | type[Refusal] | type[Failure]] = {
    "answered": Answer,
    "refused": Refusal,
    "failed": Failure,
}


class Asked(BaseModel):
    """The body of a hand-over call; each endpoint reads what concerns it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    question: str = ""
    article: str = ""
    k: int | None = None
    filters: Filters | None = None
    explain: bool = False
    history: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    rebuild: bool = False


def adapter(kind: type[T]) -> TypeAdapter[T]:
    """The converter of one record type, made once."""
    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind]


def dump(record: T, kind: type[T] | None = None) -> bytes:
    """A record, or a sequence of them of ``kind``, as one line of JSON."""
    return adapter(kind or type(record)).dump_json(record)


def load(kind: type[T], data: bytes | str) -> T:
    """The record that :func:`dump` wrote."""
    return adapter(kind).validate_json(data)


def load_reply(data: bytes) -> Reply:
    """A reply of whichever outcome it names."""
    outcome = adapter(dict[str, Any]).validate_json(data)["outcome"]
    return load(_OUTCOMES[outcome], data)


def raise_error(shaped: dict[str, Any]) -> NoReturn:
    """Raise an error that the other side told as ``{type, message, fix}``, as the same class."""
    kind = getattr(errors, shaped.get("type", ""), errors.TechRegError)
    raise kind(shaped.get("message") or f"the server answered {shaped}", shaped.get("fix", ""))
