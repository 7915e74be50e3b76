"""Verification of the completed table of a release: drawing it again from the release gives the
same table, and each drawn value is in its label's range. No code of the draw reads the labels here.

A run has just drawn it. It does not draw again; it proves that the rows that drew are the released
rows; ``verify`` draws again.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

from anonsql.completion import table as completion
from anonsql.completion.columns import CompletedColumn, completed_columns
from anonsql.engines.base import Column, ReleaseTables
from anonsql.grammar.labels import (
    Interval,
    elements_of,
    interval_of,
    names_of,
    open_interval_of,
    period_of,
)
from anonsql.grammar.literals import moment, number
from anonsql.labels.original_columns import Tree
from anonsql.policy.release_parts import COMPLETED, MARGINALS
from anonsql.system.arrays import np
from anonsql.verification.facts import facts_of


def offences(release: ReleaseTables, draws: int, made: completion.Drawn | None = None) -> list[str]:
    """Return what is wrong with the completed table of a released table, which must have as many
    draws; a release that needs no such table may lack it. Tables that a run ``made`` it from on the
    same engine are not drawn again, if they were drawn by the seed and into the types that readers
    take."""
    published = release.extras.get(COMPLETED)
    if published is None and (draws or MARGINALS not in release.extras):
        return [f"there is no __{COMPLETED}"] if draws else []
    engine = release.engine
    drawn = made
    if drawn is None or drawn.engine is not engine:
        facts, most = facts_of(release), max(draws, 1)
        drawn = completion.draw(release, facts, draws=most, seed=completion.SEED)
    try:
        if impossible := drawn.by["impossible"]:
            return [
                f"{impossible[column.index]:,} frequencies of {column.name!r} in __{MARGINALS}"
                " contradict the labels"
                for column in drawn.columns
                if column.index in impossible
            ]
        if published is None:
            return []
        titles = engine.columns(published)
        if [column.name for column in titles] != [column.name for column in drawn.titles]:
            names = ", ".join(column.name for column in drawn.titles)
            return [f"__{COMPLETED} has other columns than {names}"]
        compared = {"published": published, "titles": [*map(_as_text, titles)]}
        different, rows = engine.query("verification/completed", **compared, **drawn.parameters)[0]
        if different:
            return [
                f"{different:,} distinct rows of __{COMPLETED} ({rows:,} rows) differ from the"
                " rows that the release draws"
            ]
        if drawn is made and not _as_readers_draw(release, drawn, titles, draws):
            return [f"__{COMPLETED} was drawn with another seed, or with other types"]
        if drawn is made and (other := _other_rows(release, drawn)):
            return [f"{other:,} rows in __{COMPLETED} do not come from released rows"]
        return _outside(release, drawn)
    finally:
        drawn.drop()


def _as_readers_draw(
    release: ReleaseTables, drawn: completion.Drawn, titles: Sequence[Column], draws: int
) -> bool:
    """Return whether values were drawn as readers of the published table draw them: by their seed,
    and into the types of its columns."""
    types = {column.name: column for column in titles}
    columns = completed_columns(release, facts_of(release), types)
    made = (drawn.by["seed"], [*drawn.by["draws"]], [own.column for own in drawn.columns])
    return made == (
        completion.SEED,
        [*range(1, draws + 1)],
        [own.column for own in columns],
    )


def _other_rows(release: ReleaseTables, drawn: completion.Drawn) -> int:
    given = {**drawn.by, "table": release.rows, "drawn": drawn.parameters["drawn"]}
    ((rows,),) = release.engine.query("verification/completed_rows", **given)
    return int(rows)


def _as_text(column: Column) -> tuple[str, bool]:
    """Return a column's name, and whether its values are compared by their texts."""
    return column.name, column.kind in ("text", "other") or not column.comparable


def _outside(release: ReleaseTables, drawn: completion.Drawn) -> list[str]:
    """Return what is wrong with the drawn values. The statement leaves out values between the
    bounds, the label's own text, and values below it in the hierarchy."""
    labeled = [column for column in drawn.columns if column.labeled]
    if not labeled:
        return []
    types = _typed(labeled)
    values = _by_type([(column.index, column.column) for column in labeled])
    asked = {"labeled": labeled, "values": values, **types, **_explained(release, labeled)}
    rows = release.engine.query(
        "verification/completed_doubtful", drawn=drawn.parameters["drawn"], **asked
    )
    value_of = {index: n for n, (some, _) in enumerate(values, start=1) for index in some}
    readers = {column.index: _Reader(column) for column in labeled}
    wrong: Counter[int] = Counter()
    for index, *row in rows:
        label, bounds = _label(row[len(values) :], index, types)
        value = row[value_of[index] - 1]
        wrong[index] += not readers[index].holds(label, bounds, value)
    return [
        f"{wrong[column.index]:,} values drawn for labels of {column.name!r} are outside the labels"
        for column in labeled
        if wrong[column.index]
    ]


