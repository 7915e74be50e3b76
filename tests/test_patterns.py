"""What is sensitive to whom: conditions, patterns, and their widening, against a naive account."""

import itertools
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonsql.methods.local.patterns import settled, widen
from anonsql.policy.conditions import parse

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
    ("text", "message"),
    [
        ("age >", "no SQL condition"),
        ("age + 1", r"\+ is not a condition"),
        ("exists (select 1 from t)", "a subquery is not supported"),
        ("age in (select age from t)", "subquery"),
        ("age > (select max(age) from t)", "a subquery is not supported"),
        ("max(age) > 3", "MAX is not supported"),
        ("random() > 0.5", "is not supported"),
        ("read_text('/etc/passwd') = ''", "is not supported"),
        ("cast(city as int) > 3", "CAST is supported only"),
        ("t.age > 3", "not a plain column"),
        ("agee > 3", "`columns` has no .agee."),
        ("1 = 1", "names no column"),
        ("age > 1; drop table t", "write exactly one condition"),
        ("", "no SQL condition|write exactly one condition"),
        ("age > $1", "is not supported"),
    ],
)
def test_what_is_no_condition_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        parse(text, COLUMNS)


def test_columns_of_one_name_in_another_case():
    assert parse("X = 1", ["x", "X"]).columns == ("X",)
    assert parse("x = 1", ["X", "y"]).columns == ("X",)
    with pytest.raises(ValueError, match="'Xx' can mean any of the columns 'xx', 'XX'"):
        parse("Xx = 1", ["xx", "XX"])


# widening


@pytest.mark.parametrize(
    ("counts", "k", "became", "loans"),
    [
        ({0: 10}, 2, {0: 0}, {}),
        ({0: 3, 1: 30}, 5, {0: 1, 1: 1}, {}),  # joins a pattern that withholds more
        ({1: 3, 2: 3}, 5, {1: 3, 2: 3}, {}),  # two small ones meet in what both withhold
        ({0: 3, 1: 9, 6: 9, 7: 9}, 5, {0: 1, 1: 1, 6: 6, 7: 7}, {}),  # where fewest are widened
        ({0: 400, 1: 300, 2: 700, 3: 900}, 1000, {0: 2, 1: 3, 2: 2, 3: 3}, {}),
        (
            {0: 30, 1: 3},
            5,
            {0: 0, 1: 1},
            {0: (2, 1)},
        ),  # two rows are lent, not three people dropped
        ({1: 3, 2: 30}, 5, {1: 3, 2: 2}, {2: (2, 3)}),  # to what both withhold
        ({0: 30, 1: 9, 3: 3}, 5, {0: 0, 1: 1, 3: 3}, {1: (2, 3)}),  # by whom it costs least
        ({0: 30, 1: 6, 3: 3}, 5, {0: 0, 1: 1, 3: 3}, {1: (1, 3), 0: (1, 3)}),  # and keeps k rows
        ({0: 5, 1: 3}, 5, {0: 1, 1: 1}, {}),  # nobody has rows to spare: all go together
        ({0: 3}, 5, {}, {}),
        ({7: 4}, 5, {}, {}),
        ({}, 5, {}, {}),
    ],
)
def test_patterns_by_hand(counts, k, became, loans):
    assert settled(counts, k) == (became, loans)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.integers(0, 15), st.integers(1, 9), max_size=12), st.integers(1, 12))
def test_nobody_is_left_out_and_every_part_has_k_rows(counts, k):
    became, loans = settled(counts, k)
    assert (set(became) == set(counts)) == (sum(counts.values()) >= k or not counts)
    sizes = dict.fromkeys([*became.values(), *(target for _, target in loans.values())], 0)
    for pattern, final in became.items():
        lent, target = loans.get(pattern, (0, final))
        assert pattern & final == pattern and pattern & target == pattern
        assert 0 <= lent <= counts[pattern] and (pattern not in loans or lent > 0)
        sizes[final] += counts[pattern] - lent
        sizes[target] += lent
    assert all(rows >= k for rows in sizes.values())
    if not loans:
        return
    (target,) = {target for _, target in loans.values()}
    assert sizes[target] == k  # no row more than is missing
    assert target not in {final for pattern, final in became.items() if pattern in loans}
    missing = sum(lent for lent, _ in loans.values())
    own = [pattern for pattern, final in became.items() if final == target]
    assert missing + sum(counts[item] for item in own) == k


@settings(max_examples=100, deadline=None)
@given(
    st.dictionaries(st.integers(0, 7), st.integers(1, 7), min_size=2, max_size=4), st.integers(2, 6)
)
def test_loans_widen_as_few_cells_as_can_be(counts, k):
    """Against all ways to lend rows to the pattern that widening by itself leaves below k."""
    became = widen(counts, k)
    sizes = Counter()
    for pattern, final in became.items():
        sizes[final] += counts[pattern]
    small = [size for size, rows in sizes.items() if rows < k]
    _, loans = settled(counts, k)
    if not small or not loans:
        return
    (stuck,) = small
    others = [count for count in counts if became[count] != stuck]
    costs = []
    for lent in itertools.product(*(range(counts[other] + 1) for other in others)):
        if sum(lent) != k - sizes[stuck]:
            continue
        left = Counter(sizes)
        target = stuck
        for pattern, rows in zip(others, lent, strict=True):
            left[became[pattern]] -= rows
            target |= pattern if rows else 0
        if all(rows >= k for item, rows in left.items() if item != stuck):
            cells = sizes[stuck] * (target ^ stuck).bit_count()
            costs.append(
                cells
                + sum(
                    rows * (target ^ pattern).bit_count()
                    for pattern, rows in zip(others, lent, strict=True)
                )
            )
    target = next(iter(loans.values()))[1]
    found = sizes[stuck] * (target ^ stuck).bit_count()
    found += sum(rows * (target ^ pattern).bit_count() for pattern, (rows, _) in loans.items())
    assert found == min(costs)
