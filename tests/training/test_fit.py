from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from scripts.training.corpus import Corpus, Passage, Question, build_corpus

from .conftest import TOPICS

if TYPE_CHECKING:
    from scripts.training.model import LateInteractionModel


@pytest.fixture
def corpus() -> Corpus:
    """Questions that share no word with their passage: only fitting can join them."""
    pairs = [(topic, TOPICS[(place + 1) % len(TOPICS)]) for place, topic in enumerate(TOPICS)]
    passages = [Passage(f"B{n}", f"B{n}", (), "B", "", f"the {said} must be") for n, (_, said) in enumerate(pairs)]
    questions = [
        Question(f"{form} {asked}", f"B{n}") for n, (asked, _) in enumerate(pairs) for form in ("what is", "how")
    ]
    return build_corpus(passages, questions)


def test_fitting_joins_questions_and_passages_that_share_no_word(
    model: LateInteractionModel, tokenizer_file: Path, corpus: Corpus
) -> None:
    from tokenizers import Tokenizer

    from scripts.training.fit import Fit, Recipe

    recipe = Recipe(
        epochs=40, dimension=16, passages_per_step=6, negatives_per_step=2, rate=3e-3, head_rate=3e-3, mined=4
    )
    fit = Fit(model, Tokenizer.from_file(str(tokenizer_file)), corpus, recipe, half=False)
    fit.start()
    measures = list(fit.train(corpus.questions, corpus.questions))
    assert len(measures) == 41
    assert measures[0]["tokens"].hit1 < 0.5
    assert measures[-1]["tokens"].hit1 > 0.9
    assert measures[-1]["dense"].hit1 > 0.9


def test_the_torch_score_is_the_product_score(model: LateInteractionModel) -> None:
    import torch

    from pipelines.late_interaction import QuestionVectors, TokenVectors, max_sim
    from scripts.training import model as fitted

    ids = torch.randint(4, 20, (3, 7))
    mask = torch.ones_like(ids)
    mask[1, 5:] = 0
    with torch.inference_mode():
        encoded = fitted.Encoded(*model(ids, mask))
        expected = fitted.max_sim(encoded, encoded).numpy()
    sizes = [int(row.sum()) for row in mask]
    stored = [TokenVectors.of(encoded.tokens[i, : sizes[i]].numpy()) for i in range(3)]
    for i in range(3):
        asked = QuestionVectors(encoded.dense[i].numpy(), encoded.tokens[i].numpy(), encoded.weights[i].numpy())
        assert max_sim(asked, stored) == pytest.approx(expected[i], abs=0.01)


def test_the_projection_starts_where_little_is_lost(model: LateInteractionModel) -> None:
    import torch

    basis = torch.linalg.qr(torch.randn(32, 16))[0]
    states = torch.randn(200, 16) @ basis.T + 3
    model.start_projection(states)
    with torch.inference_mode():
        projected = model.project(states)
    centred = states - states.mean(0)
    assert np.allclose((projected @ projected.T).numpy(), (centred @ centred.T).numpy(), atol=1e-2)
