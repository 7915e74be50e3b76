"""Whole runs on small tables: the right node, exactly the source generalized, accepted when whole,
refused when not."""

import json
import os
import re
import shutil
import stat
import subprocess
import sys
from collections import Counter
from pathlib import Path

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anonsql
import anonsql.errors
from anonsql.engines.duckdb import clean_writer
from anonsql.errors import BusyError, PolicyError, PrivacyError
from anonsql.policy.policy import Policy

from .examples import whole_jobs
from .oracle import Oracle
from .support import (
    ADULT,
    adult_policy,
    change_staged,
    in_file,
    make_source,
    make_table,
    needs_data,
    policy_data,
    policy_in,
    policy_over,
    released_rows,
    rows_of,
    updated,
)
from .test_incognito import random_job, tables

METRICS = ["height", "weighted-height", "loss", "precision", "discernibility", "average_class_size"]


def best(oracle, k, max_suppressed, metric):
    """The node that the stated rule prefers: metric, fewer suppressed, lower height, smaller
    levels."""
    value = {
        "height": sum,
        "weighted-height": sum,
        "loss": lambda node: oracle.loss(node, k),
        "precision": lambda node: 1 - oracle.precision(node, k),
        "discernibility": lambda node: oracle.discernibility(node, k),
        "average_class_size": lambda node: oracle.average_class_size(node, k),
    }[metric]
    return min(
        oracle.satisfying(k, max_suppressed),
        key=lambda node: (round(value(node), 9), oracle.suppressed(node, k), sum(node), node),
    )


@whole_jobs
@given(
    tables(),
    st.integers(2, 3),
    st.sampled_from([0.0, 0.2]),
    st.sampled_from(METRICS),
    st.sampled_from(["remove", "mask"]),
)
def test_run_is_the_oracle(tmp_path_factory, table, k, limit, metric, suppressed):
    rows, labels = table
    k = min(k, len(rows))
    folder = tmp_path_factory.mktemp("run")
    policy = random_job(folder, rows, labels, k, limit, "auto")
    data = policy.model_dump(exclude_unset=True, by_alias=True)
    data["method"] = {"minimize": metric}
    data["release"]["suppressed"] = suppressed
    policy = Policy.parse(data, folder)
    oracle = Oracle(
        rows,
        [
            {
                v: row
                for v, row in column.items()
                if v is not None or any(r[i] is None for r in rows)
            }
            for i, column in enumerate(labels)
        ],
    )
    node = best(oracle, k, policy.privacy.max_suppressed(len(rows)), metric)

    report = anonsql.run(policy)

    assert tuple(report.levels.values()) == node
    expected = oracle.released(node, k)
    left_over = len(rows) - sum(expected.values())
    if suppressed == "mask" and left_over >= k:
        expected[("*",) * len(labels)] += left_over
        assert report.masked == left_over
    names = ", ".join(f'"c{number}"' for number in range(len(labels)))
    assert Counter(released_rows(folder, f"SELECT {names} FROM r")) == expected
    assert report.suppressed == oracle.suppressed(node, k) == left_over
    assert report.classes == len(oracle.released(node, k))
    assert report.min_class == min(oracle.released(node, k).values())
    for name, value in [
        ("loss", oracle.loss(node, k)),
        ("gcp", oracle.gcp(node, k)),
        ("precision", oracle.precision(node, k)),
        ("discernibility", oracle.discernibility(node, k)),
        ("average_class_size", oracle.average_class_size(node, k)),
    ]:
        assert report.metrics[name] == pytest.approx(value, abs=1e-9), name
    assert anonsql.verify(policy).classes == report.classes


PEOPLE = [
    (f"N{n}", 20 + n % 40, ["m", "f"][n % 2], ["flu", "cold", None][n % 3], n / 4)
    for n in range(120)
]
PEOPLE_TYPES = {
    "name": "VARCHAR",
    "age": "INTEGER",
    "sex": "VARCHAR",
    "disease": "VARCHAR",
    "weight": "DOUBLE",
}
PEOPLE_COLUMNS = {
    "name": "identifying",
    "age": {"type": "interval", "widths": [10, 20]},
    "sex": {"role": "qi", "hierarchy": {"type": "suppression"}, "max_level": 1},
    "disease": "sensitive",
    "weight": "insensitive",
}


def people(folder, columns=PEOPLE_COLUMNS, rows=PEOPLE, **more):
    return policy_over(folder, PEOPLE_TYPES, rows, columns, **{"k": 5, **more})


