"""Page by page against records typed from the pictures of the pages, not from their text layer.

A record names every clause of a page with the first and last of its words in force, the headings, words that a
reader must have joined well (``present``) and words that are struck out or no part of a clause (``not_present``).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from record_text import clause_words, words

from pipelines.schema import Clause, ReadResult, Status

RECORDS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "records/pages.json").read_text(encoding="utf-8"))
FURNITURE = ("Fédération Internationale de l’Automobile", "2026 Formula 1:", "SECTION ")

Key = tuple[str, str, str]  # article, term, year


def _name(record: dict[str, Any]) -> str:
    return f"{record['set']}-{record['section']}{record['page']}"


def _key(item: dict[str, Any]) -> Key:
    return item["article"], item["term"], item.get("year", "")


def _clause_key(clause: Clause) -> Key:
    return clause.article, clause.term, clause.year


def _bare(text: str) -> str:
    """Without the full stops and omission marks (…/…) that may trail what remains of a paragraph."""
    return re.sub(r"[\s./]+$", "", text)


def _without_term(text: str, term: str) -> str:
    opened = text.lstrip("\"“”' ")
    return opened.removeprefix(term).lstrip("\"“”': ") if term and opened.startswith(term) else text


@pytest.fixture
def result(record: dict[str, Any], request: pytest.FixtureRequest) -> ReadResult:
    name = "february" if record["set"] == "2026-02-27" else "june"
    read: ReadResult = request.getfixturevalue(name)[record["section"]]
    return read


@pytest.mark.real
@pytest.mark.parametrize("record", RECORDS, ids=_name)
def test_page(record: dict[str, Any], result: ReadResult) -> None:
    page = record["page"]
    clauses = [clause for clause in result.clauses if clause.page_start <= page <= clause.page_end]
    optional = record.get("optional", [])
    found = {_clause_key(clause): clause for clause in clauses}
    faults = _set_faults(record, [clause for clause in clauses if clause.article not in optional], page)
    for item in record["clauses"]:
        if (clause := found.get(_key(item))) is not None:
            faults += _clause_faults(item, clause, page)
    faults += _heading_faults(record, result)
    texts = {clause.id: clause_words(clause) for clause in clauses}
    faults += [f"missing: {line!r}" for line in record.get("present", []) if not _holds(texts, line)]
    unwanted = [*record.get("not_present", []), *FURNITURE]
    faults += [f"not wanted: {line!r}" for line in unwanted if _holds(texts, line)]
    assert not faults, "\n".join(["", *faults])


def _holds(texts: dict[str, str], line: str) -> bool:
    return any(words(line) in text for text in texts.values())


def _set_faults(record: dict[str, Any], clauses: list[Clause], page: int) -> list[str]:
    """The clauses on the page, those that start on it and those that end on it, each once and no other."""
    faults = []
    expected = Counter(_key(item) for item in record["clauses"])
    actual = Counter(_clause_key(clause) for clause in clauses)
    faults += [f"no such clause on the page: {key}" for key in expected - actual]
    faults += [f"clause that the page does not show: {key}" for key in actual - expected]
    spans = {_clause_key(clause): (clause.page_start, clause.page_end) for clause in clauses}
    for item in record["clauses"]:
        if (span := spans.get(_key(item))) is None:
            continue
        for edge, at in zip(("starts", "ends"), span, strict=True):
            if item[edge] is not None and item[edge] != (at == page):
                faults.append(f"{item['article']} {item['term']} covers pages {span}, {edge} here: {item[edge]}")
    return faults


def _clause_faults(item: dict[str, Any], clause: Clause, page: int) -> list[str]:
    label = f"{clause.article} {clause.term}".strip()
    faults = []
    text = clause_words(clause)
    if (first := item.get("first")) and not any(text_.startswith(first_) for text_, first_ in _openings(item, text)):
        faults.append(f"{label}: begins {text[:80]!r}, not {first!r}")
    if (last := item.get("last")) and not _bare(text).endswith(_bare(words(last))):
        faults.append(f"{label}: ends {text[-80:]!r}, not {last!r}")
    title = item.get("title")
    if title and not item.get("title_optional") and words(clause.title) != words(title):
        faults.append(f"{label}: title {clause.title!r}, not {title!r}")
    if clause.article_printed != item.get("article_printed", clause.article_printed):
        faults.append(f"{label}: printed as {clause.article_printed!r}, not {item['article_printed']!r}")
    if item.get("replaced_by", "") not in clause.replaced_by:
        faults.append(f"{label}: replaced by {clause.replaced_by!r}, not {item['replaced_by']!r}")
    if clause.status is not (Status.FUTURE if item.get("year") else Status.IN_FORCE):
        faults.append(f"{label}: status {clause.status}")
    return faults


def _openings(item: dict[str, Any], text: str) -> list[tuple[str, str]]:
    """The ways in which a clause may begin: with the term it defines or behind it, with a short lead-in or without."""
    first = words(item["first"])
    openings = [(text, first)]
    if item["term"]:
        openings.append((_without_term(text, item["term"]), first.lstrip(": ")))
    if item.get("title_optional"):
        openings.append((text, words(f"{item['title']} {first}")))
    return openings


def _heading_faults(record: dict[str, Any], result: ReadResult) -> list[str]:
    """Articles that have a title and no words of their own on the page; void ones are clauses or headings."""
    page = record["page"]
    void = set(record.get("void", []))
    headings = [heading for heading in result.headings if heading.page == page]
    expected = set(record["headings"]) - void
    actual = {heading.article for heading in headings if not heading.replaced_by} - void
    faults = [f"no heading {article}" for article in sorted(expected - actual)]
    faults += [f"heading that the page does not show: {article}" for article in sorted(actual - expected)]
    kept = {entry.article for entry in (*headings, *result.clauses) if entry.void}
    return faults + [f"not kept as void: {article}" for article in sorted(void - kept)]