def _explained(release: ReleaseTables, labeled: Sequence[CompletedColumn]) -> dict[str, Any]:
    """Return what SQL needs to check values against labels: the columns where ``*`` is any value,
    and the published hierarchies of columns of text."""
    covered = release.extras.get("labels")
    texts = [c for c in labeled if c.held.column is not None and c.held.column.kind == "text"]
    return {
        "covered": covered,
        "starred": [
            c.index for c in texts if c.held.lo is None and (c.held.masked or not c.held.exact)
        ],
        "trees": [
            c.index
            for c in texts
            if covered is not None and c.kind == "text" and not c.held.exact
            if c.held.tree is not None and c.held.tree.height
        ],
    }


def _by_type(columns: Sequence[tuple[int, Column | None]]) -> list[tuple[list[int], int]]:
    alike: dict[str, list[int]] = {}
    for index, column in columns:
        if column is not None:
            alike.setdefault(column.type, []).append(index)
    return [(some, some[0]) for some in alike.values()]


def _typed(labeled: Sequence[CompletedColumn]) -> dict[str, list[tuple[list[int], int]]]:
    """Return the columns whose ``labels`` are of one type, and those whose bounds (``ends``) are,
    as ``completed_labels`` has them side by side."""
    return {
        "labels": _by_type([(column.index, column.held.column) for column in labeled]),
        "ends": _by_type([(column.index, column.held.lo) for column in labeled]),
    }


def _label(
    row: Sequence[Any], index: int, types: Mapping[str, Sequence[tuple[list[int], int]]]
) -> tuple[Any, tuple[Any, Any]]:
    numbers = [n for n, (some, _) in enumerate(types["labels"]) if index in some]
    ends = [n for n, (some, _) in enumerate(types["ends"]) if index in some]
    if not ends:
        return row[numbers[0]], (None, None)
    low = len(types["labels"]) + 2 * ends[0]
    return row[numbers[0]], (row[low], row[low + 1])


