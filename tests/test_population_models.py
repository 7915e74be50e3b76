"""Population models against published values, against populations that are known, and where their
equations have no solution."""

import csv
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonsql.risks import population
from anonsql.risks.population import ClassSizes

from .support import DATA, needs_data

HISTOGRAMS = st.dictionaries(st.integers(1, 60), st.integers(1, 40), min_size=1, max_size=8).map(
    lambda histogram: ClassSizes.of(histogram.items())
)
FRACTIONS = st.floats(0.001, 1)


def adult():
    """The sizes of the classes of the first 30,162 rows of Adult by all of its columns."""
    with (DATA / "adult" / "adult.csv").open(encoding="utf-8") as lines:
        rows = [tuple(row) for row in csv.reader(lines)][1:30_163]
    return ClassSizes.of(Counter(Counter(rows).values()).items())


@needs_data
def test_adult_is_as_published():
    """The values of ARX's own tests on that table, to the digits that it gives."""
    sizes = adult()
    assert (sizes.rows, sizes.classes, sizes.of_size(1)) == (30_162, 19_502, 15_512)
    for model, fraction, expected in [
        (population.zayatz, 0.01, 0.2717127200),
        (population.zayatz, 0.1, 0.3207402393),
        (population.zayatz, 0.2, 0.3577099235),
        (population.pitman, 0.01, 0.1446083531),
        (population.pitman, 0.1, 0.2768499388),
    ]:
        share = model(sizes, fraction) / (sizes.rows / fraction)
        assert share == pytest.approx(expected, rel=1e-9), (model, fraction)


@pytest.mark.parametrize("a,b", [(0.5, 0.2), (2, 0.5), (1, 0.05)])
def test_a_population_of_the_model_is_recognized(a, b):
    """Half of a population whose sizes are slide negative binomial."""
    random = np.random.default_rng(7)
    members = 1 + random.negative_binomial(a, b, 200_000)
    met = random.binomial(members, 0.5)
    sizes = ClassSizes.of(Counter(met[met > 0].tolist()).items())
    assert population.snb(sizes, 0.5) == pytest.approx((members == 1).sum(), rel=0.05)


@given(HISTOGRAMS, FRACTIONS)
def test_estimates_are_numbers_of_members_or_none(sizes, fraction):
    """Never NaN, never infinite; at most everybody in the population, but for Pitman's, which may
    be off."""
    for model in (population.zayatz, population.pitman, population.snb):
        found = model(sizes, fraction)
        assert found is None or (math.isfinite(found) and found >= 0), model
    assert population.zayatz(sizes, fraction) <= sizes.rows / fraction * (1 + 1e-9)
    best = population.best(sizes, fraction)
    assert best.uniques >= 0


@given(HISTOGRAMS)
def test_the_whole_population_is_counted(sizes):
    single = sizes.of_size(1)
    assert population.zayatz(sizes, 1) == pytest.approx(single)
    assert population.best(sizes, 1).uniques == pytest.approx(single)


def test_zayatz_by_binomial_coefficients():
    """The hypergeometric probabilities, one by one and exact."""
    sizes, population = ClassSizes.of([(1, 5), (2, 3), (4, 1)]), 60
    n, u = int(sizes.rows), sizes.classes

    def one_of(size):
        return size * math.comb(population - size, n - 1) / math.comb(population, n)

    spread = sum(f / u * one_of(int(s)) for s, f in zip(sizes.sizes, sizes.counts, strict=True))
    expected = 5 * (5 / u * one_of(1) / spread) / (n / population)
    assert population.zayatz(sizes, n / population) == pytest.approx(expected, rel=1e-12)


def test_large_populations_do_not_overflow():
    """Beyond 2^31, the largest number of 32 bits."""
    sizes = ClassSizes.of([(1, 4_000), (2, 1_000), (5_000_000, 2)])
    shares = [population.zayatz(sizes, sizes.rows / size) / size for size in (2**31 - 1, 2**31 + 1)]
    assert shares[0] == pytest.approx(shares[1], rel=1e-6)
    assert 0 < shares[1] < 1


@pytest.mark.parametrize("histogram", [[(1, 9)], [(2, 9)], [(1, 1)], [(7, 1)]])
def test_what_has_no_solution_is_none(histogram):
    """All rows unique, none, one row, one class: no parameters fit."""
    sizes = ClassSizes.of(histogram)
    assert population.pitman(sizes, 0.1) is None
    assert population.snb(sizes, 0.1) is None
    assert population.best(sizes, 0.1).model == "zayatz"


def test_a_table_without_rows_has_no_estimate():
    assert population.best(ClassSizes.of([]), 0.5) is None
