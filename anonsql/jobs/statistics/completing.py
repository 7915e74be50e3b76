"""Cells that nobody is in, beside those that were counted: of a public domain, or where it is not
told that nobody is in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonsql.jobs.job import Job
from anonsql.jobs.statistics.state import tabulation_of
from anonsql.statistics.cubes import PORTION, Vector

COUNTED, _COMPLETED = "counted", "completed"
_ALL, _OCCURRING = ("groups",), ("occurring",)


def complete(job: Job, **besides: bool) -> str:
    """Return the table of the cells that were counted, and of those that nobody is in: of a public
    domain the combinations of all groups of the hierarchies; else, where tables do not tell where
    nobody is, of the groups that somebody is in. ``besides`` says what was counted besides
    (``ranked``, ``named``, ``exclusive``: see the template ``statistics/counted``)."""
    tabulation, engine = tabulation_of(job), job.engine
    plan, noise = tabulation.plan, tabulation.policy.protect.noise
    if noise is not None and noise.domain == "public":
        return _with_empty(job, plan.vectors, _ALL, besides)
    if not plan.complete:
        return COUNTED
    engine.run("statistics/occurring", singles=plan.singles)
    vectors = [vector for vector in plan.vectors if vector.number in plan.complete]
    name = _with_empty(job, vectors, _OCCURRING, besides)
    engine.drop(*_OCCURRING)
    return name


def _with_empty(
    job: Job, vectors: Sequence[Vector], groups: tuple[str], besides: Mapping[str, bool]
) -> str:
    """Return the table of all cells, with the combinations of ``groups`` at some vectors of levels
    that were not counted."""
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
    engine.run("statistics/together", portions=[COUNTED, *portions], name=_COMPLETED)
    for name in (COUNTED, *portions):
        engine.drop(name)
    return _COMPLETED
