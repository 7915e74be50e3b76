"""Local recoding (LeFevre, DeWitt, Ramakrishnan, Incognito, SIGMOD 2005, section 5.2): cell
generalization and suppression.

The nodes that are Pareto-optimal in mean loss and in entropy of the released values (as if
attributes were independent) are visited from least loss to least entropy. At each node the
remaining cells are rolled up; the classes that keep the promise become groups, and the other cells
remain. So every row is released at the first node at which its class keeps the promise. Rows that
remain at the end are suppressed, as far as the limit allows; otherwise the last groups are taken
back until all remaining rows together keep the promise at the highest levels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonsql.errors import Problem
from anonsql.hierarchies.dimensions import Attribute
from anonsql.methods import groups
from anonsql.methods.base import GroupMethod
from anonsql.methods.cells import finer
from anonsql.methods.cells.settings import CellGeneralization, CellSuppression, EffortGoal
from anonsql.methods.groups import Cells, Grouped
from anonsql.star.lattice import Levels

_MOST_NODES = 120
_Merit = tuple[float, float]
"""Mean loss and entropy of an attribute at a level."""


class CellGeneralizationMethod(GroupMethod[CellGeneralization]):
    """Release every entry as it is or as an ancestor."""

    settings = CellGeneralization

    def group(self, cells: Cells) -> Grouped:
        return _group(
            cells,
            {
                attribute.index: range(attribute.min_level, attribute.max_level + 1)
                for attribute in cells.star.attributes
            },
            self.parameters.effort,
        )


class CellSuppressionMethod(GroupMethod[CellSuppression]):
    """Release every entry as it is or as ``*``."""

    settings = CellSuppression

    def problems(self, attributes: Sequence[Attribute]) -> list[Problem]:
        """Return a problem for each column whose top, as which cells are suppressed, is refused."""
        return [
            Problem(
                f"{attribute.where}.max_level",
                f"{attribute.max_level} is below the top, {attribute.height}, and suppressed cells are"
                " released as the top.",
                "Leave it out, or use method cell-generalization.",
            )
            for attribute in attributes
            if attribute.max_level < attribute.height
        ]

    def group(self, cells: Cells) -> Grouped:
        return _group(
            cells,
            {
                attribute.index: sorted({attribute.min_level, attribute.height})
                for attribute in cells.star.attributes
            },
        )


def _group(
    cells: Cells, allowed: Mapping[int, Sequence[int]], effort: int | EffortGoal = 0
) -> Grouped:
    run, attributes = cells.engine.run, cells.star.attributes
    groups.make_nodes(cells)
    run("methods/groups/no_cells", attributes=attributes, promise=cells.promise)
    run("methods/groups/no_regions", attributes=attributes)
    run(
        "methods/cells/begin",
        attributes=attributes,
        promise=cells.promise,
        into="left_all",
        before=0,
    )
    left, last = "left_all", 0
    merits = _merits(cells)
    path, firsts = _path(cells, allowed, merits), list[int]()
    for number, levels in enumerate(path):
        firsts.append(last + 1)
        left, last = _keep(cells, levels, left, f"left_{number}", last)
    _give_back(cells, path[-1], left, firsts)
    if effort:
        finer.improve(cells, merits, effort)
    groups.label_regions(cells)
    return Grouped.by_nodes(cells)


def _merits(cells: Cells) -> dict[int, dict[int, _Merit]]:
    merits: dict[int, dict[int, _Merit]] = {
        attribute.index: {} for attribute in cells.star.attributes
    }
    for attribute, level, entropy in cells.engine.query(
        "methods/cells/entropies", attributes=cells.star.attributes
    ):
        merits[attribute][level] = (
            round(cells.star.losses[attribute][level], 9),
            round(float(entropy), 9),
        )
    return merits


def _path(
    cells: Cells,
    allowed: Mapping[int, Sequence[int]],
    merits: Mapping[int, Mapping[int, _Merit]],
) -> list[Levels]:
    """Return the Pareto-optimal nodes in mean loss and entropy, least loss first; then the top."""
    weights = {attribute.index: attribute.policy.weight for attribute in cells.star.attributes}
    front: list[tuple[float, float, Levels]] = [(0.0, 0.0, {})]
    for index, levels in allowed.items():
        longer = [
            (
                loss + weights[index] * merits[index][level][0],
                entropy + merits[index][level][1],
                {**node, index: level},
            )
            for loss, entropy, node in front
            for level in levels
        ]
        front = _unbettered(longer)
    nodes = [node for _, _, node in front]
    step = max(1, -(-len(nodes) // _MOST_NODES))
    top = {index: levels[-1] for index, levels in allowed.items()}
    return [node for node in nodes[::step] if node != top] + [top]


def _unbettered(nodes: list[tuple[float, float, Levels]]) -> list[tuple[float, float, Levels]]:
    """Return the nodes with less entropy than all of no greater loss, least loss first."""
    rows: list[tuple[float, float, Levels]] = []
    for loss, entropy, node in sorted(
        nodes, key=lambda node: (node[0], node[1], tuple(node[2].values()))
    ):
        if not rows or entropy < rows[-1][1]:
            rows.append((loss, entropy, node))
    return rows


def _keep(cells: Cells, levels: Levels, left: str, into: str, last: int) -> tuple[str, int]:
    """Make groups of the classes at a node that keep the promise, from the cells in the table
    ``left``. Return the table of the cells that remain, and the greatest number of a group."""
    run, drop = cells.engine.run, cells.engine.drop
    shared = {"attributes": cells.star.attributes, "promise": cells.promise}
    keys = [f"g{index}" for index in levels]
    run("methods/cells/kept", table=left, levels=levels, keys=keys, after=last, **shared)
    made: int = cells.engine.query("sql/rows", table="kept")[0][0]
    if made:
        run("methods/cells/keep_regions", levels=levels, attributes=cells.star.attributes)
        run("methods/cells/keep_cells", table=left, levels=levels, **shared)
        run(
            "methods/cells/left_over",
            table=left,
            levels=levels,
            attributes=cells.star.attributes,
            into=into,
        )
        drop(left, "kept")
        return into, last + made
    drop("kept")
    return left, last


def _give_back(cells: Cells, top: Levels, left: str, firsts: list[int]) -> None:
    """Take back the last groups until what remains keeps the promise at ``top``, except for what
    may be suppressed. ``firsts`` are the numbers of the first group of each visited node."""
    run, attributes = cells.engine.run, cells.star.attributes
    columns = {
        "assigned": [*(f"c{attribute.index}" for attribute in attributes), "grp"],
        "regions": [
            "grp",
            "n",
            *(f"{kind}{attribute.index}" for kind in "lg" for attribute in attributes),
        ],
    }
    while (
        cells.engine.query("methods/cells/rows_left", table=left)[0][0] > cells.max_suppressed
        and firsts
    ):
        first = firsts.pop()
        again = f"back_{first}_{len(firsts)}"
        run(
            "methods/cells/begin",
            attributes=attributes,
            promise=cells.promise,
            before=first,
            into=again,
        )
        for table, names in columns.items():
            run(
                "methods/cells/first_groups",
                table=table,
                columns=names,
                before=first,
                into="shorter",
            )
            cells.engine.drop(table)
            run(
                "methods/cells/first_groups",
                table="shorter",
                columns=names,
                before=first,
                into=table,
            )
            cells.engine.drop("shorter")
        cells.engine.drop(left)
        left, _ = _keep(cells, top, again, f"left_{again}", first - 1)


METHODS = (CellGeneralizationMethod, CellSuppressionMethod)
