"""Which tables an audit must know in addition to the published ones."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from anonsql.errors import PolicyError, Problem
from anonsql.jobs.job import Job
from anonsql.jobs.statistics.state import tabulation_of
from anonsql.statistics import joined
from anonsql.statistics.cubes import levels_of, most_cells
from anonsql.statistics.joined import Levels, Together
from anonsql.system.numbers import counted

MOST_CELLS = 100_000
"""The cells of such tables at most."""


def joined_tables(job: Job) -> list[Levels]:
    """Return the unpublished tables that tie published cells together: of dependent dimensions, and
    of cycles of tables. Raise PolicyError where an audit cannot know them."""
    policy, attributes = tabulation_of(job).policy, job.counted.attributes
    if policy.protect.by != "suppression" or len(attributes) < 2:
        return []
    tables = {name: levels_of(table) for name, table in policy.tables.items()}
    together = _together(job, [*tables.values()])
    found = joined.joined_tables([*tables.values()], together)
    problems = [
        problem for name in policy.zeros for problem in _impossible(name, tables[name], together)
    ]
    over_time = policy.protect.over_time is not None
    if not problems:
        problems = [
            _not_audited(levels, together, over_time=over_time)
            for levels in found
            if over_time or any(len(tables[name].keys() & levels) > 1 for name in policy.zeros)
        ]
    if problems:
        raise PolicyError(problems)
    return found


def require_few(job: Job, tables: Sequence[Levels], groups: Mapping[tuple[int, int], int]) -> None:
    """Raise PolicyError where joined tables may have more cells than are audited."""
    attributes, combinations = job.counted.attributes, max(job.counted.combinations, 1)
    most = most_cells(tables, attributes, groups, combinations)
    if most > MOST_CELLS:
        raise PolicyError([_too_large(levels, most) for levels in tables])


def _together(job: Job, tables: Sequence[Levels]) -> Together:
    attributes = job.counted.attributes
    levels = {
        a.index: range(min(own[a.name] for own in tables if a.name in own), a.height)
        for a in attributes
    }
    given: dict[str, Any] = {"attributes": attributes, "levels": levels}
    read = partial(job.engine.numbers, "statistics/grouped", **given)
    return Together.of(attributes, levels, read)


def _impossible(table: str, levels: Levels, together: Together) -> list[Problem]:
    """Return the problem that a table hides empty cells of two dimensions and one groups the other:
    most of these cells cannot exist, as readers may know."""
    return [
        Problem(
            f"statistics.by.{other}",
            f"each {one!r} has only one {other!r}, and {table} hides empty cells: most"
            " combinations cannot exist, and a reader who knows which ones can compute hidden"
            " cells.",
            f"Make {other!r} a level of {one!r}, or publish empty cells (`zeros: publish`).",
        )
        for one, other in itertools.permutations(levels, 2)
        if any(
            together.determined((one, levels[one]), (other, at))
            for at in range(levels[other], together.heights[other])
        )
    ]


def _not_audited(levels: Levels, together: Together, *, over_time: bool) -> Problem:
    text = f"cells of several tables are sums of cells by {_named(levels)}, "
    if over_time:
        return Problem(
            "statistics.tables", f"{text}which an audit over time does not cover.", _remedy(levels)
        )
    text += "which no table has: an audit does not know which of them are empty and hidden."
    grouping = _impossible("", levels, together)  # a table of both would be refused, too
    remedy = f"Add a table by {_named(levels)}, or publish empty cells (`zeros: publish`)."
    return Problem("protect.zeros", text, grouping[0].remedy if grouping else remedy)


def _too_large(levels: Levels, cells: int) -> Problem:
    text = (
        f"cells of several tables are sums of cells by {_named(levels)}: an audit needs"
        f" {counted(cells, 'cell')}, and the limit is {MOST_CELLS:,}."
    )
    return Problem("statistics.tables", text, _remedy(levels))


def _remedy(levels: Levels) -> str:
    return (
        f"Add a table by {_named(levels)}, leave out one of the tables that share these dimensions, or"
        " make a dimension a level of another one."
    )


def _named(levels: Levels) -> str:
    names = [f"{name} (from level {at})" if at else name for name, at in levels.items()]
    return ", ".join(names[:-1]) + f" and {names[-1]}"
