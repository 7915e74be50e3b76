"""How far COUNTs grouped by a column of a completed table may be off, as estimated from the release
alone, so that the result can be published; weighted by rows. Numbers and dates of more than ten
values are grouped into ten bins of about as many rows.

The rows of a label can be divided among its values in several ways, and counts that depend on the
way are not known: as in the completed table; evenly; or as frequent as the values are then in all
rows. If two values always occur in the same labels, the release does not determine their
frequencies. Then the most likely frequencies (EM) depend on the first guess, and two are compared:
each second value twice as likely as the others.

This is a careful estimate and no bound: rare values are generalized more often than frequent ones,
and a release does not show how much more.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonsql.completion.columns import CompletedColumn, completed_columns
from anonsql.engines.base import ORDERED, Engine, Relation, ReleaseTables
from anonsql.labels.domains import Span
from anonsql.labels.label_values import Piece, evenly, pieces
from anonsql.system.arrays import IntArray
from anonsql.verification.facts import count_of, facts_of, missing_rows

BANDS = (0.01, 0.05, 0.2)
"""Thresholds of the reported error; beyond the last one the column is unfit for counting."""
QUANTILES = 10
"""Bins that numbers and dates of more values are grouped into."""
_MOST = 500_000
"""Pairs of labels and values that are looked at, at most."""
_STEPS = 100
_CLOSE = 1e-5
FloatArray = NDArray[np.float64]


def expected(
    release: ReleaseTables, completed: Relation, names: Collection[str] | None = None
) -> dict[str, float]:
    """Return the errors by column, as shares of the rows, of all columns or of some ``names``;
    columns whose released values were changed, or have too many possible values, are
    left out."""
    about, engine = facts_of(release), release.engine
    columns = completed_columns(
        release, about, {column.name: column for column in engine.columns(completed)}
    )
    draws = len(engine.query("query/draws", table=completed))
    rows, masked = max(count_of(about, "rows"), 1), max(0, count_of(about, "masked"))
    lost = missing_rows(about) + masked
    lost_share = lost / (rows + missing_rows(about))
    changed = {name.split(".")[1] for name in about if name.startswith("change.")}
    found = {}
    for column in columns:
        if names is not None and column.name not in names:
            continue
        comparable = column.column.comparable and column.column.kind != "other"
        if column.name in changed or column.held.form in ("surrogate", "mean") or not comparable:
            continue
        moved = max(0, count_of(about, f"relocated_cells.{column.name}")) / rows
        error = _of_labels(release, completed, column, draws) if column.labeled else 0.0
        if error is not None:
            found[column.name] = error + lost_share + 2 * moved
    return found


@dataclass
class _Parts:
    """The groups by which a column is counted: points of its domain, or (``ordered``) bins from a
    point to the next, the last one to ``greatest``; with the mean rows of a draw in each."""

    points: list[Any]
    rows: FloatArray
    ordered: bool
    greatest: Any
    numbers: dict[Any, int] = field(default_factory=dict)

    def of(self, column: CompletedColumn, covered: Sequence[Piece]) -> Mapping[int, float]:
        """Return the parts that a label's values are in, all values equally likely, with the
        probability of each; values that no draw has are parts of their own."""
        known = evenly(column.domain, tuple(covered))
        weighed = all(piece.weight is not None for piece in known)
        shares: dict[int, float] = {}
        for piece in known:
            inside = self._inside(column, piece.span)
            total = sum(inside.values())
            if piece.span is None and not weighed and len(known) > 1:
                continue
            factor = (piece.weight or 0.0) / total if weighed and total else 1.0
            for part, size in inside.items():
                shares[part] = shares.get(part, 0.0) + size * factor
        total = sum(shares.values())
        return {part: size / total for part, size in shares.items() if size > 0} if total else {}

    def _inside(self, column: CompletedColumn, span: Span | None) -> Mapping[int, float]:
        """Return the parts of a stretch with their sizes."""
        if span is None:
            return {} if self.ordered else {self._number(None): 1.0}
        low, high = span
        if self.ordered:
            return self._bins(column, low and low[0], high and high[0])
        single = low is not None and high is not None and low[1] == 0
        if single and (high == (low[0] + 1, 0) if column.domain.discrete else high == (low[0], 1)):  # type: ignore[index]
            return {self._number(low[0]): 1.0}  # type: ignore[index]
        return {
            number: 1.0
            for point, number in self.numbers.items()
            if point is not None
            and (low is None or (point, 0) >= low)
            and (high is None or (point, 0) < high)
        }

    def _number(self, point: Any) -> int:
        return self.numbers.setdefault(point, len(self.numbers))

    def _bins(self, column: CompletedColumn, low: Any, high: Any) -> Mapping[int, float]:
        """Return the bins between two points with the lengths that they have there."""
        first = float(self.points[0] if low is None else low)
        last = float(self.greatest + column.domain.discrete if high is None else high)
        starts = [-np.inf, *map(float, self.points[1:]), np.inf]
        if last <= first:
            return {int(np.searchsorted(starts, first, "right")) - 1: 1.0}
        lengths = [min(last, end) - max(first, start) for start, end in pairwise(starts)]
        return {number: length for number, length in enumerate(lengths) if length > 0}


def _parts(
    engine: Engine, completed: Relation, column: CompletedColumn, draws: int
) -> _Parts | None:
    """Return the groups by which a column is counted; None if it has too many values."""
    ordered = column.column.kind in ORDERED
    cuts = f"useful_cuts_{column.index}"
    engine.drop(cuts)
    if ordered:
        parts = {"source": completed, "a": column, "bins": QUANTILES}
        engine.run("features/measure/usefulness/cuts", **parts)
    asked = {"completed": completed, "c": column, "ordered": ordered, "bins": QUANTILES}
    found = engine.query("features/measure/usefulness/parts", **asked)
    engine.drop(cuts)
    if len(found) > _MOST:
        return None
    lines = [(_point(column, least), _point(column, most), int(n)) for least, most, n in found]
    if ordered:
        lines.sort()
    points = [least for least, _, _ in lines]
    rows = np.array([n for _, _, n in lines]) / draws
    return _Parts(
        points,
        rows,
        ordered,
        lines[-1][1] if lines else None,
        {} if ordered else {point: number for number, point in enumerate(points)},
    )


def _point(column: CompletedColumn, value: Any) -> Any:
    """Return a value as a point of the column's domain."""
    if value is None:
        return None
    text = isinstance(value, str) and column.domain.kind != "text"
    return column.domain.read(value) if text else column.domain.point(value)


