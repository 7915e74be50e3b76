"""The values of a column's labels, as ranges of one ordered list of atoms.

The ends of all labels divide the column's domain into atoms: single values, and stretches in which
no label ends. A label covers some ranges of atoms. NULL is the last atom.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any

from anonsql.labels.domains import Cut, Domain, Span
from anonsql.labels.label_values import Piece

Ranges = tuple[tuple[int, int], ...]
"""Ranges of atoms, each from one to before another."""
_STRETCHES = 20_000
"""The greatest number of values by which the stretches of a column are listed, where its values
cannot be computed from a position in a stretch."""
_EXACT = 2**53
POINT = 1e-9
"""The width of a single number among stretches of numbers with fractions."""


@dataclass
class Atoms:
    """The atoms of a column, in order. ``low`` and ``width`` are in units of the domain (whole
    numbers, 10**-scale, days, microseconds; of fractions the numbers themselves); an atom whose
    ``width`` is 0 is never drawn. ``values`` lists the values to draw where atoms are single
    values.
    """

    domain: Domain
    low: list[Any] = field(default_factory=list)
    width: list[float] = field(default_factory=list)
    values: list[Any] | None = None

    def __len__(self) -> int:
        return len(self.low)

    def single(self, atom: int) -> bool:
        """Return whether an atom is one value, or NULL."""
        if self.values is not None or self.low[atom] is None:
            return True
        return self.width[atom] <= (1 if self.domain.discrete else POINT)


def atoms_of(
    domain: Domain, pieces: Iterable[Sequence[Piece]], places: Mapping[Any, int]
) -> tuple[Atoms, list[Ranges]]:
    """Return the atoms of a column, and for each of its labels (``pieces``) the ranges of atoms
    that it covers. ``places`` are the positions of values in the order of the column's hierarchy,
    so that a label of it is one range; without them values are in their own order. A label that may
    be NULL or other values is taken not to be NULL; a label for any value covers all atoms but
    NULL."""
    labels = [list(label) for label in pieces]
    if domain.kind in ("text", "boolean"):
        return _of_points(domain, labels, places)
    return _of_stretches(domain, labels)


def _of_points(
    domain: Domain, labels: Sequence[Sequence[Piece]], places: Mapping[Any, int]
) -> tuple[Atoms, list[Ranges]]:
    """Return the atoms of a column whose values are listed."""
    points = {value for label in labels for piece in label for value in _named(domain, piece.span)}
    ordered = sorted(points, key=lambda value: (places.get(value, len(places)), value))
    index = {value: number for number, value in enumerate(ordered)}
    last = len(ordered)
    by_value = sorted(ordered)
    made: list[Ranges] = []
    for label in labels:
        inside: set[int] = set()
        for piece in label:
            if piece.span is None:
                continue
            if own := _points(domain, piece.span):
                inside.update(index[value] for value in own)
            elif piece.span == (None, None):
                inside.update(range(last))
            else:
                inside.update(index[value] for value in by_value if _holds(piece.span, value))
        made.append(_joined(inside) if inside else ((last, last + 1),))
    atoms = Atoms(
        domain, [*ordered, None], [1.0] * last + [1.0], [*map(_plain(domain), ordered), None]
    )
    return atoms, made


def _plain(domain: Domain) -> Any:
    return bool if domain.kind == "boolean" else lambda value: value


def _points(domain: Domain, span: Span | None) -> list[Any]:
    """Return the value that a stretch is, where it is one."""
    low, high = span or (None, None)
    if low is None or high is None:
        return []
    one = high[0] - low[0] == 1 if domain.discrete else low[0] == high[0]
    return [low[0]] if one else []


def _named(domain: Domain, span: Span | None) -> list[Any]:
    """Return the values that a stretch names: its only value, or its two ends."""
    low, high = span or (None, None)
    if low is None or high is None or domain.discrete:
        return _points(domain, span)
    return [low[0], high[0]] if high[1] else [low[0]]


def _holds(span: Span, value: Any) -> bool:
    """Return whether a text is in a stretch."""
    low, high = span
    return (low is None or (value, 0) >= low) and (high is None or (value, 1) <= high)


def _joined(inside: set[int]) -> Ranges:
    """Return numbers as ranges."""
    ranges: list[tuple[int, int]] = []
    for number in sorted(inside):
        if ranges and ranges[-1][1] == number:
            ranges[-1] = (ranges[-1][0], number + 1)
        else:
            ranges.append((number, number + 1))
    return tuple(ranges)


def _of_stretches(domain: Domain, labels: Sequence[Sequence[Piece]]) -> tuple[Atoms, list[Ranges]]:
    """Return the atoms of a column whose values are numbers or moments."""
    spans = [piece.span for label in labels for piece in label if piece.span is not None]
    cuts: list[Cut] = sorted({cut for span in spans for cut in span if cut is not None})
    cuts = sorted({*cuts, *_ends(domain, spans, cuts)})
    great = domain.discrete and any(abs(cut[0]) >= _EXACT for cut in cuts[:1] + cuts[-1:])
    listed = domain.moments or great
    if listed and cuts:
        cuts = _divided(domain, cuts)
    index = {cut: number for number, cut in enumerate(cuts)}
    last = max(len(cuts) - 1, 0)
    atoms = Atoms(domain)
    for (low, side), (high, _) in pairwise(cuts):
        atoms.low.append(low)
        atoms.width.append(high - low if high > low else POINT if not side else 0.0)
    atoms.low.append(None)
    atoms.width.append(1.0)
    if listed:
        atoms.values = [*(_value(domain, low) for low in atoms.low[:-1]), None]
    made: list[Ranges] = []
    for label in labels:
        ranges = [
            (
                0 if piece.span[0] is None else index[piece.span[0]],
                last if piece.span[1] is None else index[piece.span[1]],
            )
            for piece in label
            if piece.span is not None
        ]
        kept = [(first, end) for first, end in ranges if first < end]
        made.append(_merged(kept) if kept else ((last, last + 1),))
    return atoms, made


def _ends(domain: Domain, spans: Sequence[Span], cuts: Sequence[Cut]) -> Iterator[Cut]:
    """Yield ends for stretches without one that no other label ends: of what is greater or less
    than all, the value next to that is drawn."""
    for low, high in spans:
        if low is not None and high is None and low == cuts[-1]:
            yield (low[0] + 1, 0) if domain.discrete else (low[0], 1)
        if high is not None and low is None and high == cuts[0]:
            yield (high[0] - 1 if domain.discrete else math.nextafter(high[0], -math.inf), 0)


def _merged(ranges: Sequence[tuple[int, int]]) -> Ranges:
    """Return ranges in order; ranges that touch or overlap are joined."""
    merged: list[tuple[int, int]] = []
    for first, end in sorted(ranges):
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((first, end))
    return tuple(merged)


def _divided(domain: Domain, cuts: Sequence[Cut]) -> list[Cut]:
    """Return the cuts with others between them, so that every stretch is a single value, or as
    short as the number of values that are listed allows."""
    step = max(1, -(-(cuts[-1][0] - cuts[0][0]) // _STRETCHES))
    if domain.kind == "timestamp" and step < _STEP:
        step = _STEP
    more = {
        (position, 0)
        for (low, _), (high, _) in pairwise(cuts)
        for position in range(low + step, high, step)
    }
    return sorted(more.union(cuts))


_STEP = 60_000_000
"""The shortest stretch of timestamps that is divided: a minute, in microseconds."""
_EPOCH = datetime(1970, 1, 1)


def _value(domain: Domain, units: int) -> Any:
    """Return the value of a listed atom, as engines take it."""
    if domain.kind == "date":
        return date.fromordinal(units)
    if domain.kind == "timestamp":
        return _EPOCH + timedelta(microseconds=units)
    return Decimal(units).scaleb(-domain.scale) if domain.scale else units
