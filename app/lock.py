"""The lock file by which other commands find the server that holds a storage folder.

``serve`` writes it once its port is bound and removes it when it ends. A file left by a crash does no harm: what
counts is whether a server with the file's token answers on its port.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path

FILE = "serve.json"
_ANYWHERE = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # an address to bind is not always one to call


@dataclass(frozen=True, slots=True)
class ServerLock:
    """Where the server listens, and the token that its internal endpoints ask for."""

    pid: int
    host: str
    port: int
    token: str

    @property
    def url(self) -> str:
        """The address to call it at."""
        host = _ANYWHERE.get(self.host, f"[{self.host}]" if ":" in self.host else self.host)
        return f"http://{host}:{self.port}"

    @property
    def instance(self) -> str:
        """A public part of the token: tells this server from another that took over its port."""
        return self.token[:8]


def new_lock(host: str, port: int) -> ServerLock:
    """A lock for this process with a fresh token."""
    return ServerLock(os.getpid(), host, port, secrets.token_urlsafe(32))


def write_lock(storage: Path, lock: ServerLock) -> None:
    """Put the lock file in place at once, readable by this user only."""
    storage.mkdir(parents=True, exist_ok=True)
    target = storage / FILE
    draft = target.with_name(f"{FILE}.{os.getpid()}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as out:
        json.dump(asdict(lock), out)
    draft.replace(target)


def read_lock(storage: Path) -> ServerLock | None:
    """The lock of ``storage``, None where there is none or it cannot be read."""
    try:
        return ServerLock(**json.loads((storage / FILE).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def remove_lock(storage: Path, lock: ServerLock) -> None:
    """Remove the lock file if it is still this one."""
    if read_lock(storage) == lock:
        with contextlib.suppress(OSError):
            (storage / FILE).unlink()
