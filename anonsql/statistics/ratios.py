"""Means, rates and shares: computed from what is published of other measures, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from anonsql.policy.statistics import StatisticsPolicy
from anonsql.policy.statistics_tables import ShareOf
from anonsql.statistics.cubes import Plan, TableMeasure
from anonsql.system.arrays import BoolArray, IntArray, np


@dataclass(frozen=True)
class Ratio:
    """A measure as ``shown``, its ``values`` in units of the last digit, which are ``hidden``."""

    shown: TableMeasure
    values: IntArray
    hidden: BoolArray


def ratios(
    policy: StatisticsPolicy,
    plan: Plan,
    vectors: IntArray,
    values: Mapping[str, IntArray],
    hidden: Mapping[str, BoolArray],
) -> list[Ratio]:
    """Return the ratios of a policy, of cells with these ``vectors`` of levels: by the published
    ``values`` of measures, and which are ``hidden``. A ratio is hidden where one of its measures
    is, where its divisor is 0, and where it has more than 16 digits."""
    by_name, made = {measure.name: measure for measure in plan.measures}, list[Ratio]()
    tops = [v.number for v in plan.vectors if all(level is None for level in v.levels.values())]
    total = np.flatnonzero(np.isin(vectors, tops))
    for position, (name, of) in enumerate(policy.ratios.items(), start=1):
        above, below = of.ratio
        divisor, unknown = values[below], hidden[above] | hidden[below]
        if isinstance(of, ShareOf):
            known = total[~hidden[below][total]]
            divisor = np.full_like(divisor, divisor[known].sum())  # 0 where it is not published
        steps = of.decimals + by_name[below].scale - by_name[above].scale
        quotients, large = _divided(values[above], divisor, steps)
        column = TableMeasure(name, f"r{position}", of.decimals)
        made.append(Ratio(column, quotients, unknown | (divisor == 0) | large))
    return made


def _divided(above: IntArray, below: IntArray, steps: int) -> tuple[IntArray, BoolArray]:
    """Return quotients times a power of ten (of ``steps``) as whole numbers, rounded half up, in
    whole numbers throughout; and which are too large."""
    above, below = np.where(below < 0, -above, above), np.maximum(np.abs(below), 1)
    digits = steps + 1  # one more than is asked for, to be rounded
    whole, rest = np.divmod(above // 10 ** max(-digits, 0), below)
    most = 10 ** (16 - max(steps, 0))
    large = (whole >= most) | (whole < -most)
    whole = np.where(large, 0, whole)
    for _ in range(digits):
        digit, rest = np.divmod(rest * 10, below)
        whole = whole * 10 + digit
    return (whole + 5) // 10, large
