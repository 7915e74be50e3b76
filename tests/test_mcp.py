"""``anonsql mcp``: what an agent gets by the official client over stdio, and what it does not get,
whatever it asks for."""

import asyncio
import contextlib
import json
import os
import sys
import time

import duckdb
import pytest

import anonsql
from anonsql.errors import PolicyError
from anonsql.features.mcp import command
from anonsql.features.mcp.command import Limits, served
from anonsql.features.query import command as query_command

from . import clinic
from .engines import Postgres, policy_on
from .published_tables import EXAMPLES, policy_of
from .support import cli, ended, make_table, policy_data

SECRET = "Zerubabel"
"""The values of the source that no release has, of a file beside it, and of an unreleased table."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A release of rows, one of statistics, and what no agent may read."""
    folder = tmp_path_factory.mktemp("served")
    rows = [(SECRET, age, "mf"[age % 2]) for age in range(20, 60)]
    types = {"name": "VARCHAR", "age": "INTEGER", "sex": "VARCHAR"}
    make_table(folder / "source.duckdb", types, rows, table="people")
    columns = {
        "name": "identifying",
        "age": {"type": "interval", "widths": [10, 20]},
        "sex": {"type": "suppression"},
    }
    policy = policy_data(
        columns,
        k=4,
        source={"database": str(folder / "source.duckdb"), "table": "people"},
        release={"database": str(folder / "release.duckdb"), "table": "people_released"},
    )
    anonsql.run(policy)
    (folder / "policy.yaml").write_text(json.dumps(policy))
    make_table(folder / "release.duckdb", types, rows, table="people")  # beside the release
    make_table(folder / "release.duckdb", types, rows, table="notes__about")
    (folder / "secret.csv").write_text(f"name\n{SECRET}\n")
    (folder / "tables").mkdir()
    statistics = policy_of(folder / "tables", EXAMPLES["linked tables, table 3"])
    anonsql.tabulate(statistics)
    return folder


def told(folder, releases, calls):
    """What the server answers to calls of its tools, each as whether it is an error, the text, and
    the structure."""
    mcp = pytest.importorskip("mcp", reason="the official SDK is not installed: pip install mcp")

    async def ask():
        words = ["-m", "anonsql", "mcp", *map(str, releases)]
        here = mcp.StdioServerParameters(command=sys.executable, args=words, cwd=folder)
        async with mcp.Client(mcp.stdio_client(here)) as client:
            tools = (await client.list_tools()).tools
            assert [tool.name for tool in tools] == ["describe", "query", "table"]
            assert all(tool.annotations.read_only_hint for tool in tools)
            results = [await client.call_tool(name, given) for name, given in calls]
            return [(one.is_error, one.content[0].text, one.structured_content) for one in results]

    return asyncio.run(ask())


def test_an_agent_gets_promises_bounds_and_statistics(folder):
    question = "SELECT COUNT(*) FROM people_released WHERE age < 33"
    calls = [
        ("describe", {}),
        ("describe", {"table": "people_released"}),
        ("describe", {"table": "year_geo"}),
        ("query", {"sql": question}),
        ("query", {"sql": "SELECT MIN(age) FROM people_released WHERE age > 500"}),
        ("query", {"sql": "SELECT geo, n FROM year_geo WHERE year = '*' ORDER BY geo"}),
        ("table", {"table": "Year_Geo", "limit": 1000}),
    ]
    answers = told(folder, ["release.duckdb", "tables/release.duckdb"], calls)
    assert [error for error, *_ in answers] == [False] * len(calls)
    listed, rows, statistics, bounded, empty, selected, cells = [found for *_, found in answers]
    assert empty["answers"][0]["estimate"] is None
    assert [one["table"] for one in listed["tables"]] == [
        *("people_released", "age_year_geo", "year_geo")
    ]
    assert "at least 4 rows" in rows["promises"][0]["says"] and rows["does_not"]
    assert [one["column"] for one in rows["columns"]] == ["age", "age_lo", "age_hi", "sex"]
    assert "hidden" in " ".join(statistics["figures"]) and statistics["facts"]["promise"]
    report = anonsql.query(folder / "release.duckdb", question)
    (line,) = bounded["answers"]
    (wanted,) = report.answers
    assert (line["lower"], line["upper"]) == (wanted.lower, wanted.upper)
    assert line["lower"] <= 13 <= line["upper"] and "`lower` and `upper`" in bounded["figures"][0]
    published = anonsql.query(folder / "tables" / "release.duckdb", "SELECT * FROM year_geo").rows
    assert sorted(map(str, cells["rows"])) == sorted(map(str, published))
    assert any(row["n"] is None and row["n_status"] == "hidden" for row in cells["rows"])
    assert selected["rows"] and str(folder) not in str(answers) and SECRET not in str(answers)


