"""The released values of each quasi-identifying column, compared with the values that the policy's
method and hierarchy can make.

By the release and the policy alone: which labels can occur, whether bounds agree with their labels,
and limits of the losses. Where the hierarchy does not list its leaves, any value may occur at level
0: which ones exist, only the source shows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from anonsql.engines.base import Column
from anonsql.grammar.labels import Label, ReleasedLabel, elements_of, interval_of, names_of
from anonsql.policy.hierarchy import (
    DateHierarchy,
    FileHierarchy,
    IntervalHierarchy,
    MaskHierarchy,
    OrderHierarchy,
    TaxonomyHierarchy,
)
from anonsql.policy.policy import Policy
from anonsql.verification.facts import bounds_names
from anonsql.verification.nodes import (
    Calendar,
    Counts,
    Intervals,
    Masks,
    Node,
    Nodes,
    Tree,
    at_most,
    nodes_of,
    point,
    same,
)
from anonsql.verification.released_values import Values, bounds_of

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
    def looks(self) -> str:
        """What ``__columns`` says of the values."""
        if self.form == "level":
            return self.nodes.looks_like(self.least)
        found = _LOOKS.get(self.form) or self._node
        return f"{found}; nothing where it is sensitive" if self.withheld else found

    @property
    def _node(self) -> str:
        """What values look like that may be of any level."""
        if isinstance(self.nodes, Masks) and self.nodes.height > 1:
            return f"as it is, or up to {self.nodes.looks_like(self.nodes.height - 1)}"
        own = isinstance(self.nodes, Tree | Intervals | Masks | Calendar)
        return "a value of its hierarchy" if own else "as it is, or *"

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
            for each in {top, self.nodes.height}:
                if node := self.nodes.at(label, each):
                    yield node, None
            if label == "*":
                yield Node(self.nodes.domain, may_lack_bounds=True, whole_domain=True), None

    @property
    def _own(self) -> int:
        """The level of values that are released as they are."""
        return self.least if self.form == "set" else 0

    def sets_among(self, labels: Sequence[Label]) -> set[str]:
        """Return the labels that are surely sets: other labels name some of their elements too, and
        no label names the set itself as an element."""
        if self.form != "set":
            return set()
        texts = [each for each in labels if isinstance(each, str)]
        words = {each: elements_of(each) or [] for each in texts}
        named = Counter(word for each in words.values() for word in set(each)) + Counter(texts)
        return {
            label
            for label, found in words.items()
            if len(found) > 1 and named[label] == 1 and any(named[word] > 1 for word in found)
        }

    def _set(
        self, words: Sequence[str | None]
    ) -> Iterator[tuple[Node, tuple[str | None, ...] | None]]:
        """Yield the node of a set, if ``words`` are distinct labels of the least level."""
        nodes = [self.nodes.at(each, self.least) for each in words]
        if not words or len(set(words)) < len(words) or None in nodes:
            return
        known = [each for each in nodes if each is not None]
        most = [each.leaves[1] for each in known]
        leaves = sum(each.leaves[0] for each in known)
        ends = [each.bounds for each in known if each.bounds]
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


Span = tuple[Fraction, Fraction | None]


@dataclass
class Losses:
    """Limits (least, greatest) of the losses of one column, summed over the released rows:
    ``leaves`` counts all leaves of the hierarchy, ``present`` those that the data has, and
    ``width`` is the loss as NCP of the method local counts it."""

    leaves: tuple[Fraction, Fraction]
    present: tuple[Fraction, Fraction]
    width: tuple[Fraction, Fraction]


Meaning = tuple[Node, tuple[str | None, ...] | None]
"""A node that a released value can stand for, and all its values where the label names every one of
them."""


@dataclass(frozen=True)
class ReadLabels:
    """The distinct released values of a column as they were read: each with everything that it can
    stand for and the number of rows that have it. ``missing`` is how many values of the source the
    release can hide, None where that is unknown."""

    shape: Shape
    values: Sequence[ReleasedLabel]
    meanings: Sequence[tuple[Sequence[Meaning], int]]
    missing: int | None


@dataclass
class Described:
    """What was found on a column's released values: the offences, their looks as ``__columns`` must
    state them, limits of their losses, and how they were read."""

    looks: str
    offences: list[str] = field(default_factory=list)
    losses: Losses | None = None
    read: ReadLabels | None = None


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
    stated: tuple[tuple[int | None, str | None], int],
    name: str,
    values: Values,
) -> Described:
    """Compare the released values of a column with the ways in which it can be released.

    ``stated`` has the level and looks that ``__columns`` states, and the number of rows whose own
    value the release does not have. Where values fit two ways, the stated looks decide.
    """
    (level, looks), missing = stated
    bounds = [columns[each] for each in bounds_of(name, columns, bounds_names(policy))]
    if len(bounds) == 1 or (bounds and not policy.release.bounds):
        return Described(
            "", [f"{name!r} has bounds columns that the policy does not ask for, or one alone"]
        )
    spec = policy.hierarchy(name, ordered=True)
    if not bounds and policy.release.bounds and isinstance(spec, IntervalHierarchy | DateHierarchy):
        return Described("", [f"the bounds columns of {name!r} are missing"])
    possible = shapes(policy, name, bounds, level)
    if not possible:
        return Described("", [f"__columns says of {name!r} that its level is {level}"])
    complete = policy.privacy.population is None
    tried = [
        _against(each, values, bool(bounds), missing if complete else None) for each in possible
    ]
    return min(tried, key=lambda each: (len(each.offences), each.looks != looks))


def _against(
    shape: Shape, values: Sequence[tuple[ReleasedLabel, int]], bounded: bool, missing: int | None
) -> Described:
    """Return what is found when the released values are compared with one way to release the
    column."""
    strange = confused = 0
    sets = shape.sets_among([released.label for released, _ in values])
    read: list[tuple[list[tuple[Node, tuple[str | None, ...] | None]], int]] = []
    for released, rows in values:
        nodes = list(shape.read(released.label, sets))
        if released.label is None and shape.withheld:
            nodes.append((Node((1, 1), may_lack_bounds=True), None))
        fitting = [each for each in nodes if not bounded or _fits(each[0], released)]
        if not nodes:
            strange += 1
        elif not fitting:
            confused += 1
        read.append((fitting, rows))
    of_values = f"of {len(values):,} distinct values of {shape.name!r}"
    offences = [f"{strange:,} {of_values} are none that the policy's hierarchy and method have"] * (
        strange > 0
    )
    offences += [f"{confused:,} {of_values} have bounds that are not those of their labels"] * (
        confused > 0
    )
    if offences:
        return Described(shape.looks, offences)
    losses = _losses(shape, read, missing)
    return Described(
        shape.looks,
        [],
        losses,
        ReadLabels(shape, [released for released, _ in values], read, missing),
    )


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
    low, high = (point(each) for each in released.bounds)
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
    return same(low, ends[0]) and any(same(high, each) for each in upper)


def _losses(
    shape: Shape,
    read: Sequence[tuple[Sequence[tuple[Node, tuple[str | None, ...] | None]], int]],
    missing: int | None,
) -> Losses:
    """Return the limits of the losses. Each of the ``missing`` rows could have had a value that no
    other row has; None: their number is unknown."""
    named = {word for nodes, _ in read for _, words in nodes for word in words or ()}
    listed = missing is not None and not shape.withheld
    listed = listed and all(words is not None for nodes, _ in read for _, words in nodes)
    surely = {
        word for nodes, _ in read if len(nodes) == 1 for _, words in nodes for word in words or ()
    }
    labels = (
        len(read) if shape.form == "level" else 0
    )  # labels of other forms may overlap or be withheld
    joined = shape.form not in (
        "level",
        "node",
        "itself",
    )  # of the other forms, an interval or a set has two values at least
    several = joined and any(
        nodes and all(node.leaves[0] > 1 and not node.whole_domain for node, _ in nodes)
        for nodes, _ in read
    )
    seen = max(len(surely), labels, 2 if several else 1)
    data: Counts = (seen, max(seen, len(named)) + (missing or 0) if listed else None)
    domain: Counts = data
    if isinstance(shape.nodes, Tree):
        least, most = shape.nodes.domain
        if None in surely:
            least = most or least
        elif listed and not missing:
            most = least
        domain = (least, most)
        data = (seen, most if data[1] is None or most is None else min(most, data[1]))
    standing = [([(node, present(node, words)) for node, words in nodes], n) for nodes, n in read]
    return summed(shape, standing, (domain, data), width_of(shape, read, missing))


def summed(
    shape: Shape,
    read: Sequence[tuple[Sequence[tuple[Node, Counts]], int]],
    counts: tuple[Counts, Counts],
    width: Span,
) -> Losses:
    """Add up the losses of released values. Each is given as the nodes that it can stand for, each
    node with the number of the data's values in it, and the number of rows that have the value;
    ``counts`` counts the leaves of the domain, and those that the data has."""
    domain, data = counts
    zero = Fraction(0)
    sums = [[zero, zero] for _ in range(3)]
    for nodes, rows in read:
        spans = [
            (
                _penalty(node, node.leaves, domain),
                _penalty(node, values, data),
                _ncp(shape, node, domain, width),
            )
            for node, values in nodes
        ]
        for place in range(3):
            sums[place][0] += rows * min(each[place][0] for each in spans)
            sums[place][1] += rows * max(each[place][1] for each in spans)
    leaves, values, widths = ((low, high) for low, high in sums)
    return Losses(leaves, values, widths)


def present(node: Node, words: tuple[str | None, ...] | None) -> Counts:
    """Return how many of the data's values a node can stand for."""
    if words is not None:
        return len(words), len(words)
    return (1, node.leaves[1])


