"""What labels stand for, read one by one in Python with exact fractions: slow and plain, the oracle
of what SQL reads."""

from __future__ import annotations

import re
import struct
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from fractions import Fraction
from functools import cached_property
from typing import Protocol

from anonsql.engines.base import Column, StatedColumn
from anonsql.grammar.labels import Ends, Label, elements_of, interval_of, names_of
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
from anonsql.verification.facts import bounds_names


@dataclass(frozen=True)
class ReleasedLabel:
    """A released value to be read: its label, and the texts of its bounds where it has any."""

    label: Label
    bounds: Ends = (None, None)


Values = Sequence[tuple[ReleasedLabel, int]]


def bounds_of(name, columns, added):
    return [each for end in ("lo", "hi") if (each := f"{name}_{end}") in columns and each in added]


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

    def looks(self, level: int) -> tuple[str, str]:
        """Return what ``__columns`` says of the values of a level: form and looks."""


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
    """Return the node of a value that is released unchanged."""
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
        points = [point(leaf) for leaf in leaves]
        known = [item for item in points if item is not None]
        bounds = (min(known), max(known)) if len(known) == len(points) else None
        count = (len(leaves), len(leaves) + perhaps_null)
        return Node(count, bounds, may_lack_bounds=None in leaves or top, whole_domain=top)

    def looks(self, level: int) -> tuple[str, str]:
        """See :class:`Nodes`."""
        if level == 0:
            return "value", "as it is"
        if level < self.height:
            return "level", f"group of level {level} of {self.height}"
        top = str(self.rows[0][-1])
        return "star" if top == TOP else "level", top

    @cached_property
    def positions(self) -> Mapping[str | None, int]:
        """The position of each leaf in the order that intervals of names use: siblings side by
        side, each label where its first leaf is listed, NULL first."""
        firsts: list[dict[str | None, int]] = [{} for _ in self.rows[0]]
        for position, row in enumerate(self.rows):
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

    def looks(self, level: int) -> tuple[str, str]:
        """See :class:`Nodes`."""
        return ("value", "as it is") if level == 0 else ("star", TOP)


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

    def looks(self, level: int) -> tuple[str, str]:
        """See :class:`Nodes`."""
        if 0 < level < self.height:
            return "interval", f"[a,b), {self.spec.widths[level - 1]} wide"
        return super().looks(level)


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

    def looks(self, level: int) -> tuple[str, str]:
        """See :class:`Nodes`."""
        side = "last" if self.spec.start == "right" else "first"
        if 0 < level < self.height:
            form = f"mask-{self.spec.start}"
            return form, f"{side} {level} of {self.spec.length} characters hidden"
        return super().looks(level)


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
        ends = [datetime(item.year, item.month, item.day) for item in (first, after)]
        return Node((1, None), (ends[0], ends[1] - self.step))

    def looks(self, level: int) -> tuple[str, str]:
        """See :class:`Nodes`."""
        if 0 < level < self.height:
            return "level", self.spec.levels[level - 1]
        return super().looks(level)


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
    numbers = [int(group) for group in match.groups()]
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


WIDEST = 10**18
_TREES = (FileHierarchy, OrderHierarchy, TaxonomyHierarchy)
_LOOKS = {
    "range": "[least,greatest]",
    "set": "{one, another}",
    "numbers": "[first,last] of an interval",
    "names": "first … last of an interval",
    "itself": "as it is",
}


