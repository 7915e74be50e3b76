"""Verification SQL: what it returns is what naive Python finds, in DuckDB, SQLite and PostgreSQL;
of releases that a run made it returns nothing, and something once they are tampered with."""

import json
import sqlite3
from collections import defaultdict
from contextlib import closing
from decimal import Decimal

import duckdb
import psycopg
import pytest
import sqlglot
from hypothesis import given, settings
from hypothesis import strategies as st

import anonsql
from anonsql.engines.base import Column
from anonsql.errors import PolicyError
from anonsql.features.verify.document import Check, VerificationSql
from anonsql.policy.policy import Policy
from anonsql.privacy.registry import MODELS
from anonsql.verification.plain_sql import Shape, written

from . import model_oracle as oracle
from .methods import CHANGING
from .models import cases
from .postgres_server import server_url
from .support import cli, in_file, in_memory, make_source, policy_data, policy_over, quote

NAMES = ["a", "n", 'share "x"', "value"]
"""Two labels, a sensitive number and a sensitive text; one has the name of what statements
count."""


def shape(facts, rows=0, **more):
    types = ["VARCHAR", "INTEGER", "VARCHAR", "VARCHAR"]
    columns = [Column(name, kind) for name, kind in zip(NAMES, types, strict=True)]
    roles = dict(zip(NAMES, ["quasi-identifying", "sensitive"] * 2, strict=True))
    about = {"method": "full-domain", "k": "2", "rows": str(rows), "suppressed": "0"} | facts
    return Shape(("r",), columns, (), about, roles, dict.fromkeys(NAMES, "as it is"), **more)


def postgres():
    url = server_url()
    if url is None:
        pytest.skip(
            "there is no PostgreSQL server: ANONSQL_POSTGRES names none, pip installed none"
        )
    return psycopg.connect(url, autocommit=True)


CONNECT = {
    "duckdb": duckdb.connect,
    "sqlite": lambda: sqlite3.connect(":memory:"),
    "postgres": postgres,
}


def found(checks, promise, rows, engine="duckdb"):
    """The first two columns of what the statements of a promise return."""
    statements = [check.sql for check in checks if check.promise == promise and check.sql]
    assert statements
    kinds = ["VARCHAR", "INTEGER", "VARCHAR", "VARCHAR"]
    columns = ", ".join(f"{quote(n)} {kind}" for n, kind in zip(NAMES, kinds, strict=True))
    connection = CONNECT[engine]()
    connection.execute(f"CREATE TEMP TABLE r ({columns})")
    if rows:
        mark = "%s" if engine == "postgres" else "?"
        writing = connection.cursor() if engine == "postgres" else connection
        writing.executemany(f"INSERT INTO r VALUES ({', '.join([mark] * 4)})", rows)
    read = {(row[0], row[1]) for sql in statements for row in connection.execute(sql).fetchall()}
    connection.close()
    return read


VALUES = st.tuples(
    st.sampled_from(["x", "y", None]),
    st.sampled_from([1, 2, 3, 10, None]),
    st.sampled_from(["p", "q"]),
    st.sampled_from(["u", "v", "o'w", None]),
)
TABLES = st.lists(VALUES, min_size=1, max_size=14)
A, NUMBER, B, TEXT = range(4)


def in_order(everything):
    return sorted(set(everything), key=lambda v: (v is not None, v))


FACTS = {
    "l_diversity.value=distinct 2": lambda v, _: oracle.distinct(v, 2),
    "l_diversity.value=entropy 1.7": lambda v, _: oracle.entropy(v, 1.7),
    "l_diversity.value=recursive 2 c=1.5": lambda v, _: oracle.recursive(v, 2, 1.5),
    "t_closeness.value=equal 0.3": lambda v, w: oracle.equal_distance(v, w) <= 0.3 + 1e-9,
    "t_closeness.n=ordered 0.2": lambda v, w: (
        oracle.ordered_distance(v, w, in_order(w)) <= 0.2 + 1e-9
    ),
    "alpha_k.value=0.6": lambda v, _: oracle.alpha(v, 0.6),
    "alpha_k.value=0.5 of some values": lambda v, _: oracle.alpha(v, 0.5, ["u", "o'w"]),
    **cases("FACTS"),
}


