"""Records as the JSON that people's scripts read. Pure: a record in, plain data out; keys are only ever added.

The same shapes are printed by the command line and sent by the server.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pipelines.errors import TechRegError
from pipelines.schema import Answer, Citation, Clause, Failure, Link, Passage, Refusal, Reply, SearchResult, Understood

if TYPE_CHECKING:
    from pipelines.links import DeadReference

Json = dict[str, Any]
FOUND_BEFORE = 3


def clause(record: Clause) -> Json:
    """A clause with its place in the document, its status and the titles above it."""
    return {
        "id": record.id,
        "article": record.article,
        "article_printed": record.article_printed,
        "term": record.term,
        "section": record.section,
        "issue": record.issue,
        "date": record.document.date,
        "season": record.document.season,
        "kind": record.kind.value,
        "title": record.title,
        "text": record.text,
        "page_start": record.page_start,
        "page_end": record.page_end,
        "status": record.status.value,
        "year": record.year,
        "changed": record.changed,
        "void": record.void,
        "replaced_by": record.replaced_by,
        "path": list(record.path),
        "has_figure": record.has_figure,
        **_file_lines(record),
    }


def passage(record: Passage, *, explain: bool = False) -> Json:
    """A search result: the clause in short, its score and, on request, its rank at each stage."""
    found = record.clause
    shaped = {
        "id": found.id,
        "article": found.article,
        "article_printed": found.article_printed,
        "term": found.term,
        "section": found.section,
        "issue": found.issue,
        "date": found.document.date,
        "page": found.page_start,
        "page_end": found.page_end,
        "title": found.title,
        "path": list(found.path),
        "text": found.text,
        "status": found.status.value,
        "year": found.year,
        "changed": found.changed,
        "score": record.score,
        **_file_lines(found),
    }
    return shaped | {"ranks": dict(record.ranks), **_joined(record)} if explain else shaped


def _joined(record: Passage) -> Json:
    """What a passage is read with, and where its references lead: ``found`` is "" for one that is dead."""
    return {
        "lead_in": record.lead_in or None,
        "context": [
            {"id": one.id, "article": one.article, "title": one.title, "page": one.page_start, "text": one.text}
            for one in record.context
        ],
        "references": [asdict(link) for link in record.links],
    }


def dead_reference(record: DeadReference) -> Json:
    """A reference that leads nowhere, with the clause that makes it."""
    return {
        "id": record.clause.id,
        "article": record.clause.article,
        "term": record.clause.term,
        "section": record.clause.section,
        "issue": record.clause.issue,
        "page": record.clause.page_start,
        "status": record.clause.status.value,
        "year": record.clause.year,
        "printed": record.reference.printed,
        "target": record.reference.target,
    }


def search(record: SearchResult, id_: str | None = None, *, explain: bool = False) -> Json:
    """One question's results, best first, with the wall time of each stage."""
    shaped: Json = {
        "id": id_,
        "question": record.question,
        "results": [passage(one, explain=explain) for one in record.passages],
        "ms": dict(record.ms),
    }
    if explain:
        shaped |= {"understood": understood(record.understood), "candidates": list(record.candidates)}
    return shaped


def search_error(id_: str | None, question: str, error: Json) -> Json:
    """A line of a batch that could not be searched."""
    return {"id": id_, "question": question, "results": [], "ms": {"total": 0.0}, "error": error}


def understood(record: Understood) -> Json:
    """What was understood of a question before it was searched."""
    return {
        "question": record.question,
        "articles": list(record.articles),
        "section": record.section,
        "terms": list(record.terms),
        "corrections": [list(pair) for pair in record.corrections],
        "expansions": list(record.expansions),
        "year": record.year,
        "follow_up": record.follow_up,
    }


def citation(record: Citation) -> Json:
    """A quote and where it stands."""
    shaped = {
        "article": record.article,
        "term": record.term,
        "section": record.section,
        "issue": record.issue,
        "date": record.date,
        "page": record.page,
        "quote": record.quote,
        "verified": record.verified,
        "clause_id": record.clause_id,
        "file": record.file,
    }
    return shaped | {"lines": list(record.lines)} if record.lines else shaped


