"""Literals of SQL, numbers and moments as typed values."""

from datetime import date, datetime
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonsql.grammar.literals import (
    SqlLiteral,
    UnsupportedError,
    day,
    moment,
    number,
    require_moment,
    value_of,
)

from .support import opened


def text(word, cast=None):
    return SqlLiteral(word, string=True, cast=cast)


TRUE = SqlLiteral("True", boolean=True)
VALUES = [
    (SqlLiteral("3"), "integer", Decimal(3)),
    (SqlLiteral("-3.5"), "integer", Decimal("-3.5")),  # lies between two values
    (SqlLiteral("5."), "decimal", Decimal(5)),
    (SqlLiteral(".5e2"), "float", Decimal(50)),
    (text("+3"), "integer", Decimal(3)),
    (text("0.30"), "float", Decimal("0.30")),
    (text("2020-02-29"), "date", date(2020, 2, 29)),
    (text("2020-02-29", "date"), "timestamp", datetime(2020, 2, 29)),
    (text("2020-02-29 01:02:03.5"), "timestamp", datetime(2020, 2, 29, 1, 2, 3, 500000)),
    (text("x'y"), "text", "x'y"),
    (TRUE, "boolean", True),
    (SqlLiteral("False", boolean=True), "boolean", False),
]


@pytest.mark.parametrize(("literal", "kind", "value"), VALUES)
def test_literals_are_values_of_a_column_of_a_kind(literal, kind, value):
    found = value_of(literal, "n", kind)
    assert found == value and type(found) is type(value)


@pytest.mark.parametrize(
    ("literal", "kind"),
    [
        (text("3.5"), "integer"),
        (text("1_0"), "integer"),
        (text("nan"), "float"),
        (SqlLiteral("1e400"), "float"),
        (SqlLiteral("1e-1001"), "decimal"),
        (SqlLiteral("1e99999999999999999999"), "float"),
        (SqlLiteral("20200105"), "date"),
        (text("20200105"), "date"),
        (text("2020-W01-3"), "date"),
        (text("2020-02-30"), "date"),
        (text("2020-01-05 10:00"), "date"),
        (text("2020-01-05 12"), "timestamp"),
        (text("2020-01-05 12:00+02"), "timestamp"),
        (text("2020-01-05 25:00"), "timestamp"),
        (text("2020-01-05", "date"), "text"),
        (text("3", "date"), "integer"),
        (SqlLiteral("3"), "text"),
        (SqlLiteral("1"), "boolean"),
        (text("true"), "boolean"),
        (TRUE, "integer"),
    ],
)
def test_literals_that_are_no_such_value(literal, kind):
    with pytest.raises(
        UnsupportedError, match=f"a literal compared with 'n' must be of the type {kind}"
    ):
        value_of(literal, "n", kind)


def test_strings_that_engines_would_round_are_refused():
    assert value_of(text("0.35"), "n", "decimal", 2) == Decimal("0.35")
    assert value_of(SqlLiteral("0.351"), "n", "decimal", 2) == Decimal("0.351")
    with pytest.raises(UnsupportedError, match="must be of the type decimal"):
        value_of(text("0.351"), "n", "decimal", 2)
    with pytest.raises(UnsupportedError, match="'n' is of a type that cannot be compared"):
        value_of(text("x"), "n", "other")


@pytest.mark.parametrize(
    ("literal", "message"),
    [
        (text("2020-01-02 12:00", "date"), "after DATE is not a date. Write YYYY-MM-DD$"),
        (text("now", "timestamp"), "not a timestamp. Write YYYY-MM-DD HH:MM:SS"),
        (SqlLiteral("5", cast="date"), "^CAST is supported only in DATE"),
        (SqlLiteral("2020-01-02", True, cast="date", try_cast=True), "^TRY_CAST is supported only"),
    ],
)
def test_what_follows_a_type_is_of_it(literal, message):
    with pytest.raises(UnsupportedError, match=message):
        require_moment(literal)
    require_moment(text("2020-01-02 12:00", "timestamp"))


@settings(max_examples=120, deadline=None)
@given(
    st.decimals(allow_nan=False, allow_infinity=False, places=5),
    st.floats(allow_nan=False, allow_infinity=False),
    st.datetimes(),
)
def test_numbers_and_moments_are_read_as_the_engine_writes_them(exact, floating, when):
    with opened(":memory:") as engine:
        written = engine.execute(
            "SELECT CAST(CAST(? AS DOUBLE) AS VARCHAR), CAST(CAST(? AS TIMESTAMP) AS VARCHAR),"
            " CAST(CAST(? AS DATE) AS VARCHAR)",
            [floating, when, when.date()],
        ).fetchone()
    assert number(str(exact)) == exact
    assert float(number(written[0])) == floating
    assert (moment(written[1]), day(written[2])) == (when, when.date())


@pytest.mark.parametrize("word", ["", "-", "1_0", "0x1", "inf", "NaN", "1 2", "٣", "[1,2)"])
def test_what_is_neither_number_nor_moment(word):
    assert (number(word), moment(word), day(word)) == (None, None, None)


def test_a_day_has_no_time_and_a_moment_no_zone():
    assert day("2020-01-01 00:00:00") is None
    assert moment("2020-01-01 10:00:00+02:00") == datetime(2020, 1, 1, 10)
