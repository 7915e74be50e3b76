"""Databases over SQLAlchemy: whole jobs on each, and what is particular to SQLite."""

import datetime as dt
import os
import signal
import sqlite3
import subprocess
from contextlib import closing, contextmanager
from decimal import Decimal

import pytest

import anonsql
from anonsql import engines
from anonsql.engines import open_engine
from anonsql.engines.base import Context
from anonsql.engines.mariadb.engine import MariaDBEngine
from anonsql.engines.postgres.engine import PostgresEngine
from anonsql.errors import (
    BusyError,
    PolicyError,
    ResourceError,
    TimeLimitError,
)
from anonsql.features.init.command import init
from anonsql.policy.envelope import EngineSettings
from anonsql.policy.locations import Location, database
from anonsql.sql.templates import translate
from anonsql.system.journal import Journal

from . import test_anatomy, test_local
from .engines import DATABASES, DuckDB, Postgres, content_hash, policy_on
from .support import flat, in_python, policy_data, policy_in, updated, write_data
from .test_engines import (
    ALL_LEVELS,
    WIDE_TYPES,
    test_a_column_without_a_role_stops_the_job,  # noqa: F401
    test_a_second_run_replaces_the_first,  # noqa: F401
    test_a_table_that_is_not_there,  # noqa: F401
    test_check_and_if_changed,  # noqa: F401
    test_names_that_need_quoting,  # noqa: F401
    test_small_tables,  # noqa: F401
    wide_policy,
    wide_rows,
)
from .test_linked import test_every_engine_warns_of_the_pairs  # noqa: F401

TYPES = {**WIDE_TYPES, "amount": "DOUBLE"}
"""SQLite holds decimals as floating point."""
FEW = ("n", "x", "moment", "word", "note")
MOST = (
    *("full-domain", "mondrian", "ring", "cell-generalization", "cell-suppression"),
    *("full-subgraph", "full-subtree", "ordered-partition", "homogeneous", "hilbert"),
)
ON_SERVERS = ("full-domain", "mondrian", "ring", "cell-generalization", "ordered-partition")


@pytest.fixture(params=list(DATABASES))
def engine(request, tmp_path):
    """Each database in turn."""
    folder = tmp_path / "there"
    folder.mkdir()
    made = DATABASES[request.param](folder)
    yield made
    if hasattr(made, "close"):
        made.close()


@pytest.fixture
def sqlite(tmp_path):
    return DATABASES["sqlite"](tmp_path)


def plain(rows):
    """Rows whose decimals are floating point."""
    return [
        tuple(float(item) if isinstance(item, Decimal) else item for item in row) for row in rows
    ]


def both(engine, folder, types, rows, data):
    """The report and the rows of one job, on DuckDB and on a database."""
    made = []
    (folder / "duckdb").mkdir()
    for item in (DuckDB(folder / "duckdb"), engine):
        item.make(types, rows)
        policy = policy_on(item, data(item.folder))
        made.append((anonsql.run(policy), item.read()))
        assert anonsql.verify(policy).min_class == made[-1][0].min_class
    return made


def test_a_release_of_another_method_is_replaced_wholly(engine):
    test_anatomy.test_a_release_of_another_method_is_replaced_wholly(engine, whole=True)


def test_on_every_engine(engine):
    test_local.test_on_every_engine(engine, whole=True)


@pytest.mark.parametrize("number", [0, 3])
def test_every_kind_of_value_is_generalized_the_same(engine, tmp_path, number):
    """Full-domain, every label published."""

    def data(folder):
        return wide_policy(folder, {"levels": ALL_LEVELS[number]}, k=3)

    (one, expected), (other, found) = both(engine, tmp_path, TYPES, plain(wide_rows() * 3), data)
    assert content_hash(found) == content_hash(expected)
    assert (other.levels, other.metrics, other.classes) == (one.levels, one.metrics, one.classes)


