"""Mondrian (LeFevre, DeWitt, Ramakrishnan, Mondrian Multidimensional K-Anonymity, ICDE 2006).

All open parts are cut in the same round. A part is cut along one attribute at one place of its order, equal values staying
together. Along each of its widest attributes the place that sheds most loss (the normalized certainty penalty of the
attribute, times rows) is tried, from the counts of values, and the median too where the promise asks for more than k rows;
of those whose sides both keep the promise the cut that sheds most is made. A part without such a cut, along any attribute, is a group.

``cut: median`` is the authors' own rule: along its widest attribute a part is cut next to the median, along the next one where
a side would not keep the promise.

``mode: relaxed`` also tries to give each side half of the rows, dividing those of the median value.

With ``values: hierarchy`` a part is cut into the children of its node, as the authors cut attributes without an order; those
that would not keep the promise stay together at the node.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from anonsql.methods import groups, regions
from anonsql.methods.groups import Cells, Form, Grouped
from anonsql.methods.mondrian.settings import Mondrian

_FEW_CELLS = 300_000
"""As long as the open parts have no more cells than this, every attribute is tried in every round."""
_WIDEST = 2
_CUT = ("part", "attribute", "place", "upto", "gain", "side")


def group(cells: Cells, method: Mondrian) -> Grouped:
    """Cut the cells into parts: a few statements a round, whatever the number of parts."""
    if method.values == "hierarchy":
        regions.cut_down(cells, rest=True)
        return Grouped.by_nodes(cells)
    rule = Rule(method.mode == "relaxed", method.cut == "median")
    forms = make_parts(cells, rule)
    label_parts(cells, forms, relaxed=rule.relaxed)
    cells.engine.drop("final_parts")
    return Grouped(forms, split=rule.relaxed)


@dataclass(frozen=True)
class Rule:
    """How parts are cut: whether the rows of one value may be divided, and whether at the median or where most loss is shed."""

    relaxed: bool = False
    median: bool = False


def make_parts(cells: Cells, rule: Rule) -> dict[int, Form]:
    """Make ``nodes``, ``places``, ``settled`` and ``final_parts`` (see :func:`cut_parts`) of all cells; the forms by attribute."""
    forms = _forms(cells)
    place_values(cells, forms)
    _begin(cells, rule)
    cut_parts(cells, rule)
    return forms


def place_values(cells: Cells, forms: Mapping[int, Form], withheld: Collection[int] = ()) -> None:
    """Make ``nodes`` and ``places``: the values in the order in which they are cut. ``withheld`` are the indices of attributes
    that have cells without a value (:mod:`anonsql.methods.local.patterns`)."""
    groups.make_nodes(cells)
    cells.engine.run(
        "mondrian/places", attributes=cells.star.attributes, forms=forms, withheld=withheld
    )


def cut_parts(cells: Cells, rule: Rule) -> None:
    """Cut the parts of ``members_0`` until none can be cut: makes ``settled`` (part, p1 … pn: the places of cells) and
    ``final_parts`` (part, n, lo<i> and hi<i>: the first and last place)."""
    attributes = cells.star.attributes
    cells.engine.run(
        "mondrian/extents",
        table="extents_0",
        members="members_0",
        attributes=attributes,
        first=True,
    )
    cells.engine.run("mondrian/no_cells", attributes=attributes, relaxed=rule.relaxed)
    cells.engine.run("mondrian/no_parts", attributes=attributes)
    domains = dict(cells.engine.query("groups/domains"))
    number, (parts, size) = 0, _open(cells, 0)
    last = parts
    while parts:
        last = _cut(cells, number, _Round(last, size, rule), domains)
        number += 1
        parts, size = _open(cells, number)


def _forms(cells: Cells) -> dict[int, Form]:
    """Numbers and dates are released as intervals, all else as sets; so are numbers whose cells are groups of values."""
    return {
        each.index: "range" if each.sorts and each.min_level == 0 else "set"
        for each in cells.star.attributes
    }


def _begin(cells: Cells, rule: Rule) -> None:
    """Put the cells into the parts to begin with."""
    run, attributes, promise = cells.engine.run, cells.star.attributes, cells.promise
    run("regions/tops", attributes=attributes, promise=promise)
    run(
        "regions/first_parts",
        table="tops",
        keys=[f"g{each.index}" for each in attributes],
        attributes=attributes,
        promise=promise,
    )
    run("mondrian/first_members", attributes=attributes, promise=promise, relaxed=rule.relaxed)
    cells.engine.drop("tops")
    cells.engine.drop("parts_0")


def _open(cells: Cells, number: int) -> tuple[int, int]:
    """How many parts are open in a round, and their cells."""
    parts, size = cells.engine.query("mondrian/open", table=f"extents_{number}")[0]
    return parts, size


@dataclass(frozen=True)
class _Round:
    """The greatest number of a part so far, the cells of the open parts, and how they are cut."""

    last: int
    size: int
    rule: Rule


def _cut(cells: Cells, number: int, now: _Round, domains: Mapping[int, int]) -> int:
    """One round; ``domains`` are the values of each attribute. Gives the greatest number of a part."""
    run, k, relaxed = cells.engine.run, cells.promise.k, now.rule.relaxed
    shared = {"attributes": cells.star.attributes, "promise": cells.promise}
    attributes = cells.star.attributes
    members, parts = f"members_{number}", f"extents_{number}"
    most = len(attributes) if now.size <= _FEW_CELLS else min(_WIDEST, len(attributes))
    run("mondrian/candidates", parts=parts, attributes=attributes, sizes=domains, most=most, k=k)
    run("mondrian/counts", members=members, attributes=attributes)
    run(
        "mondrian/cuts",
        k=k,
        balanced=not cells.promise.plain,
        relaxed=relaxed,
        median=now.rule.median,
    )
    run("mondrian/sides", members=members, **shared)
    run("mondrian/chosen", table="sides", keys=_CUT, promise=cells.promise)
    run("mondrian/closed", parts=parts, all=most == len(attributes), k=k)
    run("mondrian/close_members", members=members, relaxed=relaxed, **shared)
    run("mondrian/close_parts", parts=parts, attributes=attributes)
    following = "mondrian/divided_members" if relaxed else "mondrian/next_members"
    run(following, members=members, table=f"members_{number + 1}", after=now.last, **shared)
    run(
        "mondrian/extents",
        table=f"extents_{number + 1}",
        members=f"members_{number + 1}",
        attributes=attributes,
        first=False,
    )
    made: int = cells.engine.query("tables/rows", table="chosen")[0][0]
    for table in ("candidates", "counts", "cuts", "sides", "chosen", "closed", members, parts):
        cells.engine.drop(table)
    return now.last + 2 * made


def label_parts(
    cells: Cells,
    forms: Mapping[int, Form],
    withheld: Collection[int] = (),
    *,
    relaxed: bool = False,
    table: str = "groups",
) -> None:
    """Make ``assigned`` and ``groups`` (or another ``table`` like it) from the final parts."""
    cells.engine.run("mondrian/assigned", attributes=cells.star.attributes, relaxed=relaxed)
    label_groups(cells, forms, withheld, table=table)


def label_groups(
    cells: Cells,
    forms: Mapping[int, Form],
    withheld: Collection[int] = (),
    *,
    table: str = "groups",
) -> None:
    """Make ``groups`` (or another ``table`` like it) from ``final_parts`` and the places in ``settled``, which goes."""
    run, attributes = cells.engine.run, cells.star.attributes
    if "set" in forms.values():
        run("mondrian/sets", attributes=attributes, forms=forms)
    if "node" in forms.values():
        run("mondrian/nodes", attributes=attributes, forms=forms)
    run("mondrian/groups", attributes=attributes, forms=forms, withheld=withheld, table=table)
    for each in ("settled", "part_sets", "part_nodes"):
        cells.engine.drop(each)
