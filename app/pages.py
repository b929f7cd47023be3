"""Pictures of a document's pages, rendered once and kept, and where a clause stands on them.

The picture is the bare page: highlights are drawn over it by the browser from :func:`marks`, so one picture serves
every clause of the page.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pipelines.errors import ReadError, UsageError
from pipelines.schema import Clause, LineBox

if TYPE_CHECKING:
    import pymupdf

DPI = 144
"""Twice the PDF's 72 points to the inch: sharp on a usual screen, some 150 KB a page."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A highlighted box in fractions (0 to 1) of the page's width and height; ``strong`` marks the quoted lines."""

    left: float
    top: float
    width: float
    height: float
    strong: bool


class PageImages:
    """Renders pages as PNG, keeping the last ones in memory. Safe to call from several threads."""

    def __init__(self, keep: int = 64) -> None:
        """``keep`` is the number of pictures and, a quarter of it, of open documents kept."""
        self._keep = keep
        self._pictures: OrderedDict[tuple[Path, int, int], bytes] = OrderedDict()
        self._documents: OrderedDict[Path, pymupdf.Document] = OrderedDict()
        self._lock = threading.Lock()  # PyMuPDF allows one thread at a time

    def png(self, path: Path, page: int, dpi: int = DPI) -> bytes:
        """The picture of a page (from 1).

        Raises:
            UsageError: the document has no such page.
            ReadError: the file is gone or cannot be drawn.
        """
        key = (path, page, dpi)
        with self._lock:
            if key in self._pictures:
                self._pictures.move_to_end(key)
                return self._pictures[key]
            picture = self._draw(path, page, dpi)
            self._pictures[key] = picture
            while len(self._pictures) > self._keep:
                self._pictures.popitem(last=False)
            return picture

    def size(self, path: Path, page: int) -> tuple[float, float]:
        """Width and height of a page in points.

        Raises:
            UsageError: the document has no such page.
            ReadError: the file is gone or cannot be opened.
        """
        with self._lock:
            box = self._page(path, page).rect
            return float(box.width), float(box.height)

    def close(self) -> None:
        """Let go of every picture and file."""
        with self._lock:
            for document in self._documents.values():
                document.close()
            self._documents.clear()
            self._pictures.clear()

    def _draw(self, path: Path, page: int, dpi: int) -> bytes:
        try:
            picture: bytes = self._page(path, page).get_pixmap(dpi=dpi, alpha=False).tobytes("png")
        except RuntimeError as error:
            raise ReadError(f"{path.name}: page {page} cannot be drawn") from error
        return picture

    def _page(self, path: Path, page: int) -> pymupdf.Page:
        import pymupdf

        if path not in self._documents:
            try:
                self._documents[path] = pymupdf.open(path)
            except (RuntimeError, OSError) as error:
                raise ReadError(f"{path.name}: the file is gone or cannot be opened", "Run: techreg ingest") from error
            while len(self._documents) > max(1, self._keep // 4):
                self._documents.popitem(last=False)[1].close()
        self._documents.move_to_end(path)
        document = self._documents[path]
        if not 1 <= page <= document.page_count:
            raise UsageError(f"{path.name} has pages 1 to {document.page_count}, not {page}")
        return document[page - 1]


def marks(clause: Clause, page: int, size: tuple[float, float], quotes: Sequence[tuple[int, int]] = ()) -> list[Mark]:
    """Where a clause stands on a page.

    Args:
        clause: the clause to highlight.
        page: page number from 1.
        size: the page's width and height in points.
        quotes: runs of the clause's text, by offsets, whose lines are marked strongly.

    Returns:
        One mark a printed line, top to bottom; none when the clause has no line on the page.
    """
    width, height = size
    return [
        Mark(
            line.x0 / width,
            line.y0 / height,
            (line.x1 - line.x0) / width,
            (line.y1 - line.y0) / height,
            any(line.start < end and start < line.end for start, end in quotes),
        )
        for line in _on(clause.lines, page)
    ]


def _on(lines: Iterable[LineBox], page: int) -> list[LineBox]:
    return sorted((line for line in lines if line.page == page), key=lambda line: (line.y0, line.x0))
