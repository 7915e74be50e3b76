"""What is sensitive to whom: conditions, patterns, and their widening, against a naive account."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonsql.conditions import parse
from anonsql.methods.patterns import widen

COLUMNS = ["age", "City", "private", "born", 'a "b"']


@pytest.mark.parametrize(
    ("text", "columns", "sql"),
    [
        ("private", ("private",), '("s"."private")'),
        ("AGE > 60 and not Private", ("age", "private"), '("s"."age" > 60 AND NOT "s"."private")'),
        (
            "city in ('a', 'b''; DROP TABLE t')",
            ("City",),
            """("s"."City" IN ('a', 'b''; DROP TABLE t'))""",
        ),
        ("born < date '2020-01-01'", ("born",), """("s"."born" < CAST('2020-01-01' AS DATE))"""),
        (
            "((age between 1 and 2 or city is null))",
            ("City", "age"),
            '("s"."age" BETWEEN 1 AND 2 OR "s"."City" IS NULL)',
        ),
        ('"a ""b""" like \'x%\'', ('a "b"',), '("s"."a ""b""" LIKE \'x%\')'),
    ],
)
def test_conditions_are_written_anew(text, columns, sql):
    read = parse(text, COLUMNS)
    assert (read.columns, read.sql("s")) == (columns, sql)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("age >", "no SQL condition"),
        ("age + 1", "no condition but ADD"),
        ("exists (select 1 from t)", "EXISTS is not supported"),
        ("age in (select age from t)", "subquery"),
        ("age > (select max(age) from t)", "SUBQUERY is not supported"),
        ("max(age) > 3", "MAX is not supported"),
        ("random() > 0.5", "is not supported"),
        ("read_text('/etc/passwd') = ''", "is not supported"),
        ("cast(city as int) > 3", "CAST is not supported"),
        ("t.age > 3", "no plain column"),
        ("agee > 3", "`columns` has no .agee."),
        ("1 = 1", "names no column"),
        ("age > 1; drop table t", "one condition is needed"),
        ("", "no SQL condition|one condition is needed"),
        ("age > $1", "is not supported"),
    ],
)
def test_what_is_no_condition_is_refused(text, told):
    with pytest.raises(ValueError, match=told):
        parse(text, COLUMNS)


def test_columns_of_one_name_in_another_case():
    assert parse("X = 1", ["x", "X"]).columns == ("X",)
    assert parse("x = 1", ["X", "y"]).columns == ("X",)
    with pytest.raises(ValueError, match=r"`columns` has no .Xx."):
        parse("Xx = 1", ["xx", "XX"])


# widening


@pytest.mark.parametrize(
    ("counts", "k", "became"),
    [
        ({0: 10}, 2, {0: 0}),
        ({0: 3, 1: 30}, 5, {0: 1, 1: 1}),  # joins a pattern that withholds more
        ({0: 30, 1: 3}, 5, {0: 0}),  # never one that withholds less
        ({1: 3, 2: 30}, 5, {2: 2}),  # nor does a pattern that has k rows move
        ({1: 3, 2: 3}, 5, {1: 3, 2: 3}),  # two small ones meet in what both withhold
        ({0: 3, 1: 9, 6: 9, 7: 9}, 5, {0: 1, 1: 1, 6: 6, 7: 7}),  # where fewest cells are widened
        ({0: 3}, 5, {}),
        ({7: 4}, 5, {}),
        ({}, 5, {}),
        ({0: 400, 1: 300, 2: 700, 3: 900}, 1000, {0: 2, 1: 3, 2: 2, 3: 3}),
    ],
)
def test_widening_by_hand(counts, k, became):
    assert widen(counts, k) == became


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.integers(0, 15), st.integers(1, 9), max_size=12), st.integers(1, 12))
def test_widened_patterns_withhold_more_and_have_k_rows(counts, k):
    became = widen(counts, k)
    sizes = dict.fromkeys(became.values(), 0)
    for pattern, final in became.items():
        assert pattern & final == pattern
        sizes[final] += counts[pattern]
    assert all(rows >= k for rows in sizes.values())
    assert all(became[pattern] == pattern for pattern, rows in counts.items() if rows >= k)
    lost = {pattern for pattern in counts if pattern not in became}
    assert not lost or sum(counts[each] for each in lost) < k  # else they could have met
    for each in lost:  # no pattern that withholds more would have taken it
        assert not any(final | each == final for final in became.values())
