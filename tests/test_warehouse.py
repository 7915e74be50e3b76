"""Releases in warehouses: models that dbt builds, and SQL of databases that are not here.

dbt is really run, in DuckDB and PostgreSQL; the SQL for Snowflake by fakesnow. Both are installed
in folders of their own, for they need other versions of what the tests need: dbt of pathspec, which
mypy shares, fakesnow of sqlglot. The SQL for the others is read, and compared with what was looked
at."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import duckdb
import psycopg
import pytest
import sqlglot
import yaml
from jinja2 import Environment
from sqlglot import exp

import anonsql
from anonsql.errors import PolicyError
from anonsql.features.compile.dbt import PACKAGE
from anonsql.sql import templates

from . import golden_values
from .engines import DuckDB, Postgres, policy_on
from .support import cli, policy_data, released_to, write_data
from .test_engines import ALL_LEVELS, WIDE_TYPES, wide_policy, wide_rows
from .test_plain_sql import NAMES, found, shape, written

GOLDEN = Path(__file__).parent / "golden" / "warehouse"
FACTS = [
    *[("x", 1, "p", value) for value in ("u", "v")],
    *[("x", 2, "p", value) for value in ("u", None, None)],
    *[("y", None, "p", "u")] * 3,
    (None, 1, "p", None),
    *[("*", 3, "p", value) for value in ("u", "v", "w")],
    ("*", 4, "q", "w"),
]
FACT_TYPES = dict(zip(NAMES, ["VARCHAR", "INTEGER", "VARCHAR", "VARCHAR"]))
CLASS, SUPPRESSED = [NAMES[0], NAMES[1]], "masked"
TESTS = {
    "k2": {"k_anonymous": {"columns": CLASS, "k": 2}},
    "k3": {"k_anonymous": {"columns": CLASS, "k": 3}},
    "k5_labels": {"k_anonymous": {"columns": CLASS[:1], "k": 5}},
    "k5_masked": {"k_anonymous": {"columns": CLASS[:1], "k": 5, "suppressed": "mask"}},
    "l2": {"l_diverse": {"columns": CLASS, "sensitive": NAMES[3], "l": 2}},
    "l3": {"l_diverse": {"columns": CLASS, "sensitive": NAMES[3], "l": 3}},
    "k_none": {"k_anonymous": {"columns": CLASS, "k": 0}},
    "k_text": {"k_anonymous": {"columns": CLASS, "k": "2"}},
    "no_column": {"k_anonymous": {"columns": [], "k": 2}},
    "no_word": {"k_anonymous": {"columns": CLASS, "k": 2, "suppressed": "*"}},
}
REFUSED = {
    "k_none": "k: 0 is no whole number from 1 on",
    "k_text": "k: 2 is no whole number from 1 on",
    "no_column": "columns: a list of one or more is needed",
    "no_word": "suppressed: * is neither `remove` nor `mask`",
    "drifted": "the hierarchy of ward does not fit (missing), values: 1. Change the policy",
    "sparse": "nothing is published: more rows would be suppressed than the policy allows",
    "renamed": "its policy releases the table drifted, and the model makes renamed",
    "other": "its policy is of the table more, and the model reads few",
    "abroad": "it was compiled for snowflake, and the target is",
}


SMALL_TYPES = {"name": "VARCHAR", "age": "INTEGER", "ward": "VARCHAR", "ill": "VARCHAR"}
SMALL_ROWS = [
    (
        f"n{n}",
        None if n % 9 == 0 else 20 + n % 30,
        ["north {1}", "south's\rend", "sea"][n % 3],
        "abc"[n % 3],
    )
    for n in range(90)
]


def small(engine, table="t"):
    """A policy over a small table of four columns."""
    engine.make(SMALL_TYPES, SMALL_ROWS, table)
    tree = {"inland": ["north {1}", "south's\rend"], "coast": ["sea"]}
    columns = {
        "name": "identifying",
        "age": {"type": "interval", "widths": [10]},
        "ward": {"type": "taxonomy", "tree": tree},
        "ill": "sensitive",
    }
    method = {"levels": {"age": 1, "ward": 1}}
    return policy_on(engine, policy_data(columns, k=3, limit=0.1, method=method), table)


def by_hand():
    """How many classes each test finds, in Python and by anonsql's own statements."""
    checks = written(shape({"l_diversity.value": "distinct 2"}, len(FACTS)), "duckdb")
    classes = {}
    for row in FACTS:
        classes.setdefault(row[:2], []).append(row[3])
    labels = Counter(row[0] for row in FACTS)
    counts = {
        "k2": len(found(checks, "k", FACTS)),
        "k3": sum(len(values) < 3 for values in classes.values()),
        "k5_labels": sum(size < 5 for size in labels.values()),
        "k5_masked": sum(size < 5 for label, size in labels.items() if label != "*"),
        "l2": len(found(checks, "l_diversity.value", FACTS)),
        "l3": sum(len(set(values)) < 3 for values in classes.values()),
    }
    assert counts["k2"] == sum(len(values) < 2 for values in classes.values())
    return counts


