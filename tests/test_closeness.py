"""Which classes can be near enough to a source of which rows are missing, against all fillings of
those rows."""

from decimal import Decimal
from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonsql.engines.base import Column
from anonsql.policy.hierarchy import FileHierarchy
from anonsql.privacy.base import Term
from anonsql.privacy.promise import Promise
from anonsql.privacy.t_closeness import ORDERED
from anonsql.verification import closeness
from anonsql.verification.closeness import ReleasedGroups, SensitiveDomain

from . import model_oracle
from .support import label_bench, tree_file

COUNTS = st.lists(st.integers(0, 3), min_size=5, max_size=5)
SHARES = st.integers(0, 20).map(lambda n: Decimal(n) / 20)


def tables(own, others):
    """The class and the whole release, as values 0 … 4."""
    mine = [value for value, n in enumerate(own) for _ in range(n)]
    return mine, mine + [value for value, n in enumerate(others) for _ in range(n)]


def ordered_distance(mine, everybody):
    return model_oracle.ordered_distance(mine, everybody, sorted(set(everybody)))


def released_counts(mine, everybody):
    values = sorted(set(everybody))
    count = lambda rows: np.array([rows.count(value) for value in values])  # noqa: E731
    return values, count(mine), count(everybody)


@settings(max_examples=300, deadline=None)
@given(COUNTS, COUNTS, st.integers(1, 4), SHARES)
def test_ordered_over_a_known_order(own, others, missing, t):
    mine, everybody = tables(own, others)
    if not mine:
        return
    values, in_class, counts = released_counts(mine, everybody)
    possible = any(
        ordered_distance(mine, [*everybody, *filling]) <= t + Decimal("1e-9")
        for filling in combinations_with_replacement(range(5), missing)
    )
    words = [None if value == 0 else str(value) for value in values]  # NULL comes first
    domain = SensitiveDomain.of_order(words, ["1", "2", "3", "4"])
    assert closeness.ordered(in_class, counts, domain, missing, t) == possible


@settings(max_examples=200, deadline=None)
@given(COUNTS, COUNTS, st.integers(1, 3), SHARES, st.booleans())
def test_ordered_over_numbers(own, others, missing, t, whole):
    """Whole numbers 0, 3, 6 … have two between each two; of others there are any number, and so are
    there outside."""
    mine, everybody = tables([*own], [*others])
    if not mine:
        return
    values, in_class, counts = released_counts(mine, everybody)
    between = range(1, 3) if whole else range(1, 4)
    step = len(between) + 1
    inside = list(range(values[0] * step, values[-1] * step + 1))
    everywhere = [value * step for value in everybody]
    outside = [min(everywhere) - 1 - n for n in range(4)] + [
        max(everywhere) + 1 + n for n in range(3)
    ]
    possible = any(
        ordered_distance([value * step for value in mine], [*everywhere, *filling])
        <= t + Decimal("1e-9")
        for filling in combinations_with_replacement(sorted({*inside, *outside}), missing)
    )
    words = [str(value * step) for value in values]
    column = Column("x", "INTEGER" if whole else "DOUBLE")
    domain = SensitiveDomain.of_column(words, column)
    assert closeness.ordered(in_class, counts, domain, missing, t) == possible


@settings(max_examples=300, deadline=None)
@given(COUNTS, COUNTS, st.integers(1, 4), SHARES)
def test_equal(own, others, missing, t):
    mine, everybody = tables(own, others)
    if not mine:
        return
    _, in_class, counts = released_counts(mine, everybody)
    possible = any(
        model_oracle.equal_distance(mine, [*everybody, *filling]) <= t + Decimal("1e-9")
        for filling in combinations_with_replacement(range(6), missing)
    )
    assert closeness.equal(in_class, counts, missing, t) == possible


LEAVES = {0: "a", 1: "a", 2: "b", 3: "b", 4: "c"}


@settings(max_examples=300, deadline=None)
@given(COUNTS, COUNTS, st.integers(1, 4), SHARES)
def test_hierarchical(own, others, missing, t):
    mine, everybody = tables(own, others)
    if not mine:
        return
    values, in_class, counts = released_counts(mine, everybody)
    labels = {value: [str(value), LEAVES[value], "*"] for value in LEAVES}
    possible = any(
        model_oracle.hierarchical_distance(mine, [*everybody, *filling], labels)
        <= t + Decimal("1e-9")
        for filling in combinations_with_replacement(range(5), missing)
    )
    leaf = lambda value: ReleasedGroups(place=values.index(value) if value in values else None)  # noqa: E731
    inner = [
        ReleasedGroups([leaf(value) for value, name in LEAVES.items() if name == group])
        for group in "abc"
    ]
    assert (
        closeness.hierarchical(in_class, counts, (ReleasedGroups(inner), 2), missing, t) == possible
    )


NESTED = [
    [leaf, f"{place // 2}", f"{place // 6}", f"{place // 12}.", "*"]
    for place, leaf in enumerate(["", *"abcdefghijklmnopqrstuvw"])
]


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.sampled_from([row[0] or None for row in NESTED]), min_size=1, max_size=5),
    st.integers(1, 4),
    SHARES,
    st.booleans(),
    st.data(),
)
def test_what_matters_of_a_hierarchy(tmp_path_factory, values, missing, t, lists_null, data):
    """Leaves that no row has count once below each label that some row has."""
    folder = tmp_path_factory.mktemp("tree")
    rows = NESTED if lists_null else NESTED[1:]
    tree_file(folder / "tree.csv", rows)
    spec = FileHierarchy(type="file", path="tree.csv")
    words = sorted(set(values), key=lambda word: (word is not None, word))
    counts = np.array([values.count(word) for word in words])
    own = np.array([data.draw(st.integers(0, n)) for n in counts])
    with label_bench(folder) as bench:
        tree = bench.tree(spec, "tree", lambda path: folder / path)
        bench.load("labels_words", [("word", "VARCHAR")], [(word,) for word in words])
        some = bench.engine.query("labels/released_branches", number=tree.number, height=4)
        bench.close()
    everything = [(row[0] or None, *row[1:]) for row in rows]
    assert {row for row in everything if row[0] in words} <= set(some) <= set(everything)
    if own.sum():
        verdicts = {
            closeness.hierarchical(
                own, counts, (closeness._groups(tree, item, words), 4), missing, t
            )
            for item in (some, everything)
        }
        assert len(verdicts) == 1


@pytest.mark.parametrize("large", [False, True])
@settings(max_examples=150, deadline=None)
@given(COUNTS, COUNTS, st.integers(1, 4), SHARES)
def test_what_saves_time_changes_no_verdict(large, own, others, missing, t):
    """Missing rows are first spread evenly; of very many values a bound is taken, which may accept
    too much and never too little."""
    mine, everybody = tables(own, others)
    if not mine:
        return
    values, in_class, counts = released_counts(mine, everybody)
    domain = SensitiveDomain.of_column([str(value) for value in values], Column("x", "INTEGER"))
    exact = closeness.ordered(in_class, counts, domain, missing, t)
    term = Term(ORDERED, t)
    with pytest.MonkeyPatch.context() as patch:
        if large:
            patch.setattr(closeness, "_LARGE", 0)
        found = closeness._can_keep(
            term,
            in_class,
            counts,
            (domain, ReleasedGroups(), 1),
            Promise(1, (term,), missing=missing),
        )
    assert found == exact or (large and found)
