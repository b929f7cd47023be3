"""Many files read at once, by processes of their own; a file that cannot be read gives its error, not the run's end."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path

from pipelines.errors import ReadError, TechRegError
from pipelines.schema import ReadResult

Reader = Callable[[Path], ReadResult]
WORKERS = 2


@dataclass(frozen=True, slots=True)
class Unread:
    """Why a file could not be read, in one line, and how long that took to find out."""

    message: str
    seconds: float


def read_all(files: Sequence[Path], reader: Reader | None = None) -> Generator[tuple[Path, ReadResult | Unread]]:
    """Read every file; results come as they are ready, in no fixed order.

    Args:
        files: the files to read.
        reader: reads one file in this process instead of the product's own reader in several.
    """
    if reader is not None or len(files) < WORKERS:
        for file in files:
            yield file, read_one(file, reader)
        return
    # Fresh processes: a fork would copy the threads' locks of whatever this process runs.
    context = multiprocessing.get_context("spawn")
    largest_first = sorted(files, key=lambda file: -file.stat().st_size)
    with ProcessPoolExecutor(WORKERS, mp_context=context) as pool:
        waiting = {pool.submit(read_one, file): file for file in largest_first}
        for future in as_completed(waiting):
            try:
                yield waiting[future], future.result()
            except BrokenProcessPool:
                yield waiting[future], Unread("reading it ended the process: out of memory or a damaged file", 0.0)


def read_one(file: Path, reader: Reader | None = None) -> ReadResult | Unread:
    """Read one file, or say why not."""
    start = time.perf_counter()
    try:
        return (reader or _product_reader())(file)
    except ReadError as error:
        return Unread(f"{error.message}. {error.fix}", time.perf_counter() - start)
    except TechRegError as error:
        return Unread(error.message, time.perf_counter() - start)
    except OSError as error:
        return Unread(f"cannot be opened: {error.strerror or error}", time.perf_counter() - start)


def _product_reader() -> Reader:
    from pipelines.reading import read_document

    return read_document
