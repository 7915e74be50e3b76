"""Which classes can be near enough to a source of which rows are missing, against all fillings of
those rows."""

from decimal import Decimal
from itertools import combinations_with_replacement

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from anonsql.engines.base import Column
from anonsql.verification import closeness
from anonsql.verification.closeness import Domain, Groups

from . import model_oracle

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
    domain = Domain.of_order(words, ["1", "2", "3", "4"])
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
    domain = Domain.of_column(words, column)
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
    leaf = lambda value: Groups(place=values.index(value) if value in values else None)  # noqa: E731
    inner = [
        Groups([leaf(value) for value, name in LEAVES.items() if name == group]) for group in "abc"
    ]
    assert closeness.hierarchical(in_class, counts, (Groups(inner), 2), missing, t) == possible
