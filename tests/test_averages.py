"""Means and medians of the rows that are released alike, against naive Python."""

from __future__ import annotations

import collections
import statistics
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anonsql
from anonsql.errors import PolicyError, VerificationError
from anonsql.policy.policy import Policy

from .engines import policy_on
from .support import edit, make_table, opened, policy_data
from .test_changes import planted

TYPES = {"id": "INTEGER", "age": "INTEGER", "pay": "DECIMAL(8,2)", "sex": "VARCHAR"}
WIDTHS = {"type": "interval", "widths": [10, 40]}
METHODS = (
    {"type": "mondrian"},
    {"type": "hilbert"},
    {"type": "ordered-partition"},
    {"type": "cell-generalization"},
    {"type": "full-subgraph"},
    {"type": "full-subtree"},
)


def columns(**more):
    """Columns of which a mean and a median are released; each row is told by its id."""
    return {
        "id": "insensitive",
        "age": {"role": "quasi-identifying", "hierarchy": WIDTHS, "values": "mean", **more},
        "pay": {"role": "quasi-identifying", "hierarchy": WIDTHS, "values": "median"},
        "sex": {"type": "suppression"},
    }


def people(rows=60):
    """Rows with NULLs, negative numbers, and classes of odd and even sizes."""
    return [
        (
            number,
            None if number % 9 == 4 else number * 37 % 71 - 5,
            None if number % 11 == 2 else Decimal(number * 7919 % 9000 - 999) / 100,
            "ab"[number * 5 % 13 > 5],
        )
        for number in range(rows)
    ]


def right(rows, released):
    """Whether rows (id, age, lo, hi, mean, pay, lo, hi, median, sex) have the means and medians of
    those that are equal to them but for their ids."""
    own, alike = {row[0]: row for row in rows}, collections.defaultdict(list)
    for row in released:
        alike[(*row[1:4], *row[5:8], row[9])].append(row)
    for some in alike.values():
        ages = [own[row[0]][1] for row in some if own[row[0]][1] is not None]
        pays = [own[row[0]][2] for row in some if own[row[0]][2] is not None]
        mean = float(sum(ages)) / len(ages) if ages else None
        median = statistics.median(pays) if pays else None
        for row in some:
            assert row[4] == mean
            assert row[8] is None if median is None else abs(row[8] - float(median)) < 1e-12
    return len(alike) > 1


def test_every_engine(everywhere):
    rows = people()
    if type(everywhere).__name__ == "SQLite":  # which has no exact decimals
        rows = [(*row[:2], row[2] and int(row[2] * 100), row[3]) for row in rows]
        everywhere.make({**TYPES, "pay": "INTEGER"}, rows)
    else:
        everywhere.make(TYPES, rows)
    for method in METHODS[:2]:  # hilbert divides cells between groups
        policy = policy_on(everywhere, policy_data(columns(), k=3, limit=0.5, method=method))
        anonsql.run(policy)
        assert right(rows, everywhere.read())
        assert "age_mean" in anonsql.verify(policy).as_told


@settings(max_examples=5, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.none() | st.integers(-9, 30),
            st.none() | st.decimals(-5, 90, places=2),
            st.sampled_from("ab"),
        ),
        min_size=8,
        max_size=25,
    ),
    st.sampled_from(METHODS),
)
def test_any_rows_by_any_method(tmp_path_factory, rows, method):
    folder = tmp_path_factory.mktemp("averages")
    rows = [(number, *row) for number, row in enumerate(rows)]
    make_table(folder / "source.duckdb", TYPES, rows)
    data = policy_data(columns(), k=2, limit=0.9, release={"suppressed": "mask"}, method=method)
    anonsql.run(Policy.parse(data, folder))
    with opened(folder / "release.duckdb") as connection:
        released = connection.execute("SELECT * FROM r").fetchall()
    stars = [row for row in released if row[1] == row[5] == row[9] == "*" and row[4] is row[8]]
    right(rows, [row for row in released if row not in stars])


