"""Kept columns whose values are changed before they are released: top and bottom coding, rounding
and draws, against naive Python."""

from __future__ import annotations

import collections
import json
import math
import random
from decimal import ROUND_HALF_UP, Decimal

import pytest
from jinja2 import ChoiceLoader, DictLoader

import anonsql
from anonsql.errors import PolicyError, VerificationError
from anonsql.policy.changes import WHOLE
from anonsql.policy.policy import Policy
from anonsql.release.draws import weights_of
from anonsql.sql import templates

from .engines import policy_on
from .support import (
    editing,
    make_source,
    make_table,
    opened,
    policy_data,
    template_source,
    write_data,
)

TYPES = {
    "q": "VARCHAR",
    "id": "INTEGER",
    "pay": "INTEGER",
    "cost": "DECIMAL(10,2)",
    "size": "DOUBLE",
    "ill": "VARCHAR",
}
COLUMNS = {
    "q": {"type": "suppression"},
    "id": "insensitive",
    "pay": {"role": "insensitive", "change": {"top": 0.95, "bottom": 0.02, "round": 50}},
    "cost": {"role": "sensitive", "change": {"top": {"value": 40.5}, "round": 0.5}},
    "size": {"role": "insensitive", "change": {"bottom": 0.1}},
    "ill": {"role": "insensitive", "change": {"pram": {"stay": 0.7}}},
}
ILL = ["flu", "flu", "flu", "asthma", None, "it's"]


def patients(rows=400, seed=3):
    """Rows with halves, negative numbers and NULLs; id tells them apart."""
    draw = random.Random(seed)
    return [
        (
            draw.choice("ab"),
            number,
            None if number % 40 == 7 else draw.randrange(-300, 5000, 25),
            Decimal(draw.randrange(-6000, 6000, 5)) / 100,
            round(draw.gauss(0, 100), 1) or 1.0,
            draw.choice(ILL),
        )
        for number in range(rows)
    ]


def nearest(value, step):
    """A number's nearest multiple, halves away from 0."""
    step = Decimal(step)
    return (Decimal(value) / step).quantize(Decimal(1), ROUND_HALF_UP) * step


def facts_of(engine):
    """What a release says of itself."""
    return dict(engine.read("r__about"))


@pytest.fixture
def released(tmp_path):
    """A policy and its release in DuckDB."""
    make_table(tmp_path / "source.duckdb", TYPES, patients())
    policy = Policy.parse(policy_data(COLUMNS, k=5), tmp_path)
    anonsql.run(policy)
    return policy


def test_every_engine(everywhere):
    rows = patients()
    everywhere.make(TYPES, rows)
    policy = policy_on(everywhere, policy_data(COLUMNS, k=5))
    report = anonsql.run(policy)
    facts, result = facts_of(everywhere), {int(row[1]): row for row in everywhere.read()}
    top, bottom = Decimal(facts["change.pay.top"]), Decimal(facts["change.pay.bottom"])
    least = float(facts["change.size.bottom"])
    changed = collections.Counter()
    for _, number, pay, cost, size, ill in rows:
        _, _, got_pay, got_cost, got_size, got_ill = result[number]
        right_pay = None if pay is None else max(bottom, min(top, nearest(pay, 50)))
        assert got_pay == right_pay
        right_cost = min(Decimal("40.5"), nearest(cost, "0.5"))
        assert Decimal(str(got_cost)) == right_cost
        assert float(got_size) == max(least, size)
        changed["pay"] += pay != right_pay
        changed["cost"] += cost != right_cost
        changed["size"] += size < least
        changed["ill"] += ill != got_ill
    assert report.changed.columns == changed
    assert 40 < changed["ill"] < 120  # 0.3 of 400 are drawn, a third of these stay as they were
    anonsql.verify(policy)
    stated = anonsql.verify(policy, against_source=True).as_told
    measures = facts["recorded"].split(":")[0].split(", ")
    assert sorted(stated) == sorted(["anonsql", "release", "suppressed", *measures])


def test_thresholds_are_rounded_inwards_and_shared_by_k_rows(tmp_path):
    values = [*range(1, 94), 1234567, 1234568, 1234569, 2000000, 3000000, 4000000, 5000000]
    make_table(
        tmp_path / "source.duckdb", {"q": "VARCHAR", "v": "BIGINT"}, [("a", v) for v in values]
    )
    for top, k, right in ((0.999, 5, 1200000), (0.5, 3, 51)):
        column = {"role": "insensitive", "change": {"top": top}}
        data = policy_data({"q": {"type": "suppression"}, "v": column}, k=k)
        report = anonsql.run(Policy.parse(data, tmp_path))
        with opened(tmp_path / "release.duckdb") as connection:
            got, rows = connection.execute(
                "SELECT max(v), count(*) FILTER (v = (SELECT max(v) FROM r)) FROM r"
            ).fetchone()
        assert (got, report.changed.rows <= rows) == (right, True) and rows >= k