HOSTILE = {
    "the source": "SELECT * FROM people",
    "the source by its place": "SELECT * FROM 'source.duckdb'.people",
    "a path": "SELECT * FROM '../served0/secret.csv'",
    "a file": "SELECT * FROM 'secret.csv'",
    "a quoted file": 'SELECT * FROM "secret.csv"',
    "a reader": "SELECT * FROM read_csv('secret.csv')",
    "a reader of text": "SELECT content FROM read_text('secret.csv')",
    "a reader in a value": "SELECT COUNT(*), (SELECT MIN(name) FROM read_csv('secret.csv')) FROM"
    " people_released",
    "a function": "SELECT getenv('HOME') FROM people_released",
    "the settings": "SELECT current_setting('home_directory') FROM people_released",
    "another database": "ATTACH 'source.duckdb' AS s",
    "a copy": "COPY (SELECT * FROM people_released) TO 'out.csv'",
    "a copy in": "COPY people_released FROM 'secret.csv'",
    "a pragma": "PRAGMA database_list",
    "an extension": "INSTALL httpfs",
    "a setting": "SET enable_external_access = true",
    "two statements": "SELECT COUNT(*) FROM people_released; ATTACH 'source.duckdb' AS s",
    "the catalog": "SELECT * FROM duckdb_tables()",
    "the schema": "SELECT * FROM information_schema.tables",
    "another table's facts": "SELECT * FROM notes__about",
    "a table that looks released": "SELECT * FROM notes",
    "SQL in a name": "SELECT COUNT(*) FROM \"people_released; ATTACH 'source.duckdb'\"",
    "SQL behind a name": 'SELECT COUNT(*) FROM "people_released"" UNION SELECT name FROM people --"',
    "another catalog": "SELECT COUNT(*) FROM s.main.people_released",
    "a union": "SELECT age FROM people_released UNION ALL SELECT name FROM people",
    "a common table": "WITH p AS (SELECT * FROM people) SELECT * FROM p, people_released",
    "a lateral join": "SELECT * FROM people_released, LATERAL (SELECT * FROM glob('*')) g",
    "a macro": "CREATE MACRO f() AS TABLE FROM people",
    "a removed column": "SELECT name FROM people_released",
    "rows of two releases": "SELECT * FROM people_released, year_geo",
    "a column of a struct": "SELECT people.name FROM people_released",
    "a long statement": "SELECT COUNT(*) FROM people_released WHERE age = 1"
    + " OR age = 1" * 10**5,
    "deep parentheses": "SELECT COUNT(*) FROM people_released WHERE "
    + "(" * 4900
    + "1"
    + ")" * 4900,
    "a zero byte": "SELECT COUNT(*) FROM people_released\0",
    "nothing": "",
}
CALLS = [
    *[("query", {"sql": sql}) for sql in HOSTILE.values()],
    *[("query", {"sql": sql, "bounded": True}) for sql in HOSTILE.values()],
    *[
        (tool, {"table": name})
        for tool in ("describe", "table")
        for name in (
            *("people", "../source.duckdb", "source.duckdb", "/etc/passwd", "secret.csv", "notes"),
            *('year_geo" UNION SELECT name FROM people --', "release.duckdb.people", "x" * 10**5),
        )
    ],
    ("table", {"table": "people_released"}),
    ("table", {"table": "year_geo", "limit": 10**9}),
    ("table", {"table": "year_geo", "offset": -1}),
    ("table", {"table": "year_geo", "limit": "1; ATTACH 'source.duckdb'"}),
    ("query", {"sql": ["SELECT 1"]}),
    ("nothing", {}),
]


