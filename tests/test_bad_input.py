"""Whatever is wrong: the right exit code, a message naming place and remedy, nothing lost, nothing
published."""

import json
import os
import re
import subprocess
import sys
from contextlib import closing, contextmanager
from decimal import Decimal

import duckdb
import pytest

import anonsql
from anonsql.engines.duckdb.session import DuckDBSession, translated
from anonsql.errors import PolicyError, ResourceError
from anonsql.jobs import pipeline
from anonsql.policy.policy import Policy
from anonsql.system.journal import Journal

from .support import (
    before_stage,
    cli,
    flat,
    in_file,
    in_memory,
    in_python,
    make_source,
    make_table,
    policy_data,
    released_rows,
    rows_of,
    tree_file,
    write_data,
)

AGE_SEX = {"age": {"type": "interval", "widths": [10]}, "sex": {"type": "suppression"}}
TYPES = {"age": "INTEGER", "sex": "VARCHAR"}
ROWS = [(20 + n % 3, "mf"[n % 2]) for n in range(40)]


def databases(folder):
    """What is in the databases of a folder, but for what anonsql keeps for itself."""
    return {
        path: path.read_bytes() for path in folder.glob("*.duckdb") if "anonsql" not in path.name
    }


def refused(folder, data, code, *words, command="run"):
    """The command ends with the code, says the words on stderr, and leaves no release and no
    leftovers."""
    before = databases(folder)
    result = cli(command, write_data(folder, data))
    assert result.exit_code == code, (result.output, result.exception)
    for word in words:
        assert word in flat(result.stderr), result.stderr
    assert databases(folder) == before
    assert not list(folder.glob(".*"))
    return result


@pytest.fixture
def table(tmp_path):
    make_source(tmp_path, TYPES, ROWS)
    return tmp_path


# rows


@pytest.mark.parametrize(
    ("rows", "k", "words"),
    [
        (0, 2, ["has 0 rows, fewer than k=2"]),
        (1, 2, ["has 1 row, fewer than k=2"]),
        (7, 10, ["has 7 rows, fewer than k=10", "lower privacy.k to 7"]),
    ],
)
def test_fewer_than_k_rows(tmp_path, rows, k, words):
    make_source(tmp_path, TYPES, ROWS[:rows])
    refused(tmp_path, policy_data(AGE_SEX, k=k), 1, *words)


def test_all_null(tmp_path):
    make_source(tmp_path, TYPES, [(None, None)] * 5)
    assert cli("run", write_data(tmp_path, policy_data(AGE_SEX, k=5))).exit_code == 0
    assert rows_of(tmp_path / "release.duckdb", "SELECT DISTINCT age, age_lo, sex FROM r") == [
        (None, None, None)
    ]


def test_one_distinct_value(tmp_path):
    make_source(tmp_path, TYPES, [(20, "m")] * 5)
    result = cli("run", write_data(tmp_path, policy_data(AGE_SEX, k=5)), "--json")
    assert json.loads(result.stdout)["levels"] == {"age": 0, "sex": 0}
    assert json.loads(result.stdout)["metrics"]["loss"] == 0


# names and values

ODD = [
    'quo"te',
    "semi;colon",
    "new\nline",
    "ünïcødé 🦆",
    "select",
    "group",
    "a.b",
    "it's",
    "%s",
    "{{ x }}",
    "--",
    " ",
    "ordering",
    "r1",
    "c1",
]


@pytest.mark.parametrize("name", ODD)
def test_odd_names_and_values(tmp_path, name):
    rows = [
        (name, value, value)
        for value in ("x'; DROP TABLE t; --", '"', "\n", "🦆", "", "a\\b", "NULL")
        for _ in range(3)
    ]
    make_table(
        tmp_path / "source.duckdb",
        {name: "VARCHAR", name + " 2": "VARCHAR", "kept": "VARCHAR"},
        rows,
        table=name,
    )
    data = policy_data(
        {name: {"type": "suppression"}, name + " 2": {"type": "suppression"}, "kept": "sensitive"},
        k=3,
    )
    data["source"]["table"] = data["release"]["table"] = name
    result = cli("run", write_data(tmp_path, data))
    assert result.exit_code == 0, result.output
    assert cli("verify", tmp_path / "policy.yaml").exit_code == 0
    quoted = '"' + name.replace('"', '""') + '"'
    connection = duckdb.connect(str(tmp_path / "release.duckdb"), read_only=True)
    assert sorted(connection.execute(f"SELECT * FROM {quoted}").fetchall()) == sorted(rows)


def test_odd_names_make_odd_paths(tmp_path):
    folder = tmp_path / 'it\'s; a "folder" ü'
    folder.mkdir()
    make_source(folder, TYPES, ROWS)
    assert cli("run", write_data(folder, policy_data(AGE_SEX))).exit_code == 0


