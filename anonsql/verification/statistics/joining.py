"""The cells of all dimensions of circles of tables, counted anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonsql.policy.statistics import StatisticsPolicy
from anonsql.statistics.circles import Circle, circles_of
from anonsql.statistics.joint import Joint, joint_of
from anonsql.system.arrays import IntArray, np
from anonsql.verification.statistics.compared import Compared
from anonsql.verification.statistics.gathered import People


def recount_joints(compared: Compared, policy: StatisticsPolicy, people: People) -> list[Circle]:
    """Count the combinations of the dimensions of circles anew; return those that may be audited."""
    if policy.protect.by != "suppression" or policy.protect.over_time is not None:
        return []
    found = [circle for circle in circles_of(policy.tables, compared.attributes) if circle.alike]
    for number, circle in enumerate(found, start=1):
        compared.engine.run(
            "verification/statistics/recounted",
            all_attributes=compared.attributes,
            vectors=[_levels(compared, circle.levels)],
            rows=(people.table,),
            several=people.several,
            keyed=False,
            sums=compared.sums,
            ranked=0,
            named=False,
            name=f"joint_{number}",
        )
    return found


def read_joints(
    compared: Compared, circles: Sequence[Circle], levels: Sequence[IntArray]
) -> list[Joint]:
    """Return the cells of all dimensions of those circles that are small enough; ``levels`` are
    those of every audited cell, by dimension."""
    attributes, joints = compared.attributes, list[Joint]()
    below = sum(
        (own < a.height).astype(np.int64) for a, own in zip(attributes, levels, strict=True)
    )
    groups = {
        (a.index, level): int(((own == level) & (below == 1)).sum())
        for a, own in zip(attributes, levels, strict=True)
        for level in range(a.height)
    }
    for number, circle in enumerate(circles, start=1):
        if circle.countable(groups):
            margins = [_levels(compared, own) for own in circle.tables.values()]
            settings = {"margins": margins, "shared": circle.shared, "first": circle.first}
            found = compared.engine.numbers(
                "verification/statistics/joint",
                joint=f"joint_{number}",
                sums=compared.sums,
                **settings,
            )
            joints += joint_of(found, len(margins), compared.sums, len(levels[0]))
        compared.engine.drop(f"joint_{number}")
    return joints


def _levels(compared: Compared, levels: Mapping[int, int]) -> dict[int, int]:
    """Return the levels of all dimensions, by their index: the height where they are at the top."""
    return {a.index: levels.get(a.index, a.height) for a in compared.attributes}
