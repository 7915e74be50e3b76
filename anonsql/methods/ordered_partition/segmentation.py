"""The best partition of one ordered domain into intervals, by dynamic programming over their ends.

An interval that can be divided into two that keep the promise is never needed, for either measure:
both parts lose less. Rows are suppressed value by value. Verdicts on intervals are requested in
rounds of doubled lengths, one statement each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

Span = tuple[int, int]
"""An interval: its first and its last position."""


@dataclass(frozen=True)
class SegmentVerdict:
    """Whether an interval keeps the promise, its rows, and its cost when released."""

    ok: bool
    rows: int
    cost: int


@dataclass(frozen=True)
class SegmentPlan:
    """A partition of all positions up to some position: the suppressed rows, the cost, the first
    position of the last interval, and the plan for the positions before that."""

    suppressed: int
    cost: int
    start: int = 0
    before: SegmentPlan | None = None

    @property
    def starts(self) -> list[int]:
        """Return the first position of every interval, from the last interval to the first."""
        numbers: list[int] = []
        plan = self
        while plan.before is not None:
            numbers.append(plan.start)
            plan = plan.before
        return numbers


Judge = Callable[[Sequence[Span]], Mapping[Span, SegmentVerdict]]


def needed(first: int, last: int, judge: Judge, growing: bool) -> dict[Span, SegmentVerdict]:
    """Return verdicts on every interval that a best partition of ``first`` to ``last`` may need.
    Where the promise is ``growing`` (an interval keeps it if one within does), none is judged if a
    shorter one from the same start can be divided."""
    verdicts: dict[Span, SegmentVerdict] = {}
    shortest: dict[
        int, int
    ] = {}  # by position: the least end with which an interval from there keeps the promise
    active = list(range(first, last + 1))
    least, most = 1, 1
    while active:
        spans = [
            (start, stop)
            for start in active
            for stop in range(start + least - 1, min(start + most, last + 1))
        ]
        verdicts.update(judge(spans))
        for span in spans:
            if verdicts[span].ok:
                shortest[span[0]] = min(span[1], shortest.get(span[0], span[1]))
        least, most = most + 1, most * 2
        active = [
            start
            for start in active
            if start + least - 1 <= last
            and not (growing and _divisible(start, start + least - 2, shortest))
        ]
    return verdicts


def _divisible(start: int, stop: int, shortest: Mapping[int, int]) -> bool:
    """Return whether an interval divides into two that keep a growing promise."""
    middle = shortest.get(start, stop)
    return any(shortest.get(second, stop + 1) <= stop for second in range(middle + 1, stop + 1))


def best(
    first: int, last: int, verdicts: Mapping[Span, SegmentVerdict], lost: int, max_suppressed: int
) -> list[SegmentPlan]:
    """Return the Pareto-optimal partitions of the positions ``first`` to ``last`` in suppressed
    rows and cost, fewest suppressed rows first; none where no partition is within
    ``max_suppressed``. ``lost`` is the cost of a suppressed row."""
    ends: dict[int, list[Span]] = {}
    for span in verdicts:
        ends.setdefault(span[1], []).append(span)
    plans = {first - 1: [SegmentPlan(0, 0)]}
    for stop in range(first, last + 1):
        made = []
        for start, _ in ends.get(stop, ()):
            verdict = verdicts[start, stop]
            if not verdict.ok and start < stop:
                continue
            suppressed, cost = (
                (0, verdict.cost) if verdict.ok else (verdict.rows, verdict.rows * lost)
            )
            made += [
                SegmentPlan(plan.suppressed + suppressed, plan.cost + cost, start, plan)
                for plan in plans[start - 1]
            ]
        plans[stop] = undominated(made, max_suppressed)
    return plans[last]


def undominated(plans: Sequence[SegmentPlan], max_suppressed: int) -> list[SegmentPlan]:
    """Return the Pareto-optimal plans within the limit, fewest suppressed rows first."""
    kept: list[SegmentPlan] = []
    for plan in sorted(plans, key=lambda plan: (plan.suppressed, plan.cost, plan.start)):
        if plan.suppressed <= max_suppressed and (not kept or plan.cost < kept[-1].cost):
            kept.append(plan)
    return kept
