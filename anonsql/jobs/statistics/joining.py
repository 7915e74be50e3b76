"""Which tables an audit must know besides those that are published."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from anonsql.errors import PolicyError, Problem
from anonsql.hierarchies.dimensions import Attribute
from anonsql.jobs.job import Job
from anonsql.jobs.statistics.state import tabulation_of
from anonsql.statistics import dependent
from anonsql.statistics.cubes import levels_of, most_cells
from anonsql.statistics.joined import Group, Levels, cycles, lacking
from anonsql.system.numbers import counted

MOST_CELLS = 100_000
"""The cells of such tables at most."""


def joined_tables(job: Job) -> list[Levels]:
    """Return the tables that are not published and tie published cells together: of dimensions that
    determine each other, and of cycles of tables. Raise PolicyError where an audit cannot know
    them."""
    policy, attributes = tabulation_of(job).policy, job.counted.attributes
    if policy.protect.by != "suppression" or len(attributes) < 2:
        return []
    tables = [levels_of(table) for table in policy.tables.values()]
    heights = {attribute.name: attribute.height for attribute in attributes}
    joined, problems = list[Levels](), list[Problem]()
    for part, whole in _determined(job, attributes, tables):
        joined += lacking([*tables, *joined], part, whole)
        problems += _impossible(job, part, whole)
    while found := cycles([*tables, *joined], heights):
        joined += found
    if joined and policy.protect.over_time is not None:
        problems += [_not_over_time(levels) for levels in joined]
    if problems:
        raise PolicyError(problems)
    return joined


def require_few(job: Job, joined: Sequence[Levels], groups: Mapping[tuple[int, int], int]) -> None:
    """Raise PolicyError where joined tables may have more cells than are audited."""
    attributes, combinations = job.counted.attributes, max(job.counted.combinations, 1)
    most = most_cells(joined, attributes, groups, combinations)
    if most > MOST_CELLS:
        raise PolicyError([_too_large(levels, most) for levels in joined])


def _determined(
    job: Job, attributes: Sequence[Attribute], tables: Sequence[Levels]
) -> list[tuple[Group, Group]]:
    """Return the levels of dimensions whose groups are each in one group of another dimension's
    level, where no table has all that ties them: of each two dimensions the highest such level, and
    the finest one that it determines."""
    finest = {a.name: min(own[a.name] for own in tables if a.name in own) for a in attributes}
    pairs = [
        (one, other)
        for one, other in itertools.combinations(attributes, 2)
        if lacking(tables, (one.name, 0), (other.name, 0))
        or lacking(tables, (other.name, 0), (one.name, 0))
        or _hiding(job, one.name, other.name)
    ]
    ties: dict[tuple[str, str], dict[int, int]] = {}
    for part, whole in dependent.determined_levels(job.engine, attributes, pairs):
        (one, low), (other, high) = part, whole
        if low >= finest[one.name] and high >= finest[other.name]:
            of_pair = ties.setdefault((one.name, other.name), {})
            of_pair[high] = max(low, of_pair.get(high, low))
    return [((one, min(lows.values())), (other, min(lows))) for (one, other), lows in ties.items()]


def _hiding(job: Job, one: str, other: str) -> list[str]:
    """Return the tables of two dimensions that hide where nobody is."""
    policy = tabulation_of(job).policy
    return [name for name in policy.zeros if {one, other} <= {*policy.tables[name].by}]


def _impossible(job: Job, part: Group, whole: Group) -> list[Problem]:
    """Return the problem that a table hides empty cells of two dimensions of which one groups the
    other: most of these cells cannot exist, as readers may know."""
    (one, _), (other, _) = part, whole
    return [
        Problem(
            f"statistics.by.{other}",
            f"each {one!r} has one {other!r}, and {table} hides empty cells: most combinations cannot"
            " exist, and a reader who knows which can compute hidden cells.",
            f"Make {other!r} a level of {one!r}, or publish empty cells (`zeros: publish`).",
        )
        for table in _hiding(job, one, other)[:1]
    ]


def _not_over_time(levels: Levels) -> Problem:
    """Return the problem that a table which ties others is not audited over time."""
    text = (
        f"cells of several tables are sums of cells by {_named(levels)}, which an audit over time does"
        " not know."
    )
    return Problem("statistics.tables", text, _remedy(levels))


def _too_large(levels: Levels, cells: int) -> Problem:
    """Return the problem that a table which ties others is too large for an audit."""
    text = (
        f"cells of several tables are sums of cells by {_named(levels)}: {counted(cells, 'cell')} that"
        f" an audit must know, and {MOST_CELLS:,} is the most."
    )
    return Problem("statistics.tables", text, _remedy(levels))


def _remedy(levels: Levels) -> str:
    """Return what to do about a table that ties others."""
    return (
        f"Add a table by {_named(levels)}, leave out one of the tables that share these dimensions, or"
        " make a dimension a level of another one."
    )


def _named(levels: Levels) -> str:
    """Return the dimensions of a table as a sentence lists them."""
    names = [f"{name} (from level {at})" if at else name for name, at in levels.items()]
    return ", ".join(names[:-1]) + f" and {names[-1]}"
