"""Logistic regression by Newton's method, with a penalty of its own for each weight and a weight for each sample."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def fit_logistic(
    samples: Floats, labels: Floats, importance: Floats, penalty: Floats, steps: int = 50
) -> tuple[Floats, float]:
    """The weights (features,) and the bias that make ``labels`` (0 or 1) likeliest; the bias is not penalized.

    Args:
        samples: (n, features), standardized.
        labels: (n,).
        importance: (n,), how much each sample counts.
        penalty: (features,), half of it times the squared weight is added to the loss.
        steps: the most Newton steps.
    """
    held = np.column_stack([samples, np.ones(len(samples))])
    ridge = np.append(penalty, 1e-6)
    weights = np.zeros(held.shape[1])
    for _ in range(steps):
        chance = 1 / (1 + np.exp(-np.clip(held @ weights, -30, 30)))
        gradient = held.T @ (importance * (chance - labels)) + ridge * weights
        curvature = (held * (importance * chance * (1 - chance))[:, None]).T @ held + np.diag(ridge)
        step = np.linalg.solve(curvature, gradient)
        weights -= step
        if np.abs(step).max() < 1e-6:
            break
    return weights[:-1], float(weights[-1])