@pytest.mark.parametrize("method", MOST)
def test_methods_make_the_same_release(engine, tmp_path, method):
    """Every method that decides by cells; the last column is kept, and which row goes where may be
    left to chance."""
    if engine.name == "mariadb" and method not in ON_SERVERS:
        pytest.skip("SQLite runs it; what the database does is the same for all of them")
    places = [list(TYPES).index(name) for name in FEW]
    rows = [tuple(row[place] for place in places) for row in plain(wide_rows(150, seed=3))]

    def data(folder):
        few = {"budget": 20} if method == "ordered-partition" else {}
        made = wide_policy(folder, {"type": method, **few}, k=5, limit=0.1)
        made["columns"] = {name: made["columns"][name] for name in FEW}
        return made

    types = {name: TYPES[name] for name in FEW}
    (one, expected), (other, found) = both(engine, tmp_path, types, rows, data)
    assert content_hash([row[:-1] for row in found]) == content_hash([row[:-1] for row in expected])
    assert (other.metrics, other.classes) == (one.metrics, one.classes)


SIMPLE = {"a": {"type": "interval", "widths": [10, 100]}, "note": "sensitive"}
SIMPLE_TYPES = {"a": "INTEGER", "note": "VARCHAR"}
SIMPLE_ROWS = [(number % 50, "xy"[number % 2]) for number in range(200)]


def simple(engine, rows=SIMPLE_ROWS, **more):
    """A small job."""
    engine.make(SIMPLE_TYPES, rows)
    return policy_on(engine, policy_data(SIMPLE, k=5, **more))


def test_questions_and_comparisons(engine):
    """Commands that read a release or publish none."""
    policy = simple(engine)
    anonsql.run(policy)
    found = anonsql.query(policy, "SELECT COUNT(*) FROM r WHERE a BETWEEN 10 AND 29")
    assert found.answers[0].estimate == 80
    assert anonsql.measure(policy).released == 200
    ring = policy_on(engine, policy_data(SIMPLE, k=5, method={"type": "ring"}))
    assert {item.status for item in anonsql.compare([policy, ring]).policies} == {"met"}
    source, _ = engine.places()
    url = source["database"].replace("sqlite:///", f"sqlite:///{engine.folder}/")
    init(url, source["table"], engine.folder / "proposed.yaml")
    proposed = (engine.folder / "proposed.yaml").read_text(encoding="utf-8")
    assert f"table: {source['table']}" in proposed and "50 distinct in 200 rows" in proposed
    assert anonsql.search(policy).nodes and anonsql.check(policy).status == "ok"


KILLED = """
import os, signal, sys
import anonsql
from anonsql.policy.policy import Policy

def progress(stage, *_):
    if stage == sys.argv[2]:
        os.kill(os.getpid(), signal.SIGKILL)

anonsql.run(Policy.load(sys.argv[1]), progress=progress)
"""


@pytest.mark.parametrize("stage", ["choose", "publish_release"])
def test_a_killed_run_leaves_the_earlier_release(engine, stage):
    """Wherever a run is killed, the earlier release stays whole; the next run sweeps."""
    policy = simple(engine)
    anonsql.run(policy)
    before = content_hash(engine.read())
    engine.make(SIMPLE_TYPES, SIMPLE_ROWS[:100])
    source, release = engine.places()
    path = write_data(engine.folder, policy_data(SIMPLE, k=5, source=source, release=release))
    done = in_python("-c", KILLED, path, stage)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert content_hash(engine.read()) == before
    assert anonsql.run(policy_on(engine, policy_data(SIMPLE, k=5))).released == 100
    assert len(engine.read()) == 100
    assert not [item for item in os.listdir(engine.folder) if ".anonsql-" in item]
    if engine.name == "mariadb":
        assert not engine.left()


def test_the_time_that_a_policy_allows(engine):
    """The statement that runs is ended by the driver or by the server."""
    rows = [(number % 5000, "xy"[number % 2]) for number in range(40_000)]
    policy = simple(engine, rows)
    with pytest.raises(TimeLimitError):
        anonsql.run(updated(policy, engine={"seconds": 0.3}))
    assert not engine.released() and (engine.name == "sqlite" or not engine.left())