def test_shape_of_a_release(tmp_path):
    policy = people(tmp_path)
    report = anonsql.run(policy)
    path = tmp_path / "release.duckdb"
    connection = duckdb.connect(str(path), read_only=True)
    described = [(row[0], row[1]) for row in connection.execute("DESCRIBE r").fetchall()]
    assert described == [
        ("age", "VARCHAR"),
        ("age_lo", "BIGINT"),
        ("age_hi", "BIGINT"),
        ("sex", "VARCHAR"),
        ("disease", "VARCHAR"),
        ("weight", "DOUBLE"),
    ]
    assert report.levels == {"age": 1, "sex": 0}
    assert connection.execute(
        "SELECT DISTINCT age, age_lo, age_hi FROM r ORDER BY age_lo LIMIT 1"
    ).fetchall() == [("[20,30)", 20, 29)]
    counted = connection.execute(
        "SELECT count(*) FROM r WHERE age_lo >= 30 AND age_hi < 50"
    ).fetchone()[0]
    assert counted == sum(30 <= person[1] < 50 for person in PEOPLE)
    about = dict(connection.execute("SELECT property, value FROM r__about").fetchall())
    assert (about["method"], about["k"], about["rows"], about["suppressed"]) == (
        "full-domain",
        "5",
        "120",
        "0",
    )
    assert connection.execute(
        "SELECT column_name, role, level, form, looks_like FROM r__columns"
    ).fetchall() == [
        ("age", "quasi-identifying", 1, "interval", "[a,b), 10 wide"),
        ("age_lo", "quasi-identifying", None, "least", "least value that age can have"),
        ("age_hi", "quasi-identifying", None, "greatest", "greatest value that age can have"),
        ("sex", "quasi-identifying", 0, "value", "as it is"),
        ("disease", "sensitive", None, "value", "as it is"),
        ("weight", "insensitive", None, "value", "as it is"),
    ]
    text = " ".join(about) + " ".join(about.values())
    assert "seed" not in text and "source" not in text and str(tmp_path) not in text
    connection.close()


def test_files_beside_a_release(tmp_path):
    before = os.umask(0o027)
    try:
        anonsql.run(people(tmp_path))
    finally:
        os.umask(before)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "release.anonsql.duckdb",
        "release.duckdb",
        "source.duckdb",
    ]
    assert stat.S_IMODE((tmp_path / "release.anonsql.duckdb").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "release.duckdb").stat().st_mode) == 0o640
    os.chmod(tmp_path / "release.duckdb", 0o604)
    anonsql.run(people_policy_again(tmp_path))
    assert stat.S_IMODE((tmp_path / "release.duckdb").stat().st_mode) == 0o604


def people_policy_again(folder, **more):
    return policy_in(folder, PEOPLE_COLUMNS, **{"k": 5, **more})


def test_no_bounds(tmp_path):
    data = policy_data(PEOPLE_COLUMNS, k=5, release={"bounds": False})
    people(tmp_path)
    anonsql.run(Policy.parse(data, tmp_path))
    assert [row[0] for row in released_rows(tmp_path, "DESCRIBE r")] == [
        "age",
        "sex",
        "disease",
        "weight",
    ]


def test_levels_of_the_users_choice(tmp_path):
    report = anonsql.run(people(tmp_path, method={"levels": {"age": 2, "sex": 1}}))
    assert report.levels == {"age": 2, "sex": 1}
    with pytest.raises(PrivacyError, match="would suppress 120 of 120 rows"):
        anonsql.run(people_policy_again(tmp_path, method={"levels": {"age": 0, "sex": 0}}))
    with pytest.raises(PolicyError, match=r"method.levels.age: there is no level 9"):
        anonsql.run(people_policy_again(tmp_path, method={"levels": {"age": 9, "sex": 0}}))
    assert (
        anonsql.verify(people_policy_again(tmp_path)).min_class == report.min_class
    )  # the first release is still there


def test_level_limits(tmp_path):
    columns = dict(PEOPLE_COLUMNS)
    columns["age"] = {"role": "qi", "hierarchy": PEOPLE_COLUMNS["age"], "min_level": 2}
    assert anonsql.run(people(tmp_path, columns)).levels == {"age": 2, "sex": 0}
    columns["age"] = {"role": "qi", "hierarchy": PEOPLE_COLUMNS["age"], "max_level": 0}
    with pytest.raises(PrivacyError, match=r"Raise max_level of age to the top, or leave it out"):
        anonsql.run(policy_in(tmp_path, columns, k=5))


