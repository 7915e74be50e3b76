"""Sizes of classes that are counted together: each by itself up to 10, from 11 to 19, then twice as
many each time, so that accepted risks (0.2, 1/11, 0.05) are between two bands."""

from __future__ import annotations

from collections.abc import Sequence

from anonsql.features.risk.document import ClassesOfSize

_LEAST = 39
"""Of the last band that is shown, the sizes go to this at least."""
_Band = tuple[int, int]


def bands(histogram: Sequence[tuple[int, int]]) -> list[ClassesOfSize]:
    """Return classes, pairs (size, classes), by the bands of their sizes."""
    counted: dict[_Band, list[int]] = {}
    for size, classes in histogram:
        entry = counted.setdefault(_of(size), [0, 0])
        entry[0] += classes
        entry[1] += size * classes
    return [
        ClassesOfSize(least=least, most=most, classes=classes, rows=rows)
        for (least, most), (classes, rows) in sorted(counted.items())
    ]


def bands_to(size: int) -> list[_Band]:
    """Return all bands up to that of a size, empty ones among them."""
    result, least = list[_Band](), 1
    while least <= max(size, _LEAST):
        result.append(_of(least))
        least = result[-1][1] + 1
    return result


def _of(size: int) -> _Band:
    if size <= 10:
        return size, size
    if size < 20:
        return 11, 19
    least = 20 * 2 ** ((size // 20).bit_length() - 1)
    return least, 2 * least - 1
