"""The JSON shapes of ``render`` laid out for a person in a terminal: as wide as the window, plain where it is none."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TextIO

from app.render import Json

if TYPE_CHECKING:
    from pipelines.ingest import Progress

WIDEST = 100  # longer lines are hard to read, whatever the window


def width() -> int:
    """Columns to fill: the window's, at most :data:`WIDEST`."""
    return max(40, min(WIDEST, shutil.get_terminal_size((WIDEST, 24)).columns))


def reply(shaped: Json) -> str:
    """An answer with its citations, or a refusal, whose text names the nearest headings."""
    parts = [_block(shaped["answer"])]
    parts += [_citation(one) for one in shaped["citations"]]
    parts += [_block(f"Note: {one}") for one in shaped["warnings"]]
    if shaped["outcome"] == "answered":
        parts.append(_block("Unofficial, not legal advice; the FIA's PDF prevails."))
    return "\n".join(parts) + "\n"


def _citation(shaped: Json) -> str:
    checked = "" if shaped["verified"] else "  (not found word for word on that page)"
    name = f"{shaped['article']} “{shaped['term']}”" if shaped["term"] else shaped["article"]
    place = ["section " + shaped["section"], _issue(shaped), _where(shaped)]
    head = f"[{name}]  " + ", ".join(one for one in place if one) + checked
    return head + "\n" + _block(f"“{shaped['quote']}”", indent="    ")


def search(shaped: Json) -> str:
    """The results of one question, best first, with the words of each clause."""
    if "error" in shaped:
        return f"{shaped['question'] or shaped['id'] or ''}\n  {shaped['error']['message']}\n\n"
    lines = [_block(shaped["question"])]
    if "understood" in shaped:
        lines.append(_understood(shaped["understood"]))
    for rank, result in enumerate(shaped["results"], start=1):
        head = f"{rank:>2}. {_heading(result)}  (score {result['score']:.4f})"
        ranks = "  ".join(f"{stage} {place}" for stage, place in result.get("ranks", {}).items())
        body = _block(result["text"], indent="    ", lines=6)
        lines.append(
            "\n".join(one for one in (head, "    " + _under(result), ranks and "    ranks: " + ranks) if one)
            + "\n"
            + body
        )
    if not shaped["results"]:
        lines.append("Nothing found.\n")
    return "\n".join(lines) + "\n" + "  ".join(f"{name} {ms:.0f} ms" for name, ms in shaped["ms"].items()) + "\n\n"


def _understood(shaped: Json) -> str:
    told = {
        "searched": shaped["question"],
        "articles": ", ".join(shaped["articles"]),
        "section": shaped["section"],
        "terms": ", ".join(shaped["terms"]),
        "corrected": ", ".join(f"{old} → {new}" for old, new in shaped["corrections"]),
        "added": ", ".join(shaped["expansions"]),
        "year": shaped["year"],
    }
    return "".join(f"  {name:10} {value}\n" for name, value in told.items() if value)


def clauses(shaped: Iterable[Json]) -> str:
    """One line a clause: article, page and how it begins."""
    lines, wide = [], width()
    for one in shaped:
        mark = (
            ""
            if one["status"] == "in_force"
            else f"[{one['status'].replace('_', ' ')} {one['year']}]".replace(" ]", "]")
        )
        begins = " ".join(part for part in (mark, one["title"], "·" if one["title"] else "", one["text"]) if part)
        head = f"{one['article']:<12} {_issue(one):<9} p. {one['page_start']:<4} "
        lines.append(head + textwrap.shorten(begins, max(20, wide - len(head)), placeholder=" …"))
    return "\n".join(lines) + ("\n" if lines else "Nothing is indexed that fits.\n")


def dead_references(shaped: Sequence[Json], made: int) -> str:
    """One line a reference that leads nowhere, and how many of all that are made do."""
    lines = [
        f"{one['article']:<12} {_issue(one):<9} p. {one['page']:<4} {one['printed']} -> no {one['target']}"
        for one in shaped
    ]
    resolved = made - len(shaped)
    share = f", {resolved / made:.1%}" if made else ""
    return "\n".join([*lines, f"{resolved} of {made} references to articles and appendices resolve{share}"]) + "\n"


def ingest(shaped: Json) -> str:
    """One line a file and a total; warnings and errors under their file."""
    lines = []
    for one in shaped["documents"]:
        name = f"Section {one['section']}, {_issue(one)}" if one["section"] and one["issue"] else one["file"]
        facts = f"{one['pages']} pages, {one['clauses']} clauses, {one['seconds']:.1f} s"
        lines.append(f"{one['state']:<10} {name}: {one['error'] or facts}")
        lines += [f"           warning: {warning}" for warning in one["warnings"]]
    totals = shaped["totals"]
    lines.append(
        f"{totals['documents']} files: {totals['pages']} pages, {totals['clauses']} clauses, {totals['nodes']} nodes, "
        f"{totals['struck_characters']} struck characters left out, {totals['seconds']:.1f} s"
    )
    return "\n".join(lines) + "\n"