def test_weights_steer_the_choice(tmp_path):
    rows = [(f"N{n}", 20 + n % 2 * 30, ["m", "f"][n // 2 % 2], "flu", 1.0) for n in range(8)]
    columns = dict(
        PEOPLE_COLUMNS, age={"role": "qi", "hierarchy": {"type": "suppression"}, "weight": 10}
    )
    assert anonsql.run(people(tmp_path, columns, rows, k=4)).levels == {"age": 0, "sex": 1}
    columns["age"] = {"role": "qi", "hierarchy": {"type": "suppression"}, "weight": 0.1}
    assert anonsql.run(policy_in(tmp_path, columns, k=4)).levels == {
        "age": 1,
        "sex": 0,
    }


@pytest.fixture(scope="module")
def released_people(tmp_path_factory):
    """A folder with a release, to be copied by tests that alter it."""
    folder = tmp_path_factory.mktemp("people")
    anonsql.run(people(folder))
    return folder


@pytest.mark.parametrize(
    ("statement", "offence"),
    [
        ("DELETE FROM r WHERE age = '[20,30)' AND sex = 'm' AND weight > 0.5", "smaller than k=5"),
        ("UPDATE r SET age_lo = 21 WHERE weight = 0", "smaller than k=5"),
        ("UPDATE r SET sex = 'x' WHERE weight = 0", "smaller than k=5"),
        ("UPDATE r SET sex = NULL WHERE weight < 1", "smaller than k=5"),
        ("ALTER TABLE r ADD COLUMN name VARCHAR", "identifying column 'name'"),
        ("ALTER TABLE r ADD COLUMN shoe VARCHAR", "are not in __columns: shoe"),
        ("ALTER TABLE r DROP COLUMN disease", "columns that are missing: disease"),
        ("UPDATE r__about SET value = '2' WHERE property = 'k'", "promises k=2"),
        (
            "UPDATE r__columns SET role = 'insensitive' WHERE column_name = 'sex'",
            "a different role",
        ),
        ("INSERT INTO r SELECT * FROM r", "__about states rows=120"),
        ('CREATE TABLE "s.extra" AS SELECT 1 AS x', "not part of a release: table s.extra"),
        ("CREATE TABLE extra AS SELECT 1 AS x", "not part of a release: table extra"),
        (
            "CREATE SCHEMA s; CREATE VIEW s.v AS SELECT 1 AS x",
            "not part of a release: schema s, view v",
        ),
        (
            (
                "ALTER TABLE r ADD COLUMN sex_lo VARCHAR; UPDATE r SET sex_lo = 'Jane'; INSERT INTO"
                " r__columns VALUES ('sex_lo', 'quasi-identifying', NULL, 'least', '')"
            ),
            "'sex_lo' cannot be a bounds column",
        ),
        (
            (
                "UPDATE r SET age_lo = weight::INTEGER; UPDATE r__columns SET role = 'insensitive'"
                " WHERE column_name = 'age_lo'"
            ),
            "a different role than in the policy: age_lo",
        ),
        (
            (
                "UPDATE r SET age_lo = weight::INTEGER; UPDATE r__columns SET role = NULL WHERE"
                " column_name = 'age_lo'"
            ),
            "smaller than k=5",
        ),
        (
            "ALTER TABLE r RENAME TO q; CREATE VIEW r AS SELECT * FROM q",
            "not part of a release: view r",
        ),
        ("COMMENT ON TABLE r IS 'Jane'", "not part of a release: comment on r"),
        ("COMMENT ON COLUMN r.age IS 'Jane'", "not part of a release: comment on r"),
        ("CREATE MACRO jane(a) AS a", "not part of a release: macro jane"),
        ("CREATE INDEX jane ON r ((sex || 'Jane'))", "not part of a release: index jane"),
        (
            "ALTER TABLE r__columns ADD COLUMN note VARCHAR; UPDATE r__columns SET note = 'Jane'",
            "__columns has other columns than column_name, role, level, form, looks_like",
        ),
        ("ALTER TABLE r__columns ALTER level TYPE VARCHAR", "__columns has other columns"),
        ("ALTER TABLE r__columns ALTER level TYPE DOUBLE", "__columns has other columns"),
        ("ALTER TABLE r__columns ALTER role TYPE BLOB", "__columns has other columns"),
        (
            "ALTER TABLE r__about ALTER value TYPE VARCHAR[] USING [value]",
            "__about has other columns than property, value",
        ),
        ("UPDATE r__about SET value = '0000' WHERE property = 'suppressed'", "suppressed=0000"),
        (
            "UPDATE r__about SET value = '0' || value WHERE property = 'discernibility'",
            "discernibility=0",
        ),
        ("UPDATE r__about SET value = value || ' ' WHERE property = 'gcp'", "states gcp="),
        ("UPDATE r__about SET value = value || '/1' WHERE property = 'height'", "states height="),
        (
            "UPDATE r__about SET value = '9.9.9-jane-has-flu' WHERE property = 'anonsql'",
            "states anonsql=9.9.9-jane-has-flu",
        ),
        (
            "UPDATE r__about SET value = '0.1+jane' WHERE property = 'anonsql'",
            "states anonsql=0.1+jane",
        ),
        ("UPDATE r__about SET value = '999' WHERE property = 'k'", "promises k=999"),
        ("UPDATE r__about SET value = '²' WHERE property = 'k'", "promises k=²"),
        ("DELETE FROM r__about WHERE property = 'suppressed'", "__about has no suppressed"),
        ("INSERT INTO r__about VALUES ('k', '5')", "states something twice"),
        ("ALTER TABLE r ALTER sex TYPE VARCHAR[] USING [sex]", "'sex' is VARCHAR[], not VARCHAR"),
        (
            "UPDATE r__about SET value = '50' WHERE property = 'suppressed'",
            "more than suppression_limit=0.0",
        ),
        ("UPDATE r__columns SET level = 9 WHERE column_name = 'sex'", "'sex' is at level 9"),
    ],
)
def test_a_corrupted_release_is_refused(released_people, tmp_path, statement, offence):
    shutil.copytree(released_people, tmp_path, dirs_exist_ok=True)
    policy = people_policy_again(tmp_path)
    in_file(tmp_path / "release.duckdb", statement, "CHECKPOINT")
    with pytest.raises(anonsql.errors.VerificationError, match=re.escape(offence)):
        anonsql.verify(policy)


BESIDE_ROWS = {
    "a collation": (
        "UPDATE r SET sex = 'M' WHERE weight = 0",
        "ALTER TABLE r ALTER sex TYPE VARCHAR COLLATE NOCASE",
    ),
    "a default": ("ALTER TABLE r ALTER disease SET DEFAULT 'Jane has flu'",),
    "a default of what the release says": (
        "ALTER TABLE r__about ALTER value SET DEFAULT 'Jane has flu'",
    ),
    "a constraint": ("ALTER TABLE r ALTER age SET NOT NULL",),
    "a key": ("ALTER TABLE r__columns ADD PRIMARY KEY (column_name)",),
    "a check": (
        "ALTER TABLE r__about RENAME TO q",
        "CREATE TABLE r__about (property VARCHAR, value VARCHAR CHECK (value <> 'Jane has flu'))",
        "INSERT INTO r__about FROM q",
        "DROP TABLE q",
    ),
    "a generated column": (
        "ALTER TABLE r__about RENAME TO q",
        "CREATE TABLE r__about (property VARCHAR, value VARCHAR AS (CASE property"
        + "".join(f" WHEN '{n}' THEN '{n}'" for n in range(2))
        + " ELSE 'Jane has flu' END))",
        "INSERT INTO r__about (property) SELECT property FROM q",
        "DROP TABLE q",
    ),
}
BESIDE = "default, expression, constraint or collation of r"


@pytest.mark.parametrize("kind", BESIDE_ROWS)
def test_what_tables_hold_besides_their_rows_is_refused(tmp_path, kind):
    policy = people(tmp_path)
    anonsql.run(policy, if_changed=True)
    assert anonsql.run(policy, if_changed=True).status == "unchanged"
    in_file(tmp_path / "release.duckdb", *BESIDE_ROWS[kind], "CHECKPOINT")
    words = f"that is not part of a release: {BESIDE}"
    for sourced in (False, True):
        with pytest.raises(anonsql.errors.VerificationError, match=words) as refused:
            anonsql.verify(policy, against_source=sourced)
        assert "Jane" not in str(refused.value)
    with pytest.raises(anonsql.errors.PolicyError, match=f"contains something else: {BESIDE}"):
        anonsql.run(policy, if_changed=True)


def test_a_trigger_is_refused(tmp_path):
    """Files of DuckDB 2.0's own form can have some."""
    policy = people(tmp_path)
    anonsql.run(policy)
    path = tmp_path / "release.duckdb"
    with duckdb.connect() as connection:
        connection.execute(
            f"ATTACH '{path}' AS a; ATTACH '{path}.new' AS b (STORAGE_VERSION 'v2.0.0')"
        )
        connection.execute("COPY FROM DATABASE a TO b")
    path.with_name("release.duckdb.new").replace(path)
    with pytest.raises(anonsql.errors.VerificationError, match="the SHA-256 differs"):
        anonsql.verify(policy)
    told = "INSERT INTO r__about VALUES ('Jane', 'flu')"
    in_file(path, f"CREATE TRIGGER t AFTER INSERT ON r FOR EACH STATEMENT {told}", "CHECKPOINT")
    with pytest.raises(anonsql.errors.VerificationError, match="part of a release: trigger t"):
        anonsql.verify(policy)


def test_names_and_types_of_released_columns_are_taken_for_nothing_else(tmp_path):
    """What is read in the statement of a table is never part of a name or of a type."""
    types = {"a COLLATE b": "VARCHAR", 'c" DEFAULT (1)': 'STRUCT("d e" INTEGER)', "select": "JSON"}
    rows = [(f"{number % 2}", {"d e": number}, "{}") for number in range(10)]
    columns = dict.fromkeys(types, "insensitive")
    columns["a COLLATE b"] = {"type": "suppression"}
    policy = policy_over(tmp_path, types, rows, columns, k=2)
    anonsql.run(policy)
    assert anonsql.verify(policy).status == "verified"


@whole_jobs
@given(tables(max_rows=16), st.data())
def test_verification_finds_any_row_that_left_its_class(tmp_path_factory, table, data):
    rows, labels = table
    folder = tmp_path_factory.mktemp("corrupt")
    policy = random_job(folder, rows, labels, 2, 0.0, "auto")
    anonsql.run(policy)
    column = data.draw(st.integers(0, len(labels) - 1))
    in_file(
        folder / "release.duckdb",
        f"UPDATE r SET c{column} = 'somebody' WHERE rowid = 0",
        "CHECKPOINT",
    )
    with pytest.raises(anonsql.errors.VerificationError, match="smaller than k=2"):
        anonsql.verify(policy)


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (
            "UPDATE {t} SET disease = 'cold' WHERE weight = 0",
            "__about states highest_share.disease",
        ),
        (
            "UPDATE {t} SET weight = 1000 WHERE weight = 3",
            "2 distinct rows .2 rows. differ from the generalized source",
        ),
    ],
)
def test_a_release_that_is_not_the_source_generalized_is_not_published(
    tmp_path, monkeypatch, change, found
):
    """Something corrupts the staged file after it was written: the previous release stays."""
    policy = people(tmp_path)
    anonsql.run(policy)
    before = (tmp_path / "release.duckdb").read_bytes()
    change_staged(monkeypatch, change.format(t="r"), "CHECKPOINT")
    with pytest.raises(anonsql.errors.VerificationError, match=found):
        anonsql.run(policy)
    assert (tmp_path / "release.duckdb").read_bytes() == before
    assert not list(tmp_path.glob(".release*"))


def test_masked_rows_are_no_class(tmp_path):
    rows = [(f"N{n}", 20, "m", "flu", 1.0) for n in range(40)] + [
        (f"O{n}", 31 + 11 * n, "f", "cold", 2.0) for n in range(6)
    ]
    data = policy_data(PEOPLE_COLUMNS, k=5, limit=0.2, method={"levels": {"age": 1, "sex": 0}})
    data["release"]["suppressed"] = "mask"
    people(tmp_path, rows=rows)
    report = anonsql.run(Policy.parse(data, tmp_path))
    assert (
        report.released,
        report.suppressed,
        report.masked,
        report.classes,
        report.min_class,
    ) == (46, 6, 6, 1, 40)
    masked = released_rows(tmp_path, "SELECT age, age_lo, sex, disease FROM r WHERE sex = '*'")
    assert masked == [("*", None, "*", "cold")] * 6
    # Fewer than k of them would be a small class of their own: they are left out.
    data["privacy"]["k"] = 7
    report = anonsql.run(Policy.parse(data, tmp_path))
    assert (report.released, report.suppressed, report.masked) == (40, 6, 0)


def test_source_columns_with_odd_types_survive(tmp_path):
    in_file(
        tmp_path / "source.duckdb",
        "CREATE TYPE mood AS ENUM ('sad', 'ok', 'secret unused mood')",
        """CREATE TABLE t AS SELECT (i % 3)::INTEGER AS g, CASE i % 2 WHEN 0 THEN 'sad' ELSE 'ok' END::mood AS feeling,
        170141183460469231731687303715884105727::HUGEINT - i AS big, [i, NULL] AS list, {'a': i, 'b': 'x'} AS pair,
        to_days(i::INTEGER) AS span, uuid() AS u, TIMESTAMPTZ '2025-01-01 00:00:00+02' AS "at", '101'::BIT AS bits, 1.50::DECIMAL(10, 2) AS d,
        'a\nb;"c'::VARCHAR AS words, TIME '12:00:00' AS clock, 'x'::BLOB AS blob, 'NaN'::DOUBLE AS nan
        FROM range(30) r (i)""",
    )
    columns = {"g": {"type": "suppression"}, "feeling": {"type": "suppression"}}
    kept = dict.fromkeys(
        ["big", "list", "pair", "span", "u", "at", "bits", "d", "words", "clock", "blob", "nan"],
        "insensitive",
    )
    anonsql.run(policy_in(tmp_path, {**columns, **kept}, k=5))
    names = ", ".join(f'"{name}"::VARCHAR' for name in kept)
    source = rows_of(tmp_path / "source.duckdb", f"SELECT {names} FROM t ORDER BY big")
    assert released_rows(tmp_path, f"SELECT {names} FROM r ORDER BY big") == source
    types = {row[0]: row[1] for row in released_rows(tmp_path, "DESCRIBE r")}
    assert types["feeling"] == "VARCHAR"
    assert types["big"] == "HUGEINT"
    assert types["pair"] == "VARCHAR"  # the names of its fields are in its values alone
    assert b"secret unused mood" not in (tmp_path / "release.duckdb").read_bytes()


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("CREATE TABLE warehouse AS SELECT 1 AS x", "contains something else: table warehouse"),
        ("CREATE MACRO mine(a) AS a", "contains something else: .* mine"),
        ("CREATE TYPE mine AS ENUM ('a')", "contains something else: .* mine"),
        ("CREATE SCHEMA mine", "contains something else: .* mine"),
        ("CREATE SEQUENCE mine", "contains something else: .* mine"),
        (
            "CREATE TABLE r (x INTEGER); CREATE TABLE r__about (y INTEGER)",
            "tables that anonsql did not make",
        ),
    ],
)
def test_a_release_never_replaces_anything_else(tmp_path, statement, found):
    policy = people(tmp_path)
    in_file(tmp_path / "release.duckdb", statement)
    before = (tmp_path / "release.duckdb").read_bytes()
    with pytest.raises(PolicyError, match=found):
        anonsql.run(policy)
    assert (tmp_path / "release.duckdb").read_bytes() == before


