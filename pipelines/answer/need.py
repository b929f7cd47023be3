"""The probability that a piece of a clause is needed in the answer, if the clause answers at all.

With the token vectors of late interaction it comes from boosted trees over what :mod:`need_features` tells of a piece,
fitted by ``scripts/fit_need.py``; without them from a logistic regression of five weights.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from pipelines.answer.extractive import Candidate, Weighed
from pipelines.answer.need_features import features
from pipelines.errors import ModelNotFound
from pipelines.schema import Clause

NEED_FILE = Path(__file__).parents[1] / "data" / "need.onnx"
INPUT, OUTPUT = "features", "log_odds"
FEATURES = "features"
"""The key of the columns' names, a JSON list, in the model's metadata."""

_BEHIND, _MANY, _LONG, _EARNED, _ALWAYS = 2.271, -0.996, -0.079, 1.181, 2.000
"""Log-odds without token vectors: by the distance to the clause's best piece, the natural logarithms of the number of
the clause's pieces and of one more than its words, what it earns, and always (docs/fitting.md)."""


def chances(clause: Clause, weighed: Weighed) -> list[float]:
    """The probabilities of a clause's pieces, in the order of its pieces.

    Raises:
        ModelNotFound: the fitted trees cannot be loaded.
    """
    candidates = weighed.candidates(clause)
    if not candidates:
        return []
    matches = weighed.matches(clause)
    if matches is None:
        return _plain(clause, candidates)
    return fitted_trees()(features(weighed.question, clause, candidates, matches))


def _plain(clause: Clause, candidates: Sequence[Candidate]) -> list[float]:
    best = max(candidate.score for candidate in candidates)
    many = _MANY * math.log(len(candidates)) + _ALWAYS
    found = []
    for candidate in candidates:
        words = len(clause.text[candidate.piece.start : candidate.piece.end].split())
        odds = _BEHIND * (candidate.score - best) + _EARNED * candidate.score + _LONG * math.log1p(words) + many
        found.append(_logistic(odds))
    return found


@lru_cache(maxsize=1)
def fitted_trees() -> Trees:
    """The trees that the product ships, loaded once.

    Raises:
        ModelNotFound: they cannot be loaded.
    """
    return Trees(NEED_FILE)


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
            names = self._session.get_modelmeta().custom_metadata_map[FEATURES]
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
        return [_logistic(float(value)) for value in odds[:, 0]]


def _logistic(odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, odds))))
