"""Methods that assign cells to groups and release all rows of a group with equal labels: their
input, and the scratch tables that they make.

Such a method makes two scratch tables. ``assigned`` has the group of each cell: c1 … cn (codes) and
grp, one row for each cell; where the rows of a cell are divided between groups, one row for each
portion, with ``first`` and ``last`` (which of the cell's rows, counted from 1 in random order).
Cells that are missing are suppressed. ``groups`` has the released values of each group: grp, n
(rows) and for every attribute v<i> (the label), leaves<i> and present<i> (how many leaves of the
hierarchy the label includes, and how many of them are in the data), lo<i> and hi<i> where the
attribute has bounds. Groups with equal labels are one equivalence class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from anonsql.engines.base import Engine
from anonsql.errors import PrivacyError
from anonsql.measures.registry import Figures, measured
from anonsql.privacy import suppression_limit
from anonsql.privacy.promise import Promise
from anonsql.star.cells import Star
from anonsql.star.coded import Coded
from anonsql.star.lattice import Levels
from anonsql.system.clock import Clock, Progress, silent

_AT_ONCE = 8
"""To how many attributes one statement joins hierarchies."""
Form = Literal["node", "range", "set", "numbers", "names"]
"""How an attribute's values are released: a node of its hierarchy, the least and greatest value of
the group, a set of values, or an interval of the ordered domain: of numbers or dates, or of names
(then ``groups`` also has the codes of its ends, first<i> and last<i>)."""


@dataclass(frozen=True)
class Cells:
    """What a method works on: cells and hierarchies in the engine, the promise of every group, how
    many rows may be suppressed, generalizations for methods that start from some, the coded
    columns, a callback that shows progress, and a clock that limits the time."""

    engine: Engine
    star: Star
    promise: Promise
    max_suppressed: int
    starts: Sequence[Levels] = ()
    coded: Sequence[Coded] = ()
    progress: Progress = silent
    clock: Clock = field(default_factory=Clock)


@dataclass(frozen=True)
class GroupSizes:
    """The sizes of the equivalence classes of a release by groups, in rows; ``squares`` is the sum
    of squared sizes.

    Of rings these are the number of partitions, the least number of rows that any released row may
    stem from, and the sum of that number over all rows; ``expected`` is then how many rows a
    marketer matches rightly on average (for other methods that is one of each class).
    """

    classes: int
    min_class: int
    released: int
    squares: int
    expected: float | None = None


@dataclass(frozen=True)
class Grouped:
    """A method's result in ``assigned`` and ``groups``: the form of each attribute's values, by
    index; whether cells are ``split`` between groups (``by_values``: by the codes of sensitive
    values too); and whether the result is ``optimal``, where that is known. ``rings`` are the
    partitions of ring generalization, where rows with equal labels are not an equivalence class;
    ``evidence`` are the further scratch tables that the proof reads."""

    forms: Mapping[int, Form]
    split: bool = False
    by_values: bool = False
    optimal: bool | None = None
    rings: GroupSizes | None = None
    arrays: bool = False
    evidence: tuple[str, ...] = ()

    @classmethod
    def by_nodes(cls, cells: Cells) -> Grouped:
        """Return groups that are released as nodes of the hierarchies."""
        return cls({attribute.index: "node" for attribute in cells.star.attributes})


def make_nodes(cells: Cells) -> None:
    """Make ``nodes``: the number of leaves under every node of every hierarchy."""
    cells.engine.drop("nodes")
    cells.engine.run("methods/groups/nodes", attributes=cells.star.attributes)


def label_regions(cells: Cells) -> None:
    """Make ``groups`` from ``nodes`` and ``regions`` (grp, n, levels l1 …, codes g1 …)."""
    label(cells, "methods/groups/of_regions")


def label(cells: Cells, template: str, table: str = "groups", **parameters: Any) -> None:
    """Make ``groups`` (or ``table``) by a template that joins hierarchies to groups: those of some
    attributes at a time, for planning a statement takes the square of its joins."""
    attributes, before = cells.star.attributes, ""
    for start in range(0, len(attributes), _AT_ONCE):
        some = attributes[start : start + _AT_ONCE]
        into = table if start + _AT_ONCE >= len(attributes) else f"{table}_{start}"
        shared = {"attributes": some, "table": into, "before": before}
        cells.engine.run(template, **shared, **parameters)
        if before:
            cells.engine.drop(before)
        before = into


def sizes(cells: Cells) -> GroupSizes:
    """Return the sizes of the equivalence classes, counted on what is released for the groups."""
    return GroupSizes(
        *cells.engine.query("methods/groups/sizes", attributes=cells.star.attributes)[0]
    )


def maskable(cells: Cells) -> bool:
    """Return whether suppressed rows, if masked, differ from all groups and keep the promise."""
    attributes = cells.star.attributes
    if cells.engine.query("methods/groups/starred", attributes=attributes)[0][0]:
        return False
    relations = {"frequencies": "cells", "kept": "assigned", "judged": False}
    masked = {"attributes": attributes, "promise": cells.promise}
    kept = cells.engine.query("release/masked", **relations, **masked)
    return bool(kept and kept[0][0])


def require_within_limit(cells: Cells, group_sizes: GroupSizes, k: int | None = None) -> None:
    """Raise PrivacyError when too many rows are suppressed; ``k`` is the policy's."""
    broken = (
        "are in groups that break the promise even at the highest levels that may be released,"
        " more than suppression_limit allows"
    )
    if k is not None and cells.promise.k > k:
        broken += (
            f" (with this method, privacy.risk needs classes of at least {cells.promise.k:,} rows)"
        )
    require_few(
        cells,
        cells.star.rows - group_sizes.released,
        broken,
        "raise max_level where it is set, or relax the promise",
    )


def require_few(cells: Cells, suppressed: int, text: str, remedy: str) -> None:
    """Raise PrivacyError when more rows are suppressed than may be, or all are. ``text`` says what
    is wrong with them, ``remedy`` what to do besides raising the limit."""
    rows = cells.star.rows
    if suppressed <= cells.max_suppressed and suppressed < rows:
        return
    enough = suppression_limit.least_limit(suppressed, rows)
    limit = f"set privacy.suppression_limit to {enough:f}, " if enough is not None else ""
    raise PrivacyError(f"{suppressed:,} of {rows:,} rows {text}: {limit}{remedy}.")


def measures(cells: Cells, group_sizes: GroupSizes, k: int | None = None) -> dict[str, float]:
    """Return the measures that need no levels; suppressed cells are lost. ``k``: the policy's."""
    star, suppressed = cells.star, cells.star.rows - group_sizes.released
    lost = cells.engine.query("methods/groups/penalties", attributes=star.attributes)
    figures = Figures(
        star.rows,
        suppressed,
        cells.promise.k if k is None else k,
        group_sizes.classes,
        group_sizes.squares if group_sizes.expected is None else None,  # rings have no classes
        weights={attribute.index: attribute.policy.weight for attribute in star.attributes},
        lost={index: (float(value) + suppressed) / star.rows for index, value, _ in lost},
        penalty=sum(float(value) + suppressed for _, _, value in lost) / len(lost) / star.rows,
    )
    return measured(figures)
