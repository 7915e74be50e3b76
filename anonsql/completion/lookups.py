"""What the values of a completed table are looked up in, in scratch tables of the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from anonsql.completion.atoms import POINT, Atoms, Ranges
from anonsql.completion.columns import CompletedColumn
from anonsql.completion.weights import Occurring, Weights
from anonsql.engines.base import Engine
from anonsql.system.arrays import np

WHOLE = 2**50
"""What the weights of all atoms of a column add up to at most."""
CHANCES = 2**40
"""How many equally likely numbers a row draws from."""


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
    occur: Occurring
    placed: Weights

    @cached_property
    def ends(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Where the atoms lie, one after the other, by their weights in whole numbers."""
        return np.concatenate(([0], np.cumsum(_in_units(self.weights, self.atoms.width))))

    @property
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


def load(
    engine: Engine,
    labeled: Sequence[CompletedColumn],
    lookups: Mapping[int, Lookup],
    listed: Listed,
    into: Mapping[str, str],
) -> None:
    """Load what the values of some columns are looked up in: tokens, ranges and atoms, ``into``
    the tables of these names."""
    tokens: list[tuple[int, ...]] = []
    ranged: list[tuple[int, ...]] = []
    atoms: list[tuple[object, ...]] = []
    for column in labeled:
        index, lookup = column.index, lookups[column.index]
        ends = lookup.ends
        totals, own = _in_positions(lookup, ends)
        ranged += [(index, *row) for row in own]
        token_of = {ranges: token for token, ranges in enumerate(lookup.ordered, start=1)}
        numbered = [(value, token_of[ranges]) for value, ranges in lookup.labels]
        tokens += [(index, value, token, totals[token - 1]) for value, token in numbered]
        of_value = listed.numbers.get(index)
        for slot, first, past, shown, width in _atom_rows(lookup.atoms, ends, lookup.shape.slot):
            own_values = [shown if of_value == n else None for n, _ in listed.types]
            low = None if of_value else shown
            atoms.append((index, slot, first, past, low, width, *own_values))
    names = ("position", "value", "token", "total")
    engine.load_numbers(into["tokens"], _columnar(names, tokens))
    names_of_ranges = ("position", "token", "first", "past", "start")
    engine.load_numbers(into["ranges"], _columnar(names_of_ranges, ranged))
    whole = [(name, "BIGINT") for name in ("position", "slot", "first", "past")]
    shown_as = [(f"value{n}", kind) for n, kind in listed.types]
    engine.load(into["atoms"], [*whole, ("low", "DOUBLE"), ("width", "DOUBLE"), *shown_as], atoms)


def place(engine: Engine, lookups: Mapping[int, Lookup]) -> list[int]:
    """Make ``completed_placed`` of the values that are known to occur in classes; return the
    columns, by index, that have such values."""
    rows = [
        (index, *row)
        for index, lookup in lookups.items()
        if not lookup.shape.single
        for row in _placed(lookup)
    ]
    names = ("position", "token", "size", "turn", "chance", "start")
    if rows:
        engine.load_numbers("completed_placed", _columnar(names, rows))
    return sorted({index for index, *_ in rows})


def _in_positions(
    lookup: Lookup, ends: np.ndarray[Any, np.dtype[np.int64]]
) -> tuple[list[int], list[tuple[int, int, int, int]]]:
    """Return the weight of all that each token stands for, and its ranges: token, the positions
    from one to before another, and what turns a position into one among all atoms."""
    totals: list[int] = []
    ranged: list[tuple[int, int, int, int]] = []
    for token, ranges in enumerate(lookup.ordered, start=1):
        position = 0
        for first, end in ranges:
            mass = int(ends[end] - ends[first])
            if mass:
                ranged.append((token, position, position + mass, int(ends[first]) - position))
            position += mass
        totals.append(position)
    return totals, ranged


def _placed(lookup: Lookup) -> list[tuple[int, int, int, int, int]]:
    """Return the values that rows are given: token, size of the class, the turn of the row from 0,
    the numbers by which it is given the value, of all that it may draw, and the value's position
    among all atoms."""
    ends = lookup.ends
    turns: dict[tuple[int, int], int] = {}
    rows: list[tuple[int, int, int, int, int]] = []
    occur = lookup.occur
    chances = np.floor(np.round(lookup.placed, 12) * CHANCES).astype(np.int64)
    for label, size, atom, chance in zip(
        *(part.tolist() for part in (occur.label, occur.size, occur.atom, chances)), strict=True
    ):
        turn = turns[label, size] = turns.get((label, size), -1) + 1
        if turn < size and chance:
            rows.append((label + 1, size, turn, chance, int(ends[atom])))
    return rows


def _in_units(weights: Weights, width: Sequence[float]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return weights as whole numbers: at least one for whatever may be drawn."""
    most = WHOLE - 2 * len(weights)
    rounded = np.floor(np.round(weights, 12) * most).astype(np.int64)
    possible = np.asarray(width) > 0
    return np.where(possible, np.maximum(rounded, 1), 0)


def _columnar(names: Sequence[str], rows: Sequence[Sequence[int]]) -> Mapping[str, Any]:
    array = np.asarray(rows, dtype=np.int64).reshape(len(rows), len(names))
    return {name: array[:, number] for number, name in enumerate(names)}


def _atom_rows(
    atoms: Atoms, ends: np.ndarray[Any, np.dtype[np.int64]], slot: int
) -> list[tuple[object, ...]]:
    """Return the atoms, once for every slot that they reach into."""
    rows: list[tuple[object, ...]] = []
    values = atoms.low if atoms.values is None else atoms.values
    for number, value in enumerate(values):
        first, past = int(ends[number]), int(ends[number + 1])
        if first == past:
            continue
        shown = float(value) if atoms.values is None and value is not None else value
        reach = range(first // slot, (past - 1) // slot + 1)
        width = atoms.width[number]
        rows += [(n, first, past, shown, 0.0 if width == POINT else float(width)) for n in reach]
    return rows
