from __future__ import annotations

import pytest

from eval.intervals import difference, interval


def test_equal_values_have_no_spread() -> None:
    assert interval([0.4] * 7) == (0.4, 0.4)


def test_two_values_resample_to_three_means() -> None:
    # Drawing two of {0, 1}: means 0, 1/2, 1 with chances 1/4, 1/2, 1/4; 2.5% lies in the first, 97.5% in the last.
    assert interval([0.0, 1.0]) == (0.0, 1.0)


def test_a_seed_gives_one_interval() -> None:
    values = [0.0] * 30 + [1.0] * 70
    assert interval(values) == interval(values)
    low, high = interval(values)
    # By the normal approximation 0.7 ± 1.96 · sqrt(0.7 · 0.3 / 100) = 0.7 ± 0.0898
    assert low == pytest.approx(0.61, abs=0.015)
    assert high == pytest.approx(0.79, abs=0.015)


def test_a_difference_is_paired() -> None:
    # Every question gains exactly 0.1, whatever it scores: no spread, though the values themselves spread.
    old = [0.0, 0.3, 0.9]
    assert difference([value + 0.1 for value in old], old) == (0.1, 0.1)
    with pytest.raises(ValueError, match="zip"):
        difference([1.0], [1.0, 2.0])
