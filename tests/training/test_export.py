from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from pipelines.late_interaction import FITTED_FOLDER, LateInteractionEncoder, max_sim

from .conftest import TOPICS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scripts.training.model import LateInteractionModel

CONFIG = {"name": "tiny", "dimension": 32, "token_dimension": 16, "window": 32, "question_window": 16}
QUESTIONS = [f"what is the {topic} limit" for topic in TOPICS]
PASSAGES = [f"the {one} must be for a {other} rule" for one in TOPICS[:6] for other in TOPICS[6:]]


def torch_scores(model: LateInteractionModel, tokenizer: Path) -> NDArray[np.float32]:
    import torch
    from tokenizers import Tokenizer

    from scripts.training.model import Encoded, max_sim
    from scripts.training.scoring import pad

    words = Tokenizer.from_file(str(tokenizer))
    with torch.inference_mode():
        asked = Encoded(*model(*pad([words.encode(text).ids for text in QUESTIONS])))
        held = Encoded(*model(*pad([words.encode(text).ids for text in PASSAGES])))
        return np.asarray(max_sim(asked, held).numpy())


def encoder_scores(encoder: LateInteractionEncoder) -> NDArray[np.float32]:
    _, passages = encoder.passages(PASSAGES)
    return np.stack([max_sim(encoder.question(text), passages) for text in QUESTIONS])


def rank_correlation(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    ranks = [np.argsort(np.argsort(scores)) for scores in (one, other)]
    return float(np.corrcoef(*ranks)[0, 1])


def test_float_export_gives_the_torch_outputs(model: LateInteractionModel, tmp_path: Path) -> None:
    import onnxruntime
    import torch

    from scripts.training.export import export_float

    export_float(model, tmp_path / "model.onnx")
    ids = torch.randint(4, 20, (3, 9))
    mask = torch.ones_like(ids)
    mask[2, 4:] = 0
    session = onnxruntime.InferenceSession(str(tmp_path / "model.onnx"))
    found = session.run(None, {"input_ids": ids.numpy(), "attention_mask": mask.numpy()})
    with torch.inference_mode():
        expected = model(ids, mask)
    for one, other in zip(found, expected, strict=True):
        assert np.abs(one - other.numpy()).max() < 1e-3


def test_the_folder_ranks_as_torch_does(model: LateInteractionModel, tokenizer_file: Path, tmp_path: Path) -> None:
    from scripts.training.export import write_folder

    write_folder(model, tokenizer_file, tmp_path / "tiny", CONFIG, least=64)
    expected, found = torch_scores(model, tokenizer_file), encoder_scores(LateInteractionEncoder(tmp_path / "tiny", 1))
    assert np.abs(expected - found).max() < 0.02
    assert rank_correlation(expected.ravel(), found.ravel()) >= 0.98
    assert sorted(path.name for path in (tmp_path / "tiny").iterdir()) == [
        "config.json",
        "model.onnx",
        "tokenizer.json",
    ]


def test_large_matrices_become_int8_and_small_ones_stay(model: LateInteractionModel, tmp_path: Path) -> None:
    import onnx

    from scripts.training.export import export_float, quantize_weights

    export_float(model, tmp_path / "float.onnx")
    quantize_weights(tmp_path / "float.onnx", tmp_path / "int8.onnx", least=2000)
    kept = {t.name: t for t in onnx.load(str(tmp_path / "int8.onnx")).graph.initializer if len(t.dims) == 2}
    whole = [tensor for tensor in kept.values() if tensor.data_type == onnx.TensorProto.INT8]
    # Of two layers the matrices of 32 x 64 and 64 x 32 have 2048 values, and the positions 64 x 32; 32 x 32 are small.
    assert len(whole) == 5
    assert all(np.prod(t.dims) < 2000 for t in kept.values() if t.data_type == onnx.TensorProto.FLOAT)


def test_rounding_uses_the_whole_range_of_each_row() -> None:
    from scripts.training.export import rounded

    whole, scales = rounded(np.array([[127.0, -1.0], [0.0, 2.0]], dtype=np.float32), 0)
    assert whole.tolist() == [[127, -1], [0, 127]]
    assert scales == pytest.approx([1.0, 2 / 127])


def test_padding_changes_nothing(model: LateInteractionModel, tokenizer_file: Path, tmp_path: Path) -> None:
    from scripts.training.export import write_folder

    write_folder(model, tokenizer_file, tmp_path / "tiny", CONFIG)
    encoder = LateInteractionEncoder(tmp_path / "tiny", 1)
    together, _ = encoder.passages(["tyre", "the tyre must be for a wing rule and the brake"])
    alone, _ = encoder.passages(["tyre"])
    assert together[0] == pytest.approx(alone[0], abs=1e-5)


def test_what_is_beyond_the_window_is_left_out(
    model: LateInteractionModel, tokenizer_file: Path, tmp_path: Path
) -> None:
    from scripts.training.export import write_folder

    write_folder(model, tokenizer_file, tmp_path / "tiny", CONFIG)
    encoder = LateInteractionEncoder(tmp_path / "tiny", 1)
    assert encoder.count("tyre " * 100) == 102
    _, passages = encoder.passages(["tyre " * 100])
    assert passages[0].values.shape == (32, 16)
    assert encoder.question("tyre " * 100).tokens.shape == (16, 16)


@pytest.fixture(scope="module")
def shipped() -> tuple[dict[str, list[str]], NDArray[np.float32], NDArray[np.float32]]:
    """The texts that the shipped model was compared on, with its scores as shipped: dense and late interaction."""
    reference = json.loads((FITTED_FOLDER / "reference.json").read_text(encoding="utf-8"))
    encoder = LateInteractionEncoder(threads=1)
    dense, passages = encoder.passages(reference["passages"])
    asked = [encoder.question(text) for text in reference["questions"]]
    tokens = np.stack([max_sim(question, passages) for question in asked])
    return reference, np.stack([dense @ question.dense for question in asked]), tokens


@pytest.mark.parametrize("stage", ["dense", "tokens"])
def test_the_shipped_model_ranks_as_the_fitted_one(stage: str, shipped: Any) -> None:
    reference, dense, tokens = shipped
    expected, found = np.array(reference[stage]), {"dense": dense, "tokens": tokens}[stage]
    correlations = [rank_correlation(one, other) for one, other in zip(expected, found, strict=True)]
    assert float(np.mean(correlations)) >= 0.98
    assert np.abs(expected - found).max() < 0.05


def test_the_shipped_model_is_small() -> None:
    assert sum(path.stat().st_size for path in FITTED_FOLDER.iterdir()) < 30e6


def test_the_shipped_model_needs_no_torch() -> None:
    code = (
        "import sys; from pipelines.late_interaction import LateInteractionEncoder; "
        "LateInteractionEncoder(threads=1).question('How wide is the car?'); "
        "sys.exit(any(name in sys.modules for name in ('torch', 'transformers', 'sentence_transformers')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