def test_a_release_never_replaces_another_policys(tmp_path):
    anonsql.run(people(tmp_path))
    with pytest.raises(PolicyError, match="is the release of another table, r"):
        anonsql.run(policy_in(tmp_path, PEOPLE_COLUMNS, k=5, release={"table": "other"}))


def test_something_put_at_the_target_during_the_run_is_left_alone(tmp_path):
    policy = people(tmp_path)

    def meddle(stage, _done, _total):
        if stage == "verify_release":
            make_table(tmp_path / "release.duckdb", {"x": "INTEGER"}, [(1,)], table="mine")

    with pytest.raises(PolicyError, match="contains something else: table mine"):
        anonsql.run(policy, progress=meddle)
    assert released_rows(tmp_path, "SELECT x FROM mine") == [(1,)]


def test_a_linked_release_stays_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "release.duckdb").symlink_to(tmp_path / "real" / "r.duckdb")
    anonsql.run(people(tmp_path))
    assert (tmp_path / "release.duckdb").is_symlink()
    assert anonsql.verify(people_policy_again(tmp_path)).released == 120


def test_a_release_is_not_its_source(tmp_path):
    policy = people(tmp_path)
    os.link(tmp_path / "source.duckdb", tmp_path / "release.duckdb")
    with pytest.raises(PolicyError, match="this is the source itself"):
        anonsql.run(policy)


