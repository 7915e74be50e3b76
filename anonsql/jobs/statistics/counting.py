"""Count the cells of all tables, in the database, and of the tables that an audit must know in
addition to the published ones."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from anonsql.errors import PolicyError, Problem
from anonsql.jobs.job import Job
from anonsql.jobs.statistics.noising import plan_noise
from anonsql.jobs.statistics.protecting import make_keys
from anonsql.jobs.statistics.state import Tabulation, tabulation_of
from anonsql.statistics import cells, cubes, joined
from anonsql.statistics.cubes import PORTION, Vector, levels_of, most_cells
from anonsql.statistics.joined import Levels, Together
from anonsql.system.arrays import np
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
    text = f"cells of several tables are sums of cells by {_names_of(levels)}, "
    if over_time:
        return Problem(
            "statistics.tables", f"{text}which an audit over time does not cover.", _remedy(levels)
        )
    text += "which no table has: an audit does not know which of them are empty and hidden."
    grouping = _impossible("", levels, together)  # a table of both would be refused, too
    remedy = f"Add a table by {_names_of(levels)}, or publish empty cells (`zeros: publish`)."
    return Problem("protect.zeros", text, grouping[0].remedy if grouping else remedy)


def _too_large(levels: Levels, cells: int) -> Problem:
    text = (
        f"cells of several tables are sums of cells by {_names_of(levels)}: an audit needs"
        f" {counted(cells, 'cell')}, and the limit is {MOST_CELLS:,}."
    )
    return Problem("statistics.tables", text, _remedy(levels))


def _remedy(levels: Levels) -> str:
    return (
        f"Add a table by {_names_of(levels)}, leave out one of the tables that share these dimensions, or"
        " make a dimension a level of another one."
    )


def _names_of(levels: Levels) -> str:
    names = [f"{name} (from level {at})" if at else name for name, at in levels.items()]
    return ", ".join(names[:-1]) + f" and {names[-1]}"


_COUNTED, _COMPLETED = "counted", "completed"
_ALL, _OCCURRING = ("groups",), ("occurring",)
_OF_NOISE = 2
"""The contributors whose amounts the noise of sums goes by."""
_FEWER = "Leave a dimension out of a table, or begin at a higher level (`levels`)."
_TIED = ("suppression", "rounding")
"""The ways of protection that use the relations of cells."""


def plan_cells(job: Job) -> None:
    """Plan the cells of all tables; raise PolicyError where there may be too many."""
    tabulation, attributes = tabulation_of(job), job.counted.attributes
    vectors = cubes.most_vectors(tabulation.policy, attributes)
    if vectors > cubes.MAX_VECTORS:
        text = (
            f"the tables combine levels in {vectors:,} ways, and the limit is"
            f" {cubes.MAX_VECTORS:,}."
        )
        raise PolicyError.at("statistics.tables", text, _FEWER)
    joined = joined_tables(job)
    tabulation.plan = cubes.plan(tabulation.policy, attributes, job.opened.columns, joined)
    job.engine.run("statistics/groups", attributes=attributes, levels=tabulation.plan.levels)
    groups = {
        (attribute, level): count
        for attribute, level, count in job.engine.query("statistics/group_counts")
    }
    tables = [cubes.levels_of(table) for table in tabulation.policy.tables.values()]
    complete = cubes.complete_vectors(tabulation.policy, attributes)
    combinations = max(job.counted.combinations, 1)
    most = cubes.most_cells(tables, attributes, groups, combinations, complete)
    if most > cubes.MAX_CELLS:
        text = f"the tables may have {most:,} cells, and the limit is {cubes.MAX_CELLS:,}."
        raise PolicyError.at("statistics.tables", text, _FEWER)
    require_few(job, joined, groups)
    plan_noise(job, groups)


def load_levels(job: Job) -> None:
    """Bring the levels of all vectors to the database, and which tables have them."""
    plan = tabulation_of(job).plan
    heights = {attribute.index: attribute.height for attribute in plan.attributes}
    levels = {
        vector.number: [
            heights[index] if level is None else level for index, level in vector.levels.items()
        ]
        for vector in plan.vectors
    }
    lines = [
        (number, vector, *levels[vector])
        for number, vectors in enumerate(plan.tables.values(), start=1)
        for vector in vectors
    ]
    names = [f"l{index}" for index in heights]
    of_tables = np.array(lines, np.int64).T.copy()
    job.engine.load_numbers("table_vectors", dict(zip(["t", "v", *names], of_tables, strict=True)))
    alone = np.array([(number, *own) for number, own in levels.items()], np.int64).T.copy()
    job.engine.load_numbers("vector_levels", dict(zip(["v", *names], alone, strict=True)))


def _named(job: Job, tabulation: Tabulation) -> bool:
    """Return whether the only person of a cell matters: who knows its sum, or rows."""
    plan, protect = tabulation.plan, tabulation.policy.protect
    rows = any(measure.sum is None and not measure.people for measure in plan.measures)
    known = bool(plan.sums) or (rows and job.counted.rows > tabulation.people)
    return protect.by == "suppression" and protect.entity is not None and known


def _exclusive(tabulation: Tabulation) -> str | None:
    """Return how to count people in one combination of groups alone: people with one row where rows
    are published (``rows``), else all (``groups``); None where it is not needed."""
    measures, protect = tabulation.plan.measures, tabulation.policy.protect
    if protect.by != "suppression" or protect.entity is None:
        return None
    if not any(measure.people for measure in measures):
        return None
    return "rows" if any(measure.counted == "n" for measure in measures) else "groups"


def count_cells(job: Job) -> None:
    """Count all cells, rolled up from the combinations, and read what was counted."""
    tabulation, engine = tabulation_of(job), job.engine
    plan, protect = tabulation.plan, tabulation.policy.protect
    keyed = protect.keyed
    ranked = protect.contributors if protect.of_sums else 0
    if protect.by == "cell-key" and plan.sums:
        ranked = _OF_NOISE
    apart = tabulation.several if protect.noise is None else protect.noise.counts_apart
    several = apart and protect.entity is not None
    named, exclusive = _named(job, tabulation), _exclusive(tabulation)
    shared = {
        "attributes": plan.attributes,
        "sums": plan.sums,
        "keyed": keyed,
        "exclusive": exclusive,
    }
    if keyed:
        make_keys(job)
    engine.run(
        "statistics/coded",
        levels=plan.levels,
        finest=plan.finest,
        entity=protect.entity is not None,
        apart=several or ranked > 0 or named,
        **shared,
    )
    # a person whose amounts are ranked is one contributor of a cell, in however many combinations
    added = protect.entity is not None and (several or ranked > 0 or named)
    portions = list[str]()
    for first in range(0, len(plan.vectors), cubes.PORTION):
        portions.append(f"counted_{len(portions) + 1}")
        part = plan.vectors[first : first + cubes.PORTION]
        settings = {"vectors": part, "several": added, "ranked": ranked, "name": portions[-1]}
        engine.run("statistics/counted", named=named, **settings, **shared)
    engine.run("statistics/together", portions=portions, name=_COUNTED)
    engine.drop(*portions, "coded")
    counted = _complete(job, ranked=ranked > 0, named=named, exclusive=exclusive is not None)
    engine.run("statistics/cells", counted=(counted,), attributes=plan.attributes)
    engine.drop(counted)
    load_levels(job)
    noise = protect.noise
    tied = protect.by in _TIED or (
        noise is not None and noise.domain == "public" and noise.consistent
    )
    tabulation.counted_here = True
    columns = ["exclusive"] if exclusive else []
    columns += [name for entry in plan.sums for name in entry.ranks] if protect.of_sums else []
    tabulation.cells = cells.read(engine, plan, columns, tied=tied, named=named)


def _complete(job: Job, **besides: bool) -> str:
    """Return the table of the counted cells and of empty ones: of a public domain the combinations
    of all groups of the hierarchies; else, where tables hide empty cells, of the groups that occur.
    ``besides`` says what else was counted (``ranked``, ``named``, ``exclusive``: see the template
    ``statistics/counted``)."""
    tabulation, engine = tabulation_of(job), job.engine
    plan, noise = tabulation.plan, tabulation.policy.protect.noise
    if noise is not None and noise.domain == "public":
        return _with_empty(job, plan.vectors, _ALL, besides)
    if not plan.complete:
        return _COUNTED
    engine.run("statistics/occurring", singles=plan.singles)
    vectors = [vector for vector in plan.vectors if vector.number in plan.complete]
    name = _with_empty(job, vectors, _OCCURRING, besides)
    engine.drop(*_OCCURRING)
    return name


def _with_empty(
    job: Job, vectors: Sequence[Vector], groups: tuple[str], besides: Mapping[str, bool]
) -> str:
    plan, engine = tabulation_of(job).plan, job.engine
    portions = list[str]()
    for first in range(0, len(vectors), PORTION):
        portions.append(f"domain_{len(portions) + 1}")
        engine.run(
            "statistics/domain",
            name=portions[-1],
            vectors=vectors[first : first + PORTION],
            groups=groups,
            attributes=plan.attributes,
            sums=plan.sums,
            **besides,
        )
    engine.run("statistics/together", portions=[_COUNTED, *portions], name=_COMPLETED)
    engine.drop(_COUNTED, *portions)
    return _COMPLETED
