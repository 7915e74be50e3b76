"""Lexicographic partitions against Fig. 8 on explicit rows, and l-diversity against an attacker."""

import itertools
import os
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonsql.methods.windows import pieces
from anonsql.methods.windows.lexicographic import ALIKE, Items, Parts, partition
from anonsql.methods.windows.permutations import assign, entropy


def items_of(rows, attributes, least=()):
    """Rows (quasi-identifying values, then categories) as items, with the sorted distinct rows."""
    counts = Counter(rows)
    distinct = sorted(counts)
    depths = [1] + [
        next((place + 1 for place in range(attributes) if before[place] != after[place]), 0)
        for before, after in itertools.pairwise(distinct)
    ]
    categories = tuple(
        np.array([row[attributes + column] for row in distinct]) for column in range(len(least))
    )
    return (
        Items(
            np.array([counts[row] for row in distinct]), np.array(depths), categories, tuple(least)
        ),
        distinct,
    )


def rows_by_part(parts, distinct):
    """The rows of each part in ring order."""
    found = [[] for _ in parts.windows]
    for part, item, n in zip(parts.part, parts.item, parts.n):
        assert n > 0
        found[part] += [distinct[item]] * n
    return found


def runs(rows, place):
    return [list(group) for _, group in itertools.groupby(rows, key=lambda row: row[place])]


def figure_8(rows, k, place, attributes):
    """The paper's algorithm on explicit rows, with the choice of neighbours that `partition`
    documents."""
    parts = runs(rows, place)

    def mixed(part):
        return len({row[place] for row in part}) > 1

    while small := [number for number, part in enumerate(parts) if len(part) < k]:
        j = small[0]
        before = parts[j - 1] if j > 0 else []
        after = parts[j + 1] if j + 1 < len(parts) else []
        missing = k - len(parts[j])
        if after and len(after) < k:
            parts[j : j + 2] = [parts[j] + after]
            continue
        if before and mixed(before):
            use_before = True
        else:
            able = [part for part in (before, after) if len(part) - missing >= k]
            smaller = bool(before) and (not after or len(before) <= len(after))
            use_before = len(before) == max(map(len, able)) if able else smaller
        together = parts[j] + (before if use_before else after)
        if len(together) < 2 * k:
            parts[j - use_before : j - use_before + 2] = [
                before + parts[j] if use_before else parts[j] + after
            ]
        elif use_before:
            parts[j - 1 : j + 1] = [before[:-missing], before[-missing:] + parts[j]]
        else:
            parts[j : j + 2] = [parts[j] + after[:missing], after[missing:]]
    final = []
    for part in parts:
        if mixed(part) or place + 1 == attributes:
            final.append(part)
        else:
            final += figure_8(part, k, place + 1, attributes)
    return final


@st.composite
def tables(draw, categories=0):
    attributes = draw(st.integers(1, 4))
    domains = draw(st.lists(st.integers(1, 7), min_size=attributes, max_size=attributes))
    row = st.tuples(
        *(st.integers(0, domain - 1) for domain in sorted(domains)),
        *(st.integers(0, 5) for _ in range(categories)),
    )
    rows = draw(st.lists(row, min_size=1, max_size=60))
    return attributes, rows + rows[: draw(st.integers(0, 20))] * draw(st.integers(1, 4))


@settings(max_examples=200, deadline=None)
@given(tables(), st.integers(1, 9))
def test_parts_are_those_of_figure_8(table, k):
    attributes, rows = table
    items, distinct = items_of(rows, attributes)
    if len(rows) < k:
        with pytest.raises(ValueError, match="cannot make a part"):
            partition(items, k)
        return
    parts = partition(items, k)
    assert rows_by_part(parts, distinct) == figure_8(sorted(rows), k, 0, attributes)
    assert np.all(parts.windows == k)
    assert np.all(parts.sizes >= k)


@pytest.mark.parametrize("size", [10, 11, 19, 20])
def test_tables_of_little_more_than_k_and_of_one_value(size):
    one, _ = items_of([(0, 0)] * size, 2)
    assert partition(one, 10).sizes.tolist() == [size]
    different, _ = items_of([(0, value) for value in range(size)], 2)
    assert partition(different, 10).sizes.tolist() == ([10, 10] if size == 20 else [size])


def test_a_run_takes_only_the_rows_that_it_lacks():
    rows = [(0,)] * 30 + [(1,)] * 4 + [(2,)] * 18
    items, distinct = items_of(rows, 1)
    assert rows_by_part(partition(items, 10), distinct) == [
        [(0,)] * 24,
        [(0,)] * 6 + [(1,)] * 4,
        [(2,)] * 18,
    ]
    rows = [(0,)] * 13 + [(1,)] * 4 + [(2,)] * 16
    items, distinct = items_of(rows, 1)
    assert rows_by_part(partition(items, 10), distinct) == [
        [(0,)] * 13,
        [(1,)] * 4 + [(2,)] * 6,
        [(2,)] * 10,
    ]