def test_a_release_open_for_writing_is_left_alone(tmp_path):
    policy = people(tmp_path)
    anonsql.run(policy)
    (tmp_path / "release.duckdb.wal").write_bytes(b"")
    with pytest.raises(BusyError, match="open for writing"):
        anonsql.run(policy)


@needs_data
def test_adult_published_verified_and_confirmed_by_pycanon(tmp_path):
    import pandas

    anonymity = pytest.importorskip("pycanon.anonymity", reason="it needs numpy 2.0")

    policy = adult_policy(tmp_path, ADULT, 10, 0.05)
    private = {"hierarchies": False}  # for the bytes below: hierarchy files name what the table has
    policy = updated(policy, release=private)
    report = anonsql.run(policy)
    assert report.verified
    assert report.released + report.suppressed == 45222
    assert report.suppressed <= 2261
    connection = duckdb.connect(str(tmp_path / "release.duckdb"), read_only=True)
    columns = [row[0] for row in connection.execute("DESCRIBE r").fetchall()]
    frame = pandas.DataFrame(connection.execute("SELECT * FROM r").fetchall(), columns=columns)
    assert anonymity.k_anonymity(frame, ADULT) == report.min_class >= 10
    within = connection.execute(
        "SELECT count(*) FROM r WHERE age_lo >= 20 AND age_hi <= 39"
    ).fetchone()[0]
    assert (within > 0) == (report.levels["age"] < 4)
    raw = (tmp_path / "release.duckdb").read_bytes()
    for column, word in [
        ("native-country", b"Holand-Netherlands"),
        ("occupation", b"Priv-house-serv"),
        ("education", b"Preschool"),
    ]:
        assert report.levels[column] == 0 or word not in raw
    assert sum(level > 0 for level in report.levels.values()) >= 2


