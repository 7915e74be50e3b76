"""Raking: draws keep to the published frequencies of single values.

Iterative proportional fitting (Deming and Stephan 1940). Each shown value of a column is a group of
atoms by itself, NULL is another where it is shown, and all others are the remainder. All atoms of a
group, in all components, are multiplied by one factor, until the rows that are expected to draw the
group are as many as are published. All is computed by operations that every processor rounds the
same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from anonsql.completion.columns import CompletedColumn
from anonsql.completion.joint import Marginal
from anonsql.completion.weights import Labels, Occurring, Weights
from anonsql.engines.base import Engine, ReleaseTables
from anonsql.policy.release_parts import MARGINALS
from anonsql.system.arrays import IntArray, np

STEPS = 60
"""The greatest number of steps."""
ENOUGH = 1e-4
"""Raking stops where no more than this share of all rows is expected in other groups."""


@dataclass(frozen=True)
class Shown:
    """What is published of a column: its ``values`` as texts, of how many ``rows`` each, and how
    many have NULL, 0 where it is not shown; and how many rows are of the remainder (``others``)."""

    values: Sequence[str]
    rows: Sequence[int]
    nulls: int
    others: int

    @property
    def wanted(self) -> Weights:
        """The rows of the groups: the remainder, the values in order, NULL."""
        return np.asarray([self.others, *self.rows, self.nulls], dtype=np.float64)


@dataclass(frozen=True)
class Groups:
    """The ``group`` of each atom of a column, by its number, and the rows of each (``wanted``)."""

    group: IntArray
    wanted: Weights

    @classmethod
    def of(cls, shown: Shown, atoms: int, placed: Mapping[int, int], null: int | None) -> Groups:
        """Return the groups of a column: ``placed`` are the atoms of values, by the number of the
        value from 0; ``null`` is the atom that is NULL, where there is one."""
        group = np.zeros(atoms, dtype=np.int64)
        for number, atom in placed.items():
            group[atom] = number + 1
        wanted = shown.wanted
        for number, rows in enumerate(shown.rows):
            if number not in placed:  # which nothing can draw
                wanted[0] += rows
                wanted[number + 1] = 0
        if shown.nulls and null is not None:
            group[null] = len(wanted) - 1
        return cls(group, wanted)


def raked(
    weights: Weights,
    labels: Labels,
    groups: Groups,
    rows: Weights | None = None,
    occurring: Occurring | None = None,
) -> Weights:
    """Return the weights of atoms (components × atoms) by which the groups are expected in as many
    rows as are wanted. ``rows`` are those of each label by component (components × labels)."""
    if rows is None:
        rows = labels.rows.astype(np.float64)[None, :]
    expected = _expected(weights, labels, rows, groups, occurring)
    wanted, total = np.where(expected > 0, groups.wanted, 0.0), float(np.cumsum(expected)[-1])
    there = float(np.cumsum(wanted)[-1])
    if not there:
        return weights
    wanted = wanted * (total / there)
    for _ in range(STEPS):
        if float(np.cumsum(np.abs(expected - wanted))[-1]) <= ENOUGH * total:
            break
        factor = np.divide(wanted, expected, out=np.ones_like(wanted), where=expected > 0)
        weights = weights * factor[groups.group]
        weights = np.stack([own / float(np.cumsum(own)[-1]) for own in weights])
        expected = _expected(weights, labels, rows, groups, occurring)
    return weights


def _expected(
    weights: Weights,
    labels: Labels,
    rows: Weights,
    groups: Groups,
    occurring: Occurring | None,
) -> Weights:
    """Return how many rows are expected to draw each group."""
    of_label = np.zeros(rows.shape[1])
    for counted in rows:
        of_label += counted
    of_label = np.maximum(of_label, 1e-12)
    expected = np.zeros(len(groups.wanted))
    for own, counted in zip(weights, rows, strict=True):
        mass = labels.mass(own)
        drawing, atoms = counted, np.zeros(len(own))
        if occurring is not None:
            share = (counted / of_label)[occurring.label]
            placed = occurring.classes * share * occurring.placed(own, mass)
            drawing = np.maximum(counted - np.bincount(occurring.label, placed, len(counted)), 0)
            atoms += np.bincount(occurring.atom, placed, len(own))
        part = np.divide(drawing, mass, out=np.zeros_like(mass), where=mass > 0)
        atoms = atoms + own * _covering(labels, part, len(own))
        expected = expected + np.bincount(groups.group, atoms, len(expected))
    return expected


def _covering(labels: Labels, part: Weights, atoms: int) -> Weights:
    """Return for each atom the sum of the parts of the labels that include it."""
    of_range = part[labels.label]
    starts = np.bincount(labels.first, of_range, atoms + 1)
    stops = np.bincount(labels.end, of_range, atoms + 1)
    covering: Weights = np.maximum(np.cumsum(starts - stops)[:-1], 0.0)
    return covering


@dataclass
class Raking:
    """Raking the columns of a release: what is ``shown`` of each, by its index, the ``groups`` of
    its atoms, and the values that are known to occur in classes."""

    shown: Mapping[int, Shown]
    groups: dict[int, Groups] = field(default_factory=dict)
    occurring: dict[int, Occurring] = field(default_factory=dict)
    impossible: dict[int, int] = field(default_factory=dict)
    """How many shown values cannot be of as many rows as are published, by column."""

    @classmethod
    def of(cls, located: ReleaseTables, labeled: Sequence[CompletedColumn]) -> Raking:
        """Return what a release publishes of its columns."""
        by_name = _published(located)
        return cls({one.index: by_name[one.name] for one in labeled if one.name in by_name})

    def values(self, index: int) -> Sequence[str]:
        """Return the values that are shown of a column."""
        return self.shown[index].values if index in self.shown else ()

    def add(
        self,
        index: int,
        marginal: Marginal,
        placed: Mapping[int, int],
        null: int | None,
        occurring: Occurring | None = None,
    ) -> None:
        """Add a column: ``placed`` are the atoms of shown values, by number."""
        shown = self.shown.get(index)
        if shown is None:
            return
        groups = Groups.of(shown, len(marginal.width), placed, null)
        self.groups[index] = groups
        if occurring is not None and len(occurring.atom):
            self.occurring[index] = occurring
        if wrong := _impossible(shown, marginal.labels, groups, null):
            self.impossible[index] = wrong

    def alone(self, marginals: Mapping[int, Marginal]) -> dict[int, Marginal]:
        """Return what is known of each column alone, raked."""
        made = dict(marginals)
        for index, groups in self.groups.items():
            own, occurring = marginals[index], self.occurring.get(index)
            weights = raked(own.weights[None, :], own.labels, groups, occurring=occurring)
            made[index] = replace(own, weights=weights[0])
        return made

    def together(
        self,
        engine: Engine,
        labeled: Sequence[CompletedColumn],
        marginals: Mapping[int, Marginal],
        weights: Mapping[int, Weights],
    ) -> dict[int, Weights]:
        """Return the weights of columns whose values depend on the component of a row, raked by how
        often rows draw each component."""
        made = dict(weights)
        for column in labeled:
            own = weights.get(column.index)
            if column.index not in self.groups or own is None or len(own) == 1:
                continue
            labels, groups = marginals[column.index].labels, self.groups[column.index]
            token, component, chance = engine.numbers("completion/by_component", c=column)
            rows = np.zeros((len(own), len(labels.rows)))
            rows[component, token - 1] = chance / 2.0**20
            occurring = self.occurring.get(column.index)
            made[column.index] = raked(own, labels, groups, rows, occurring)
        return made


def _impossible(shown: Shown, labels: Labels, groups: Groups, null: int | None) -> int:
    """Return how many shown values have more rows than the labels that include them, or fewer than
    the labels that include nothing else. Labels that nothing explains, with only ``null``, may be
    anything."""
    rows, atoms = labels.rows.astype(np.float64), len(groups.group)
    unknown = np.zeros(len(rows))
    if null is not None:
        nothing = labels.label[labels.first == null]
        unknown[nothing] = rows[nothing]
    more = float(np.cumsum(unknown)[-1]) if len(rows) else 0.0
    possible = _covering(labels, rows, atoms) + more
    single = np.bincount(labels.label, minlength=len(rows)) == 1
    alone = (labels.end == labels.first + 1) & single[labels.label]
    certain = np.bincount(labels.first[alone], rows[labels.label[alone]], atoms)
    certain = certain - shown.nulls - shown.others
    wrong = 0
    for number, count in enumerate(shown.rows, start=1):
        own = np.flatnonzero(groups.group == number)
        wrong += len(own) == 1 and not certain[own[0]] <= count <= possible[own[0]]
    return wrong


def _published(located: ReleaseTables) -> dict[str, Shown]:
    """Return what a release publishes of each column, by name."""
    table = located.extras.get(MARGINALS)
    if table is None:
        return {}
    by_name: dict[str, list[tuple[str, str | None, int]]] = {}
    for name, kind, value, rows in located.engine.query("completion/frequencies", table=table):
        by_name.setdefault(name, []).append((kind, value, int(rows)))
    made = {}
    for name, found in by_name.items():
        values = {str(value): rows for kind, value, rows in found if kind == "value"}
        texts = sorted(values)
        sums = {
            wanted: sum(rows for kind, _, rows in found if kind == wanted)
            for wanted in ("null", "others")
        }
        made[name] = Shown(texts, [values[text] for text in texts], sums["null"], sums["others"])
    return made
