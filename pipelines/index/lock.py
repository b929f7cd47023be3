"""One process owns a local storage folder. Others are told who it is."""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from pipelines.errors import IndexBusy

_LOCK = "owner.lock"
_OWNER = "owner.json"


@dataclass(frozen=True, slots=True)
class OwnerInfo:
    """The process that holds a storage folder. ``port`` is 0 and ``host`` "" unless it serves the app."""

    pid: int
    host: str = ""
    port: int = 0


class FolderLock:
    """Held for as long as this process owns the folder; the system releases it however the process ends."""

    def __init__(self, storage: Path) -> None:
        """Take the folder.

        Raises:
            IndexBusy: another process has it; the message names the process.
        """
        storage.mkdir(parents=True, exist_ok=True)
        self.storage = storage
        held = _try_lock(storage / _LOCK)
        if held is None:
            info = _read(storage)
            who = f"process {info.pid}" if info else "another process"
            raise IndexBusy(f"{who} holds the storage folder {storage}")
        self._file: IO[str] | None = held
        self.announce("", 0)

    def announce(self, host: str, port: int) -> None:
        """Tell others where this process serves the app."""
        draft = self.storage / f"{_OWNER}.{os.getpid()}"
        draft.write_text(json.dumps(asdict(OwnerInfo(os.getpid(), host, port))), encoding="utf-8")
        draft.replace(self.storage / _OWNER)

    def release(self) -> None:
        """Give the folder back; harmless when it was given back already."""
        if self._file is None:
            return
        with contextlib.suppress(OSError):
            (self.storage / _OWNER).unlink()
        _unlock(self._file)
        self._file = None


def owner(storage: Path) -> OwnerInfo | None:
    """Who holds the local folder ``storage`` right now, None when nobody does."""
    if not (storage / _LOCK).exists():
        return None
    free = _try_lock(storage / _LOCK)
    if free is not None:
        _unlock(free)
        return None
    return _read(storage) or OwnerInfo(0)


def _read(storage: Path) -> OwnerInfo | None:
    try:
        return OwnerInfo(**json.loads((storage / _OWNER).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _try_lock(path: Path) -> IO[str] | None:
    import portalocker

    file = path.open("a+", encoding="utf-8")
    try:
        portalocker.lock(file, portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING)
    except portalocker.LockException:
        file.close()
        return None
    return file


def _unlock(file: IO[str]) -> None:
    import portalocker

    portalocker.unlock(file)
    file.close()