def reply(record: Reply, id_: str | None = None) -> Json:
    """An answer, a refusal or a failure, all with the same keys."""
    shaped: Json = {
        "id": id_,
        "question": record.question,
        "answer": "",
        "outcome": record.outcome,
        "refused": record.outcome == "refused",
        "citations": [],
        "nearest": [],
        "warnings": list(record.warnings),
        "error": None,
        "fallback": False,
        "confidence": None,
        "model": record.model,
        "ms": {"total": 0.0} | record.ms,
    }
    match record:
        case Answer():
            shaped |= {
                "answer": record.text,
                "citations": _citations(record),
                "fallback": record.fallback,
                "confidence": record.confidence,
            }
        case Refusal():
            shaped |= {"answer": record.text, "confidence": record.confidence, "nearest": list(record.nearest)}
        case Failure():
            shaped["error"] = {"type": record.error_type, "message": record.message, "fix": record.fix}
    return shaped


def card(record: Clause, citations: Sequence[Citation] = (), links: Sequence[Link] = ()) -> Json:
    """A clause to be read: with its quotes, its tables and references by their spans of the text, and its document.

    A reference that ``links`` knows to be dead is left out: it opens nothing.
    """
    dead = {link.target for link in links if not link.found}
    return clause(record) | {
        "label": record.label,
        "sha256": record.document.sha256,
        "tables": [list(span) for span in record.tables],
        "references": [
            {"kind": one.kind, "target": one.target, "start": one.start, "end": one.end}
            for one in record.references
            if one.target not in dead
        ],
        "quotes": [{"page": one.page, "quote": one.quote, "verified": one.verified} for one in citations],
    }


def evidence(record: Reply) -> list[Json]:
    """The clauses that an answer cites, in the order of its citations, each as a card with its quotes.

    Of a failure, the best of what had been found before; a refusal shows none.
    """
    if isinstance(record, Failure):
        return [card(found.clause, links=found.links) for found in record.passages[:FOUND_BEFORE]]
    if not isinstance(record, Answer):
        return []
    known = _known(record)
    cited: dict[str, list[Citation]] = {}
    for one in record.citations:
        if one.clause_id in known:
            cited.setdefault(one.clause_id, []).append(one)
    links = {found.clause.id: found.links for found in record.passages}
    return [card(known[clause_id], citations, links.get(clause_id, ())) for clause_id, citations in cited.items()]


def titled(title: str) -> str:
    """A document's title in capitals as it stands in a line of text: TECHNICAL REGULATIONS is Technical."""

    def written(word: re.Match[str]) -> str:
        return word[0].lower() if word[0] in ("AND", "FOR", "OF", "THE") else word[0].capitalize()

    return re.sub(r"\b[A-Z]{3,}\b", written, re.sub(r"\s*\bREGULATIONS\b", "", title)).strip()


def _citations(record: Answer) -> list[Json]:
    """The citations, each with the status and year of its clause."""
    known = _known(record)
    shaped = []
    for one in record.citations:
        cited = known.get(one.clause_id)
        place = {"status": cited.status.value, "year": cited.year} if cited else {"status": "", "year": ""}
        shaped.append(citation(one) | place)
    return shaped


def _known(record: Answer) -> dict[str, Clause]:
    """The clauses that an answer rests on, by id."""
    return {one.id: one for found in record.passages for one in (found.clause, *found.context)}


def error(raised: TechRegError) -> Json:
    """An expected error as ``{type, message, fix}``."""
    return {"type": type(raised).__name__, "message": raised.message, "fix": raised.fix}


def _file_lines(record: Clause) -> Json:
    """A document that is no regulation carries its file and lines; a regulation is cited by article and page."""
    if record.file_lines is None:
        return {"file": record.document.file}
    return {"file": record.document.file, "lines": list(record.file_lines)}
