"""Matrix products without the false alarms of BLAS kernels."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Float = TypeVar("Float", np.float32, np.float64)


def product(left: NDArray[Float], right: NDArray[Float]) -> NDArray[Float]:
    """``left @ right`` for finite values.

    OpenBLAS kernels read past the end of short rows; what they meet there sets the processor's "invalid" flag now and
    then, and numpy would warn of a product that is right (numpy issue 24067). Values that are not finite stay so.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        return np.asarray(left @ right)
