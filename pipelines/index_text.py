"""THE text of a node, for the dense vector, the sparse one and the reranker alike; and what names a node."""

from __future__ import annotations

import uuid

from pipelines.schema import Clause

RECIPE = "4"
"""Version of what is indexed: index text, cuts, words and weights. A change makes older indexes a mismatch."""

_NAMESPACE = uuid.UUID("6c3a7f1e-52c4-5d0b-9e0e-0d6b1f6a2f10")


def heading(clause: Clause, skip: int = 0) -> str:
    """The lines above a clause's words: its headings from the outside in, then its article, title and term.

    The section's title stands above the headings: Sections D and E repeat each other's words for other people.
    ``skip`` leaves it out with so many of the outermost headings; one more than there are leaves the article alone.
    """
    if skip > len(clause.path):
        return clause.article
    own = " ".join(dict.fromkeys(part for part in (clause.article, clause.title, clause.term) if part))
    path = " > ".join((*_section(clause), *clause.path) if not skip else clause.path[skip:])
    return f"{path}\n{own}" if path else own


def _section(clause: Clause) -> tuple[str, ...]:
    document = clause.document
    return (document.section_title.capitalize(),) if document.kind == "regulation" and document.section_title else ()


def index_text(clause: Clause, words: str, skip: int = 0) -> str:
    """The text of a node that holds ``words`` of a clause: heading path, article, term, words."""
    return f"{heading(clause, skip)}\n{words}"


def node_id(generation: str, clause: Clause, part: int) -> str:
    """The deterministic id of a node: a uuid5 of the document's version and the clause's place in it.

    ``clause.id`` tells clauses apart that repeat an article, term and year within one document.
    """
    place = (generation, clause.issue, clause.article, clause.term, clause.year, clause.id, str(part))
    return str(uuid.uuid5(_NAMESPACE, "\x1f".join(place)))


def is_searchable(clause: Clause) -> bool:
    """Whether a clause can be an answer: it has words, and is neither void nor moved elsewhere."""
    return bool(clause.text.strip()) and not clause.void and not clause.replaced_by
