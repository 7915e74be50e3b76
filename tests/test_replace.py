"""Identifying columns that are replaced: by surrogates, NULL or a constant."""

from __future__ import annotations

import collections
import itertools
import json

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import anonsql
from anonsql.engines.base import Column
from anonsql.errors import PolicyError, VerificationError
from anonsql.measures.workload import WorkloadSettings
from anonsql.policy.policy import Policy
from anonsql.release.columns import ReleasedColumn
from anonsql.sql import templates

from .engines import DATABASES, ENGINES, policy_on
from .methods import METHODS, RANDOMIZED
from .support import edit, editing, in_file, in_memory, make_table, opened, policy_data, rows_of
from .test_seams import planted

EACH = {**ENGINES, **DATABASES}
ODD = ["o'Hara", 'say "hi"', "Žofie", "žofie", "zofie", "zofie ", "日本", "50%; --", "\\", "NULL"]
TYPES = {"who": "VARCHAR", "card": "INTEGER", "phone": "VARCHAR", "town": "VARCHAR", "s": "VARCHAR"}
COLUMNS = {
    "who": {"role": "identifying", "replace": "surrogate"},
    "card": {"role": "identifying", "replace": "null"},
    "phone": {"role": "identifying", "replace": "constant"},
    "town": {"type": "suppression"},
    "s": "insensitive",
}


def visits():
    """Rows by town: two of each person, and two that name nobody; s tells them apart."""
    named = [(name, 7 * n, f"0{n}", "ab"[n % 2], f"{n}") for n, name in enumerate(ODD)]
    again = [(name, card, phone, town, s + "'") for name, card, phone, town, s in named]
    return [*named, *again, (None, None, None, "a", "x"), (None, 1, "2", "b", "y")]


def policy_of(folder, rows=None, columns=(), k=5, **more):
    """A policy over a table of visits in DuckDB."""
    make_table(folder / "source.duckdb", TYPES, visits() if rows is None else rows)
    return Policy.parse(policy_data({**COLUMNS, **dict(columns)}, k=k, **more), folder)


def require_one_to_one(source, released):
    """Surrogates and values correspond one to one, without gaps; NULL has none."""
    pairs = {(source[s], number) for s, number in released}
    assert {value for value, number in pairs if number is None} <= {None}
    numbers = [number for value, number in pairs if value is not None]
    values = {value for value, _ in pairs if value is not None}
    assert sorted(numbers) == list(range(1, len(values) + 1))


@pytest.fixture(params=EACH)
def engine(request, tmp_path):
    made = EACH[request.param](tmp_path)
    yield made
    if hasattr(made, "close"):
        made.close()


def test_every_engine(engine):
    rows = visits()
    engine.make(TYPES, rows)
    policy = policy_on(engine, policy_data(COLUMNS, k=5))
    report = anonsql.run(policy)
    assert {column.column: column.looks_like for column in report.columns}["card"] == "always NULL"
    released = engine.read()
    assert {(card, phone) for _, card, phone, _, _ in released} == {(None, "*")}
    assert len(released) == len(rows)
    require_one_to_one({s: who for who, _, _, _, s in rows}, [(row[4], row[0]) for row in released])
    anonsql.verify(policy)


@pytest.mark.parametrize("name", {**METHODS, **RANDOMIZED})
def test_every_method(tmp_path, name):
    """Also those that assign rows to groups at random, or move values between rows."""
    method = {**METHODS, **RANDOMIZED}[name]
    rows = [(*row, "uv"[n % 2]) for n, row in enumerate(visits())]
    make_table(tmp_path / "source.duckdb", {**TYPES, "d": "VARCHAR"}, rows)
    data = policy_data({**COLUMNS, "d": "sensitive"}, k=2, limit=0.2, method=method)
    if method["type"] in ("anatomy", "local"):
        data["privacy"] |= {"l_diversity": {"d": 2}, "suppression_limit": 0}
    policy = Policy.parse(data, tmp_path)
    anonsql.run(policy)
    anonsql.verify(policy)
    released = rows_of(tmp_path / "release.duckdb", "SELECT s, who, card, phone FROM r")
    require_one_to_one({row[4]: row[0] for row in rows}, [row[:2] for row in released])
    assert {row[2:] for row in released} == {(None, "*")}