def models(engine, folder, policy):
    """Write the models: one that is to be built, and one for each reason not to."""
    folder.mkdir()

    def compiled(name, source, policy):
        database = str(engine.folder / "release.duckdb")
        named = released_to(policy, database=database, table=name)
        anonsql.compile(named, engine.name, folder / f"{name}.sql", source=source, as_dbt=True)
        return (folder / f"{name}.sql").read_text(encoding="utf-8")

    compiled("released", "people", policy)
    (folder / "people.sql").write_text("select * from {{ source('raw', 't') }}")
    of_few = small(engine, "few")
    compiled("sparse", "raw.sparse_people", of_few)
    text = compiled("drifted", "raw.more", of_few)
    (folder / "renamed.sql").write_text(text, encoding="utf-8")
    assert text.count('source("raw", "more")') == 2 and text.count('"drifted"') == 1
    other = text.replace('"drifted"', '"other"').replace('"raw", "more"', '"raw", "few"')
    (folder / "other.sql").write_text(other, encoding="utf-8")
    abroad = text.replace('"drifted"', '"abroad"').replace(f"'{engine.name}'", "'snowflake'")
    (folder / "abroad.sql").write_text(abroad, encoding="utf-8")


def project(folder, schema, profile):
    """Write the files of a project around the models."""
    tests = [
        {f"anonsql.{kind}": {"name": name, "arguments": arguments}}
        for name, test in TESTS.items()
        for kind, arguments in test.items()
    ]
    tables = [
        *({"name": name} for name in ("t", "few", "more", "sparse_people")),
        {"name": "facts", "data_tests": tests},
    ]
    files = {
        "dbt_project.yml": {
            "name": "clinic",
            "profile": "clinic",
            "flags": {"send_anonymous_usage_stats": False},
        },
        "profiles.yml": {
            "clinic": {"target": "here", "outputs": {"here": {**profile, "threads": 1}}}
        },
        "models/sources.yml": {"sources": [{"name": "raw", "schema": schema, "tables": tables}]},
    }
    for name, content in files.items():
        (folder / name).write_text(yaml.safe_dump(content))
    shutil.copytree(PACKAGE, folder / "dbt_packages" / "anonsql")


def installed(folder, *wanted):
    """Put distributions into a folder, from which Python takes them before others; skip the test
    where pip cannot."""
    pip = [sys.executable, "-m", "pip", "install", "-q", "--target", str(folder), *wanted]
    if subprocess.run(pip, check=False, capture_output=True).returncode:
        pytest.skip(f"pip cannot install {' and '.join(wanted)}")
    return str(folder)


@pytest.fixture(scope="module")
def dbt(tmp_path_factory):
    """Where dbt is: in this Python, or in a folder."""
    if all(importlib.util.find_spec(name) for name in ("dbt", "dbt_common", "psycopg2")):
        return ""
    if sys.version_info >= (3, 14):
        pytest.skip("dbt 1.11 is not made for Python 3.14, and 1.12 is not whole in the registry")
    place = tmp_path_factory.mktemp("dbt")
    yield installed(place, "dbt-core>=1.10,<1.12", "dbt-duckdb>=1.10,<2", "dbt-postgres>=1.10,<2")
    shutil.rmtree(place)


def build(folder, place):
    """Run dbt; what it says of each model and test, by name."""
    code = "import sys; from dbt.cli.main import cli; cli(sys.argv[1:])"
    done = subprocess.run(
        [sys.executable, "-c", code, "--no-version-check", "build"],
        check=False,
        cwd=folder,
        capture_output=True,
        text=True,
        env={
            **os.environ,
            "DBT_PROFILES_DIR": str(folder),
            "DO_NOT_TRACK": "1",
            "PYTHONPATH": place,
        },
    )
    results = folder / "target" / "run_results.json"
    assert results.exists(), done.stdout + done.stderr
    return {
        entry["unique_id"].split(".")[2]: entry
        for entry in json.loads(results.read_text())["results"]
    }


