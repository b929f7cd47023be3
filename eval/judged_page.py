"""A judged run as files: JSON, Markdown, one HTML page. It states the judge, the versions and every count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from eval import page
from eval.judging import Judge
from eval.samples import Sample
from eval.scoring import FAILED, Score, Summary
from eval.svg import Bar, bars
from pipelines.settings import Settings

Document = dict[str, Any]
BROKEN = 0.1
"""A judge that fails on more than this share of what it is asked is called weak."""


def document(
    run: Mapping[str, Any],
    samples: Sequence[Sample],
    summaries: Sequence[Summary],
    judge: Judge | None,
    settings: Settings,
) -> Document:
    """The whole run as plain data."""
    outcomes = [sample.outcome for sample in samples]
    asked = sum(summary.scored + summary.failed for summary in summaries)
    failed = sum(summary.failed for summary in summaries)
    usage = asdict(judge.usage) | {"cost": round(judge.usage.cost(settings), 4)} if judge else {}
    return {
        "run": dict(run),
        "n": len(samples),
        "outcomes": {name: outcomes.count(name) for name in ("answered", "refused", "failed")},
        "answering_models": sorted({sample.model for sample in samples}),
        "metrics": {summary.metric: asdict(summary) for summary in summaries},
        "usage": usage,
        "weak_judge": bool(judge) and failed > BROKEN * asked,
        "same_model_judges": bool(judge) and judge is not None and judge.name in {one.model for one in samples},
    }


def write(shaped: Document, scores: Sequence[Score], folder: Path, title: str) -> list[Path]:
    """Write ``report.json``, ``report.md``, ``report.html`` and ``scores.csv``; gives the paths."""
    table = _table(shaped)
    facts = _facts(shaped)
    charted = [
        Bar(name, values["mean"], values["interval"], None, f"n {values['scored']}")
        for name, values in shaped["metrics"].items()
        if values["mean"] is not None
    ]
    failures: page.Table = (
        ("id", "metric", "reason"),
        [(score.id, score.metric, score.reason) for score in scores if score.outcome == FAILED],
    )
    parts: list[str | page.Table] = [*facts, bars("Means of what was scored, with 95% intervals", charted), table]
    if failures[1]:
        parts += [f"# Failed: {len(failures[1])}", failures]
    rows = [(score.id, score.metric, score.outcome, score.value, score.reason) for score in scores]
    return page.write(
        folder,
        {
            "report.json": shaped,
            "report.md": "\n\n".join([f"# {title}", *facts, page.markdown(table)]) + "\n",
            "report.html": page.html(title, parts),
            "scores.csv": page.csv_text((("id", "metric", "outcome", "value", "reason"), rows)),
        },
    )


def text(shaped: Document) -> str:
    """The run in a few lines for a terminal."""
    lines = _facts(shaped)
    for name, values in shaped["metrics"].items():
        mean = "-" if values["mean"] is None else f"{values['mean']:.3f}"
        counts = ", ".join(f"{kind.replace('_', ' ')} {values[kind]}" for kind in _COUNTS)
        lines.append(f"  {name:<28} {mean:>6}   {counts}")
    return "\n".join(lines) + "\n"


_COUNTS = ("attempted", "scored", "failed", "not_applicable")


def _table(shaped: Document) -> page.Table:
    rows = [
        (
            name,
            "–" if values["mean"] is None else values["mean"],
            values["interval"] or "–",
            *(values[kind] for kind in _COUNTS),
            "; ".join(f"{reason}: {count}" for reason, count in values["reasons"].items()),
        )
        for name, values in shaped["metrics"].items()
    ]
    return ("metric", "mean of scored", "95% interval", *(kind.replace("_", " ") for kind in _COUNTS), "why not"), rows


def _facts(shaped: Document) -> list[str]:
    run = shaped["run"]
    outcomes = ", ".join(f"{count} {name}" for name, count in shaped["outcomes"].items())
    facts = [
        f"{shaped['n']} questions: {outcomes}. Answered by: {', '.join(shaped['answering_models']) or 'nobody'}.",
        f"Judge: {run['judge'] or 'none'}. Versions: "
        + ", ".join(f"{name} {version}" for name, version in run["versions"].items())
        + ".",
    ]
    if shaped["usage"]:
        usage = shaped["usage"]
        facts.append(
            f"Judge calls: {usage['calls']} made, {usage['cached']} from the cache, {usage['failed']} failed; "
            f"{usage['tokens_in']} tokens read, {usage['tokens_out']} written; cost {usage['cost']:g}."
        )
    if shaped["weak_judge"]:
        facts.append("This judge is weak: it failed on more than a tenth of what it was asked. Read nothing into it.")
    if shaped["same_model_judges"]:
        facts.append("The judge is the model that answered: it marks its own work.")
    if shaped.get("proxy") is not None:
        facts.append(f"Proxy (half retrieval, half the mean of the three marks): {shaped['proxy']:.3f}.")
    return facts
