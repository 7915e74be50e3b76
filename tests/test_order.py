"""The order of released rows and their numbers: a function of what is released, and refused where
they are anything else."""

import datetime as dt
import hashlib
import itertools
import json
import math
import random
import sqlite3
import subprocess
from contextlib import closing
from decimal import Decimal

import duckdb
import pytest

import anonsql
from anonsql.engines.duckdb.companion import Companion
from anonsql.engines.duckdb.engine import DuckDBEngine
from anonsql.errors import VerificationError
from anonsql.policy.locations import companion_of
from anonsql.policy.policy import Policy

from . import clinic
from .engines import DATABASES, ENGINES, policy_on
from .methods import PLAIN
from .numbering_oracle import key, renumbered_release
from .support import (
    edit,
    make_source,
    make_table,
    opened,
    policy_data,
    policy_over,
    quote,
    rows_of,
    sorted_by,
    written_anew,
)

COLUMNS = {"who": "INTEGER", "age": "INTEGER", "disease": "VARCHAR", "paid": "DOUBLE"}
SURROGATE = {"role": "identifying", "replace": "surrogate"}
BY_PEOPLE = {
    "who": SURROGATE,
    "age": {"type": "interval", "widths": [10, 20, 40]},
    "disease": "sensitive",
    "paid": "insensitive",
}
UNSORTED = "out of order"
MISNUMBERED = "do not follow from their rows"


def patients(rows=80, seed=1):
    rng = random.Random(seed)
    return [
        (rng.randrange(rows), 20 + rng.randrange(60), rng.choice("abcd"), float(n * 7 % rows))
        for n in range(rows)
    ]


def assert_sorted(rows):
    assert rows == sorted(rows, key=key)


# the engines


@pytest.fixture(params=[*ENGINES, *DATABASES])
def place(request, tmp_path):
    made = {**ENGINES, **DATABASES}[request.param](tmp_path)
    yield made
    if hasattr(made, "close"):
        made.close()


def stored(place, select):
    """Store other rows in the place of those that are released."""
    if place.name == "duckdb":
        written_anew(place.folder / "release.duckdb", {"r": select.replace("{r}", "old.r")})
        return
    name = "r" if place.name == "sqlite" else f"{place.release}.r"
    statements = [
        f"CREATE TEMPORARY TABLE held AS {select.replace('{r}', name)}",
        f"DELETE FROM {name}" if place.name == "sqlite" else f"TRUNCATE TABLE {name}",
        f"INSERT INTO {name} SELECT * FROM held",
        "DROP TABLE held",
    ]
    if place.name == "sqlite":
        with closing(sqlite3.connect(place.folder / "release.sqlite")) as connection:
            for item in statements:
                connection.execute(item)
            connection.commit()
            connection.execute("VACUUM")
    else:
        run = place.do if place.name == "mariadb" else place.connection.execute
        if place.name == "mariadb":
            run(f"USE {place.release}")
        for statement in statements:
            run(statement)


def swapped(path, table, first):
    """Store two neighbouring rows of a DuckDB file, the ``first`` counted from 0, the other way."""
    at = f"CASE rowid WHEN {first} THEN {first + 1} WHEN {first + 1} THEN {first} ELSE rowid END"
    written_anew(path, {table: f"SELECT * FROM old.{quote(table)} ORDER BY {at}"})


def refused(policy, words):
    with pytest.raises(VerificationError, match=words):
        anonsql.verify(policy)


def test_rows_are_sorted_on_the_engines(place):
    if place.name == "spark":
        pytest.skip("a table of Spark's has no order")
    place.make(COLUMNS, sorted(patients(), key=lambda row: row[2]))
    policy = policy_on(place, policy_data(BY_PEOPLE, k=2))
    anonsql.run(policy)
    anonsql.verify(policy, against_source=True)
    assert_sorted([tuple(row) for row in place.read()])
    for by in ("disease", "CASE disease WHEN 'b' THEN 0 ELSE 1 END, who", "who DESC"):
        stored(place, f"SELECT * FROM {{r}} ORDER BY {by}")
        refused(policy, f"rows? (is|are) {UNSORTED}")
    stored(place, "SELECT * FROM {r} ORDER BY who, age, age_lo, age_hi, disease, paid")
    anonsql.verify(policy)


