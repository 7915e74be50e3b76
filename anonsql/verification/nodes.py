"""What the labels of a hierarchy stand for, by the policy alone: worked out anew, without the
dimension tables and without the source.

A hierarchy of a file, an order or a taxonomy lists its labels. Intervals, calendar units and masks
determine how a label must be written and what its bounds are, but only the source shows which
values lie below it. Levels count from 0, the value itself.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction
from functools import cached_property
from typing import Protocol

from anonsql.grammar.labels import interval_of
from anonsql.grammar.literals import moment, number
from anonsql.hierarchies import files as hierarchy_files
from anonsql.policy.hierarchy import (
    TOP,
    DateHierarchy,
    FileHierarchy,
    Hierarchy,
    IntervalHierarchy,
    MaskHierarchy,
    OrderHierarchy,
    TaxonomyHierarchy,
)
from anonsql.policy.policy import Policy

Point = Fraction | datetime
"""A value of a numeric or date column, exactly."""
_WITHOUT_EXPONENT = re.compile(r"[-0-9.]+")
Counts = tuple[int, int | None]
"""The least and the greatest that a number can be; None: no upper limit is known."""


@dataclass(frozen=True)
class Node:
    """What a label stands for: how many ``leaves``, whether they are the ``whole_domain``, and
    their ``bounds`` where these are known.

    ``may_lack_bounds``: a release may have no bounds beside the label, for NULL may be among the
    leaves. ``or_one_less``: the released upper bound may be one less, as it is where the column has
    whole numbers.
    """

    leaves: Counts
    bounds: tuple[Point, Point] | None = None
    may_lack_bounds: bool = False
    whole_domain: bool = False
    or_one_less: bool = False


class Nodes(Protocol):
    """The labels of one hierarchy."""

    @property
    def height(self) -> int:
        """The top level."""

    @property
    def domain(self) -> Counts:
        """How many leaves there are."""

    def at(self, label: str | None, level: int) -> Node | None:
        """Return what a label of a level stands for; None where the level has no such label."""

    def looks_like(self, level: int) -> str:
        """Return what ``__columns`` says that the values of a level look like."""


def point(text: str | None) -> Point | None:
    """Return the number or moment that a text writes; None where it writes neither."""
    if text is None:
        return None
    found = number(text)
    return moment(text) if found is None else Fraction(found)


def same(one: Point, other: Point) -> bool:
    """Return whether two points are the same. Numbers are where they differ by no more than double
    or single precision rounds away."""
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        slack = max(abs(one), abs(other), Fraction(1)) / 10**12
        return abs(one - other) <= slack or abs(_single(one) - _single(other)) <= slack
    return one == other


def _single(number: Fraction) -> Fraction:
    """Return a number rounded to single precision. The text of a column of that precision has fewer
    digits than its bound, which is a double. Whole numbers of up to 16 digits are no such texts and
    stay."""
    try:
        rounded = Fraction(struct.unpack("f", struct.pack("f", float(number)))[0])
    except OverflowError:
        return number
    return number if number.denominator == 1 and abs(number) < 10**16 else rounded


def at_most(one: Point, other: Point) -> bool:
    """Return whether a point is the same as or less than another of its kind; a number and a moment
    cannot be compared."""
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return one <= other or same(one, other)
    if isinstance(one, datetime) and isinstance(other, datetime):
        return one <= other
    return False


def _itself(label: str) -> Node:
    """Return the node of a value that is released as it is."""
    found = point(label)
    return Node((1, 1), None if found is None else (found, found))


@dataclass(frozen=True)
class Tree:
    """A hierarchy that lists its leaves. ``rows`` are the labels of each leaf from level 0 to the
    top; None is the label of NULL."""

    rows: Sequence[tuple[str | None, ...]]

    @property
    def height(self) -> int:
        """The top level."""
        return len(self.rows[0]) - 1

    @property
    def _null(self) -> tuple[str | None, ...] | None:
        """The labels of NULL, where the hierarchy lists it."""
        return next((row for row in self.rows if row[0] is None), None)

    @property
    def domain(self) -> Counts:
        """How many leaves there are. NULL may be one more where the hierarchy does not list it."""
        return len(self.rows), len(self.rows) + (self._null is None)

    @cached_property
    def _below(self) -> Sequence[Mapping[str | None, list[str | None]]]:
        """The leaves below each label, by level."""
        found: list[dict[str | None, list[str | None]]] = [{} for _ in self.rows[0]]
        for row in self.rows:
            for level, label in enumerate(row):
                found[level].setdefault(label, []).append(row[0])
        return found

    def at(self, label: str | None, level: int) -> Node | None:
        """See :class:`Nodes`. Where the hierarchy does not list NULL, it stays NULL below the
        top."""
        if label is None and self._null is None:
            return Node((1, 1), may_lack_bounds=True) if level < self.height else None
        leaves = self._below[level].get(label)
        if leaves is None:
            return None
        top = level == self.height
        perhaps_null = 1 if top and self._null is None else 0
        points = [point(each) for each in leaves]
        known = [each for each in points if each is not None]
        bounds = (min(known), max(known)) if len(known) == len(points) else None
        count = (len(leaves), len(leaves) + perhaps_null)
        return Node(count, bounds, may_lack_bounds=None in leaves or top, whole_domain=top)

    def looks_like(self, level: int) -> str:
        """See :class:`Nodes`."""
        if level == 0:
            return "as it is"
        top = level == self.height
        return str(self.rows[0][-1]) if top else f"group of level {level} of {self.height}"

    @cached_property
    def positions(self) -> Mapping[str | None, int]:
        """The position of each leaf in the order that intervals of names use: siblings side by
        side, each label where its first leaf is listed, NULL and what it belongs to first."""
        firsts: list[dict[str | None, int]] = [{} for _ in self.rows[0]]
        for position, row in enumerate(sorted(self.rows, key=lambda row: row[0] is not None)):
            for level, label in enumerate(row):
                firsts[level].setdefault(label, position)
        ranked = sorted(
            self.rows,
            key=lambda row: [
                row[0] is not None,
                *(firsts[level][row[level]] for level in range(len(row) - 1, -1, -1)),
            ],
        )
        return {row[0]: position for position, row in enumerate(ranked)}


@dataclass(frozen=True)
class Suppression:
    """A hierarchy of two levels: the value, and ``*``. The base of all hierarchies that do not list
    their leaves."""

    @property
    def height(self) -> int:
        """The top level."""
        return 1

    @property
    def domain(self) -> Counts:
        """How many leaves there are: unknown, as the values are the source's."""
        return 1, None

    def at(self, label: str | None, level: int) -> Node | None:
        """See :class:`Nodes`."""
        if level == self.height:
            if label != TOP:
                return None
            return Node(self.domain, may_lack_bounds=True, whole_domain=True)
        if label is None:
            return Node((1, 1), may_lack_bounds=True)
        return self.below_top(label, level)

    def below_top(self, label: str, level: int) -> Node | None:
        """Return what a text stands for at a level below the top; None where the level has no such
        label."""
        return _itself(label) if level == 0 else None

    def looks_like(self, level: int) -> str:
        """See :class:`Nodes`."""
        return "as it is" if level == 0 else TOP