UNFIT = {
    "a name in another case": (
        policy_data({"Age": AGE_SEX["age"], "sex": AGE_SEX["sex"]}),
        "columns.age: this column of the source has no role. Did you mean 'Age'?",
        "columns.Age: the source has no such",
    ),
    "a vanished column": (
        policy_data({**AGE_SEX, "weight": "sensitive"}),
        "columns.weight: the source has no such column.",
    ),
    "no quasi-identifier": (
        policy_data({"age": "sensitive", "sex": "sensitive"}),
        "columns: no column is quasi-identifying",
    ),
    "an unknown field": (
        policy_data(AGE_SEX, privcy={}),
        "privcy: this field is not known. Did you mean 'privacy'?",
    ),
    "no such table": (
        policy_data(AGE_SEX, source={"table": "T"}),
        "source.table: there is no table 'T'",
        "Did you mean 't'?",
    ),
    "a release in no folder": (
        policy_data(AGE_SEX, release={"database": "nowhere/release.duckdb"}),
        "release.database, catalog (2): the folder",
        "does not exist",
        "Create it first",
    ),
    "a catalog in no folder": (policy_data(AGE_SEX, catalog="no/c.duckdb"), "catalog: the folder"),
    "a catalog that is the release": (
        policy_data(AGE_SEX, catalog="release.duckdb"),
        "catalog: this file is",
    ),
}


@pytest.mark.parametrize("what", UNFIT)
def test_a_policy_that_does_not_fit_what_is_there(table, what):
    data, *words = UNFIT[what]
    refused(table, data, 2, *words)


@pytest.mark.parametrize(
    ("name", "kind", "value", "role", "words"),
    [
        ("AGE_LO", "INTEGER", 1, "insensitive", ["release.bounds: false"]),
        ("age_lo", "VARCHAR", "x", "identifying", []),
    ],
)
def test_bounds_that_clash_with_a_column(tmp_path, name, kind, value, role, words):
    make_source(tmp_path, {"age": "INTEGER", name: kind}, [(1, value)] * 3)
    data = policy_data({"age": AGE_SEX["age"], name: role})
    refused(tmp_path, data, 2, "'age_lo' would have the same name", *words)


CSV = {
    "a name twice": (b"a,A,b\n1,2,3\n", 2, "source.file", "share a name: 1 and 2"),
    "a column without a name": (b"a,,b\n1,2,3\n", 2, "columns.column2", "has no role"),
    "no text": (b"a,b\n\xff\xfe,1\n\xff,2\n", 2, "source.file", "not UTF-8 text"),
    "a short line": (
        b"a,b\n1,2\n3\n4,5\n",
        2,
        "source.file",
        "line 3 has 1 fields, the header has 2",
    ),
    "nothing": (b"", 2, "s.csv is empty"),
    "a header only": (b"a,b\n", 1, "has 0 rows"),
}


@pytest.mark.parametrize("what", CSV)
def test_csv_files_that_are_refused(tmp_path, what):
    content, code, *words = CSV[what]
    (tmp_path / "s.csv").write_bytes(content)
    columns = {"a": {"type": "suppression"}, "b": "sensitive"}
    refused(tmp_path, policy_data(columns, source={"file": "s.csv"}), code, *words)


def test_csv_keeps_text_that_only_looks_like_numbers_and_dates(tmp_path):
    lines = ["zip,day,iso,n,x,flag"] + [
        "02139,1/21/76,2020-01-31,007,1.50,true",
        "53715,2/28/76,2020-02-01,12,2.25,false",
    ] * 3
    (tmp_path / "s.csv").write_text("\n".join(lines) + "\n")
    columns = {name: {"type": "suppression"} for name in ("zip", "day", "iso", "n", "x", "flag")}
    data = policy_data(columns, k=3, source={"file": "s.csv"})
    assert cli("run", write_data(tmp_path, data)).exit_code == 0
    row = rows_of(
        tmp_path / "release.duckdb",
        "SELECT zip, day, iso, iso_lo::VARCHAR, n, x, x_lo, flag FROM r ORDER BY zip LIMIT 1",
    )
    assert row == [
        ("02139", "1/21/76", "2020-01-31", "2020-01-31", "007", "1.50", Decimal("1.50"), "true")
    ]


def test_csv_with_quoted_delimiters_and_newlines(tmp_path):
    (tmp_path / "s.csv").write_text('a;b\n"x;1";"line\nbreak"\n"x;1";"line\nbreak"\n')
    data = policy_data({"a": {"type": "suppression"}, "b": {"type": "suppression"}})
    data["source"] = {"file": "s.csv", "delimiter": ";"}
    assert cli("run", write_data(tmp_path, data)).exit_code == 0
    assert released_rows(tmp_path, "SELECT DISTINCT a, b FROM r") == [("x;1", "line\nbreak")]