@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(st.sampled_from([*ODD, None]), st.sampled_from("abc")), min_size=6))
def test_any_table(tmp_path_factory, drawn):
    """Rows are left out or masked by chance; surrogates have no gap, masked rows have none."""
    folder = tmp_path_factory.mktemp("any")
    rows = [(who, n, "", town, str(n)) for n, (who, town) in enumerate(drawn)]
    release = {"database": "release.duckdb", "table": "r"}
    release["suppressed"] = "mask" if len(rows) % 2 else "remove"
    policy = policy_of(folder, rows, k=2, limit=0.9, release=release)
    anonsql.run(policy)
    anonsql.verify(policy)
    released = rows_of(folder / "release.duckdb", "SELECT s, who, town FROM r")
    shown = [(s, number) for s, number, town in released if town != "*"]
    require_one_to_one({row[4]: row[0] for row in rows}, shown)
    masked = dict(rows_of(folder / "release.duckdb", "SELECT * FROM r__about"))["masked"]
    if masked != "0":
        assert {number for _, number, town in released if town == "*"} == {None}


def test_numbers_tell_nothing_of_the_values(tmp_path):
    """Neither of their order, nor of that of the rows: other names in another order are released
    the same."""
    rows = [(f"{n:03}", n, f"{n:03}", "a", f"{n:03}") for n in range(150)]
    renamed = [(f"{(7 * n) % 150:03}", *row[1:]) for n, row in enumerate(rows)]
    found = []
    for number, source in enumerate((rows, renamed, renamed[::-1])):
        folder = tmp_path / str(number)
        folder.mkdir()
        anonsql.run(policy_of(folder, source, columns={"phone": COLUMNS["who"]}))
        found.append(rows_of(folder / "release.duckdb", "FROM r"))
    assert found[0] == found[1] == found[2]


LABEL = ReleasedColumn(1, "l", "kept", "VARCHAR", Column("l", "VARCHAR"))


def differ(expected, released):
    """How many rows the proof finds to differ: rows of a label, and one or two values."""
    columns = [LABEL]
    for place in range(2, len(expected[0]) + 1):
        column = Column(f"v{place}", "VARCHAR")
        columns.append(
            ReleasedColumn(place, column.name, "kept", "BIGINT", column, replaced="surrogate")
        )
    names = {item.position: item.name for item in columns}
    sql = templates.render(
        "verification/dealt_rows",
        dealt="source",
        names=names,
        released=columns,
        table=("released",),
    )
    with duckdb.connect() as connection:
        for table, rows in (("source", expected), ("released", released)):
            values = templates.rows(rows)
            titles = templates.idents(list(names.values()))
            connection.execute(f"CREATE TABLE {table} AS FROM (VALUES {values}) AS t ({titles})")
        return connection.execute(sql).fetchone()[0]


LABELS = st.sampled_from("xy")
NUMBERS = st.sampled_from([None, 1, 2, 3])


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_the_proof_is_that_values_and_surrogates_correspond(data):
    """It accepts what some assignment of numbers to values makes, and nothing else."""
    size = data.draw(st.integers(1, 7))
    rows = st.lists(st.tuples(LABELS, st.sampled_from([None, "a", "b", "A"])), min_size=size)
    expected = data.draw(rows)
    if data.draw(st.booleans()):
        numbers = dict(zip("abA", data.draw(st.permutations([1, 2, 3]))))
        released = [(label, numbers.get(value)) for label, value in expected]
    else:
        released = [(label, data.draw(NUMBERS)) for label, _ in expected]
    possible = any(
        collections.Counter((label, dict(zip("abA", numbers)).get(v)) for label, v in expected)
        == collections.Counter(released)
        for numbers in itertools.permutations([1, 2, 3])
    )
    assert (differ(expected, released) == 0) == possible


def test_columns_of_surrogates_are_proved_together():
    """Each of the two by itself corresponds, and their pairs do not."""
    expected = [("x", *pair) for pair in itertools.product("ab", "cd")]
    assert differ(expected, [("x", *pair) for pair in itertools.product((2, 1), (2, 1))]) == 0
    assert differ(expected, [("x", 1, 1), ("x", 1, 1), ("x", 2, 2), ("x", 2, 2)])
    assert differ(expected, [("x", 1, 1), ("x", 1, 2), ("x", 2, 1), ("x", 2, 1)])