@dataclass(frozen=True)
class Shape:
    """How a column's values can be released: the ``form`` of the method, the labels of the
    hierarchy, and the levels that may be released, one alone where ``__columns`` tells it."""

    name: str
    form: str
    nodes: Nodes
    least: int
    most: int
    withheld: bool = False

    @property
    def looks(self) -> tuple[str, str]:
        """What ``__columns`` says of the values: form and looks."""
        if self.form == "level":
            return self.nodes.looks(self.least)
        found = _LOOKS.get(self.form)
        form, text = self._node if found is None else (self.form, found)
        if self.form == "itself":
            form = "value"
        if self.form == "names" and not isinstance(self.nodes, Tree):
            form, text = "texts", f"{text}, byte by byte"
        return form, f"{text}; nothing where it is sensitive" if self.withheld else text

    @property
    def _node(self) -> tuple[str, str]:
        """What values are that may be of any level."""
        if isinstance(self.nodes, Masks) and self.nodes.height > 1:
            form, text = self.nodes.looks(self.nodes.height - 1)
            return form, f"as it is, or up to {text}"
        if isinstance(self.nodes, Tree | Intervals | Masks | Calendar):
            return "node", "a value of its hierarchy"
        return "value-or-star", "unchanged, or *"

    def read(
        self, label: Label, sets: Container[str] = ()
    ) -> Iterator[tuple[Node, tuple[str | None, ...] | None]]:
        """Yield the nodes that a released value can stand for, each with all its values where the
        label names every one of them. Labels in ``sets`` are read as sets only, not as values that
        look like one."""
        if not (label is None or isinstance(label, str)):
            yield from self._set(list(label))
            return
        if label is not None and label in sets:
            yield from self._set(elements_of(label) or [])
            return
        levels = (
            range(self.least, self.most + 1) if self.form in ("level", "node") else (self._own,)
        )
        for level in levels:
            node = self.nodes.at(label, level)
            if node is not None:
                yield node, (label,) if level == 0 and not node.whole_domain else None
        if self.form == "itself" or label is None:
            return
        if self.form == "set":
            yield from self._set(elements_of(label) or [])
        elif self.form in ("range", "numbers"):
            yield from self._range(label)
        elif self.form == "names":
            yield from self._names(label)
        if self.form in ("range", "numbers", "names") or self.withheld:
            top = self.most if self.form == "range" else self.nodes.height
            for item in {top, self.nodes.height}:
                if node := self.nodes.at(label, item):
                    yield node, None
            if label == "*":
                yield Node(self.nodes.domain, may_lack_bounds=True, whole_domain=True), None

    @property
    def _own(self) -> int:
        """The level of values that are released unchanged."""
        return self.least if self.form == "set" else 0

    def sets_among(self, labels: Sequence[Label]) -> set[str]:
        """Return the labels that are surely sets: other labels name some of their elements too, and
        no label names the set itself as an element."""
        if self.form != "set":
            return set()
        texts = [item for item in labels if isinstance(item, str)]
        words = {text: elements_of(text) or [] for text in texts}
        named = Counter(word for entry in words.values() for word in set(entry)) + Counter(texts)
        return {
            label
            for label, found in words.items()
            if len(found) > 1 and named[label] == 1 and any(named[word] > 1 for word in found)
        }

    def _set(
        self, words: Sequence[str | None]
    ) -> Iterator[tuple[Node, tuple[str | None, ...] | None]]:
        """Yield the node of a set, if ``words`` are distinct labels of the least level."""
        nodes = [self.nodes.at(word, self.least) for word in words]
        if not words or len(set(words)) < len(words) or None in nodes:
            return
        known = [node for node in nodes if node is not None]
        most = [item.leaves[1] for item in known]
        leaves = sum(element.leaves[0] for element in known)
        ends = [entry.bounds for entry in known if entry.bounds]
        bounds = None
        if len(ends) == len(known):
            bounds = (min(low for low, _ in ends), max(high for _, high in ends))
        count = (leaves, None if None in most else sum(each or 0 for each in most))
        one_less = any(each.or_one_less for each in known)
        yield (
            Node(count, bounds, may_lack_bounds=True, or_one_less=one_less),
            tuple(words) if self.least == 0 else None,
        )

    def _range(self, label: str) -> Iterator[tuple[Node, None]]:
        """Yield the node of a closed interval, if the label is one between two values."""
        found = interval_of(label)
        if found is None or not found.closed:
            return
        if None in (self.nodes.at(found.low, 0), self.nodes.at(found.high, 0)):
            return
        low, high = point(found.low), point(found.high)
        if low is None or high is None:  # numbers and moments that only an engine can read
            yield Node((2, self.nodes.domain[1]), may_lack_bounds=True), None
        elif at_most(low, high) and low != high:
            yield Node((2, self.nodes.domain[1]), (low, high)), None

    def _names(self, label: str) -> Iterator[tuple[Node, None]]:
        """Yield the nodes of the intervals between two names that the label can be, counted in the
        order of the hierarchy where that lists its leaves."""
        for first, last in names_of(label):
            if None in (self.nodes.at(first, 0), self.nodes.at(last, 0)):
                continue
            if not isinstance(self.nodes, Tree):
                yield Node((2, self.nodes.domain[1])), None
            elif (leaves := self.nodes.positions[last] - self.nodes.positions[first] + 1) > 1:
                yield Node((leaves, leaves)), None


@dataclass
class Described:
    """What was found on a column's released values: what ``__columns`` must say of them, and the
    offences."""

    looks: tuple[str, str] | None
    offences: list[str] = field(default_factory=list)


