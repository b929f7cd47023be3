"""Batches: JSON Lines in, one question a line; a line that is wrong becomes an error of its own."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pipelines.errors import UsageError


@dataclass(frozen=True, slots=True)
class Line:
    """One question of a batch; ``problem`` says why the line cannot be asked, "" where it can."""

    id: str | None
    question: str
    history: tuple[str, ...] = ()
    problem: str = ""


def read_batch(source: str) -> Iterator[Line]:
    """The lines of a file, or of standard input for "-", in order; blank lines are passed over.

    Raises:
        UsageError: the file cannot be opened.
    """
    try:
        text = sys.stdin.read() if source == "-" else Path(source).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot read the batch {source}: {reason}", "Give a JSON Lines file to --batch") from error
    return (parse(line, number) for number, line in enumerate(text.splitlines(), start=1) if line.strip())


def parse(line: str, number: int) -> Line:
    """One line ``{id, question, history?}``; fields that are not known are passed over."""
    try:
        data = json.loads(line)
    except ValueError as error:
        return Line(None, "", problem=f"line {number} is no JSON: {error}")
    if not isinstance(data, dict):
        return Line(None, "", problem=f"line {number} is no object")
    id_ = None if data.get("id") is None else str(data["id"])
    question, history = data.get("question"), data.get("history") or []
    if not isinstance(question, str) or not question.strip():
        return Line(id_, "", problem=f"line {number} has no question")
    if not isinstance(history, list) or not all(isinstance(one, str) for one in history):
        return Line(id_, question, problem=f"line {number}: history is no list of questions")
    return Line(id_, question, tuple(history))