def _penalty(node: Node, leaves: Counts, domain: Counts) -> tuple[Fraction, Fraction]:
    """Return the limits of (leaves - 1) / (leaves of the domain - 1), 0 where the domain is one
    value."""
    if node.whole_domain:
        return Fraction(domain[0] > 1), Fraction(domain[1] is None or domain[1] > 1)
    low = Fraction(leaves[0] - 1, domain[1] - 1) if domain[1] and domain[1] > 1 else Fraction(0)
    high = Fraction(leaves[1] - 1, max(domain[0] - 1, 1)) if leaves[1] is not None else Fraction(1)
    return min(low, Fraction(1)), min(high, Fraction(1))


def width_of(
    shape: Shape,
    read: Sequence[tuple[Sequence[tuple[Node, tuple[str | None, ...] | None]], int]],
    missing: int | None,
) -> Span:
    """Return the limits of the width of a column's domain: at least the width of the released
    values."""
    nodes = [node for each, _ in read for node, _ in each]
    ends = [each.bounds for each in nodes if each.bounds is not None and _measured(each)]
    if shape.form != "range" or not ends:
        return Fraction(0), None
    low, high = min(first for first, _ in ends), max(last for _, last in ends)
    width = _length(low, high)
    known = missing == 0 and not shape.withheld and not any(each.whole_domain for each in nodes)
    return width, width if known else None


