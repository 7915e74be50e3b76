"""What depends on each other in combinations: dimensions that are groupings of others, and sums that
tell how many rows there are, those of values that are known, as prices by product."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple, Protocol, TypeVar

from anonsql.engines.base import Column, Engine, Relation
from anonsql.statistics import cubes
from anonsql.statistics.cubes import Sum


class Amounts(NamedTuple):
    """What the values of a sum are, in units: how many are ``beyond`` what can be counted; of all
    others the ``total`` without their signs, how many are not 0, and the least and the greatest of
    these (None: there are none)."""

    beyond: int
    total: float
    others: int
    least: float | None
    greatest: float | None

    @property
    def countable(self) -> bool:
        """Whether the sum is exact, whatever is added first."""
        return not self.beyond and self.total <= cubes.LARGEST

    def tell(self, threshold: int) -> bool:
        """Return whether a sum tells how many fewer than ``threshold`` values there are, to whoever
        knows about how large they are: one more makes more of it than they differ by."""
        if self.least is None or self.greatest is None or self.least < 0 < self.greatest:
            return False
        near, far = sorted((abs(self.least), abs(self.greatest)))
        return (threshold - 1) * far < threshold * near


class Dimension(Protocol):
    """A dimension, as statements know it."""

    @property
    def index(self) -> int:
        """Its number: that of its column of the combinations."""

    @property
    def column(self) -> Column:
        """The source's column."""


D = TypeVar("D", bound=Dimension)

Grouping = Sequence[tuple[Dimension, int]]
"""Dimensions, each with the level whose groups are meant; 0 is its values."""


def amounts(engine: Engine, source: Relation, sums: Sequence[Sum]) -> list[Amounts]:
    """Return what the values of every sum are."""
    shared = {"source": source, "sums": sums, "largest": cubes.LARGEST}
    found = engine.query("statistics/magnitudes", **shared)[0]
    each = len(Amounts._fields)
    return [Amounts(*found[at : at + each]) for at in range(0, len(found), each)]


@contextmanager
def spread(
    engine: Engine, source: Relation, dimensions: Sequence[Dimension], sums: Sequence[Sum]
) -> Iterator[None]:
    """Keep, for :func:`telling` and :func:`determined`, which combinations of the dimensions' values
    there are, and what amounts each adds to sums."""
    engine.run("statistics/spread", source=source, attributes=dimensions, sums=sums)
    try:
        yield
    finally:
        engine.drop("spread")


def telling(
    engine: Engine,
    groupings: Sequence[Grouping],
    sums: Sequence[Sum],
    threshold: int,
) -> dict[tuple[int, str], bool]:
    """Return the groupings (by their position) and sums where the sum of a group tells how many rows
    are in it (see :meth:`Amounts.tell`), and whether it is so of all groups; else it is so of half
    of the rows at least. Groups of fewer than ``threshold`` rows are not looked at, as values of few
    are near to each other by chance; rows that add 0 or NULL are not counted. It
    is read from what :func:`spread` makes."""
    if not groupings or not sums:
        return {}
    shared = {"groupings": groupings, "sums": sums, "threshold": threshold}
    found = dict[tuple[int, str], bool]()
    for number, *counts in engine.query("statistics/telling", **shared):
        pairs = zip(counts[::2], counts[1::2], strict=True)
        for entry, (rows, told) in zip(sums, pairs, strict=True):
            if told and 2 * told >= rows:
                found[number - 1, entry.name] = told == rows
    return found


def determined(engine: Engine, pairs: Sequence[tuple[D, D]]) -> dict[int, tuple[D, D]]:
    """Return the pairs of dimensions, by their position, of which one is a grouping of the other:
    the one first whose every value is in one value of the other alone."""
    found = dict[int, tuple[D, D]]()
    for number, *counts in engine.query("statistics/determined", pairs=pairs) if pairs else ():
        (part, whole), (parts, wholes, together) = pairs[number - 1], counts
        if parts < wholes:
            part, whole, parts, wholes = whole, part, wholes, parts
        if together == parts and wholes > 1:
            found[number - 1] = (part, whole)
    return found
