"""Methods that assign cells to groups, each released in a way of its own: what they work on, and what they leave behind.

Such a method makes two scratch tables. ``assigned`` says which group a cell's rows belong to: c1 … cn and grp, a row for
each cell; where a cell's rows are divided, one for each portion, with ``first`` and ``last`` (which of its rows, counted
from 1 in random order). Cells that are not there are suppressed. ``groups`` says what is released of each: grp, n (rows)
and for every attribute v<i> (the label), leaves<i> and present<i> (leaves of the hierarchy, and of the data, that it
stands for), lo<i> and hi<i> where the attribute has bounds. Groups that are released alike are one class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from anonsql.engines.base import Engine
from anonsql.errors import PrivacyError
from anonsql.measures.full_domain import FORMULAS
from anonsql.star.cells import Star
from anonsql.star.coded import Coded
from anonsql.star.lattice import Levels
from anonsql.star.models import Promise
from anonsql.system.clock import Clock, Progress, silent
from anonsql.system.numbers import rounded

Form = Literal["node", "range", "set", "numbers", "names"]
"""How an attribute's values are released: a node of its hierarchy, the least and greatest value of the group, a set of values,
or an interval of the ordered domain: of numbers or dates, or of names (``groups`` has the codes of its ends then, first<i> and
last<i>)."""


@dataclass(frozen=True)
class Cells:
    """What a method works on: the cells and hierarchies in the engine, what every group must keep, how many rows may be
    suppressed, full-domain generalizations within the promise for methods that start from them, the coded columns,
    who is told how far a search is, and how long it may take."""

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
    """The classes of a release by groups, in rows; ``squares`` is the sum of squared sizes. Of rings: the partitions, the least
    number of rows that a row may be, the sum over rows of that number; ``expected`` is then how many rows a marketer
    matches rightly, on average (one of each class, elsewhere)."""

    classes: int
    min_class: int
    released: int
    squares: int
    expected: float | None = None


@dataclass(frozen=True)
class Grouped:
    """What a method left in ``assigned`` and ``groups``: the form of each attribute's values, by index, whether cells are
    divided between groups (``by_values``: by the codes of sensitive values too), and whether no other result of the method is
    better, where that is known. Where what is released alike is no class, ``rings`` are the partitions, and the least number
    of rows that any may be."""

    forms: Mapping[int, Form]
    split: bool = False
    by_values: bool = False
    optimal: bool | None = None
    rings: GroupSizes | None = None
    arrays: bool = False

    @classmethod
    def by_nodes(cls, cells: Cells) -> Grouped:
        """Groups that are released at nodes of the hierarchies."""
        return cls({each.index: "node" for each in cells.star.attributes})


def make_nodes(cells: Cells) -> None:
    """Make ``nodes``: the leaves under every node of every hierarchy."""
    cells.engine.drop("nodes")
    cells.engine.run("groups/nodes", attributes=cells.star.attributes)


def label_regions(cells: Cells) -> None:
    """Make ``groups`` from ``regions`` (grp, n, l1 … ln levels, g1 … gn group codes) and ``nodes``."""
    cells.engine.run("groups/of_regions", attributes=cells.star.attributes)


def sizes(cells: Cells) -> GroupSizes:
    """The classes, counted on what is released of the groups."""
    return GroupSizes(*cells.engine.query("groups/sizes", attributes=cells.star.attributes)[0])


def maskable(cells: Cells) -> bool:
    """Whether the suppressed rows, masked, could be told from the groups and would be a class that keeps the promise."""
    attributes = cells.star.attributes
    if cells.engine.query("groups/starred", attributes=attributes)[0][0]:
        return False
    kept = cells.engine.query("groups/masked", attributes=attributes, promise=cells.promise)
    return bool(kept and kept[0][0])


def require_within_limit(cells: Cells, found: GroupSizes) -> None:
    """Raise PrivacyError when more rows are suppressed than may be, or all are."""
    broken = "lie in groups that break the promise even at the highest levels that may be released, more than suppression_limit allows"
    require_few(
        cells,
        cells.star.rows - found.released,
        broken,
        "raise max_level where it is set, or ask for less",
    )


def require_few(cells: Cells, suppressed: int, found: str, remedy: str) -> None:
    """Raise PrivacyError when more rows are suppressed than may be, or all are: ``found`` is what is wrong with them, ``remedy`` what to
    do besides raising the limit."""
    rows = cells.star.rows
    if suppressed <= cells.max_suppressed and suppressed < rows:
        return
    share = -(-suppressed * 10_000 // rows) / 10_000
    limit = f"set privacy.suppression_limit to {share}, " if share < 1 else ""
    raise PrivacyError(f"{suppressed:,} of {rows:,} rows {found}: {limit}{remedy}.")


def measures(cells: Cells, found: GroupSizes) -> dict[str, float]:
    """The measures of FORMULAS that do not speak of levels, suppressed cells counting as wholly lost."""
    star, suppressed = cells.star, cells.star.rows - found.released
    weights = {each.index: each.policy.weight for each in star.attributes}
    lost = cells.engine.query("groups/penalties", attributes=star.attributes)
    loss = sum(weights[index] * (float(each) + suppressed) for index, each, _ in lost) / sum(
        weights.values()
    )
    measured = {
        "loss": loss / star.rows,
        "gcp": sum(float(each) + suppressed for _, _, each in lost) / len(lost) / star.rows,
        "discernibility": found.squares + suppressed * star.rows,
        "average_class_size": found.released / found.classes / cells.promise.k,
        "suppressed_share": suppressed / star.rows,
    }
    if found.expected is not None:  # of rings: rows that are released alike are no class there
        del measured["discernibility"]
    return {name: rounded(measured[name]) for name in FORMULAS if name in measured}