def test_parquet(tmp_path):
    in_memory(f"COPY (SELECT i % 2 AS a, i AS b FROM range(10) r (i)) TO '{tmp_path}/s.parquet'")
    data = policy_data({"a": {"type": "suppression"}, "b": "sensitive"}, k=5)
    data["source"] = {"file": "s.parquet"}
    assert cli("run", write_data(tmp_path, data)).exit_code == 0
    assert rows_of(
        tmp_path / "release.duckdb", "SELECT a, count(*) FROM r GROUP BY a ORDER BY a"
    ) == [("0", 5), ("1", 5)]


@pytest.mark.parametrize("stage", ["publish_release", "stage"])
def test_parquet_that_changes_during_the_run(tmp_path, monkeypatch, stage):
    """Also between two scans."""

    def write(count):
        rows = f"SELECT i % 2 AS a FROM range({count}) r (i)"
        in_memory(f"COPY ({rows}) TO '{tmp_path / 's.parquet'}'")

    write(10)
    before_stage(monkeypatch, getattr(pipeline, stage), lambda job: write(12))
    data = policy_data({"a": {"type": "suppression"}}, source={"file": "s.parquet"})
    refused(tmp_path, data, 3, "The source file changed during the run", "run again")


# types


@pytest.mark.parametrize(
    ("kind", "values", "hierarchy"),
    [
        ("DATE", ["2020-01-31", "2020-01-31", None], {"type": "date", "levels": ["month", "year"]}),
        (
            "TIMESTAMP WITH TIME ZONE",
            ["2020-01-31 12:00:00+01", "2020-01-31 12:00:00+01"],
            {"type": "date", "levels": ["day"]},
        ),
        ("DECIMAL(9, 3)", ["1.500", "1.500", "2.250"], {"type": "interval", "widths": [1, 10]}),
        ("BOOLEAN", [True, True, False, None], {"type": "suppression"}),
        ("HUGEINT", [2**100, 2**100], {"type": "interval", "widths": [10]}),
        ("UBIGINT", [2**64 - 1, 2**64 - 1, 0], {"type": "interval", "widths": [10]}),
        ("BIGINT", [2**63 - 1, -(2**63), 0], {"type": "interval", "widths": [1000]}),
        ("UUID", ["6f2c1d6e-7b9c-4f7c-9d53-2f3d6f0f9a11"] * 2, {"type": "suppression"}),
        ("FLOAT", [0.1, 0.1, float("nan")], {"type": "suppression"}),
    ],
)
def test_types_of_quasi_identifiers(tmp_path, kind, values, hierarchy):
    make_source(tmp_path, {"c": kind}, [(value,) for value in values])
    result = cli("run", write_data(tmp_path, policy_data({"c": hierarchy})), "--show-values")
    assert result.exit_code == 0, (result.output, result.exception)
    assert cli("verify", tmp_path / "policy.yaml").exit_code == 0


# policy, columns, hierarchies


def test_an_unclassified_column_never_leaks(table):
    in_file(table / "source.duckdb", "ALTER TABLE t ADD COLUMN ssn VARCHAR")
    refused(
        table,
        policy_data(AGE_SEX),
        2,
        "columns.ssn: this column of the source has no role. Give it a role.",
    )


def test_all_quasi_identifiers_vanished(table):
    data = policy_data({"a": AGE_SEX["age"], "age": "sensitive", "sex": "sensitive"})
    refused(table, data, 2, "columns.a: the source has no such column.")
    result = cli("check", write_data(table, data), "--json")
    assert [problem["where"] for problem in json.loads(result.stdout)["problems"]] == ["columns.a"]


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (
            [["m", "*"]],
            ["columns.sex.hierarchy: 1 distinct value of the column is not covered", "Add it"],
        ),
        ([["m", "x", "p", "*"], ["f", "x", "q", "*"]], ["do not nest", "exactly one parent"]),
        ([["m", "x"], ["f", "y"]], ["columns.sex.hierarchy: the top level has 2 values, so"]),
    ],
    ids=["it misses values", "it does not nest", "it has no single top"],
)
def test_a_hierarchy_that_is_none(table, rows, words):
    tree = tree_file(table / "h" / "sex.csv", rows)
    refused(table, policy_data({**AGE_SEX, "sex": tree}), 2, *words)


@pytest.mark.parametrize(
    ("command", "content", "words"),
    [
        ("run", b"source: [unclosed", "line 1: this is not YAML"),
        ("run", b"\xff\xfe\xff", "not UTF-8"),
        ("run", None, "cannot be read: No such file"),
        (
            "check",
            b'columns:\n  1: {role: identifying}\n  "1": {role: insensitive}\n',
            "the key '1' is given twice",
        ),
    ],
)
def test_policy_that_is_none(tmp_path, command, content, words):
    if content is not None:
        (tmp_path / "policy.yaml").write_bytes(content)
    result = cli(command, tmp_path / "policy.yaml")
    assert (result.exit_code, words in flat(result.stderr)) == (2, True)


@pytest.mark.parametrize("text", ["", "just words", "[]", "null"])
def test_policy_that_is_no_mapping(tmp_path, text):
    (tmp_path / "policy.yaml").write_text(text)
    result = cli("check", tmp_path / "policy.yaml")
    assert (result.exit_code, "a policy is a mapping" in flat(result.output)) == (2, True)