MOVED = "CASE s WHEN '0' THEN 1 + who % 10 ELSE who END AS who"
ROWS, GROUPS = "release/rows", "release/groups"
FAULTS = [
    (ROWS, "full-domain", MOVED),
    (ROWS, "full-domain", "CASE who WHEN 2 THEN 1 ELSE who END AS who"),
    (ROWS, "full-domain", "CASE who WHEN 2 THEN 12 ELSE who END AS who"),
    (ROWS, "full-domain", "CASE s WHEN 'x' THEN 1 ELSE who END AS who"),
    (ROWS, "full-domain", "CASE s WHEN '0' THEN NULL ELSE who END AS who"),
    (ROWS, "full-domain", "CASE s WHEN '0' THEN 7 ELSE card END AS card"),
    (ROWS, "full-domain", "CASE s WHEN '0' THEN '00' ELSE phone END AS phone"),
    (GROUPS, "mondrian", MOVED),
    (GROUPS, "ring", MOVED),
    ("release/separated", "anatomy", MOVED),
    ("release/bucketed", "local", MOVED),
]


@pytest.mark.parametrize(("template", "method", "columns"), FAULTS)
def test_a_fault_of_a_writer_is_found(tmp_path, monkeypatch, template, method, columns):
    rows = [(*row, "uv"[n % 2]) for n, row in enumerate(visits())]
    make_table(tmp_path / "source.duckdb", {**TYPES, "d": "VARCHAR"}, rows)
    data = policy_data({**COLUMNS, "d": "sensitive"}, k=2, method={"type": method})
    data["privacy"] |= {"l_diversity": {"d": 2}} if method in ("anatomy", "local") else {}
    planted(monkeypatch, template, columns)
    with pytest.raises(VerificationError):
        anonsql.run(Policy.parse(data, tmp_path))
    assert not (tmp_path / "release.duckdb").exists()


def test_verify_reads_the_release_alone(tmp_path):
    policy = policy_of(tmp_path, k=5)
    report = anonsql.run(policy)
    assert report.released == 22
    (warning,) = [item for item in report.warnings if item.where == "columns.who.replace"]
    assert "10 surrogates link 20 rows" in warning.message
    assert "set `privacy.entity: who`" in warning.remedy
    (tmp_path / "source.duckdb").unlink()
    anonsql.verify(policy)
    bytes_of = (tmp_path / "release.duckdb").read_bytes()
    for change, words in (
        ("who = 11 WHERE who = 3", "the 10 surrogates in 'who' go from 1 to 11"),
        ("who = who - 1", "the 10 surrogates in 'who' go from 0 to 9"),
        ("who = 1 WHERE who = 10", "surrogates.who=10"),
        ("card = 5 WHERE who = 1", "2 rows have a value other than NULL in 'card'"),
        ("phone = NULL WHERE who = 1", "2 rows have a value other than the constant in 'phone'"),
    ):
        edit(tmp_path / "release.duckdb", f"UPDATE r SET {change}")
        with pytest.raises(VerificationError) as error:
            anonsql.verify(policy)
        assert words in str(error.value), change
        (tmp_path / "release.duckdb").write_bytes(bytes_of)


@pytest.mark.parametrize("replace", ["surrogate", "null", "constant"])
def test_people_are_counted(tmp_path, replace):
    """Anew where surrogates tell them apart."""
    columns = {"who": {"role": "identifying", "replace": replace}}
    policy = policy_of(tmp_path, columns=columns, privacy={"k": 5, "entity": "who"})
    report = anonsql.run(policy)
    assert report.min_people == 6  # those that name nobody are one
    assert anonsql.verify(policy).min_people == 6
    with editing(tmp_path / "release.duckdb") as connection:
        for name, number in (("people_in_classes", 11), ("min_people", 5)):
            change = f"UPDATE r__about SET value = '{number}' WHERE property = '{name}'"
            connection.execute(change)
    if replace == "surrogate":
        with pytest.raises(VerificationError, match="min_people=5"):
            anonsql.verify(policy)
    else:
        anonsql.verify(policy)