@pytest.mark.parametrize("engine", CONNECT)
@pytest.mark.parametrize("fact", FACTS)
@given(rows=TABLES)
@settings(max_examples=8, deadline=None)
def test_statements_of_models_return_the_classes_that_break_them(engine, fact, rows):
    promise, _, stated = fact.partition("=")
    column = TEXT if promise.endswith(".value") else NUMBER
    classes = defaultdict(list)
    for row in rows:
        classes[row[A], row[B]].append(row[column])
    whole = [row[column] for row in rows]
    broken = {key for key, values in classes.items() if not FACTS[fact](values, whole)}
    named = {"alpha_k.value": ["u", "o'w"]} if "some values" in fact else {}
    checks = written(shape({promise: stated}, len(rows), named=named), engine)
    assert found(checks, promise, rows, engine) == broken


@pytest.mark.parametrize("engine", CONNECT)
@given(rows=TABLES, k=st.integers(2, 4))
@settings(max_examples=8, deadline=None)
def test_the_statement_of_k_returns_classes_that_are_smaller(engine, rows, k):
    sizes = defaultdict(int)
    for row in rows:
        sizes[row[A], row[B]] += 1
    small = {key for key, size in sizes.items() if size < k}
    assert found(written(shape({"k": str(k)}), engine), "k", rows, engine) == small


@pytest.mark.parametrize("engine", CONNECT)
@pytest.mark.parametrize("field", ["min_range=0.5", "min_span=2"])
@given(rows=TABLES)
@settings(max_examples=8, deadline=None)
def test_the_statement_of_spans_returns_classes_of_near_values(engine, field, rows):
    name, _, bound = field.partition("=")
    classes = defaultdict(list)
    for row in rows:
        classes[row[A], row[B]].append(row[NUMBER])
    width = max(oracle.span([row[NUMBER] for row in rows]), 0) if name == "min_range" else 1
    least = float(bound) * width
    near = {key for key, values in classes.items() if oracle.span(values) < least - 1e-9}
    near |= {key for key, values in classes.items() if oracle.span(values) == -1}
    checks = written(shape({"l_diversity.n": f"distinct 2 {field}"}), engine)
    assert found(checks, f"l_diversity.n.{name}", rows, engine) == near


@given(rows=TABLES, left_out=st.integers(1, 4))
@settings(max_examples=30, deadline=None)
def test_nothing_is_returned_that_the_source_may_keep(rows, left_out):
    """With rows left out, the whole table is known within bounds: a class that keeps the promise in
    the whole table is never returned."""
    released, everything = rows[left_out:], rows
    if not released:
        return
    classes = defaultdict(list)
    for row in released:
        classes[row[A], row[B]].append(row[TEXT])
    whole = [row[TEXT] for row in everything]
    facts = {"suppressed": str(len(everything) - len(released))}
    for fact in ("t_closeness.value=equal 0.3", *cases("FACTS")):
        promise, _, stated = fact.partition("=")
        kept = {key for key, values in classes.items() if FACTS[fact](values, whole)}
        checks = written(shape({**facts, promise: stated}, len(released)), "duckdb")
        assert not found(checks, promise, released) & kept


def test_masked_rows_are_no_class():
    checks = written(shape({"masked": "1"}), "duckdb")
    assert found(checks, "k", [("*", 1, "*", "u")]) == set()
    assert found(checks, "k", [("*", 1, "p", "u")]) == {("*", "p")}


@pytest.mark.parametrize(
    ("facts", "promise", "why"),
    [
        ({"method": "ring"}, "k", "windows"),
        ({"entity": "k counts people"}, "entity", "people"),
        ({"k_map": "5"}, "k_map", "population"),
        ({"t_closeness.value": "hierarchical 0.2"}, "t_closeness.value", "hierarchy"),
        ({"t_closeness.value": "ordered 0.2"}, "t_closeness.value", "order"),
        ({"alpha_k.value": "0.5 of some values"}, "alpha_k.value", "some values"),
        ({"l_diversity.gone": "distinct 2"}, "l_diversity.gone", "not in the release"),
        ({"quasi_identifiers": "a, b; c, d"}, "k", "several combinations"),
    ],
)
def test_what_cannot_be_seen_is_said(facts, promise, why):
    lines = [item for item in written(shape(facts), "duckdb") if item.promise == promise]
    assert lines and all(line.sql is None and why in line.says for line in lines)


