"""Expected scores as checked-in data: conditions with their exact commands, scores and tolerance, run and graded.

A condition's commands run one after the other in the folder that holds ``eval``, over an index of their own; the last
one prints a JSON document, in which a score is found by its path (``metrics.hit1``).
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipelines.errors import UsageError

ROOT = Path(__file__).resolve().parents[1]
EXPECTED = Path(__file__).parent / "data" / "expected.json"
"""The checked-in scores."""

Run = Callable[[Sequence[str], dict[str, str]], str]
"""Runs ``techreg`` with arguments and added environment; gives its standard output."""


@dataclass(frozen=True, slots=True)
class Condition:
    """Commands whose scores are known, and how far a score may be off."""

    name: str
    commands: tuple[str, ...]
    needs: tuple[str, ...]  # paths without which it cannot run
    scores: dict[str, float]
    tolerance: float
    settings: dict[str, str]


@dataclass(frozen=True, slots=True)
class Grade:
    """One score graded: ``pass`` or ``fail``; ``skipped`` where the condition could not run, and why."""

    condition: str
    score: str
    expected: float
    got: float | None
    outcome: str
    reason: str = ""


def read(path: Path = EXPECTED) -> list[Condition]:
    """The conditions of a file.

    Raises:
        UsageError: the file is no list of conditions; the message names the first fault.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return [
            Condition(
                name=str(entry["name"]),
                commands=tuple(map(str, entry["commands"])),
                needs=tuple(map(str, entry.get("needs", ()))),
                scores={str(name): float(value) for name, value in entry["scores"].items()},
                tolerance=float(entry["tolerance"]),
                settings={str(name): str(value) for name, value in entry.get("settings", {}).items()},
            )
            for entry in data["conditions"]
        ]
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise UsageError(f"{path} holds no expected scores: {error}") from error


def check(
    conditions: Sequence[Condition],
    run: Run | None = None,
    *,
    root: Path = ROOT,
    tell: Callable[[str], None] = lambda _: None,
) -> list[Grade]:
    """Run every condition again and grade its scores.

    Args:
        conditions: what to run.
        run: runs one command; by default a process of its own, as a person would.
        root: the folder that ``needs`` and the commands' paths are relative to.
        tell: called with the name of each condition before it runs.
    """
    grades: list[Grade] = []
    for condition in conditions:
        missing = [path for path in condition.needs if not (root / path).exists()]
        if missing:
            reason = f"{missing[0]} is not here"
            grades += [Grade(condition.name, name, value, None, "skipped", reason) for name, value in _all(condition)]
            continue
        tell(condition.name)
        with tempfile.TemporaryDirectory() as storage:
            environment = {"TECHREG_STORAGE": str(Path(storage) / "index"), **condition.settings}
            output = ""
            for command in condition.commands:
                output = (run or _run(root))(shlex.split(command)[1:], environment)
        document = json.loads(output)
        for name, value in _all(condition):
            got = _at(document, name)
            # Rounded, so that a score that is off by just the tolerance passes whatever binary fractions make of it.
            good = got is not None and round(abs(got - value), 6) <= condition.tolerance
            grades.append(Grade(condition.name, name, value, got, "pass" if good else "fail"))
    return grades


def _all(condition: Condition) -> list[tuple[str, float]]:
    return list(condition.scores.items())


def _run(root: Path) -> Run:
    def run(arguments: Sequence[str], environment: dict[str, str]) -> str:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("TECHREG_")}
        done = subprocess.run(
            [sys.executable, "-m", "app", *arguments],
            cwd=root,
            env=inherited | environment,
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise UsageError(f"techreg {' '.join(arguments)} ended with {done.returncode}")
        return done.stdout

    return run


def _at(document: Any, path: str) -> float | None:
    """The number at a path of keys joined by full stops; None where there is none."""
    for key in path.split("."):
        if not isinstance(document, dict) or key not in document:
            return None
        document = document[key]
    return float(document) if isinstance(document, int | float) else None
