"""The fitted encoder as a LlamaIndex embedding: nodes get their dense vector and, in metadata, their token vectors."""

from __future__ import annotations

import base64
import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.schema import BaseNode, MetadataMode

from pipelines.late_interaction import TOKEN_VECTORS, LateInteractionEncoder, TokenVectors

_LOADING = threading.Lock()


def encoder(folder: Path, threads: int = 0) -> LateInteractionEncoder:
    """The encoder of a folder, loaded once for embedding and reranking alike.

    Raises:
        ModelNotFound: the folder holds no such model, or it cannot be loaded.
    """
    with _LOADING:
        return _encoder(folder, threads)


@lru_cache(maxsize=2)
def _encoder(folder: Path, threads: int) -> LateInteractionEncoder:
    return LateInteractionEncoder(folder, threads)


class FittedEmbedding(BaseEmbedding):
    """Embeds with a :class:`LateInteractionEncoder`; as a transformation it also keeps each node's token vectors."""

    _encoder: LateInteractionEncoder = PrivateAttr()

    def __init__(self, encoder: LateInteractionEncoder, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._encoder = encoder

    @classmethod
    def class_name(cls) -> str:
        """The name that LlamaIndex records."""
        return "FittedEmbedding"

    def __call__(self, nodes: Sequence[BaseNode], **kwargs: Any) -> Sequence[BaseNode]:
        """The nodes, each with its dense vector and its token vectors."""
        if not nodes:
            return nodes
        texts = [node.get_content(metadata_mode=MetadataMode.EMBED) for node in nodes]
        dense, tokens = self._encoder.passages(texts)
        for node, vector, kept in zip(nodes, dense, tokens, strict=True):
            node.embedding = vector.tolist()
            node.metadata[TOKEN_VECTORS] = pack(kept)
            node.excluded_embed_metadata_keys.append(TOKEN_VECTORS)
            node.excluded_llm_metadata_keys.append(TOKEN_VECTORS)
        return nodes

    def _get_query_embedding(self, query: str) -> list[float]:
        return [float(value) for value in self._encoder.question(query).dense]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        dense, _ = self._encoder.passages(texts)
        return [[float(value) for value in vector] for vector in dense]


def pack(vectors: TokenVectors) -> str:
    """Token vectors as text, as a payload can hold them."""
    return base64.b64encode(vectors.to_bytes()).decode("ascii")


def unpack(text: str) -> TokenVectors:
    """The token vectors that :func:`pack` wrote.

    Raises:
        ValueError: the text is no token vectors.
    """
    return TokenVectors.from_bytes(base64.b64decode(text, validate=True))
