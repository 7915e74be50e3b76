"""Mondrian as a method: groups of rows between cuts.

Mondrian (LeFevre, DeWitt, Ramakrishnan, Mondrian Multidimensional K-Anonymity, ICDE 2006).

Every round cuts all open parts (the paper's partitions). A part is cut along one attribute at one
position of its order; equal values stay together. Along each of a part's widest attributes two
positions are tried: the position that reduces the loss most (the attribute's normalized certainty
penalty, times rows), by the counts of values, and, where more than k rows are promised, the median.
Among the cuts whose sides both keep the promise, the cut that reduces the loss most is made. A part
that cannot be cut along any attribute is a group.

``cut: median`` is the authors' own rule: a part is cut next to the median of its widest attribute,
or of the next widest where a side would not keep the promise.

``mode: relaxed`` also tries to give each side half of the rows, by dividing the rows of the median
value.

With ``values: hierarchy`` a part is cut into the children of its node, as the authors cut
attributes without an order; the children that would not keep the promise stay together at the node.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from anonsql.methods import groups, regions
from anonsql.methods.base import GroupMethod
from anonsql.methods.groups import Cells, Form, Grouped
from anonsql.methods.mondrian.settings import Mondrian

_FEW_CELLS = 300_000
"""While the open parts have at most as many cells, every round tries every attribute."""
_WIDEST = 2
_BITS = 60
"""The greatest code of an attribute whose places are numbered by the bits of one whole number."""
_CUT = ("part", "attribute", "place", "upto", "gain", "side")


@dataclass(frozen=True)
class Rule:
    """How parts are cut: whether the rows of one value may be divided (``relaxed``), and whether at
    the median or where the loss is reduced most."""

    relaxed: bool = False
    median: bool = False


def make_parts(cells: Cells, rule: Rule) -> dict[int, Form]:
    """Make the parts of all cells (see :func:`cut_parts`); return the forms by attribute."""
    forms = _forms(cells)
    place_values(cells, forms)
    _begin(cells, rule)
    cut_parts(cells, forms, rule)
    return forms


def place_values(cells: Cells, forms: Mapping[int, Form], withheld: Collection[int] = ()) -> None:
    """Make ``nodes`` and ``places``: the positions of values in the order of cuts. Some cells have
    no value of ``withheld`` attributes (:mod:`anonsql.methods.local.patterns`)."""
    groups.make_nodes(cells)
    shared = {"attributes": cells.star.attributes, "promise": cells.promise}
    cells.engine.run("methods/mondrian/places", forms=forms, withheld=withheld, **shared)


def cut_parts(cells: Cells, forms: Mapping[int, Form], rule: Rule) -> None:
    """Cut the parts of ``members_0`` as far as possible. Make ``settled`` (part, p1 … pn: the
    cells' positions) and ``final_parts`` (part, n, lo<i> and hi<i>: first and last position)."""
    attributes = cells.star.attributes
    cells.engine.run(
        "methods/mondrian/extents",
        table="extents_0",
        members="members_0",
        attributes=attributes,
        first=True,
    )
    shared = {"attributes": attributes, "promise": cells.promise}
    cells.engine.run("methods/mondrian/no_cells", relaxed=rule.relaxed, **shared)
    cells.engine.run("methods/mondrian/no_parts", attributes=attributes)
    domains = dict(cells.engine.query("methods/groups/domains"))
    number, (parts, size) = 0, _open(cells, 0)
    last = parts
    while parts:
        cells.progress("choose: rounds of cuts", number, 0)
        last = _cut(cells, number, _Round(last, size, rule, forms, domains))
        number += 1
        parts, size = _open(cells, number)


def _forms(cells: Cells) -> dict[int, Form]:
    return {
        attribute.index: "range" if attribute.sorts and attribute.min_level == 0 else "set"
        for attribute in cells.star.attributes
    }


def _begin(cells: Cells, rule: Rule) -> None:
    run, attributes, promise = cells.engine.run, cells.star.attributes, cells.promise
    regions.first_parts(cells)
    run(
        "methods/mondrian/first_members",
        attributes=attributes,
        promise=promise,
        relaxed=rule.relaxed,
    )
    cells.engine.drop("parts_0")


def _open(cells: Cells, number: int) -> tuple[int, int]:
    parts, size = cells.engine.query("methods/mondrian/open", table=f"extents_{number}")[0]
    return parts, size


@dataclass(frozen=True)
class _Round:
    """The greatest number of a part so far, the number of cells in open parts, how parts are cut,
    and of each attribute the form and how many values it has (``domains``)."""

    last: int
    size: int
    rule: Rule
    forms: Mapping[int, Form]
    domains: Mapping[int, int]


def _cut(cells: Cells, number: int, now: _Round) -> int:
    run, k, relaxed = cells.engine.run, cells.promise.k, now.rule.relaxed
    shared = {"attributes": cells.star.attributes, "promise": cells.promise}
    attributes = cells.star.attributes
    members, parts = f"members_{number}", f"extents_{number}"
    most = len(attributes) if now.size <= _FEW_CELLS else min(_WIDEST, len(attributes))
    run(
        "methods/mondrian/candidates",
        parts=parts,
        attributes=attributes,
        sizes=now.domains,
        most=most,
        k=k,
    )
    run(
        "methods/mondrian/cuts",
        members=members,
        parts=parts,
        attributes=attributes,
        forms=now.forms,
        k=k,
        balanced=not cells.promise.plain,
        relaxed=relaxed,
        median=now.rule.median,
    )
    run("methods/mondrian/sides", members=members, **shared)
    run("methods/mondrian/chosen", table="sides", keys=_CUT, promise=cells.promise)
    run("methods/mondrian/closed", parts=parts, all=most == len(attributes), k=k)
    run("methods/mondrian/close_members", members=members, relaxed=relaxed, **shared)
    run("methods/mondrian/close_parts", parts=parts, attributes=attributes)
    following = "methods/mondrian/divided_members" if relaxed else "methods/mondrian/next_members"
    run(following, members=members, table=f"members_{number + 1}", after=now.last, **shared)
    run(
        "methods/mondrian/extents",
        table=f"extents_{number + 1}",
        members=f"members_{number + 1}",
        attributes=attributes,
        first=False,
    )
    made: int = cells.engine.query("sql/rows", table="chosen")[0][0]
    cells.engine.drop("candidates", "cuts", "sides", "chosen", "closed", members, parts)
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
    shared = {"attributes": cells.star.attributes, "promise": cells.promise}
    cells.engine.run("methods/mondrian/assigned", relaxed=relaxed, **shared)
    label_groups(cells, forms, withheld, table=table)


def label_groups(
    cells: Cells,
    forms: Mapping[int, Form],
    withheld: Collection[int] = (),
    *,
    table: str = "groups",
) -> None:
    """Make ``groups`` (or ``table``) from ``final_parts`` and ``settled``; drop the latter."""
    run, attributes = cells.engine.run, cells.star.attributes
    if sets := [attribute for attribute in attributes if forms[attribute.index] == "set"]:
        narrow = [one for one in sets if cells.star.codes[one.index] <= _BITS]
        if narrow:
            run("methods/mondrian/masks", narrow=narrow)
        run("methods/mondrian/sets", attributes=sets, narrow=narrow)
    if "node" in forms.values():
        run("methods/mondrian/nodes", attributes=attributes, forms=forms)
    labelling = {"forms": forms, "withheld": withheld}
    groups.label(cells, "methods/mondrian/groups", table=table, **labelling)
    cells.engine.drop("settled", "part_masks", "part_sets", "part_nodes")


class MondrianMethod(GroupMethod[Mondrian]):
    """Regions cut top-down."""

    settings = Mondrian

    def group(self, cells: Cells) -> Grouped:
        """Cut the cells into parts, in a few statements a round, and release each as a group."""
        if self.parameters.values == "hierarchy":
            regions.cut_down(cells, rest=True)
            return Grouped.by_nodes(cells)
        rule = Rule(self.parameters.mode == "relaxed", self.parameters.cut == "median")
        forms = make_parts(cells, rule)
        label_parts(cells, forms, relaxed=rule.relaxed)
        cells.engine.drop("final_parts")
        return Grouped(forms, split=rule.relaxed)


METHODS = (MondrianMethod,)
