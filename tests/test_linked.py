"""Linked values: rows that surrogates link, and kept columns that narrow generalized ones, against
naive Python that goes through the rows one by one."""

import datetime as dt
import json
import random
from collections import Counter, defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anonsql
from anonsql.jobs import pipeline
from anonsql.policy.policy import Policy
from anonsql.risks import linked

from .engines import policy_on
from .support import (
    DATA,
    adult_policy,
    fars_policy,
    insert,
    job,
    make_table,
    opened,
    policy_data,
    rows_of,
)
from .test_replace import policy_of

TREE = {"type": "taxonomy", "tree": {"north": ["a", "b"], "south": ["c", "d"]}}
FULL = {"a": "north", "b": "north", "c": "south", "d": "south"}


def told(kept, groups):
    """(share of the rows whose group is told, whether some group is left aside), one by one."""
    sizes = Counter(groups)
    looked_at = [i for i, group in enumerate(groups) if 2 * sizes[group] <= len(groups)]
    known = 0
    for i in looked_at:
        alike = [groups[j] for j in range(len(groups)) if kept[j] == kept[i]]
        known += len(alike) >= 10 and alike.count(groups[i]) >= 0.8 * len(alike)
    return known, looked_at


def bins(values):
    """The bins of ordered values: those before a value, in tens; NULL is the first."""
    keys = [(value is not None, value or 0) for value in values]
    return [sum(other < key for other in keys) // 10 for key in keys]


def tenths(values):
    """The tenth of the rows in which each value lies."""
    keys = [(value is not None, value or 0) for value in values]
    return [10 * sum(other < key for other in keys) // len(keys) for key in keys]


def expected(pairs):
    """The finest group that each kept column tells of each other column, with the share."""
    result = {}
    for column, name, level, kept, groups in pairs:
        known, looked_at = told(kept, groups)
        if len(looked_at) >= 10 and known >= 0.5 * len(looked_at):
            share = (known / len(looked_at), len(looked_at) < len(groups))
            result.setdefault((column, name), (level, *share))
    return result


def of(policy, folder):
    """What anonsql finds."""
    with job(policy, folder, pipeline.CHECK) as made:
        given_ = (made.opened.source, made.opened.columns, made.counted.attributes, made.policy)
        results = linked.narrowed(made.engine, *given_, rows=made.counted.rows)
    return {
        (result.column, result.group.attribute.name): (
            result.group.level,
            result.share,
            result.besides,
        )
        for result in results
    }


@st.composite
def dependent(draw):
    """Rows of (place, age, kind, day): kind and day follow the others, more or less."""
    mind = random.Random(draw(st.integers(0, 10**6)))
    noise = draw(st.sampled_from([0.0, 0.15, 0.3, 1.0]))
    rows = []
    for _ in range(draw(st.integers(0, 90))):
        place, age = mind.choice(["a", "b", "c", "d", "d", "d", None]), mind.randrange(60)
        kind = FULL.get(place, "none") if mind.random() >= noise else mind.choice("xyz")
        day = age * 3 + mind.randrange(7) if mind.random() >= noise else mind.randrange(180)
        rows.append((place, age, kind, day if mind.random() < 0.95 else None))
    return rows


@settings(max_examples=40, deadline=None)
@given(dependent())
def test_what_is_told_is_counted_one_by_one(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("linked")
    types = {"place": "VARCHAR", "age": "INTEGER", "kind": "VARCHAR", "day": "BIGINT"}
    make_table(folder / "source.duckdb", types, rows)
    columns = {
        "place": TREE,
        "age": {"type": "interval", "widths": [10, 30]},
        "kind": "insensitive",
        "day": "sensitive",
    }
    policy = Policy.parse(policy_data(columns, k=2), folder)
    if not rows:
        assert not of(policy, folder)
        return
    places, ages, kinds, days = (list(column) for column in zip(*rows, strict=True))
    groups = [("place", 1, [FULL.get(place) for place in places])]
    groups += [("age", 1, [age // 10 for age in ages]), ("age", 2, [age // 30 for age in ages])]
    kept = [("kind", kinds), ("day", bins(days))]
    pairs = [
        (column, name, level, values, members)
        for column, values in kept
        for name, level, members in groups
    ]
    assert of(policy, folder) == expected(pairs)


@settings(max_examples=20, deadline=None)
@given(dependent())
def test_without_levels_between_values_and_tenths_are_looked_at(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("linked")
    types = {"place": "VARCHAR", "age": "INTEGER", "kind": "VARCHAR", "day": "BIGINT"}
    make_table(folder / "source.duckdb", types, rows)
    hidden = {"type": "suppression"}
    columns = {"place": hidden, "age": hidden, "kind": "insensitive", "day": "insensitive"}
    policy = Policy.parse(policy_data(columns, k=2), folder)
    if not rows:
        return
    places, ages, kinds, days = (list(column) for column in zip(*rows, strict=True))
    groups = [("place", 0, places), ("age", 0, ages), ("age", None, tenths(ages))]
    pairs = [
        (column, name, level, values, members)
        for column, values in (("kind", kinds), ("day", bins(days)))
        for name, level, members in groups
    ]
    assert of(policy, folder) == expected(pairs)


def claims(count=1500, late=5):
    """Losses, and when each was reported: so many days later at most."""
    mind = random.Random(3)
    jobs = {"nurse": "health", "doctor": "health", "clerk": "office", "judge": "law"}
    rows = []
    for _ in range(count):
        loss = dt.date(2023, 1, 1) + dt.timedelta(mind.randrange(700))
        reported = loss + dt.timedelta(mind.randrange(late + 1))
        work = mind.choice(list(jobs))
        rows.append((loss, mind.choice("mf"), work, reported, jobs[work], mind.choice("pqrs")))
    return rows


TYPES = {
    "loss": "DATE",
    "sex": "VARCHAR",
    "work": "VARCHAR",
    "reported": "DATE",
    "sector": "VARCHAR",
    "kind": "VARCHAR",
}


def claims_policy(**more):
    columns = {
        "loss": {"type": "date", "levels": ["month", "quarter", "year"]},
        "sex": {"type": "suppression"},
        "work": {
            "type": "taxonomy",
            "tree": {"health": ["nurse", "doctor"], "other": ["clerk", "judge"]},
        },
        "reported": "insensitive",
        "sector": "insensitive",
        "kind": "insensitive",
    }
    return policy_data(columns, k=3, limit=0.2, **more)


def test_every_engine_warns_of_the_pairs(engine):
    engine.make(TYPES, claims())
    policy = policy_on(engine, claims_policy())
    warnings = {warning.where: warning.message for warning in anonsql.check(policy).warnings}
    assert (
        "its kept values reveal loss at level 1 (month) for about " in warnings["columns.reported"]
    )
    assert "work at level 1 (group of level 1 of 2)" in warnings["columns.sector"]
    assert "columns.kind" not in warnings
    assert not any("sex" in message for message in warnings.values())


def test_a_run_warns_too_and_nothing_is_left_of_the_look(tmp_path):
    make_table(tmp_path / "source.duckdb", TYPES, claims())
    policy = Policy.parse(claims_policy(), tmp_path)
    report = anonsql.run(policy)
    (warning,) = [item for item in report.warnings if item.where == "columns.reported"]
    assert "quasi-identifying" in warning.remedy and "reveal loss at level 1" in warning.message
    assert report.warnings == anonsql.check(policy).warnings


def test_what_may_not_be_coarser_is_not_narrowed(tmp_path):
    make_table(tmp_path / "source.duckdb", TYPES, claims())
    data = claims_policy()
    data["columns"]["loss"]["max_level"] = 1
    data["columns"]["work"]["max_level"] = 0
    warnings = anonsql.check(Policy.parse(data, tmp_path)).warnings
    assert not any("kept values reveal" in warning.message for warning in warnings)


def test_columns_that_have_nothing_to_do_with_each_other_are_not_warned_of(tmp_path):
    make_table(tmp_path / "source.duckdb", TYPES, claims(late=699))
    warnings = anonsql.check(Policy.parse(claims_policy(), tmp_path)).warnings
    assert [warning.where for warning in warnings if "kept values reveal" in warning.message] == [
        "columns.sector"
    ]


def test_of_many_rows_a_sample_is_enough(tmp_path, monkeypatch):
    make_table(tmp_path / "source.duckdb", TYPES, claims(count=4000))
    monkeypatch.setattr(linked, "MOST_ROWS", 1500)
    warnings = anonsql.check(Policy.parse(claims_policy(), tmp_path)).warnings
    assert [warning.where for warning in warnings if "kept values reveal" in warning.message] == [
        "columns.reported",
        "columns.sector",
    ]


def test_each_of_several_tables_is_looked_at(tmp_path):
    mind = random.Random(4)
    people = [(n, mind.choice("mf"), mind.choice("pq")) for n in range(300)]
    make_table(tmp_path / "source.duckdb", dict.fromkeys(["id", "sex", "kind"], "VARCHAR"), people)
    with opened(tmp_path / "source.duckdb") as connection:
        connection.execute(
            "ALTER TABLE t RENAME TO people; CREATE TABLE claims (id INT, person VARCHAR,"
            " loss DATE, reported DATE)"
        )
        insert(
            connection,
            "claims",
            [(n, str(n % 300), row[0], row[3]) for n, row in enumerate(claims())],
        )
    data = {
        "source": {"database": "source.duckdb"},
        "release": {"database": "release.duckdb", "completed": 0},
        "tables": {
            "people": {
                "key": "id",
                "columns": {
                    "sex": {"role": "quasi-identifying", "hierarchy": {"type": "suppression"}},
                    "kind": {"role": "insensitive"},
                },
            },
            "claims": {
                "key": "id",
                "references": {"person": "people"},
                "columns": {
                    "loss": {
                        "role": "quasi-identifying",
                        "hierarchy": {"type": "date", "levels": ["month", "year"]},
                    },
                    "reported": {"role": "insensitive"},
                },
            },
        },
        "privacy": {"k": 2, "of": "people"},
    }
    (tmp_path / "policy.json").write_text(json.dumps(data))
    where = "tables.claims.columns.reported"
    checked = anonsql.check(tmp_path / "policy.json").warnings
    assert [item.where for item in checked if "kept values reveal" in item.message] == [where]
    made = anonsql.run(tmp_path / "policy.json").warnings
    assert [entry.where for entry in made if "kept values reveal" in entry.message] == [where]


@pytest.mark.skipif(DATA is None, reason="without ANONSQL_DATA there are no real tables")
def test_no_false_alarm_on_real_tables(tmp_path):
    names = ["age", "sex", "race", "marital-status", "education", "native-country", "workclass"]
    policies = [
        adult_policy(tmp_path, names, 5),
        adult_policy(tmp_path, names[:3], 5),
        fars_policy(tmp_path, 5),
    ]
    for policy in policies:
        assert not any(
            "kept values reveal" in warning.message for warning in anonsql.check(policy).warnings
        )


def test_what_surrogates_link_is_counted(tmp_path):
    """As a naive count does: who has the same rows in the same classes."""
    chance = random.Random(5)
    rows = [(f"{chance.randrange(12)}", 0, "", chance.choice("abc"), str(n)) for n in range(40)]
    policy = policy_of(tmp_path, rows, k=3)
    anonsql.run(policy)
    about = dict(rows_of(tmp_path / "release.duckdb", "SELECT * FROM r__about"))
    towns = defaultdict(list)
    for who, town in rows_of(tmp_path / "release.duckdb", "SELECT who, town FROM r"):
        towns[who].append(town)
    alike = Counter(tuple(sorted(item)) for item in towns.values())
    assert about["surrogates.who"] == str(len(towns))
    few = sum(number for number in alike.values() if number < 3)
    assert about["surrogates_below_k.who"] == str(few) and few
