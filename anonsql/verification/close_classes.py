"""The equivalence classes that cannot keep t-closeness, in a release that lacks rows of its source,
whatever those rows were."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from anonsql.engines.base import ReleaseTables
from anonsql.labels.bench import TREES, Bench, LabelTree
from anonsql.policy.policy import Policy
from anonsql.privacy.base import Term
from anonsql.privacy.promise import Promise
from anonsql.star.coded import Coded
from anonsql.system.arrays import IntArray, np
from anonsql.verification import closeness
from anonsql.verification.closeness import ReleasedGroups, SensitiveDomain

_LARGE = 20_000_000


def without_closeness(policy: Policy, promise: Promise, coded: Sequence[Coded]) -> Promise:
    """Return a promise without the models of closeness that :func:`failing` judges."""
    judged = [model for model, _ in _judged(policy, promise, coded)]
    return replace(promise, models=tuple(term for term in promise.models if term not in judged))


def failing(
    release: ReleaseTables,
    policy: Policy,
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
    policy: Policy, promise: Promise, coded: Sequence[Coded]
) -> Iterator[tuple[Term, Coded]]:
    """Yield the models that are judged here: all t-closeness, except by a hierarchy that is not
    given leaf by leaf."""
    by_index = {column.index: column for column in coded}
    for model in promise.of_kind("equal", "ordered", "hierarchical") if promise.missing else ():
        each = by_index[model.index]
        if model.kind != "hierarchical" or isinstance(policy.hierarchy(each.name), TREES):
            yield model, each


def _known(
    bench: Bench, policy: Policy, coded: Coded, model: Term, words: Sequence[str | None]
) -> tuple[SensitiveDomain, ReleasedGroups, int]:
    """Return what is known of a column's values: their order, and their hierarchy."""
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
    """Return a hierarchy, of which ``rows`` are what matters, with the positions of the released
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
        return closeness.equal(own, counts, missing, t)
    if model.kind == "hierarchical":
        return closeness.hierarchical(own, counts, (root, height), missing, t)
    even = counts * missing // counts.sum()
    even[np.argsort(-counts)[: missing - int(even.sum())]] += 1
    if int(even.sum()) == missing and closeness.ordered(
        own, counts + even, SensitiveDomain(range(len(counts)), [0] * (len(counts) + 1)), 0, t
    ):
        return True
    if len(domain.released) * missing > _LARGE:  # a bound that holds however they are spread
        share = missing / (int(counts.sum()) + missing)
        far = np.abs(np.cumsum(own) / own.sum() - np.cumsum(counts) / counts.sum()).sum()
        return bool(far <= (float(t) + share) * (len(counts) - 1 + missing) + 1e-9)
    return closeness.ordered(own, counts, domain, missing, t)
