"""The lookups of a completed table's values, in scratch tables of the engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from anonsql.completion.atoms import POINT, Atoms, Ranges
from anonsql.completion.joint import Marginal
from anonsql.completion.weights import Labels, Occurring, Weights
from anonsql.engines.base import Engine
from anonsql.system.arrays import IntArray, np

WHOLE = 2**50
"""What the weights of all atoms of a column add up to at most."""
CHANCES = 2**40
"""How many equally likely numbers a row draws from."""
POSITIONS = 2**16
"""More columns than a table has."""


def slot_of(atoms: int) -> int:
    """Return the units of weight that a slot has, by the number of atoms: these are found by the
    slots that they reach into."""
    return max(1, 1 << (WHOLE.bit_length() - 1 - max(atoms, 1).bit_length()))


@dataclass(frozen=True)
class Shape:
    """The form of a column's lookup: its ``slot``, the number of its ``tokens``, whether each of
    these is one range of atoms (``ranged``), and whether each is one value (``single``)."""

    slot: int
    tokens: int
    ranged: bool
    single: bool


@dataclass(frozen=True)
class Lookup:
    """The lookup of a column's values: its atoms with their weights, the ranges of all labels, in
    order, and for each label, by number, its ranges. Of values that are known to ``occur`` in the
    classes of a label, ``placed`` says how many rows of a class are given each. ``shown`` are the
    atoms of values whose frequency is published, by their number."""

    atoms: Atoms
    weights: Weights
    ordered: Sequence[Ranges]
    labels: Sequence[tuple[int, Ranges]]
    meant: Labels
    occur: Occurring
    shown: Mapping[int, int] = field(default_factory=dict)

    def ends(self, weights: Weights) -> IntArray:
        """Return the end of each atom, one after the other, by weights in whole numbers."""
        return np.concatenate(([0], np.cumsum(_in_units(weights, self.atoms.width))))

    @cached_property
    def marginal(self) -> Marginal:
        """What is known of the column alone; a stretch of fractions is more than one value."""
        width = np.asarray(self.atoms.width, dtype=np.float64)
        if self.atoms.values is None and not self.atoms.domain.discrete:
            width = np.where(width > POINT, 1.0 + width, width)
            width[-1] = 1.0  # NULL
        known = np.unique(np.stack((self.occur.label, self.occur.atom)), axis=1)
        return Marginal(width, self.meant, self.weights, known[0], known[1])

    @cached_property
    def shape(self) -> Shape:
        """Its form."""
        ranged = all(len(ranges) == 1 for ranges in self.ordered)
        single = ranged and all(
            end == first + 1 and self.atoms.single(first) for ((first, end),) in self.ordered
        )
        return Shape(slot_of(len(self.atoms)), len(self.ordered), ranged=ranged, single=single)


@dataclass(frozen=True)
class Listed:
    """Which of the columns ``value<n>`` lists the values of a column's atoms, by the column's index
    (``numbers``), where they are listed; and the types of these columns (``types``), in order."""

    numbers: Mapping[int, int]
    types: Sequence[tuple[int, str]]


def load_tokens(engine: Engine, into: str, lookups: Mapping[int, Lookup]) -> None:
    """Load the tokens of labels: labels with the same ranges share one."""
    tokens: list[tuple[int, ...]] = []
    for index, lookup in lookups.items():
        token_of = {ranges: token for token, ranges in enumerate(lookup.ordered, start=1)}
        tokens += [(index, value, token_of[ranges]) for value, ranges in lookup.labels]
    engine.load_numbers(into, _columnar(("position", "value", "token"), tokens))


def load_ranges(
    engine: Engine, into: str, lookups: Mapping[int, Lookup], weights: Mapping[int, Weights]
) -> None:
    """Load the ranges that tokens are, by the ``weights`` of each component (components ×
    atoms)."""
    names = ("position", "token", "first", "past", "start", "total")
    engine.load_numbers(into, _of_components(names, lookups, weights, _ranges))


def load_atoms(
    engine: Engine,
    into: str,
    lookups: Mapping[int, Lookup],
    weights: Mapping[int, Weights],
    listed: Listed,
) -> None:
    """Load the atoms of columns, by the ``weights`` of each component."""
    values: list[tuple[object, ...]] = []
    for index, lookup in lookups.items():
        atoms, of_value = lookup.atoms, listed.numbers.get(index)
        shown = atoms.low if atoms.values is None else atoms.values
        for atom, (value, width) in enumerate(zip(shown, atoms.width, strict=True)):
            low = float(value) if atoms.values is None and value is not None else None
            own = [value if of_value == n else None for n, _ in listed.types]
            values.append((index, atom, low, 0.0 if width == POINT else float(width), *own))
    types = [(f"value{n}", kind) for n, kind in listed.types]
    types = [("low", "DOUBLE"), ("width", "DOUBLE"), *types]
    engine.load("completed_values", [("position", "BIGINT"), ("atom", "BIGINT"), *types], values)
    names = ("position", "atom", "slot", "first", "past")
    engine.load_numbers("completed_slots", _of_components(names, lookups, weights, _slots))
    engine.drop(into)
    engine.run("completion/atoms", into=into, columns=[name for name, _ in types])
    engine.drop("completed_values", "completed_slots")


def load_placed(
    engine: Engine, lookups: Mapping[int, Lookup], weights: Mapping[int, Weights]
) -> None:
    """Make ``completed_placed`` of the values that are known to occur in the classes of some
    columns."""
    names = ("position", "token", "size", "turn", "chance", "start")
    engine.load_numbers("completed_placed", _of_components(names, lookups, weights, _placed))


def position_of(index: int, component: int) -> int:
    """Return the number by which a column is looked up for the rows of a component."""
    return index + POSITIONS * component


def _of_components(
    names: Sequence[str],
    lookups: Mapping[int, Lookup],
    weights: Mapping[int, Weights],
    columns_of: Callable[[Lookup, Weights], Sequence[IntArray]],
) -> dict[str, IntArray]:
    """Return columns of a table, by their names: the position, and those of all components."""
    parts: list[list[IntArray]] = [[np.empty(0, dtype=np.int64)] for _ in names]
    for index, lookup in lookups.items():
        for component, own in enumerate(weights[index]):
            columns = columns_of(lookup, own)
            position = np.full_like(columns[0], position_of(index, component))
            for part, column in zip(parts, (position, *columns), strict=True):
                part.append(column)
    return {name: np.concatenate(part) for name, part in zip(names, parts, strict=True)}


def _ranges(lookup: Lookup, weights: Weights) -> list[IntArray]:
    """Return the ranges of each token: the token, the positions from one to before another, the
    offset from a position to its place among all atoms, and the weight of the whole token."""
    ends, labels = lookup.ends(weights), lookup.meant
    mass = ends[labels.end] - ends[labels.first]
    reached = np.concatenate(([0], np.cumsum(mass)))
    first, past = (
        np.searchsorted(labels.label, labels.label, side=side) for side in ("left", "right")
    )
    begin = reached[:-1] - reached[first]
    total = reached[past] - reached[first]
    start = ends[labels.first] - begin
    columns = (labels.label + 1, begin, begin + mass, start, total)
    return [column[mass > 0] for column in columns]


def _slots(lookup: Lookup, weights: Weights) -> list[IntArray]:
    """Return the atoms, by number, once for every slot that they reach into: the slot, and the
    weights that they reach from and to."""
    ends, slot = lookup.ends(weights), lookup.shape.slot
    atom = np.flatnonzero(np.diff(ends))
    first, past = ends[atom], ends[atom + 1]
    least = first // slot
    many = (past - 1) // slot - least + 1
    turn = np.arange(int(np.cumsum(many)[-1]) if len(many) else 0)
    turn = turn - np.repeat(np.cumsum(many) - many, many)
    return [
        np.repeat(atom, many),
        np.repeat(least, many) + turn,
        np.repeat(first, many),
        np.repeat(past, many),
    ]


def _placed(lookup: Lookup, weights: Weights) -> list[IntArray]:
    """Return the values that rows are given: token, size of the class, the turn of the row from 0,
    the numbers by which it is given the value, of all that it may draw, and the value's position
    among all atoms."""
    occur, ends = lookup.occur, lookup.ends(weights)
    placed = occur.placed(weights, lookup.meant.mass(weights))
    chances = np.floor(np.round(placed, 12) * CHANCES).astype(np.int64)
    chances = np.minimum(chances, CHANCES - 1)
    some = (occur.turn < occur.size) & (chances > 0)
    columns = (occur.label + 1, occur.size, occur.turn, chances, ends[occur.atom])
    return [column[some] for column in columns]


def _in_units(weights: Weights, width: Sequence[float]) -> IntArray:
    """Return weights as whole numbers: at least one for whatever may be drawn."""
    most = WHOLE - 2 * len(weights)
    rounded = np.floor(np.round(weights, 12) * most).astype(np.int64)
    possible = np.asarray(width) > 0
    return np.where(possible, np.maximum(rounded, 1), 0)


def _columnar(names: Sequence[str], rows: Sequence[Sequence[int]]) -> Mapping[str, Any]:
    array = np.asarray(rows, dtype=np.int64).reshape(len(rows), len(names))
    return {name: array[:, number] for number, name in enumerate(names)}
