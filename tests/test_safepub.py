"""The k of SafePub against the values of its formula, and its rounding against exact fractions."""

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from anonsql.privacy import safepub


@pytest.mark.parametrize(
    "epsilon,expected",
    [("0.1", (26, 38, 49, 60)), ("1", (34, 47, 61, 74)), ("2", (64, 81, 113, 131))],
)
def test_k_is_that_of_the_formula(epsilon, expected):
    """For delta of 1e-3 to 1e-6; by floats the same."""
    deltas = [Decimal(10) ** -digits for digits in (3, 4, 5, 6)]
    assert tuple(safepub.k_for(Decimal(epsilon), delta) for delta in deltas) == expected


@pytest.mark.parametrize("epsilon", ["0.01", "1", "8"])
def test_rows_are_kept_no_more_often_than_epsilon_allows(epsilon):
    beta = safepub.beta_of(Decimal(epsilon))
    assert beta.denominator <= safepub.WHOLE and safepub.WHOLE % beta.denominator == 0
    kept = safepub.kept_with(Decimal(epsilon))
    assert 0 <= Fraction(kept.low) - beta < Fraction(1, safepub.WHOLE)


def by_floats(epsilon, k):
    beta = float(safepub.beta_of(Decimal(repr(epsilon))))
    gamma = (math.exp(epsilon) - 1 + beta) / math.exp(epsilon)
    first = max(0, math.ceil(k / gamma - 1))
    return max(binom.sf(math.floor(n * gamma), n, beta) for n in range(first, first + 400))


@settings(max_examples=25)
@given(st.decimals("0.05", "2", places=2), st.integers(1, 60))
def test_delta_is_no_less_than_it_is(epsilon, k):
    """And no more than the least bit above it."""
    found, expected = float(safepub.delta_of(epsilon, k)), by_floats(float(epsilon), k)
    assert expected * (1 - 1e-9) <= found <= expected * (1 + 1e-6)


def test_tails_are_rounded_up():
    """Of a share that decimals have exactly, beside fractions."""
    share = Decimal("0.375")
    for n in range(12):
        for floor in range(n + 1):
            exact = sum(
                Fraction(math.comb(n, j)) * Fraction(3, 8) ** j * Fraction(5, 8) ** (n - j)
                for j in range(floor + 1, n + 1)
            )
            found = Fraction(safepub._tail(n, floor, safepub.Between(share, share)))
            assert exact <= found <= exact * (1 + Fraction(1, 10**30))


def test_the_share_that_is_kept_is_enclosed():
    for epsilon in ("0.01", "0.5", "3"):
        kept = safepub.kept_with(Decimal(epsilon))
        assert 0 < Fraction(kept.high) - Fraction(kept.low) < Fraction(1, 10**35)
        assert float(kept.low) == pytest.approx(1 - math.exp(-float(epsilon)))