def test_combinations_are_asked_one_by_one():
    checks = written(
        shape({"quasi_identifiers": ""}, combinations=[["a"], ['share "x"']]), "duckdb"
    )
    rows = [("x", 1, "p", "u"), ("x", 1, "q", "u"), ("y", 1, "q", "u")]
    assert {key[0] for key in found(checks, "k", rows)} == {"y", "p"}


@pytest.mark.parametrize("model", MODELS, ids=lambda letter: letter.name)
def test_settings_survive_their_fact(model):
    stated = {
        "l_diversity": [
            {"l": 3},
            {"l": 2, "type": "recursive", "c": "1.5"},
            {"l": "2.5", "type": "entropy", "min_span": 4},
        ],
        "t_closeness": [{"t": "0.2"}, {"t": "0.1", "distance": "ordered"}],
    }.get(model.name)
    if not issubclass(model, anonsql.privacy.base.ColumnModel):
        return
    for given_ in stated or [{model.main: Decimal("0.25")}]:
        made = model.model_validate(given_)
        assert model.of_fact(made.fact) == made


COLUMNS = {
    "age": {"role": "quasi-identifying", "hierarchy": {"type": "interval", "widths": [10]}},
    "sex": {"role": "quasi-identifying", "hierarchy": {"type": "suppression"}},
    "pay": "sensitive",
    "disease": "sensitive",
}
ROWS = [(20 + i % 30, "fm"[i % 2], 100 * (i % 7), "abcde"[i * 3 % 5]) for i in range(120)]
JOBS = {
    "full-domain": {"k": 3},
    "full-domain, masked": {"k": 5, "limit": 0.5, "release": {"suppressed": "mask"}},
    "l": {"k": 2, "privacy": {"l_diversity": {"disease": 2, "pay": {"l": 2, "min_span": 200}}}},
    "t": {"k": 2, "privacy": {"t_closeness": {"disease": 0.3}}},
    "ordered t": {"k": 2, "privacy": {"t_closeness": {"pay": {"t": 0.28, "distance": "ordered"}}}},
    "alpha": {"k": 2, "privacy": {"alpha_k": {"disease": {"alpha": 0.6, "values": ["a", "b"]}}}},
    "mondrian": {"k": 4, "method": {"type": "mondrian"}},
    "ring": {"k": 3, "method": {"type": "ring"}},
    "anatomy": {
        "k": 1,
        "privacy": {"l_diversity": {"disease": 3}},
        "columns": {"pay": {"role": "identifying"}},
        "method": {"type": "anatomy"},
    },
    "local": {
        "k": 3,
        "privacy": {"l_diversity": {"pay": 2}, "t_closeness": {"disease": 0.5}},
        "method": {"type": "local"},
    },
    **{name: {"k": 3, "method": settings} for name, settings in CHANGING.items()},
    "combinations": {"k": 3, "privacy": {"quasi_identifiers": [["age"], ["sex"]]}},
}


def published(folder, job):
    """A policy whose release is published."""
    make_source(
        folder, {"age": "INTEGER", "sex": "VARCHAR", "pay": "INTEGER", "disease": "VARCHAR"}, ROWS
    )
    data = policy_data(COLUMNS | job.get("columns", {}), k=job["k"], limit=job.get("limit", 0.0))
    data["privacy"] |= job.get("privacy", {})
    data["release"] |= job.get("release", {})
    policy = Policy.parse(data | {"method": job.get("method", {"type": "full-domain"})}, folder)
    anonsql.run(policy)
    return policy


def returned(folder, shown):
    """How many rows each statement returns."""
    with closing(duckdb.connect(str(folder / "release.duckdb"), read_only=True)) as connection:
        return {
            check.title: len(connection.execute(check.sql).fetchall())
            for check in shown.checks
            if check.sql
        }


