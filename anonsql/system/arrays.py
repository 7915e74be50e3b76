"""Columns of whole numbers, as they travel between an engine and numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:

    class _Numpy:
        """The package numpy, which is loaded when something of it is first asked for: that takes
        as long as loading DuckDB, and most commands never ask."""

        def __getattr__(self, name: str) -> Any:
            import numpy

            found = getattr(numpy, name)
            setattr(self, name, found)
            return found

    np = _Numpy()

__all__ = ["BoolArray", "IntArray", "RandomBytes", "RealArray", "columnar", "np"]

IntArray: TypeAlias = "NDArray[np.int64]"
BoolArray: TypeAlias = "NDArray[np.bool_]"
RealArray: TypeAlias = "NDArray[np.float64]"
RandomBytes = Callable[[int], bytes]
"""A function that returns as many random bytes as its argument says."""


def columnar(rows: Sequence[Sequence[Any]]) -> list[IntArray]:
    """Return rows of whole numbers as an array for each column; none without rows."""
    return [np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)]
