"""A hash of the code that a score depends on: what another version of the code made is not taken for this one's."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_SUFFIXES = frozenset({".py", ".json", ".toml"})


@lru_cache
def sources(*folders: str, root: Path = ROOT) -> str:
    """16 hexadecimal digits that change with any module or data file in some folders of the project."""
    digest = hashlib.sha256()
    files = (file for folder in folders for file in (root / folder).rglob("*") if file.suffix in _SUFFIXES)
    for file in sorted(files):
        digest.update(f"{file.relative_to(root).as_posix()}\0".encode() + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
