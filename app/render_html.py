"""The chat as HTML, from the JSON shapes of ``render``. Pure; every word that is shown is escaped.

Nothing here is Markdown or LaTeX, so "$215 million" stays what it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from itertools import pairwise

from app.render import Json

Span = tuple[int, int]

DISCLAIMER = "Unofficial and no legal advice. The FIA’s PDF prevails."
_MARKER = re.compile(r"\[([^\[\]\n<>]{2,60})\]")
_TABLE = re.compile(r"(?:^\|[^\n]*\|[ ]*(?:\n|\Z))+", re.MULTILINE)
_STATUS = {"future": "from {year}", "superseded": "superseded"}


def conversation(turns: Iterable[Json]) -> str:
    """Finished turns, oldest first."""
    return "".join(turn(one["question"], answer(one["reply"])) for one in turns)


def turn(question: str, body: str) -> str:
    """A question and, under it, ``body``: the HTML of its answer, whole or as far as it is written."""
    return f'<article class="turn"><h2 class="question">{escape(question)}</h2>{body}</article>'


def pending(text: str) -> str:
    """An answer that is still being written."""
    if not text:
        return '<div class="answer pending" role="status">Searching the regulations …</div>'
    return f'<div class="answer pending">{_paragraphs(text)}</div>'


def stopped(html: str) -> str:
    """A turn that was being written, as it stands once it is stopped."""
    return html.replace('<div class="answer pending"', '<div class="answer stopped"')


def answer(reply: Json) -> str:
    """A whole reply: answered, refused or failed, with its warnings and how long it took."""
    match reply["outcome"]:
        case "answered":
            body = f'<div class="answer">{_paragraphs(reply["answer"], _chips(reply["citations"]))}</div>'
        case "refused":
            body = f'<div class="answer refused">{_paragraphs(reply["answer"])}</div>'
        case _:
            error = reply["error"]
            told = escape(f"{_sentence(error['message'])} {error['fix']}")
            details = f"<details><summary>Details</summary><code>{escape(error['type'])}</code></details>"
            body = f'<div class="answer failed" role="alert"><p>{told}</p>{details}</div>'
    notes = "".join(f'<p class="note">{escape(one)}</p>' for one in reply["warnings"])
    if reply["fallback"]:
        notes += '<p class="note">The language model did not answer; these are the clauses’ own words.</p>'
    return body + notes + _timing(reply["ms"])


def evidence(cards: Sequence[Json]) -> str:
    """The cited clauses, a card each; a hint where there are none."""
    if not cards:
        return '<p class="empty">The clauses that an answer cites stand here, word for word.</p>'
    return "".join(card(one) for one in cards)


def card(shaped: Json) -> str:
    """One clause: where it stands, what became of it, and its words with the quoted ones marked."""
    name = f"{shaped['article']} “{shaped['term']}”" if shaped["term"] else shaped["article"]
    marks = [span for quote in shaped["quotes"] if (span := find(quote["quote"], shaped["text"]))]
    badges = "".join(f'<span class="badge">{escape(one)}</span>' for one in _badges(shaped))
    path = "".join(f"<li>{escape(one)}</li>" for one in shaped["path"])
    return (
        f'<article class="card" id="clause-{escape(shaped["id"])}" tabindex="-1">'
        f'<header><h3><span class="id">{escape(name)}</span> {escape(shaped["title"])}</h3>{badges}</header>'
        f'<ol class="path">{path}</ol>'
        f'<p class="place">{escape(", ".join(_place(shaped)))}</p>'
        f'<div class="words">{words(shaped["text"], marks, shaped["tables"])}</div>'
        "</article>"
    )


def corpus(documents: Sequence[Json], sample: bool, folder: str) -> str:
    """Which issues and dates are indexed; where that is only the sample, ``folder`` is where the FIA's PDFs go."""
    if not documents:
        return '<p class="corpus">Nothing is indexed yet.</p>'
    shown = sorted(documents, key=lambda one: (one["section"], one["date"]))
    issues = "".join(f"<li>{escape(_issue(one))}</li>" for one in shown)
    banner = (
        '<p class="sample">This is the sample regulation that comes with the app, not the FIA’s. Put the FIA’s PDFs '
        f"into {escape(folder)} and start again.</p>"
        if sample
        else ""
    )
    label = "Sample" if sample else "Indexed"
    return f'{banner}<div class="corpus"><span>{label}:</span><ul>{issues}</ul></div>'


