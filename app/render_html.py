"""The conversation as HTML, from the JSON shapes of ``render``. Pure; every word that is shown is escaped.

Nothing here is Markdown or LaTeX, so "$215 million" stays what it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from app.export import plain
from app.render import Json, titled
from app.render_card import card, words

DISCLAIMER = "Unofficial and no legal advice. The FIA’s PDF prevails."
LANGUAGE_MODEL_DOWN = "The language model does not answer. These are the regulation’s own sentences."
_MARKER = re.compile(r"\[([^\[\]\n<>]{2,60})\]")
_ARTICLE = re.compile(r"(?:APP )?[A-F]\.?\d[\w.]*(?:, \w+)?")
_TABLE = re.compile(r"(?:^\|[^\n]*\|[ ]*(?:\n|\Z))+", re.MULTILINE)
_NEAREST = "Nearest headings:"  # the refusal's line that is shown as buttons instead
_HEADING_ID = re.compile(r"(?:APP [A-Z]+\d*|[A-Z]\.?\d+(?:\.\d+)*)(?= )")
_THUMB = (
    '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M7 10v10H4V10h3zm3 10h7.2c.9 0 1.7-.6 1.9-1.5l1.8-7c.2-1-.5-2'
    '-1.6-2H14l1-4.5c.2-1-.5-2-1.5-2L9 9.500V19c0 .6.4 1 1 1z"/></svg>'
)


def conversation(turns: Iterable[Json]) -> str:
    """Finished and stopped turns, oldest first."""
    return "".join(turn(one["question"], body(one)) for one in turns)


def body(shaped: Json) -> str:
    """What stands under a question: its reply, or, where it was stopped, what had been written."""
    if shaped["reply"] is None:
        return stopped(shaped.get("text", ""))
    return answer(shaped["reply"], shaped["cards"])


def turn(question: str, body: str) -> str:
    """A question and, under it, ``body``: the HTML of its answer, whole or as far as it is written."""
    return f'<article class="turn"><h2 class="question">{escape(question)}</h2>{body}</article>'


def pending(text: str) -> str:
    """An answer that is still being written."""
    if not text:
        return '<div class="answer pending" role="status"><p class="searching">Searching the regulations</p></div>'
    return f'<div class="answer pending">{_paragraphs(text)}</div>'


def stopped(text: str) -> str:
    """An answer that was stopped while it was being written."""
    return f'<div class="answer stopped">{_paragraphs(text)}<p class="note">Stopped.</p></div>{_actions("")}'


def answer(reply: Json, cards: Sequence[Json] = ()) -> str:
    """A whole reply: answered, refused or failed, with its warnings, how long it took and the cards it rests on."""
    match reply["outcome"]:
        case "answered":
            told = f'<div class="answer">{_paragraphs(reply["answer"], _chips(reply["citations"]))}</div>'
        case "refused":
            told = _refused(reply)
        case _:
            told = _failed(reply, cards)
    banner = f'<p class="banner" role="status">{LANGUAGE_MODEL_DOWN}</p>' if reply["fallback"] else ""
    shown = f'<div class="sources" hidden>{"".join(card(one) for one in cards)}</div>' if cards else ""
    return banner + told + _notes(reply) + _actions(plain(reply), len(cards), _timing(reply["ms"])) + shown


def corpus(documents: Sequence[Json], sample: bool, advice: str) -> tuple[str, str]:
    """Which issues and dates are indexed, and, where that is only the sample, a notice that ends in ``advice``."""
    if not documents:
        return "", ""
    shown = sorted(documents, key=lambda one: (one["section"], one["date"]))
    rows = "".join(f"<li>{_issue(one)}</li>" for one in shown)
    current = [one for one in shown if one.get("status") != "superseded"]
    brief = " · ".join(f"{one['section']} {one['issue']}" if one["issue"] else one["file"] for one in current[:6])
    if len(current) > 6:
        brief += f" and {len(current) - 6} more"
    label = "Sample" if sample else "Indexed"
    notice = ""
    if sample:
        notice = f'<p class="sample">This is the sample regulation, not the FIA’s. {escape(advice)}</p>'
    return f'<details class="corpus"><summary><b>{label}</b> {escape(brief)}</summary><ul>{rows}</ul></details>', notice


def _refused(reply: Json) -> str:
    text = "\n".join(line for line in reply["answer"].splitlines() if not line.startswith(_NEAREST))
    nearest = "".join(f"<li>{_heading(one)}</li>" for one in reply["nearest"])
    offered = f'<p class="near">Nearest headings</p><ul class="nearest">{nearest}</ul>' if nearest else ""
    return f'<div class="answer refused">{_paragraphs(text)}{offered}</div>'


def _heading(printed: str) -> str:
    found = _HEADING_ID.match(printed)
    target = found[0] if found else printed
    return f'<button type="button" class="find" data-find="{escape(target)}">{escape(printed)}</button>'


def _failed(reply: Json, cards: Sequence[Json]) -> str:
    error = reply["error"]
    told = escape(f"{_sentence(error['message'])} {error['fix']}")
    found = "<p>These clauses were found before; no answer was made of them.</p>" if cards else ""
    details = (
        f"<details><summary>Details</summary><code>{escape(error['type'])}: {escape(error['message'])}</code></details>"
    )
    return f'<div class="answer failed" role="alert"><p>{told}</p>{found}{details}</div>'


def _notes(reply: Json) -> str:
    if reply["fallback"]:
        lines = "".join(f"<li>{escape(one)}</li>" for one in reply["warnings"])
        return f'<details class="note"><summary>Why</summary><ul>{lines}</ul></details>' if lines else ""
    return "".join(f'<p class="note">{escape(_sentence(one))}</p>' for one in reply["warnings"])


def _actions(copied: str, sources: int = 0, timing: str = "") -> str:
    """What can be done with a turn; the page's script does it. ``copied`` is the answer as plain text."""
    told = f"{sources} source{'s' if sources != 1 else ''}"
    evidence = f'<button type="button" data-do="sources">{told}</button>' if sources else ""
    copy = f'<button type="button" data-do="copy" data-copy="{escape(copied)}">Copy</button>' if copied else ""
    thumbs = "".join(
        f'<button type="button" class="thumb {name}" data-do="{name}" aria-pressed="false" aria-label="{label}" '
        f'title="{label}">{_THUMB}</button>'
        for name, label in (("helpful", "Helpful"), ("unhelpful", "Not helpful"))
    )
    link = '<button type="button" data-do="link" title="Copy a link that asks this question">Link</button>'
    retry = '<button type="button" data-do="retry">Retry</button>'
    actions = f"{evidence}{copy}{link}{retry}{thumbs if copied else ''}"
    return f'<div class="turn-foot"><div class="actions">{actions}</div>{timing}</div>'