def test_weights_are_whole_and_sum_to_all():
    for counts in ([1, 1, 1], [1, 10**9], [7, 0, 3], [3] * 100):
        weights, total = weights_of(counts), sum(counts)
        assert sum(weights) == WHOLE
        assert all(abs(w - n * WHOLE / total) <= 1 for w, n in zip(weights, counts))


def test_draws_keep_expected_counts_and_follow_the_matrix_that_is_told(tmp_path):
    """Chi-squared of each value's transitions; the salt is new in every run, so the limit is one
    that chance passes once in a million runs."""
    counts = {"a": 12000, "b": 5000, "c": 2900, None: 100}
    rows = [
        (n, value, "a") for n, value in enumerate(v for v, n in counts.items() for _ in range(n))
    ]
    make_table(tmp_path / "source.duckdb", {"id": "INTEGER", "v": "VARCHAR", "q": "VARCHAR"}, rows)
    columns = {
        "id": "insensitive",
        "q": {"type": "suppression"},
        "v": {"role": "insensitive", "change": {"pram": {"stay": 0.6}}},
    }
    policy = Policy.parse(policy_data(columns, k=2), tmp_path)
    releases = []
    for _ in range(2):
        anonsql.run(policy)
        with opened(tmp_path / "release.duckdb") as connection:
            releases.append(dict(connection.execute("SELECT id, v FROM r").fetchall()))
            facts = dict(connection.execute("SELECT * FROM r__about").fetchall())
    assert releases[0] != releases[1]
    told = json.loads(facts["change.v.drawn"])
    weights = {value: weight / told["of"] for value, weight in told["weights"]}
    assert weights == pytest.approx({value: n / 20000 for value, n in counts.items()}, abs=1e-9)
    stay = float(facts["change.v.stay"])
    seen = collections.Counter((was, releases[0][n]) for n, was, _ in rows)
    for was, n in counts.items():
        expected = {v: n * ((1 - stay) * w + stay * (v == was)) for v, w in weights.items()}
        chi = sum((seen[was, v] - e) ** 2 / e for v, e in expected.items())
        assert chi < 40  # three degrees of freedom: 1e-8
    for value, n in counts.items():
        # invariant: what is released of a value is expected to be what there is
        assert abs(sum(seen[was, value] for was in counts) - n) < 6 * math.sqrt(n)


LIES = {
    "a value above the top": ("UPDATE r SET pay = 4950 WHERE id = 0", "above the top"),
    "a value below the bottom": ("UPDATE r SET size = -1e9 WHERE id = 0", "below the bottom"),
    "a value that is not rounded": ("UPDATE r SET cost = 0.25 WHERE id = 0", "not rounded"),
    "a value that has no weight": ("UPDATE r SET ill = 'gout' WHERE id = 0", "no weight"),
    "another count": ("UPDATE r SET ill = 'flu'", "too unlikely under the stated weights"),
    "another top": (
        "UPDATE r__about SET value = '4950' WHERE property = 'change.pay.top'",
        "released rows have the top of 'pay', and at least",
    ),
    "another step": (
        "UPDATE r__about SET value = '25' WHERE property = 'change.pay.round'",
        "change.pay.round=25",
    ),
    "weights of more than all": (
        "UPDATE r__about SET value = replace(value, '[\"flu\", ', '[\"flu\", 1')"
        " WHERE property = 'change.ill.drawn'",
        "does not state the weights",
    ),
    "no top": ("DELETE FROM r__about WHERE property = 'change.pay.top'", "does not state"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_release_alone_shows_what_no_change_leads_to(released, tmp_path, lie):
    statement, words = LIES[lie]
    with editing(tmp_path / "release.duckdb") as connection:
        connection.execute(statement)
    with pytest.raises(VerificationError, match=words):
        anonsql.verify(released)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE r SET pay = pay + 50 WHERE id = 17", "source"),
        ("UPDATE r__about SET value = '40' WHERE property = 'change.size.bottom'", "the source"),
    ],
)
def test_the_source_shows_what_was_changed_otherwise(released, tmp_path, statement, words):
    with opened(tmp_path / "release.duckdb") as connection:
        pay = dict(connection.execute("SELECT id, pay FROM r").fetchall())[17]
    assert pay is not None and pay < 4000
    with editing(tmp_path / "release.duckdb") as connection:
        if "bottom" in statement:
            connection.execute("UPDATE r SET size = greatest(size, 40)")
        connection.execute(statement)
    anonsql.verify(released)
    with pytest.raises(VerificationError, match=words):
        anonsql.verify(released, against_source=True)


