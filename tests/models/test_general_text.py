"""Fitting on regulations has not cost the model what it knew of other texts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from pipelines.late_interaction import LateInteractionEncoder, max_sim
from pipelines.models.embedding import load_embedder
from pipelines.models.files import PACKAGED
from pipelines.settings import Settings

GENERAL = Path(__file__).parents[2] / "eval" / "data" / "general.jsonl"
Scores = NDArray[np.float32]


@pytest.fixture(scope="module")
def texts() -> tuple[list[str], list[str]]:
    """Questions and, in the same order, the passages that answer them; each has two others of its subject."""
    rows = [json.loads(line) for line in GENERAL.read_text(encoding="utf-8").splitlines()]
    return [row["question"] for row in rows], [row["passage"] for row in rows]


@pytest.fixture(scope="module")
def base(texts: tuple[list[str], list[str]]) -> Scores:
    """What the packaged model scores, which the fit started from."""
    questions, passages = texts
    model = load_embedder(Settings(embed_model=PACKAGED, threads=1)).model
    found = np.array(model.get_text_embedding_batch(passages))
    return np.array([model.get_query_embedding(one) for one in questions]) @ found.T


@pytest.fixture(scope="module")
def fitted(texts: tuple[list[str], list[str]]) -> dict[str, Scores]:
    questions, passages = texts
    encoder = LateInteractionEncoder(threads=1)
    dense, tokens = encoder.passages(passages)
    asked = [encoder.question(one) for one in questions]
    return {
        "dense": np.stack([dense @ one.dense for one in asked]),
        "late interaction": np.stack([max_sim(one, tokens) for one in asked]),
    }


def first_places(scores: Scores) -> int:
    return int(sum(row.argmax() == place for place, row in enumerate(scores)))


def mean_reciprocal_rank(scores: Scores) -> float:
    return float(np.mean([1 / (1 + (row > row[place]).sum()) for place, row in enumerate(scores)]))


@pytest.mark.parametrize("stage", ["dense", "late interaction"])
@pytest.mark.parametrize(("measure", "least"), [(first_places, -1.0), (mean_reciprocal_rank, -0.02)])
def test_general_texts_are_found_as_well_as_by_the_base(
    stage: str, measure: Callable[[Scores], float], least: float, base: Scores, fitted: dict[str, Scores]
) -> None:
    # One of 30 questions, or a fiftieth of a mean reciprocal rank, is chance.
    assert measure(fitted[stage]) - measure(base) >= least


def test_the_measures_see_a_model_that_has_forgotten(base: Scores) -> None:
    forgotten = np.roll(base, 1, axis=1)
    assert first_places(forgotten) < first_places(base) - 10
    assert mean_reciprocal_rank(forgotten) < mean_reciprocal_rank(base) - 0.2
