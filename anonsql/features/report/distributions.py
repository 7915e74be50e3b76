"""How far a release is from its source: the distributions of columns, and the losses of their
values. A released label counts for all values of the source that it covers, in equal parts. A value
of fewer than k rows of the source has no name: rare names are counted together, and bars of numbers
are joined."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from anonsql.engines.base import ORDERED, Column, Relation
from anonsql.features.measure import comparing
from anonsql.features.measure.comparing import MeasuredRelease
from anonsql.features.measure.usefulness import measuring
from anonsql.features.report.document import Bar, Distribution, Usefulness
from anonsql.grammar.literals import Kind
from anonsql.policy.local import bucket_name
from anonsql.release.columns import COUNT
from anonsql.star.coded import Coded
from anonsql.system.numbers import rounded

MOST_NAMES = 20
NO_VALUE = "no value (NULL)"
_NAMED = ("text", "boolean")
_MOST_BARS = 20
_DAY_0 = date(2000, 1, 1)
_MONTHS = (1, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 6000, 12000)
_LEAST_DAY, _LAST_DAY = date.min.toordinal(), date.max.toordinal()


@dataclass(frozen=True)
class CountedValues:
    """A column of released values, not labels; ``by`` counts the rows of a value, None: each row is
    one."""

    table: Relation
    column: Coded
    by: str | None = None


def of_columns(made: MeasuredRelease, k: int) -> dict[str, Distribution]:
    """Return the distributions of all columns that can be compared, after
    :func:`anonsql.features.measure.comparing.understand`. Kept values are left out where another
    engine reads the release: they would have to travel."""
    distributions = {}
    attributes = {attribute.name: attribute for attribute in made.job.counted.attributes}
    for position, column in enumerate(made.job.opened.columns, start=len(attributes) + 1):
        coded: Any = attributes.get(column.name) or Coded(position, column)
        counted = [] if made.apart else _counted(made, coded, labels=column.name in attributes)
        covered = column.name in attributes
        withheld = covered and coded.index in made.withheld
        if not (covered or counted) or (withheld and not counted):
            continue
        if not column.comparable or column.kind not in (*_NAMED, *ORDERED):
            continue
        _see(made, coded, counted, covered=covered)
        distributions[column.name] = _of(made, coded, k)
        made.engine.drop(f"seen_{coded.index}")
    return distributions


def _counted(made: MeasuredRelease, coded: Coded, *, labels: bool) -> list[CountedValues]:
    """Return where the release has values of a column themselves: in its rows, or in the table of
    its sensitive values."""
    policy, release = made.job.policy, made.release
    if policy.columns[coded.name].role == "identifying":
        return []
    if coded.name in policy.tabled:
        table, by = release.extras[policy.tabled[coded.name]], COUNT.name
    elif not labels:
        table, by = release.rows, None
    else:
        return []
    columns = {column.name: column for column in release.engine.columns(table)}
    return [CountedValues(table, Coded(coded.index, columns[coded.name]), by)]


def _see(
    made: MeasuredRelease, coded: Coded, counted: Sequence[CountedValues], *, covered: bool
) -> None:
    if covered:
        bucket = bucket_name(coded.name) if coded.index in made.withheld else None
        weights = made.release.engine.query(
            "features/report/label_counts", table=made.release.rows, a=coded, bucket=bucket
        )
        types = [("label", "INTEGER"), ("n", "BIGINT")]
        made.engine.load(f"weights_{coded.index}", types, weights or [(-1, 0)])
    made.engine.run(
        "features/report/seen",
        source=made.job.opened.source,
        a=coded,
        covered=covered,
        counted=counted,
    )
    if covered:
        made.engine.drop(f"weights_{coded.index}")


def _of(made: MeasuredRelease, coded: Coded, k: int) -> Distribution:
    column: Column = coded.column
    if column.kind in _NAMED:
        bars = _names(made, coded, k)
        distance = made.engine.query("features/report/seen_total", a=coded)[0][0]
        relative, unit = None, ""
    else:
        least, greatest, _ = made.engine.query("features/report/seen_ends", a=coded, k=k)[0]
        ends = (0.0, 0.0) if least is None or greatest is None else (least, greatest)
        bars = _numbers(made, coded, edges(ends[0], ends[1], column.kind), k)
        distance = made.engine.query("features/report/seen_distance", a=coded)[0][0]
        width = ends[1] - ends[0]
        relative = None if distance is None or width <= 0 else rounded(distance / width)
        unit = "days" if column.kind in ("date", "timestamp") else ""
    return Distribution(
        kind="names" if column.kind in _NAMED else "numbers",
        bars=bars,
        rows=sum(bar.source for bar in bars),
        released=rounded(sum(bar.released for bar in bars)),
        distance=None if distance is None else rounded(float(distance)),
        relative=relative,
        unit=unit,
    )


def _names(made: MeasuredRelease, coded: Coded, k: int) -> list[Bar]:
    named: list[Bar] = []
    pooled: list[Bar] = []
    for bars, word, values, source, released in made.engine.query(
        "features/report/seen_names", a=coded, k=k, most=MOST_NAMES
    ):
        if bars > 0:
            label = NO_VALUE if word is None else str(word)
            named.append(Bar(label=label, source=source, released=rounded(released)))
            continue
        label = (
            f"{values:,} other values"
            if bars == -1
            else f"{values:,} values of fewer than {k:,} rows each"
        )
        pooled.insert(0, Bar(label=label, source=source, released=rounded(released)))
    return [*named, *pooled]


def _numbers(made: MeasuredRelease, coded: Coded, bar_edges: Edges, k: int) -> list[Bar]:
    """Return the bars of a column of numbers or dates, each of k rows of the source or of none."""
    counts = {
        outcome: (source, released)
        for outcome, source, released in made.engine.query(
            "features/report/seen_bins", a=coded, edges=bar_edges.at, last=len(bar_edges.at)
        )
    }
    nothing = counts.pop(-1, (0, 0.0))
    bars = [
        Bar(label=bar_edges.label(first, last), source=source, released=rounded(released))
        for first, last, source, released in joined(
            [counts.get(outcome, (0, 0.0)) for outcome in range(len(bar_edges.at) + 1)], k
        )
    ]
    if nothing[0] >= k or nothing[1] > 0:
        label = NO_VALUE if nothing[0] >= k else f"no value: fewer than {k:,} rows"
        bars.append(Bar(label=label, source=nothing[0], released=rounded(nothing[1])))
    return bars


def joined(counts: Sequence[tuple[int, float]], k: int) -> list[tuple[int, int, int, float]]:
    """Return the bars (first, last, rows of the source, released rows) with neighbours joined until
    each has k rows of the source, or none.

    >>> joined([(9, 9.0), (2, 1.0), (0, 0.0), (4, 5.0), (0, 0.0), (7, 7.0)], 5)
    [(0, 0, 9, 9.0), (1, 3, 6, 6.0), (4, 4, 0, 0.0), (5, 5, 7, 7.0)]
    >>> joined([(9, 9.0), (2, 1.0)], 5)
    [(0, 1, 11, 10.0)]
    """
    bars: list[tuple[int, int, int, float]] = []
    begun: tuple[int, int, float] | None = None
    for position, (source, released) in enumerate(counts):
        first, rows, weight = begun or (position, 0, 0.0)
        rows, weight = rows + source, weight + released
        if rows == 0 or rows >= k:
            bars.append((first, position, rows, weight))
            begun = None
        else:
            begun = first, rows, weight
    if begun is not None:
        first, rows, weight = begun
        while bars and rows < k:
            first, _, more, heavier = bars.pop()
            rows, weight = rows + more, weight + heavier
        bars.append((first, len(counts) - 1, rows, weight))
    return bars


@dataclass(frozen=True)
class Edges:
    """The starts of bars except the first, ascending, with names. ``whole``: a name between two
    edges says all of its bar (a whole number, a day, a year); ``moments``: dates or times."""

    at: Sequence[Decimal] = ()
    names: Sequence[str] = ()
    whole: bool = False
    moments: bool = False

    def label(self, first: int, last: int) -> str:
        """Return a name of the bars from ``first`` to ``last``; bar 0 is below the first edge."""
        below, above = ("before", "later") if self.moments else ("below", "more")
        if first == 0 and last == len(self.at):
            return "all values"
        if first == 0:
            return f"{below} {self.names[last]}"
        if last == len(self.at):
            return f"{self.names[first - 1]} or {above}"
        if first == last and self.whole:
            return self.names[first - 1]
        return f"{self.names[first - 1]} to {below} {self.names[last]}"


def edges(least: float, greatest: float, kind: Kind) -> Edges:
    """Return the edges of about :data:`_MOST_BARS` bars at most from ``least`` to ``greatest``; dates
    and times are days since 2000-01-01.

    >>> edges(17, 90, "integer").names[:3]
    ('20', '25', '30')
    >>> edges(1, 5, "integer").label(0, 0), edges(1, 5, "integer").label(1, 1)
    ('below 2', '2')
    >>> edges(9000, 9700, "date").names[0]
    '2024-10'
    """
    if not (math.isfinite(least) and math.isfinite(greatest)) or greatest <= least:
        return Edges()
    if kind in ("date", "timestamp"):
        return _of_days(least, greatest)
    step = _round_step(Decimal(repr(greatest - least)) / _MOST_BARS, whole=kind == "integer")
    first = (Decimal(repr(least)) / step).to_integral_value("ROUND_FLOOR") + 1
    last = (Decimal(repr(greatest)) / step).to_integral_value("ROUND_FLOOR")
    at = tuple(position * step for position in range(int(first), int(last) + 1))
    return Edges(at, tuple(_plain(decimal) for decimal in at), kind == "integer" and step == 1)


def _round_step(least: Decimal, *, whole: bool) -> Decimal:
    """Return the least of 1, 2 and 5 times a power of ten that is no less."""
    power = Decimal(1).scaleb(least.adjusted())
    result = next(
        number * power for number in map(Decimal, (1, 2, 5, 10)) if number * power >= least
    )
    return max(result, Decimal(1)) if whole else result


def _plain(number: Decimal) -> str:
    if number and not -7 < number.adjusted() < 15:
        return f"{float(number):g}"
    text = f"{number:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _of_days(least: float, greatest: float) -> Edges:
    low, high = (
        date.fromordinal(min(max(_DAY_0.toordinal() + int(value // 1), _LEAST_DAY), _LAST_DAY))
        for value in (least, greatest)
    )
    days = (high - low).days
    if days <= _MOST_BARS * 7:
        step = 1 if days <= _MOST_BARS else 7
        at = [low + timedelta(index) for index in range(1, days + 1, step)]
        names, whole = [element.isoformat() for element in at], step == 1
    else:
        months = next(
            (month for month in _MONTHS if days / 30.44 / month <= _MOST_BARS), _MONTHS[-1]
        )
        at = [beginning for beginning in _beginnings(low, high, months) if low < beginning <= high]
        names = [f"{entry.year:04}" if months >= 12 else f"{entry:%Y-%m}" for entry in at]
        whole = months in (1, 12)
    numbers = tuple(Decimal((item - _DAY_0).days) for item in at)
    return Edges(numbers, tuple(names), whole, moments=True)


def _beginnings(low: date, high: date, months: int) -> list[date]:
    counted = range((low.year * 12 + low.month - 1) // months, (high.year * 12 + 12) // months + 1)
    starts = [divmod(number * months, 12) for number in counted]
    return [date(year, month + 1, 1) for year, month in starts if 1 <= year <= date.max.year]


def useful(made: MeasuredRelease, sizes: Mapping[int, tuple[int, int]]) -> Usefulness:
    """Measure a release after ``comparing.understand``; ``sizes`` are those of the domains."""
    comparing.count_rows(made, [])
    penalties, _, _ = comparing.column_penalties(made, sizes)
    return Usefulness(
        gcp=rounded(sum(penalties.values()) / len(penalties)),
        lost=penalties,
        analyses=measuring.usefulness_of(made.job, measuring.completed_of(made.job, made.release)),
    )