@pytest.mark.parametrize("make", [DuckDB, Postgres], ids=lambda make: make.name)
def test_dbt_builds_releases_and_refuses_what_does_not_fit(make, tmp_path, dbt):
    engine = make(tmp_path)
    rows = wide_rows() * 3 + wide_rows(12, seed=9)
    engine.make(WIDE_TYPES, rows)
    engine.make(SMALL_TYPES, [*SMALL_ROWS, *(("x", 25, "new", "a") for _ in range(9))], "more")
    engine.make(SMALL_TYPES, SMALL_ROWS[::6], "sparse_people")
    engine.make(FACT_TYPES, FACTS, "facts")
    engine.make({"earlier": "INTEGER"}, [(7,)], "drifted")
    policy = policy_on(engine, wide_policy(tmp_path, {"levels": ALL_LEVELS[1]}, k=3, limit=0.2))
    models(engine, tmp_path / "models", policy)
    publisher = DuckDB(tmp_path / "published")
    publisher.folder.mkdir()
    publisher.make(WIDE_TYPES, rows)
    anonsql.run(
        policy_on(publisher, wide_policy(tmp_path, {"levels": ALL_LEVELS[1]}, k=3, limit=0.2))
    )
    if make is DuckDB:
        profile = {"type": "duckdb", "path": "source.duckdb", "schema": "main"}
        project(tmp_path, "main", profile)
    else:
        where = psycopg.conninfo.conninfo_to_dict(engine.url)
        profile = {
            "type": "postgres",
            "host": where.get("host", "localhost"),
            "user": where.get("user", "postgres"),
            "password": where.get("password") or "none",
            "port": int(where.get("port", 5432)),
            "dbname": where["dbname"],
            "schema": engine.source,
        }
        project(tmp_path, engine.source, profile)
    results = build(tmp_path, dbt)
    failures = {
        name: entry["failures"]
        for name, entry in results.items()
        if name in TESTS and name not in REFUSED
    }
    assert failures == by_hand()
    for name, reason in REFUSED.items():
        assert reason in results[name]["message"], name
    assert results["released"]["status"] == "success", results["released"]["message"]
    if make is DuckDB:
        client = duckdb.connect(str(tmp_path / "source.duckdb"), read_only=True)
        tables = {
            row[0] for row in client.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        }
    else:
        client = engine.connection
        client.execute(f"SET search_path TO {engine.source}")
        tables = {
            row[0]
            for row in client.execute(
                f"SELECT tablename FROM pg_tables WHERE schemaname = '{engine.source}'"
            ).fetchall()
        }
    released = client.execute("SELECT * FROM released").fetchall()
    assert client.execute("SELECT * FROM drifted").fetchall() == [(7,)]
    assert Counter(map(repr, released)) == Counter(map(repr, publisher.read()))
    assert tables == {"t", "few", "more", "sparse_people", "facts", "drifted", "released"}
    (client if make is DuckDB else engine).close()


@pytest.mark.parametrize("dialect", ["snowflake", "bigquery", "redshift", "databricks", "trino"])
def test_models_for_other_warehouses_are_those_that_were_looked_at(tmp_path, dialect):
    model = tmp_path / "r.sql"
    anonsql.compile(small(DuckDB(tmp_path)), dialect, model, source="raw.t", as_dbt=True)
    text = model.read_text(encoding="utf-8")
    if golden_values.writing:
        (GOLDEN / f"{dialect}.sql").write_text(text, encoding="utf-8")
    assert text == (GOLDEN / f"{dialect}.sql").read_text(encoding="utf-8")
    (parsed,) = sqlglot.parse(plain(text), read=dialect)
    assert isinstance(parsed, exp.Select)
    names = [table.alias for table in parsed.find_all(exp.CTE)]
    made = set(names)
    assert len(made) == len(names)
    read = {table.name for table in parsed.find_all(exp.Table)}
    assert read - made <= {"outside"} and "outside" in read
    assert {"north {1}", "south's\rend"} <= {item.this for item in parsed.find_all(exp.Literal)}


def plain(model, table="outside"):
    """What dbt makes of a model."""
    return (
        Environment()
        .from_string(model)
        .render(config=lambda **_: "", source=lambda *_: table, ref=lambda _: table)
    )


SNOWFLAKE = """
import json, sys
import fakesnow, snowflake.connector
told = json.load(sys.stdin)
with fakesnow.patch():
    cursor = snowflake.connector.connect(database="d", schema="s").cursor()
    cursor.execute('CREATE TABLE "t" ("name" TEXT, "age" INT, "ward" TEXT, "ill" TEXT)')
    cursor.executemany('INSERT INTO "t" VALUES (%s, %s, %s, %s)', told["rows"])
    found = []
    for statement in told["statements"]:
        rows = cursor.execute(statement).fetchall()
        found.append(rows)
    print(json.dumps(found, default=str))
"""