# files


def test_no_such_source(tmp_path):
    refused(tmp_path, policy_data(AGE_SEX), 2, "source.database", "does not exist")


def test_source_is_a_folder(tmp_path):
    (tmp_path / "source.duckdb").mkdir()
    result = cli("run", write_data(tmp_path, policy_data(AGE_SEX)))
    assert (result.exit_code, "is not a file" in flat(result.stderr)) == (2, True)


def test_source_is_no_database(tmp_path):
    (tmp_path / "source.duckdb").write_text("age,sex\n20,m\n")
    refused(tmp_path, policy_data(AGE_SEX), 2, "not a valid DuckDB database", "`file:`")


def test_source_that_may_not_be_read(table):
    if os.geteuid() == 0:
        order = ["setpriv", "--reuid=65534", "--clear-groups", sys.executable]
        if subprocess.run(
            [*order, "-c", "import anonsql"], capture_output=True, cwd="/", check=False
        ).returncode:
            pytest.skip("root reads everything, and another user cannot run this Python")
    (table / "source.duckdb").chmod(0o000)
    policy = write_data(table, policy_data(AGE_SEX))
    if os.geteuid() == 0:
        table.chmod(0o777)
        result = subprocess.run(
            [*order, "-m", "anonsql", "run", str(policy)],
            capture_output=True,
            text=True,
            cwd="/",
            check=False,
        )
        assert (result.returncode, "cannot be read: Permission denied" in flat(result.stderr)) == (
            2,
            True,
        )
    else:
        refused(table, policy_data(AGE_SEX), 2, "cannot be read: Permission denied")


@contextmanager
def held(path):
    """Another process holds a DuckDB file; its number."""
    code = (
        "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print(1, flush=True);"
        " sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert holder.stdout.readline() == b"1\n"
        yield holder.pid
    finally:
        holder.communicate(b"")


def test_a_locked_source(table):
    with held(table / "source.duckdb"):
        refused(table, policy_data(AGE_SEX), 3, "is locked by process", "run again")


def test_a_second_run_at_the_same_time(table):
    with held(table / "release.anonsql.duckdb") as process:
        refused(table, policy_data(AGE_SEX), 3, f"is locked by process {process}")


PATHS = {
    "/": "is the root folder",
    "x" * 300: "is not the path of a file",
    "x" * 240: "room for files next to it",
    "ü" * 120: "room for files next to it",
    "/".join(["y" * 200] * 30): "is not the path of a file",
    "a\0b": "NUL",
    "itself": "leads back to itself",
    "around": "leads back to itself",
    "around/below.duckdb": "leads back to itself",
}


@pytest.mark.parametrize("path", PATHS, ids=lambda path: repr(path[:12]))
@pytest.mark.parametrize(
    "field", ["release.database", "release.file", "catalog", "hierarchy", "source"]
)
def test_paths_that_are_none(tmp_path, field, path):
    """Each is refused by the field's name, and what is there stays there."""
    make_source(tmp_path, {"a": "VARCHAR"}, [("x",)] * 6)
    (tmp_path / "itself").symlink_to("itself")
    (tmp_path / "around").symlink_to("turned")
    (tmp_path / "turned").symlink_to("around")
    hierarchy = {"type": "file", "path": path} if field == "hierarchy" else {"type": "suppression"}
    data = policy_data({"a": hierarchy})
    if field == "catalog":
        data["catalog"] = path
    elif field == "source":
        data["source"]["database"] = path
    elif field != "hierarchy":
        section, name = field.split(".")
        data[section] = {name: path, "table": "r"}
    if path == "/" and field in ("hierarchy", "source"):
        words = "Is a directory"
    elif field in ("hierarchy", "source") and 200 < len(path.encode()) <= 255:
        words = "no such file|does not exist|No such file"
    else:
        words = PATHS[path]
    named = {"hierarchy": "columns.a.hierarchy.path", "source": "source.database"}.get(field, field)
    if path == "/" and field == "source":
        named, words = "release.database", "the source itself"  # it holds all folders
    write_data(tmp_path, data, "p.json")
    for work in (anonsql.check, anonsql.run):
        try:
            found = work(tmp_path / "p.json").problems
            text = " ".join(f"{item.where}: {item.message}" for item in found)
        except PolicyError as error:
            text = str(error)
        assert named in text and re.search(words, text), text
    assert (tmp_path / "itself").is_symlink() and not (tmp_path / "release.duckdb").exists()


def test_a_release_through_a_link(tmp_path):
    """What the link leads to is replaced, and the link stays."""
    make_table(tmp_path / "source.duckdb", {"a": "VARCHAR"}, [("x",)] * 6)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "release.duckdb").symlink_to("elsewhere/there.duckdb")
    policy = Policy.parse(policy_data({"a": {"type": "suppression"}}), tmp_path)
    for _ in range(2):
        anonsql.run(policy)
        assert (tmp_path / "release.duckdb").is_symlink()
    assert rows_of(tmp_path / "elsewhere/there.duckdb", "SELECT count(*) FROM r") == [(6,)]