def test_nothing_of_the_source_is_in_the_released_bytes(tmp_path, fresh_writers):
    """DuckDB writes the unused ends of blocks as they lie in memory; the writer's memory never held
    the source."""
    in_file(
        tmp_path / "source.duckdb",
        """CREATE TABLE t AS SELECT 'SECRETNAME' || i || md5(i::VARCHAR) AS name, 'SECRETZIP' || i % 5000 AS zip,
        'SECRETCITY' || i % 70 AS city, i % 90 AS age, (['flu', 'cold', 'cancer'])[i % 3 + 1] AS disease FROM range(60000) r (i)""",
    )
    columns = {
        "name": "identifying",
        "zip": {"type": "mask", "length": 13},
        "city": {"type": "suppression"},
        "age": {"type": "interval", "widths": [10, 30]},
        "disease": "sensitive",
    }
    levels = {"zip": 4, "city": 1, "age": 1}
    anonsql.run(policy_in(tmp_path, columns, k=3, method={"levels": levels}))
    for name in ("release.duckdb", "release.anonsql.duckdb"):
        raw = (tmp_path / name).read_bytes()
        assert not re.search(rb"SECRETNAME|SECRETCITY|SECRETZIP\d", raw), name


def test_the_writer_is_a_script_of_its_own():
    text = Path(clean_writer.__file__).read_text()
    imported = re.findall(r"^ *(?:import|from) (\w+)", text, re.M)
    assert imported == ["ctypes", "json", "os", "signal", "sys", "_duckdb", "duckdb"]


