"""A clause as HTML: a card with its place, its badges and its words. Pure; every word that is shown is escaped."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from itertools import pairwise

from app.render import Json

Span = tuple[int, int]
Links = Sequence[tuple[int, int, str]]

_STATUS = {"future": "from {year}", "superseded": "superseded"}


def card(shaped: Json) -> str:
    """One clause, from :func:`app.render.card`: where it stands, what became of it, its words with the quotes marked.

    What opens the page stands in its data: the clause's id, and the quotes' spans.
    """
    marks = [span for quote in shaped["quotes"] if (span := find(quote["quote"], shaped["text"]))]
    links = [(one["start"], one["end"], one["target"]) for one in shaped["references"] if one["kind"] != "document"]
    badges = "".join(f'<span class="badge {name}">{escape(told)}</span>' for name, told in _badges(shaped))
    path = "".join(f"<li>{escape(one)}</li>" for one in shaped["path"])
    has_page = shaped["file"].lower().endswith(".pdf") and shaped["page_start"]
    spans = " ".join(f"{start}-{end}" for start, end in marks)
    copy = '<button type="button" class="take" data-do="take" title="Copy the clause and its place">Copy</button>'
    to_page = '<button type="button" class="to-page">Show page</button>' if has_page else ""
    heading = f'<span class="id">{escape(shaped["label"])}</span> {escape(shaped["title"])}'
    return (
        f'<article class="card{" paged" if has_page else ""}" data-clause="{escape(shaped["id"])}" '
        f'data-section="{escape(shaped["section"])}" data-spans="{spans}" tabindex="-1">'
        f"<header><h3>{heading}</h3>{badges}</header>"
        + (f'<ol class="path">{path}</ol>' if path else "")
        + f'<div class="words">{words(shaped["text"], marks, shaped["tables"], links)}</div>'
        f"{_aside(shaped)}"
        f'<footer><span class="place">{escape(" · ".join(place(shaped)))}</span>{copy}{to_page}</footer>'
        "</article>"
    )


def place(shaped: Json) -> list[str]:
    """Where a clause stands: section, issue, date and pages."""
    first, last = shaped["page_start"], shaped["page_end"]
    told = [f"Section {shaped['section']}" if len(shaped["section"]) == 1 else shaped["section"]]
    if shaped["issue"]:
        told.append(f"issue {shaped['issue']}")
    if shaped["date"]:
        told.append(shaped["date"])
    if first:
        told.append(f"page {first}" if first == last else f"pages {first}–{last}")
    if shaped.get("lines"):
        told.append("lines {}–{}".format(*shaped["lines"]))
    return told


def words(text: str, marks: Sequence[Span] = (), tables: Sequence[Sequence[int]] = (), links: Links = ()) -> str:
    """A clause's words as lines and tables.

    Args:
        text: the words.
        marks: runs of the text, by offsets, that stand in ``<mark>``.
        tables: runs that are Markdown tables.
        links: runs that open an article, each with that article.
    """
    edges = [0, *(edge for start, end in sorted(tuple(one) for one in tables) for edge in (start, end)), len(text)]
    parts = []
    for number, (start, end) in enumerate(pairwise(edges)):
        parts.append(_table(text, start, end, marks) if number % 2 else _lines(text, start, end, marks, links))
    return "".join(parts)


def find(quote: str, text: str) -> Span | None:
    """Where a quote stands in a text, white space and table bars apart; of table rows, from their first cell on."""
    rows = quote.strip().startswith("|")
    tokens = [re.escape(token) for token in quote.strip("| \n").split()]
    pattern = r"[\s|]*".join(tokens)
    found = re.search(rf"(?<![^\s|]){pattern}(?![^\s|])" if rows else pattern, text) if tokens else None
    return found.span() if found else None


def _lines(text: str, start: int, end: int, marks: Sequence[Span], links: Links) -> str:
    html = []
    for line in re.finditer(r"[^\n]+", text[start:end]):
        if line.group().strip():
            item = ' class="item"' if re.match(r"\s*(?:\([a-z0-9]{1,4}\)|[a-z0-9]{1,4}[.)])\s", line.group()) else ""
            html.append(f"<p{item}>{_marked(text, start + line.start(), start + line.end(), marks, links)}</p>")
    return "".join(html)


def _table(text: str, start: int, end: int, marks: Sequence[Span]) -> str:
    rows: list[str] = []
    for line in re.finditer(r"[^\n]+", text[start:end]):
        cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.group().strip().strip("|"))]
        if all(re.fullmatch(r":?-+:?", cell) for cell in cells):
            continue
        first, last = start + line.start(), start + line.end()
        hit = ' class="hit"' if any(first < right and left < last for left, right in marks) else ""
        tag = "td" if rows else "th"
        rows.append(f"<tr{hit}>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>")
    return f'<div class="table" tabindex="0"><table>{"".join(rows)}</table></div>'


def _marked(text: str, start: int, end: int, marks: Sequence[Span], links: Links) -> str:
    """One line: cut where a mark or a link begins or ends, each piece dressed in what covers it."""
    edges = {start, end}
    spans = [*marks, *((left, right) for left, right, _ in links)]
    edges.update(edge for span in spans for edge in span if start < edge < end)
    html = []
    for left, right in pairwise(sorted(edges)):
        piece = escape(text[left:right])
        target = next((one[2] for one in links if one[0] <= left and right <= one[1]), "")
        if target:
            piece = f'<button type="button" class="ref" data-article="{escape(target)}">{piece}</button>'
        if any(first <= left and right <= last for first, last in marks):
            piece = f"<mark>{piece}</mark>"
        html.append(piece)
    return "".join(html)


def _badges(shaped: Json) -> list[tuple[str, str]]:
    badges = []
    if shaped["status"] in _STATUS:
        badges.append((shaped["status"], _STATUS[shaped["status"]].format(year=shaped["year"] or "a later year")))
    if shaped["changed"]:
        badges.append(("changed", "changed in this issue"))
    if shaped["void"]:
        badges.append(("void", "void"))
    if not all(quote["verified"] for quote in shaped["quotes"]):
        badges.append(("unverified", "quote not found on the page"))
    return badges


def _aside(shaped: Json) -> str:
    """What else must be known of a clause: that another replaces it, that a drawing belongs to it."""
    notes = []
    if shaped["replaced_by"]:
        article = escape(shaped["replaced_by"])
        notes.append(f'Replaced by <button type="button" class="ref" data-article="{article}">{article}</button>.')
    if shaped["has_figure"]:
        notes.append("A drawing belongs to this clause: see the page.")
    return "".join(f'<p class="note">{note}</p>' for note in notes)