def planted(monkeypatch, name, before, after):
    """Put something else in the place of a part of a template."""
    text = template_source(f"{name}.sql")
    assert before in text
    made, faulty = templates.environment(), {f"{name}.sql": text.replace(before, after)}
    monkeypatch.setattr(made, "loader", ChoiceLoader([DictLoader(faulty), made.loader]))
    monkeypatch.setattr(made, "cache", None)


FAULTS = [
    ("release/changes/macros", "+ CASE\n    WHEN 2 *", "+ CASE\n    WHEN 3 *"),
    ("release/changes/macros", "{{ rounded(r) }} > CAST", "{{ rounded(r) }} < CAST"),
    (
        "release/changes/changed",
        "s.{{ drawn[name].new | ident }}",
        "s.{{ drawn[name].name | ident }}",
    ),
    ("release/changes/drawn", "{% with start = 11 %}", "{% with start = 1 %}"),
    ("release/changes/drawn", "{{ d.limit | integer }} THEN", "0 THEN"),
    ("release/changes/drawn", ") AS n\n", 'WHERE s."id" <> 5) AS n\n'),
]


@pytest.mark.parametrize(("template", "before", "after"), FAULTS)
def test_a_fault_of_a_writer_is_found_and_nothing_published(
    tmp_path, monkeypatch, template, before, after
):
    make_table(tmp_path / "source.duckdb", TYPES, patients(2000))
    with monkeypatch.context() as patch:
        planted(patch, template, before, after)
        with pytest.raises(VerificationError):
            anonsql.run(Policy.parse(policy_data(COLUMNS, k=5), tmp_path))
    assert not (tmp_path / "release.duckdb").exists()


@pytest.mark.parametrize("method", ["mondrian", "anatomy", "ring"])
def test_methods_and_models_are_about_what_is_released(tmp_path, method):
    """A sensitive number is diverse as it is rounded; released apart it is changed as well."""
    make_table(tmp_path / "source.duckdb", TYPES, patients())
    columns = {**COLUMNS, "ill": "insensitive" if method == "anatomy" else COLUMNS["ill"]}
    privacy = {"l_diversity": {"cost": 3}}
    data = policy_data(columns, k=4, privacy=privacy, method={"type": method})
    policy = Policy.parse(data, tmp_path)
    anonsql.run(policy)
    table = "r__sensitive" if method == "anatomy" else "r"
    with opened(tmp_path / "release.duckdb") as connection:
        costs = connection.execute(f"SELECT DISTINCT cost FROM {table}").fetchall()
    assert all(cost % Decimal("0.5") == 0 and cost <= Decimal("40.5") for (cost,) in costs)
    anonsql.verify(policy, against_source=True)


WRONG = [
    ({"top": 0.5, "pram": {"stay": 0.5}}, "columns.pay.change.pram", "cannot be combined with top"),
    ({}, "columns.pay.change", "say how values are changed"),
    ({"top": 0.2, "bottom": 0.3}, "columns.pay.change.bottom", "not below the top"),
    ({"top": {"value": 75}, "round": 50}, "columns.pay.change.top.value", "not a multiple"),
    ({"top": 1.5}, "columns.pay.change.top", "a number below 1"),
    ({"top": {"value": "x"}}, "columns.pay.change.top.value", "A number is needed"),
    ({"pram": {"stay": 1}}, "columns.pay.change.pram.stay", ""),
]


@pytest.mark.parametrize(("change", "where", "words"), WRONG)
def test_changes_that_make_no_sense_are_refused(change, where, words):
    columns = {**COLUMNS, "pay": {"role": "insensitive", "change": change}}
    with pytest.raises(PolicyError) as error:
        Policy.parse(policy_data(columns))
    assert any(p.where.startswith(where) and words in str(p) for p in error.value.problems)


UNFIT = [
    ("ill", {"round": 5}, "need numbers, and the column is VARCHAR"),
    ("pay", {"round": 0.5}, "more digits than the column"),
    ("size", {"pram": {"stay": 0.5}}, "can look different"),
    ("id", {"pram": {"stay": 0.5}}, "400 distinct values in 400 rows"),
    ("pay", {"top": {"value": 5}, "bottom": 0.5}, "the greatest value would be 5"),
]


