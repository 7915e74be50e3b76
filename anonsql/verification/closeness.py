"""t-closeness of a release that lacks some of the source's rows: the equivalence classes that
cannot keep it, whatever those rows were.

The source's distribution is Q = (released counts + F) / all rows, F the counts of the missing rows;
only the number of these rows is known. A class may be refused only where it is further than t from
Q for every F. So the check finds, exactly, the F that brings Q nearest to the class: counts are
whole, and only values that the column can have get any. All other counts are published ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from anonsql.engines.base import Column, ReleaseTables
from anonsql.grammar.literals import day
from anonsql.labels.bench import TREES, Bench, LabelTree
from anonsql.policy.table_plan import TablePlan
from anonsql.privacy.base import Term
from anonsql.privacy.promise import Promise
from anonsql.star.coded import Coded
from anonsql.system.arrays import IntArray, np

if TYPE_CHECKING:
    import numpy.typing as npt


_LARGE = 20_000_000


def without_closeness(policy: TablePlan, promise: Promise, coded: Sequence[Coded]) -> Promise:
    """Return a promise without the models of closeness that :func:`failing` judges."""
    judged = [model for model, _ in _judged(policy, promise, coded)]
    return replace(promise, models=tuple(term for term in promise.models if term not in judged))


def failing(
    release: ReleaseTables,
    policy: TablePlan,
    promise: Promise,
    coded: Sequence[Coded],
    *,
    classes: dict[str, Any],
    bench: Bench,
) -> tuple[int, int]:
    """Return how many classes break some t-closeness whatever values the missing rows had, and how
    many rows these classes have. ``classes`` says which columns define a class: labels, bounds and
    keys."""
    result: dict[int, int] = {}
    for model, column in _judged(policy, promise, coded):
        rows = release.engine.query(
            "verification/class_values", table=release.rows, a=column, **classes
        )
        words = [word for _, word in sorted({(outcome, word) for _, outcome, word, _ in rows})]
        own: dict[int, IntArray] = {}
        for number, outcome, _, n in rows:
            own.setdefault(number, np.zeros(len(words), np.int64))[outcome - 1] += n
        counts = np.sum(list(own.values()), axis=0) if own else np.zeros(0, np.int64)
        domain, root, height = _known(bench, policy, column, model, words)
        for number, mine in own.items():
            if not _can_keep(model, mine, counts, (domain, root, height), promise):
                result[number] = int(mine.sum())
    return len(result), sum(result.values())


def _judged(
    policy: TablePlan, promise: Promise, coded: Sequence[Coded]
) -> Iterator[tuple[Term, Coded]]:
    """Yield the models that are judged here: all t-closeness, except by a hierarchy that is not
    given leaf by leaf."""
    by_index = {column.index: column for column in coded}
    for model in promise.of_kind("equal", "ordered", "hierarchical") if promise.missing else ():
        each = by_index[model.index]
        if model.kind != "hierarchical" or isinstance(policy.hierarchy(each.name), TREES):
            yield model, each


def _known(
    bench: Bench, policy: TablePlan, coded: Coded, model: Term, words: Sequence[str | None]
) -> tuple[SensitiveDomain, ReleasedGroups, int]:
    if model.kind == "hierarchical":
        spec = policy.hierarchy(coded.name, ordered=False)
        if isinstance(spec, TREES):
            tree = bench.tree(spec, f"columns.{coded.name}.hierarchy", policy.path)
            bench.load("labels_words", [("word", "VARCHAR")], [(word,) for word in words])
            rows = bench.engine.query(
                "labels/released_branches", number=tree.number, height=tree.height
            )
            return SensitiveDomain([], [0]), _groups(tree, rows, words), tree.height
    if model.kind == "ordered" and coded.order:
        return SensitiveDomain.of_order(words, coded.order), ReleasedGroups(), 1
    return SensitiveDomain.of_column(words, coded.column), ReleasedGroups(), 1


def _groups(
    tree: LabelTree, rows: Sequence[tuple[str | None, ...]], words: Sequence[str | None]
) -> ReleasedGroups:
    """Return a hierarchy, given by its relevant ``rows``, with the positions of the released
    values; NULL, where the hierarchy does not name it, is a group of its own up to the top."""
    places = {word: position for position, word in enumerate(words)}
    if not tree.lists_null:
        rows = [*rows, (None,) * tree.height + (tree.top,)]

    def node(level: int, below: Sequence[tuple[str | None, ...]]) -> ReleasedGroups:
        if level == 0:
            return ReleasedGroups(place=places.get(below[0][0]))
        parts: dict[str | None, list[tuple[str | None, ...]]] = {}
        for row in below:
            parts.setdefault(row[level - 1], []).append(row)
        return ReleasedGroups([node(level - 1, part) for part in parts.values()])

    return node(tree.height, rows)


def _can_keep(
    model: Term,
    own: IntArray,
    counts: IntArray,
    known: tuple[SensitiveDomain, ReleasedGroups, int],
    promise: Promise,
) -> bool:
    """Return whether a class can keep a model. Missing rows spread evenly over the released values
    clear most classes by the ordered distance."""
    domain, root, height = known
    missing, t = promise.missing, model.bound
    if model.kind == "equal":
        return equal(own, counts, missing, t)
    if model.kind == "hierarchical":
        return hierarchical(own, counts, (root, height), missing, t)
    even = counts * missing // counts.sum()
    even[np.argsort(-counts)[: missing - int(even.sum())]] += 1
    if int(even.sum()) == missing and ordered(
        own, counts + even, SensitiveDomain(range(len(counts)), [0] * (len(counts) + 1)), 0, t
    ):
        return True
    if len(domain.released) * missing > _LARGE:  # a bound that holds however they are spread
        share = missing / (int(counts.sum()) + missing)
        far = np.abs(np.cumsum(own) / own.sum() - np.cumsum(counts) / counts.sum()).sum()
        return bool(far <= (float(t) + share) * (len(counts) - 1 + missing) + 1e-9)
    return ordered(own, counts, domain, missing, t)


Floats: TypeAlias = "npt.NDArray[np.float64]"
_TOLERANCE = 1e-9
_EACH = 64
"""Up to so many unreleased values between two neighbours are tried one by one; more are taken for
as many as can be used."""


@dataclass(frozen=True)
class SensitiveDomain:
    """The values of a column in an order, released or not: ``released`` has, by position in the
    order, the value's index in the released counts, None where no released row has the value;
    ``more`` says how many further values there may be before each position, and behind the last
    (None: no limit)."""

    released: Sequence[int | None]
    more: Sequence[int | None]

    @classmethod
    def of_order(cls, words: Sequence[str | None], order: Sequence[str]) -> SensitiveDomain:
        """Return the domain of values that the policy lists in order, with NULL before them;
        ``words`` are the released values."""
        places = {word: position for position, word in enumerate(words)}
        released = [places.get(word) for word in (None, *order)]
        return cls(released, [0] * (len(released) + 1))

    @classmethod
    def of_column(cls, words: Sequence[str | None], column: Column) -> SensitiveDomain:
        """Return the domain of the released ``words`` in the order of values. How many other values
        are between them is known for whole numbers and days; NULL may come first."""
        known = list(words)
        null = [0] if known and known[0] is None else [None]
        numbers = [_whole(word, column) for word in known[null == [0] :]]
        between: list[int | None] = [None]
        for one, other in pairwise(numbers):
            between.append(None if one is None or other is None else other - one - 1)
        first = len(null) if null == [0] else 0
        return cls([*null, *range(first, len(known))], [0, *between, None])


def _whole(word: str | None, column: Column) -> int | None:
    if column.kind == "date":
        date = day(str(word))
        return None if date is None else date.toordinal()
    try:
        return int(str(word)) if column.kind == "integer" else None
    except ValueError:
        return None


def ordered(
    own: IntArray, counts: IntArray, domain: SensitiveDomain, missing: int, t: Decimal
) -> bool:
    """Return whether a class with ``own`` counts can be within t of the source by the ordered
    distance: the mean over the m values that the source has, less one, of |cumulative share in the
    class - in the source|.

    Dynamic programming over the positions: least[f] is the least possible sum so far, less t for
    every value so far, when f missing rows have been used. A value that no released row has needs
    one of them, and makes m larger.
    """
    total, size, limit = int(counts.sum()) + missing, int(own.sum()), float(t)
    rows = np.arange(missing + 1)
    least = np.where(rows == 0, 0.0, np.inf)
    in_class = released = 0
    for number, more in enumerate(domain.more):
        gain = np.abs(in_class / size - (released + rows) / total) - limit
        least = _others(least, gain, more)
        if number == len(domain.released):
            break
        position = domain.released[number]
        if position is None:
            least = _others(least, gain, 1)
            continue
        in_class, released = in_class + int(own[position]), released + int(counts[position])
        gain = np.abs(in_class / size - (released + rows) / total) - limit
        least = np.minimum.accumulate(least) + gain
    return bool(least[missing] + limit <= _TOLERANCE)


def _others(least: Floats, gain: Floats, many: int | None) -> Floats:
    """Return the least sums when up to ``many`` values that no released row has may follow, each
    using one missing row or more."""
    if many is None or many > min(_EACH, len(least)):
        useful = np.cumsum(np.minimum(gain, 0.0)) - min(gain[0], 0.0)
        return np.minimum(least, np.minimum.accumulate(least - useful) + useful)
    for _ in range(many):
        before = np.concatenate([[np.inf], np.minimum.accumulate(least)[:-1]])
        least = np.minimum(least, before + gain)
    return least


def equal(own: IntArray, counts: IntArray, missing: int, t: Decimal) -> bool:
    """Return whether a class can be within t of the source by the equal distance, the sum of its
    shares' excesses over the source's: each missing row can add one row, or the rest of one, to a
    value that the source has too few of."""
    total, size = int(counts.sum()) + missing, int(own.sum())
    lacking = np.maximum(own * total / size - counts, 0.0)
    whole = np.floor(lacking + _TOLERANCE)
    left = missing - int(min(missing, whole.sum()))
    parts = np.sort(np.maximum(lacking - whole, 0.0))[::-1]
    far = lacking.sum() - min(missing, whole.sum()) - parts[:left].sum()
    return bool(far <= (float(t) + _TOLERANCE) * total)


@dataclass(frozen=True)
class ReleasedGroups:
    """A node of a hierarchy: its children, or, of a leaf, the index of its value in the released
    counts (None: no released row has it)."""

    children: Sequence[ReleasedGroups] = ()
    place: int | None = None


def hierarchical(
    own: IntArray, counts: IntArray, tree: tuple[ReleasedGroups, int], missing: int, t: Decimal
) -> bool:
    """Return whether a class can be within t of the source by the hierarchical distance over a
    ``tree`` of some height: half of the mean over the levels below the top of the sum of |share in
    the class - in the source| over their groups. The cost of a node is convex in its missing rows,
    so the cheapest rows of its children are its own."""
    total, size, (root, height) = int(counts.sum()) + missing, int(own.sum()), tree
    wanted = own * total / size - counts

    def costs(node: ReleasedGroups, top: bool) -> tuple[float, float, Floats]:
        """Return what the class wants of the node, its cost without missing rows, and what each
        further one adds."""
        want, cost, steps = 0.0, 0.0, np.zeros(missing)
        if node.children:
            rows = [costs(child, top=False) for child in node.children]
            want, cost = sum(row[0] for row in rows), sum(row[1] for row in rows)
            steps = np.sort(np.concatenate([row[2] for row in rows]))[:missing]
        elif node.place is not None:
            want = float(wanted[node.place])
        if top:
            return want, cost, steps
        off = np.abs(want - np.arange(missing + 1))
        return want, cost + off[0], steps + np.diff(off)

    _, cost, steps = costs(root, top=True)
    far = cost + float(steps.sum())
    return bool(far <= (float(t) + _TOLERANCE) * 2 * height * total and math.isfinite(far))
