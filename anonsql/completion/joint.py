"""The joint model of the columns of a completed table: a mixture of products, fitted to draws.

Each row belongs to one of some components; within a component the columns are independent. The
model is fitted by stochastic EM (Celeux and Diebolt 1985): released rows draw their component and
their values, by the rule of the method; each component is fitted to the rows that drew it, and all
rows draw again. The rule is needed: a class may have the rows that fitted no other class, and a
model without the rule draws the frequent values of other classes for them.

All is computed by operations that every processor rounds the same, from random bits of a fixed
seed: every reader of the release fits the same model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from anonsql.completion.weights import Labels, Weights, chance_of_placing
from anonsql.system.arrays import BoolArray, IntArray, np

COMPONENTS = 16
"""The number of components, where there are enough rows."""
_ROWS = 50
"""How many rows there are for each component at least."""
LEAST_ROWS = 2 * _ROWS
"""How many rows a model is fitted to at least."""
_ATOMS = 3_000
"""How many atoms a column has at most whose values depend on the component."""
STEPS = 12
"""How often rows draw, and components are fitted to them."""
SAMPLE = 20_000
"""How many rows draw, about."""
_CLASSES = 50
"""How many classes a sample has at least that is one of whole classes."""
AGAIN = 5
"""How often a row draws again whose values the method would have put into another class."""
_PRIOR = 10.0
"""Each component is fitted as if so many rows like those of the whole table belonged to it, too."""
_LEAST = 1e-12

Broken = Callable[[Sequence[IntArray], IntArray], BoolArray]
"""A function that says of rows, by their atoms in each column and the numbers of their classes,
which of them the method would have put into other classes."""


@dataclass(frozen=True)
class Marginal:
    """A column: how many values each of its atoms has (``width``), the atoms of its ``labels``, the
    ``weights`` of the atoms among all rows, and the values that are known to occur in classes: the
    numbers of labels (``named``), in order, and an atom of each (``occurring``)."""

    width: Weights
    labels: Labels
    weights: Weights
    named: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    occurring: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @property
    def mixed(self) -> bool:
        """Whether its values depend on the component."""
        return len(self.weights) <= _ATOMS

    @cached_property
    def starts(self) -> IntArray:
        """Where the ranges of each label begin, and behind them where the last one's end."""
        numbers = np.arange(len(self.labels.rows) + 1)
        starts: IntArray = np.searchsorted(self.labels.label, numbers)
        return starts


