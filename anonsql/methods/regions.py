"""Cut the domain top-down along the hierarchies: every round cuts all open regions, by a few
statements."""

from __future__ import annotations

from anonsql.methods import groups
from anonsql.methods.groups import Cells

_SLOT = ("part", "attribute", "level", "variant", "slot", "worth", "domain")


def cut_down(cells: Cells, rest: bool) -> None:
    """Make ``assigned`` and ``regions`` (grp, n, l1 … ln levels, g1 … gn codes at these levels),
    and ``groups`` from them.

    A region, at first the top of all hierarchies, is cut along one attribute into the children of
    its node that have rows. Without ``rest`` each child has to keep the promise. With it the
    children that do not are merged into one region, which stays at the node and has to keep the
    promise.
    """
    groups.make_nodes(cells)
    _begin(cells)
    last, number = cells.engine.query("sql/rows", table="parts_0")[0][0], 0
    while last:
        last = _cut(cells, number, last, rest)
        number += 1
    groups.label_regions(cells)


def first_parts(cells: Cells) -> None:
    """Make ``parts_0``: the regions to begin with."""
    shared = {"attributes": cells.star.attributes, "promise": cells.promise}
    keys = [f"g{attribute.index}" for attribute in cells.star.attributes]
    keys += [f"x{index}" for index in cells.promise.within]
    cells.engine.run("methods/regions/tops", **shared)
    cells.engine.run("methods/regions/first_parts", table="tops", keys=keys, **shared)
    cells.engine.drop("tops")


def _begin(cells: Cells) -> None:
    run = cells.engine.run
    attributes, promise = cells.star.attributes, cells.promise
    first_parts(cells)
    run("methods/regions/first_members", attributes=attributes, promise=promise)
    run("methods/groups/no_cells", attributes=attributes, promise=promise)
    run("methods/groups/no_regions", attributes=attributes)


def _cut(cells: Cells, number: int, last: int, rest: bool) -> int:
    """Cut every open region that can be cut, and close the others. Return the greatest number of a
    region after that (``last`` before), or 0 when none is open any more."""
    run, attributes, promise = cells.engine.run, cells.star.attributes, cells.promise
    tables = {"parts": f"parts_{number}", "members": f"members_{number}"}
    following = {"next_parts": f"parts_{number + 1}", "next_members": f"members_{number + 1}"}
    run("methods/regions/children", attributes=attributes, promise=promise, **tables)
    judged = {"select": "privacy/classes", "keys": _SLOT, "promise": promise}
    if rest:
        run("sql/table", name="verdicts", table="children", **judged)
        run("methods/regions/slots", promise=promise)
    run("sql/table", name="decided", table="slots" if rest else "children", **judged)
    run("methods/regions/chosen", attributes=attributes)
    run("methods/regions/close_members", attributes=attributes, promise=promise, **tables)
    run("methods/regions/close_parts", attributes=attributes, **tables)
    run("methods/regions/next_parts", attributes=attributes, after=last, **tables, **following)
    made: int = cells.engine.query("sql/rows", table=following["next_parts"])[0][0]
    if made:
        run(
            "methods/regions/next_members",
            attributes=attributes,
            promise=promise,
            **tables,
            **following,
        )
    for table in (
        "children",
        *(("verdicts", "slots") if rest else ()),
        "decided",
        "chosen",
        *tables.values(),
    ):
        cells.engine.drop(table)
    return last + made if made else 0
