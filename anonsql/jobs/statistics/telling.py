"""Warn of sums that tell how many rows there are, to whoever knows their amounts: the audit of
suppression does not know that they are counts."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from anonsql.errors import Problem
from anonsql.hierarchies.dimensions import Attribute
from anonsql.jobs.job import Job
from anonsql.jobs.statistics.state import tabulation_of
from anonsql.policy.statistics import TableOf
from anonsql.statistics.cubes import Sum
from anonsql.statistics.dependent import telling

MOST_GROUPINGS = 60
"""The sets of dimensions within whose groups amounts are looked at: those of fewest dimensions."""

Grouping = Sequence[tuple[Attribute, int]]
"""Dimensions, each with the level whose groups are meant; 0 is its values."""


def warn_of_telling(job: Job, sums: Sequence[Sum], *, people: bool = False) -> list[Problem]:
    """Return a warning for every one of some sums whose amounts, but for 0 and NULL, are alike,
    where a threshold protects counts: all of them, or those of each group of dimensions that a table
    has. Where fewer dimensions tell it, those of more are not named. The amounts are those of rows,
    or of ``people``, as :func:`anonsql.statistics.dependent.ranges` keeps them."""
    policy = tabulation_of(job).policy
    if policy.protect.threshold is None:
        return []
    groupings = groupings_of(policy.tables, job.counted.attributes)
    warnings, known = [], dict[str, list[set[str]]]()
    for found in telling(job.engine, groupings, sums, policy.protect.threshold):
        by = groupings[found.grouping]
        names, before = {attribute.name for attribute, _ in by}, known.setdefault(found.name, [])
        if not any(smaller <= names for smaller in before):
            before.append(names)
            of = "people" if people else "rows"
            warnings.append(_warning(found.name, by, found.share, of))
    return warnings


def groupings_of(tables: Mapping[str, TableOf], attributes: Sequence[Attribute]) -> list[Grouping]:
    """Return what cells are by, fewer dimensions first: none, of all rows; every dimension at the
    levels that a table has; and the sets of dimensions of each table, at the finest."""
    by_name = {attribute.name: attribute for attribute in attributes}
    wanted = dict.fromkeys([tuple[tuple[str, int], ...]()])
    for level in range(max(attribute.height for attribute in attributes)):
        for table in tables.values():
            for name in table.by:
                if table.levels.get(name, 0) <= level < by_name[name].height:
                    wanted.setdefault(((name, level),))
    for size in range(2, max(len(table.by) for table in tables.values()) + 1):
        for table in tables.values():
            finest = [(name, table.levels.get(name, 0)) for name in sorted(table.by)]
            wanted |= dict.fromkeys(
                itertools.islice(itertools.combinations(finest, size), MOST_GROUPINGS)
            )
    few = itertools.islice(wanted, MOST_GROUPINGS)
    return [[(by_name[name], level) for name, level in grouping] for grouping in few]


def _warning(name: str, by: Grouping, share: float, of: str) -> Problem:
    """Return the warning of a sum that tells how many rows or people (``of``) are in the groups of
    dimensions, for a share of all."""
    part = "all" if share == 1 else f"of {max(1, int(share * 100))}% of the {of} the"
    amounts = "values but 0 and NULL" if of == "rows" else "amounts of a person but 0"
    text = (
        f"{part} {amounts} are the same, or nearly: a reader who knows this amount divides a cell's"
        f" sum by it and learns the number of {of}, which may be hidden."
    )
    where = f"statistics.of.{name}.sum"
    if not by:
        remedy = f"Leave the sum out, and count {of}; if many amounts are 0, by a dimension that says which."
        return Problem(where, text, remedy)
    names = [f"{attribute.name!r}{f' (level {level})' if level else ''}" for attribute, level in by]
    each = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    remedy = (
        "Leave the sum out (a reader who knows the amounts multiplies counts by them), or make no"
        f" table by {each}."
    )
    return Problem(where, f"within each {each} {text}", remedy)
