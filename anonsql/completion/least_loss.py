"""The rule of methods that put a combination of values into the class of least loss whose labels
cover it. So a row of another class does not have it.

Classes are looked up by the columns in which they have one value. If too many classes would have to
be tried for each row, they are left out, with the values that they cover.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from anonsql.completion.joint import Marginal
from anonsql.completion.weights import Labels, Weights
from anonsql.system.arrays import BoolArray, IntArray, np

_PATTERNS = 12
"""How many sets of columns with one value are tried at most."""
_TRIED = 50.0
"""How many classes of a pattern are tried for each row at most, as is expected."""
_WHOLE = 2**30


@dataclass(frozen=True)
class Pattern:
    """Classes that have one value in the same columns: the numbers of these columns (``exact``),
    from 0, and of the ``classes``."""

    exact: Sequence[int]
    classes: IntArray


@dataclass(frozen=True)
class LeastLoss:
    """The classes of a release: of each column the atoms of its ``labels``, and the number of its
    label in every class (``of_class``); the ``loss`` of each class, a whole number; for each column
    the atom of a class that has one value in it (``atom``); and the ``patterns`` that are tried."""

    labels: Sequence[Labels]
    of_class: Sequence[IntArray]
    loss: IntArray
    atom: Sequence[IntArray]
    patterns: Sequence[Pattern]

    @classmethod
    def of(
        cls,
        columns: Sequence[Marginal],
        of_class: Sequence[IntArray],
        weighed: Sequence[float],
    ) -> LeastLoss:
        """Return the rule for classes by the number of their label in each column, and the weight
        of each column in a loss."""
        loss = np.zeros(len(of_class[0]), dtype=np.int64)
        exact, atoms, share = [], [], np.ones(len(loss))
        for column, label, part in zip(columns, of_class, weighed, strict=True):
            own, weight, whole = column.labels, column.weights, part / max(weighed) * _WHOLE
            wide = own.mass(column.width)
            single = (wide <= 1.0) & (np.bincount(own.label, own.end - own.first) == 1)
            most = max(float(np.cumsum(column.width)[-1]), 1.0)
            of_label = np.where(single, 0, np.floor(wide / most * whole).astype(np.int64))
            loss += of_label[label]
            first = np.zeros(len(wide), dtype=np.int64)
            first[own.label[::-1]] = own.first[::-1]
            exact.append(single[label])
            atoms.append(np.where(exact[-1], first[label], 0))
            share = share * np.where(exact[-1], weight[first[label]], 1.0)
        labels = [column.labels for column in columns]
        return cls(labels, of_class, loss, atoms, _patterns(np.stack(exact), share))

    @cached_property
    def _rank(self) -> IntArray:
        """For each class the number of losses that are less than its loss."""
        rank: IntArray = np.unique(self.loss, return_inverse=True)[1]
        return rank

    @cached_property
    def _searched(self) -> list[tuple[IntArray, IntArray, IntArray]]:
        """For each pattern the different keys of its classes, by the columns in which they have one
        value; the places of classes in the order of keys and losses; and the classes themselves in
        that order."""
        searched = []
        for pattern in self.patterns:
            mixed = _mixed([self.atom[column][pattern.classes] for column in pattern.exact])
            keys, key = np.unique(mixed, return_inverse=True)
            places = key * len(self.loss) + self._rank[pattern.classes]
            order = np.argsort(places)
            searched.append((keys, places[order], pattern.classes[order]))
        return searched

    def broken(self, atoms: Sequence[IntArray], group: IntArray) -> BoolArray:
        """Return which rows of some classes draw values that are in a class of less loss."""
        broken = np.zeros(len(group), dtype=np.bool_)
        for pattern, (keys, places, classes) in zip(self.patterns, self._searched, strict=True):
            rows = np.flatnonzero((self.loss[group] > 0) & ~broken)
            asked = _mixed([atoms[column][rows] for column in pattern.exact])
            key = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
            rows, key = (own[keys[key] == asked] for own in (rows, key))
            begin = np.searchsorted(places, key * len(self.loss))
            less = np.searchsorted(places, key * len(self.loss) + self._rank[group[rows]])
            many = less - begin
            row = np.repeat(rows, many)
            turn = np.arange(len(row)) - np.repeat(np.cumsum(many) - many, many)
            other = classes[np.repeat(begin, many) + turn]
            for labels, of_class, own in zip(self.labels, self.of_class, atoms, strict=True):
                some = labels.hold(of_class[other], own[row])
                row, other = row[some], other[some]
            broken[row] = True
        return broken

    def tables(self, indices: Sequence[int]) -> Mapping[str, Mapping[str, IntArray]]:
        """Return the scratch tables of the rule, by the ``indices`` of the columns: the classes by
        pattern, and the ranges of atoms of labels."""
        classes = np.concatenate([pattern.classes for pattern in self.patterns])
        sizes = [len(pattern.classes) for pattern in self.patterns]
        held: dict[str, IntArray] = {
            "pattern": np.repeat(np.arange(len(sizes)), sizes),
            "loss": self.loss[classes],
        }
        for index, label, atom in zip(indices, self.of_class, self.atom, strict=True):
            held |= {f"t{index}": label[classes] + 1, f"a{index}": atom[classes]}
        within = [
            np.stack((np.full_like(own.label, index), own.label + 1, own.first, own.end))
            for index, own in zip(indices, self.labels, strict=True)
        ]
        names = ("position", "token", "first", "past")
        return {
            "completed_classes": held,
            "completed_within": dict(zip(names, np.concatenate(within, axis=1), strict=True)),
        }


def _patterns(exact: BoolArray, share: Weights) -> list[Pattern]:
    """Return the patterns with most classes, among the patterns worth trying: ``exact`` says in
    which columns classes have one value, ``share`` how frequent all of these are."""
    found, of_class = np.unique(exact, axis=1, return_inverse=True)
    of_class = of_class.reshape(-1)
    sizes, tried = np.bincount(of_class), np.bincount(of_class, share)
    order = np.argsort(-sizes, kind="stable")
    worth = [number for number in order if found[:, number].any() and tried[number] <= _TRIED]
    return [
        Pattern(np.flatnonzero(found[:, number]).tolist(), np.flatnonzero(of_class == number))
        for number in worth[:_PATTERNS]
    ]


def _mixed(columns: Sequence[IntArray]) -> IntArray:
    """Return one number for each row, of all columns: equal for equal rows."""
    mixed = np.zeros(len(columns[0]), dtype=np.uint64)
    for column in columns:
        mixed = (mixed ^ column.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return mixed.astype(np.int64)
