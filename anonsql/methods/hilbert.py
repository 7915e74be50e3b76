"""Groups along a Hilbert curve: HS and HR of Wong, Mamoulis, Cheung (Non-homogeneous generalization, 2010, section 7), after
Ghinita, Karras, Kalnis, Mamoulis (Fast Data Anonymization with Low Information Loss, VLDB 2007).

The cells are put in the order in which a Hilbert curve passes them, one statement for each bit of the codes (Skilling,
Programming the Hilbert curve, 2004). The rows in that order are cut into groups of k to 2k - 1 neighbours by dynamic
programming; every group is released alike, as sets of its values (HS) or as intervals (HR). Group borders may fall inside a
cell: which of its rows go where is left to chance. Python sees how many rows each cell has and what groups would lose.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from anonsql.method_policy import Hilbert
from anonsql.methods import labels
from anonsql.methods.groups import Cells, Form, Grouped
from anonsql.methods.line_partition import Line

_PENALTIES = 1_000_000
"""About as many are asked for in one statement."""


def group(cells: Cells, method: Hilbert) -> Grouped:
    """Order the cells, cut the order into groups, label them."""
    ranged = method.representation == "range"
    forms: dict[int, Form] = {each.index: ("numbers" if each.sorts else "names") if ranged else "set" for each in cells.star.attributes}
    line = lay_out(cells)
    _begin_groups(cells, line, ranged)
    labels.label(cells, forms, divided=True)
    return Grouped(forms, split=True)


def lay_out(cells: Cells) -> Line:
    """Make ``places`` and ``line``, the cells along the Hilbert curve; what the partition needs to know of that."""
    run, attributes, k = cells.engine.run, cells.star.attributes, cells.promise.k
    run("hilbert/places", attributes=attributes)
    sizes = _sizes(cells)
    run("hilbert/points", attributes=attributes)
    keys: list[str] = []
    shared = {"attributes": attributes, "count": len(attributes)}
    bits = max(1, (max(sizes.values()) - 1).bit_length())
    for level in range(bits):
        half = 1 << (bits - 1 - level)
        table, into = f"points_{level}", f"points_{level + 1}"
        run("hilbert/turned", table=table, into=into, half=half, level=level, earlier=keys, **shared)
        cells.engine.drop(table)
        keys += [f"h{level}_{piece}" for piece in range(0, len(attributes), 30)]
    run("hilbert/line", table=f"points_{bits}", attributes=attributes, keys=keys, k=k)
    cells.engine.drop(f"points_{bits}")
    return Line(np.array([n for (n,) in cells.engine.query("hilbert/counts")], dtype=np.int64), k)


def _sizes(cells: Cells) -> dict[int, int]:
    """How many values each attribute has, by index."""
    return dict(cells.engine.query("mondrian/domains"))


def _begin_groups(cells: Cells, line: Line, ranged: bool) -> None:
    """Make ``settled`` and ``final_parts``: the groups of the best partition."""
    engine, attributes = cells.engine, cells.star.attributes
    found = penalties(cells, line, ranged) if line.reach else iter(())
    engine.load("begun", [("grp", "BIGINT"), ("first", "BIGINT")], list(enumerate(line.cut(found), start=1)))
    engine.run("hilbert/settled", attributes=attributes)
    engine.run("hilbert/final_parts", attributes=attributes)
    for table in ("line", "begun"):
        engine.drop(table)


def penalties(cells: Cells, line: Line, ranged: bool) -> Iterator[NDArray[np.float64]]:
    """What a row loses in groups that reach from one cell to another, as :meth:`Line.cut` takes it, some cells at a time."""
    engine, attributes = cells.engine, cells.star.attributes
    engine.run("hilbert/extremes", attributes=attributes, doublings=(line.reach + 1).bit_length())
    distances = []
    for distance in range(1, line.reach + 1):
        doubling = (distance + 1).bit_length() - 1
        distances.append((distance, doubling, distance + 1 - (1 << doubling)))
    engine.load("distances", [("distance", "INTEGER"), ("doubling", "INTEGER"), ("rest", "INTEGER")], distances)
    spans = {index: max(size - 1, 1) for index, size in _sizes(cells).items()}
    for after, upto in line.portions(_PENALTIES):
        engine.run("hilbert/pairs", after=after, upto=upto)
        rows = engine.query("hilbert/penalties", attributes=attributes, spans=spans, ranged=ranged)
        engine.drop("pairs")
        yield np.fromiter((penalty for (penalty,) in rows), dtype=np.float64, count=len(rows))
    for table in ("extremes", "distances"):
        engine.drop(table)
