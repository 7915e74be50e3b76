"""Groups along a Hilbert curve: HS and HR of Wong, Mamoulis, Cheung (Non-homogeneous
generalization, 2010, section 7), after Ghinita, Karras, Kalnis, Mamoulis (Fast Data Anonymization
with Low Information Loss, VLDB 2007).

The cells are put in the order of a Hilbert curve, one statement for each bit of the codes
(Skilling, Programming the Hilbert curve, 2004). Where only k is promised, the rows in that order
are cut into groups of k to 2k - 1 neighbours by dynamic programming
(:mod:`anonsql.methods.hilbert.line_partition`); otherwise they are grouped greedily, so that no
sensitive value is frequent in a group (:mod:`anonsql.methods.hilbert.line_groups`). The rows of a
group are released with equal labels: sets of its values (HS) or intervals (HR). A border between
groups may fall inside a cell: which of its rows go where is random. Python sees how many rows each
cell has, meaningless numbers for sensitive values, and the loss of groups.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from anonsql.methods import groups
from anonsql.methods.base import GroupMethod
from anonsql.methods.groups import Cells, Grouped
from anonsql.methods.hilbert import line_groups
from anonsql.methods.hilbert.line_partition import Line
from anonsql.methods.hilbert.settings import Hilbert
from anonsql.methods.windows import labels, windows
from anonsql.methods.windows.lexicographic import Items, Parts

_PENALTIES = 1_000_000
"""About how many penalties one statement computes."""


class HilbertMethod(GroupMethod[Hilbert]):
    """Group neighbours on a Hilbert curve."""

    settings = Hilbert

    def group(self, cells: Cells) -> Grouped:
        """Group the cells along the curve; PrivacyError where not even all keep the promise."""
        representation = self.parameters.representation
        items = lay_out(cells)
        parts = (
            line_groups.divide(items, cells.promise.k)
            if items.least
            else _best(cells, items, representation == "range")
        )
        forms = labels.release(cells, windows.of_wholes(items, parts), representation)
        return Grouped(forms, split=True, by_values=bool(cells.promise.extras))


def lay_out(cells: Cells) -> Items:
    """Make ``places`` and ``items``, the cells along the curve; return what Python may know."""
    run, attributes = cells.engine.run, cells.star.attributes
    groups.make_nodes(cells)
    run("methods/windows/places", attributes=attributes)
    run("methods/hilbert/points", attributes=attributes)
    keys: list[str] = []
    shared = {"attributes": attributes, "count": len(attributes)}
    bits = max(1, (max(_sizes(cells).values()) - 1).bit_length())
    for level in range(bits):
        half = 1 << (bits - 1 - level)
        table, into = f"points_{level}", f"points_{level + 1}"
        run(
            "methods/hilbert/turned",
            table=table,
            into=into,
            half=half,
            level=level,
            earlier=keys,
            **shared,
        )
        cells.engine.drop(table)
        keys += [f"h{level}_{piece}" for piece in range(0, len(attributes), 30)]
    run(
        "methods/hilbert/items",
        table=f"points_{bits}",
        attributes=attributes,
        keys=keys,
        promise=cells.promise,
    )
    cells.engine.drop(f"points_{bits}")
    return labels.read(cells)


def _sizes(cells: Cells) -> dict[int, int]:
    return dict(cells.engine.query("methods/groups/domains"))


def _best(cells: Cells, items: Items, ranged: bool) -> Parts:
    line = Line(items.sizes, cells.promise.k)
    arrays = penalties(cells, line, ranged) if line.reach else iter(())
    return Parts.between(items, np.array(line.cut(arrays), dtype=np.int64) - 1, cells.promise.k)


def penalties(cells: Cells, line: Line, ranged: bool) -> Iterator[NDArray[np.float64]]:
    """Yield the loss of a row in groups that reach from one cell to another, in the form that
    :meth:`Line.cut` takes, some cells at a time."""
    engine, attributes = cells.engine, cells.star.attributes
    engine.run("methods/hilbert/line", attributes=attributes, k=line.k)
    engine.run(
        "methods/hilbert/extremes", attributes=attributes, doublings=(line.reach + 1).bit_length()
    )
    distances = []
    for distance in range(1, line.reach + 1):
        doubling = (distance + 1).bit_length() - 1
        distances.append((distance, doubling, distance + 1 - (1 << doubling)))
    engine.load(
        "distances",
        [("distance", "INTEGER"), ("doubling", "INTEGER"), ("rest", "INTEGER")],
        distances,
    )
    spans = {index: max(size - 1, 1) for index, size in _sizes(cells).items()}
    for after, upto in line.portions(_PENALTIES):
        engine.run("methods/hilbert/pairs", after=after, upto=upto)
        rows = engine.query(
            "methods/hilbert/penalties", attributes=attributes, spans=spans, ranged=ranged
        )
        engine.drop("pairs")
        yield np.fromiter((penalty for (penalty,) in rows), dtype=np.float64, count=len(rows))
    engine.drop("line", "extremes", "distances")


METHODS = (HilbertMethod,)