def test_numbers_follow_from_rows_on_the_engines(place):
    """Sorted by what they hold, and numbered by something else."""
    place.make(COLUMNS, patients(40))
    policy = policy_on(place, policy_data(BY_PEOPLE, k=2))
    anonsql.run(policy)
    anonsql.verify(policy)
    found = [tuple(row) for row in place.read()]
    numbers = [row[0] for row in found]
    least = {n: min(key(row[1:]) for row in found if row[0] == n) for n in numbers}
    assert [least[n] for n in sorted(least)] == sorted(least.values())
    if place.name == "spark":
        return
    top = max(numbers)
    rest = "age, age_lo, age_hi, disease, paid"
    stored(
        place,
        f"SELECT {top + 1} - who AS who, {rest} FROM {{r}} ORDER BY {top + 1} - who, {rest}",
    )
    refused(policy, f"[0-9]+ numbers in 'who' {MISNUMBERED}")


@pytest.mark.parametrize("file", ["out.parquet", "out.csv", "out"])
def test_rows_of_files_are_sorted(tmp_path, file):
    more = {"release": {"file": file}}
    policy = policy_over(tmp_path, COLUMNS, patients(), BY_PEOPLE, k=2, **more)
    anonsql.run(policy)
    anonsql.verify(policy)
    path = tmp_path / file
    if path.is_dir():
        path = next(found for found in path.iterdir() if "__" not in found.name)
    text = f"FROM '{path}'"
    found = duckdb.sql(text).fetchall()
    assert_sorted(found)
    if path.suffix == ".csv":
        lines = path.read_bytes().splitlines(keepends=True)
        lines[1], lines[2] = lines[2], lines[1]
        path.write_bytes(b"".join(lines))
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        told = Companion.beside(path).model_copy(update={"sha256": digest})
        told.write(companion_of(path))
    else:
        rewritten(path, f"{text} ORDER BY disease")
    refused(policy, UNSORTED)


def rewritten(path, select):
    """Write a released Parquet file anew."""
    with duckdb.connect() as connection:
        entries = connection.execute(
            f"SELECT decode(key), decode(value) FROM parquet_kv_metadata('{path}')"
        ).fetchall()
        text = ", ".join(f"""'{key}': '{value.replace("'", "''")}'""" for key, value in entries)
        footer = f", KV_METADATA {{{text}}}" if entries else ""
        other = path.with_name("other")
        connection.execute(
            f"COPY ({select}) TO '{other}' (FORMAT parquet, COMPRESSION zstd,"
            f" WRITE_BLOOM_FILTER false{footer})"
        )
    other.replace(path)


# what is released


