"""The fitted encoder as the product ships it: one ONNX file with int8 weights, the tokenizer, and a configuration."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer

from scripts.training.model import Encoded, LateInteractionModel, max_sim
from scripts.training.scoring import pad

_OPSET = 17
LEAST = 10_000
"""Matrices of fewer values stay float32."""


def export_float(model: LateInteractionModel, path: Path) -> None:
    """Write the model as float32 ONNX: ``input_ids`` and ``attention_mask`` (n, t) to ``dense, tokens, weights``."""
    ids = torch.ones(2, 12, dtype=torch.long)
    mask = torch.ones_like(ids)
    mask[1, 8:] = 0
    both = {0: "n", 1: "t"}
    axes = {"input_ids": both, "attention_mask": both, "tokens": both, "weights": both, "dense": {0: "n"}}
    model.eval()
    with warnings.catch_warnings():  # the tracing exporter is told to be old, and warns of branches on tensors' shapes
        warnings.simplefilter("ignore")
        torch.onnx.export(
            model,
            (ids, mask),
            str(path),
            input_names=["input_ids", "attention_mask"],
            output_names=["dense", "tokens", "weights"],
            dynamic_axes=axes,
            opset_version=_OPSET,
            dynamo=False,
        )


def quantize_weights(source: Path, target: Path, least: int = LEAST) -> None:
    """Store the large matrices as int8 with one scale for each row of a table or column of a product.

    They are multiplied as float32 again when the model is loaded, so nothing depends on the CPU's int8 instructions.
    """
    import onnx
    from onnx import helper, numpy_helper

    model = onnx.load(str(source))
    graph = model.graph
    weights = {tensor.name: tensor for tensor in graph.initializer}
    restored: dict[str, Any] = {}
    for node in graph.node:
        place = {"MatMul": 1, "Gather": 0}.get(node.op_type)
        if place is None or node.input[place] not in weights:
            continue
        name = node.input[place]
        values = numpy_helper.to_array(weights[name])
        if values.ndim != 2 or values.size < least or values.dtype != np.float32:
            continue
        node.input[place] = f"{name}.restored"
        if name not in restored:
            axis = 0 if node.op_type == "Gather" else 1
            whole, scales = rounded(values, axis)
            parts = (f"{name}.int8", f"{name}.scale")
            graph.initializer.append(numpy_helper.from_array(whole, parts[0]))
            graph.initializer.append(numpy_helper.from_array(scales, parts[1]))
            restored[name] = helper.make_node("DequantizeLinear", parts, [f"{name}.restored"], axis=axis)
    for name, node in restored.items():
        graph.initializer.remove(weights[name])
        graph.node.insert(0, node)
    onnx.save(model, str(target))


def write_folder(
    model: LateInteractionModel, tokenizer: Path, folder: Path, config: dict[str, Any], least: int = LEAST
) -> None:
    """Write the folder that :class:`pipelines.late_interaction.LateInteractionEncoder` loads."""
    folder.mkdir(parents=True, exist_ok=True)
    plain = folder / "float.onnx"
    export_float(model, plain)
    quantize_weights(plain, folder / "model.onnx", least)
    plain.unlink()
    words = json.loads(tokenizer.read_text(encoding="utf-8"))
    words["truncation"] = words["padding"] = None
    (folder / "tokenizer.json").write_text(json.dumps(words, ensure_ascii=False), encoding="utf-8")
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")


def write_reference(
    model: LateInteractionModel, tokenizer: Tokenizer, questions: Sequence[str], passages: Sequence[str], path: Path
) -> None:
    """Write the torch model's scores of some texts, by which what is shipped can be checked without the torch model."""
    model.eval()
    with torch.inference_mode():
        asked = Encoded(*model(*pad([tokenizer.encode(text).ids for text in questions])))
        held = Encoded(*model(*pad([tokenizer.encode(text).ids for text in passages])))
        scores = {"dense": asked.dense @ held.dense.T, "tokens": max_sim(asked, held)}
    data: dict[str, Any] = {"questions": list(questions), "passages": list(passages)}
    data |= {name: np.round(table.numpy().astype(float), 5).tolist() for name, table in scores.items()}
    path.write_text(json.dumps(data, ensure_ascii=False) + "\n", encoding="utf-8")


def rounded(values: NDArray[np.float32], axis: int) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """A matrix as int8, and the scale of each row (``axis`` 0) or column (1) that undoes it."""
    scales = np.maximum(np.abs(values).max(axis=1 - axis), 1e-8) / 127.0
    whole = np.rint(values / np.expand_dims(scales, 1 - axis)).astype(np.int8)
    return whole, scales.astype(np.float32)
