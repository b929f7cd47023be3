"""The sweep's outcome: one table, one plot, every hypothesis confirmed or refuted, and the published counterparts."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from eval import page
from eval.intervals import difference, interval
from eval.svg import Bar, bars
from eval.sweep.runner import Run

SHOWN = (
    "hit1",
    "hit5",
    "mrr",
    "recall30_candidates",
    "precision5",
    "recall5",
    "f1_5",
    "retrieval",
    "required_in_budget",
)
CONFIRMED, REFUTED, OPEN = "confirmed", "refuted", "open"

Document = dict[str, Any]


def document(runs: Sequence[Run], title: str) -> Document:
    """All runs as plain data: means with intervals, the difference a change made, the verdict on its hypothesis."""
    by_name = {run.condition.name: run for run in runs}
    return {"title": title, "conditions": [_described(run, by_name.get(run.condition.predecessor)) for run in runs]}


def write(shaped: Document, folder: Path) -> list[Path]:
    """Write ``sweep.json``, ``sweep.csv``, ``sweep.md``, ``sweep.html`` and ``sweep.svg``; gives the paths."""
    table, verdicts, counterparts = results(shaped), hypotheses(shaped), published(shaped)
    chart = plot(shaped)
    parts: list[str | page.Table] = [chart, "# Conditions", table, "# Hypotheses", verdicts]
    text = [f"# {shaped['title']}", page.markdown(table), "## Hypotheses", page.markdown(verdicts)]
    if counterparts[1]:
        parts += ["# Beside the published ablation", counterparts]
        text += ["## Beside the published ablation", page.markdown(counterparts)]
    return page.write(
        folder,
        {
            "sweep.json": shaped,
            "sweep.csv": page.csv_text(table),
            "sweep.md": "\n\n".join(text) + "\n",
            "sweep.html": page.html(shaped["title"], parts),
            "sweep.svg": chart + "\n",
        },
    )


def results(shaped: Document) -> page.Table:
    """A row a condition."""
    rows = []
    for one in shaped["conditions"]:
        if one["not_run"]:
            rows.append((one["name"], one["changed"] or "the start", f"not run: {one['not_run']}", *[""] * len(SHOWN)))
            continue
        means = one["means"]
        rows.append((one["name"], one["changed"] or "the start", one["n"], *(means[name] for name in SHOWN)))
    return ("condition", "changes", "n", *SHOWN), rows


def hypotheses(shaped: Document) -> page.Table:
    """A row a condition that changes something: what was expected and what came."""
    rows = [
        (
            one["name"],
            one["predecessor"],
            one["hypothesis"],
            one["expected"],
            "–" if one["difference"] is None else f"{one['difference']:+.3f}",
            "–" if one["difference_interval"] is None else "{:+.3f} to {:+.3f}".format(*one["difference_interval"]),
            one["verdict"],
        )
        for one in shaped["conditions"]
        if one["predecessor"]
    ]
    return ("condition", "against", "hypothesis", "expected", "got", "95% interval", "verdict"), rows


def published(shaped: Document) -> page.Table:
    """A row a condition with a published counterpart: its figures beside the published ones."""
    names = ("precision5", "recall5", "f1_5", "retrieval")
    rows = []
    for one in shaped["conditions"]:
        theirs = one["published"]
        if not theirs:
            continue
        own = [f"not run: {one['not_run']}", "", "", ""] if one["not_run"] else [one["means"][name] for name in names]
        rows.append((theirs["name"], *(float(theirs[name]) for name in names), one["name"], *own, theirs["differs"]))
    heads = ("published", "P@5", "R@5", "F1@5", "score", "here", "P@5", "R@5", "F1@5", "score", "what differs")
    return heads, rows


def plot(shaped: Document) -> str:
    """The right result first, with intervals, and in the first five."""
    rows = [
        Bar(one["name"], one["means"]["hit1"], one["intervals"]["hit1"], one["means"]["hit5"])
        for one in shaped["conditions"]
        if not one["not_run"]
    ]
    return bars("Right passage first, with 95% intervals", rows, other="in the first five")


def text(shaped: Document) -> str:
    """The sweep in a line a condition, for a terminal."""
    lines = []
    for one in shaped["conditions"]:
        if one["not_run"]:
            lines.append(f"{one['name']:<28} not run: {one['not_run']}")
            continue
        told = "  ".join(f"{name} {one['means'][name]:.3f}" for name in ("hit1", "hit5", "retrieval"))
        lines.append(f"{one['name']:<28} {told}  {one['verdict']}".rstrip())
    return "\n".join(lines) + "\n"


def _described(run: Run, before: Run | None) -> Document:
    condition = run.condition
    described = {name: value for name, value in asdict(condition).items() if name not in ("at_least", "at_most")}
    shaped: Document = described | {
        "expected": condition.expected,
        "not_run": run.not_run,
        "record": run.record,
        "seconds": run.seconds,
        "n": len(run.rows),
        "means": {},
        "intervals": {},
        "difference": None,
        "difference_interval": None,
        "verdict": OPEN if condition.predecessor else "",
    }
    if run.not_run:
        return shaped
    names = list(next(iter(run.rows.values())))
    values = {name: [row[name] for row in run.rows.values()] for name in names}
    shaped["means"] = {name: round(statistics.fmean(column), 4) for name, column in values.items()}
    shaped["intervals"] = {name: interval(column) for name, column in values.items()}
    if before is None or before.not_run:
        return shaped
    old = [before.rows[name][condition.metric] for name in run.rows]
    new = values[condition.metric]
    shaped["difference"] = round(statistics.fmean(new) - statistics.fmean(old), 4)
    shaped["difference_interval"] = difference(new, old)
    shaped["verdict"] = CONFIRMED if condition.confirmed_by(shaped["difference"]) else REFUTED
    return shaped
