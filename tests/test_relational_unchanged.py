"""``run --if-changed`` of several tables."""

import json

import pytest

import anonsql
from anonsql.errors import PolicyError

from . import clinic
from .support import cli, flat, rows_of, tree_file, write_data
from .test_relational import do, make, place, settings

CHANGES = {
    "a value of people": "UPDATE patients SET sex = 'X' WHERE patient_id = 'P0003'",
    "a row of people": "INSERT INTO patients VALUES ('P9999', 'new', 1950, 'F')",
    "a key": "UPDATE prescriptions SET prescription_id = 9999 WHERE prescription_id = 3",
    "a reference": "UPDATE visits SET patient_id = 'P0005' WHERE visit_id = 3",
    "a reference to a public table": "UPDATE visits SET doctor_id = (doctor_id + 1) % 5 WHERE visit_id < 9",
    "a sensitive value": "UPDATE visits SET diagnosis = 'new' WHERE visit_id = 3",
    "the last table": "DELETE FROM prescriptions WHERE prescription_id = 3",
    "a public table": "UPDATE doctors SET ward = 'new' WHERE doctor_id = 3",
    "a row of a public table": "INSERT INTO doctors VALUES (77, 'Dr. 77', 'heart')",
    "a column of a public table": "ALTER TABLE doctors ADD COLUMN floor INTEGER",
    "the type of what is removed": "ALTER TABLE patients ALTER name TYPE BLOB USING name::BLOB",
}
"""Statements that change what a release is made from, in one table each."""
SAME = {
    "what is removed": "UPDATE patients SET name = 'another'",
    "another table": "CREATE TABLE elsewhere AS SELECT 1 AS x",
    "the order of rows": "CREATE TABLE t AS FROM visits ORDER BY diagnosis; DROP TABLE visits;"
    " ALTER TABLE t RENAME TO visits",
}


def again(policy):
    return anonsql.run(policy, if_changed=True).status


@pytest.fixture
def files(tmp_path):
    """A clinic in a DuckDB file, released with --if-changed, and its policy."""
    path, policy = clinic.in_a_file(tmp_path)
    policy |= clinic.AT_LEVELS
    assert again(policy) == "published"
    return path, policy


def test_what_nobody_touched_is_known_before_a_job_begins(files, monkeypatch):
    _, policy = files

    def refused(*_words, **_more):
        raise AssertionError("a job began")

    monkeypatch.setattr("anonsql.jobs.sessions.open_engine", refused)
    report = anonsql.run(policy, if_changed=True)
    assert report.status == "unchanged" and report.tables


def test_every_table_counts(engine):
    rows = clinic.rows()
    make(engine, rows)
    policy = clinic.policy(*place(engine)) | settings(engine) | clinic.AT_LEVELS
    assert [again(policy), again(policy)] == ["published", "unchanged"]
    doctors = [(*row[:2], "another ward") for row in rows["doctors"]]
    engine.make(clinic.COLUMNS["doctors"], doctors, table="doctors")
    assert again(policy) == "published", "a public table"
    assert sorted(engine.read("doctors")) == doctors
    given = [*rows["prescriptions"][:-1], (*rows["prescriptions"][-1][:2], "another drug")]
    engine.make(clinic.COLUMNS["prescriptions"], given, table="prescriptions")
    del policy["tables"]["doctors"], policy["tables"]["visits"]["references"]["doctor_id"]
    policy["tables"]["visits"]["columns"]["doctor_id"] = {"role": "identifying"}
    assert again(policy) == "published", "the table that is farthest from people"
    assert len(engine.parts()) == 9, "a table that is released no more is gone"
    given[-1] = rows["prescriptions"][-1]
    engine.make(clinic.COLUMNS["prescriptions"], given, table="prescriptions")
    assert again(policy) == "published"
    patients = [(row[0], "another name", *row[2:]) for row in rows["patients"]]
    engine.make(clinic.COLUMNS["patients"], patients, table="patients")
    assert again(policy) == "unchanged", "names are removed"


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_is_noticed(files, what):
    path, policy = files
    assert again(policy) == "unchanged"
    do(path, CHANGES[what])
    assert [again(policy), again(policy)] == ["published", "unchanged"]


@pytest.mark.parametrize("what", SAME)
def test_what_the_release_is_not_made_from(files, what):
    path, policy = files
    report = anonsql.run(policy, if_changed=True)
    assert report.status == "unchanged" and report.people == 60 and report.verified
    do(path, SAME[what])
    assert again(policy) == "unchanged"


