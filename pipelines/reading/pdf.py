"""A PDF: as an FIA regulation where it is one, else as any document with a text layer."""

from __future__ import annotations

from pathlib import Path

from pipelines.reading.documents.plain_pdf import read_plain_pdf
from pipelines.reading.fia.reader import NotARegulation, read_regulation
from pipelines.schema import ReadResult


def read_pdf(path: Path) -> ReadResult:
    """Read a PDF.

    Raises:
        DamagedFile: the bytes are no readable PDF.
        EncryptedFile: the PDF wants a password.
        NoText: the PDF is empty or scanned.
    """
    try:
        return read_regulation(path)
    except NotARegulation:
        return read_plain_pdf(path)