def _measured(node: Node) -> bool:
    """Return whether an interval has a width that its bounds show: that of moments counts the
    values that the source has between them, and numbers that a double cannot hold have none."""
    return all(
        isinstance(each, Fraction) and abs(each) <= WIDEST for each in node.bounds or (None,)
    )


def _length(low: object, high: object) -> Fraction:
    """Return how far two points of one kind are from each other."""
    between = high - low  # type: ignore[operator]
    return between if isinstance(between, Fraction) else Fraction(between.total_seconds())


def _ncp(shape: Shape, node: Node, domain: Counts, width: Span) -> tuple[Fraction, Fraction]:
    """Return the limits of the normalized certainty penalty (NCP) of a node."""
    one, zero = Fraction(1), Fraction(0)
    if node.whole_domain:
        return (zero, one) if shape.most == shape.least else (one, one)
    if node.leaves == (1, 1):
        return zero, zero
    if shape.form == "range":
        if node.bounds is None or not _measured(node) or not width[0]:
            return zero, one
        own = _length(*node.bounds)
        return (own / width[1] if width[1] else zero), min(own / width[0], one)
    low = Fraction(node.leaves[0], domain[1]) if domain[1] else zero
    high = min(Fraction(node.leaves[1], domain[0]), one) if node.leaves[1] is not None else one
    return (zero if shape.least else low), high


def shapes_height(policy: Policy, name: str) -> int:
    """Return the top level of a column's hierarchy."""
    return nodes_of(policy, name, ordered=True, bounds_type=None).height
