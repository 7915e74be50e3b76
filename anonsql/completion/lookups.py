"""What the values of a completed table are looked up in, in scratch tables of the engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
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
    """What the lookup of a column is like: its ``slot``, the number of its ``tokens``, whether each
    of these is one range of atoms (``ranged``), and whether each is one value (``single``)."""

    slot: int
    tokens: int
    ranged: bool
    single: bool


@dataclass(frozen=True)
class Lookup:
    """What a column's values are looked up in: its atoms with their weights, all that labels stand
    for, in order, and for each label, by number, what it stands for. Of values that are known to
    ``occur`` in the classes of a label, ``placed`` says how many rows of a class are given each."""

    atoms: Atoms
    weights: Weights
    ordered: Sequence[Ranges]
    labels: Sequence[tuple[int, Ranges]]
    meant: Labels
    occur: Occurring

    def ends(self, weights: Weights) -> IntArray:
        """Return where the atoms lie, one after the other, by weights in whole numbers."""
        return np.concatenate(([0], np.cumsum(_in_units(weights, self.atoms.width))))

    @cached_property
    def marginal(self) -> Marginal:
        """What is known of the column alone."""
        width = np.asarray(self.atoms.width, dtype=np.float64)
        known = np.unique(np.stack((self.occur.label, self.occur.atom)), axis=1)
        return Marginal(width, self.meant, self.weights, known[0], known[1])

    @cached_property
    def shape(self) -> Shape:
        """What it is like."""
        ranged = all(len(ranges) == 1 for ranges in self.ordered)
        single = ranged and all(
            end == first + 1 and self.atoms.single(first) for ((first, end),) in self.ordered
        )
        return Shape(slot_of(len(self.atoms)), len(self.ordered), ranged=ranged, single=single)


@dataclass(frozen=True)
class Listed:
    """Which of the columns ``value<n>`` lists the values of a column's atoms, by the column's index
    (``numbers``), where they are listed; and the types of these (``types``), in order."""

    numbers: Mapping[int, int]
    types: Sequence[tuple[int, str]]


def load_tokens(engine: Engine, into: str, lookups: Mapping[int, Lookup]) -> None:
    """Load the tokens of labels: labels that stand for the same have one."""
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
    ranged = [
        (position_of(index, component), *row)
        for index, lookup in lookups.items()
        for component, own in enumerate(weights[index])
        for row in _in_positions(lookup, lookup.ends(own))
    ]
    names = ("position", "token", "first", "past", "start", "total")
    engine.load_numbers(into, _columnar(names, ranged))


def load_atoms(
    engine: Engine,
    into: str,
    lookups: Mapping[int, Lookup],
    weights: Mapping[int, Weights],
    listed: Listed,
) -> None:
    """Load the atoms of columns, by the ``weights`` of each component."""
    atoms: list[tuple[object, ...]] = []
    for index, lookup in lookups.items():
        of_value = listed.numbers.get(index)
        for component, own in enumerate(weights[index]):
            rows = _atom_rows(lookup.atoms, lookup.ends(own), lookup.shape.slot)
            for *numbers, shown, width in rows:
                values = [shown if of_value == n else None for n, _ in listed.types]
                low = None if of_value else shown
                atoms.append((position_of(index, component), *numbers, low, width, *values))
    whole = [(name, "BIGINT") for name in ("position", "atom", "slot", "first", "past")]
    shown_as = [(f"value{n}", kind) for n, kind in listed.types]
    engine.load(into, [*whole, ("low", "DOUBLE"), ("width", "DOUBLE"), *shown_as], atoms)


def load_placed(
    engine: Engine, lookups: Mapping[int, Lookup], weights: Mapping[int, Weights]
) -> None:
    """Make ``completed_placed`` of the values that are known to occur in the classes of some
    columns."""
    rows = [
        (position_of(index, component), *row)
        for index, lookup in lookups.items()
        for component, own in enumerate(weights[index])
        for row in _placed(lookup, own)
    ]
    names = ("position", "token", "size", "turn", "chance", "start")
    engine.load_numbers("completed_placed", _columnar(names, rows))


def position_of(index: int, component: int) -> int:
    """Return the number by which a column is looked up for the rows of a component."""
    return index + POSITIONS * component


def _in_positions(lookup: Lookup, ends: IntArray) -> Iterator[tuple[int, int, int, int, int]]:
    """Yield the ranges of each token: the token, the positions from one to before another, what
    turns a position into one among all atoms, and the weight of all that the token stands for."""
    for token, ranges in enumerate(lookup.ordered, start=1):
        masses = [int(ends[end] - ends[first]) for first, end in ranges]
        position, total = 0, sum(masses)
        for (first, _), mass in zip(ranges, masses, strict=True):
            if mass:
                yield token, position, position + mass, int(ends[first]) - position, total
            position += mass


def _placed(lookup: Lookup, weights: Weights) -> list[tuple[int, int, int, int, int]]:
    """Return the values that rows are given: token, size of the class, the turn of the row from 0,
    the numbers by which it is given the value, of all that it may draw, and the value's position
    among all atoms."""
    occur, ends = lookup.occur, lookup.ends(weights)
    turns: dict[tuple[int, int], int] = {}
    rows: list[tuple[int, int, int, int, int]] = []
    placed = occur.placed(weights, lookup.meant.mass(weights))
    chances = np.minimum(np.floor(np.round(placed, 12) * CHANCES).astype(np.int64), CHANCES - 1)
    for label, size, atom, chance in zip(
        *(part.tolist() for part in (occur.label, occur.size, occur.atom, chances)), strict=True
    ):
        turn = turns[label, size] = turns.get((label, size), -1) + 1
        if turn < size and chance:
            rows.append((label + 1, size, turn, chance, int(ends[atom])))
    return rows


def _in_units(weights: Weights, width: Sequence[float]) -> IntArray:
    """Return weights as whole numbers: at least one for whatever may be drawn."""
    most = WHOLE - 2 * len(weights)
    rounded = np.floor(np.round(weights, 12) * most).astype(np.int64)
    possible = np.asarray(width) > 0
    return np.where(possible, np.maximum(rounded, 1), 0)


def _columnar(names: Sequence[str], rows: Sequence[Sequence[int]]) -> Mapping[str, Any]:
    array = np.asarray(rows, dtype=np.int64).reshape(len(rows), len(names))
    return {name: array[:, number] for number, name in enumerate(names)}


def _atom_rows(
    atoms: Atoms, ends: IntArray, slot: int
) -> Iterator[tuple[int, int, int, int, object, float]]:
    """Yield the atoms, once for every slot that they reach into."""
    values = atoms.low if atoms.values is None else atoms.values
    for number, value in enumerate(values):
        first, past = int(ends[number]), int(ends[number + 1])
        if first == past:
            continue
        shown = float(value) if atoms.values is None and value is not None else value
        reach = range(first // slot, (past - 1) // slot + 1)
        width = atoms.width[number]
        for n in reach:
            yield number, n, first, past, shown, 0.0 if width == POINT else float(width)