def test_groups_with_equal_labels_share_one_mean_and_no_row_has_one_where_it_is_masked(tmp_path):
    rows = [(n, n % 10, Decimal(n), "a") for n in range(20)]
    rows += [(20, 99, Decimal(80), "b"), (21, 88, Decimal(79), "b"), (22, 77, Decimal(78), "b")]
    make_table(tmp_path / "source.duckdb", TYPES, rows)
    data = policy_data(
        columns(max_level=1),
        k=3,
        limit=0.5,
        release={"suppressed": "mask", "bounds": False},
        method={"type": "cell-generalization"},
    )
    anonsql.run(Policy.parse(data, tmp_path))
    with opened(tmp_path / "release.duckdb") as connection:
        masked = connection.execute("SELECT age_mean, pay_median FROM r WHERE age = '*'").fetchall()
        classes = connection.execute(
            "SELECT count(DISTINCT (age, pay)), count(DISTINCT (age, pay, age_mean, pay_median))"
            " FROM r"
        ).fetchone()
    assert masked == [(None, None)] * 3 and classes[0] == classes[1]


@pytest.fixture
def released(tmp_path):
    make_table(tmp_path / "source.duckdb", TYPES, people(30))
    policy = Policy.parse(policy_data(columns(), k=3, limit=0.5, method=METHODS[0]), tmp_path)
    anonsql.run(policy)
    return policy


@pytest.mark.parametrize(
    "statement, words",
    [
        (
            "UPDATE r SET age_mean = age_mean + 0.001 WHERE id = (SELECT min(id) FROM r)",
            "several values of 'age_mean'",
        ),
        ("UPDATE r SET pay_median = pay_hi + 1", "cannot be their median"),
        ("ALTER TABLE r DROP age_mean", "missing: age_mean"),
        ("UPDATE r__columns SET looks_like = 'mean' WHERE column_name = 'age_mean'", "age_mean"),
        ("UPDATE r__columns SET form = 'median' WHERE column_name = 'age_mean'", "age_mean"),
    ],
)
def test_edits_are_found_by_the_release_alone(released, tmp_path, statement, words):
    edit(tmp_path / "release.duckdb", statement)
    with pytest.raises(VerificationError, match=words):
        anonsql.verify(released)


@pytest.mark.parametrize(
    "before, after",
    [
        ("NULLIF(COUNT(m.r{{ r.position | integer }}), 0)", "COUNT(*)"),
        ("+ 2\n", "+ 1\n"),
        ("MIN(x.grp) OVER", "MIN(1) OVER"),
    ],
)
def test_wrong_means_are_not_published(tmp_path, monkeypatch, before, after):
    make_table(tmp_path / "source.duckdb", TYPES, people(30))
    policy = Policy.parse(policy_data(columns(), k=3, limit=0.5, method=METHODS[0]), tmp_path)
    planted(monkeypatch, "release/averages", before, after)
    with pytest.raises(VerificationError):
        anonsql.run(policy)
    assert not (tmp_path / "release.duckdb").exists()


def test_the_recipients_page_says_what_they_are(released, tmp_path):
    anonsql.report(released, tmp_path / "page.html", audience="recipient")
    page = (tmp_path / "page.html").read_text()
    assert "A number of the whole group: mean of age over all rows" in page
    assert "A number of the whole group: median of pay over all rows" in page


def test_refusals(tmp_path):
    rows = [(1, 1, Decimal(1), "a")] * 4
    make_table(tmp_path / "source.duckdb", TYPES, rows)
    over_time = {"over_time": {"key": "id"}}
    mean = {"role": "quasi-identifying", "hierarchy": {"type": "suppression"}, "values": "mean"}
    for method, more, changed, words in (
        ({"type": "full-domain"}, {}, {}, "the method forms no groups"),
        ({"type": "ring"}, {}, {}, "the method forms no groups"),
        (
            METHODS[0],
            {},
            {"id": {"role": "insensitive", "values": "mean"}},
            "only quasi-identifying columns",
        ),
        (METHODS[0], over_time, {}, "two means of groups"),
        (METHODS[0], {}, {"sex": mean}, "no exact sum"),
    ):
        data = policy_data({**columns(), **changed}, k=2, method=method, privacy=more)
        with pytest.raises(PolicyError, match=words):
            anonsql.run(Policy.parse(data, tmp_path))
