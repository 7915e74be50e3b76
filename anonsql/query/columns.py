"""Columns of a release prepared for questions: their values and buckets numbered, and a table of
the values that their labels cover."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from anonsql.engines.base import Engine, Relation
from anonsql.errors import InvariantError
from anonsql.grammar.labels import Label
from anonsql.labels.domains import Cut, Domain, Span
from anonsql.labels.label_values import MANY, Piece, evenly, exactly, is_exact, pieces, weighed_by
from anonsql.labels.original_columns import OriginalColumn
from anonsql.query import numbers
from anonsql.query.value_sets import ValueSet
from anonsql.star.coded import Coded

_LABELS = [("value", "BIGINT"), ("pieces", "INTEGER"), ("weight", "DOUBLE")]
_KEY = ("key", "INTEGER")
_RANKS = [("empty", "INTEGER"), ("lo", "INTEGER"), ("hi", "INTEGER")]
_MEASURED = [("x", "DOUBLE"), ("y", "DOUBLE")]
_NULL = (1, 0, 1, None, None, None, None)  # NULL as a stretch
_NOTHING = (2, 0, 1, None, None, None, None)
_EXACT, _APPROXIMATE = "DECIMAL(38, 0)", "DOUBLE"
_MOST = 10**37  # the greatest sum in the exact type
_DIGITS = 38
_EVEN = 1024  # see numbers.Scale
_UP_TO_64_BITS = {
    *("TINYINT", "SMALLINT", "INTEGER", "BIGINT"),
    *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"),
}


@dataclass
class QueriedColumn:
    """A column in one domain, under a number, in a release of ``rows`` rows. ``labels`` are its
    released labels by number, ``covered`` the values of each, and ``positions`` all ends of that in
    order. ``guessed``: labels that cover any value are weighed by the values that other rows are
    released with, and those in buckets. Dates and timestamps count as numbers where they are
    ``valued``. Sums of numbers are ``exact``, or else exact if the numbers are ``even`` and not too
    great (see :class:`anonsql.query.numbers.Scale`)."""

    index: int
    held: OriginalColumn
    domain: Domain
    rows: int
    valued: bool = False
    positions: list[Cut] = field(default_factory=list)
    guessed: bool = False
    exact: bool = False
    even: bool = False
    labels: Mapping[int, Label] = field(default_factory=dict)
    covered: Mapping[int, tuple[Piece, ...]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The column's name."""
        return self.held.name

    @property
    def has_values(self) -> bool:
        """Whether values of the column are released as they are, in the rows or in buckets."""
        return self.held.kept or self.held.bucketed is not None

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
        cast = self.has_values and self.domain.kind != "float"
        return numbers.Scale(self.exact, self.unit, self.even, cast)

    @property
    def most(self) -> int:
        """The greatest number of units that every row can have in an exact sum."""
        return _MOST // max(self.rows, 1)

    @property
    def coded(self) -> Coded:
        """The column whose values are not generalized: kept, or in the table of buckets."""
        column = self.held.bucketed.value if self.held.bucketed else self.held.column
        if column is None:
            raise InvariantError("a column has values and no relation")
        return Coded(self.index, column)

    @cached_property
    def parts(self) -> list[str]:
        """The columns of the release that form a released value."""
        ends = [column.name for column in (self.held.lo, self.held.hi) if column is not None]
        return [self.name, *ends] if self.held.labels else []

    @property
    def stretch(self) -> list[tuple[str, str]]:
        """The columns of a table that :func:`_stretch` fills."""
        return [*_RANKS, *_MEASURED, ("low", self.number), ("high", self.number)]


def prepare(engine: Engine, rows: Relation, column: QueriedColumn) -> None:
    """Number a column's values, and make the table of the values that its labels cover."""
    if column.held.bucketed is not None:
        engine.run("query/column_values", a=column.coded, table=column.held.bucketed.table)
        engine.run("query/buckets", c=column)
    if column.held.kept:
        engine.run("query/column_values", a=column.coded, table=rows)
    counts = _read_labels(engine, rows, column) if column.held.labels else {}
    if column.ordered:
        _plan_numbers(engine, column)
        if column.has_values:
            _make_numbers(engine, column)
    if column.held.bucketed is not None:
        engine.run("query/stock", c=column)
    if column.held.labels:
        _load_labels(engine, column, counts)


