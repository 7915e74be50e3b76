"""The sizes of a table's classes as a histogram: all that population models go by."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class ClassSizes:
    """``counts[i]`` classes have ``sizes[i]`` rows each; sizes rise and are 1 or more."""

    sizes: FloatArray
    counts: FloatArray

    @classmethod
    def of(cls, histogram: Iterable[tuple[int, int]]) -> ClassSizes:
        """Make them of pairs (size, number of classes of that size)."""
        pairs = sorted((size, count) for size, count in histogram if count)
        sizes, counts = zip(*pairs, strict=True) if pairs else ((), ())
        return cls(np.array(sizes, np.float64), np.array(counts, np.float64))

    @property
    def rows(self) -> float:
        """n: the rows of the table."""
        return float(self.sizes @ self.counts)

    @property
    def classes(self) -> float:
        """u: the classes of the table."""
        return float(self.counts.sum())

    def of_size(self, size: int) -> float:
        """f_s: the classes of a size."""
        return float(self.counts[self.sizes == size].sum())
