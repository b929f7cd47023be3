"""Late interaction as a LlamaIndex node postprocessor: a drop-in beside ``SentenceTransformerRerank``."""

from __future__ import annotations

from llama_index.core.bridge.pydantic import Field, PrivateAttr
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle

from pipelines.late_interaction import TOKEN_VECTORS, LateInteractionEncoder, TokenVectors, max_sim
from pipelines.models.fitted import unpack


class LateInteractionRerank(BaseNodePostprocessor):
    """Scores nodes by the late interaction of their token vectors with the question's; keeps the best ``top_n``.

    A node's token vectors are taken from its metadata, where indexing put them; a node without any is encoded now.
    """

    top_n: int = Field(default=30, ge=1, description="nodes kept")
    _encoder: LateInteractionEncoder = PrivateAttr()

    def __init__(self, encoder: LateInteractionEncoder, top_n: int = 30) -> None:
        super().__init__(top_n=top_n)  # type: ignore[call-arg]
        self._encoder = encoder

    @classmethod
    def class_name(cls) -> str:
        """The name that LlamaIndex records."""
        return "LateInteractionRerank"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        if query_bundle is None:
            raise ValueError("reranking needs the question")
        if not nodes:
            return []
        scores = max_sim(self._encoder.question(query_bundle.query_str), self._token_vectors(nodes))
        ranked = [
            NodeWithScore(node=found.node, score=float(score)) for found, score in zip(nodes, scores, strict=True)
        ]
        return sorted(ranked, key=lambda found: -(found.score or 0.0))[: self.top_n]

    def _token_vectors(self, nodes: list[NodeWithScore]) -> list[TokenVectors]:
        kept = [found.node.metadata.get(TOKEN_VECTORS) for found in nodes]
        missing = [place for place, vectors in enumerate(kept) if vectors is None]
        texts = [nodes[place].node.get_content(metadata_mode=MetadataMode.EMBED) for place in missing]
        fresh = dict(zip(missing, self._encoder.passages(texts)[1] if texts else [], strict=True))
        return [fresh[place] if vectors is None else unpack(vectors) for place, vectors in enumerate(kept)]