def _read_labels(engine: Engine, rows: Relation, column: QueriedColumn) -> Mapping[int, int]:
    """Read the values of a column's released labels; return how many rows have each."""
    engine.run("labels/released", into=f"values_{column.index}", c=column, table=rows)
    read = engine.query("labels/released_read", labels=f"values_{column.index}", c=column)
    column.labels = {value: label for value, label, *_ in read}
    column.covered = {
        value: pieces(column.held, column.domain, label, lo, hi) for value, label, lo, hi, _ in read
    }
    return {value: count for value, *_, count in read}


def _plan_numbers(engine: Engine, column: QueriedColumn) -> None:
    """Decide whether a column's numbers can be computed exactly: in whole units, in which as many
    numbers as there are rows can be added."""
    column.exact = column.domain.discrete and all(
        end is None or abs(end) <= column.most
        for covered in column.covered.values()
        for piece in covered
        if piece.span is not None
        for end in _whole_ends(piece.span)
    )
    if column.exact and column.has_values:
        column.exact = _computes_exactly(engine, column)
    column.even = not column.exact


def _computes_exactly(engine: Engine, column: QueriedColumn) -> bool:
    """Return whether an engine can express all values of a column in whole units, none too
    great."""
    kind = column.coded.column.type
    if column.domain.kind == "decimal":
        digits = re.search(r"\((\d+)", kind)
        most = int(digits[1]) if digits else _DIGITS
        return most + column.domain.scale + 2 <= _DIGITS and 10**most <= column.most
    if column.domain.kind == "integer" and kind.upper() not in _UP_TO_64_BITS:
        reach = engine.query("query/reaches", c=column)[0]
        return all(value is None or abs(value) <= column.most for value in reach)
    return True


def _make_numbers(engine: Engine, column: QueriedColumn) -> None:
    """Make ``numbers_<index>`` anew; dates and timestamps are turned into numbers in Python."""
    engine.drop(f"numbers_{column.index}")
    if column.domain.moments:
        moments = engine.query("query/moments", c=column)
        rows = [(code, column.domain.point(value)) for code, value in moments]
        engine.load(f"numbers_{column.index}", [("code", "BIGINT"), ("number", _EXACT)], rows)
        return
    engine.run("query/numbers", c=column)
    if column.even:
        fractions = column.domain.kind != "float" or engine.query("query/fractions", c=column)[0][0]
        column.even = not fractions


def _load_labels(engine: Engine, column: QueriedColumn, counts: Mapping[int, int]) -> None:
    """Make ``labels_<index>``: a line for each label and stretch of values that it covers. The ends
    are stored as ranks, so that statements compare integers."""
    weighed = _weighed(engine, column, counts)
    spans = {piece.span for covered in weighed.values() for piece in covered if piece.span}
    column.positions = sorted({cut for span in spans for cut in span if cut is not None})
    rows = [
        (value, len(covered), piece.weight, *_stretch(column, piece.span))
        for value, covered in weighed.items()
        for piece in covered
    ]
    columns = [*_LABELS, *column.stretch]
    engine.load(f"labels_{column.index}", columns, rows or [(0, 1, None, *_NOTHING)])


def _weighed(
    engine: Engine, column: QueriedColumn, counts: Mapping[int, int]
) -> dict[int, tuple[Piece, ...]]:
    """Return the values of labels; pieces of unknown weight get the weights of exact values."""
    domain, covered = column.domain, column.covered
    exact = [
        (stretches[0], counts[value])
        for value, stretches in covered.items()
        if is_exact(domain, stretches)
    ]
    unknown = any(piece.weight is None for stretches in covered.values() for piece in stretches)
    if column.held.bucketed is not None and unknown:
        stocked = engine.query("query/stocked", c=column, most=MANY + 1)
        exact += [(exactly(domain, value), rows) for value, rows in stocked]
    likely = {value: weighed_by(exact, stretches) for value, stretches in covered.items()}
    column.guessed = likely != covered
    return {value: evenly(domain, stretches) for value, stretches in likely.items()}


