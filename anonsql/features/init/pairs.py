"""Columns that determine each other: a postcode the city, a day of birth the age. Generalizing both
costs twice, and generalizing one is undone by the other."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from anonsql.engines.base import ORDERED, Engine, Relation
from anonsql.errors import Problem
from anonsql.features.init.policy_text import shown
from anonsql.features.init.proposals import Decision

MOST_COLUMNS = 16
"""The columns that are compared, two by two, at most; those that others may know come first."""
MOST_ROWS = 10_000
"""The rows that are looked at, at most."""
_KNOWN = ("quasi-identifying", "null")
_FEWEST = 20  # rows whose value repeats, so that a dependence is not due to chance
_SHARE = 0.5  # of the rows: those whose value repeats
_WRONG = 0.05  # of the rows that are wrong by guessing the commonest value always
_COMMON = 0.9  # share of a commonest value, from which on any column determines it
_CORRELATED = 0.99
_LEAST_VARIANCE = 1e-9  # of the mean square


@dataclass(frozen=True)
class Pair:
    """``first`` determines ``other`` for a ``share`` of ``rows``; where ``both``, each the other.
    ``near``: not value by value, but as two that rise or fall together."""

    first: str
    other: str
    share: float
    rows: int
    both: bool = False
    near: bool = False

    @property
    def words(self) -> str:
        """What the table's owner should know."""
        first, other = shown(self.first), shown(self.other)
        if self.near:
            return (
                f"{first} and {other} are correlated (correlation {self.share:.3f}): a reader who"
                " knows one nearly knows the other."
            )
        of = f"for {self.share:.1%} of the rows whose value repeats"
        if self.both:
            return f"{first} and {other} determine each other, {of}."
        return f"{first} determines {other}, {of}: {other} adds nothing to it."

    @property
    def remedy(self) -> str:
        """What the table's owner can do."""
        if self.near:
            return (
                "Release one of them, or one and the difference, made in a view. The role"
                " identifying removes a column."
            )
        if self.both:
            return "Release one of them: make the other identifying, which removes it."
        return (
            f"Release one: {shown(self.other)} costs detail and adds nothing to"
            f" {shown(self.first)}. The role identifying removes a column."
        )

    @property
    def warning(self) -> Problem:
        """The pair as a warning."""
        return Problem(f"columns.{shown(self.other)}", self.words, self.remedy)


def pairs(engine: Engine, relation: Relation, decisions: Sequence[Decision]) -> list[Pair]:
    """Return the pairs of columns that determine each other, if others may know at least one of the
    two: each determined column once, with the column of fewest values."""
    compared = _compared(decisions)
    result: list[Pair] = []
    for number, decision in enumerate(compared):
        others = compared[number + 1 :]
        if decision.role not in _KNOWN:
            break  # those that others may know come first
        result += _by_values(engine, relation, decision, others)
        result += _by_order(engine, relation, decision, others)
    return _told_once(result, {entry.profile.column.name: entry for entry in compared})


def _compared(decisions: Sequence[Decision]) -> list[Decision]:
    """Return the columns but those that are removed, of one value, or of unique text."""
    able = [
        decision
        for decision in decisions
        if decision.role not in ("identifying", "weight")
        and decision.profile.column.comparable
        and decision.profile.column.kind != "other"
        and decision.profile.distinct > 1
        and (not decision.profile.unique or decision.profile.column.kind in ORDERED)
    ]
    return sorted(able, key=lambda decision: decision.role not in _KNOWN)[:MOST_COLUMNS]


def _by_values(
    engine: Engine, relation: Relation, decision: Decision, others: Sequence[Decision]
) -> Iterator[Pair]:
    if not others:
        return
    first, names = decision.profile.column.name, [other.profile.column.name for other in others]
    parameters = {"relation": relation, "first": first, "others": names, "most": MOST_ROWS}
    for name, row in zip(names, engine.query("features/init/pairs", **parameters), strict=True):
        rows, commonest_b, repeated_a, told_b, commonest_a, repeated_b, told_a = map(int, row[1:])
        forward = _tells(rows, commonest_b, repeated_a, told_b)
        backward = _tells(rows, commonest_a, repeated_b, told_a)
        if forward is not None and backward is not None:
            yield Pair(first, name, min(forward, backward), rows, both=True)
        elif forward is not None:
            yield Pair(first, name, forward, rows)
        elif backward is not None:
            yield Pair(name, first, backward, rows)


def _tells(rows: int, commonest: int, repeated: int, determined: int) -> float | None:
    """Return for which share of the ``repeated`` rows a column determines another, whose commonest
    value has so many rows; None where it does not."""
    if commonest > _COMMON * rows or repeated < max(_FEWEST, _SHARE * rows):
        return None
    wrong = 1 - determined / repeated
    return 1 - wrong if wrong <= _WRONG * (1 - commonest / rows) else None


def _by_order(
    engine: Engine, relation: Relation, decision: Decision, others: Sequence[Decision]
) -> Iterator[Pair]:
    first = decision.profile.column
    ordered = [other.profile.column for other in others if other.profile.column.kind in ORDERED]
    if first.kind not in ORDERED or not ordered:
        return
    apart = {
        profile.column.name: list(profile.apart.values.values())
        for profile in (decision.profile, *(other.profile for other in others))
        if profile.apart is not None
    }
    parameters = {"relation": relation, "first": first, "others": ordered, "most": MOST_ROWS}
    rows = engine.query("features/init/correlated", apart=apart, **parameters)
    for other, (_, n, *sums) in zip(ordered, rows, strict=True):
        if int(n) >= _FEWEST:
            correlation = _correlation(int(n), [float(value) for value in sums])
            if abs(correlation) >= _CORRELATED:
                yield Pair(first.name, other.name, correlation, int(n), near=True)


def _correlation(n: int, sums: Sequence[float]) -> float:
    """``sums`` are those of both, of their squares and of the products; 0 where one does not
    vary."""
    x, y, xx, yy, xy = (value / n for value in sums)
    var_x, var_y = xx - x**2, yy - y**2
    if var_x <= _LEAST_VARIANCE * xx or var_y <= _LEAST_VARIANCE * yy:
        return 0.0
    return (xy - x * y) / math.sqrt(var_x * var_y)


def _told_once(result: Sequence[Pair], by_name: dict[str, Decision]) -> list[Pair]:
    """Return each determined column once, with the column of fewest values."""
    values = {name: entry.profile.distinct for name, entry in by_name.items()}
    ranked = sorted(result, key=lambda pair: (pair.near, not pair.both, values[pair.first]))
    kept: dict[str, Pair] = {}
    together: set[frozenset[str]] = set()
    for pair in ranked:
        two = frozenset((pair.first, pair.other))
        if two not in together and pair.other not in kept:
            together.add(two)
            kept[pair.other] = pair
    order = list(by_name)
    return sorted(kept.values(), key=lambda pair: order.index(pair.other))