@pytest.mark.parametrize("name", PLAIN)
def test_every_table_of_every_method_is_sorted(tmp_path, name):
    rows = sorted(patients(120), key=lambda row: row[2])
    make_source(tmp_path, COLUMNS, rows)
    data = policy_data(BY_PEOPLE, k=3, method=PLAIN[name])
    if name in ("anatomy", "local"):
        data["privacy"] |= {"l_diversity": {"disease": 2}}
    if name not in ("anatomy", "local", "homogeneous"):
        data["release"]["completed"] = 1
    policy = Policy.parse(data, tmp_path)
    anonsql.run(policy)
    path = tmp_path / "release.duckdb"
    before = path.read_bytes()
    tables = rows_of(path, "SELECT table_name FROM duckdb_tables()")
    looked_at = 0
    for (table,) in tables:
        with opened(path, read_only=True) as connection:
            (database,) = connection.execute("SELECT current_database()").fetchone()
            keys = sorted_by(connection, database, table)
        if not keys:
            continue
        found = rows_of(path, f"SELECT * FROM {quote(table)}")
        assert found == rows_of(path, f"SELECT * FROM {quote(table)} ORDER BY {keys}")
        pairs = [n for n, (one, two) in enumerate(itertools.pairwise(found)) if one != two]
        for first in (pairs[0], pairs[len(pairs) // 2], pairs[-1]):
            swapped(path, table, first)
            refused(policy, f"1 row is {UNSORTED}")
            path.write_bytes(before)
            looked_at += 1
    assert looked_at >= 3
    anonsql.verify(policy)


def test_the_order_of_the_source_leaves_no_trace(tmp_path):
    rows = patients(200)
    orders = [rows, rows[::-1], sorted(rows, key=lambda row: row[2])]
    orders += [random.Random(5).sample(rows, len(rows))]
    columns = {**BY_PEOPLE, "who": {"role": "identifying"}}
    found = set()
    for number, order in enumerate(orders):
        folder = tmp_path / str(number)
        folder.mkdir()
        policy = policy_over(folder, COLUMNS, order, columns, k=5, release={"file": "out.csv"})
        anonsql.run(policy)
        found.add((folder / "out.csv").read_bytes())
    assert len(found) == 1


VALUES = {
    "d": ("DOUBLE", [0.0, -0.0, math.nan, math.inf, -1.5, 1e300]),
    "f": ("FLOAT", [0.0, -0.0, 2.5]),
    "t": ("VARCHAR", ["", " ", "a", "A", "a ", "ä", "z", "'\"", "日本", "\U0001f600", "\ufb01"]),
    "l": ("VARCHAR[]", [[], ["a"], ["a", "b"], ["a, b"], [None]]),
    "n": ("DECIMAL(9,2)", [Decimal("1.00"), Decimal("-2.50"), Decimal("10.00")]),
    "s": ("TIMESTAMP", [dt.datetime(2020, 1, 1), dt.datetime(1969, 12, 31, 23, 59, 59, 5)]),
    "y": ("DATE", [dt.date(2020, 1, 1), dt.date(1, 1, 1)]),
    "b": ("BLOB", [b"", b"\x00", b"\xff", b"a"]),
    "o": ("BOOLEAN", [True, False]),
    "j": ("JSON", ['{"a": 1}', '{"a":1}', "[]"]),
}


@pytest.mark.parametrize("file", ["release.duckdb", "out.parquet"])
@pytest.mark.parametrize("seed", range(4))
def test_values_of_all_kinds_have_one_order(tmp_path, file, seed):
    """Whatever order the source has: the same bytes, but for ties of numbers."""
    rng = random.Random(seed)
    names = rng.sample(list(VALUES), 4)
    rows = [
        (rng.randrange(30), *(rng.choice([None, *VALUES[name][1]]) for name in names))
        for _ in range(60)
    ]
    types = {"q": "INTEGER", **{name: VALUES[name][0] for name in names}}
    columns = {"q": {"type": "interval", "widths": [10, 30]}}
    columns |= dict.fromkeys(names, "insensitive")
    found = set()
    for number, order in enumerate((rows, rows[::-1], rng.sample(rows, len(rows)))):
        folder = tmp_path / str(number)
        folder.mkdir()
        place = {"release": {"file": file}} if file.endswith("parquet") else {}
        policy = policy_over(folder, types, order, columns, k=2, **place)
        anonsql.run(policy)
        anonsql.verify(policy, against_source=True)
        source = f"'{folder / file}'" if place else "r"
        read = duckdb.connect() if place else duckdb.connect(str(folder / file), read_only=True)
        with closing(read):
            found.add(str(read.sql(f"FROM {source}").fetchall()))
    assert len(found) == 1


# numbers


def people(tmp_path, rows, **more):
    types = {"who": "VARCHAR", "age": "INTEGER", "note": "VARCHAR"}
    columns = {"who": SURROGATE, "age": {"type": "interval", "widths": [50]}, "note": "insensitive"}
    policy = policy_over(tmp_path, types, rows, columns, k=2, **more)
    anonsql.run(policy)
    return policy


PEOPLE = [
    ("Zoe", 20, "a"),
    ("Zoe", 30, "b"),
    ("Ann", 20, "a"),
    ("Ann", 30, "c"),
    ("Bob", 25, "a"),
    ("Bob", 25, "c"),
    ("Eve", 60, "a"),
    ("Eve", 70, "a"),
]


def test_people_are_numbered_by_their_first_rows_and_then_by_all(tmp_path):
    policy = people(tmp_path, PEOPLE)
    path = tmp_path / "release.duckdb"
    found = rows_of(path, "SELECT who, age, note FROM r")
    assert [row[0] for row in found] == [1, 1, 2, 2, 3, 3, 4, 4]
    assert found[-2:] == [(4, "[50,100)", "a")] * 2, "their first row comes last"
    apart = {who: sorted(row[2] for row in found if row[0] == who) for who in (1, 2, 3)}
    assert sorted(apart.values()) == [["a", "b"], ["a", "c"], ["a", "c"]]
    with_b = next(who for who in apart if apart[who] == ["a", "b"])
    assert with_b in (1, 3), "two who are equal have numbers side by side"
    other = next(who for who in (1, 3) if who != with_b)
    edit(path, f"UPDATE r SET who = CASE who WHEN {other} THEN 2 WHEN 2 THEN {other} ELSE who END")
    anonsql.verify(policy)
    edit(
        path,
        f"UPDATE r SET who = CASE who WHEN {with_b} THEN 2 WHEN 2 THEN {with_b} ELSE who END",
    )
    refused(policy, f"'who' {MISNUMBERED}")


def test_equals_are_numbered_at_random(tmp_path):
    """Ann and Bob are released alike. Chance alone says who comes first, not the source."""
    first = set()
    for number in range(40):
        folder = tmp_path / str(number)
        folder.mkdir()
        rows = [("Ann", 20, "a"), ("Bob", 20, "a"), ("Ann", 30, "b"), ("Bob", 30, "b")]
        types = {"who": "VARCHAR", "card": "VARCHAR", "age": "INTEGER", "note": "VARCHAR"}
        columns = {"who": SURROGATE, "card": SURROGATE, "note": "insensitive"}
        columns["age"] = {"type": "interval", "widths": [50]}
        own = [(who, {"Ann": "x", "Bob": "y"}[who], age, note) for who, age, note in rows]
        own += [("Cid", "x", 60, "z"), ("Cid", "x", 61, "z")]
        policy = policy_over(folder, types, own, columns, k=2)
        anonsql.run(policy)
        found = rows_of(folder / "release.duckdb", "SELECT who, card FROM r WHERE note <> 'z'")
        third = rows_of(folder / "release.duckdb", "SELECT card FROM r WHERE note = 'z'")
        assert {who for who, _ in found} == {1, 2}
        first.add(next(who for who, card in found if card == third[0][0]))
        if len(first) == 2:
            return
    raise AssertionError("the same of the two comes first, always")


@pytest.mark.parametrize("method", ["anatomy", "local"])
def test_numbers_of_groups_rows_and_buckets_follow_from_them(tmp_path, method):
    make_source(tmp_path, COLUMNS, patients(60))
    data = policy_data(BY_PEOPLE, k=3, method={"type": method})
    data["privacy"] |= {"l_diversity": {"disease": 2}}
    policy = Policy.parse(data, tmp_path)
    anonsql.run(policy)
    anonsql.verify(policy, against_source=True)
    path = tmp_path / "release.duckdb"
    before = path.read_bytes()
    named = "SELECT table_name, column_name FROM duckdb_columns() WHERE column_index = 1"
    joined = dict(rows_of(path, f"{named} AND table_name LIKE 'r__sensitive%'"))
    numbers = ["who", *set(joined.values()), *(["group_id", "record_id"] * (method == "local"))]
    for name in numbers:
        top = rows_of(path, f"SELECT MAX({name}) FROM r")[0][0]
        turned = f"{name} = {top + 1} - {name}"
        tables = ["r", *(table for table, by in joined.items() if by == name)]
        edit(path, *(f"UPDATE {table} SET {turned}" for table in tables))
        refused(policy, f"{name}' {MISNUMBERED}")
        renumbered_release(path, ["who"])
        anonsql.verify(policy, against_source=True)
        path.write_bytes(before)
    anonsql.verify(policy)


def test_several_tables(tmp_path):
    _, policy = clinic.in_a_file(tmp_path, suppression_limit={"patients": 0.5}, k=2)
    anonsql.run(policy)
    anonsql.verify(policy, against_source=True)
    path = tmp_path / "released.duckdb"
    before = path.read_bytes()
    turned = policy | {"tables": dict(reversed(policy["tables"].items()))}
    anonsql.verify(turned, against_source=True)  # the policy's order of tables is no matter
    for table in ("patients", "visits", "prescriptions", "doctors"):
        found = rows_of(path, f"SELECT * FROM {table}")
        assert_sorted(found)
        swapped(path, table, len(found) // 2)
        refused(policy, f"{table}: 1 row is {UNSORTED}")
        path.write_bytes(before)
    for table, column, others in (
        ("patients", "patient_id", ["visits"]),
        ("visits", "visit_id", ["prescriptions"]),
    ):
        top = rows_of(path, f"SELECT MAX({column}) FROM {table}")[0][0]
        turned = f"SET {column} = {top + 1} - {column}"
        edit(path, *(f"UPDATE {name} {turned}" for name in (table, *others)))
        refused(policy, f"{table}: [0-9,]+ numbers in '{column}' {MISNUMBERED}")
        path.write_bytes(before)
    anonsql.verify(policy)


def test_a_sort_that_does_not_fit_in_memory_spills(tmp_path):
    make_table(tmp_path / "source.duckdb", {"a": "INTEGER", "note": "VARCHAR"}, [])
    with opened(tmp_path / "source.duckdb") as connection:
        connection.execute("INSERT INTO t SELECT n % 7, md5(n::VARCHAR) FROM range(300000) AS x(n)")
    columns = {"a": {"type": "suppression"}, "note": "insensitive"}
    data = policy_data(columns, k=2, engine={"memory_limit": "120MB", "threads": 2})
    anonsql.run(Policy.parse(data, tmp_path))
    notes = [note for (note,) in rows_of(tmp_path / "release.duckdb", "SELECT note FROM r")]
    assert len(notes) == 300_000


def test_the_run_and_its_writer_share_the_memory(tmp_path, monkeypatch):
    limits = []
    run, write = DuckDBEngine.run, subprocess.run

    def limited(engine, template, /, **parameters):
        if template == "engines/duckdb/memory":
            limits.append(parameters["limit"])
        run(engine, template, **parameters)

    def writing(*command, **named):
        limits.append(json.loads(named["input"])["settings"]["memory_limit"])
        return write(*command, **named)

    monkeypatch.setattr(DuckDBEngine, "run", limited)
    monkeypatch.setattr(subprocess, "run", writing)
    make_table(tmp_path / "source.duckdb", {"a": "INTEGER"}, [(n % 3,) for n in range(30)])
    data = policy_data({"a": {"type": "suppression"}}, k=2, engine={"memory_limit": "300 MB"})
    anonsql.run(Policy.parse(data, tmp_path))
    assert limits == ["150.0 MB", "150.0 MB", "300 MB"]
