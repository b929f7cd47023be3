"""Is a quote really on its page? Found again in the PDF itself, apart from everything the reader made of it.

A quote is a run of one page's words. It counts as verified when it is found on that page with struck characters left
out, both sides in NFKC and without white space. Some of these PDFs map a ligature to one wrong character ("egect" for
"effect"), so where the quote has the letters of an f-ligature the page may hold one character of any kind. A table is
compared cell by cell; a document without pages by the letters and digits of its lines.
"""

from __future__ import annotations

import re
import threading
import unicodedata
import zipfile
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pymupdf

from pipelines.answer.pieces import cells, is_rule
from pipelines.errors import ReadError
from pipelines.reading.documents.source import decode

_STRUCK = 1  # bit 0 of a span's char_flags
_FLAGS = pymupdf.TEXT_COLLECT_STYLES | pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_PRESERVE_LIGATURES
_SPACE = re.compile(r"[\s\u00ad\u200b-\u200d\u2060\ufeff]+")
_LIGATURE = re.compile("ffi|ffl|ff|fi|fl")
_LIGATURE_PATTERN = {
    "ffi": "(?:ffi|.i?)", "ffl": "(?:ffl|.l?)", "ff": "(?:ff|.)", "fi": "(?:fi|.)", "fl": "(?:fl|.)",
}  # fmt: skip
_NOTE = re.compile(r"\[[^\[\]]*\]")
_STOPS = (".", ",", ";", ":", ")")
_MOST_HOLES = 4
"""Marks that may part one quote."""
_CACHED_PAGES = 1_000
_OPEN_FILES = 16


def squeeze(text: str) -> str:
    """Text as it is compared: NFKC, without white space and soft hyphens."""
    return _SPACE.sub("", unicodedata.normalize("NFKC", text))


def is_table(quote: str) -> bool:
    """Whether a quote is Markdown table rows."""
    lines = [line.strip() for line in quote.splitlines() if line.strip()]
    return bool(lines) and all(line.startswith("|") and line.endswith("|") for line in lines)


@dataclass(frozen=True, slots=True)
class _PageText:
    """A page's words in force, squeezed, in the order of its content and in the order of its places.

    ``touched`` maps places in the first to the characters that were struck there, but may belong to what is in force.
    """

    by_content: str
    by_place: str
    touched: Mapping[int, str] = field(default_factory=dict)


class Verifier:
    """Checks quotes against files; keeps open files and page texts for the next one. Safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._files: OrderedDict[Path, pymupdf.Document] = OrderedDict()
        self._pages: OrderedDict[tuple[Path, int], _PageText] = OrderedDict()
        self._texts: dict[Path, tuple[str, ...]] = {}

    def verify_quote(self, path: Path, page: int, quote: str) -> bool:
        """Whether ``quote`` stands on page ``page`` (1-based) of a PDF. A page or file that cannot be read: False."""
        text = self._page(path, page)
        if text is None or not quote.strip():
            return False
        if is_table(quote):
            rows = [row for row in quote.splitlines() if row.strip() and not is_rule(row)]
            wanted = [squeeze(cell) for row in rows for cell in cells(row)]
            return all(_found(cell, text) for cell in wanted if cell)
        return _found(squeeze(quote), text)

    def runs_around_marks(self, path: Path, page: int, quote: str) -> tuple[str, ...]:
        """The runs of words of ``quote`` that stand on a page where marks of the FIA's editors part them.

        A stroke through struck words often reaches over the letter before or behind them, and PyMuPDF calls that letter
        struck; a note in square brackets ("[Governance: ...]") may stand in the middle of a sentence. Empty where more
        than such letters is missing from the page or more than such notes stands between: no word slips in or out.
        """
        text = self._page(path, page)
        words = [squeeze(word) for word in quote.split()]
        holes = None if text is None else _holes("".join(words), text)
        if holes is None:
            return ()
        runs: list[list[str]] = [[]]
        end = 0
        for word, squeezed in zip(quote.split(), words, strict=True):
            start, end = end, end + len(squeezed)
            if any(hole.note and hole.place == start for hole in holes):
                runs.append([])
            if any(start <= hole.place < end and not (hole.note and hole.place == start) for hole in holes):
                runs.append([])
            else:
                runs[-1].append(word)
        return tuple(" ".join(run) for run in runs if run)

    def verify_lines(self, path: Path, lines: tuple[int, int], quote: str) -> bool:
        """Whether ``quote`` stands within lines ``lines`` (1-based, inclusive) of a document without pages."""
        text = self._lines(path)
        wanted = _letters(quote)
        return bool(wanted) and wanted in _letters("\n".join(text[lines[0] - 1 : lines[1]]))

    def close(self) -> None:
        """Close the files that are open."""
        with self._lock:
            for document in self._files.values():
                document.close()
            self._files.clear()

    def _page(self, path: Path, page: int) -> _PageText | None:
        key = (path, page)
        with self._lock:
            if key in self._pages:
                self._pages.move_to_end(key)
                return self._pages[key]
            document = self._open(path)
            if document is None or not 1 <= page <= document.page_count:
                return None
            text = _page_text(document[page - 1])
            self._pages[key] = text
            if len(self._pages) > _CACHED_PAGES:
                self._pages.popitem(last=False)
            return text

    def _open(self, path: Path) -> pymupdf.Document | None:
        if path in self._files:
            self._files.move_to_end(path)
            return self._files[path]
        try:
            document = pymupdf.open(path)
        except (RuntimeError, OSError, ValueError):
            return None
        self._files[path] = document
        if len(self._files) > _OPEN_FILES:
            self._files.popitem(last=False)[1].close()
        return document

    def _lines(self, path: Path) -> tuple[str, ...]:
        if path not in self._texts:
            self._texts[path] = _document_lines(path)
        return self._texts[path]


def _page_text(page: pymupdf.Page) -> _PageText:
    """A page's characters that are not struck, block by block and line by line from the top left."""
    lines: list[tuple[float, float, str]] = []
    content, touched = "", dict[int, str]()
    for block in page.get_text("dict", flags=_FLAGS)["blocks"]:
        for line in block.get("lines", ()):
            runs = _runs(line)
            text = ""
            for place, (words, struck) in enumerate(runs):
                if not struck:
                    text += words
                elif found := _touched(words, text[-1:], runs[place + 1][0][:1] if place + 1 < len(runs) else ""):
                    at = len(content) + len(squeeze(text))
                    touched[at] = touched.get(at, "") + found
            content += squeeze(text)
            if text.strip():
                lines.append((line["bbox"][3], line["bbox"][0], text))
    by_place = squeeze("".join(text for *_, text in sorted(lines, key=lambda line: (round(line[0] / 3), line[1]))))
    return _PageText(content, by_place, touched)