@dataclass(frozen=True)
class Intervals(Suppression):
    """Half-open intervals [a,b). The upper bound is b, or b - 1 in a column of whole numbers."""

    spec: IntervalHierarchy
    bounds_type: str

    @property
    def height(self) -> int:
        """The top level."""
        return len(self.spec.widths) + 1

    def below_top(self, label: str, level: int) -> Node | None:
        """See :class:`Nodes`."""
        if level == 0:
            return _itself(label) if point(label) is not None else None
        found = interval_of(label)
        if found is None or found.closed or not _WITHOUT_EXPONENT.fullmatch(found.low + found.high):
            return None
        low, high = point(found.low), point(found.high)
        if not (isinstance(low, Fraction) and isinstance(high, Fraction)):
            return None
        width = Fraction(self.spec.widths[level - 1])
        if high - low != width or (low - Fraction(self.spec.origin)) % width:
            return None
        if self.bounds_type == "BIGINT":  # released bounds are cut to its range
            low, high = max(low, Fraction(-(2**63))), min(high, Fraction(2**63))
        if self.bounds_type in ("BIGINT", "HUGEINT"):
            return Node((1, None), (low, high - 1))
        return Node((1, None), (low, high), or_one_less=self.spec.scale == 0)

    def looks_like(self, level: int) -> str:
        """See :class:`Nodes`."""
        if 0 < level < self.height:
            return f"[a,b), {self.spec.widths[level - 1]} wide"
        return super().looks_like(level)


