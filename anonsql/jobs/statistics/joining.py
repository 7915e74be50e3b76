"""Count the cells of all dimensions of circles of tables, which are audited beside those that are
published."""

from __future__ import annotations

from collections.abc import Sequence

from anonsql.jobs.job import Job
from anonsql.jobs.statistics.state import Tabulation, tabulation_of
from anonsql.statistics.cells import Cells
from anonsql.statistics.circles import Circle, circles_of
from anonsql.statistics.cubes import Vector
from anonsql.statistics.joint import Joint, joint_of


def audited_circles(tabulation: Tabulation) -> list[Circle]:
    """Return the circles of tables that may be audited, if they are not too large."""
    policy = tabulation.policy
    if policy.protect.by != "suppression" or policy.protect.over_time is not None:
        return []
    found = circles_of(policy.tables, tabulation.plan.attributes)
    return [circle for circle in found if circle.alike]


def count_joints(job: Job, circles: Sequence[Circle], *, several: bool) -> None:
    """Count the combinations of the dimensions of circles; ``several`` is whether somebody may be in
    several rows of what is counted."""
    plan = tabulation_of(job).plan
    for number, circle in enumerate(circles, start=1):
        levels = {a.index: circle.levels.get(a.index) for a in plan.attributes}
        job.engine.run(
            "statistics/counted",
            name=f"joint_{number}",
            vectors=[Vector(number, levels)],
            attributes=plan.attributes,
            sums=plan.sums,
            several=several,
            keyed=False,
            ranked=0,
            named=False,
        )


def read_joints(job: Job, circles: Sequence[Circle], cells: Cells) -> list[Joint]:
    """Return the cells of all dimensions of those circles that are small enough."""
    plan, joints = tabulation_of(job).plan, list[Joint]()
    groups = {
        (index, level): int((cells.counted["v"] == number).sum())
        for number, index, level in plan.singles
    }
    numbers = {tuple(vector.levels.values()): vector.number for vector in plan.vectors}
    for number, circle in enumerate(circles, start=1):
        if circle.countable(groups):
            vectors = [
                numbers[tuple(levels.get(a.index) for a in plan.attributes)]
                for levels in circle.tables.values()
            ]
            settings = {"vectors": vectors, "shared": circle.shared, "first": circle.first}
            found = job.engine.numbers(
                "statistics/joint", joint=f"joint_{number}", sums=plan.sums, **settings
            )
            joints += joint_of(found, len(vectors), plan.sums, cells.size)
        job.engine.drop(f"joint_{number}")
    return joints