@pytest.mark.parametrize(("name", "change", "words"), UNFIT)
def test_changes_that_do_not_fit_the_column_are_refused(tmp_path, name, change, words):
    make_table(tmp_path / "source.duckdb", TYPES, patients())
    columns = {**COLUMNS, name: {"role": "insensitive", "change": change}}
    with pytest.raises(PolicyError, match=words):
        anonsql.run(Policy.parse(policy_data(columns, k=5), tmp_path))


def test_rare_values_are_warned_of_and_a_query_says_that_values_were_changed(tmp_path):
    rows = [(*row[:5], "gout" if row[1] < 3 else row[5]) for row in patients()]
    make_table(tmp_path / "source.duckdb", TYPES, rows)
    policy = Policy.parse(policy_data(COLUMNS, k=5), tmp_path)
    warnings = [w for w in anonsql.run(policy).warnings if w.where == "columns.ill.change.pram"]
    assert [w.message.split(":")[0] for w in warnings] == ["1 of 5 values have fewer than 5 rows"]
    notes = anonsql.query(policy, "SELECT sum(pay) FROM r").notes
    assert (
        "Values of cost, ill, pay, size were changed: answers are about the released values."
        in (notes)
    )


def test_what_cannot_have_changes_says_so(tmp_path):
    make_table(tmp_path / "source.duckdb", TYPES, patients(20))
    with pytest.raises(PolicyError, match=r"columns\.pay\.change: `compile` writes no statements"):
        anonsql.compile(Policy.parse(policy_data(COLUMNS), tmp_path), "duckdb", tmp_path / "sql")
    over_time = {"privacy": {"over_time": {"key": "id"}}}
    identifying = {**COLUMNS, "id": "identifying"}
    with pytest.raises(PolicyError, match="releases over time cannot have changed values"):
        Policy.parse(policy_data(identifying, **over_time))
    about = {"privacy": {"l_diversity": {"ill": 2}}}
    sensitive = {**COLUMNS, "ill": {**COLUMNS["ill"], "role": "sensitive"}}
    with pytest.raises(PolicyError, match="the promise is about the column's values"):
        Policy.parse(policy_data(sensitive, **about))
    with pytest.raises(PolicyError, match="only sensitive and insensitive columns can have this"):
        Policy.parse(policy_data({"q": {"role": "identifying", "change": {"round": 5}}}))


def test_what_one_person_alone_has_gives_no_weight_and_no_threshold(tmp_path):
    """Of people with several rows, k counts people: one person's many rows are none of theirs."""
    types = {"who": "INTEGER", "q": "VARCHAR", "v": "VARCHAR", "pay": "INTEGER"}
    rows = [(n % 40, "a", "xy"[n % 2], n % 50) for n in range(200)] + [(99, "a", "z", 977)] * 9
    make_table(tmp_path / "source.duckdb", types, rows)
    columns = {
        "who": "identifying",
        "q": {"type": "suppression"},
        "v": {"role": "insensitive", "change": {"pram": {"stay": 0.9}}},
        "pay": {"role": "insensitive", "change": {"top": 0.99}},
    }
    policy = Policy.parse(policy_data(columns, k=4, privacy={"entity": "who"}), tmp_path)
    report = anonsql.run(policy)
    assert "1 of 3 values have fewer than 4 people: all" in str(report.warnings)
    anonsql.verify(policy, against_source=True)
    with opened(tmp_path / "release.duckdb") as connection:
        assert connection.execute("SELECT DISTINCT v FROM r ORDER BY v").fetchall() == [
            ("x",),
            ("y",),
        ]
        assert connection.execute("SELECT max(pay), count(*) FROM r").fetchall() == [(49, 209)]


def test_a_threshold_that_only_suppressed_rows_reach_is_not_published(tmp_path):
    rows = [(n % 4, 100 + n) for n in range(400)] + [(9, 98_713), (10, 98_760), (11, 98_799)]
    make_source(tmp_path, {"g": "INTEGER", "cost": "INTEGER"}, rows)
    columns = {
        "g": {"type": "interval", "widths": [2]},
        "cost": {"role": "insensitive", "change": {"top": 0.995, "round": 1}},
    }
    data = policy_data(columns, k=3, limit=0.05)
    path = write_data(tmp_path, data)
    with pytest.raises(VerificationError, match="0 released rows have the top of 'cost'"):
        anonsql.run(path)
    data["columns"]["cost"]["change"] = {"top": {"value": 450}}
    assert anonsql.run(write_data(tmp_path, data)).suppressed == 3
