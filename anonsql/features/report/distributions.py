"""How the values of columns are distributed in a source and in its release, side by side.

A released label counts for all values of the source that it covers, in equal parts, as in
:mod:`anonsql.features.measure.comparing`. No value is named that fewer than k rows of the source
have: rare names are counted together, and bars of numbers are joined until they have k rows, or
none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from anonsql.engines.base import ORDERED, Column, Relation
from anonsql.features.measure.comparing import MeasuredRelease
from anonsql.features.report.edges import Edges, edges
from anonsql.features.report.page_document import Bar, Distribution
from anonsql.policy.local import bucket_name
from anonsql.release.columns import COUNT
from anonsql.star.coded import Coded
from anonsql.system.numbers import rounded

MOST_NAMES = 20
NO_VALUE = "no value (NULL)"
_NAMED = ("text", "boolean")


@dataclass(frozen=True)
class CountedValues:
    """A column of a released table that has values themselves, not labels; ``by`` is the column
    that says how many rows a value stands for, None where each row is one."""

    table: Relation
    column: Coded
    by: str | None = None


def of_columns(made: MeasuredRelease, k: int) -> dict[str, Distribution]:
    """Return the distributions of all columns that can be compared, by name, after
    :func:`anonsql.features.measure.comparing.understand`. Values that are kept as they are cannot
    be where another engine than the source's reads the release: they would have to travel."""
    distributions = {}
    attributes = {attribute.name: attribute for attribute in made.job.counted.attributes}
    for position, column in enumerate(made.job.opened.columns, start=len(attributes) + 1):
        each: Any = attributes.get(column.name) or Coded(position, column)
        counted = [] if made.apart else _counted(made, each, labels=column.name in attributes)
        covered = column.name in attributes
        withheld = covered and each.index in made.withheld
        if not (covered or counted) or (withheld and not counted):
            continue
        if not column.comparable or column.kind not in (*_NAMED, *ORDERED):
            continue
        _see(made, each, counted, covered=covered)
        distributions[column.name] = _of(made, each, k)
        made.engine.drop(f"seen_{each.index}")
    return distributions


def _counted(made: MeasuredRelease, each: Coded, *, labels: bool) -> list[CountedValues]:
    """Return where the release has values of a column themselves: in its rows, or in the table of
    its sensitive values."""
    policy, release = made.job.policy, made.release
    if policy.columns[each.name].role == "identifying":
        return []
    if each.name in policy.tabled:
        table, by = release.extras[policy.tabled[each.name]], COUNT.name
    elif not labels:
        table, by = release.rows, None
    else:
        return []
    columns = {column.name: column for column in release.engine.columns(table)}
    return [CountedValues(table, Coded(each.index, columns[each.name]), by)]


def _see(
    made: MeasuredRelease, each: Coded, counted: Sequence[CountedValues], *, covered: bool
) -> None:
    """Make ``seen_<index>`` of a column."""
    if covered:
        bucket = bucket_name(each.name) if each.index in made.withheld else None
        weights = made.release.engine.query(
            "features/report/label_counts", table=made.release.rows, a=each, bucket=bucket
        )
        types = [("label", "INTEGER"), ("n", "BIGINT")]
        made.engine.load(f"weights_{each.index}", types, weights or [(-1, 0)])
    made.engine.run(
        "features/report/seen",
        source=made.job.opened.source,
        a=each,
        covered=covered,
        counted=counted,
    )
    if covered:
        made.engine.drop(f"weights_{each.index}")


def _of(made: MeasuredRelease, each: Coded, k: int) -> Distribution:
    """Return the distribution of a column from ``seen_<index>``."""
    column: Column = each.column
    if column.kind in _NAMED:
        bars = _names(made, each, k)
        distance = made.engine.query("features/report/seen_total", a=each)[0][0]
        relative, unit = None, ""
    else:
        least, greatest, _ = made.engine.query("features/report/seen_ends", a=each, k=k)[0]
        ends = (0.0, 0.0) if least is None or greatest is None else (least, greatest)
        bars = _numbers(made, each, edges(ends[0], ends[1], column.kind), k)
        distance = made.engine.query("features/report/seen_distance", a=each)[0][0]
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


def _names(made: MeasuredRelease, each: Coded, k: int) -> list[Bar]:
    """Return the bars of a column of names: the commonest, all others, and the rare ones."""
    named: list[Bar] = []
    pooled: list[Bar] = []
    for bars, word, values, source, released in made.engine.query(
        "features/report/seen_names", a=each, k=k, most=MOST_NAMES
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


def _numbers(made: MeasuredRelease, each: Coded, edges_of: Edges, k: int) -> list[Bar]:
    """Return the bars of a column of numbers or dates, each of k rows of the source or of none."""
    counts = {
        outcome: (source, released)
        for outcome, source, released in made.engine.query(
            "features/report/seen_bins", a=each, edges=edges_of.at, last=len(edges_of.at)
        )
    }
    nothing = counts.pop(-1, (0, 0.0))
    bars = [
        Bar(label=edges_of.label(first, last), source=source, released=rounded(released))
        for first, last, source, released in joined(
            [counts.get(outcome, (0, 0.0)) for outcome in range(len(edges_of.at) + 1)], k
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
