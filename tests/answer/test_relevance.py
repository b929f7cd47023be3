from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pipelines.answer.relevance import EncodedNode, TokenRelevance
from pipelines.late_interaction import QuestionVectors, TokenVectors
from pipelines.schema import Clause

WORDS = {"fast": (1.0, 0.0), "heavy": (0.0, 1.0)}


class HandEncoder:
    """One token a word; a word's vector is that of the fact it tells, none for any other word."""

    def question(self, text: str) -> QuestionVectors:
        tokens = np.array([WORDS[text]], dtype=np.float32)
        return QuestionVectors(tokens[0], tokens, np.array([1.0], dtype=np.float32))

    def offsets(self, text: str) -> list[tuple[int, int]]:
        found, position = [(0, 0)], 0
        for word in text.split():
            start = text.index(word, position)
            position = start + len(word)
            found.append((start, position))
        return [*found, (0, 0)]

    def node(self, text: str) -> EncodedNode:
        vectors = [(0.0, 0.0), *(WORDS.get(word.strip("."), (0.0, 0.0)) for word in text.split()), (0.0, 0.0)]
        return EncodedNode(text, TokenVectors.of(np.array(vectors, dtype=np.float32)))


@pytest.fixture
def clause(law: dict[str, Clause]) -> Clause:
    return replace(law["C4.1"], text="It is fast.\nIt is heavy.\nNobody knows.", lines=())


SPANS = ((0, 11), (12, 24), (25, 38))


def test_each_piece_is_scored_by_its_own_words(clause: Clause) -> None:
    encoder = HandEncoder()
    node = encoder.node("C4 fast MASS\nIt is fast.\nIt is heavy.")  # the heading's word counts for no piece
    relevance = TokenRelevance(encoder, lambda _: [node])  # type: ignore[arg-type]
    assert list(relevance("fast", clause, SPANS)) == pytest.approx([1.0, 0.0, 0.0])
    # the third piece stands in no node: as low as the lowest of the others
    assert list(relevance("heavy", clause, SPANS)) == pytest.approx([0.0, 1.0, 0.0])


def test_nodes_that_do_not_fit_their_text_are_passed_over(clause: Clause) -> None:
    encoder = HandEncoder()
    other = EncodedNode("It is fast. And more", encoder.node("It is fast.").vectors)
    relevance = TokenRelevance(encoder, lambda _: [other])  # type: ignore[arg-type]
    assert list(relevance("fast", clause, SPANS)) == [0.0, 0.0, 0.0]


def test_matches_tell_tokens_heading_and_scores(clause: Clause) -> None:
    encoder = HandEncoder()
    node = encoder.node("C4 fast MASS\nIt is fast.\nIt is heavy.")
    relevance = TokenRelevance(encoder, lambda _: [node])  # type: ignore[arg-type]
    found = relevance.matches("fast", clause, SPANS)
    assert found.tokens.ravel() == pytest.approx([1.0, 0.0, 0.0])  # the third piece stands in no node
    assert found.heading == pytest.approx([1.0])
    assert found.scores == tuple(relevance("fast", clause, SPANS))
    assert relevance.matches("heavy", clause, SPANS).heading == pytest.approx([0.0])