def test_other_commands_know_of_them(tmp_path):
    policy = policy_of(tmp_path, k=5)
    anonsql.run(policy)
    anonsql.verify(policy, against_source=True)
    anonsql.measure(policy, WorkloadSettings(queries=3))
    anonsql.compare([policy], queries=3)
    counted = anonsql.query(policy, "SELECT COUNT(*) FROM r WHERE town = 'a'")
    assert counted
    for audience in ("owner", "recipient"):
        anonsql.report(policy, tmp_path / "page.html", audience=audience)
        words = {
            "owner": "Equal values have equal numbers",
            "recipient": "rows with the same number",
        }
        assert words[audience] in (tmp_path / "page.html").read_text()
    with pytest.raises(PolicyError, match=r"columns\.who\.replace: compiled SQL has no surrogates"):
        anonsql.compile(policy, "duckdb", tmp_path / "sql")


@pytest.mark.parametrize("file", ["r.csv", "r.parquet", "folder"])
def test_files(tmp_path, file):
    policy = policy_of(tmp_path, k=5, release={"file": file, "table": "r"})
    anonsql.run(policy)
    anonsql.verify(policy)
    path = tmp_path / (f"{file}/r.parquet" if file == "folder" else file)
    released = in_memory(f"SELECT s, who, card, phone FROM '{path}'")
    require_one_to_one({row[4]: row[0] for row in visits()}, [row[:2] for row in released])
    assert {row[2:] for row in released} == {(None, "*")}


def test_compiled_constants(tmp_path):
    policy = policy_of(tmp_path, columns={"who": "identifying"})
    made = anonsql.compile(policy, "duckdb", tmp_path / "sql")
    with opened(tmp_path / "source.duckdb") as connection:
        for file in made.files:
            for sql in (tmp_path / "sql" / file.file).read_text().split(";\n"):
                if sql.strip():
                    connection.execute(sql)
        assert connection.execute("SELECT DISTINCT card, phone FROM r").fetchall() == [(None, "*")]


@pytest.mark.parametrize(
    ("columns", "where", "words"),
    [
        ({"s": {"role": "sensitive", "replace": "null"}}, "columns.s.replace", "identifying"),
        ({"who": {"role": "identifying", "replace": "hash"}}, "columns.who.replace", "surrogate"),
    ],
)
def test_policies_that_are_refused(columns, where, words):
    with pytest.raises(PolicyError) as error:
        Policy.parse(policy_data({**COLUMNS, **columns}))
    (problem,) = error.value.problems
    assert problem.where == where and words in str(problem)


def test_null_is_a_word_in_yaml(tmp_path):
    text = json.dumps(policy_data({**COLUMNS, "card": {"role": "identifying", "replace": None}}))
    (tmp_path / "policy.yaml").write_text(text)
    assert Policy.load(tmp_path / "policy.yaml").replaced["card"] == "null"
    assert Policy.parse(policy_data({**COLUMNS, "card": "identifying"})).removed == ["card"]


def test_values_without_one_text_have_no_surrogates(tmp_path):
    make_table(tmp_path / "source.duckdb", {"x": "DOUBLE", "town": "VARCHAR"}, [(0.0, "a")] * 3)
    columns = {"x": COLUMNS["who"], "town": {"type": "suppression"}}
    with pytest.raises(PolicyError, match=r"columns\.x\.replace: its type is DOUBLE"):
        anonsql.run(Policy.parse(policy_data(columns), tmp_path))


def test_a_flag_has_no_surrogates():
    columns = {
        "f": COLUMNS["who"],
        "d": {"role": "semi-sensitive", "flag": "f"},
        "q": {"role": "qi"},
    }
    data = policy_data(columns, method={"type": "local"}, privacy={"l_diversity": {"d": 2}})
    with pytest.raises(PolicyError, match="a flag is never released, but 'f' has surrogates"):
        Policy.parse(data)


def test_a_release_follows_its_surrogates(tmp_path):
    """A source in which only a replaced value changed is no longer the same; over time all go
    on."""
    rows = visits()
    policy = policy_of(tmp_path, rows, k=5)
    anonsql.run(policy, if_changed=True)
    assert anonsql.run(policy, if_changed=True).status == "unchanged"
    in_file(tmp_path / "source.duckdb", "UPDATE t SET card = 1")
    assert anonsql.run(policy, if_changed=True).status == "unchanged"
    in_file(tmp_path / "source.duckdb", "UPDATE t SET who = 'new' WHERE s = '0'")
    assert anonsql.run(policy, if_changed=True).status == "published"
