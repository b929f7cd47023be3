from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from pipelines.late_interaction import TOKEN_VECTORS, QuestionVectors, TokenVectors
from pipelines.models.fitted import FittedEmbedding, pack, unpack
from pipelines.rerank import LateInteractionRerank

PLACES = {"wing": 0, "tyre": 1, "fuel": 2}


class WordEncoder:
    """One axis a word: a token vector of a word it knows is that axis. Counts the passages it was asked to encode."""

    def __init__(self) -> None:
        self.encoded = 0

    def question(self, text: str) -> QuestionVectors:
        tokens = self._vectors(text)
        return QuestionVectors(tokens.mean(0), tokens, np.full(len(tokens), 1 / len(tokens), dtype=np.float32))

    def passages(self, texts: Sequence[str]) -> tuple[np.ndarray, list[TokenVectors]]:
        self.encoded += len(texts)
        vectors = [self._vectors(text) for text in texts]
        return np.stack([v.mean(0) for v in vectors]), [TokenVectors.of(v) for v in vectors]

    def _vectors(self, text: str) -> np.ndarray:
        return np.stack([np.eye(3, dtype=np.float32)[PLACES[word]] for word in text.split()])


def nodes(*texts: str) -> list[NodeWithScore]:
    return [NodeWithScore(node=TextNode(id_=text, text=text), score=1.0) for text in texts]


def reranker(encoder: WordEncoder, top_n: int = 30) -> LateInteractionRerank:
    return LateInteractionRerank(encoder, top_n=top_n)  # type: ignore[arg-type]


def test_the_passage_with_every_word_of_the_question_comes_first() -> None:
    found = reranker(WordEncoder()).postprocess_nodes(nodes("fuel", "wing fuel", "wing tyre"), QueryBundle("tyre wing"))
    # Of the two words the passages match 0, 1 and 2: their scores are 0, 0.5 and 1.
    assert [(n.node.node_id, n.score) for n in found] == [
        ("wing tyre", pytest.approx(1.0)),
        ("wing fuel", pytest.approx(0.5)),
        ("fuel", pytest.approx(0.0)),
    ]


def test_only_the_best_are_kept() -> None:
    found = reranker(WordEncoder(), top_n=1).postprocess_nodes(nodes("fuel", "tyre"), QueryBundle("tyre"))
    assert [n.node.node_id for n in found] == ["tyre"]


def test_the_nodes_given_keep_their_scores() -> None:
    given = nodes("fuel", "tyre")
    reranker(WordEncoder()).postprocess_nodes(given, QueryBundle("tyre"))
    assert [n.score for n in given] == [1.0, 1.0]


def test_stored_token_vectors_are_not_encoded_again() -> None:
    encoder = WordEncoder()
    stored, fresh = nodes("wing", "tyre")
    FittedEmbedding(encoder)([stored.node])  # type: ignore[arg-type]
    encoder.encoded = 0
    found = reranker(encoder).postprocess_nodes([stored, fresh], QueryBundle("wing"))
    assert [n.node.node_id for n in found] == ["wing", "tyre"]
    assert encoder.encoded == 1


def test_embedding_leaves_both_vectors_and_the_text_as_it_was() -> None:
    node = TextNode(text="wing tyre")
    FittedEmbedding(WordEncoder())([node])  # type: ignore[arg-type]
    assert node.embedding == pytest.approx([0.5, 0.5, 0.0])
    assert unpack(node.metadata[TOKEN_VECTORS]).values.shape == (2, 3)
    assert node.get_content() == "wing tyre"
    from llama_index.core.schema import MetadataMode

    assert node.get_content(metadata_mode=MetadataMode.EMBED) == "wing tyre"


def test_packed_vectors_unpack() -> None:
    vectors = TokenVectors.of(np.eye(3, dtype=np.float32))
    assert np.array_equal(unpack(pack(vectors)).values, vectors.values)


def test_nothing_comes_of_nothing() -> None:
    assert reranker(WordEncoder()).postprocess_nodes([], QueryBundle("tyre")) == []


def test_a_question_is_needed() -> None:
    with pytest.raises(ValueError, match="question"):
        reranker(WordEncoder()).postprocess_nodes(nodes("fuel"))
