"""Warn of sums that tell how many rows there are, to whoever knows their amounts: the audit of
suppression does not know that they are counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonsql.errors import Problem
from anonsql.hierarchies.dimensions import Attribute
from anonsql.jobs.job import Job
from anonsql.jobs.statistics.state import tabulation_of
from anonsql.policy.statistics import TableOf
from anonsql.statistics import cubes
from anonsql.statistics.cubes import Sum
from anonsql.statistics.dependent import Amounts, telling

_SAME = "the same, or so near to each other that a sum of few tells how many they are"
"""How amounts are that tell counts."""


def warn_of_telling(job: Job) -> list[Problem]:
    """Return a warning for every sum whose amounts, but for 0 and NULL, are all alike, where a
    threshold protects counts, and for every one where those of each value of a dimension are, or of
    each combination that a table has."""
    tabulation = tabulation_of(job)
    threshold = tabulation.policy.protect.threshold
    if threshold is None:
        return []
    sums = cubes.sums_of(tabulation.policy, job.opened.columns)
    found = list(zip(sums, tabulation.amounts, strict=True))
    everywhere = [pair for pair in found if pair[1].others > 1 and pair[1].tell(threshold)]
    rest = [entry for entry, _ in found if entry not in [told for told, _ in everywhere]]
    return [
        *(_count(entry, values, job.counted.rows) for entry, values in everywhere),
        *_by_dimensions(job, rest, threshold),
    ]


def _count(entry: Sum, values: Amounts, rows: int) -> Problem:
    """Return the warning of a sum to which all ``rows`` add about the same, or nothing."""
    if values.others == rows:
        text = f"all its values are {_SAME}: it counts rows, and"
        remedy = "Count them (`count`), and leave it out."
    else:
        text = f"all its values but 0 and NULL are {_SAME}: it counts the rows of these, and"
        remedy = "Make what they are a dimension, which counts are by, and leave it out."
    text += " its hidden cells are protected less than those of a count."
    return Problem(f"statistics.of.{entry.name}.sum", text, remedy)


def _by_dimensions(job: Job, sums: Sequence[Sum], threshold: int) -> list[Problem]:
    """Return a warning for every sum that tells counts by a dimension, else by what a table is made
    by."""
    tabulation, attributes = tabulation_of(job), job.counted.attributes
    groupings = _groupings(tabulation.policy.tables, attributes)
    found = telling(job.engine, groupings, sums, threshold)
    warnings, known = [], dict[str, list[set[str]]]()
    for (number, name), of_all in found.items():
        by, before = groupings[number], known.setdefault(name, [])
        names = {attribute.name for attribute, _ in by}
        if not any(names >= smaller for smaller in before):
            before.append(names)
            warnings.append(_told(name, by, of_all=of_all))
    return warnings


def _told(name: str, by: Sequence[tuple[Attribute, int]], *, of_all: bool) -> Problem:
    """Return the warning of a sum that tells counts by the groups of dimensions."""
    each = " and ".join(
        f"{attribute.name!r}{f' at level {level}' if level else ''}" for attribute, level in by
    )
    text = (
        f"{'its' if of_all else 'most of its'} values (but 0 and NULL) are, within each {each},"
        f" {_SAME}: a cell's sum divided by that is its count, which is protected more, and where"
        " the sum hides other cells than the count does, hidden counts may follow."
    )
    remedy = f"Leave it out, or make no table by {each}."
    return Problem(f"statistics.of.{name}.sum", text, remedy)


def _groupings(
    tables: Mapping[str, TableOf], attributes: Sequence[Attribute]
) -> list[Sequence[tuple[Attribute, int]]]:
    """Return what cells are by, fewer dimensions first: every dimension at its finest level in a
    table, and all dimensions of every table."""
    by_name = {attribute.name: attribute for attribute in attributes}
    wanted = dict[tuple[tuple[str, int], ...], None]()
    for table in tables.values():
        finest = [(name, table.levels.get(name, 0)) for name in table.by]
        wanted |= dict.fromkeys([*((entry,) for entry in finest), tuple(finest)])
    return [
        [(by_name[name], level) for name, level in grouping] for grouping in sorted(wanted, key=len)
    ]
