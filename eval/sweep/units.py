"""A corpus cut into units: clauses as the product cuts them, or chunks of running text with their lines."""

from __future__ import annotations

import bisect
import hashlib
import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from eval.sweep.conditions import Setup
from eval.sweep.sources import sources
from pipelines.cut import cut
from pipelines.errors import UsageError
from pipelines.index_text import index_text, is_searchable
from pipelines.ingest import SUFFIXES
from pipelines.read_all import Unread, read_all
from pipelines.reading.documents.source import decode
from pipelines.schema import ReadResult, Status

Spans = Callable[[str], list[tuple[int, int]]]
"""The tokens of a text as spans of its characters."""


@dataclass(frozen=True, slots=True)
class Unit:
    """What is embedded and searched. Units of one ``group`` stand for one result, which shows ``shown``."""

    text: str
    group: int


@dataclass(frozen=True, slots=True)
class Shown:
    """A result: the text that a person would get, and where it stands."""

    text: str
    section: str
    file: str
    label: str
    lines: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Cut:
    """A corpus as units, and the results they stand for by group."""

    units: tuple[Unit, ...]
    shown: tuple[Shown, ...]


def read_corpus(paths: Sequence[Path], cache: Path) -> list[ReadResult]:
    """Read files and folders as ingest does; what the same reader read before is taken from ``cache``.

    Raises:
        UsageError: there is nothing to read, or a file cannot be read: a score over part of a corpus says nothing.
    """
    files: list[Path] = []
    for path in paths:
        inside = (
            sorted(file for file in path.rglob("*") if file.suffix.lower() in SUFFIXES) if path.is_dir() else [path]
        )
        files += [file for file in inside if file.is_file()]
    if not files:
        raise UsageError(f"there is nothing to read in {', '.join(map(str, paths))}")
    digest = hashlib.sha256(sources("pipelines/reading").encode())
    for file in files:
        digest.update(str(file).encode() + file.read_bytes())
    kept = cache / f"read-{digest.hexdigest()[:16]}.pickle"
    if kept.exists():
        results: list[ReadResult] = pickle.loads(kept.read_bytes())
        return results
    found: dict[Path, ReadResult] = {}
    for file, result in read_all(files):
        if isinstance(result, Unread):
            raise UsageError(f"{file} cannot be read: {result.message}")
        found[file] = replace(result, document=replace(result.document, file=file.name, path=str(file)))
    results = [found[file] for file in files]
    cache.mkdir(parents=True, exist_ok=True)
    kept.write_bytes(pickle.dumps(results))
    return results


def cut_corpus(documents: Sequence[ReadResult], setup: Setup, spans: Spans, window: int) -> Cut:
    """The corpus in the units that a setup asks for.

    Args:
        documents: as read.
        setup: says of what text, and how it is cut.
        spans: the tokens of a text.
        window: the most tokens that the embedding model sees, two special ones included.
    """
    if setup.chunks == "clauses":
        return _clauses(documents, spans, window)
    units: list[Unit] = []
    shown: list[Shown] = []
    for document in documents:
        text, has_lines = _running_text(document, setup.text)
        starts = [0, *(place + 1 for place, character in enumerate(text) if character == "\n")]
        for first, last in _chunks(text, setup.chunks, spans):
            words = text[first:last]
            if not words.strip():
                continue
            first += len(words) - len(words.lstrip())
            last -= len(words) - len(words.rstrip())
            lines = (bisect.bisect_right(starts, first), bisect.bisect_right(starts, last - 1)) if has_lines else None
            info = document.document
            units.append(Unit(text[first:last], len(shown)))
            shown.append(Shown(text[first:last], info.section, info.file, f"{info.section} @{first}", lines))
    return Cut(tuple(units), tuple(shown))


def _clauses(documents: Sequence[ReadResult], spans: Spans, window: int) -> Cut:
    units: list[Unit] = []
    shown: list[Shown] = []
    for document in documents:
        for clause in document.clauses:
            if not is_searchable(clause) or clause.status != Status.IN_FORCE:
                continue

            def fits(words: str, clause: object = clause) -> bool:
                return len(spans(index_text(clause, words))) + 2 <= window  # type: ignore[arg-type]

            parts = cut(clause.text, clause.tables, fits)
            units += [Unit(index_text(clause, words), len(shown)) for words in parts]
            shown.append(Shown(clause.text, clause.section, clause.document.file, clause.label, clause.file_lines))
    return Cut(tuple(units), tuple(shown))


def _running_text(document: ReadResult, kind: str) -> tuple[str, bool]:
    """A document's text, and whether its lines mean something: those of a text file do."""
    path = Path(document.document.path)
    if path.suffix.lower() in {".txt", ".md", ".rst"}:
        return decode(path.read_bytes(), path.name), True
    if kind == "pages" and path.suffix.lower() == ".pdf":
        import pymupdf

        with pymupdf.open(path) as pdf:
            return "\n".join(page.get_text() for page in pdf), False
    clauses = (clause for clause in document.clauses if clause.status == Status.IN_FORCE and is_searchable(clause))
    return "\n".join(f"{clause.label} {clause.title}\n{clause.text}" for clause in clauses), False


def _chunks(text: str, kind: str, spans: Spans) -> Iterator[tuple[int, int]]:
    how, _, sizes = kind.partition("-")
    if how == "chars":
        size = int(sizes)
        yield from ((start, min(len(text), start + size)) for start in range(0, len(text), size))
        return
    tokens = spans(text)
    numbers = [int(size) for size in sizes.split("/")]
    windows = [(numbers[0], numbers[1])] if how == "tokens" else [(size, 0) for size in numbers]
    for size, overlap in windows:
        for start in range(0, max(1, len(tokens) - overlap), size - overlap):
            inside = tokens[start : start + size]
            if inside:
                yield inside[0][0], inside[-1][1]
