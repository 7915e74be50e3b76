"""The best partition of one ordered domain into intervals, by dynamic programming over their ends.

An interval that can be divided into two that keep the promise is never needed, for both measures:
both parts lose less. Rows that are suppressed are so value by value. Verdicts on intervals come in
rounds of doubled lengths, one statement each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

Span = tuple[int, int]
"""An interval: its first and its last position."""


@dataclass(frozen=True)
class Verdict:
    """Whether an interval keeps the promise, its rows, and what it costs when it is released."""

    ok: bool
    rows: int
    cost: int


@dataclass(frozen=True)
class Plan:
    """Intervals for all positions up to one: the rows suppressed in them, their cost, the first
    position of the last one, and the plan for what comes before that."""

    suppressed: int
    cost: int
    start: int = 0
    before: Plan | None = None

    @property
    def starts(self) -> list[int]:
        """The first position of every interval, the last interval's first."""
        found: list[int] = []
        plan = self
        while plan.before is not None:
            found.append(plan.start)
            plan = plan.before
        return found


Judge = Callable[[Sequence[Span]], Mapping[Span, Verdict]]


def needed(first: int, last: int, judge: Judge, growing: bool) -> dict[Span, Verdict]:
    """Verdicts on every interval that a best partition of the positions ``first`` to ``last`` may
    need. ``growing`` when what holds an interval that keeps the promise keeps it too: then no
    longer one is asked for where a shorter can be divided."""
    verdicts: dict[Span, Verdict] = {}
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
    """Whether an interval can be divided into two that keep the promise, where longer ones always
    do."""
    middle = shortest.get(start, stop)
    return any(shortest.get(second, stop + 1) <= stop for second in range(middle + 1, stop + 1))


def best(
    first: int, last: int, verdicts: Mapping[Span, Verdict], lost: int, max_suppressed: int
) -> list[Plan]:
    """The cheapest partitions of the positions ``first`` to ``last`` for every number of suppressed
    rows that it pays to suppress, fewest first; none when there is none within the limit. ``lost``
    is what a suppressed row costs."""
    ends: dict[int, list[Span]] = {}
    for span in verdicts:
        ends.setdefault(span[1], []).append(span)
    plans = {first - 1: [Plan(0, 0)]}
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
                Plan(each.suppressed + suppressed, each.cost + cost, start, each)
                for each in plans[start - 1]
            ]
        plans[stop] = undominated(made, max_suppressed)
    return plans[last]


def undominated(plans: Sequence[Plan], max_suppressed: int) -> list[Plan]:
    """Those plans within the limit that no other betters in suppressed rows and cost, fewest
    suppressed rows first."""
    kept: list[Plan] = []
    for plan in sorted(plans, key=lambda each: (each.suppressed, each.cost, each.start)):
        if plan.suppressed <= max_suppressed and (not kept or plan.cost < kept[-1].cost):
            kept.append(plan)
    return kept