def test_snowflakes_files_and_model_make_the_release(tmp_path):
    """Executed by fakesnow, whose RANDOM() is none (DuckDB 2 overflows in it): a number instead."""
    place = installed(tmp_path / "fakesnow", "fakesnow==0.12.1", "snowflake-connector-python<5")
    engine = DuckDB(tmp_path)
    policy = small(engine)
    anonsql.run(policy)
    report = anonsql.compile(policy, "snowflake", tmp_path / "sql")
    anonsql.compile(policy, "snowflake", tmp_path / "r.sql", as_dbt=True)
    files = [(entry, (tmp_path / "sql" / entry.file).read_text("utf-8")) for entry in report.files]
    statements = [(entry.offenders, sql) for entry, text in files for sql in text[:-2].split(";\n")]
    model = plain((tmp_path / "r.sql").read_text("utf-8"), '"t"')
    asked = [*(sql for _, sql in statements), 'SELECT * FROM "r"', model]
    told = {"rows": SMALL_ROWS, "statements": [sql.replace("RANDOM()", "1") for sql in asked]}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SNOWFLAKE],
        check=False,
        input=json.dumps(told),
        text=True,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": place},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    answers = json.loads(done.stdout.splitlines()[-1])
    assert [rows for (offenders, _), rows in zip(statements, answers) if offenders] == [[], [], []]
    published = Counter(map(repr, map(list, engine.read())))
    assert published == Counter(map(repr, answers[-2])) == Counter(map(repr, answers[-1]))


@pytest.mark.parametrize(
    ("file", "source", "problem"),
    [
        ("other.sql", "t", "dbt would name the model 'other', but the release is 'r'"),
        ("r.sql", "a.b.t", "dbt has no table 'a.b.t'"),
        ("mine/r.sql", "t", "contains something else"),
        ("nowhere/r.sql", "t", "cannot be written"),
    ],
)
def test_places_that_no_model_can_have(tmp_path, file, source, problem):
    policy = small(DuckDB(tmp_path))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "r.sql").write_text("select 1")
    with pytest.raises(PolicyError, match=re.escape(problem)):
        anonsql.compile(policy, "trino", tmp_path / file, source=source, as_dbt=True)
    assert (tmp_path / "mine" / "r.sql").read_text() == "select 1"


def test_the_command_writes_a_model_anew(tmp_path):
    engine = DuckDB(tmp_path)
    write_data(tmp_path, small(engine).model_dump(mode="json", exclude_unset=True), "p.yaml")
    command = [
        "compile",
        tmp_path / "p.yaml",
        "--dialect",
        "databricks",
        "--dbt",
        "-o",
        tmp_path / "r.sql",
    ]
    first, text = cli(*command), (tmp_path / "r.sql").read_text("utf-8")
    assert first.exit_code == 0 and "Wrote the dbt model" in first.output
    assert '{{ ref("t") }}' in text
    assert cli(*command).exit_code == 0 and (tmp_path / "r.sql").read_text("utf-8") == text


@pytest.mark.parametrize(
    ("dialect", "duckdb_sql", "wanted"),
    [
        (
            "bigquery",
            "SELECT 9223372036854775808 AS n",
            "SELECT CAST('9223372036854775808' AS BIGNUMERIC) AS `n`",
        ),
        (
            "bigquery",
            "SELECT EXTRACT(WEEK FROM d) AS n FROM t",
            "SELECT EXTRACT(ISOWEEK FROM `d`) AS `n` FROM `t`",
        ),
        (
            "bigquery",
            "SELECT DATE_TRUNC('week', d) AS n FROM t",
            "SELECT DATE_TRUNC(`d`, ISOWEEK) AS `n` FROM `t`",
        ),
        (
            "bigquery",
            "SELECT DATE_TRUNC('year', d) AS n FROM t",
            "SELECT DATE_TRUNC(`d`, YEAR) AS `n` FROM `t`",
        ),
        (
            "trino",
            "SELECT -10000000000000000000 AS n",
            "SELECT -CAST('10000000000000000000' AS DECIMAL(38, 0)) AS \"n\"",
        ),
        (
            "trino",
            "SELECT MD5(d) AS n FROM t",
            'SELECT LOWER(TO_HEX(MD5(TO_UTF8("d")))) AS "n" FROM "t"',
        ),
        ("trino", "SELECT REPEAT('*', 2) AS n", "SELECT RPAD('', 2, '*') AS \"n\""),
    ],
)
def test_what_manuals_of_warehouses_say_is_mended(dialect, duckdb_sql, wanted):
    assert templates.translate(duckdb_sql, dialect) == wanted