def test_views_and_schemas_as_sources(tmp_path):
    in_file(
        tmp_path / "source.duckdb",
        "CREATE SCHEMA clinic; CREATE TABLE clinic.visits AS SELECT i % 3 AS a, i AS b FROM"
        " range(30) r (i)",
        "CREATE VIEW v AS SELECT a, b FROM clinic.visits WHERE b < 27",
        "CREATE VIEW clinic.w AS SELECT a, b FROM clinic.visits",
    )
    for table, rows in (("clinic.visits", 30), ("v", 27), ("clinic.w", 30)):
        data = policy_data({"a": {"type": "suppression"}, "b": "insensitive"}, k=5)
        data["source"]["table"] = table
        assert anonsql.run(Policy.parse(data, tmp_path)).records == rows


def test_a_wide_table(tmp_path):
    connection = duckdb.connect(str(tmp_path / "source.duckdb"))
    wide = ", ".join(f"i + {n} AS w{n}" for n in range(400))
    connection.execute(f"CREATE TABLE t AS SELECT i % 2 AS a, {wide} FROM range(50) r (i)")
    connection.close()
    columns = {"a": {"type": "suppression"}, **{f"w{n}": "insensitive" for n in range(400)}}
    assert anonsql.run(policy_in(tmp_path, columns, k=5)).released == 50


def test_many_quasi_identifiers(tmp_path):
    rows = [tuple(n >> bit & 1 for bit in range(14)) for n in range(64)]
    make_source(tmp_path, {f"c{n}": "INTEGER" for n in range(14)}, rows)
    columns = {f"c{n}": {"type": "suppression"} for n in range(14)}
    report = anonsql.run(policy_in(tmp_path, columns, k=4))
    assert (
        report.metrics["height"] == 2
    )  # hiding two of the six columns that vary makes classes of four


def test_the_source_keeps_what_is_not_checkpointed(tmp_path):
    make_source(tmp_path, {"a": "INTEGER"}, [(1,), (1,)])
    with duckdb.connect(str(tmp_path / "source.duckdb")) as connection:
        connection.execute("SET checkpoint_threshold = '1GB'")
        connection.execute("PRAGMA disable_checkpoint_on_shutdown")
        connection.execute("INSERT INTO t VALUES (1)")
    files = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert (tmp_path / "source.duckdb.wal").exists()
    assert anonsql.run(policy_in(tmp_path, {"a": {"type": "suppression"}})).records == 3
    assert {path: path.read_bytes() for path in files} == files


def test_ties_are_ties_at_any_weight(tmp_path):
    """The rule for ties asks for fewer suppressed rows, whatever the scale of the weights."""
    rows = [
        (a, b, c) for a in range(2) for b in range(2) for c in range(2) for _ in range(1 + a + b)
    ]
    make_source(tmp_path, {"a": "INTEGER", "b": "INTEGER", "c": "INTEGER"}, rows)
    chosen = []
    for scale in (1, 10**6):
        columns = {
            name: {"role": "qi", "hierarchy": {"type": "suppression"}, "weight": weight * scale}
            for name, weight in (("a", 0.1), ("b", 0.2), ("c", 0.3))
        }
        policy = policy_in(
            tmp_path, columns, k=3, limit=0.3, method={"minimize": "weighted-height"}
        )
        chosen.append(anonsql.run(policy).levels)
    assert chosen[0] == chosen[1]


