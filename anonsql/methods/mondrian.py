"""Mondrian (LeFevre, DeWitt, Ramakrishnan, Mondrian Multidimensional K-Anonymity, ICDE 2006).

All open parts are cut in the same round. A part is cut along one attribute at one place of its order, equal values staying
together. Along each of its widest attributes the place that sheds most loss (the normalized certainty penalty of the
attribute, times rows) is tried, from the counts of values, and the median too where the promise asks for more than k rows;
of those whose sides both keep the promise the cut that sheds most is made. A part without such a cut, along any attribute, is a group.

``mode: relaxed`` also tries to give each side half of the rows, dividing those of the median value.

With ``values: hierarchy`` a part is cut into the children of its node, as the authors cut attributes without an order; those
that would not keep the promise stay together at the node.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from anonsql.method_policy import Mondrian
from anonsql.methods import groups, regions
from anonsql.methods.groups import Cells, Form, Grouped

_FEW_CELLS = 300_000
"""As long as the open parts have no more cells than this, every attribute is tried in every round."""
_WIDEST = 2
_CUT = ("part", "attribute", "place", "upto", "gain", "side")


def group(cells: Cells, method: Mondrian) -> Grouped:
    """Cut the cells into parts: a few statements a round, whatever the number of parts."""
    if method.values == "hierarchy":
        regions.cut_down(cells, rest=True)
        return Grouped.by_nodes(cells)
    relaxed = method.mode == "relaxed"
    forms = _forms(cells)
    _begin(cells, forms, relaxed)
    domains = dict(cells.engine.query("groups/domains"))
    number, (parts, size) = 0, _open(cells, 0)
    last = parts
    while parts:
        last = _cut(cells, number, _Round(last, size, relaxed), domains)
        number += 1
        parts, size = _open(cells, number)
    _label(cells, forms, relaxed)
    return Grouped(forms, split=relaxed)


def _forms(cells: Cells) -> dict[int, Form]:
    """Numbers and dates are released as intervals, all else as sets; so are numbers whose cells are groups of values."""
    return {each.index: "range" if each.sorts and each.min_level == 0 else "set" for each in cells.star.attributes}


def _begin(cells: Cells, forms: dict[int, Form], relaxed: bool) -> None:
    """Put the values in order, and the cells into the parts to begin with."""
    run, attributes, promise = cells.engine.run, cells.star.attributes, cells.promise
    groups.make_nodes(cells)
    run("mondrian/places", attributes=attributes, forms=forms)
    run("regions/tops", attributes=attributes, promise=promise)
    run("regions/first_parts", table="tops", keys=[f"g{each.index}" for each in attributes], attributes=attributes, promise=promise)
    run("mondrian/first_members", attributes=attributes, promise=promise, relaxed=relaxed)
    run("mondrian/extents", table="extents_0", members="members_0", attributes=attributes, first=True)
    run("mondrian/no_cells", attributes=attributes, relaxed=relaxed)
    run("mondrian/no_parts", attributes=attributes)
    cells.engine.drop("tops")
    cells.engine.drop("parts_0")


def _open(cells: Cells, number: int) -> tuple[int, int]:
    """How many parts are open in a round, and their cells."""
    parts, size = cells.engine.query("mondrian/open", table=f"extents_{number}")[0]
    return parts, size


@dataclass(frozen=True)
class _Round:
    """The greatest number of a part so far, the cells of the open parts, and whether they may be divided."""

    last: int
    size: int
    relaxed: bool


def _cut(cells: Cells, number: int, now: _Round, domains: Mapping[int, int]) -> int:
    """One round; ``domains`` are the values of each attribute. Gives the greatest number of a part."""
    run, k = cells.engine.run, cells.promise.k
    shared = {"attributes": cells.star.attributes, "promise": cells.promise}
    attributes = cells.star.attributes
    members, parts = f"members_{number}", f"extents_{number}"
    most = len(attributes) if now.size <= _FEW_CELLS else min(_WIDEST, len(attributes))
    run("mondrian/candidates", parts=parts, attributes=attributes, sizes=domains, most=most, k=k)
    run("mondrian/counts", members=members, attributes=attributes)
    run("mondrian/cuts", k=k, balanced=not cells.promise.plain, relaxed=now.relaxed)
    run("mondrian/sides", members=members, **shared)
    run("mondrian/chosen", table="sides", keys=_CUT, promise=cells.promise)
    run("mondrian/closed", parts=parts, all=most == len(attributes), k=k)
    run("mondrian/close_members", members=members, relaxed=now.relaxed, **shared)
    run("mondrian/close_parts", parts=parts, attributes=attributes)
    following = "mondrian/divided_members" if now.relaxed else "mondrian/next_members"
    run(following, members=members, table=f"members_{number + 1}", after=now.last, **shared)
    run("mondrian/extents", table=f"extents_{number + 1}", members=f"members_{number + 1}", attributes=attributes, first=False)
    made: int = cells.engine.query("regions/size", table="chosen")[0][0]
    for table in ("candidates", "counts", "cuts", "sides", "chosen", "closed", members, parts):
        cells.engine.drop(table)
    return now.last + 2 * made


def _label(cells: Cells, forms: dict[int, Form], relaxed: bool) -> None:
    """Make ``assigned`` and ``groups`` from the final parts."""
    run, attributes = cells.engine.run, cells.star.attributes
    run("mondrian/assigned", attributes=attributes, relaxed=relaxed)
    if "set" in forms.values():
        run("mondrian/sets", attributes=attributes, forms=forms)
    run("mondrian/groups", attributes=attributes, forms=forms)
    for table in ("settled", "final_parts", "part_sets"):
        cells.engine.drop(table)
