"""Where the sweep's work runs: in this process, in processes of this machine, or on Ray across many machines.

A task is a function of plain data that gives plain data; which engine runs it never changes a score.
"""

from __future__ import annotations

import importlib.util
import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from typing import Any, Literal

from pipelines.errors import UsageError

Task = tuple[Any, ...]
Engine = Callable[[Callable[..., Any], Sequence[Task]], Iterator[tuple[int, Any]]]
"""Runs a function on each task; gives each task's place and result as it is ready."""
Kind = Literal["processes", "ray"]


@contextmanager
def open_engine(kind: Kind, workers: int) -> Iterator[Engine]:
    """An engine with so many workers; one worker is this process itself.

    Raises:
        UsageError: Ray is asked for and not installed.
    """
    if kind == "ray":
        yield from _ray(workers)
    elif workers == 1:
        yield _here
    else:
        # Fresh processes: a fork would copy the locks of whatever threads the models have started here.
        with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:

            def run(function: Callable[..., Any], tasks: Sequence[Task]) -> Iterator[tuple[int, Any]]:
                waiting = {pool.submit(function, *task): place for place, task in enumerate(tasks)}
                yield from ((waiting[future], future.result()) for future in as_completed(waiting))

            yield run


def _here(function: Callable[..., Any], tasks: Sequence[Task]) -> Iterator[tuple[int, Any]]:
    yield from ((place, function(*task)) for place, task in enumerate(tasks))


def _ray(workers: int) -> Iterator[Engine]:
    if importlib.util.find_spec("ray") is None:
        raise UsageError("Ray is not installed", 'Run: pip install "techreg-analyst[ray]"')
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray

    address = os.environ.get("RAY_ADDRESS")
    ray.init(
        **({"address": address} if address else {"num_cpus": workers, "include_dashboard": False}), log_to_driver=False
    )
    try:

        def run(function: Callable[..., Any], tasks: Sequence[Task]) -> Iterator[tuple[int, Any]]:
            remote = ray.remote(num_cpus=1)(function)
            stored: dict[int, Any] = {}  # what several tasks share travels to each machine once
            for task in tasks:
                for part in task:
                    if id(part) not in stored:
                        stored[id(part)] = ray.put(part)
            waiting = {remote.remote(*(stored[id(part)] for part in task)): place for place, task in enumerate(tasks)}
            pending = list(waiting)
            while pending:
                ready, pending = ray.wait(pending, num_returns=1)
                yield waiting[ready[0]], ray.get(ready[0])

        yield run
    finally:
        ray.shutdown()
