"""Numbers of bounds: rounded away from what they bound."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonsql.features.query.described import _number
from anonsql.query import numbers
from anonsql.query.numbers import Extreme, Scale

FRACTIONS = (
    st.fractions() | st.integers() | st.floats(allow_nan=False, allow_infinity=False).map(Fraction)
)


@given(FRACTIONS)
def test_bounds_are_rounded_away(value):
    low, high = (numbers.shown(Fraction(value), up=up) for up in (False, True))
    assert Fraction(repr(low)) <= value <= Fraction(repr(high))
    assert Fraction(repr(high)) - Fraction(repr(low)) <= max(
        abs(Fraction(value)) / 10**10, Fraction(1, 10**290)
    )
    if Fraction(value).denominator == 1:
        assert low == high == value and isinstance(low, int)


@given(FRACTIONS)
def test_doubles_are_rounded_away(value):
    assert numbers.double(value, up=False) <= value <= numbers.double(value, up=True)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (17117458374868404, (17117458374868404,) * 2),
        (Fraction(156, 100), (1.56, 1.56)),
        (Fraction(10, 3), (3.33333333333, 3.33333333334)),
        (Fraction(-10, 3), (-3.33333333334, -3.33333333333)),
        (Fraction(17117458374868404) + Fraction(1, 3), (17117458374868404, 17117458374868405)),
        (Fraction(1, 7 * 10**280), (1.42857142857e-281, 1.42857142858e-281)),
        (Fraction(-1, 7 * 10**300), (-1e-290, 0)),
        (Fraction(10) ** 400 + Fraction(1, 3), (10**400, 10**400 + 1)),
    ],
)
def test_numbers_by_hand(value, shown):
    assert tuple(numbers.shown(value, up=up) for up in (False, True)) == shown


@pytest.mark.parametrize(
    ("value", "up", "text"),
    [
        (3.337, False, "3.33"),
        (3.331, True, "3.34"),
        (-3.331, False, "-3.34"),
        (0.123456789, True, "0.123457"),
        (0.123456789, False, "0.123456"),
        (17117458374868404, True, "17,117,458,374,868,404"),
        (None, None, "unknown"),
        ("2020-01-01", False, "2020-01-01"),
    ],
)
def test_a_terminal_rounds_bounds_away(value, up, text):
    assert _number(value, up=up) == text


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30))
def test_sums_of_floating_point_numbers_are_within_bounds(values):
    """Added in any order, and exactly."""
    total, size = sum(values), sum(map(abs, values))
    ends = [
        Extreme.of(
            (total, total, len(values), 0, 0.0, 0.0, len(values), size, max(map(abs, values))),
            Scale(False),
            sign,
        )
        for sign in (-1, 1)
    ]
    exact = sum(map(Fraction, values))
    for one in (
        exact,
        Fraction(total),
        Fraction(sum(reversed(values))),
        Fraction(math.fsum(values)),
    ):
        assert ends[0].total <= one <= ends[1].total
    assert ends[0].mean <= exact / len(values) <= ends[1].mean
