"""Controlled rounding against brute force, and rounding by keys."""

import itertools
import random

import numpy as np
import pytest

from anonsql.statistics.rounding import consistent, controlled, holds
from anonsql.verification.statistics.changes import by_key

from .cube_oracle import cube_of, flat

TREE = [[0, 1, 2], [0, 0, 1], [0] * 3]
ONE = ((flat(3), flat(2)), [{0: 0, 1: 0}])


def small(seed, shape=ONE, people=14, again=0.0):
    """A small random cube; people are in several cells by a chance of ``again``."""
    hierarchies, tables = shape
    rnd = random.Random(seed)
    rows = [
        (who, [rnd.randrange(len(of[0])) for of in hierarchies], rnd.randrange(1, 9))
        for who in range(people)
        for _ in range(1 + (rnd.random() < again))
    ]
    return cube_of(rows, hierarchies, tables)


def brute_force(relations, values, base):
    """The least total change of all roundings to one of the two multiples that keep the relations;
    None where there is none."""
    matrix = relations.matrix.toarray()
    choices = [sorted({v // base * base, -(-v // base) * base}) for v in values.tolist()]
    every = np.array(list(itertools.product(*choices)))
    surplus = every @ matrix.T
    exact = relations.exact
    good = (surplus[:, exact] == 0).all(1) & (surplus[:, ~exact] <= 0).all(1)
    for line in matrix[~exact]:
        whole, parts = (line > 0).argmax(), np.flatnonzero(line < 0)
        good &= (every[:, [whole]] >= every[:, parts]).all(1)
    return np.abs(every[good] - values).sum(1).min() if good.any() else None


LINKED = ((TREE, flat(2), flat(2)), [{0: 1, 1: 0}, {1: 0, 2: 0}])


@pytest.mark.parametrize(
    ("shape", "again"),
    [(ONE, 0), (LINKED, 0), (LINKED, 0.3)],
    ids=["one table", "linked tables", "people in several cells"],
)
def test_controlled_rounding_is_the_best_there_is(shape, again):
    found = set()
    for seed in range(25):
        cube = small(seed, shape, again=again)
        base = 3 + seed % 3
        result = controlled(cube.relations, cube.people, base)
        least = brute_force(cube.relations, cube.people, base)
        assert (result is None) == (least is None)
        if result is None:
            continue
        assert np.abs(result - cube.people).sum() == least
        assert not (result % base).any() and holds(cube.relations, result)
        found.add(bool((result != np.rint(cube.people / base) * base).any()))
    assert found == {True, False}  # rounding each by itself is not always additive


def test_there_need_not_be_one():
    """Of three dimensions, a table whose parts differ by more than a step (Causey, Cox & Ernst)."""
    ones = [(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)]
    cube = cube_of(
        [(who, leaves, 1) for who, leaves in enumerate(ones)], [flat(2)] * 3, [{0: 0, 1: 0, 2: 0}]
    )
    assert brute_force(cube.relations, cube.people, 2) is None
    assert controlled(cube.relations, cube.people, 2) is None


def test_limits_and_what_is_no_table():
    cube = small(1)
    assert controlled(cube.relations, cube.people, 5, cells=5) is None
    sums = -cube.sums.astype(np.int64)
    result = controlled(cube.relations, sums, 5)
    assert holds(cube.relations, result) and np.abs(result - sums).max() < 5
    assert not holds(cube.relations, result + 5)


def test_rounding_by_key_is_unbiased_and_keeps_multiples():
    values = np.array([0, 1, 2, 3, 4, 5, 12, -1, -7])
    keys = (np.arange(100_000) * 42949 + 17)[:, None]  # spread evenly over all keys
    found = by_key(values, 5, keys)
    assert not (found % 5).any() and (np.abs(found - values) < 5).all()
    assert (found[:, [0, 5]] == [0, 5]).all()
    assert np.abs(found.mean(0) - values).max() < 1e-3


def test_noise_is_made_consistent():
    for seed in range(5):
        cube = small(seed, people=60)
        noise = np.random.default_rng(seed).integers(-4, 5, cube.people.size)
        noisy = np.maximum(cube.people + noise, 0)
        result = consistent(cube.relations, noisy)
        assert holds(cube.relations, result) and not holds(cube.relations, noisy)
        assert (result >= 0).all()
        # the truth keeps the relations, and nothing that does so is much nearer to what is noisy
        assert np.square(result - noisy).sum() <= np.square(noise).sum() + 2 * noise.size
    assert (consistent(cube.relations, cube.people) == cube.people).all()
