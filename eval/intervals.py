"""Bootstrap intervals: how far a mean might be off for another draw of questions like these."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

RESAMPLES = 2000
LEVEL = 0.95

Interval = tuple[float, float]


def interval(values: Sequence[float], *, seed: int = 0) -> Interval:
    """The percentile bootstrap interval of a mean at 95%; the same values and seed give the same interval.

    Args:
        values: one value a question, at least one.
        seed: of the resampling.
    """
    data = np.asarray(values, dtype=np.float64)
    drawn = np.random.default_rng(seed).integers(0, len(data), size=(RESAMPLES, len(data)))
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(data[drawn].mean(axis=1), [tail, 1 - tail])
    return round(float(low), 4), round(float(high), 4)


def difference(new: Sequence[float], old: Sequence[float], *, seed: int = 0) -> Interval:
    """The interval of the mean difference of two conditions on the same questions, resampled together.

    Raises:
        ValueError: the two are of different length.
    """
    return interval([a - b for a, b in zip(new, old, strict=True)], seed=seed)
