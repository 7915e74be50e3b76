"""Single-dimension ordered-set partitioning (Incognito, section 5.1.2; Bayardo, Agrawal, ICDE
2005).

Each attribute's ordered domain is cut into disjoint intervals that cover it, the same for all rows,
by the set of cuts that costs least as measured by ``minimize``. For one attribute dynamic
programming finds the optimum. For several, branch and bound begins with a greedy solution and
improves it within ``budget``, ``seconds`` and half of
``engine.seconds``. NULL is a value of its own: a part by itself, or in one part with the whole
domain, as ``*``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonsql.errors import PolicyError, Problem
from anonsql.methods.base import GroupMethod
from anonsql.methods.groups import Cells, Form, Grouped
from anonsql.methods.ordered_partition import segmentation
from anonsql.methods.ordered_partition.branch_and_bound import Best, Search
from anonsql.methods.ordered_partition.cuts import CutRecoding, Cuts
from anonsql.methods.ordered_partition.segmentation import SegmentPlan, SegmentVerdict, Span
from anonsql.methods.ordered_partition.settings import OrderedPartition
from anonsql.methods.refinement import WHOLE, Refiner, keep
from anonsql.system.clock import Clock, Progress, silent


class OrderedPartitionMethod(GroupMethod[OrderedPartition]):
    """Release intervals of each column's ordered domain."""

    settings = OrderedPartition

    def group(self, cells: Cells) -> Grouped:
        """Find the cuts and release the intervals between them."""
        method, attributes = self.parameters, cells.star.attributes
        _require_ends(cells)
        cuts = Cuts(
            Refiner(cells.engine, attributes, cells.promise, cells.star.rows, method.minimize),
            method.resolution,
        )
        cuts.lay_out()
        best = find(
            cuts,
            cells.max_suppressed,
            method.budget,
            seconds=method.seconds,
            progress=cells.progress,
            clock=cells.clock,
        )
        cuts.judge([CutRecoding(best.cuts, 0)])
        keep(cells, "intervals", 0)
        cells.engine.run("methods/ordered_partition/interval_groups", attributes=attributes)
        forms: dict[int, Form] = {
            attribute.index: "numbers" if attribute.sorts else "names" for attribute in attributes
        }
        return Grouped(forms, optimal=best.optimal)

    def facts(self, made: Grouped) -> dict[str, object]:
        """Return whether the partition is optimal."""
        return {"optimal": str(made.optimal).lower()}


def _require_ends(cells: Cells) -> None:
    floats = {
        attribute.index: attribute
        for attribute in cells.star.attributes
        if attribute.column.kind == "float"
    }
    rows = (
        cells.engine.query("methods/ordered_partition/endless", attributes=list(floats.values()))
        if floats
        else []
    )
    text = "{} values are infinite or not numbers, so no interval contains them."
    problems = [
        Problem(floats[index].where, text.format(count), "Make them NULL in a view.")
        for index, count in rows
        if count
    ]
    if problems:
        raise PolicyError(problems)


def find(
    cuts: Cuts,
    max_suppressed: int,
    budget: int,
    *,
    seconds: float | None = None,
    progress: Progress = silent,
    clock: Clock | None = None,
) -> Best:
    """Return the cheapest partition found within the limit of suppressed rows, the budget and the
    search's share of the time by ``clock``; one without cuts where there is none."""
    if len(cuts.domains) == 1:
        best = best_of_one(cuts, max_suppressed)
    else:
        best = Search(
            cuts,
            max_suppressed,
            budget,
            cuts.refiner.promise.monotone(max_suppressed),
            seconds,
            progress,
            clock or Clock(),
        ).run()
    return Best(best.cuts, best.cost, best.optimal and all(domain.exact for domain in cuts.domains))


def best_of_one(cuts: Cuts, max_suppressed: int) -> Best:
    """Return the best cuts of a single attribute."""
    domain, refiner = cuts.domains[0], cuts.refiner
    lost = WHOLE if refiner.measure == "loss" else refiner.rows
    first = max(domain.first, 1)
    verdicts = segmentation.needed(
        first,
        domain.last,
        lambda spans: _verdicts(cuts, spans),
        growing=refiner.promise.monotone(1),
    )
    plans = segmentation.best(first, domain.last, verdicts, lost, max_suppressed)
    if domain.first == 0:
        plans = _with_null(
            _verdicts(cuts, sorted({(0, 0), (0, domain.last)})),
            domain.last,
            plans,
            lost,
            max_suppressed,
        )
    if not plans:
        return Best(0, 0, optimal=True)
    plan = min(plans, key=lambda plan: (plan.cost, plan.suppressed))
    bits = sum(
        1 << cuts.numbers[domain.attribute, start] for start in plan.starts if start > domain.first
    )
    return Best(bits, plan.cost, optimal=True)


def _with_null(
    verdicts: Mapping[Span, SegmentVerdict],
    last: int,
    plans: Sequence[SegmentPlan],
    lost: int,
    max_suppressed: int,
) -> list[SegmentPlan]:
    alone, whole = verdicts[0, 0], verdicts[0, last]
    suppressed, cost = (0, alone.cost) if alone.ok else (alone.rows, alone.rows * lost)
    made = [
        SegmentPlan(plan.suppressed + suppressed, plan.cost + cost, plan.start, plan.before)
        for plan in plans
    ]
    if whole.ok:
        made.append(SegmentPlan(0, whole.cost))
    return segmentation.undominated(made, max_suppressed)


def _verdicts(cuts: Cuts, spans: Sequence[Span]) -> dict[Span, SegmentVerdict]:
    refiner = cuts.refiner
    refiner.engine.load("spans", [("start", "INTEGER"), ("stop", "INTEGER")], spans)
    rows_of_spans = refiner.engine.query(
        "methods/ordered_partition/spans",
        a=refiner.attributes[0],
        keys=["start", "stop", "lost"],
        promise=refiner.promise,
    )
    verdicts = {}
    for start, stop, lost, rows, ok in rows_of_spans:
        worth = WHOLE if start == 0 < stop else lost
        verdicts[start, stop] = SegmentVerdict(
            ok, rows, rows * (worth if refiner.measure == "loss" else rows)
        )
    return verdicts


METHODS = (OrderedPartitionMethod,)
