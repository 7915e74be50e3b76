"""Columns that are kept and point to rows elsewhere: keys that the database declares, and earlier
releases."""

import pytest

import anonsql
from anonsql.policy.policy import Policy

from .engines import Postgres, policy_on
from .support import opened, policy_data

MAKE = """
CREATE TABLE {0}people (id INTEGER PRIMARY KEY, born INTEGER);
INSERT INTO {0}people VALUES {1};
CREATE TABLE {0}t (visit INTEGER, part INTEGER, person INTEGER REFERENCES {0}people (id), age INTEGER, code INTEGER UNIQUE,
    PRIMARY KEY (visit, part));
INSERT INTO {0}t VALUES {2};
CREATE TABLE {0}bills (visit INTEGER, part INTEGER, code INTEGER REFERENCES {0}t (code));
"""
PEOPLE = ", ".join(f"({n}, {n})" for n in range(10))
VISITS = ", ".join(f"({n // 2}, {n % 2}, {n % 10}, {n % 3}, {n})" for n in range(40))
ROLES = dict.fromkeys(("visit", "part", "person", "code"), "insensitive")


def data_of(**roles):
    return policy_data({"age": {"type": "suppression"}, **ROLES, **roles}, k=4)


@pytest.fixture(params=["duckdb", "postgres"])
def made(request, tmp_path):
    """A policy's maker over tables with keys."""
    if request.param == "duckdb":
        with opened(tmp_path / "source.duckdb") as connection:
            connection.execute(MAKE.format("", PEOPLE, VISITS))
        yield lambda data: Policy.parse(data, tmp_path)
        return
    engine = Postgres(tmp_path)
    engine.connection.execute(MAKE.format(f"{engine.source}.", PEOPLE, VISITS))
    yield lambda data: policy_on(engine, data)
    engine.close()


def test_keys_of_the_database_are_warned_of(made):
    policy = made(data_of())
    warnings = anonsql.check(policy).warnings
    warned = {warning.where: warning.message for warning in warnings}
    assert (
        "refers to the table" in warned["columns.person"] and "people" in warned["columns.person"]
    )
    assert "is unique" in warned["columns.code"] and "bills" in warned["columns.code"]
    together = [item.message for item in warnings if item.where == "columns"]
    assert any(element.startswith("visit, part are released unchanged") for element in together)
    assert "columns.visit" not in warned  # by itself it is half a key
    assert anonsql.run(policy).warnings == warnings
    removed = dict.fromkeys(("code", "person", "visit"), "identifying")
    warned = [entry.where for entry in anonsql.check(made(data_of(**removed))).warnings]
    assert not {"columns", "columns.code"} & set(warned)


def test_a_list_of_kinds_is_no_table_of_people(tmp_path):
    with opened(tmp_path / "source.duckdb") as connection:
        connection.execute("CREATE TABLE kinds (kind INTEGER PRIMARY KEY)")
        connection.execute("INSERT INTO kinds VALUES (0), (1), (2)")
        connection.execute("CREATE TABLE t (age INTEGER, kind INTEGER REFERENCES kinds (kind))")
        connection.execute("INSERT INTO t SELECT n % 2, n % 3 FROM range(60) AS r (n)")
    data = policy_data({"age": {"type": "suppression"}, "kind": "sensitive"}, k=4)
    assert anonsql.check(Policy.parse(data, tmp_path)).warnings == []


def test_earlier_releases_that_keep_the_key_are_named(tmp_path):
    with opened(tmp_path / "source.duckdb") as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT n % 2 AS age, n AS own FROM range(60) AS r (n)"
        )
    data = policy_data({"age": {"type": "suppression"}, "own": "insensitive"}, k=4)
    data["catalog"] = "runs.duckdb"
    policy = Policy.parse(data, tmp_path)
    [first] = anonsql.run(policy).warnings
    assert "earlier" not in first.message
    data["release"] = {"database": "other.duckdb", "table": "another"}
    other = Policy.parse(data, tmp_path)
    before = (tmp_path / "runs.duckdb").read_bytes()
    [second] = anonsql.check(other).warnings
    assert "earlier releases also keep it unchanged and can be joined by it (r)" in second.message
    assert (tmp_path / "runs.duckdb").read_bytes() == before  # check changes nothing
    assert anonsql.run(other).warnings == [second]
