"""Clauses as LlamaIndex nodes: one clause is one node, or several where it is longer than the model's window.

A node never holds words of two clauses.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core.schema import BaseNode, TextNode, TransformComponent

from pipelines.cut import Count, cut
from pipelines.index_text import heading, index_text, node_id
from pipelines.schema import Clause


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
        "read_as": str(clause.status),
        "year": clause.year,
        "page_start": clause.page_start,
        "page_end": clause.page_end,
    }


def to_node(clause: Clause, generation: str, part: int, words: str, skip: int = 0) -> TextNode:
    """A node that holds ``words`` of a clause. Models see its text only, never its metadata.

    ``skip`` leaves out so many of the outermost headings.
    """
    payload = metadata(clause, generation, part)
    return TextNode(
        id_=node_id(generation, clause, part),
        text=index_text(clause, words, skip),
        metadata=payload,
        excluded_embed_metadata_keys=list(payload),
        excluded_llm_metadata_keys=list(payload),
    )


class ClauseCutter(TransformComponent):
    """Cuts whole-clause nodes so that each fits the embedding model's window, counted with its own tokenizer.

    ``clauses`` holds the clause of every node by clause id; ``count`` gives a text's tokens, special tokens included;
    ``window`` is the most that a node may have.
    """

    clauses: dict[str, Clause]
    count: Count
    window: int

    def __call__(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[BaseNode]:
        """The cut nodes, in order.

        Raises:
            ValueError: a node came out longer than the window, which would be cut short silently by the model.
        """
        return [part for node in nodes for part in self._parts(node)]

    def _parts(self, node: BaseNode) -> list[BaseNode]:
        clause = self.clauses[node.metadata["clause_id"]]
        skip = self._headings_to_skip(clause)

        def fits(words: str) -> bool:
            return self.count(index_text(clause, words, skip)) <= self.window

        parts: list[BaseNode] = []
        for number, words in enumerate(cut(clause.text, clause.tables, fits)):
            if not fits(words):
                raise ValueError(f"{clause.label}: part {number} is longer than the model's {self.window} tokens")
            parts.append(to_node(clause, node.metadata["generation"], number, words, skip))
        return parts

    def _headings_to_skip(self, clause: Clause) -> int:
        """How many outermost headings to leave out, so that half the window is left for the clause's words."""
        levels = range(len(clause.path) + 1)
        room = self.window // 2
        return next((skip for skip in levels if self.count(heading(clause, skip)) <= room), len(clause.path) + 1)


class ShortFirst(TransformComponent):
    """Orders nodes by length, so that a batch of the embedding model holds little padding."""

    def __call__(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[BaseNode]:
        """The same nodes, the shortest text first."""
        return sorted(nodes, key=lambda node: len(node.get_content()))
