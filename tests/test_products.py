import warnings

import numpy as np

from pipelines.products import product


def test_products_are_the_usual_ones() -> None:
    left = np.arange(15, dtype=np.float32).reshape(3, 5)
    right = np.ones(5, dtype=np.float32)
    # 0+1+2+3+4, 5+6+7+8+9, 10+11+12+13+14
    assert product(left, right).tolist() == [10.0, 35.0, 60.0]


def test_the_invalid_flag_of_a_kernel_is_no_alarm() -> None:
    """Infinity times nothing sets the flag that a kernel's read past the end sets now and then."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = product(np.array([[np.inf, 1.0]], dtype=np.float32), np.array([0.0, 1.0], dtype=np.float32))
    assert np.isnan(result).all()
