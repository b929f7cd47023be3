"""Fit the trees that tell which pieces of a clause an answer needs; print how well they tell unseen pieces."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit on the marked training questions over the index of the settings; write ``pipelines/data/need.onnx``."""
    from pipelines.answer.need import NEED_FILE
    from scripts.training.need import MARKS

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=Path, default=Path("../shared/train/questions.jsonl"), help="JSONL of q, a")
    parser.add_argument("--marks", type=Path, default=MARKS, help="JSONL of line, text, pieces, need, also")
    parser.add_argument("--out", type=Path, default=NEED_FILE, help="where the trees go")
    options = parser.parse_args(arguments)
    print(json.dumps(_fit(options), indent=1))
    return 0


def _fit(options: argparse.Namespace) -> dict[str, object]:
    import numpy as np

    from pipelines.engine import Engine
    from pipelines.models.trees import Trees
    from pipelines.settings import load_settings
    from scripts.training.need import collect, export, fit, held_out, load_marks, log_odds

    settings = load_settings(embed_model="fitted", reranker="fitted")
    questions = [json.loads(line) for line in options.questions.read_text(encoding="utf-8").splitlines()]
    marks = load_marks(options.marks)
    with Engine(settings) as engine:
        rows = collect(engine, settings, questions, marks)
    seen = held_out(rows)
    start = time.process_time()
    models = fit(rows)
    minutes = (time.process_time() - start) / 60
    export(models, rows.columns, options.out)
    columns = dict(zip(rows.columns, rows.values.T, strict=True))
    shipped = np.array(Trees(options.out)(columns))
    fitted = 1 / (1 + np.exp(-log_odds(models, rows.values)))
    return {
        "marked": len(marks),
        "used": int(rows.group.max()) + 1,
        "pieces": len(rows.labels),
        "needed": int(rows.labels.sum()),
        "columns": len(rows.columns),
        "held_out": {name: round(value, 4) for name, value in seen.items()},
        "cpu_minutes": round(minutes, 2),
        "largest_difference_of_the_exported": float(np.abs(shipped - fitted).max()),
        "bytes": options.out.stat().st_size,
    }


if __name__ == "__main__":
    sys.exit(main())