def test_zeros_and_collations_do_not_multiply_rows(tmp_path):
    types = {"x": "DOUBLE", "y": "VARCHAR COLLATE NOCASE", "z": "INTEGER"}
    rows = [(0.0, "m", 1), (-0.0, "M", 1), (0.0, "m", 2), (-0.0, "M", 2)] * 3
    columns = {
        "x": {"type": "interval", "widths": [1]},
        "y": {"type": "suppression"},
        "z": {"type": "suppression"},
    }
    report = anonsql.run(policy_over(tmp_path, types, rows, columns, k=3))
    assert (report.released, report.classes, report.levels) == (12, 4, {"x": 0, "y": 0, "z": 0})
    assert rows_of(
        tmp_path / "release.duckdb", "SELECT y, count(*) FROM r GROUP BY y ORDER BY y"
    ) == [("M", 6), ("m", 6)]


def test_a_source_that_answers_differently_each_time_is_not_published(tmp_path):
    connection = duckdb.connect(str(tmp_path / "source.duckdb"))
    connection.execute("CREATE VIEW t AS SELECT random() AS x, 1 AS y FROM range(20)")
    connection.close()
    policy = policy_in(tmp_path, {"x": {"type": "suppression"}, "y": {"type": "suppression"}}, k=2)
    message = (
        "differ from the generalized source|cannot result from the policy's hierarchy and method"
    )
    with pytest.raises(anonsql.errors.VerificationError, match=message):
        anonsql.run(policy)
    assert not (tmp_path / "release.duckdb").exists()


@pytest.mark.parametrize("method", ["full-domain", "full-subgraph"])
@pytest.mark.parametrize("treatment", ["keep", "mask"])
def test_columns_of_masked_rows_are_kept_or_masked(tmp_path, method, treatment):
    rows = (
        [(30, "f", "flu", i) for i in range(20)]
        + [(40, "m", "flu", i) for i in range(20)]
        + [(i, "x", "cold", i) for i in range(6)]
    )
    make_source(
        tmp_path,
        {"age": "INTEGER", "sex": "VARCHAR", "disease": "VARCHAR", "cost": "INTEGER"},
        rows,
    )
    as_it_is = {"role": "quasi-identifying", "hierarchy": {"type": "suppression"}, "max_level": 0}
    columns = {
        "age": as_it_is,
        "sex": as_it_is,
        "disease": {"role": "sensitive", "suppressed": treatment},
        "cost": "insensitive",
    }
    data = policy_data(columns, k=6, limit=0.2, method={"type": method})
    data["release"]["suppressed"] = "mask"
    report = anonsql.run(Policy.parse(data, tmp_path))
    masked = released_rows(
        tmp_path, "SELECT disease, cost FROM r WHERE age = '*' AND sex = '*' ORDER BY cost"
    )
    assert masked == [("cold" if treatment == "keep" else None, cost) for cost in range(6)]
    assert anonsql.verify(Policy.parse(data, tmp_path)).masked == report.masked == 6


def test_what_suppression_does_to_a_column_is_checked(tmp_path):
    data = policy_data(
        {"age": {"type": "suppression"}, "disease": {"role": "sensitive", "suppressed": "mask"}}
    )
    assert Policy.parse(data, tmp_path).columns["disease"].suppressed == "mask"
    data["privacy"]["l_diversity"] = {"disease": 2}
    with pytest.raises(PolicyError, match=r"columns.disease.suppressed"):
        Policy.parse(data, tmp_path)
    data["columns"]["age"]["suppressed"] = "keep"
    with pytest.raises(PolicyError, match=r"columns.age.suppressed"):
        Policy.parse(data, tmp_path)


def test_no_writer_without_its_run(tmp_path):
    """A writer whose run died before it could tell the kernel to be killed with it writes
    nothing."""
    for run, code in ((os.getpid(), 0), (os.getpid() + 1, 1)):
        file = tmp_path / f"{code}.duckdb"
        order = json.dumps(
            {"run": run, "settings": {}, "statements": [f"ATTACH '{file}' AS release"]}
        )
        done = subprocess.run(
            [sys.executable, "-P", clean_writer.__file__], input=order, text=True, check=False
        )
        assert (done.returncode, file.exists()) == (code, code == 0)