@pytest.mark.parametrize("job", JOBS)
def test_statements_return_nothing_of_a_release(tmp_path, job):
    policy = published(tmp_path, JOBS[job])
    shown = anonsql.verification_sql(policy)
    counts = returned(tmp_path, shown)
    assert counts and not any(counts.values())
    for dialect in ("postgres", "spark", "mysql", "snowflake", "bigquery", "trino", "redshift"):
        for check in anonsql.verification_sql(policy, dialect).checks:
            if check.sql:
                assert sqlglot.parse_one(check.sql, read=dialect)
    in_file(tmp_path / "release.duckdb", "DELETE FROM r WHERE rowid = (SELECT MIN(rowid) FROM r)")
    assert any(returned(tmp_path, shown).values()), "a row is missing"


def test_a_row_of_its_own_is_seen(tmp_path):
    policy = published(tmp_path, JOBS["l"])
    shown = anonsql.verification_sql(policy)
    connection = duckdb.connect(str(tmp_path / "release.duckdb"))
    names = [row[0] for row in connection.execute("DESCRIBE r").fetchall()]
    odd = ", ".join("'odd'" if name in ("age", "sex") else "NULL" for name in names)
    connection.execute(f"INSERT INTO r SELECT {odd}")
    connection.close()
    counts = returned(tmp_path, shown)
    assert all(counts.values()), "k, both models and the counts are broken"


def test_the_command_prints_a_script_that_runs(tmp_path):
    policy = published(tmp_path, JOBS["mondrian"])
    path = tmp_path / "policy.yaml"
    path.write_text(json.dumps(policy.model_dump(mode="json", exclude_unset=True)))
    result = cli("verify", path, "--sql", "--dialect", "sqlite")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("-- Each statement returns")
    statements = [item for item in sqlglot.parse(result.stdout, read="sqlite") if item]
    assert len(statements) == 2
    document = cli("verify", path, "--sql", "--json")
    assert VerificationSql.model_validate_json(document.stdout).dialect == "duckdb"
    for wrong in (["--dialect", "sqlite"], ["--sql", "--against-source"]):
        assert cli("verify", path, *wrong).exit_code == 2


def test_without_a_release_there_is_nothing_to_show(tmp_path):
    policy = policy_over(tmp_path, {"age": "INTEGER"}, [(1,)], {"age": COLUMNS["age"]})
    with pytest.raises(PolicyError):
        anonsql.verification_sql(policy)


def test_no_name_ends_a_comment():
    """A name with a line's end could hide a statement behind a comment."""
    nasty = "x\nDROP TABLE r; --\r\u2028\x85\x0bDELETE FROM r"
    check = Check(promise="k", title=nasty, says=nasty, sql="SELECT 1")
    place = {"database": "d", "table": "t"}
    script = VerificationSql(dialect="duckdb", release=place, checks=[check]).script
    lines = [line for line in script.splitlines() if line and not line.startswith("--")]
    assert lines == ["SELECT 1;"]


def test_models_of_several_combinations_are_asked_one_by_one(tmp_path):
    """Both keep two diseases by themselves, and all columns together do not."""
    rows = [(20, "f", 1, "a"), (20, "m", 1, "b"), (40, "f", 1, "b"), (40, "m", 1, "a")] * 2
    policy = policy_over(
        tmp_path,
        {"age": "INTEGER", "sex": "VARCHAR", "pay": "INTEGER", "disease": "VARCHAR"},
        rows,
        COLUMNS,
        k=4,
        privacy={"quasi_identifiers": [["age"], ["sex"]], "l_diversity": {"disease": 2}},
    )
    anonsql.run(policy)
    shown = anonsql.verification_sql(policy)
    counts = returned(tmp_path, shown)
    assert len([count for count in counts if "l_diversity" in count]) == 2
    assert not any(counts.values())


def test_an_unknown_dialect_is_refused(tmp_path):
    policy = published(tmp_path, JOBS["full-domain"])
    with pytest.raises(PolicyError, match="oracle"):
        anonsql.verification_sql(policy, "oracle")


@pytest.mark.parametrize("file", ["r.parquet", "r.csv"])
def test_a_single_file_is_asked_by_its_name(tmp_path, file, monkeypatch):
    job = JOBS["full-domain"] | {"release": {"file": file, "database": None, "table": None}}
    policy = published(tmp_path, job)
    shown = anonsql.verification_sql(policy)
    monkeypatch.chdir(tmp_path)
    statements = [check.sql for check in shown.checks if check.sql]
    assert statements and not any(in_memory(statement) for statement in statements)
    assert [item.sql for item in shown.checks if item.promise == "rows"] == [None]