def test_in_place_is_refused(engine):
    with pytest.raises(PolicyError, match=r"engine\.workbench: search and methods cannot run ins"):
        policy = simple(engine)
        anonsql.run(updated(policy, engine={"workbench": "in-place"}))
    assert not engine.released()


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("sqlite://", "names no file"),
        ("sqlite:///:memory:", "names no file"),
        ("sqlite:///s.sqlite?mode=rwc", "has options"),
        (
            "oracle://scott:tiger@host/x",
            "does not support databases of oracle://.*: postgresql://, .*sqlite:///",
        ),
        ("sqlite:///other.txt", "is not an SQLite database"),
        ("sqlite:///missing.sqlite", "does not exist"),
    ],
)
def test_urls_that_are_refused(tmp_path, url, found):
    (tmp_path / "other.txt").write_text("no database at all", encoding="utf-8")
    with pytest.raises(PolicyError, match=found) as caught:
        anonsql.run(policy_in(tmp_path, {"a": {"type": "suppression"}}, source={"database": url}))
    assert "tiger" not in str(caught.value)


@pytest.fixture
def no_drivers(monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(engines, "import_module", missing)


def test_a_driver_that_is_missing_is_named(tmp_path, no_drivers):
    source = {"database": "mariadb://u:word@h/d"}
    with pytest.raises(PolicyError, match=r"anonsql\[mariadb\]") as caught:
        anonsql.run(policy_in(tmp_path, {"a": {"type": "suppression"}}, source=source))
    assert "word" not in str(caught.value)


def test_sqlite_needs_no_extra(tmp_path, no_drivers):
    make_sqlite(tmp_path, "a INTEGER, b TEXT", [(1, "x"), (1, "y")] * 5)
    columns = {"a": {"type": "suppression"}, "b": "insensitive"}
    places = {name: {"database": f"sqlite:///{name}.sqlite"} for name in ("source", "release")}
    assert anonsql.run(policy_in(tmp_path, columns, **places)).verified


# SQLite


def make_sqlite(folder, definition, rows):
    with sqlite3.connect(folder / "source.sqlite") as connection:
        connection.execute(f"CREATE TABLE t ({definition})")
        marks = ", ".join("?" for _ in rows[0])
        connection.executemany(f"INSERT INTO t VALUES ({marks})", rows)
    connection.close()


def test_values_of_several_types_are_refused(sqlite):
    """A column declared as a number that holds text; kept, it becomes text."""
    rows = [(1, 1), ("x", "y"), (2, 2.5), (None, None)] * 5
    make_sqlite(sqlite.folder, "a INTEGER, b INTEGER", rows)
    policy = policy_on(sqlite, policy_data({"a": {"type": "suppression"}, "b": "insensitive"}))
    with pytest.raises(PolicyError, match=r"columns\.a: .* type MIXED\(BIGINT,INTEGER,TEXT\)"):
        anonsql.run(policy)
    policy = policy_on(sqlite, policy_data({"a": "identifying", "b": {"type": "suppression"}}))
    with pytest.raises(PolicyError, match=r"columns\.b"):
        anonsql.run(policy)
    with sqlite3.connect(sqlite.folder / "source.sqlite") as connection:
        connection.execute("UPDATE t SET a = 7")
    data = policy_data({"a": {"type": "suppression"}, "b": "insensitive"})
    assert anonsql.run(policy_on(sqlite, data)).released == 20
    assert {row[-1] for row in sqlite.read()} == {"1", "y", "2.5", None}


def test_text_is_compared_byte_by_byte(sqlite):
    """Whatever collation a column has."""
    rows = [("Ann",), ("ann",), ("ANN",), ("ann ",)] * 5
    make_sqlite(sqlite.folder, "a TEXT COLLATE NOCASE", rows)
    assert anonsql.run(policy_on(sqlite, policy_data({"a": {"type": "suppression"}}))).classes == 4


def test_a_run_sees_one_state_of_the_source(sqlite):
    """Others may write meanwhile, where the file is in WAL mode."""
    policy = simple(sqlite)
    connection = sqlite3.connect(sqlite.folder / "source.sqlite", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")

    def progress(stage, *_):
        if stage in ("build_star", "stage", "verify_release"):
            connection.execute("UPDATE t SET a = a + 1000, note = 'z'")

    assert anonsql.run(policy, progress=progress).released == 200
    assert {row[-1] for row in sqlite.read()} == {"x", "y"}
    connection.close()


def test_a_release_that_somebody_writes_is_left_alone(sqlite):
    policy = simple(sqlite)
    anonsql.run(policy)
    (sqlite.folder / "release.sqlite-wal").touch()
    with pytest.raises(BusyError, match="open for writing"):
        anonsql.run(policy)


@pytest.mark.parametrize("name", ["source.sqlite", "other.sqlite"])
def test_only_releases_are_replaced(sqlite, name):
    policy = simple(sqlite)
    with sqlite3.connect(sqlite.folder / "other.sqlite") as connection:
        connection.execute("CREATE TABLE precious (a)")
    with pytest.raises(PolicyError, match=r"the source itself|contains something else"):
        anonsql.run(updated(policy, release={"database": f"sqlite:///{name}"}))


def test_the_release_of_another_table_is_not_replaced(sqlite):
    policy = simple(sqlite)
    anonsql.run(policy)
    before = sqlite.parts()
    with pytest.raises(PolicyError, match="is the release of another table, r"):
        anonsql.run(updated(policy, release={"table": "q"}))
    assert sqlite.parts() == before


@contextmanager
def before_statement(number, work):
    """Do some work before the engine's statement of a number; yield the list of statements."""
    begun, seen = Journal.statement, []

    def statement(journal, plane, name):
        if plane == "data":
            seen.append(name)
            if len(seen) == number:
                work()
        return begun(journal, plane, name)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Journal, "statement", statement)
        yield seen


@pytest.mark.parametrize("server", ["mariadb", "postgres"])
def test_a_connection_that_is_lost_at_any_statement(server, tmp_path, monkeypatch):
    """The earlier release stays whole wherever it is lost; the next run sweeps."""
    opened = []
    for kind in (MariaDBEngine, PostgresEngine):
        monkeypatch.setattr(kind, "_begin", noting(kind._begin, opened))
    engine = DATABASES["mariadb"](tmp_path) if server == "mariadb" else Postgres(tmp_path)

    def cut():
        if server == "mariadb":
            engine.do(f"KILL CONNECTION {opened[-1]._id}")
        else:
            pid = opened[-1]._driver.info.backend_pid
            engine.connection.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])

    try:
        policy = simple(engine, SIMPLE_ROWS[:100])
        anonsql.run(policy)
        with before_statement(0, cut) as names:
            anonsql.run(policy)
        before = content_hash(engine.read())
        engine.make(SIMPLE_TYPES, SIMPLE_ROWS)
        # what publishes: a COMMIT, or a RENAME
        last = max(place for place, name in enumerate(names, start=1) if name in PUBLISHING)
        for number in [*range(6, last, last // 8), last]:
            with before_statement(number, cut), pytest.raises(BusyError, match="was lost") as lost:
                anonsql.run(policy)
            assert lost.value.exit_code == 3, names[number - 1]
            assert content_hash(engine.read()) == before, names[number - 1]
        assert anonsql.run(policy).released == len(engine.read()) == 200
        assert not (engine.left() if server == "mariadb" else engine.schemas())
    finally:
        engine.close()


PUBLISHING = ("engines/mariadb/rename", "engines/postgres/transaction")


def noting(work, opened):
    """A method of an engine that adds the engine to a list before it does its work."""

    def noted(engine):
        opened.append(engine)
        return work(engine)

    return noted


LONG_ROWS = [(number % 50, f"{number:0>40}") for number in range(8_000)]
LIMITED = """
import resource, signal, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from anonsql.cli.commands import app
app(["run", sys.argv[1]])
"""


def lengthened(sqlite):
    """A policy that was published, and its release, before the rows became long."""
    sqlite.make(SIMPLE_TYPES, SIMPLE_ROWS)
    policy = policy_on(sqlite, policy_data({**SIMPLE, "note": "insensitive"}, k=5))
    anonsql.run(policy)
    before = content_hash(sqlite.read())
    sqlite.make(SIMPLE_TYPES, LONG_ROWS)
    return policy, before


@pytest.mark.parametrize("kilobytes", [100, 250, 400])
def test_a_file_that_cannot_grow(sqlite, kilobytes):
    """The earlier release stays as it is."""
    policy, before = lengthened(sqlite)
    source, release = sqlite.places()
    data = policy_data({**SIMPLE, "note": "insensitive"}, k=5, source=source, release=release)
    done = in_python("-c", LIMITED, write_data(sqlite.folder, data), kilobytes * 1024)
    assert done.returncode == 2 and "a size limit was reached" in flat(done.stderr), done.stderr
    assert content_hash(sqlite.read()) == before
    assert anonsql.run(policy).released == len(sqlite.read()) == 8_000


@pytest.mark.parametrize("spare", [50, 150, 300])
def test_a_disk_that_fills(tmp_path, spare):
    """On a file system with so many KiB to spare besides the source and the earlier release."""
    there = tmp_path / "disk"
    there.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(there)]
    if os.geteuid() or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no right to mount a small file system")
    try:
        sqlite = DATABASES["sqlite"](there)
        policy, before = lengthened(sqlite)
        free = os.statvfs(there)
        (there / "filler").write_bytes(b" " * (free.f_bavail * free.f_frsize - spare * 1024))
        with pytest.raises(ResourceError, match="full"):
            anonsql.run(policy)
        assert content_hash(sqlite.read()) == before
        (there / "filler").unlink()
        assert anonsql.run(policy).released == len(sqlite.read()) == 8_000
    finally:
        subprocess.run(["umount", str(there)], check=True)


# statements

STATEMENTS = [
    "SELECT COUNT(*) FILTER (WHERE t.a > 1) AS n, COUNT(DISTINCT t.w) FILTER (WHERE t.a > 0) AS d"
    " FROM t",
    "SELECT f.x, f.y FROM (VALUES (1, 'a'), (2, NULL)) AS f (x, y) ORDER BY f.x",
    "SELECT t.a, ROW_NUMBER() OVER (ORDER BY t.w NULLS LAST, t.a NULLS FIRST) AS r FROM t"
    " ORDER BY t.w DESC NULLS LAST, t.a NULLS FIRST",
    "SELECT LEFT(t.w, 1) AS l, RIGHT(t.w, 1) AS r, TRANSLATE(t.w, 'ab', '12') AS c,"
    " SPLIT_PART(t.w, 'n', 1) AS p, SPLIT_PART(t.w, 'n', 2) AS q, MD5(t.w) AS m,"
    " LENGTH(t.w) AS n, t.w || '!' AS e FROM t ORDER BY t.w NULLS FIRST, t.a",
    "SELECT STRING_AGG(t.w, ', ' ORDER BY t.a) AS s FROM t",
    "SELECT TRIM(' \t' || t.w || '\u00a0 ', ' \t\u00a0') AS b, TRIM(t.w, 'an') AS c, LOWER('Ö' || t.w) AS l,"
    " UPPER('ö' || t.w) AS u FROM t ORDER BY t.a NULLS FIRST",
    "SELECT GREATEST(t.a, 2) AS g, LEAST(t.a, 2) AS l, t.a % 2 AS m FROM t WHERE t.a IS NOT NULL"
    " ORDER BY t.a",
    "SELECT t.a, u.w FROM t JOIN t AS u ON u.a = t.a + 1 ORDER BY t.a",
    "SELECT DATE_DIFF('day', DATE '1970-01-01', CAST('2020-02-29' AS DATE)) AS d,"
    " EXTRACT(YEAR FROM CAST('2020-02-29' AS DATE)) AS y",
    "SELECT CAST(t.w AS VARCHAR) LIKE 'a%' AS k, t.w = 'ANN' AS c FROM t WHERE t.w IS NOT NULL"
    " ORDER BY t.w",
    "SELECT REGEXP_MATCHES(t.w, '^[a-z]+$') AS r FROM t WHERE t.w IS NOT NULL ORDER BY t.w",
    "SELECT COALESCE(CAST(NULLIF(t.a, 1) AS VARCHAR), 'it''s \\ %s :x') AS s FROM t"
    " WHERE t.a < 3 ORDER BY t.a",
]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_statements_mean_the_same(engine, tmp_path, statement):
    """What sqlglot alone would leave in DuckDB's form, run on both."""
    journal = Journal()
    rows = [(1, "ann"), (2, "bnb"), (3, None), (None, "Ann")]
    columns = [("a", "INTEGER"), ("w", "VARCHAR")]
    found = []
    for kind in ("there", "duckdb"):
        folder = tmp_path / f"{kind}-scratch"
        folder.mkdir()
        source, _ = engine.places()
        location = (
            database(source["database"], "source", lambda text: engine.folder / text)
            if kind == "there"
            else Location("duckdb")
        )
        with closing(open_engine(location, Context(folder, EngineSettings(), journal))) as opened:
            opened.load("t", columns, rows)
            connection = opened._connection if kind == "duckdb" else None
            if connection is not None:
                found.append(connection.execute(statement).fetchall())
            else:
                found.append(opened._send("test", translate(statement, opened.dialect)))
    there, duckdb = ([tuple(map(_plain, row)) for row in item] for item in found)
    assert there == duckdb


def _plain(value):
    return int(value) if isinstance(value, (bool, Decimal)) else value


@pytest.mark.parametrize("everywhere", [DATABASES["sqlite"], Postgres], indirect=True)
def test_what_travels_between_engines_is_counted(everywhere, monkeypatch):
    """To the workbench and back, and to the release."""
    monkeypatch.setattr("anonsql.system.clock._A_WHILE", 0)
    seen = set()
    columns = {"n": "INTEGER", "disease": "VARCHAR"}
    everywhere.make(columns, [(i % 7, "flu") for i in range(200)])
    roles = {"n": {"role": "qi", "hierarchy": {"type": "suppression"}}, "disease": "sensitive"}
    policy = policy_on(everywhere, policy_data(roles, k=2))
    anonsql.run(policy, progress=lambda stage, *_: seen.add(stage))
    unit = "MiB" if isinstance(everywhere, Postgres) else "rows"
    assert any(stage.endswith(f", {unit}") for stage in seen), seen


@pytest.mark.parametrize("name", DATABASES)
def test_parts_of_a_second_are_the_sources(name, tmp_path):
    """What a label stands for is compared with the source by all of its digits."""
    engine = DATABASES[name](tmp_path)
    parts = [0, 500_000, 999_999, 1, 120]
    rows = [(dt.datetime(2020, 1, 1 + i % 5, 23, 59, 59, parts[i % 5]), "flu") for i in range(50)]
    engine.make({"at": "TIMESTAMP", "disease": "VARCHAR"}, rows)
    hierarchy = {"type": "date", "levels": ["month"]}
    roles = {"at": {"role": "qi", "hierarchy": hierarchy}, "disease": "sensitive"}
    policy = policy_on(engine, policy_data(roles, k=2))
    assert anonsql.run(policy).levels == {"at": 0}
    anonsql.verify(policy, against_source=True)
