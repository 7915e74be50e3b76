"""What depends on each other in a table: dimensions that are groupings of others, and sums that
reveal how many rows there are, as those of prices by product."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple, Protocol

from anonsql.engines.base import Column, Engine, Relation
from anonsql.statistics import cubes
from anonsql.statistics.cubes import Sum

_SHARE = 10
"""Of so many rows, or people, one at least is in a group whose sum reveals how many there are."""


class Amounts(NamedTuple):
    """The values of a sum, in units: how many are ``beyond`` the countable range, the ``total`` of
    all others without their signs, and how many rows have none (``missing``)."""

    beyond: int
    total: float
    missing: int

    @property
    def countable(self) -> bool:
        """Whether the sum is exact, whatever is added first."""
        return not self.beyond and self.total <= cubes.LARGEST


class Dimension(Protocol):
    """A dimension, as statements use it."""

    @property
    def index(self) -> int:
        """Its number: that of its column of the combinations."""

    @property
    def column(self) -> Column:
        """The source's column."""


class RevealingSum(NamedTuple):
    """A sum that reveals how many rows there are in groups of dimensions: the position of their
    ``grouping``, the sum's ``name``, and for which ``share`` of the rows it does (of rows that add
    an amount other than 0, in groups with a threshold of such rows)."""

    grouping: int
    name: str
    share: float


def amounts(engine: Engine, source: Relation, sums: Sequence[Sum]) -> list[Amounts]:
    """Return the magnitudes of every sum's values."""
    shared = {"source": source, "sums": sums, "largest": cubes.LARGEST}
    found = engine.query("statistics/magnitudes", **shared)[0]
    each = len(Amounts._fields)
    return [Amounts(*found[at : at + each]) for at in range(0, len(found), each)]


@contextmanager
def ranges(
    engine: Engine,
    source: Relation | None,
    dimensions: Sequence[Dimension],
    sums: Sequence[Sum],
) -> Iterator[None]:
    """Keep, for :func:`revealing` and :func:`determined`, the combinations of the dimensions'
    values, with the least and greatest amount that rows of the source add to each sum; without a
    source, people of the table of combinations."""
    shared = {"attributes": dimensions, "sums": sums}
    engine.run("statistics/ranges", source=source, people=source is None, **shared)
    try:
        yield
    finally:
        engine.drop("ranges")


def revealing(
    engine: Engine,
    groupings: Sequence[Sequence[tuple[Dimension, int]]],
    sums: Sequence[Sum],
    threshold: int,
) -> list[RevealingSum]:
    """Return where the sum of a group reveals how many rows are in it (or people, as :func:`ranges`
    was made), to a reader who knows roughly how large their amounts are: where sums of 0 to
    ``threshold`` amounts never overlap, as all have one sign and (threshold - 1) * largest <
    threshold * smallest.

    A grouping is dimensions, each with the level whose groups are meant (0: its values); without
    dimensions all rows are one group. Groups of fewer than ``threshold`` rows are not looked at, as
    a few amounts are near to each other by chance; rows that add 0 or NULL are not counted. Sums
    that reveal less than a tenth of the rows are left out. The amounts are read from the table of
    :func:`ranges`."""
    if not groupings or not sums:
        return []
    shared = {"groupings": groupings, "sums": sums, "threshold": threshold}
    found = list[RevealingSum]()
    for number, *counts in sorted(engine.query("statistics/revealing", **shared)):
        pairs = zip(counts[::2], counts[1::2], strict=True)
        for entry, (rows, known) in zip(sums, pairs, strict=True):
            if known and _SHARE * known >= rows:
                found.append(RevealingSum(number - 1, entry.name, known / rows))
    return found


def determined(
    engine: Engine, table: str, pairs: Sequence[tuple[str, str]]
) -> list[tuple[str, str]]:
    """Return which columns of a table determine others, among ``pairs`` in either direction: the
    one first whose every value occurs with one value of the other alone, which has several."""
    found = list[tuple[str, str]]()
    for first in range(0, len(pairs), cubes.PORTION):
        portion = pairs[first : first + cubes.PORTION]
        counts = engine.query("statistics/determined", table=(table,), pairs=portion)
        for number, ones, others, together in sorted(counts):
            one, other = portion[number - 1]
            found += [(one, other)] if together == ones and others > 1 else []
            found += [(other, one)] if together == others and ones > 1 else []
    return found