def retrieval(shaped: Json) -> str:
    """The scores of a retrieval run, over all questions and by style and section."""
    lines = [f"{shaped['n']} questions"]
    for name, value in shaped["metrics"].items():
        low, high = shaped["intervals"][name]
        before = f"   before reranking {shaped['before_reranking'][name]:.3f}"
        lines.append(f"  {name:<22} {value:.3f}   95% {low:.3f} to {high:.3f}{before}")
    for group in ("by_style", "by_section"):
        for name, scores in shaped[group].items():
            told = "  ".join(f"{metric} {scores[metric]:.3f}" for metric in ("hit1", "hit5") if metric in scores)
            lines.append(f"  {group.removeprefix('by_')} {name:<14} n {scores['n']:<4.0f} {told}")
    for miss in shaped["misses"]:
        lines.append(_block(f"{miss['id']} {miss['question']}", lines=2).rstrip())
        got = ", ".join(miss["got"]) or "nothing"
        rank = f"rank {miss['rank']}" if miss["rank"] else "not found"
        lines.append(_block(f"wanted {', '.join(miss['wanted'])}; got {got}; {rank}; {miss['stage']}", "    ").rstrip())
    return "\n".join(lines) + "\n"


def doctor(shaped: Json) -> str:
    """One line a check, with its fix where there is something to do."""
    lines = []
    for one in shaped["checks"]:
        lines.append(f"{one['status']:<4}  {one['name']}: {one['detail']}")
        if one["fix"] and one["status"] != "OK":
            lines.append(f"      fix: {one['fix']}")
    return "\n".join(lines) + "\n"


class Counter:
    """``done of total`` on a terminal's last line; silent where there is no terminal."""

    def __init__(self, out: TextIO, what: str) -> None:
        self.out, self.what, self.shown = out, what, False
        self.live = out.isatty()

    def __call__(self, done: int, total: int) -> None:
        """Show how far it is."""
        self.line(f"{done} of {total} {self.what}")

    def line(self, text: str) -> None:
        """Write over the last line."""
        if self.live:
            self.out.write("\r\x1b[K" + text[: width()])
            self.out.flush()
            self.shown = True

    def close(self) -> None:
        """Clear the line."""
        if self.shown:
            self.out.write("\r\x1b[K")
            self.out.flush()


class ProgressMeter(Counter):
    """An ingest run's progress: a bar on a terminal, a line a file elsewhere."""

    BAR = 24

    def __init__(self, out: TextIO) -> None:
        super().__init__(out, "")
        self.last = ("", "")

    def show(self, progress: Progress) -> None:
        """Show where the run stands."""
        if (progress.stage, progress.file) != self.last:
            self.last = (progress.stage, progress.file)
            if not self.live and progress.stage != "done":
                self.out.write(f"{progress.stage} {progress.file}\n")
                self.out.flush()
        reading = progress.stage == "read"
        done, total = (progress.pages, progress.pages_total) if reading else (progress.clauses, progress.clauses_total)
        full = round(self.BAR * min(1.0, done / total)) if total else 0
        bar = "█" * full + "░" * (self.BAR - full)
        pages = _of(progress.pages, progress.pages_total)
        clauses = _of(progress.clauses, progress.clauses_total)
        self.line(f"{bar} {pages} pages, {clauses} clauses  {progress.file}")


def _of(done: int, total: int) -> str:
    """A count, and its total where that is known already."""
    return f"{done} of {total}" if total else str(done)


def _heading(shaped: Json) -> str:
    name = f"{shaped['article']} “{shaped['term']}”" if shaped["term"] else shaped["article"]
    return "  ".join(part for part in (name, shaped["title"]) if part)


def _under(shaped: Json) -> str:
    place = ["section " + shaped["section"], _issue(shaped), _where(shaped), " > ".join(shaped["path"])]
    status = shaped["status"] if shaped["status"] != "in_force" else ""
    return textwrap.shorten(", ".join(one for one in [*place, status] if one), width() - 4, placeholder=" …")


def _where(shaped: Json) -> str:
    if shaped.get("lines"):
        return "lines {}–{}".format(*shaped["lines"])
    return f"page {shaped['page']}" if shaped["page"] else ""


def _issue(shaped: Json) -> str:
    return f"issue {shaped['issue']}" if shaped["issue"] else ""


def _block(text: str, indent: str = "", lines: int | None = None) -> str:
    """Text wrapped paragraph by paragraph; the rows of a table stay whole. ``lines`` cuts it short with an ellipsis."""
    wrapped: list[str] = []
    for paragraph in text.splitlines():
        if paragraph.lstrip().startswith("|"):
            wrapped.append(indent + paragraph)
        else:
            wrapped += textwrap.wrap(paragraph, width(), initial_indent=indent, subsequent_indent=indent) or [""]
    if lines is not None and len(wrapped) > lines:
        wrapped = [*wrapped[: lines - 1], indent + "…"]
    return "\n".join(wrapped) + "\n"
