"""The probability that a piece of a clause is needed in the answer, if the clause answers at all.

With the token vectors of late interaction it comes from boosted trees over what :mod:`need_features` tells of a piece,
fitted by ``scripts/fit_need.py``; without them from a logistic regression of five weights.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from pipelines.answer.extractive import Candidate, Weighed
from pipelines.answer.need_features import features
from pipelines.models.trees import Trees, logistic
from pipelines.schema import Clause

NEED_FILE = Path(__file__).parents[1] / "data" / "need.onnx"

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
        found.append(logistic(odds))
    return found


@lru_cache(maxsize=1)
def fitted_trees() -> Trees:
    """The trees that the product ships, loaded once.

    Raises:
        ModelNotFound: they cannot be loaded.
    """
    return Trees(NEED_FILE)
