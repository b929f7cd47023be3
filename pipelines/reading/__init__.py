"""Files read into clauses, each format by a reader of its own.

:func:`read_document` is the one entry. A PDF is told by its first bytes, any other format by its suffix; readers are
imported when they are first needed.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import cast

from pipelines.errors import DamagedFile, UnknownFormat
from pipelines.schema import ReadResult

Reader = Callable[[Path], ReadResult]

# Suffix -> module and function.
_READERS = {
    ".pdf": ("pipelines.reading.pdf", "read_pdf"),
    ".txt": ("pipelines.reading.documents", "read_plain"),
    ".md": ("pipelines.reading.documents", "read_markdown"),
    ".markdown": ("pipelines.reading.documents", "read_markdown"),
    ".rst": ("pipelines.reading.documents", "read_rst"),
    ".csv": ("pipelines.reading.documents", "read_csv"),
    ".docx": ("pipelines.reading.documents", "read_docx"),
}
SUFFIXES = frozenset(_READERS)

_PDF = b"%PDF-"
_LOOKED_AT = 1024  # bytes in which a PDF's signature must stand


def read_document(path: Path) -> ReadResult:
    """Read one file into clauses.

    Raises:
        ReadError: the file gives no clauses; the subclass says why, its message in one line.
    """
    suffix = ".pdf" if _is_pdf(path) else path.suffix.lower()
    if suffix not in _READERS:
        raise UnknownFormat(f"{path.name} is of a format that is not read")
    module, name = _READERS[suffix]
    return cast(Reader, getattr(import_module(module), name))(path)


def _is_pdf(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return _PDF in file.read(_LOOKED_AT)
    except OSError as error:
        raise DamagedFile(f"{path.name} cannot be opened: {error.strerror or error}") from error