def test_hostile_requests_reach_no_source_and_no_file(folder):
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}
    began = time.perf_counter()
    last = ("query", {"sql": "SELECT COUNT(*) AS n FROM people_released"})
    answers = told(folder, ["release.duckdb", "tables/release.duckdb"], [*CALLS, last])
    refused = [error for error, *_ in answers[:-1]]
    assert refused == [True] * len(CALLS), [
        call for call, (error, *_) in zip(CALLS, answers, strict=False) if not error
    ]
    said = "".join(text for _, text, _ in answers)
    assert SECRET not in said and str(folder) not in said and "root:" not in said
    assert os.environ["HOME"] not in said
    assert answers[-1][2]["answers"][0]["estimate"] == 40, "and it still answers"
    assert {p: p.stat().st_mtime_ns for p in folder.rglob("*") if p.is_file()} == before
    assert time.perf_counter() - began < 120


COSTLY = {
    "a number of many digits": "SELECT COUNT(*) FROM people_released WHERE age < " + "9" * 9000,
    "a great exponent": "SELECT COUNT(*) FROM people_released WHERE age < 1e999999999",
    "many groups": "SELECT COUNT(*) FROM people_released a"
    + "".join(f", people_released b{n}" for n in range(9)),
    "doubled texts": "WITH t0 AS (SELECT 'x' AS v FROM people_released)"
    + "".join(f", t{n + 1} AS (SELECT v || v AS v FROM t{n})" for n in range(60))
    + " SELECT COUNT(*), MAX(v) FROM t60",
    "many conditions": "SELECT COUNT(*) FROM people_released WHERE "
    + " OR ".join(f"(age = {n} AND sex <> 'm')" for n in range(300)),
}


@pytest.mark.parametrize("sql", COSTLY.values(), ids=COSTLY)
def test_costly_requests_end(folder, sql):
    began = time.perf_counter()
    tables = served([str(folder / "release.duckdb")])
    with contextlib.suppress(anonsql.AnonsqlError):
        command.answered(tables, sql, bounded=False, limits=Limits(5, "500MB"))
    assert time.perf_counter() - began < 30


def test_a_long_answer_is_refused_and_paths_are_hidden(folder):
    tables = served([str(folder / "release.duckdb")])
    wide = "WITH t0 AS (SELECT 'x' AS v FROM people_released)" + "".join(
        f", t{n + 1} AS (SELECT v || v AS v FROM t{n})" for n in range(16)
    )
    with pytest.raises(PolicyError, match="more than 1,000,000 characters"):
        command.answered(tables, f"{wide} SELECT v FROM t16", bounded=False, limits=Limits())
    path = folder / "release.duckdb"
    assert command._without_paths(f"{path}: no", tables) == "release.duckdb: no"


def test_what_is_no_release_is_not_served(folder, tmp_path):
    (tmp_path / "people.csv").write_text(f"name\n{SECRET}\n")
    (tmp_path / "empty").mkdir()
    for path in (
        *(folder / "policy.yaml", folder / "source.duckdb", folder / "secret.csv"),
        *(folder / "release.anonsql.duckdb", tmp_path / "people.csv", tmp_path / "empty"),
        *(tmp_path / "nothing.duckdb", tmp_path / "policy.yml"),
    ):
        result = cli("mcp", path)
        ended(result, 2)
        assert SECRET not in result.output
    twice = [str(folder / "release.duckdb")] * 2
    with pytest.raises(PolicyError, match="two of the releases have a table 'people_released'"):
        served(twice)


