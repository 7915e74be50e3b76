"""Random assignments in rings: valid, each match with probability 1/window, and not given away by
known ones."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonsql.methods.windows import permutations
from anonsql.methods.windows.permutations import assign, entropy

SEVEN_SIGMA = 7.0
"""A right draw is off by more in one of 10^11 counts; no test looks at more than a few thousand."""


def sample(size, window, number, seed=1):
    """Offsets of many independent draws for one part: array (draw, row)."""
    drawn = assign(np.full(number, size), np.full(number, window), entropy(seed))
    return drawn.reshape(number, size)


def all_assignments(size, window):
    """Every way to give each row another one of the ring positions that cover it, as offsets."""
    positions = np.arange(size)
    return [
        item
        for item in itertools.product(range(window), repeat=size)
        if len(set((positions - np.array(item)) % size)) == size
    ]


def worst_deviation(offsets, window):
    """How many standard deviations the count of the worst match is away from an equal share of the
    draws."""
    number = len(offsets)
    counts = np.array([(offsets == offset).sum(axis=0) for offset in range(window)])
    return np.abs(counts - number / window).max() / np.sqrt(number / window * (1 - 1 / window))


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 40), st.integers(1, 40)), max_size=12), st.integers(0, 2**32)
)
def test_every_part_is_permuted_within_its_windows(parts, seed):
    sizes = np.array([max(pair) for pair in parts], np.int64)
    windows = np.array([min(pair) for pair in parts], np.int64)
    offsets = assign(sizes, windows, entropy(seed))
    assert np.array_equal(offsets, assign(sizes, windows, entropy(seed)))
    assert len(offsets) == sizes.sum()
    for size, window, own in zip(sizes, windows, np.split(offsets, np.cumsum(sizes))):
        assert np.all((own >= 0) & (own < window))
        assert sorted((np.arange(size) - own) % size) == list(range(size))


@pytest.mark.parametrize(
    ("size", "window"), [(4, 2), (5, 3), (6, 4), (6, 5), (7, 7), (9, 6), (11, 10), (12, 7)]
)
def test_every_match_has_the_same_probability(size, window):
    assert worst_deviation(sample(size, window, 30_000), window) < SEVEN_SIGMA


@pytest.mark.parametrize(("size", "window"), [(7, 3), (8, 5), (9, 4), (11, 8)])
def test_probabilities_hang_on_the_coins_alone(monkeypatch, size, window):
    """Edges paired in order, and a matching that is always the same one: only which half and
    whether it is taken is random."""
    monkeypatch.setattr(permutations, "_shuffled", lambda numbers, random: numbers)
    monkeypatch.setattr(permutations, "_matching", lambda graphs, random: graphs.places[:, 0])
    offsets = sample(size, window, 5_000)
    assert worst_deviation(offsets, window) < SEVEN_SIGMA
    assert np.all(np.sort((np.arange(size) - offsets) % size, axis=1) == np.arange(size))


def test_parts_of_different_sizes_are_drawn_together_and_independently():
    sizes, windows = np.tile([5, 9, 6, 8], 20_000), np.tile([3, 6, 6, 5], 20_000)
    drawn = assign(sizes, windows, entropy(3)).reshape(20_000, 28)
    for start, size, window in [(0, 5, 3), (5, 9, 6), (14, 6, 6), (20, 8, 5)]:
        assert worst_deviation(drawn[:, start : start + size], window) < SEVEN_SIGMA
    together = Counter(zip(drawn[:, 0].tolist(), drawn[:, 5].tolist()))
    assert len(together) == 18
    for count in together.values():
        assert abs(count - 20_000 / 18) < SEVEN_SIGMA * np.sqrt(20_000 / 18)


@pytest.mark.parametrize(
    "limits",
    [
        {"WALKED": 0},
        {"WALKED": 0, "STEPS": 1},
        {"LARGEST": 1, "FEWEST": 3},
        {"LARGEST": 1, "FEWEST": 2},
        {"EDGES": 100},
    ],
    ids="-".join,
)
def test_ways_for_large_parts_are_as_fair(monkeypatch, limits):
    for name, value in limits.items():
        monkeypatch.setattr(permutations, name, value)
    offsets = sample(8, 5, 1_500)
    assert worst_deviation(offsets, 5) < SEVEN_SIGMA
    assert np.all(np.sort((np.arange(8) - offsets) % 8, axis=1) == np.arange(8))


def test_ring_of_five():
    """Fig. 5 and section 5.2: of 13 assignments a uniform draw favours the middle offset, cyclic
    shifts give themselves away."""
    everything = all_assignments(5, 3)
    assert len(everything) == 13
    shares = Counter(offset for item in everything for offset in item)
    assert shares == {0: 4 * 5, 1: 5 * 5, 2: 4 * 5}
    uniform = np.array(everything)[np.random.default_rng(1).integers(0, 13, 30_000)]
    assert worst_deviation(uniform, 3) > 2 * SEVEN_SIGMA
    shifts = np.repeat(np.random.default_rng(1).integers(0, 3, 30_000), 5).reshape(-1, 5)
    assert worst_deviation(shifts, 3) < SEVEN_SIGMA
    assert worst_posterior(shifts, 1)[0] == 1.0
    ours = sample(5, 3, 30_000)
    assert {tuple(entry) for entry in ours.tolist()} == set(everything)
    assert worst_deviation(ours, 3) < SEVEN_SIGMA
    assert worst_posterior(ours, 1)[0] < 0.8


def worst_posterior(offsets, known):
    """The greatest share of one match of another row given some known ones, over all sets of known
    rows and what they show, and the least number of a row's matches that stay possible. Ring
    positions are alike, so row 0 is always known."""
    worst, fewest = 0.0, offsets.shape[1]
    for others in itertools.combinations(range(1, offsets.shape[1]), known - 1):
        rows = [0, *others]
        shown, group = np.unique(offsets[:, rows], axis=0, return_inverse=True)
        for number in range(len(shown)):
            left = offsets[group.ravel() == number]
            if len(left) < 200:
                continue
            for row in set(range(offsets.shape[1])) - set(rows):
                counts = np.bincount(left[:, row])
                worst, fewest = (
                    max(worst, counts.max() / len(left)),
                    min(fewest, np.count_nonzero(counts)),
                )
    return worst, fewest


@pytest.mark.parametrize(("size", "window"), [(5, 3), (6, 3), (6, 4), (6, 5), (7, 4)])
def test_corruption_leaves_candidates(size, window):
    """Section 5.2: who knows c <= k-2 matches still has k-c possible ones for everybody else; every
    assignment can come out."""
    everything = all_assignments(size, window)
    ours = sample(size, window, 40_000)
    assert {tuple(item) for item in ours.tolist()} <= set(everything)
    if len(everything) < 300:
        assert {tuple(element) for element in ours.tolist()} == set(everything)
    for known in range(1, window - 1):
        for rows in itertools.combinations(range(size), known):
            left = {}
            for entry in everything:
                left.setdefault(tuple(entry[row] for row in rows), []).append(entry)
            for those in left.values():
                for row in set(range(size)) - set(rows):
                    assert len({each[row] for each in those}) >= window - known
    for known in {1, window - 2}:
        worst, fewest = worst_posterior(ours, known)
        assert worst < 0.95
        assert fewest >= window - known


def test_windows_that_do_not_fit():
    for sizes, windows in ([3], [4]), ([3], [0]), ([3, 3], [3]):
        with pytest.raises(ValueError, match="window"):
            assign(np.array(sizes), np.array(windows), entropy(1))


def test_entropy():
    assert entropy(5)(40) == entropy(5)(40) != entropy(6)(40)
    assert entropy()(40) != entropy()(40)
    sizes, windows = np.full(50, 20), np.full(50, 10)
    assert not np.array_equal(assign(sizes, windows, entropy()), assign(sizes, windows, entropy()))


def test_numbers_of_the_last_incomplete_round_are_drawn_again():
    given_out = iter(
        [b"\xff" * 16, (7).to_bytes(8, "little") + b"\xff" * 8, (9).to_bytes(8, "little")]
    )
    assert permutations._below(5, 2, lambda count: next(given_out)).tolist() == [2, 4]
