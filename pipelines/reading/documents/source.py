"""The file as text and as a :class:`Document`: bytes, hash, encoding, and the error that fits when there is none."""

from __future__ import annotations

import hashlib
from pathlib import Path

from pipelines.errors import DamagedFile, NoText, ReadError
from pipelines.schema import Document


def read_bytes(path: Path) -> bytes:
    """The bytes of a file.

    Raises:
        NoText: the file is empty.
        ReadError: the file cannot be opened.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ReadError(f"{path.name}: cannot be opened ({error.strerror})") from error
    if not data.strip():
        raise NoText(f"{path.name}: the file is empty")
    return data


def decode(data: bytes, name: str) -> str:
    """Text of a file in UTF-8, UTF-16 with a byte order mark, or else Windows-1252, with "\\n" line ends.

    Raises:
        DamagedFile: the bytes hold NUL characters, so they are no text.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = data.decode("utf-16", errors="replace")
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("cp1252", errors="replace")
    if "\x00" in text:
        raise DamagedFile(f"{name}: the file is not text")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def describe(path: Path, data: bytes, title: str = "", pages: int = 1) -> Document:
    """The record of a document that is no regulation: its section is its file name, and it states no issue or date."""
    return Document(
        file=path.name,
        sha256=hashlib.sha256(data).hexdigest(),
        kind="document",
        section=path.name,
        section_title=title,
        issue="",
        date="",
        season="",
        pages=pages,
        path=str(path),
    )