def _paragraphs(text: str, chips: Mapping[str, str] | None = None) -> str:
    """The text of an answer as lines and tables; an article in brackets that ``chips`` knows opens its card.

    While an answer is being written there are no chips yet: what looks like one already has its looks, so that nothing
    moves when it can be pressed.
    """

    def chip(marker: re.Match[str]) -> str:
        if chips is None:
            return f'<span class="chip">{marker[1]}</span>' if _ARTICLE.fullmatch(marker[1]) else marker[0]
        target = chips.get(marker[1])
        return (
            f'<button type="button" class="chip" data-clause="{target}">{marker[1]}</button>' if target else marker[0]
        )

    return _MARKER.sub(chip, words(text, (), [run.span() for run in _TABLE.finditer(text)]))


def _chips(citations: Iterable[Json]) -> dict[str, str]:
    """The card to open for each article that an answer may name in brackets, a later year's with its year."""
    chips: dict[str, str] = {}
    for one in citations:
        name = f"{one['article']}, {one['year'] or 'later'}" if one["status"] == "future" else one["article"]
        chips.setdefault(escape(name), escape(one["clause_id"]))
    return chips


def _issue(document: Json) -> str:
    if not document["issue"]:
        return escape(str(document["file"]))
    title = f"{document['section']} {titled(document.get('title', ''))}".strip()
    state = ", superseded" if document.get("status") == "superseded" else ""
    return f"<b>{escape(title)}</b> issue {escape(document['issue'])}, {escape(document['date'])}{state}"


def _timing(ms: Mapping[str, float]) -> str:
    """The whole time and that of each stage that took any; what the search leaves is the answer's."""
    stages = {name: value for name, value in ms.items() if name not in ("total", "search")}
    if "search" in ms:
        stages.setdefault("answer", ms["total"] - ms["search"])
    told = "".join(f" · {escape(name)} {value:.0f}" for name, value in stages.items() if value >= 0.5)
    return f'<p class="timing">{ms["total"]:.0f} ms{told}</p>'


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + "."
