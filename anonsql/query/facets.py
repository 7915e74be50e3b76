"""Columns of a release prepared for questions: their values and buckets numbered, their labels read
once."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from anonsql.engines.base import Column, Engine, Relation
from anonsql.errors import InvariantError
from anonsql.grammar.labels import Label
from anonsql.labels.domains import Cut, Domain, Span
from anonsql.labels.label_values import MANY, Piece, evenly, exactly, is_exact, pieces, weighed_by
from anonsql.labels.original_columns import OriginalColumn
from anonsql.query import numbers
from anonsql.star.coded import Coded

_PIECES = [
    *(
        ("value", "BIGINT"),
        ("pieces", "INTEGER"),
        ("empty", "INTEGER"),
        ("lo", "INTEGER"),
        ("hi", "INTEGER"),
    ),
    *(("weight", "DOUBLE"), ("x", "DOUBLE"), ("y", "DOUBLE")),
]
NULL_RANKS = (0, 1)  # the ranks of NULL in pieces and in sections alike
_EXACT, _APPROXIMATE = "DECIMAL(38, 0)", "DOUBLE"
_MOST = 10**37  # the greatest sum in the exact type
_DIGITS = 38
_EVEN = 1024  # see numbers.Scale
_UP_TO_64_BITS = {
    *("TINYINT", "SMALLINT", "INTEGER", "BIGINT"),
    *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"),
}


@dataclass
class Facet:
    """A column in one domain, under a number, in a release of ``rows`` rows. ``guessed``: labels
    that may stand for any value are weighed by the values that other rows are released with, and
    those in buckets. Dates and timestamps count as numbers where they are ``valued``. Sums of
    numbers are ``exact``, or else exact if the numbers are ``even`` and not too great (see
    :class:`anonsql.query.numbers.Scale`)."""

    index: int
    held: OriginalColumn
    domain: Domain
    rows: int
    valued: bool = False
    positions: list[Cut] = field(default_factory=list)
    guessed: bool = False
    exact: bool = False
    even: bool = False
    read: dict[int, tuple[Piece, ...]] = field(default_factory=dict)
    words: dict[int, Label] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The column's name."""
        return self.held.name

    @property
    def ordered(self) -> bool:
        """Whether its values are ordered as numbers."""
        return self.domain.numeric or (self.valued and self.domain.moments)

    @property
    def unit(self) -> int:
        """How many units, in which its numbers are computed, make one."""
        return 10**self.domain.scale if self.exact and self.domain.kind == "decimal" else 1

    @property
    def number(self) -> str:
        """The type of its numbers."""
        return _EXACT if self.exact else _APPROXIMATE

    @property
    def scale(self) -> numbers.Scale:
        """How its numbers are computed."""
        read = self.held.kept or self.held.bucketed is not None
        return numbers.Scale(self.exact, self.unit, self.even, read and self.domain.kind != "float")

    @property
    def most(self) -> int:
        """The greatest number of units of which as many as there are rows can be added exactly."""
        return _MOST // max(self.rows, 1)

    @property
    def coded(self) -> Coded:
        """The column whose values are not generalized: kept, or in the table of buckets."""
        column = self.held.bucketed.value if self.held.bucketed else self.held.column
        if column is None:
            raise InvariantError("a facet has values and no column")
        return Coded(self.index, column)

    @cached_property
    def parts(self) -> list[str]:
        """The columns of the release that make up a released value."""
        ends = [column.name for column in (self.held.lo, self.held.hi) if column is not None]
        return [self.name, *ends] if self.held.labels else []


def prepare(engine: Engine, rows: Relation, facet: Facet) -> None:
    """Number a column's values, and read what its labels stand for."""
    if facet.held.bucketed is not None:
        engine.run("query/facet_values", a=facet.coded, table=facet.held.bucketed.table)
        engine.run("query/buckets", c=facet)
    if facet.held.kept:
        engine.run("query/facet_values", a=facet.coded, table=rows)
    read: _Read = {}
    if facet.held.labels:
        engine.run("labels/released", into=f"values_{facet.index}", c=facet, table=rows)
        labels = engine.query("labels/released_read", labels=f"values_{facet.index}", c=facet)
        facet.words = {value: label for value, label, *_ in labels}
        read = {
            value: (pieces(facet.held, facet.domain, label, lo, hi), count)
            for value, label, lo, hi, count in labels
        }
    if facet.ordered:
        _plan_numbers(
            engine, facet, [span for result, _ in read.values() for span in _spans_of(result)]
        )
        if facet.held.kept or facet.held.bucketed is not None:
            _make_numbers(engine, facet)
    if facet.held.bucketed is not None:
        engine.run("query/stock", c=facet)
    if facet.held.labels:
        _load_pieces(engine, facet, read)


_Read = dict[int, tuple[tuple[Piece, ...], int]]
"""Released values by number: what they stand for, and how many rows have them."""


def _spans_of(pieces_of: tuple[Piece, ...]) -> list[Span]:
    return [piece.span for piece in pieces_of if piece.span is not None]


