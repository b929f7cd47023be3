"""A retrieval report as files: CSV (a line a question), JSON, Markdown, and one HTML page with plots."""

from __future__ import annotations

from pathlib import Path

from eval import page
from eval.metrics import METRICS
from eval.retrieval import RetrievalReport
from eval.svg import Bar, bars

_SHOWN = ("hit1", "hit5", "mrr", "recall5", "precision5")


def write(report: RetrievalReport, folder: Path, title: str = "Retrieval") -> list[Path]:
    """Write ``questions.csv``, ``report.json``, ``report.md`` and ``report.html``; gives the paths."""
    return page.write(
        folder,
        {
            "questions.csv": page.csv_text(questions(report)),
            "report.json": report.as_dict(),
            "report.md": markdown(report, title),
            "report.html": html(report, title),
        },
    )


def metrics(report: RetrievalReport) -> page.Table:
    """Every metric with its interval, and what it is before reranking."""
    rows = [(name, report.metrics[name], report.intervals[name], report.before_reranking[name]) for name in METRICS]
    return ("metric", "score", "95% interval", "before reranking"), rows


def groups(report: RetrievalReport, kind: str) -> page.Table:
    """The main metrics by ``style`` or ``section``, with the interval of the first place."""
    scores, intervals = (
        (report.by_style, report.style_intervals) if kind == "style" else (report.by_section, report.section_intervals)
    )
    rows = [
        (
            name,
            int(values["n"]),
            *(values[metric] for metric in _SHOWN),
            intervals[name]["hit1"],
            intervals[name]["hit5"],
        )
        for name, values in scores.items()
    ]
    return (kind, "n", *_SHOWN, "hit1 95%", "hit5 95%"), rows


def misses(report: RetrievalReport) -> page.Table:
    """Every question whose right clause did not come first."""
    rows = [(miss.id, miss.question, miss.wanted, miss.got, miss.rank or "–", miss.stage) for miss in report.misses]
    return ("id", "question", "wanted", "got", "rank", "lost by"), rows


def questions(report: RetrievalReport) -> page.Table:
    """A line a question: what it is, what came, every score."""
    stages = {miss.id: miss.stage for miss in report.misses}
    rows = [
        (
            row.question.id,
            row.question.style,
            " ".join(sorted(row.question.sections)),
            row.question.question,
            " ".join(row.question.wanted),
            " | ".join(row.got),
            row.rank,
            stages.get(row.question.id, ""),
            row.error,
            row.ms,
            *(row.scores[name] for name in METRICS),
        )
        for row in report.rows
    ]
    heads = ("id", "style", "section", "question", "wanted", "got", "rank", "lost_by", "error", "ms", *METRICS)
    return heads, rows


def markdown(report: RetrievalReport, title: str) -> str:
    """The report as Markdown."""
    parts = [f"# {title}", _counts(report), page.markdown(metrics(report))]
    for kind in ("style", "section"):
        table = groups(report, kind)
        if table[1]:
            parts += [f"## By {kind}", page.markdown(table)]
    if report.misses:
        parts += [f"## Not first: {len(report.misses)}", page.markdown(misses(report))]
    return "\n\n".join(parts) + "\n"


def html(report: RetrievalReport, title: str) -> str:
    """The report as one page with plots."""
    rows = [Bar(name, report.metrics[name], report.intervals[name], report.before_reranking[name]) for name in METRICS]
    parts: list[str | page.Table] = [
        _counts(report),
        bars("All questions, with 95% intervals", rows, other="before reranking"),
    ]
    for kind, scores, intervals in (
        ("style", report.by_style, report.style_intervals),
        ("section", report.by_section, report.section_intervals),
    ):
        if scores:
            shown = [
                Bar(name, values["hit1"], intervals[name]["hit1"], values["hit5"], f"n {values['n']:.0f}")
                for name, values in scores.items()
            ]
            parts += [f"# By {kind}", bars(f"Right clause first, by {kind}", shown, other="in the first five")]
            parts.append(groups(report, kind))
    parts += ["# Metrics", metrics(report), f"# Not first: {len(report.misses)}", misses(report)]
    return page.html(title, parts)


def _counts(report: RetrievalReport) -> str:
    told = ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in report.counts.items())
    time = f" Median {report.ms['median']} ms a search." if report.ms else ""
    return f"{report.n} questions: {told}.{time} Averages are over all questions; intervals are bootstrapped."