def load_sets(engine: Engine, column: QueriedColumn, name: str, sets: Sequence[ValueSet]) -> None:
    """Make the tables of some sets of a column's values, numbered from 1: ``spans_<name>``, with
    which labels are compared, and ``limits_<name>``, with which values are."""
    numbered = list(enumerate(sets, start=1))
    if column.held.labels:
        rows = [
            (key, *_stretch(column, span))
            for key, values in numbered
            for span in [*values.spans, *([None] if values.null else [])]
        ]
        engine.load(f"spans_{name}", [_KEY, *column.stretch], rows)
    if column.has_values:
        kind = column.domain.sql_type
        ends = [("lo", kind), ("lo_after", "INTEGER"), ("hi", kind), ("hi_after", "INTEGER")]
        limits = [(key, *limit) for key, values in numbered for limit in _limits(column, values)]
        engine.load(f"limits_{name}", [_KEY, ("empty", "INTEGER"), *ends], limits)


def _limits(column: QueriedColumn, values: ValueSet) -> Iterator[tuple[object, ...]]:
    """Yield the stretches of a set in the terms in which values are compared with them."""
    for low, high in values.spans:
        first = None if low is None else column.domain.written(low)
        last = None if high is None else column.domain.written(high)
        beyond_all = low is not None and first is None and low[0] > 0
        before_all = high is not None and last is None and high[0] <= 0
        if not beyond_all and not before_all:
            yield 0, *(first or (None, 0)), *(last or (None, 0))
    if values.null:
        yield 1, None, 0, None, 0


def _stretch(column: QueriedColumn, span: Span | None) -> tuple[object, ...]:
    """Return a stretch of values, or NULL (None), as a line of a table: whether it is NULL; the
    ranks of its ends among those of the labels, even if an end is between two of them; its ends as
    positions; the least and the greatest number in it, or the nearest beyond."""
    if span is None:
        return _NULL
    (low, high), last = span, 2 * len(column.positions) + 1
    ranks = -1 if low is None else _rank(column, low), last if high is None else _rank(column, high)
    if column.domain.kind == "text":
        return 0, *ranks, None, None, None, None
    measured = [None if cut is None else column.domain.position(cut[0]) for cut in span]
    return 0, *ranks, *measured, *_numbers_of(column, span)


def _rank(column: QueriedColumn, cut: Cut) -> int:
    positions, place = column.positions, bisect_left(column.positions, cut)
    return 2 * place + (place < len(positions) and positions[place] == cut)


def _numbers_of(column: QueriedColumn, span: Span) -> tuple[object, object]:
    """Return the least and the greatest number in a stretch, or the nearest beyond; None where there
    is no such end, or values are not numbers."""
    if not column.ordered:
        return None, None
    if column.exact:
        least, greatest = _whole_ends(span)
        return (
            None if least is None or least < -column.most else min(least, column.most),
            None if greatest is None or greatest > column.most else max(greatest, -column.most),
        )
    if column.domain.discrete:
        parts = 10**column.domain.scale
        ends = [None if end is None else Fraction(end, parts) for end in _whole_ends(span)]
    else:
        ends = [None if cut is None else _finite(cut[0]) for cut in span]
    known = [end for end in ends if end is not None]
    column.even = column.even and all((end * _EVEN).denominator == 1 for end in known)
    low, high = ends
    return (
        None if low is None else numbers.double(low, up=False),
        None if high is None else numbers.double(high, up=True),
    )


def _finite(value: Any) -> Fraction | None:
    return Fraction(value) if math.isfinite(value) else None


def _whole_ends(span: Span) -> tuple[int | None, int | None]:
    """Return the least and the greatest value of a stretch of a discrete domain."""
    low, high = span
    return None if low is None else low[0], None if high is None else high[0] - 1