def test_many_rows_that_are_alike_are_divided():
    items, _ = items_of([(0,)] * (3 * ALIKE + 5) + [(1,)] * 20, 1)
    assert partition(items, 10).sizes.tolist() == [ALIKE + 1, ALIKE + 2, ALIKE + 2, 20]


def penalty(parts, distinct):
    """Values besides the first in every generalized tuple, summed over attributes: NCP times |A| -
    1 (Definition 8)."""
    total = 0
    for rows, window in zip(rows_by_part(parts, distinct), parts.windows):
        for start in range(len(rows)):
            covered = [rows[(start + step) % len(rows)] for step in range(window)]
            total += sum(len(set(values)) - 1 for values in zip(*covered))
    return total


def test_one_ring_of_four_loses_less_than_two_groups():
    """The example of section 5.3."""
    tuples = [(1, 1, 1), (1, 1, 2), (2, 1, 2), (1, 2, 1)]
    item, one = np.arange(4), np.ones(4, np.int64)
    assert penalty(Parts(np.zeros(4, np.int64), item, one, np.array([2])), tuples) == 6
    assert penalty(Parts(np.array([0, 0, 1, 1]), item, one, np.array([2, 2])), tuples) == 8


def test_items_must_fit():
    with pytest.raises(ValueError, match="one category per sensitive column"):
        Items(np.array([1, 1]), np.array([1, 1]), (np.array([0]),), (2,))
    with pytest.raises(ValueError, match="one category per sensitive column"):
        Items(np.array([1]), np.array([1]), (np.array([0]),), ())


# l-diversity ------------------------------------------------------------------------------------------------------------------


def need(rows, attributes, least, k):
    return max(
        [
            k,
            *(
                asked * max(Counter(row[attributes + c] for row in rows).values())
                for c, asked in enumerate(least)
            ),
        ]
    )


def joined(rows, attributes, least, k, place=0):
    """Parts that keep the promise, by joining runs, without pieces."""

    def lacking(part):
        return need(part, attributes, least, k) > len(part)

    parts = runs(rows, place)
    while short := [number for number, part in enumerate(parts) if lacking(part)]:
        j = short[0]
        before = parts[j - 1] if j > 0 else None
        after = parts[j + 1] if j + 1 < len(parts) else None
        if after is not None and (before is None or lacking(after)):
            use_before = False
        elif after is None:
            use_before = True
        else:
            use_before = (lacking(before + parts[j]), len(before)) <= (
                lacking(parts[j] + after),
                len(after),
            )
        start = j - use_before
        parts[start : start + 2] = [parts[start] + parts[start + 1]]
    final = []
    for part in parts:
        if len({row[place] for row in part}) > 1 or place + 1 == attributes:
            final.append(part)
        else:
            final += joined(part, attributes, least, k, place + 1)
    return final


@settings(max_examples=150, deadline=None)
@given(
    st.integers(1, 2).flatmap(
        lambda columns: st.tuples(
            tables(columns), st.lists(st.integers(1, 5), min_size=columns, max_size=columns)
        )
    ),
    st.integers(1, 7),
)
def test_parts_keep_l_diversity(given_table, k):
    (attributes, rows), least = given_table
    items, distinct = items_of(rows, attributes, least)
    if need(rows, attributes, least, k) > len(rows):
        with pytest.raises(ValueError, match="as a whole"):
            partition(items, k)
        return
    parts = partition(items, k)
    found = rows_by_part(parts, distinct)
    assert sorted(row for part in found for row in part) == sorted(rows)
    for part, window in zip(found, parts.windows):
        assert part == sorted(part)
        assert k <= window == need(part, attributes, least, k) <= len(part)
    for whole in joined(sorted(rows), attributes, least, k):
        pieces = [found.pop(0)]
        while sum(map(len, pieces)) < len(whole):
            pieces.append(found.pop(0))
        assert sorted(row for piece in pieces for row in piece) == whole
        if need(whole, attributes, least, k) == k:
            assert len(pieces) == 1
        elif len(least) == 1 and len(whole) // least[0] >= 2 * -(-k // least[0]):
            assert len(pieces) > 1  # rounds of l rows with no category twice can always be dealt


@pytest.mark.parametrize(
    ("sizes", "expected"), [((12, 1, 8), [12, 9]), ((8, 1, 12), [9, 12]), ((8, 1, 8), [9, 8])]
)
def test_a_run_joins_the_smaller_neighbour(sizes, expected):
    rows = [(value, number % 4) for value, size in enumerate(sizes) for number in range(size)]
    items, _ = items_of(rows, 1, (2,))
    assert partition(items, 6).sizes.tolist() == expected