def _plan_numbers(engine: Engine, facet: Facet, spans: Sequence[Span]) -> None:
    """Decide whether a column's numbers can be computed exactly: in whole units, in which as many
    numbers as there are rows can be added."""
    facet.exact = facet.domain.discrete and all(
        end is None or abs(end) <= facet.most for span in spans for end in _whole_ends(span)
    )
    if facet.exact and (facet.held.kept or facet.held.bucketed is not None):
        facet.exact = _tells_exactly(engine, facet, facet.coded.column)
    facet.even = not facet.exact


def _tells_exactly(engine: Engine, facet: Facet, column: Column) -> bool:
    """Return whether an engine can express all values of a column in whole units, none too
    great."""
    if facet.domain.kind == "decimal":
        digits = re.search(r"\((\d+)", column.type)
        most = int(digits[1]) if digits else _DIGITS
        return most + facet.domain.scale + 2 <= _DIGITS and 10**most <= facet.most
    if facet.domain.kind == "integer" and column.type.upper() not in _UP_TO_64_BITS:
        reach = engine.query("query/reaches", c=facet)[0]
        return all(value is None or abs(value) <= facet.most for value in reach)
    return True


def _make_numbers(engine: Engine, facet: Facet) -> None:
    """Make ``numbers_<index>`` anew; dates and timestamps are turned into numbers in Python."""
    engine.drop(f"numbers_{facet.index}")
    if facet.domain.moments:
        rows = [
            (code, facet.domain.point(value))
            for code, value in engine.query("query/moments", c=facet)
        ]
        engine.load(f"numbers_{facet.index}", [("code", "BIGINT"), ("number", _EXACT)], rows)
        return
    engine.run("query/numbers", c=facet)
    if facet.even:
        facet.even = (
            facet.domain.kind == "float" and not engine.query("query/fractions", c=facet)[0][0]
        )


def _load_pieces(engine: Engine, facet: Facet, pieces_read: _Read) -> None:
    """Make ``pieces_<index>``; the ends of pieces are stored as ranks, so that statements compare
    integers."""
    facet.read = read = {value: result for value, (result, _) in pieces_read.items()}
    exact = [
        (result[0], rows) for result, rows in pieces_read.values() if is_exact(facet.domain, result)
    ]
    if facet.held.bucketed is not None and any(
        piece.weight is None for result in read.values() for piece in result
    ):
        stocked = engine.query("query/stocked", c=facet, most=MANY + 1)
        exact += [(exactly(facet.domain, value), rows) for value, rows in stocked]
    likely = {value: weighed_by(exact, result) for value, result in read.items()}
    facet.guessed = likely != read
    likely = {value: evenly(facet.domain, result) for value, result in likely.items()}
    read = likely
    facet.positions = sorted(
        {
            cut
            for row in read.values()
            for piece in row
            for cut in piece.span or ()
            if cut is not None
        }
    )
    ranks = {cut: 2 * position + 1 for position, cut in enumerate(facet.positions)}
    last = 2 * len(ranks) + 1
    loaded: list[tuple[object, ...]] = []
    for value, result in read.items():
        for piece in result:
            if piece.span is None:
                loaded.append((value, len(result), 1, *NULL_RANKS, piece.weight, *NOTHING))
            else:
                low, high = piece.span
                ends = (-1 if low is None else ranks[low], last if high is None else ranks[high])
                loaded.append(
                    (value, len(result), 0, *ends, piece.weight, *numbers_of(facet, piece.span))
                )
    engine.load(
        f"pieces_{facet.index}",
        [*_PIECES, *ends_of(facet)],
        loaded or [(0, 1, 2, *NULL_RANKS, None, *NOTHING)],
    )


NOTHING = (None,) * 4
"""What :func:`numbers_of` would return for NULL."""


def ends_of(facet: Facet) -> list[tuple[str, str]]:
    """Return the columns of the least and the greatest number of a stretch."""
    return [("low", facet.number), ("high", facet.number)]


def numbers_of(facet: Facet, span: Span) -> tuple[object, ...]:
    """Return the ends of a stretch as positions, then the least and the greatest number in it, or
    the nearest beyond; None where there is no such end, or values are not numbers."""
    domain, (low, high) = facet.domain, span
    if domain.kind == "text":
        return NOTHING
    measured = (
        None if low is None else domain.position(low[0]),
        None if high is None else domain.position(high[0]),
    )
    if not facet.ordered:
        return (*measured, None, None)
    if domain.discrete:
        least, greatest = _whole_ends(span)
        if facet.exact:
            return (
                *measured,
                None if least is None or least < -facet.most else min(least, facet.most),
                None if greatest is None or greatest > facet.most else max(greatest, -facet.most),
            )
        parts = 10**domain.scale
        ends = [None if int_ is None else Fraction(int_, parts) for int_ in (least, greatest)]
    else:
        ends = [None if cut is None else _finite(cut[0]) for cut in span]
    facet.even = facet.even and all(
        fraction is None or (fraction * _EVEN).denominator == 1 for fraction in ends
    )
    doubles = [
        None if end is None else numbers.double(end, up=up)
        for end, up in zip(ends, (False, True), strict=True)
    ]
    return (*measured, *doubles)


def _finite(value: Any) -> Fraction | None:
    return Fraction(value) if math.isfinite(value) else None


def _whole_ends(span: Span) -> tuple[int | None, int | None]:
    """Return the least and the greatest value of a stretch of a discrete domain."""
    low, high = span
    return None if low is None else low[0], None if high is None else high[0] - 1