def words(text: str, marks: Sequence[Span] = (), tables: Sequence[Sequence[int]] = ()) -> str:
    """A clause's words as lines and tables, the spans of ``marks`` (offsets into ``text``) in ``<mark>``."""
    edges = [0, *(edge for start, end in sorted(map(tuple, tables)) for edge in (start, end)), len(text)]
    parts = []
    for number, (start, end) in enumerate(pairwise(edges)):
        parts.append(_table(text, start, end, marks) if number % 2 else _lines(text, start, end, marks))
    return "".join(parts)


def find(quote: str, text: str) -> Span | None:
    """Where a quote stands in a text, white space and table bars apart."""
    tokens = [re.escape(token) for token in quote.split()]
    found = re.search(r"[\s|]*".join(tokens), text) if tokens else None
    return found.span() if found else None


def _lines(text: str, start: int, end: int, marks: Sequence[Span]) -> str:
    html = []
    for line in re.finditer(r"[^\n]+", text[start:end]):
        if line.group().strip():
            html.append(f"<p>{_marked(text, start + line.start(), start + line.end(), marks)}</p>")
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
    return f'<div class="table"><table>{"".join(rows)}</table></div>'


def _marked(text: str, start: int, end: int, marks: Sequence[Span]) -> str:
    html, at = [], start
    for left, right in sorted(marks):
        left, right = max(left, at), min(right, end)
        if left < right:
            html.append(escape(text[at:left]) + "<mark>" + escape(text[left:right]) + "</mark>")
            at = right
    return "".join(html) + escape(text[at:end])


def _paragraphs(text: str, chips: dict[str, str] | None = None) -> str:
    """The text of an answer as lines and tables; an article in brackets that ``chips`` knows opens its card."""

    def chip(marker: re.Match[str]) -> str:
        target = (chips or {}).get(marker[1])
        return f'<button class="chip" data-clause="{target}">{marker[1]}</button>' if target else marker[0]

    return _MARKER.sub(chip, words(text, (), [run.span() for run in _TABLE.finditer(text)]))


def _chips(citations: Iterable[Json]) -> dict[str, str]:
    """The card to open for each article that an answer may name in brackets, a later year's with its year."""
    chips: dict[str, str] = {}
    for one in citations:
        name = f"{one['article']}, {one['year'] or 'later'}" if one["status"] == "future" else one["article"]
        chips.setdefault(escape(name), escape(one["clause_id"]))
    return chips


def _badges(shaped: Json) -> list[str]:
    badges = [_STATUS[shaped["status"]].format(**shaped)] if shaped["status"] in _STATUS else []
    if shaped["changed"]:
        badges.append("changed in this issue")
    if not all(quote["verified"] for quote in shaped["quotes"]):
        badges.append("quote not found on the page")
    return badges


def _place(shaped: Json) -> list[str]:
    first, last = shaped["page_start"], shaped["page_end"]
    place = [f"Section {shaped['section']}" if len(shaped["section"]) == 1 else shaped["section"]]
    if shaped["issue"]:
        place.append(f"issue {shaped['issue']}")
    if shaped["date"]:
        place.append(shaped["date"])
    if first:
        place.append(f"page {first}" if first == last else f"pages {first}–{last}")
    return place


def _issue(document: Json) -> str:
    if not document["issue"]:
        return str(document["file"])
    state = {"superseded": " (superseded)"}.get(document.get("status", ""), "")
    return f"{document['section']} issue {document['issue']}, {document['date']}{state}"


def _timing(ms: dict[str, float]) -> str:
    stages = " · ".join(f"{escape(name)} {value:.0f} ms" for name, value in ms.items() if name != "total")
    return f'<p class="timing" title="{stages}">{ms["total"]:.0f} ms</p>'


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + "."
