"""Conditions in three-valued logic: what a label covers satisfies a condition surely, possibly, or
not at all.

Conditions on one column become the set of its values of which they are true, so they are decided
together, value by value. What is left are sets of different columns, joined by AND and OR: a row
surely satisfies an AND if it surely satisfies every part, and possibly if it possibly satisfies
every part. Negations are moved down to single conditions; the only one that is true of NULL is IS
NULL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from anonsql.query import value_sets
from anonsql.query.value_sets import ANY, KNOWN, NONE, ValueSet
from anonsql.query.where import Atom, Condition

SetOf = Callable[[Atom], tuple[str, ValueSet]]
"""A function that returns the column of a single condition, and its values of which it is true."""


@dataclass(frozen=True)
class Leaf:
    """The condition that a column has one of some values."""

    column: str
    values: ValueSet


@dataclass(frozen=True)
class Junction:
    """Conditions joined by AND or OR (``by``)."""

    by: str
    parts: tuple[Node, ...]


Node = Leaf | Junction | bool


@dataclass(frozen=True)
class Conjunction:
    """A condition as the sets of values that columns must have (``columns``), and AND of what else
    must hold (``others``), all of OR."""

    columns: Mapping[str, ValueSet]
    others: tuple[Junction, ...] = ()

    @property
    def leaves(self) -> list[Leaf]:
        """The leaves of the other conditions."""
        return [leaf for other in self.others for leaf in _leaves(other)]


def conjunction(
    condition: Condition | None, set_of: SetOf, known: str | None
) -> Conjunction | None:
    """Return a condition, and that a ``known`` column is not NULL; None where nothing satisfies
    it."""
    parts: list[Node] = [] if condition is None else [_node(condition, set_of, denied=False)]
    parts += [] if known is None else [Leaf(known, KNOWN)]
    node = _joined("AND", parts)
    if node is False:
        return None
    every = node.parts if isinstance(node, Junction) and node.by == "AND" else (node,)
    return Conjunction(
        {part.column: part.values for part in every if isinstance(part, Leaf)},
        tuple(part for part in every if isinstance(part, Junction)),
    )


def _leaves(node: Node) -> Iterator[Leaf]:
    if isinstance(node, Leaf):
        yield node
    elif isinstance(node, Junction):
        for part in node.parts:
            yield from _leaves(part)


def _node(condition: Condition, set_of: SetOf, *, denied: bool) -> Node:
    """Return a condition, or where it is ``denied`` its negation."""
    if isinstance(condition, Atom):
        name, values = set_of(condition)
        if denied:
            values = KNOWN if condition.operator == "IS NULL" else value_sets.but(values)
        return _leaf(name, values)
    if condition.by == "NOT":
        return _node(condition.parts[0], set_of, denied=not denied)
    if condition.by == "IS TRUE":
        true = _node(condition.parts[0], set_of, denied=False)
        return _otherwise(true) if denied else true
    by = condition.by if not denied else "OR" if condition.by == "AND" else "AND"
    return _joined(by, [_node(part, set_of, denied=denied) for part in condition.parts])


def _otherwise(node: Node) -> Node:
    """Return the condition that is true wherever another is not true: unknown or false."""
    if isinstance(node, bool):
        return not node
    if isinstance(node, Leaf):
        values = node.values
        return _leaf(node.column, ValueSet(not values.begins, values.cuts, not values.null))
    by = "OR" if node.by == "AND" else "AND"
    return _joined(by, [_otherwise(part) for part in node.parts])


def _leaf(name: str, values: ValueSet) -> Node:
    return Leaf(name, values) if values not in (ANY, NONE) else values == ANY


def _joined(by: str, parts: Sequence[Node]) -> Node:
    """Return conditions joined by AND or OR: those on one column as one, and simplified."""
    every = by == "AND"
    sets: dict[str, list[ValueSet]] = {}
    made: list[Node] = []
    waiting = list(reversed(parts))
    while waiting:
        part = waiting.pop()
        if isinstance(part, Leaf):
            sets.setdefault(part.column, []).append(part.values)
        elif isinstance(part, Junction) and part.by == by:
            waiting += reversed(part.parts)
        else:
            made.append(part)
    made += [_leaf(name, value_sets.joined(own, every)) for name, own in sets.items()]
    if (not every) in made:
        return not every
    left = [part for part in made if not isinstance(part, bool)]
    if len(left) < 2:
        return left[0] if left else every
    return Junction(by, tuple(left))