def test_a_run_joins_the_neighbour_that_makes_it_a_part():
    """Two rows of category 0 with twelve of 0 to 3, three each, or with six of 0 and 1: only the
    larger can take them.

    Their 14 rows would need a window of 10, so they are cut into two pieces."""
    rows = (
        [(0, number % 4) for number in range(12)]
        + [(1, 0)] * 2
        + [(2, number % 2) for number in range(6)]
    )
    items, _ = items_of(rows, 1, (2,))
    assert partition(items, 6).sizes.tolist() == [7, 7, 6]


def test_pieces_keep_the_promise():
    """Rows in order, every fourth of one category: no window is larger than k."""
    categories = np.arange(400) % 4
    piece = pieces._pieces([categories], (3,), 6, os.urandom)
    assert piece.max() + 1 == 66
    for number in range(66):
        rows = np.flatnonzero(piece == number)
        assert len(rows) in (6, 7)
        assert np.bincount(categories[rows]).max() <= 2


def test_who_is_in_a_piece_with_whom_is_drawn():
    """Values a a a b b c in pieces of two: two are a and b, one is a and c. Were it always the same
    a that is with c, somebody who knows the method would know all values from the pieces alone.
    Each a is with c in a third of all draws, each b with each a likewise: of all tables with these
    counts none is likelier than another."""
    values, draws = np.array([0, 0, 0, 1, 1, 2]), 6000
    random = np.random.default_rng(5).bytes
    with_c, together = Counter(), Counter()
    for _ in range(draws):
        piece = pieces._pieces([values], (2,), 2, random)
        for number in range(3):
            first, second = np.flatnonzero(piece == number).tolist()
            assert values[first] == 0 != values[second]
            with_c[first] += second == 5
            together[first, second] += 1
    error = (1 / 3 * 2 / 3 / draws) ** 0.5
    assert all(abs(with_c[a] / draws - 1 / 3) < 5.5 * error for a in range(3))
    assert all(abs(together[a, b] / draws - 1 / 3) < 5.5 * error for a in range(3) for b in (3, 4))


def test_a_share_of_nearly_one_in_l_can_be_cut():
    """131 of 527 rows and l = 4: no even division works, rounds of four or more rows do."""
    place = np.arange(527)
    frequent = (place % 4 == 1) & (place < 524)
    piece = pieces._pieces([np.where(frequent, 0, place + 1)], (4,), 10, os.urandom)
    assert piece.max() + 1 == 43
    assert pieces._pieces([np.arange(8) % 2], (2,), 5, os.urandom).max() == 0


def worst_inference(values, window, offsets):
    """The greatest probability of one value for one person: of the tuples that may be the person,
    the share released with it."""
    size = len(values)
    released = np.empty(size, np.int64)
    released[(np.arange(size) - offsets) % size] = values
    possible = released[(np.arange(size)[:, None] - np.arange(window)) % size]
    return max(max(Counter(row).values()) for row in possible.tolist()) / window


def test_an_order_without_repetition_within_l_is_no_l_diversity():
    """Section 6 orders a b c a b c so that any three differ; the tuples that a person may be can
    carry one value twice."""
    values = np.array([0, 1, 2, 0, 1, 2])
    offsets = assign(np.full(200, 6), np.full(200, 3), entropy(1)).reshape(-1, 6)
    assert max(worst_inference(values, 3, offset) for offset in offsets) > 1 / 3 + 1e-9
    items, distinct = items_of([(place, int(value)) for place, value in enumerate(values)], 1, (3,))
    parts = partition(items, 2)
    for part, window in zip(rows_by_part(parts, distinct), parts.windows):
        own = np.array([row[1] for row in part])
        for item in assign(np.full(200, len(part)), np.full(200, window), entropy(1)).reshape(
            200, -1
        ):
            assert worst_inference(own, window, item) <= 1 / 3 + 1e-9


@settings(max_examples=30, deadline=None)
@given(tables(1), st.integers(2, 4), st.integers(1, 6), st.integers(0, 1000))
def test_no_assignment_tells_a_value(table, least, k, seed):
    attributes, rows = table
    items, distinct = items_of(rows, attributes, (least,))
    if need(rows, attributes, (least,), k) > len(rows):
        return
    parts = partition(items, k)
    offsets = assign(parts.sizes, parts.windows, entropy(seed))
    for part, window, own in zip(
        rows_by_part(parts, distinct), parts.windows, np.split(offsets, np.cumsum(parts.sizes))
    ):
        assert (
            worst_inference(np.array([row[attributes] for row in part]), window, own)
            <= 1 / least + 1e-9
        )