@dataclass(frozen=True)
class Masks(Suppression):
    """Characters hidden from one side."""

    spec: MaskHierarchy

    @property
    def height(self) -> int:
        """The top level."""
        return self.spec.length

    def below_top(self, label: str, level: int) -> Node | None:
        """See :class:`Nodes`."""
        if len(label) > self.spec.length:
            return None
        hidden = min(level, len(label))
        end = label[len(label) - hidden :] if self.spec.start == "right" else label[:hidden]
        if end != TOP * hidden:
            return None
        return Node((1, 1) if level == 0 else (1, None))

    def looks_like(self, level: int) -> str:
        """See :class:`Nodes`."""
        side = "last" if self.spec.start == "right" else "first"
        if 0 < level < self.height:
            return f"{side} {level} of {self.spec.length} characters hidden"
        return super().looks_like(level)


@dataclass(frozen=True)
class Calendar(Suppression):
    """Calendar units; ``step`` is the time from a unit's upper bound to the next unit."""

    spec: DateHierarchy
    step: timedelta

    @property
    def height(self) -> int:
        """The top level."""
        return len(self.spec.levels) + 1

    def below_top(self, label: str, level: int) -> Node | None:
        """See :class:`Nodes`."""
        if level == 0:
            return _itself(label) if isinstance(point(label), datetime) else None
        try:
            first, after = _unit(label, self.spec.levels[level - 1])
        except (ValueError, OverflowError):
            return None
        ends = [datetime(each.year, each.month, each.day) for each in (first, after)]
        return Node((1, None), (ends[0], ends[1] - self.step))

    def looks_like(self, level: int) -> str:
        """See :class:`Nodes`."""
        return self.spec.levels[level - 1] if 0 < level < self.height else super().looks_like(level)


_UNIT_LABELS = {
    "day": r"(\d{4})-(\d\d)-(\d\d)",
    "week": r"(\d{4})-W(\d\d)",
    "month": r"(\d{4})-(\d\d)",
    "quarter": r"(\d{4})-Q([1-4])",
    "year": r"(\d{4})",
    "decade": r"(\d{3})0s",
}


def _unit(label: str, unit: str) -> tuple[date, date]:
    """Return the first day of the calendar unit that a label names, and the first day after it;
    raise ValueError where it names none. The decade 0000s begins with the year 1."""
    match = re.fullmatch(_UNIT_LABELS[unit], label)
    if match is None:
        raise ValueError
    numbers = [int(each) for each in match.groups()]
    if unit == "day":
        day = date(*numbers)
        return day, day + timedelta(days=1)
    if unit == "week":
        monday = date.fromisocalendar(numbers[0], numbers[1], 1)
        return monday, monday + timedelta(days=7)
    if unit == "month":
        return _months(numbers[0], numbers[1], 1)
    if unit == "quarter":
        return _months(numbers[0], 3 * numbers[1] - 2, 3)
    if unit == "decade":
        first = max(numbers[0] * 10, 1)
        return _months(first, 1, 12 * (numbers[0] * 10 + 10 - first))
    return _months(numbers[0], 1, 12)


def _months(year: int, month: int, many: int) -> tuple[date, date]:
    """Return the first day of ``many`` months, and the first day after them."""
    after = year * 12 + month - 1 + many
    return date(year, month, 1), date(after // 12, after % 12 + 1, 1)


def nodes_of(policy: Policy, name: str, *, ordered: bool, bounds_type: str | None) -> Nodes:
    """Return the labels of the hierarchy of a column. ``ordered`` says whether its values are
    numbers or dates; ``bounds_type`` is the type of its columns of bounds, None where it has
    none."""
    spec: Hierarchy | None = policy.hierarchy(name, ordered=ordered)
    kind = (bounds_type or "").upper()
    if isinstance(spec, FileHierarchy | OrderHierarchy | TaxonomyHierarchy):
        rows = hierarchy_files.read(spec, f"columns.{name}.hierarchy", policy.path)
        lists_null = isinstance(spec, FileHierarchy)
        return Tree([(None if lists_null and row[0] == "" else row[0], *row[1:]) for row in rows])
    if isinstance(spec, IntervalHierarchy):
        return Intervals(spec, kind)
    if isinstance(spec, MaskHierarchy):
        return Masks(spec)
    if isinstance(spec, DateHierarchy):
        step = timedelta(days=1) if kind == "DATE" else timedelta(microseconds=1)
        return Calendar(spec, step)
    return Suppression()