@pytest.mark.parametrize(
    "change",
    [
        lambda policy: policy["privacy"].update(k=4),
        lambda policy: policy["privacy"].update(known_rows=0),
        lambda policy: policy["tables"]["visits"].update(max_rows=2),
        lambda policy: policy["tables"]["patients"]["columns"]["sex"].update(weight=2.0),
        lambda policy: policy["tables"]["patients"]["columns"]["name"].update(replace="surrogate"),
        lambda policy: policy["tables"].update(elsewhere={"left_out": True}),
        lambda policy: policy["tables"]["doctors"].update(
            columns={"doctor": {"role": "identifying"}}
        ),
    ],
)
def test_another_policy_is_a_change(files, change):
    _, policy = files
    change(policy)
    assert [again(policy), again(policy)] == ["published", "unchanged"]


def test_limits_of_the_engine_are_none(files):
    _, policy = files
    policy["engine"] = {"threads": 1}
    assert again(policy) == "unchanged"


def test_a_file_of_a_hierarchy(files, tmp_path):
    _, policy = files
    drugs = lambda group: [[item, group, "*"] for item in clinic.DRUGS]  # noqa: E731
    hierarchy = tree_file(tmp_path / "trees" / "drugs.csv", drugs("any"))
    policy["tables"]["prescriptions"]["columns"]["drug"]["hierarchy"] = hierarchy
    assert [again(policy), again(policy)] == ["published", "unchanged"]
    tree_file(tmp_path / "trees" / "drugs.csv", drugs("some"))
    assert [again(policy), again(policy)] == ["published", "unchanged"]
    (tmp_path / "trees" / "drugs.csv").unlink()
    with pytest.raises(PolicyError, match=r"tables\.prescriptions\.columns\.drug\.hierarchy"):
        again(policy)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE visits SET diagnosis = 'another' WHERE visit_id = 1; UPDATE visits__about"
        " SET value = 'other' WHERE property = 'release'",
        "DROP TABLE doctors",
        "DELETE FROM prescriptions WHERE prescription_id = 1",
        "UPDATE patients SET sex = 'X' WHERE patient_id = 1",
    ],
)
def test_a_release_that_was_altered_is_made_anew(files, sql):
    path, policy = files
    do(path.with_name("released.duckdb"), sql)
    if sql.startswith("DROP"):
        path.with_name("released.duckdb").unlink()
    assert [again(policy), again(policy)] == ["published", "unchanged"]


def test_a_plain_run_is_remembered_too(files):
    _, policy = files
    anonsql.run(policy)
    assert [again(policy), again(policy)] == ["unchanged", "unchanged"]


def test_another_release_at_the_same_place(files):
    """A copy of an earlier release was put back: its tables say that another run made them."""
    path, policy = files
    released = path.with_name("released.duckdb")
    old = released.read_bytes()
    do(path, CHANGES["a sensitive value"])
    assert again(policy) == "published"
    released.write_bytes(old)
    assert again(policy) == "published"


def test_the_terminal_and_the_document(files, tmp_path):
    _, policy = files
    write_data(tmp_path, policy)
    result = cli("run", tmp_path / "policy.yaml", "--if-changed")
    assert result.exit_code == 0 and "Unchanged since it was published" in flat(result.output)
    result = cli("run", tmp_path / "policy.yaml", "--if-changed", "--json")
    document = json.loads(result.stdout)
    assert document["status"] == "unchanged" and document["people"] == 60
    assert [run.status for run in anonsql.runs(policy).runs][:2] == ["unchanged", "unchanged"]


def test_a_catalog_that_knows_releases_of_one_table_and_of_several(files, tmp_path):
    """Each command reads what the other recorded."""
    path, policy = files
    policy["catalog"] = str(tmp_path / "catalog.duckdb")
    assert again(policy) == "published"
    single = {
        "source": {"database": str(path), "table": "patients"},
        "release": {
            "database": str(tmp_path / "single.duckdb"),
            "table": "patients",
            "completed": 0,
        },
        "catalog": policy["catalog"],
        "columns": {
            "patient_id": {"role": "identifying"},
            **policy["tables"]["patients"]["columns"],
        },
        "privacy": {"k": 2},
    }
    assert [again(single), again(single)] == ["published", "unchanged"]
    assert again(policy) == "unchanged"
    assert rows_of(tmp_path / "single.duckdb", "SELECT COUNT(*) FROM patients") == [(60,)]