class _Reader:
    """The values that the labels of a column include, as far as the release states them."""

    def __init__(self, column: CompletedColumn) -> None:
        self._held = column.held
        self._tree: Tree | None = column.held.tree
        self._single = column.column.type == "FLOAT"
        self._text = column.kind == "text"

    def holds(self, label: Any, bounds: tuple[Any, Any], value: Any) -> bool:
        """Return whether a label with its bounds includes a value. A label that nothing in the
        release explains includes no value, and NULL is drawn for it."""
        if label is None or (value is not None and self._is(label, value)):
            return label is not None or value is None
        if bounds[0] is not None and bounds[0] == bounds[1] == value:
            return True
        if self._held.exact and not (self._held.masked and label == "*"):
            return value is None and not self._text and _ordered(label) == label
        if label == "*":
            return value is None or _between(value, bounds)
        if value is None and self._unexplained(label):
            return True
        readings = list(self._readings(label, value))
        if all(bound is None for bound in bounds):
            return any(readings) if readings else value is None
        return value is not None and _between(value, bounds) and (not readings or any(readings))

    def _readings(self, label: Any, value: Any) -> Iterator[bool]:
        """Yield, for every form of a label, whether it includes the value in that form."""
        if isinstance(label, list):
            yield any(self._element(element, value) for element in label)
            return
        elements, interval, ends, pairs = _forms(label)
        if elements is not None:
            yield any(self._element(element, value) for element in elements)
        if interval is not None:
            yield self._inside(value, (interval.low, interval.high), closed=interval.closed)
        if ends is not None:
            yield self._inside(value, ends, closed=False)
        if "*" in label and value is not None:
            yield _fits(label, str(value))
        if pairs and (self._tree is not None or self._held.form == "texts"):
            yield any(self._named(first, last, value) for first, last in pairs)
        if self._tree is not None and (words := self._below.get(label)) is not None:
            listed = value in words or (value is not None and str(value) in words)
            yield listed or any(self._is(word, value) for word in words)

    def _unexplained(self, label: Any) -> bool:
        elements = label if isinstance(label, list) else elements_of(label)
        return not self._text and any(
            element is not None
            and isinstance(_ordered_label(element), str)
            and not any(_forms(element))
            and period_of(element) is None
            and (self._tree is None or element not in self._below)
            for element in elements or ()
        )

    def _element(self, label: str | None, value: Any) -> bool:
        if label is None or value is None:
            return label is value or (label is not None and any(self._readings(label, value)))
        known = self._tree is not None and label in self._below
        days = period_of(label) if isinstance(value, date) and not known else None
        if days is not None:
            return days[0] <= (value.date() if isinstance(value, datetime) else value) <= days[1]
        return self._is(label, value) or any(self._readings(label, value))

    def _inside(self, value: Any, ends: Sequence[str | None], *, closed: bool) -> bool:
        """Return whether a value is in an interval; a ``closed`` one includes its upper end."""
        if value is None or not _between(value, [self._end(end) for end in ends]):
            return False
        return closed or not self._is(ends[1], value)

    def _is(self, text: Any, value: Any) -> bool:
        return _same(text, value) or (self._single and _same(self._end(text), value))

    def _end(self, text: Any) -> Any:
        """Return what a text writes as the column has it: in single precision perhaps."""
        if self._single and isinstance(text, str) and number(text.strip()) is not None:
            return float(np.float32(text))
        return text

    def _named(self, first: str, last: str, value: Any) -> bool:
        """Return whether a value is between two names, in the order of the hierarchy, or byte by
        byte where there is none."""
        if self._tree is None:
            return isinstance(value, str) and first <= value <= last
        places = self._tree.places
        return all(str(name) in places for name in (first, last, value)) and (
            places[first] <= places[str(value)] <= places[last]
        )

    @cached_property
    def _below(self) -> dict[str | None, dict[str | None, None]]:
        below: dict[str | None, dict[str | None, None]] = {}
        for _, *labels in self._tree.leaves if self._tree is not None else ():
            for label in labels:
                below.setdefault(label, {})[labels[0]] = None
        return below


@lru_cache(maxsize=1000)
def _forms(
    label: str,
) -> tuple[
    Sequence[str | None] | None,
    Interval | None,
    Sequence[str | None] | None,
    Sequence[tuple[str, str]] | None,
]:
    """Return what a label may be: a set, an interval, one with an open end, intervals of names."""
    return elements_of(label), interval_of(label), open_interval_of(label), names_of(label)


def _fits(pattern: str, text: str) -> bool:
    """Return whether a text is one that a mask hides: as long, and equal where nothing is
    hidden."""
    return len(pattern) == len(text) and all(
        sign in ("*", other) for sign, other in zip(pattern, text, strict=True)
    )


def _between(value: Any, ends: Sequence[Any]) -> bool:
    low, high = (_ordered(_like(end, value)) for end in ends)
    own = _ordered(value)
    try:
        return bool((low is None or low <= own) and (high is None or own <= high))
    except TypeError:  # a number and a text have no order
        return False


def _ordered(value: Any) -> Any:
    """Return a value, or its text, as what can be compared: numbers exactly, dates as moments."""
    if isinstance(value, str):
        read = number(value.strip())
        return Fraction(read) if read is not None else moment(value.strip()) or value
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime(value.year, value.month, value.day)
    if isinstance(value, datetime):
        return value.replace(tzinfo=None)
    if isinstance(value, int | float | Decimal) and math.isfinite(value):
        return Fraction(value)
    return value


def _same(text: Any, value: Any) -> bool:
    if isinstance(value, bool) or value is None or text is None:
        return str(text).lower() == str(value).lower()
    if text in (value, str(value)):
        return True
    ordered = _ordered_label(text) if isinstance(text, str) else _ordered(text)
    if isinstance(ordered, str):  # no number and no date, which may be written in several ways
        return False
    return bool(_ordered(_like(text, value)) == _ordered(value))


@lru_cache(maxsize=1000)
def _ordered_label(text: str) -> Any:
    return _ordered(text)


def _like(text: Any, value: Any) -> Any:
    """Return a text as the nearest floating-point number if the value is one, else the text."""
    if isinstance(value, float) and isinstance(text, str) and number(text.strip()) is not None:
        return float(text)
    return text
