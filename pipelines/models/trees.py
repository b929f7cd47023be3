"""Boosted trees as the product ships them: one ONNX file, run by onnxruntime."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from pipelines.errors import ModelNotFound

INPUT, OUTPUT = "features", "log_odds"
COLUMNS = "features"
"""The key of the columns' names, a JSON list, in the model's metadata."""


class Trees:
    """Boosted trees from an ONNX file: float32 ``features`` (n, columns) to ``log_odds`` (n, 1)."""

    def __init__(self, path: Path) -> None:
        """Load the file.

        Raises:
            ModelNotFound: it is not there, or is no such model.
        """
        import onnxruntime

        try:
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = 1
            options.log_severity_level = 3
            self._session: Any = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
            names = self._session.get_modelmeta().custom_metadata_map[COLUMNS]
            self.columns: tuple[str, ...] = tuple(json.loads(names))
        except Exception as error:  # onnxruntime raises bare kinds for files it cannot load
            reason = str(error).strip().split("\n")[0] or type(error).__name__
            raise ModelNotFound(f"{path.name} cannot be loaded: {reason}", "Run: python -m scripts.fit_need") from error

    def __call__(self, columns: dict[str, Any]) -> list[float]:
        """The probabilities for columns of n values each, in any order of the columns.

        Raises:
            KeyError: a column that the trees were fitted on is not there.
        """
        rows = np.stack([columns[name] for name in self.columns], axis=1).astype(np.float32)
        (odds,) = self._session.run([OUTPUT], {INPUT: rows})
        return [logistic(float(value)) for value in odds[:, 0]]


def logistic(odds: float) -> float:
    """The probability of log-odds."""
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, odds))))