def test_without_the_package_it_says_what_to_install(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    ended(cli("mcp", folder / "release.duckdb"), 2, "pip install 'anonsql[mcp]'")


def test_each_table_of_several_is_described_with_the_others(tmp_path):
    _, policy = clinic.in_a_file(tmp_path)
    anonsql.run(policy)
    tables = served([str(tmp_path / "released.duckdb")])
    names = [one.name for one in tables]
    assert len(names) > 1
    for name in names:
        found = command.described(tables, name)
        assert sorted(one["table"] for one in found["tables"]) == sorted(names)
        assert found["promises"] and found["does_not"] and found["figures"]
    sql = f"SELECT COUNT(*) FROM {names[0]}"
    report = anonsql.query(tmp_path / "released.duckdb", sql)
    answer = command.answered(tables, sql, bounded=False, limits=Limits())
    assert answer["answers"][0]["estimate"] == report.answers[0].estimate


@pytest.mark.parametrize("way", ["itself", "a link", "a folder's link", "two dots"])
def test_behind_the_list_duckdb_opens_no_other_file(folder, tmp_path, monkeypatch, way):
    """Whatever gets through: the engine that answers may open nothing but the release."""
    (tmp_path / "link").symlink_to(folder / "release.duckdb")
    (tmp_path / "folder").symlink_to(folder)
    path = {
        "itself": folder / "release.duckdb",
        "a link": tmp_path / "link",
        "a folder's link": tmp_path / "folder" / "release.duckdb",
        "two dots": folder / "tables" / ".." / "release.duckdb",
    }[way]
    tried = []
    original = query_command.opening.to_ask

    def to_ask(located, policy):
        for sql in (
            f"SELECT * FROM read_csv('{folder}/secret.csv')",
            f"SELECT content FROM read_text('{folder}/secret.csv')",
            f"ATTACH '{folder}/source.duckdb' AS s (READ_ONLY)",
            f"COPY (SELECT 1) TO '{folder}/out.csv'",
            "SELECT * FROM glob('/etc/*')",
        ):
            with pytest.raises(duckdb.PermissionException):
                located.engine._connection.execute(sql)
            tried.append(sql)
        with pytest.raises(duckdb.InvalidInputException):
            located.engine._connection.execute("SET enable_external_access = true")
        return original(located, policy)

    monkeypatch.setattr(query_command.opening, "to_ask", to_ask)
    tables = served([str(path)])
    sql = "SELECT COUNT(*) FROM people_released"
    answer = command.answered(tables, sql, bounded=False, limits=Limits())
    assert answer["answers"][0]["estimate"] == 40 and len(tried) == 5


def test_a_server_serves_its_releases_alone(tmp_path):
    with contextlib.closing(Postgres(tmp_path)) as server:
        rows = [(20 + n, "mf"[n % 2]) for n in range(40)]
        server.make({"age": "INTEGER", "sex": "VARCHAR"}, rows)
        columns = {"age": {"type": "interval", "widths": [10, 20]}, "sex": {"type": "suppression"}}
        policy = policy_on(server, policy_data(columns, k=4))
        anonsql.run(policy)
        tables = [one for one in served([server.url]) if one.name == policy.release.table]
        assert len(tables) == 1 and server.url not in str(tables[0].location)
        assert "at least 4 rows" in command.described(tables, tables[0].name)["promises"][0]["says"]
        for name, refused in ((policy.release.table, False), (f"{server.source}.t", True)):
            sql = f"SELECT COUNT(*) FROM {name}"
            if refused:
                with pytest.raises(PolicyError, match="no released table is called"):
                    command.answered(tables, sql, bounded=False, limits=Limits())
            else:
                found = command.answered(tables, sql, bounded=False, limits=Limits())
                assert found["answers"][0]["estimate"] == 40