def test_release_is_a_folder(table):
    (table / "release.duckdb").mkdir()
    result = cli("run", write_data(table, policy_data(AGE_SEX)))
    assert (result.exit_code, "release.database" in flat(result.stderr)) == (2, True)


def test_release_is_no_database(table):
    (table / "release.duckdb").write_text("my thesis")
    refused(table, policy_data(AGE_SEX), 2, "not a valid DuckDB database")
    assert (table / "release.duckdb").read_text() == "my thesis"


def test_release_is_the_source(table):
    data = policy_data(AGE_SEX, release={"database": "../" + table.name + "/source.duckdb"})
    refused(table, data, 2, "release.database: this is the source itself")


def test_environment_variables(table, monkeypatch):
    data = policy_data(AGE_SEX, source={"database": "${ANONSQL_TEST_HERE}/source.duckdb"})
    refused(
        table, data, 2, "source.database: the environment variable ANONSQL_TEST_HERE is not set"
    )
    monkeypatch.setenv("ANONSQL_TEST_HERE", str(table))
    assert cli("run", write_data(table, data)).exit_code == 0


@pytest.mark.parametrize(
    ("section", "url"),
    [
        ("source", "oracle://me:secret@host/db"),
        ("release", "postgresql://me:secret@host/db"),
        ("release", "local[2]"),
    ],
)
def test_servers_that_cannot_be_are_refused_by_name(table, section, url):
    data = policy_data(AGE_SEX)
    data[section]["database"] = url
    result = refused(table, data, 2, f"{section}.database", url.split(":")[0])
    assert "secret" not in flat(result.output)


def test_verify_without_a_release(table):
    refused(table, policy_data(AGE_SEX), 2, "release.database", "does not exist", command="verify")


def test_verify_something_else(table):
    make_table(table / "release.duckdb", TYPES, ROWS, table="r")
    result = cli("verify", write_data(table, policy_data(AGE_SEX)))
    assert (result.exit_code, "is not a release of anonsql" in flat(result.stderr)) == (2, True)


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))
import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
import anonsql
from anonsql.cli.commands import app
from anonsql.engines.duckdb.session import DuckDBSession, translated
from anonsql.errors import PolicyError, ResourceError
from anonsql.policy.policy import Policy
from anonsql.system.journal import Journal
app({arguments!r})
"""


@pytest.mark.parametrize("kilobytes", [200, 500, 900])
def test_a_disk_that_fills(tmp_path, kilobytes):
    in_file(
        tmp_path / "source.duckdb",
        "CREATE TABLE t AS SELECT (i % 60)::INTEGER AS age, CASE i % 2 WHEN 0 THEN 'm' ELSE 'f' END"
        " AS sex, md5(i::VARCHAR) AS note FROM range(60000) r (i)",
    )
    policy = write_data(tmp_path, policy_data({**AGE_SEX, "note": "insensitive"}))
    assert cli("run", policy).exit_code == 0
    before = (tmp_path / "release.duckdb").read_bytes()
    script = LIMITED.format(size=kilobytes * 1024, arguments=["run", str(policy)])
    result = in_python("-c", script)
    assert result.returncode == 2, result.stderr
    assert f"the disk is full or a size limit was reached in {tmp_path}" in flat(result.stderr)
    assert "name a release.database on a larger disk" in flat(result.stderr)
    assert (tmp_path / "release.duckdb").read_bytes() == before
    assert not list(tmp_path.glob(".release*"))
    assert cli("run", policy).exit_code == 0


def test_too_little_memory(tmp_path):
    in_file(
        tmp_path / "source.duckdb",
        "CREATE TABLE t AS SELECT (i % 60)::INTEGER AS age, md5(i::VARCHAR) AS sex FROM"
        " range(300000) r (i)",
    )
    data = {**policy_data(AGE_SEX), "engine": {"memory_limit": "5MB", "threads": 1}}
    result = cli("run", write_data(tmp_path, data))
    assert result.exit_code in (0, 2)
    assert result.exit_code == 0 or "engine.memory_limit is 5MB: raise it" in flat(result.stderr)


FULL_OF_CATALOG = """
import resource, signal, sys
from pathlib import Path
from anonsql.engines.duckdb import private
from anonsql.errors import ResourceError
from anonsql.system.journal import Journal
private._empty()
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (8192, resource.RLIM_INFINITY))
if sys.argv[2] == "named":
    del private.os.O_TMPFILE
try:
    private.PrivateSession(Path(sys.argv[1]), Journal())