def _of_labels(
    release: ReleaseTables, completed: Relation, column: CompletedColumn, draws: int
) -> float | None:
    """Return how far the counts by a generalized column may be off, as a share of the rows: all of
    them where nothing is said of more than a fifth, whose values may be ones that no row shows. None
    where there are too many values."""
    engine = release.engine
    parts = _parts(engine, completed, column, draws)
    if parts is None or not parts.points:
        return None if parts is None else 1.0
    labels = "counted_labels"
    engine.drop(labels)
    engine.run("labels/released", into=labels, c=column, table=release.rows)
    read = engine.query("labels/released_read", labels=labels, c=column)
    engine.drop(labels)
    entries: list[tuple[int, int, float]] = []
    rows, unknown, total = list[int](), 0, 0
    for _, label, lo, hi, n in read:
        covered = pieces(column.held, column.domain, label, lo, hi)
        unknown += int(n) * any(piece.span == (None, None) for piece in covered)
        total += int(n)
        shares = parts.of(column, covered)
        if not shares:
            continue
        entries += [(len(rows), part, share) for part, share in shares.items()]
        rows.append(int(n))
        if len(entries) > _MOST:
            return None
    if not rows or unknown > BANDS[-1] * total:
        return 1.0
    numbers = [tuple(column) for column in zip(*entries, strict=True)]
    label_of, part_of = (np.array(one, dtype=np.int64) for one in numbers[:2])
    shares_of = np.array(numbers[2], dtype=float)
    size = max(len(parts.rows), int(part_of.max()) + 1)
    given = np.pad(parts.rows, (0, size - len(parts.rows)))
    table = _Labels(np.array(rows, dtype=float), label_of, part_of, shares_of, size)
    return table.apart(given)


@dataclass(frozen=True)
class _Labels:
    """Labels with their rows, and the parts of each (``label``, ``part``) with the ``share`` of its
    values that are in it; there are ``size`` parts."""

    rows: FloatArray
    label: IntArray
    part: IntArray
    share: FloatArray
    size: int

    def apart(self, given: FloatArray) -> float:
        """Return the greatest difference between the ways to divide the rows, one being ``given``,
        plus the error of a draw by chance; as a share of the rows."""
        even = self._allotted(np.ones(self.size))
        usual = self._allotted(even)
        guesses = (1.0 + np.arange(self.size) % 2, 2.0 - np.arange(self.size) % 2)
        likely = [self._allotted(self._likeliest(guess)) for guess in guesses]
        pairs = (given, even), (given, usual), (likely[0], likely[1])
        apart = max(
            np.abs(one / max(one.sum(), 1e-12) - other / other.sum()).sum() for one, other in pairs
        )
        chance = self._chances(even)
        variance = self._counted(chance * (1 - chance))
        noise = np.sqrt(4 / np.pi * np.maximum(variance, 0)).sum() / self.rows.sum()
        return float(apart + noise)

    def _chances(self, weights: FloatArray) -> FloatArray:
        """Return how likely each part of a label is, by the weights of parts."""
        mass = self.share * np.maximum(weights[self.part], 1e-12)
        return np.asarray(mass / np.bincount(self.label, mass)[self.label])

    def _counted(self, chances: FloatArray) -> FloatArray:
        """Return sums over the rows of each part."""
        weighed = self.rows[self.label] * chances
        return np.bincount(self.part, weighed, minlength=self.size).astype(float)

    def _allotted(self, weights: FloatArray) -> FloatArray:
        return self._counted(self._chances(weights))

    def _likeliest(self, weights: FloatArray) -> FloatArray:
        """Return the weights that make the labels most likely, by EM from first ones."""
        for _ in range(_STEPS):
            counts = self._allotted(weights)
            new: FloatArray = counts / counts.sum()
            if np.abs(new - weights / weights.sum()).sum() < _CLOSE:
                return new
            weights = new
        return weights
