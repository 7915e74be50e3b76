"""Columns of whole numbers, as they travel between an engine and numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
RandomBytes = Callable[[int], bytes]
"""Gives as many random bytes as asked for."""


def columnar(rows: Sequence[Sequence[Any]]) -> list[IntArray]:
    """Return rows of whole numbers as one array a column; no array where there is no row to tell
    their number."""
    return [np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)]
