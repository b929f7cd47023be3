from __future__ import annotations

import numpy as np
import pytest

from pipelines.index.store import Hit
from pipelines.retrieve import _nearness

ASKED = np.array([1.0, 0.0], dtype=np.float32)


def hit(vector: tuple[float, float] | None, tokens: str = "packed") -> Hit:
    return Hit("n", "B1", "g", "text", 0.0, tokens, None if vector is None else np.array(vector, dtype=np.float32))


def test_nearness_is_the_mean_cosine_of_a_clauses_nodes() -> None:
    assert _nearness(ASKED, [hit((1.0, 0.0)), hit((0.6, 0.8)), hit(None)]) == pytest.approx(0.8)


def test_vectors_of_another_model_tell_no_nearness() -> None:
    assert _nearness(ASKED, [hit((1.0, 0.0), tokens="")]) is None
    assert _nearness(ASKED, []) is None
