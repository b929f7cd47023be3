"""Answers as text to take away: one as plain text with its citations, a conversation as Markdown. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

_SPECIAL = re.compile(r"([\\`*_\[\]<>#$~|])")


def plain(reply: dict[str, Any]) -> str:
    """An answer or a refusal as plain text, its citations below; "" for a failure."""
    if reply["outcome"] == "failed":
        return ""
    lines = [reply["answer"]]
    if reply["citations"]:
        lines += ["", *(f"{where(one)}: “{one['quote']}”" for one in reply["citations"])]
    return "\n".join(lines)


def markdown(turns: Iterable[dict[str, Any]]) -> str:
    """A conversation as Markdown: a heading a question, the answer, and each quote with where it stands.

    What people and regulations wrote is escaped, so that it reads as it was written.
    """
    return "\n".join(["# TechReg Analyst", "", *(line for turn in turns for line in _turn(turn))])


def where(citation: dict[str, Any]) -> str:
    """Where a quote stands, in words: B1.6.3, Section B, issue 05, page 12."""
    named = f"{citation['article']} “{citation['term']}”" if citation["term"] else citation["article"]
    section = citation["section"]
    parts = [named, f"Section {section}" if len(section) == 1 else section]
    if citation["issue"]:
        parts.append(f"issue {citation['issue']}")
    if citation["page"]:
        parts.append(f"page {citation['page']}")
    return ", ".join(parts)


def _turn(turn: dict[str, Any]) -> Iterator[str]:
    yield f"## {_escaped(' '.join(turn['question'].split()))}"
    yield ""
    reply = turn["reply"]
    if reply is None:
        yield from (_paragraph(turn.get("text", "")), "", "*Stopped.*", "")
        return
    if reply["error"]:
        yield from (f"*{_escaped(reply['error']['message'])}*", "")
        return
    yield from (_paragraph(reply["answer"]), "")
    for citation in reply["citations"]:
        quote = _escaped(" ".join(citation["quote"].split()))
        yield from (f"> {quote}", ">", f"> {_escaped(where(citation))}", "")


def _paragraph(text: str) -> str:
    """Lines kept apart; a table stays a table."""
    lines = [line if line.startswith("|") else _escaped(line) for line in text.splitlines()]
    return "\n".join(
        line if line.startswith("|") and following.startswith("|") else line + "\n"
        for line, following in zip(lines, [*lines[1:], ""], strict=True)
        if line
    ).rstrip("\n")


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)