except ResourceError as error:
    print(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
private.PrivateSession(Path(sys.argv[1]), Journal()).close()
"""


@pytest.mark.parametrize("way", ["nameless", "named"])
def test_a_disk_too_full_for_a_catalog(tmp_path, way):
    """No half of a file is left, which the next run would refuse."""
    done = in_python("-c", FULL_OF_CATALOG, tmp_path / "c.duckdb", way)
    assert done.returncode == 0, done.stderr
    assert f"a size limit was reached in {tmp_path}. Free space there" in done.stdout


def test_temporary_files_that_fill_the_disk(tmp_path):
    """The folder is named, and the limit of memory, which is why they are written."""
    more = {"memory_limit": "20MB", "threads": "1", "max_temp_directory_size": "1MB"}
    spill = tmp_path / ".r.duckdb.anonsql-0123" / "spill"
    spill.mkdir(parents=True)
    limits = {"temp_directory": str(spill), **more}
    session = DuckDBSession(None, Journal(), "workbench", limits)
    heavy = "CREATE TABLE t AS SELECT md5(i::VARCHAR) AS a FROM range(2000000) r (i) ORDER BY a"
    with (
        closing(session),
        pytest.raises(ResourceError) as caught,
        translated("some", heavy, session._room),
    ):
        session._connection.execute(heavy)
    for words in (
        f"in {tmp_path}, where",
        "release.database",
        "engine.workbench_memory, which is 20",
    ):
        assert words in str(caught.value)


def test_what_is_told_as_json(table):
    result = cli(
        "run", write_data(table, policy_data({**AGE_SEX, "weight": "sensitive"})), "--json"
    )
    document = json.loads(result.stdout)
    assert (document["status"], document["exit_code"], result.exit_code) == ("failed", 2, 2)
    assert document["problems"][0]["where"] == "columns.weight"


def test_values_stay_out_of_errors_unless_asked_for(tmp_path):
    make_source(tmp_path, {"c": "VARCHAR"}, [("Jane Doe of 5 Elm Street",), ("a",)])
    policy = write_data(tmp_path, policy_data({"c": tree_file(tmp_path / "c.csv", [["a", "*"]])}))
    for command in ("run", "check", "search"):
        for extra in ([], ["--json"], ["--verbose"]):
            assert "Jane" not in flat(cli(command, policy, *extra).output)
    for command in ("run", "check"):
        shown = in_python("-m", "anonsql", command, policy, "--show-values", "--json")
        assert "Jane" in flat(shown.stderr) and "Jane" not in flat(shown.stdout)


def test_csv_decimals_keep_their_digits(tmp_path):
    lines = [
        "code,money,ratio,exp",
        "250.0,1.50,1.5,1e3",
        "250.00,2.25,2.25,1e3",
        "250.0,1.50,1.5,1e3",
        "250.00,2.25,2.25,1e3",
    ]
    (tmp_path / "s.csv").write_text("\n".join(lines) + "\n")
    data = policy_data(
        {name: {"type": "suppression"} for name in ("code", "money", "ratio", "exp")}, k=2
    )
    data["source"] = {"file": "s.csv", "columns": {"code": {"type": "text"}}}
    assert cli("run", write_data(tmp_path, data)).exit_code == 0
    rows = rows_of(
        tmp_path / "release.duckdb",
        "SELECT DISTINCT code, money, money_lo, ratio, ratio_lo, exp FROM r ORDER BY money",
    )
    assert rows == [
        ("250.0", "1.50", Decimal("1.50"), "1.5", 1.5, "1000"),
        ("250.00", "2.25", Decimal("2.25"), "2.25", 2.25, "1000"),
    ]


def test_a_class_of_stars_keeps_masked_rows_out(tmp_path):
    rows = [("7",)] * 5 + [(f"{n}5",) for n in range(3, 8)]
    make_source(tmp_path, {"c": "VARCHAR"}, rows)
    data = policy_data(
        {"c": {"type": "mask", "length": 2}}, k=5, limit=0.5, method={"levels": {"c": 1}}
    )
    data["release"]["suppressed"] = "mask"
    result = cli("run", write_data(tmp_path, data), "--json")
    document = json.loads(result.stdout)
    assert (
        document["released"],
        document["suppressed"],
        document["masked"],
        document["classes"],
    ) == (5, 5, 0, 1)
    assert cli("verify", tmp_path / "policy.yaml").exit_code == 0


@pytest.mark.parametrize("content", ["database", "text"])
def test_a_catalog_that_is_something_else(table, content):
    if content == "database":
        make_table(table / "other.duckdb", {"x": "INTEGER"}, [(1,)], table="mine")
    else:
        (table / "other.duckdb").write_text("a,b\n1,2\n")
    (table / "other.duckdb").chmod(0o640)
    before = (table / "other.duckdb").read_bytes()
    found = (
        "is not a catalog, but contains: mine"
        if content == "database"
        else "is not a DuckDB database"
    )
    refused(table, policy_data(AGE_SEX, catalog="other.duckdb"), 2, "catalog:", found)
    assert (table / "other.duckdb").read_bytes() == before
    assert (table / "other.duckdb").stat().st_mode & 0o777 == 0o640


def test_a_catalog_whose_lattice_is_somebody_elses(table):
    precious = "CREATE SCHEMA lattice; CREATE TABLE lattice.precious (x INTEGER)"
    in_file(table / "other.duckdb", precious)
    data = policy_data(AGE_SEX, catalog="other.duckdb")
    refused(table, data, 2, "catalog:", "is not a catalog, but contains: precious")


def test_what_nobody_foresaw(table, monkeypatch):
    def broken(job):
        raise ZeroDivisionError("the value 42 of Jane Doe")

    monkeypatch.setattr(pipeline, "RELEASE", (*pipeline.RELEASE[:-1], broken))
    result = refused(table, policy_data(AGE_SEX), 2, "ZeroDivisionError")
    assert "Jane" not in flat(result.output)
    document = json.loads(cli("run", table / "policy.yaml", "--json").stdout)
    assert document["exit_code"] == 2


def test_interrupted(table, monkeypatch):
    def interrupted(job):
        raise KeyboardInterrupt

    monkeypatch.setattr(pipeline, "RELEASE", (*pipeline.RELEASE[:-1], interrupted))
    refused(table, policy_data(AGE_SEX), 130, "interrupted: a release is never half published")


def test_a_reader_that_has_enough(table):
    policy = write_data(table, policy_data(AGE_SEX))
    order = (
        f"{sys.executable} -m anonsql run {policy} | head -c 1 > /dev/null; exit ${{PIPESTATUS[0]}}"
    )
    result = subprocess.run(["bash", "-c", order], capture_output=True, text=True, check=False)
    assert result.returncode == 0
    assert result.stderr.startswith("warning: stdout could not be written (Broken pipe)")


def test_check_goes_on_past_a_wrong_section(table):
    data = {**policy_data({**AGE_SEX, "sx": "sensitive"}, k=0), "method": {"minimise": "loss"}}
    document = json.loads(cli("check", write_data(table, data), "--json").stdout)
    assert {problem["where"] for problem in document["problems"]} == {
        "privacy.k",
        "method.minimise",
        "columns.sx",
    }
    result = cli("check", table / "policy.yaml", "--quiet")
    assert (result.exit_code, result.stdout, result.stderr.count("error:")) == (2, "", 3)


def test_check_knows_levels_that_are_not_there(table):
    data = policy_data(AGE_SEX, method={"levels": {"age": 0, "sex": 7}})
    refused(table, data, 2, "method.levels.sex: there is no level 7. Choose 0 to 1.")
    document = json.loads(cli("check", write_data(table, data), "--json").stdout)
    assert [problem["where"] for problem in document["problems"]] == ["method.levels.sex"]


def test_check_of_too_few_rows_is_a_matter_of_privacy(tmp_path):
    make_source(tmp_path, TYPES, ROWS[:3])
    assert cli("check", write_data(tmp_path, policy_data(AGE_SEX, k=5))).exit_code == 1


def test_search_without_a_result(table):
    columns = {
        "age": {"role": "qi", "hierarchy": AGE_SEX["age"], "max_level": 0},
        "sex": {"role": "qi", "hierarchy": AGE_SEX["sex"], "max_level": 0},
    }
    refused(
        table,
        policy_data(columns, k=7),
        1,
        "no generalization satisfies",
        "lower privacy.k to 6",
        command="search",
    )


def test_init_without_a_table(table):
    result = cli("init", table / "source.duckdb", "-o", table / "p.yaml")
    assert (result.exit_code, "name one of its tables" in flat(result.stderr)) == (2, True)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize(
    ("name", "decoy"), [("visits[1]", "visits1"), ("v*", "visits"), ("v?s", "vis")]
)
def test_files_that_look_like_patterns(tmp_path, suffix, name, decoy):
    """The decoy has the columns the other way round: read in the file's place, it would release
    names as ages."""
    folder = tmp_path / "sex=x"
    folder.mkdir()
    for stem, columns in (
        (name, "20 AS age, 'n' || i AS name"),
        (decoy, "'n' || i AS age, 20 AS name"),
    ):
        in_memory(
            f"COPY (SELECT {columns}, 'm' AS sex FROM range(6) r (i)) TO '{tmp_path}/made' (FORMAT"
            f" {suffix})"
        )
        (tmp_path / "made").rename(folder / f"{stem}.{suffix}")
    data = policy_data({**AGE_SEX, "name": "identifying"}, k=6)
    data["source"] = {"file": f"sex=x/{name}.{suffix}"}
    data["release"]["database"] = "sex=x/release.duckdb"
    result = cli("run", write_data(tmp_path, data))
    assert result.exit_code == 0, result.output
    assert released_rows(folder, "SELECT DISTINCT age, sex FROM r") == [("20", "m")]


def test_enumerations_are_not_spelled_out(tmp_path):
    in_file(
        tmp_path / "source.duckdb",
        "CREATE TYPE n AS ENUM ('Smith', 'Jones'); CREATE TABLE t AS SELECT 'Smith'::n AS c,"
        " ['Smith'::n] AS l FROM range(4)",
    )
    refused(
        tmp_path,
        policy_data({"c": AGE_SEX["age"], "l": AGE_SEX["sex"]}),
        2,
        "columns.c",
        "columns.l",
        "an enumeration",
    )
    assert "Smith" not in flat(cli("run", tmp_path / "policy.yaml").output)
    assert cli("init", tmp_path / "source.duckdb", "t", "-o", tmp_path / "p.yaml").exit_code == 0
    assert "Smith" not in (tmp_path / "p.yaml").read_text()


def test_check_tells_wrong_places_and_a_missing_source_together(tmp_path):
    data = policy_data(AGE_SEX, catalog="no/c.duckdb")
    document = json.loads(cli("check", write_data(tmp_path, data), "--json").stdout)
    assert {problem["where"] for problem in document["problems"]} == {"catalog", "source.database"}


COMMANDS = {
    "policy": ["check", "{path}"],
    "run": ["run", "{path}"],
    "population": ["check", "population.json"],
    "population's file": ["check", "population_file.json"],
    "source's file": ["check", "file.json"],
    "workload": ["measure", "p.json", "--workload", "{path}"],
    "another release": ["attack", "p.json", "--with", "{path}"],
    "scheme": ["apply", "p.json", "{path}"],
    "release": ["query", "{path}", "SELECT COUNT(*) FROM r"],
    "page": ["report", "p.json", "-o", "{path}"],
    "pages of a search": ["search", "p.json", "--html", "{path}"],
    "pages of a comparison": ["compare", "p.json", "--queries", "3", "--html", "{path}"],
    "SQL": ["compile", "p.json", "--dialect", "duckdb", "-o", "{path}"],
    "proposal": ["init", "source.duckdb", "t", "-o", "{path}"],
    "table": ["init", "{path}"],
    "database": ["init", "{path}", "t"],
    "history": ["runs", "-p", "{path}"],
    "run of the history": ["runs", "show", "1", "-p", "{path}"],
    "series": ["ledger", "{path}"],
    "advice": ["advise", "{path}", "--budget", "1"],
}


@pytest.fixture(scope="module")
def released_table(tmp_path_factory):
    """A table and its release, with policies whose ``path`` is to be filled in."""
    folder = tmp_path_factory.mktemp("paths")
    make_source(folder, {"a": "VARCHAR"}, [("x",), ("y",)] * 6)
    (folder / "itself").symlink_to("itself")
    write_data(folder, policy_data({"a": {"type": "suppression"}}), "p.json")
    anonsql.run(folder / "p.json")
    return folder


@pytest.mark.parametrize("path", ["/", ".", "x" * 300, "itself", "no/where", ""], ids=repr)
@pytest.mark.parametrize("what", COMMANDS)
def test_no_path_of_a_command_ends_in_a_traceback(released_table, monkeypatch, what, path):
    if (what, path) == ("SQL", "no/where"):
        pytest.skip("its folder is made")
    monkeypatch.chdir(released_table)
    data = policy_data({"a": {"type": "suppression"}})
    for name, kind in (("population", "database"), ("population_file", "file")):
        population = {kind: path, **({"table": "t"} if kind == "database" else {})}
        changed = {**data, "privacy": {**data["privacy"], "population": population}}
        write_data(released_table, changed, f"{name}.json")
    write_data(released_table, {**data, "source": {"file": path}}, "file.json")
    before = {item.name: item.stat().st_size for item in released_table.iterdir() if item.is_file()}
    result = cli(*(element.format(path=path) for element in COMMANDS[what]))
    text = flat(result.output)
    assert result.exit_code in (2, 3), text
    assert "error" in text.lower() or "problem" in text
    assert "should not happen" not in text and "Traceback" not in text
    after = {
        entry.name: entry.stat().st_size for entry in released_table.iterdir() if entry.is_file()
    }
    del before["release.anonsql.duckdb"], after["release.anonsql.duckdb"]  # runs are recorded
    assert after == before


def test_no_path_given_in_python_holds_a_nul(released_table, monkeypatch):
    """On a command line there is none."""
    monkeypatch.chdir(released_table)
    for work in (
        lambda: anonsql.check("a\0b"),
        lambda: anonsql.run("a\0b"),
        lambda: anonsql.report("p.json", "a\0b"),
        lambda: anonsql.search("p.json", html="a\0b"),
        lambda: anonsql.compile("p.json", "duckdb", "a\0b"),
        lambda: anonsql.query("a\0b", "SELECT COUNT(*) FROM r"),
        lambda: anonsql.attack("p.json", with_releases=["a\0b"]),
        lambda: anonsql.apply("p.json", "a\0b"),
        lambda: anonsql.runs("a\0b"),
        lambda: anonsql.ledger("a\0b"),
    ):
        with pytest.raises(anonsql.AnonsqlError):
            work()
