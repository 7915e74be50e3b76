"""Columns of whole numbers, as they travel between an engine and numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
RandomBytes = Callable[[int], bytes]
"""A function that returns as many random bytes as its argument says."""


def columnar(rows: Sequence[Sequence[Any]]) -> list[IntArray]:
    """Return rows of whole numbers as one array for each column; none where there are no rows, as
    the number of columns is unknown then."""
    return [np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)]
