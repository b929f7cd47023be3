from pathlib import Path

import numpy as np
import pytest

from pipelines.errors import ModelNotFound
from pipelines.late_interaction import LateInteractionEncoder, QuestionVectors, TokenVectors, best_matches, max_sim


def question() -> QuestionVectors:
    tokens = np.array([[1, 0], [0, 1]], dtype=np.float32)
    return QuestionVectors(np.array([1, 0], dtype=np.float32), tokens, np.array([0.75, 0.25], dtype=np.float32))


def passage(*rows: tuple[float, float]) -> TokenVectors:
    return TokenVectors.of(np.array(rows, dtype=np.float32))


def test_score_is_the_weighted_mean_of_each_tokens_best_match() -> None:
    # First passage: the first token's best cosine is 1.0, the second's 0.8: 0.75 * 1.0 + 0.25 * 0.8 = 0.95.
    # Second passage: 0.6 and 0.8: 0.75 * 0.6 + 0.25 * 0.8 = 0.65.
    scores = max_sim(question(), [passage((1, 0), (0.6, 0.8)), passage((0.6, 0.8))])
    assert scores == pytest.approx([0.95, 0.65], abs=0.005)


def test_best_matches_has_a_row_for_each_passage() -> None:
    assert best_matches(question(), [passage((1, 0)), passage((0, 1), (0.6, 0.8))]) == pytest.approx(
        np.array([[1.0, 0.0], [0.6, 1.0]]), abs=0.005
    )


def test_no_passages_give_no_scores() -> None:
    assert max_sim(question(), []).shape == (0,)


def test_a_passage_of_opposite_vectors_scores_below_zero() -> None:
    assert max_sim(question(), [passage((-1, 0)), passage((1, 0))])[0] < 0


def test_quantizing_keeps_cosines() -> None:
    random = np.random.default_rng(1)
    vectors = random.normal(size=(40, 96)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    kept = TokenVectors.of(vectors)
    back = kept.values.astype(np.float32) * kept.scale
    assert np.abs((back * vectors).sum(1) - 1).max() < 0.01


def test_token_vectors_survive_storing() -> None:
    kept = passage((1, 0), (0.6, 0.8))
    back = TokenVectors.from_bytes(kept.to_bytes())
    assert np.array_equal(back.values, kept.values)
    assert back.scale == pytest.approx(kept.scale)


@pytest.mark.parametrize("data", [b"", b"short", passage((1, 0)).to_bytes() + b"\0"])
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="no token vectors"):
        TokenVectors.from_bytes(data)


def test_a_folder_without_a_model_is_told(tmp_path: Path) -> None:
    with pytest.raises(ModelNotFound, match="cannot be loaded"):
        LateInteractionEncoder(tmp_path)
