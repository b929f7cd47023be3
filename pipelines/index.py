"""The index in Qdrant, a local folder or a server."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class OwnerInfo:
    """The process that holds a storage folder; ``port`` is 0 unless it serves the app."""

    pid: int
    port: int
    host: str


def owner(storage: Path) -> OwnerInfo | None:
    """Who holds the local folder ``storage`` right now, None when nobody does."""
    raise NotImplementedError


class Index:
    """An open index."""
