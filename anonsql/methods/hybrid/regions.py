"""Relocation between Mondrian's regions: hybrid generalization with ``recoding: mondrian``.

Nergiz, Gök, Özkanlı (2013) refer to this as M-Hybrid, described in a technical report that is not
available; this is a design of our own on their Algorithm 2
(:mod:`anonsql.methods.hybrid.relocation`). Mondrian's regions are cut further, into ones that are
too small (:mod:`anonsql.methods.hybrid.region_cuts`), and rows are relocated until every region has
k rows again. Of the best cuts as many are made as this succeeds for within the limits of change.

A row that is moved is released as the region that it moves to. Those of its entries change whose
value is not in what is released for that region. The closest region is the one for which fewest
entries change, then the one whose box would have to grow least to contain the row (NCP). The label
of a region depends on its own cells alone, whatever rows are moved into it or out of it.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from anonsql.methods import groups
from anonsql.methods.groups import Cells, Form, Grouped
from anonsql.methods.hybrid.region_cuts import RegionTree, cut_further
from anonsql.methods.hybrid.relocated_groups import Groups, Limits, RelocatedGroups, critical
from anonsql.methods.hybrid.relocation import Answer, Ask, relocate
from anonsql.methods.hybrid.settings import Hybrid
from anonsql.methods.mondrian import method as mondrian
from anonsql.methods.mondrian.method import Rule
from anonsql.system.arrays import IntArray

_PAIRS = 1_000_000
"""About how many pairs of regions one statement compares."""
_TARGETS = 4_000
"""About how many targets a mover is compared with where there are more (a table of 45,000 rows has
fewer at k = 10)."""
_STEPS = 1_000_000
"""Distances are integers from 0 to this: that of the whole domain."""
_ROTATION = 7919
"""By how many targets the starting positions of consecutive movers differ, so that movers prefer
different ones of equally close targets."""
_ATTEMPTS = 6
"""After as many failed attempts the number of cuts that are tried is halved each time."""


@dataclass(frozen=True)
class _Plan:
    """What stays the same: the cells, how attributes are released, how many values each has, and
    the tree of further cuts."""

    cells: Cells
    forms: Mapping[int, Form]
    domains: Mapping[int, int]
    tree: RegionTree

    @property
    def parameters(self) -> dict[str, Any]:
        attributes = self.cells.star.attributes
        total = sum(attribute.policy.weight for attribute in attributes)
        return {
            "attributes": attributes,
            "forms": self.forms,
            "sizes": self.domains,
            "total": total,
            "steps": _STEPS,
        }


@dataclass(frozen=True)
class _Outcome:
    """The regions, by number, and the groups after relocation, by index into ``regions``;
    ``without`` are the indices of groups that found no target."""

    regions: IntArray
    groups: Groups
    done: bool
    without: IntArray


def relocate_regions(cells: Cells, method: Hybrid) -> tuple[Grouped, RelocatedGroups]:
    """Make ``assigned`` (c1 … cn, grp, home: the region that the rows come from, first and last
    where cells are divided) and ``groups`` of Mondrian's regions, cut further and completed by
    relocating rows.

    At most a share ``method.p`` of the quasi-identifying entries of all rows is changed. With
    ``method.alpha`` the chi-squared test of the new sizes against the old ones does not reject at
    that level: neither with the degrees of freedom of the regions before they were cut further, nor
    with those of the regions that the release shows (it shows emptied regions as one group at
    most).

    The promise must be k rows and nothing else. Where relocation gains nothing, the result is
    Mondrian's own.
    """
    forms = mondrian.make_parts(cells, Rule())
    domains = dict(cells.engine.query("methods/groups/domains"))
    most = method.max_changed(cells.star.rows, len(cells.star.attributes))
    limits = Limits(
        cells.promise.k,
        most,
        critical(method.alpha, cells.engine.query("sql/rows", table="final_parts")[0][0]),
        merged=method.alpha,
    )
    tree, rounds = cut_further(cells, forms, domains, most)
    plan = _Plan(cells, forms, domains, tree)
    _measure_regions(plan, rounds)
    outcome, grouped = _better(plan, limits, method.variant == "randomized")
    rows, *changed = cells.engine.query(
        "methods/hybrid/regions/changed", split=grouped.split, **plan.parameters
    )[0]
    cells.engine.drop("spots", "boxes", "final_parts", "fates", "taken")
    tested = (
        (None, None)
        if method.alpha is None
        else (outcome.groups.chi_squared, outcome.groups.critical())
    )
    indices = [attribute.index for attribute in cells.star.attributes]
    return grouped, RelocatedGroups(rows, dict(zip(indices, changed, strict=True)), *tested)


def _measure_regions(plan: _Plan, rounds: int) -> None:
    """Make ``spots``, the cells of all regions, and ``boxes``, what is released for them."""
    run = plan.cells.engine.run
    plan.cells.engine.drop("settled", "final_parts")
    run(
        "methods/hybrid/regions/spots",
        rounds=rounds,
        attributes=plan.cells.star.attributes,
        forms=plan.forms,
    )
    run("methods/hybrid/regions/boxes", attributes=plan.cells.star.attributes, forms=plan.forms)
    plan.cells.engine.drop(*(f"pieces_{number}" for number in range(rounds + 1)))


def _better(plan: _Plan, limits: Limits, at_random: bool) -> tuple[_Outcome, Grouped]:
    regions = plan.tree.regions([])
    plain = _Outcome(regions, _groups(plan, regions, limits), True, regions[:0])
    if not plan.tree.cuts:
        return plain, _lay_out(plan, plain)
    _lay_out(plan, plain)
    before = _loss(plan.cells)
    outcome = _attempt(plan, limits, at_random)
    made = _lay_out(plan, outcome)
    if outcome.groups.moves and _loss(plan.cells) <= before:
        return outcome, made
    return plain, _lay_out(plan, plain)


def _loss(cells: Cells) -> float:
    return groups.measures(cells, groups.sizes(cells))["loss"]


def _groups(
    plan: _Plan, regions: IntArray, limits: Limits, draw: random.Random | None = None
) -> Groups:
    sizes = np.array([plan.tree.sizes[value] for value in regions.tolist()], dtype=np.int64)
    return Groups(sizes, limits, draw=draw, once=True)


def _attempt(plan: _Plan, limits: Limits, at_random: bool) -> _Outcome:
    """Relocate for as many of the best cuts as succeed. A failed attempt shows which cuts no other
    region can help, or how many rows the permitted entries (one a row or more) are enough for."""
    tree, rows, attempts = plan.tree, float(limits.max_cells), 0
    while True:
        cut = tree.best(rows)
        regions = tree.regions(cut)
        tried = _groups(plan, regions, limits, random.SystemRandom() if at_random else None)
        outcome = _drive(plan, regions, tried)
        if outcome.done:
            return outcome
        for value in outcome.without.tolist():
            tree.drop(tree.parents[int(regions[value])])
        if not outcome.without.size:
            attempts += 1
            left = int(np.minimum(tried.need, tried.sizes).sum())
            share = (
                min(tried.rows / (tried.rows + left), 0.95)
                if attempts < _ATTEMPTS and tried.rows
                else 0.5
            )
            rows = min(tree.needed(cut) * share, tree.needed(cut) - 1)


def _drive(plan: _Plan, regions: IntArray, tried: Groups) -> _Outcome:
    asking, without = relocate(tried), regions[:0]
    try:
        question = next(asking)
        while True:
            answer = _answer(plan, regions, question)
            without = question.movers[answer.targets < 0]
            question = asking.send(answer)
    except StopIteration as end:
        return _Outcome(regions, tried, bool(end.value), without)


def _answer(plan: _Plan, regions: IntArray, ask: Ask) -> Answer:
    """Return the closest targets. Targets that were cut from the same region of Mondrian are looked
    at first: where every row changes a single entry there, hardly any other region can do better,
    as no two regions contain the same combinations."""
    targets = {"target": regions[ask.targets], "place": np.arange(len(ask.targets), dtype=np.int64)}
    plan.cells.engine.load_numbers(
        "targets", targets if ask.surplus is None else {**targets, "surplus": ask.surplus}
    )
    answer = Answer.none(ask)
    everyone = np.arange(len(ask.movers), dtype=np.int64)
    if ask.pairs is not None:
        _look(plan, regions, (ask, everyone, ask.pairs), answer)
    else:
        _look(plan, regions, (ask, everyone, _kin(plan, regions, ask)), answer)
        _look_around(plan, regions, ask, answer)
    plan.cells.engine.drop("targets", "movers", "pairs")
    return answer


def _look_around(plan: _Plan, regions: IntArray, ask: Ask, answer: Answer) -> None:
    """Note the closest of all targets where it can be better than what was found. Where there are
    very many targets, each batch of movers looks at every stride-th target only, beginning at
    another one; movers that find none then look at all."""
    left = np.flatnonzero((answer.targets < 0) | (answer.cells > ask.rows))
    for stride in sorted({max(-(-len(ask.targets) // _TARGETS), 1), 1}, reverse=True):
        step = max(_PAIRS * stride // max(len(ask.targets), 1), 1)
        for offset, start in enumerate(range(0, len(left), step)):
            _look(
                plan,
                regions,
                (ask, left[start : start + step], None),
                answer,
                (stride, offset % stride),
            )
        left = np.flatnonzero(answer.targets < 0)


def _kin(plan: _Plan, regions: IntArray, ask: Ask) -> IntArray:
    roots = [plan.tree.root(value) for value in regions.tolist()]
    targets = dict[int, list[int]]()
    for value in ask.targets.tolist():
        targets.setdefault(roots[value], []).append(value)
    pairs = [
        (mover, target) for mover in ask.movers.tolist() for target in targets.get(roots[mover], ())
    ]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _look(
    plan: _Plan,
    regions: IntArray,
    question: tuple[Ask, IntArray, IntArray | None],
    answer: Answer,
    some: tuple[int, int] = (1, 0),
) -> None:
    """Note the closest targets of some movers, where they are closer than those noted. ``question``
    has what is asked, the indices of the movers in it, and the pairs to look at, or None for all
    targets; ``some`` is (stride, offset): every stride-th target, beginning at ``offset``."""
    (ask, positions, pairs), engine, many = question, plan.cells.engine, len(question[0].targets)
    if not positions.size or not many or (pairs is not None and not pairs.size):
        return
    movers = regions[ask.movers[positions]]
    engine.load_numbers(
        "movers", {"mover": movers, "place": positions, "rows": ask.rows[positions]}
    )
    if pairs is not None:
        engine.load_numbers(
            "pairs", {"mover": regions[pairs[:, 0]], "target": regions[pairs[:, 1]]}
        )
    template = (
        "methods/hybrid/regions/takers" if ask.surplus is None else "methods/hybrid/regions/givers"
    )
    parameters = {
        **plan.parameters,
        "paired": pairs is not None,
        "many": many,
        "turn": _ROTATION,
        "stride": some[0],
        "offset": some[1],
    }
    arrays = engine.numbers(template, **parameters)
    if not arrays:
        return
    position_of = dict(zip(movers.tolist(), positions.tolist(), strict=True))
    for mover, key in zip(arrays[0].tolist(), arrays[1].tolist(), strict=True):
        position, (cost, turned) = position_of[mover], divmod(key, many)
        if answer.targets[position] < 0 or cost // _STEPS < answer.cells[position]:
            answer.targets[position] = ask.targets[(turned - position * _ROTATION) % many]
            answer.cells[position] = cost // _STEPS


def _lay_out(plan: _Plan, outcome: _Outcome) -> Grouped:
    engine, attributes = plan.cells.engine, plan.cells.star.attributes
    regions, done = outcome.regions, outcome.groups
    fates, occupied = np.arange(len(regions)), np.flatnonzero(done.sizes > 0)
    for move in done.moves:
        if move.rows == done.homes[move.home]:
            fates[move.home] = move.target
    parts = [move for move in done.moves if move.rows < done.homes[move.home]]
    engine.load_numbers("fates", {"part": regions, "target": regions[fates]})
    engine.load_numbers("kept", {"part": regions[occupied], "n": done.sizes[occupied]})
    engine.drop("final_parts", "assigned", "groups", "taken")
    if parts:
        homes, targets, rows = np.array(
            [(part.home, part.target, part.rows) for part in parts], dtype=np.int64
        ).T
        engine.load_numbers(
            "gifts", {"part": regions[homes], "target": regions[targets], "rows": rows}
        )
        engine.run("methods/hybrid/regions/taken", **plan.parameters)
    for template in ("settled", "final_parts", "assigned"):
        engine.run(f"methods/hybrid/regions/{template}", attributes=attributes, split=bool(parts))
    mondrian.label_groups(plan.cells, plan.forms)
    engine.drop("kept", "gifts")
    return Grouped(plan.forms, split=bool(parts))
