"""Conditions from a TOML file: what a search is made of, one change a condition, its hypothesis written beforehand."""

from __future__ import annotations

import math
import re
import tomllib
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from eval.metrics import METRICS
from pipelines.errors import UsageError

FOLDER = Path(__file__).resolve().parents[1] / "data"
MORE_METRICS = ("required_in_budget", "answer_complete")
"""What the sweep tells besides the metrics of retrieval."""

_ALLOWED: dict[str, re.Pattern[str]] = {
    "text": re.compile("pages|read"),
    "chunks": re.compile(r"clauses|chars-\d+|tokens-\d+/\d+|multi-\d+(/\d+)+"),
    "stages": re.compile("dense|sparse|hybrid"),
    "embedder": re.compile(".+"),
    "reranker": re.compile(".+"),
    "question": re.compile("asked|rewritten|hyde"),
    "answer": re.compile("none|extractive|llm"),
}


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything that a condition can change.

    ``text``: plain page extraction, or the words in force as the product reads them. ``chunks``: article clauses, so
    many characters, so many tokens with an overlap, or several resolutions at once. ``question``: as asked, rewritten
    by the language model, or a passage it makes up (HyDE). ``answer``: none for retrieval alone; otherwise the whole
    product is asked. ``results`` is the most that is returned; ``share`` leaves out what scores below that share of
    the best; ``budget`` is in tokens.
    """

    text: str = "read"
    chunks: str = "clauses"
    stages: str = "hybrid"
    embedder: str = "packaged"
    reranker: str = "none"
    question: str = "asked"
    answer: str = "none"
    results: int = 10
    share: float = 0.0
    budget: int = 2000


@dataclass(frozen=True, slots=True)
class Condition:
    """A named setup that changes one thing of its predecessor, and what that is expected to do.

    The hypothesis is confirmed where ``metric`` minus the predecessor's is at least ``at_least`` (a loss that is
    expected to stay small is a negative number) and at most ``at_most``. ``published`` are the figures of a published
    counterpart.
    """

    name: str
    setup: Setup
    predecessor: str = ""
    changed: str = ""
    hypothesis: str = ""
    metric: str = ""
    at_least: float = -math.inf
    at_most: float = math.inf
    published: dict[str, Any] | None = None

    def confirmed_by(self, difference: float) -> bool:
        """Whether a difference of its metric confirms the hypothesis."""
        return self.at_least <= difference <= self.at_most

    @property
    def expected(self) -> str:
        """The difference that was expected, as told."""
        bounds = ((self.at_least, "or more"), (self.at_most, "or less"))
        told = " and ".join(f"{bound:+.3f} {which}" for bound, which in bounds if math.isfinite(bound))
        return f"{self.metric} {told}" if told else ""


def read(path: Path) -> list[Condition]:
    """The conditions of a file, in its order.

    Raises:
        UsageError: the file cannot be read, or a condition is not sound; the message names it and says why.
    """
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8"))["condition"]
    except (OSError, tomllib.TOMLDecodeError, KeyError) as error:
        raise UsageError(f"{path} holds no conditions: {error}") from error
    found: dict[str, Condition] = {}
    for entry in entries:
        condition = _condition(entry, found, path)
        found[condition.name] = condition
    return list(found.values())


def chosen(conditions: list[Condition], names: list[str]) -> list[Condition]:
    """The named conditions and everything they come from; all where none is named.

    Raises:
        UsageError: there is no such condition.
    """
    if not names:
        return conditions
    by_name = {condition.name: condition for condition in conditions}
    wanted: set[str] = set()
    for name in names:
        while name and name not in wanted:
            if name not in by_name:
                raise UsageError(f"there is no condition {name}; there are: {', '.join(by_name)}")
            wanted.add(name)
            name = by_name[name].predecessor
    return [condition for condition in conditions if condition.name in wanted]


def _condition(entry: dict[str, Any], found: dict[str, Condition], path: Path) -> Condition:
    name = str(entry.get("name", ""))
    where = f"{path}, condition {name or '?'}"
    if not name or name in found:
        raise UsageError(f"{where}: needs a name of its own")
    predecessor = str(entry.get("from", ""))
    if predecessor and predecessor not in found:
        raise UsageError(f"{where}: its predecessor {predecessor} does not stand before it")
    change = dict(entry.get("change", {}))
    unknown = set(change) - {one.name for one in fields(Setup)}
    if unknown:
        raise UsageError(f"{where}: {sorted(unknown)[0]} is nothing that can be changed")
    setup = replace(found[predecessor].setup if predecessor else Setup(), **change)
    _check(setup, where)
    if not predecessor:
        return Condition(name, setup, published=entry.get("published"))
    before, after = asdict(found[predecessor].setup), asdict(setup)
    changed = [key for key in after if after[key] != before[key]]
    if len(changed) != 1:
        raise UsageError(f"{where}: changes {len(changed)} things of {predecessor}, not one")
    hypothesis, metric = str(entry.get("hypothesis", "")), str(entry.get("metric", ""))
    bounds = {name: float(entry[name]) for name in ("at_least", "at_most") if name in entry}
    if not hypothesis or metric not in (*METRICS, *MORE_METRICS) or not bounds:
        raise UsageError(f"{where}: needs a hypothesis, a metric that exists, and at_least or at_most")
    told = f"{changed[0]}: {before[changed[0]]} → {after[changed[0]]}"
    return Condition(name, setup, predecessor, told, hypothesis, metric, published=entry.get("published"), **bounds)


def _check(setup: Setup, where: str) -> None:
    for key, pattern in _ALLOWED.items():
        if not pattern.fullmatch(str(getattr(setup, key))):
            raise UsageError(f"{where}: {getattr(setup, key)!r} is no {key}")
    if setup.text == "pages" and setup.chunks == "clauses":
        raise UsageError(f"{where}: plain pages have no clauses")
    if not (1 <= setup.results <= 30 and 0 <= setup.share < 1 and setup.budget >= 100):
        raise UsageError(f"{where}: results, share or budget is out of bounds")