def shapes(policy: Policy, name: str, bounds: Sequence[Column], level: int | None) -> list[Shape]:
    """Return the ways in which a column can be released; more than one where the release does not
    show whether its values are ordered."""
    found = []
    settings = policy.columns[name]
    for ordered in _ordered(policy, name, bounds):
        kind = bounds[0].type if bounds else None
        nodes = nodes_of(policy, name, ordered=ordered, bounds_type=kind)
        form = policy.method.form(ordered=ordered, least=settings.min_level or 0)
        least, most = settings.min_level or 0, settings.max_level
        if form == "level":
            if level is None or not least <= level <= (nodes.height if most is None else most):
                continue
            least = most = level
        most = nodes.height if most is None else min(most, nodes.height)
        found.append(Shape(name, form, nodes, least, most, name in policy.conditions))
    return found


def _ordered(policy: Policy, name: str, bounds: Sequence[Column]) -> tuple[bool, ...]:
    """Return whether a column's values are ordered (numbers or dates): one answer, or both where
    the release leaves it open."""
    if bounds:
        return (True,)
    spec = policy.hierarchy(name, ordered=True)
    if not policy.release.bounds:
        return (True,) if isinstance(spec, IntervalHierarchy | DateHierarchy) else (True, False)
    if isinstance(spec, (*_TREES, MaskHierarchy)):
        return (False, True)
    return (False,)


def describe(
    policy: Policy,
    columns: Mapping[str, Column],
    stated: StatedColumn | None,
    name: str,
    values: Values,
) -> Described:
    """Compare the released values of a column with the ways in which it can be released.

    ``stated`` has the level and looks that ``__columns`` states. Where values fit two ways, the
    stated looks decide.
    """
    level = None if stated is None else stated.level
    looks = None if stated is None else (stated.form, stated.looks_like)
    bounds = [columns[item] for item in bounds_of(name, columns, bounds_names(policy))]
    if len(bounds) == 1 or (bounds and not policy.release.bounds):
        return Described(
            None,
            [f"{name!r} has bounds columns that the policy does not ask for, or only one of two"],
        )
    spec = policy.hierarchy(name, ordered=True)
    if not bounds and policy.release.bounds and isinstance(spec, IntervalHierarchy | DateHierarchy):
        return Described(None, [f"the bounds columns of {name!r} are missing"])
    possible = shapes(policy, name, bounds, level)
    if not possible:
        return Described(None, [f"__columns states level {level} for {name!r}"])
    tried = [_against(entry, values, bool(bounds)) for entry in possible]
    return min(tried, key=lambda each: (len(each.offences), each.looks != looks))


def _against(shape: Shape, values: Sequence[tuple[ReleasedLabel, int]], bounded: bool) -> Described:
    """Return what is found when the released values are compared with one way to release the
    column."""
    strange = confused = 0
    sets = shape.sets_among([released.label for released, _ in values])
    for released, _ in values:
        nodes = list(shape.read(released.label, sets))
        if released.label is None and shape.withheld:
            nodes.append((Node((1, 1), may_lack_bounds=True), None))
        fitting = [node for node in nodes if not bounded or _fits(node[0], released)]
        if not nodes:
            strange += 1
        elif not fitting:
            confused += 1
    of_values = f"of {len(values):,} distinct values of {shape.name!r}"
    offences = [f"{strange:,} {of_values} cannot result from the policy's hierarchy and method"] * (
        strange > 0
    )
    offences += [f"{confused:,} {of_values} have bounds that differ from those of their labels"] * (
        confused > 0
    )
    return Described(shape.looks, offences)


def _fits(node: Node, released: ReleasedLabel) -> bool:
    """Return whether the bounds of a released value are those of a node that it can stand for."""
    if released.bounds == (None, None):
        return (
            node.may_lack_bounds
            or released.label is None
            or (node.bounds is None and node.leaves != (1, 1))
        )
    if None in released.bounds or (node.whole_domain and node.bounds is None):
        return False
    low, high = (point(bound) for bound in released.bounds)
    if low is None or high is None:  # infinite, or before the year 1: only an engine can read these
        return node.bounds is None or released.bounds[0] != released.bounds[1]
    if (
        not at_most(low, high) or node.bounds is None
    ):  # equal bounds are those of a single value alone
        return at_most(low, high) and node.leaves != (1, 1)
    ends = node.bounds
    upper = [
        ends[1],
        *([ends[1] - 1] if node.or_one_less and isinstance(ends[1], Fraction) else []),
    ]
    return same(low, ends[0]) and any(same(high, item) for item in upper)
