"""Clauses as LlamaIndex nodes: one clause is one node, or several where it is longer than the model's window.

A node never holds words of two clauses. :func:`index_text` makes THE text of a node, for the dense vector, the sparse
one and the reranker alike.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from llama_index.core.schema import BaseNode, TextNode, TransformComponent

from pipelines.cut import Count, cut
from pipelines.schema import Clause

RECIPE = "1"
"""Version of what is indexed: index text, cuts, words and weights. A change makes older indexes a mismatch."""

_NAMESPACE = uuid.UUID("6c3a7f1e-52c4-5d0b-9e0e-0d6b1f6a2f10")


def heading(clause: Clause) -> str:
    """The lines above a clause's words: its headings from the outside in, then its article, title and term."""
    own = f"{clause.article} {clause.title}".strip()
    if clause.term:
        own = f"{own}: “{clause.term}”"
    return "\n".join((" > ".join(clause.path), own) if clause.path else (own,))


def index_text(clause: Clause, words: str) -> str:
    """The text of a node that holds ``words`` of a clause: heading path, article, term, words."""
    return f"{heading(clause)}\n{words}"


def node_id(generation: str, clause: Clause, part: int) -> str:
    """The deterministic id of a node: a uuid5 of the document's version and the clause's place in it.

    ``clause.id`` tells clauses apart that repeat an article, term and year within one document.
    """
    place = (generation, clause.issue, clause.article, clause.term, clause.year, clause.id, str(part))
    return str(uuid.uuid5(_NAMESPACE, "\x1f".join(place)))


def metadata(clause: Clause, generation: str, part: int) -> dict[str, Any]:
    """The flat payload of a node: what filters ask for, and where the clause stands."""
    document = clause.document
    return {
        "generation": generation,
        "clause_id": clause.id,
        "part": part,
        "kind": str(clause.kind),
        "article": clause.article,
        "article_printed": clause.article_printed,
        "ancestors": list(clause.ancestors),
        "term": clause.term,
        "section": document.section,
        "issue": document.issue,
        "date": document.date,
        "season": document.season,
        "document": document.file,
        "status": str(clause.status),
        "year": clause.year,
        "page_start": clause.page_start,
        "page_end": clause.page_end,
    }


def to_node(clause: Clause, generation: str) -> TextNode:
    """A clause as one whole node, not yet cut; :class:`ClauseCutter` needs the clause itself, kept beside the text."""
    return _node(clause, generation, 0, clause.text)


def is_searchable(clause: Clause) -> bool:
    """Whether a clause can be an answer: it has words, and is neither void nor moved elsewhere."""
    return bool(clause.text.strip()) and not clause.void and not clause.replaced_by


class ClauseCutter(TransformComponent):
    """Cuts nodes of :func:`to_node` so that each fits the embedding model's window, counted with its own tokenizer.

    ``clauses`` holds the clause of every node by node id; ``count`` gives a text's tokens, special tokens included;
    ``window`` is the most that a node may have.
    """

    clauses: dict[str, Clause]
    count: Count
    window: int
    generation: str

    def __call__(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[BaseNode]:
        """The cut nodes, in order.

        Raises:
            ValueError: a node came out longer than the window, which would be cut short silently by the model.
        """
        return [part for node in nodes for part in self._parts(self.clauses[node.node_id])]

    def _parts(self, clause: Clause) -> list[BaseNode]:
        def fits(words: str) -> bool:
            return self.count(index_text(clause, words)) <= self.window

        parts: list[BaseNode] = []
        for number, words in enumerate(cut(clause.text, clause.tables, fits)):
            if not fits(words):
                raise ValueError(f"{clause.label}: part {number} is longer than the model's {self.window} tokens")
            parts.append(_node(clause, self.generation, number, words))
        return parts


def _node(clause: Clause, generation: str, part: int, words: str) -> TextNode:
    payload = metadata(clause, generation, part)
    return TextNode(
        id_=node_id(generation, clause, part),
        text=index_text(clause, words),
        metadata=payload,
        excluded_embed_metadata_keys=list(payload),
        excluded_llm_metadata_keys=list(payload),
    )