def _runs(line: Mapping[str, Any]) -> list[tuple[str, bool]]:
    """A line's words in runs that are struck or are not."""
    runs: list[tuple[str, bool]] = []
    for span in line["spans"]:
        struck = bool(span["char_flags"] & _STRUCK)
        if runs and runs[-1][1] == struck:
            runs[-1] = (runs[-1][0] + span["text"], struck)
        else:
            runs.append((span["text"], struck))
    return runs


def _touched(struck: str, before: str, behind: str) -> str:
    """Of a struck run the characters at its ends that may not be struck: part of a word in force, or its full stop."""
    whole = struck.strip()
    ends = [(whole[:1], before, struck[:1]), (whole[-1:], behind, struck[-1:])]
    return "".join(
        end
        for end, beside, outermost in ends
        if end in _STOPS or (beside.strip() and outermost.strip() and end.isalnum())
    )


@dataclass(frozen=True, slots=True)
class _Hole:
    """A place in a quote: of a character that a stroke touched, or before which a note stands on the page."""

    place: int
    note: bool = False


_Holes = tuple[_Hole, ...]


def _holes(wanted: str, page: _PageText) -> _Holes | None:
    """Where marks part ``wanted`` on a page; None where it does not stand there for all that."""
    text = page.by_content
    for start in range(len(text)):
        if text[start] == wanted[:1] or start in page.touched:
            found = _along(wanted, 0, page, start, ())
            if found is not None:
                return found
    return None


def _along(wanted: str, at: int, page: _PageText, place: int, holes: _Holes) -> _Holes | None:
    """Read ``wanted[at:]`` along the page from ``place``: the same characters, but for marks and ligatures."""
    text = page.by_content
    while (
        at < len(wanted)
        and place < len(text)
        and wanted[at] == text[place]
        and not _is_touched(wanted[at], page, place)
    ):
        at, place = at + 1, place + 1
    if at == len(wanted):
        return holes
    for next_at, next_place, hole in _steps(wanted, at, page, place):
        if hole is not None and len(holes) == _MOST_HOLES:
            continue
        found = _along(wanted, next_at, page, next_place, holes if hole is None else (*holes, hole))
        if found is not None:
            return found
    return None


def _steps(wanted: str, at: int, page: _PageText, place: int) -> Iterator[tuple[int, int, _Hole | None]]:
    """What may come next in the quote and on the page, and the hole between, likeliest first."""
    text = page.by_content
    if _is_touched(wanted[at], page, place):
        yield at + 1, place, _Hole(at)
    if place >= len(text):
        return
    if wanted[at] == text[place]:
        yield at + 1, place + 1, None
    note = _NOTE.match(text, place)
    if note is not None and at > 0:
        yield at, note.end(), _Hole(at, note=True)
    ligature = _LIGATURE.match(wanted, at)
    if ligature is not None:
        yield at + len(ligature.group().removesuffix("i")), place + 1, None
        yield ligature.end(), place + 1, None


def _is_touched(character: str, page: _PageText, place: int) -> bool:
    return character in page.touched.get(place, "")


def _found(wanted: str, page: _PageText) -> bool:
    if wanted in page.by_content or wanted in page.by_place:
        return True
    if not _LIGATURE.search(wanted):
        return False
    parts, position = [], 0
    for match in _LIGATURE.finditer(wanted):
        parts += [re.escape(wanted[position : match.start()]), _LIGATURE_PATTERN[match.group()]]
        position = match.end()
    pattern = re.compile("".join([*parts, re.escape(wanted[position:])]))
    return bool(pattern.search(page.by_content) or pattern.search(page.by_place))


def _letters(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


def _document_lines(path: Path) -> tuple[str, ...]:
    """The lines of a text document, the paragraphs of a Word file; none where it cannot be read."""
    try:
        if path.suffix.lower() == ".docx":
            return _paragraphs(path)
        return tuple(decode(path.read_bytes(), path.name).split("\n"))
    except (OSError, KeyError, ValueError, zipfile.BadZipFile, ReadError):
        return ()


def _paragraphs(path: Path) -> tuple[str, ...]:
    """The parts of a Word file in order, one line a paragraph or table."""
    import docx
    from docx.table import Table

    from pipelines.reading.documents.word import words

    parts = []
    for part in docx.Document(str(path)).iter_inner_content():
        if isinstance(part, Table):
            parts.append(" ".join(cell.text for row in part.rows for cell in row.cells))
        else:
            parts.append(words(part))
    return tuple(parts)