@dataclass(frozen=True)
class Combinations:
    """The combinations of labels and kept values that rows have, in the order of their classes: of
    each column the number of the label (``labels``), of each kept column the number of the value's
    stretch (``kept``), how many ``rows`` have the combination, and its class (``group``, from
    0)."""

    labels: Sequence[IntArray]
    kept: Sequence[IntArray]
    rows: IntArray
    group: IntArray

    @property
    def count(self) -> int:
        """How many rows there are."""
        return int(np.cumsum(self.rows)[-1])

    def sample(self) -> Combinations:
        """Return those of every so-many-th class; of few classes, every so-many-th combination.
        Those with many rows have fewer."""
        part = -(-self.count // SAMPLE)
        if part == 1:
            return self
        by_class = int(self.group[-1]) >= _CLASSES * part
        number = self.group if by_class else np.arange(len(self.rows))
        some = number % (part if by_class else -(-len(self.rows) // SAMPLE)) == 0
        rows = self.rows[some]
        over = -(-int(np.cumsum(rows)[-1]) // SAMPLE)
        return replace(self.part(some), rows=-(-rows // over) if over > 1 else rows)

    def part(self, some: slice | BoolArray) -> Combinations:
        """Return some of them."""
        return Combinations(
            [own[some] for own in self.labels],
            [own[some] for own in self.kept],
            self.rows[some],
            self.group[some],
        )


@dataclass(frozen=True)
class Mixture:
    """A fitted model: the ``shares`` of the components, and the ``weights`` of the atoms of each
    column, and of the stretches of each ``kept`` one (components × atoms). A column that is not
    mixed has the same weights in all components, once."""

    shares: Weights
    weights: Sequence[Weights]
    kept: Sequence[Weights]

    def chances(self, marginals: Sequence[Marginal], of: Combinations) -> Weights:
        """Return how probable each component is (components × combinations)."""
        chances = np.repeat(self.shares[:, None], len(of.rows), axis=1)
        for marginal, weights, label in zip(marginals, self.weights, of.labels, strict=True):
            if len(weights) == 1:
                continue
            masses = np.stack([marginal.labels.mass(own) for own in weights])
            chances = _normal(chances * np.maximum(masses, _LEAST).take(label, axis=1))
        for weights, kept in zip(self.kept, of.kept, strict=True):
            chances = _normal(chances * weights.take(kept, axis=1))
        return chances


def fit(
    marginals: Sequence[Marginal], combinations: Combinations, broken: Broken | None = None
) -> Mixture:
    """Return the model of a release; ``broken`` is the rule of its method, where values are not
    known to occur instead."""
    of = combinations.sample()
    count = max(1, min(COMPONENTS, of.count // _ROWS))
    bits = np.random.PCG64(0)
    stretches = [int(own.max(initial=0)) + 1 for own in combinations.kept]
    everywhere = [
        _normal(np.bincount(own, of.rows, many) + 0.5)
        for own, many in zip(of.kept, stretches, strict=True)
    ]
    model = Mixture(
        np.full(count, 1.0 / count),
        [_apart(m.weights, count, bits) if m.mixed else m.weights[None, :] for m in marginals],
        [_apart(own, count, bits) for own in everywhere],
    )
    rows = _Rows(marginals, of, bits)
    for _ in range(STEPS):
        model = rows.fitted(model, rows.draw(model, broken), everywhere)
    return model


class _Rows:
    """The rows that draw: ``number`` is that of their combination."""

    def __init__(
        self, marginals: Sequence[Marginal], of: Combinations, bits: np.random.PCG64
    ) -> None:
        self._marginals, self._of, self._bits = marginals, of, bits
        self._number = np.repeat(np.arange(len(of.rows)), of.rows)
        self._group = of.group[self._number]
        first = np.flatnonzero(np.diff(self._group, prepend=-1))
        self._first, self._size = first, np.diff(first, append=len(self._number))

    def draw(self, model: Mixture, broken: Broken | None) -> list[IntArray]:
        """Return the atoms that rows draw in each column."""
        chances = np.cumsum(model.chances(self._marginals, self._of), axis=0)
        everyone = np.arange(len(self._number))
        atoms, component = self._once(model, chances, everyone)
        if broken is None:
            return [
                self._placed(column, label, weights, own, component)
                for column, label, weights, own in zip(
                    self._marginals, self._of.labels, model.weights, atoms, strict=True
                )
            ]
        left = everyone
        for again in range(AGAIN + 1):
            left = left[broken([own[left] for own in atoms], self._group[left])]
            if again == AGAIN or not len(left):
                break
            for own, new in zip(atoms, self._once(model, chances, left)[0], strict=True):
                own[left] = new
        return atoms

    def _once(
        self, model: Mixture, chances: Weights, rows: IntArray
    ) -> tuple[list[IntArray], IntArray]:
        """Return the atoms that some rows draw, and their components."""
        number, numbers = self._number[rows], self._numbers(len(rows))
        component = np.zeros(len(rows), dtype=np.int64)
        for reached in chances[:-1]:
            component += reached[number] <= numbers
        atoms = [
            _drawn(
                column, weights, label[number], component % len(weights), self._numbers(len(rows))
            )
            for column, weights, label in zip(
                self._marginals, model.weights, self._of.labels, strict=True
            )
        ]
        return atoms, component

    def _placed(
        self,
        column: Marginal,
        labels: IntArray,
        weights: Weights,
        atoms: IntArray,
        component: IntArray,
    ) -> IntArray:
        """Return the atoms of rows with those placed that are known to occur in their class."""
        label = labels[self._number[self._first]]
        begin = np.searchsorted(column.named, label)
        most = np.minimum(np.searchsorted(column.named, label, side="right") - begin, self._size)
        group = np.repeat(np.arange(len(label)), most)
        turn = np.arange(len(group)) - np.repeat(np.cumsum(most) - most, most)
        size, atom = self._size[group], column.occurring[begin[group] + turn]
        shift = np.floor(self._numbers(len(label)) * self._size).astype(np.int64)
        row = self._first[group] + (turn + shift[group]) % size
        masses = np.stack([column.labels.mass(own) for own in weights])
        of_row = component[row] % len(weights)
        inside, own = masses[of_row, label[group]], weights[of_row, atom]
        share = np.divide(own, inside, out=np.zeros(len(row)), where=inside > 0)
        given = self._numbers(len(row)) < chance_of_placing(share, size)
        placed = atoms.copy()
        placed[row[given]] = atom[given]
        return placed

    def _numbers(self, count: int) -> Weights:
        return _numbers(self._bits, count)

    def fitted(
        self, model: Mixture, atoms: Sequence[IntArray], everywhere: Sequence[Weights]
    ) -> Mixture:
        """Return the model that drawn rows are likeliest by, a step of EM from another."""
        belongs = np.repeat(model.shares[:, None], len(self._number), axis=1)
        kept = [own[self._number] for own in self._of.kept]
        for weights, own in zip((*model.weights, *model.kept), (*atoms, *kept), strict=True):
            if len(weights) > 1:
                belongs = _normal(belongs * np.maximum(weights, _LEAST).take(own, axis=1))
        bases = [*(marginal.weights for marginal in self._marginals), *everywhere]
        fitted = [
            np.stack([_weighed(own, index, base) for own in belongs])
            if len(weights) > 1
            else weights
            for weights, index, base in zip(
                (*model.weights, *model.kept), (*atoms, *kept), bases, strict=True
            )
        ]
        shares = np.asarray([float(np.cumsum(own)[-1]) + 1.0 for own in belongs])
        return Mixture(_normal(shares), fitted[: len(atoms)], fitted[len(atoms) :])


def _drawn(
    column: Marginal, weights: Weights, label: IntArray, component: IntArray, numbers: Weights
) -> IntArray:
    """Return the atom that each row draws from its label, by its component."""
    first, end, starts = column.labels.first, column.labels.end, column.starts
    reached = _reached(weights)
    ranges = _reached(reached[:, end] - reached[:, first])
    low, high = ranges[component, starts[label]], ranges[component, starts[label + 1]]
    at = low + numbers * (high - low)
    own = np.clip(_found(ranges, component, at), starts[label], starts[label + 1] - 1)
    at = reached[component, first[own]] + (at - ranges[component, own])
    atom: IntArray = np.clip(_found(reached, component, at), first[own], end[own] - 1)
    return atom


def _reached(weights: Weights) -> Weights:
    """Return what weights add up to before each of them, and behind the last one."""
    return np.concatenate((np.zeros((len(weights), 1)), np.cumsum(weights, axis=1)), axis=1)


def _found(reached: Weights, component: IntArray, at: Weights) -> IntArray:
    """Return, for each position, the number of the part of its component's weights that contains
    it."""
    whole = np.maximum(reached[:, -1], _LEAST)
    flat = reached / whole[:, None] + np.arange(len(whole))[:, None]
    number = np.searchsorted(flat.ravel(), at / whole[component] + component, side="right") - 1
    found: IntArray = number - component * reached.shape[1]
    return found


def _apart(weights: Weights, count: int, bits: np.random.PCG64) -> Weights:
    """Return weights for each component that differ by chance."""
    chance = _numbers(bits, count * len(weights)).reshape(count, len(weights))
    return np.stack([_normal(own) for own in weights * (0.1 + chance * chance)])


def _weighed(belongs: Weights, index: IntArray, base: Weights) -> Weights:
    """Return weights by how much rows with each index belong to a component."""
    return _normal(np.bincount(index, belongs, len(base)) + _PRIOR * base)


def _normal(weights: Weights) -> Weights:
    """Return weights, or those in each column, that add up to 1."""
    if weights.ndim == 1:
        return weights / float(np.cumsum(weights)[-1])
    total: Weights = weights[0].copy()
    for own in weights[1:]:
        total += own
    shares: Weights = weights / total
    return shares


def _numbers(bits: np.random.PCG64, count: int) -> Weights:
    """Return random numbers from 0 to below 1."""
    raw = np.asarray(bits.random_raw(count), dtype=np.uint64) >> np.uint64(11)
    numbers: Weights = raw.astype(np.float64) * 2.0**-53
    return numbers
