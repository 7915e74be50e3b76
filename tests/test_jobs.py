"""Jobs that a scheduler runs: killed at any moment, run again, run twice, and telling what
they did."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import duckdb
import pytest

import anonsql
from anonsql.jobs import pipeline
from anonsql.policy.policy import Policy

from .engines import DuckDB, Postgres
from .support import (
    cli,
    ended,
    flat,
    in_file,
    in_python,
    make_source,
    make_table,
    policy_data,
    policy_in,
    write_data,
    write_policy,
)
from .test_cli import document

SEED = int(os.environ.get("ANONSQL_SEED", "0")) or random.randrange(1_000_000)
COLUMNS = {
    "age": {"type": "interval", "widths": [5, 20]},
    "sex": {"type": "suppression"},
    "zip": {"type": "mask", "length": 3},
    "disease": "sensitive",
}
BY_FILE = {**COLUMNS, "sex": {"type": "file", "path": "h.csv"}}
TYPES = {"age": "INTEGER", "sex": "VARCHAR", "zip": "VARCHAR", "disease": "VARCHAR"}

# A process that has everything imported and forks one job for every line it reads: a kill costs no start-up.
NURSERY = """
import os, sys
import anonsql, anonsql.cli, anonsql.engines.duckdb
if "postgres" in sys.argv: import anonsql.engines.postgres.engine, anonsql.engines.postgres.target
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        try:
            anonsql.run(line.strip())
        except BaseException as error:
            print(error, file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    print(child, flush=True)
    _, status = os.waitpid(child, 0)
    print(os.waitstatus_to_exitcode(status), flush=True)
"""


class Nursery:
    """Runs jobs and kills them with all their children."""

    def __init__(self, *words):
        self.process = subprocess.Popen(
            [sys.executable, "-c", NURSERY, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, policy, seconds=None):
        """The exit code of a job; killed after some seconds."""
        self.process.stdin.write(f"{policy}\n")
        self.process.stdin.flush()
        child = int(self.process.stdout.readline())
        if seconds is not None:
            time.sleep(seconds)
            for kill in (os.killpg, os.kill):
                try:
                    kill(child, signal.SIGKILL)
                    break
                except ProcessLookupError:
                    pass
        return int(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=60)


def rows_of_generation(number):
    """A table whose kept column says which one it is."""
    rnd = random.Random(number)
    return [
        (
            rnd.randrange(20, 60),
            "mf"[n % 2],
            f"{rnd.randrange(4)}{n % 10}{n % 3}",
            f"generation {number}",
        )
        for n in range(400)
    ]


def prepared(folder):
    """The file of a policy over the first generation."""
    make_source(folder, TYPES, rows_of_generation(1))
    return write_policy(folder, COLUMNS, k=5, limit=0.05)


@pytest.mark.parametrize(("engine", "kills"), [("duckdb", 10), ("postgres", 5)])
def test_killed_at_any_moment(tmp_path, engine, kills):
    """SIGKILL: the previous release is whole or the new one is, and the next run cleans up."""
    rnd = random.Random(SEED)
    made = (DuckDB if engine == "duckdb" else Postgres)(tmp_path)
    nursery = Nursery(engine)
    try:
        made.make(TYPES, rows_of_generation(0))
        data = policy_data(COLUMNS, k=5, limit=0.05)
        source, release = made.places()
        path = write_data(
            tmp_path, {**data, "source": source, "release": {**data["release"], **release}}
        )
        started = time.perf_counter()
        assert nursery.run(path) == 0
        whole = time.perf_counter() - started
        generation, survived = 0, 0
        moments = [
            whole * 1.1 * rnd.uniform(part, part + 1) / kills for part in range(kills)
        ]  # one in every part of a run
        rnd.shuffle(moments)
        for number, moment in enumerate(moments, start=1):
            made.make(TYPES, rows_of_generation(number))
            code = nursery.run(path, moment)
            rows = made.read()
            found = {row[-1] for row in rows}
            assert found in (
                {f"generation {generation}"},
                {f"generation {number}"},
            ), f"seed {SEED}, kill {number}"
            about = dict(made.read("r__about"))
            assert int(about["rows"]) == len(rows), f"seed {SEED}, kill {number}"
            if found == {f"generation {number}"}:
                generation = number
            survived += code == 0
        assert survived < kills
        wait_until_free(made)
        assert nursery.run(path) == 0, f"seed {SEED}"
        assert {row[-1] for row in made.read()} == {f"generation {kills}"}
        assert anonsql.verify(path).status == "verified"
        assert [item.name for item in tmp_path.iterdir() if item.name.startswith(".")] == []
        if engine == "postgres":
            assert made.schemas() == []
        statuses = {run.status for run in anonsql.runs(path).runs}
        assert statuses >= {"done", "killed"} and statuses <= {"done", "killed", "failed"}
    finally:
        nursery.close()
        if engine == "postgres":
            made.close()


def wait_until_free(made):
    """The server notices a dead client within seconds; until then its lock is held."""
    if made.name != "postgres":
        return
    for _ in range(100):
        held = made.connection.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'anonsql%'"
        ).fetchone()[0]
        if not held:
            return
        time.sleep(0.1)
    raise AssertionError("the server still has sessions of killed runs")


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGHUP])
def test_terminated_as_a_scheduler_does(tmp_path, ending):
    """SIGTERM, or SIGHUP when the terminal is closed, ends a run in order: nothing is left and the
    exit code says so."""
    policy = prepared(tmp_path)
    code = (
        "import signal, sys, time; signal.signal(signal.SIGHUP, signal.SIG_DFL)\n"  # nohup ignores it
        "from anonsql.jobs import pipeline; from anonsql.cli import commands as cli\n"
        "def slow(job): print('here', flush=True); time.sleep(60)\n"
        "pipeline.RELEASE = (slow, *pipeline.RELEASE); sys.argv = ['anonsql', 'run', sys.argv[1]];"
        " cli.main()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(policy)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "here\n"
    process.send_signal(ending)
    _, printed = process.communicate(timeout=30)
    assert (process.returncode, printed) == (
        130,
        "interrupted: a release is never half published\n",
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "policy.yaml",
        "release.anonsql.duckdb",
        "source.duckdb",
    ]


# --if-changed


@pytest.fixture
def changed(tmp_path):
    """Runs a policy with --if-changed and says what happened."""
    make_source(tmp_path, TYPES, rows_of_generation(1))
    (tmp_path / "h.csv").write_text("m;*\nf;*\n")

    def run(**more):
        data = {**policy_data(BY_FILE, k=5, limit=0.05), **more}
        return anonsql.run(Policy.parse(data, tmp_path), if_changed=True)

    run.folder = tmp_path
    assert run().status == "published"
    return run


def change_source(folder, sql):
    in_file(folder / "source.duckdb", sql)


def test_nothing_changed(changed):
    before = (changed.folder / "release.duckdb").stat()
    report = changed()
    assert report.status == "unchanged" and report.released > 0 and report.levels
    after = (changed.folder / "release.duckdb").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    assert changed(engine={"threads": 1}).status == "unchanged"


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE t SET disease = 'other' WHERE rowid = 0",
        "DELETE FROM t WHERE rowid = 0",
        "INSERT INTO t SELECT * FROM t LIMIT 1",
        "UPDATE t SET age = NULL WHERE rowid = 5",
        # two values of a column change places: no column's content changes, the rows do
        (
            "UPDATE t SET age = CASE rowid WHEN 0 THEN (SELECT age FROM t WHERE rowid = 1) ELSE"
            " (SELECT age FROM t WHERE rowid = 0) END WHERE rowid IN (0, 1)"
        ),
    ],
)
def test_the_source_changed(changed, sql):
    change_source(changed.folder, sql)
    assert changed().status == "published"
    assert changed().status == "unchanged"


def test_a_new_column_is_never_skipped_over(changed):
    change_source(changed.folder, "ALTER TABLE t ADD COLUMN secret VARCHAR")
    with pytest.raises(anonsql.AnonsqlError, match=r"columns\.secret"):
        changed()


def test_policy_hierarchy_or_release_changed(changed):
    assert changed(privacy={"k": 6, "suppression_limit": 0.05}).status == "published"
    assert changed().status == "published"
    (changed.folder / "h.csv").write_text("m;any;*\nf;any;*\n")
    assert changed().status == "published"
    (changed.folder / "release.duckdb").unlink()
    assert changed().status == "published"
    in_file(changed.folder / "release.duckdb", "DELETE FROM r WHERE rowid = 0; CHECKPOINT")
    assert changed().status == "published"
    assert anonsql.verify(policy_in(changed.folder, BY_FILE, k=5, limit=0.05))


@pytest.fixture
def no_engine(monkeypatch):
    """Lets no job of a test begin: what is answered is known by files alone."""

    def refused(*_words, **_more):
        raise AssertionError("a job began")

    return lambda: monkeypatch.setattr("anonsql.jobs.sessions.open_engine", refused)


def test_what_nobody_touched_is_known_before_a_job_begins(changed, no_engine):
    policy = policy_in(changed.folder, BY_FILE, k=5, limit=0.05)
    made = anonsql.run(policy)  # a plain run records what it was made from, too
    no_engine()
    report = anonsql.run(policy, if_changed=True)
    assert report.status == "unchanged" and report.levels == made.levels
    assert anonsql.runs(policy).runs[0].status == "unchanged"


TOUCHED = {
    "the source's time": ("source.duckdb", os.utime),
    "the source's mode": ("source.duckdb", lambda path: path.chmod(0o640)),
    "a log beside the source": ("source.duckdb.wal", lambda path: path.touch()),
    "the hierarchy": ("h.csv", lambda path: path.write_text("f;*\nm;*\n")),
    "the release": ("release.duckdb", lambda path: path.chmod(0o640)),
    "another policy": (None, None),
    "no catalog": ("release.anonsql.duckdb", lambda path: path.unlink()),
}


@pytest.mark.parametrize("what", TOUCHED)
def test_what_was_touched_is_looked_into(changed, no_engine, what):
    name, touch = TOUCHED[what]
    if name is not None:
        touch(changed.folder / name)
    no_engine()
    with pytest.raises(AssertionError, match="a job began"):
        changed(**({"privacy": {"k": 6}} if name is None else {}))


def test_a_file_that_is_set_back_to_its_time_is_looked_into(changed, no_engine):
    source = changed.folder / "source.duckdb"
    before = source.stat()
    content = bytearray(source.read_bytes())
    source.write_bytes(content)
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert source.stat().st_mtime_ns == before.st_mtime_ns
    no_engine()
    with pytest.raises(AssertionError, match="a job began"):
        changed()


def test_once_looked_into_it_is_known_again(changed, no_engine):
    os.utime(changed.folder / "source.duckdb")
    time.sleep(0.05)
    assert changed().status == "unchanged"
    no_engine()
    assert changed().status == "unchanged"


def test_a_view_may_show_other_rows_tomorrow(tmp_path, no_engine):
    path = make_table(tmp_path / "source.duckdb", TYPES, rows_of_generation(1), table="base")
    in_file(path, "CREATE VIEW t AS FROM base WHERE now() > TIMESTAMPTZ '2000-01-01'")
    policy = policy_in(tmp_path, COLUMNS, k=5, limit=0.05)
    assert anonsql.run(policy).status == "published"
    assert anonsql.run(policy, if_changed=True).status == "unchanged"
    no_engine()
    with pytest.raises(AssertionError, match="a job began"):
        anonsql.run(policy, if_changed=True)


# what it tells


def test_the_history(tmp_path):
    policy = prepared(tmp_path)
    assert cli("runs", "-p", policy).exit_code == 2
    assert cli("run", policy, "--if-changed").exit_code == 0
    assert cli("run", policy, "--if-changed").exit_code == 0
    bad = write_policy(tmp_path, {**COLUMNS, "nope": "sensitive"}, k=5, limit=0.05)
    assert cli("run", bad).exit_code == 2
    report = document("runs", "-p", policy)[1]
    assert [(run["run"], run["status"]) for run in report["runs"]] == [
        (3, "failed"),
        (2, "unchanged"),
        (1, "done"),
    ]
    assert "columns.nope" in report["runs"][0]["error"]
    assert [
        item["run"]
        for item in document("runs", "-p", tmp_path / "release.anonsql.duckdb")[1]["runs"]
    ] == [3, 2, 1]
    shown = document("runs", "show", "1", "-p", policy)[1]
    names = [statement["name"] for statement in shown["statements"]]
    assert {"star/combinations", "verification/difference", "jobs/catalog/nodes"} <= set(names)
    assert (
        shown["report"]["status"] == "published"
        and shown["run"]["statements"] == shown["report"]["statements"]
    )
    assert all(entry["milliseconds"] >= 0 for entry in shown["statements"])
    assert cli("runs", "-p", policy, "show", "2").exit_code == 0
    assert "unchanged" in flat(cli("runs", "-p", policy).stdout)
    ended(cli("runs", "show", "99", "-p", policy), 2, "there is no run 99")
    assert "generation 1" not in (tmp_path / "release.anonsql.duckdb").read_bytes().decode(
        "latin-1"
    )


def test_an_older_catalog_is_taken_over(tmp_path):
    """Of version 0.1.0, before runs had a report."""
    in_file(
        tmp_path / "release.anonsql.duckdb",
        "CREATE TABLE runs (run INTEGER PRIMARY KEY, command VARCHAR NOT NULL, version VARCHAR NOT"
        " NULL, started TIMESTAMPTZ NOT NULL, ended TIMESTAMPTZ, status VARCHAR NOT NULL); INSERT"
        " INTO runs VALUES (1, 'run', '0.1.0', now(), now(), 'done');CREATE TABLE statements (run"
        " INTEGER NOT NULL, number INTEGER NOT NULL, plane VARCHAR NOT NULL, name VARCHAR NOT NULL,"
        " rows BIGINT NOT NULL, milliseconds DOUBLE NOT NULL);CREATE TABLE releases (run INTEGER"
        " NOT NULL, database VARCHAR NOT NULL, table_name VARCHAR NOT NULL, published TIMESTAMPTZ"
        " NOT NULL, column_name VARCHAR NOT NULL, level INTEGER NOT NULL)",
    )
    policy = prepared(tmp_path)
    assert anonsql.run(policy).status == "published"
    assert [run.run for run in anonsql.runs(policy).runs] == [2, 1]


def test_logs_for_machines(tmp_path):
    policy = prepared(tmp_path)

    def lines(*options):
        order = ("run", policy, "--quiet", "--log-format", "json", *options)
        done = in_python("-m", "anonsql", *order)
        return done, [json.loads(line) for line in done.stderr.splitlines()]

    done, logged = lines()
    assert done.returncode == 0 and done.stdout == ""
    assert [entry["stage"] for entry in logged] == [stage.__name__ for stage in pipeline.RUN]
    assert all(
        element["run"] == 1
        and element["level"] == "info"
        and element["seconds"] >= 0
        and element["time"].endswith("+00:00")
        for element in logged
    )
    _, logged = lines("--verbose")
    statements = [item for item in logged if "statement" in item]
    assert {"run", "plane", "statement", "rows", "ms"} <= set(statements[-1]) and len(
        statements
    ) > 30
    write_policy(tmp_path, {**COLUMNS, "nope": "sensitive"}, k=5)
    done, logged = lines()
    assert done.returncode == 2
    assert (
        logged[-1]["level"] == "error"
        and logged[-1]["error"] == "policy"
        and logged[-1]["exit_code"] == 2
        and "columns.nope" in logged[-1]["message"]
    )


def test_a_run_locks_its_release(tmp_path):
    policy = prepared(tmp_path)
    code = (
        "import sys, time; from anonsql.jobs import pipeline; from anonsql import run\n"
        "def slow(job): print('here', flush=True); time.sleep(60)\n"
        "pipeline.RELEASE = (slow, *pipeline.RELEASE); run(sys.argv[1])"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(policy)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == "here\n"
        ended(cli("run", policy), 3, f"locked by another run, process {process.pid}")
        result = cli("runs", "-p", policy)
        assert result.exit_code == 3
    finally:
        process.kill()
        process.wait()
    assert cli("run", policy).exit_code == 0


def test_policies_on_files_need_no_other_driver(tmp_path):
    """DuckDB alone: neither SQLAlchemy nor Spark is imported."""
    policy = prepared(tmp_path)
    code = (
        "import sys, anonsql; anonsql.run(sys.argv[1]); print([m for m in ('sqlalchemy', 'psycopg',"
        " 'pyspark') if m in sys.modules])"
    )
    done = in_python("-c", code, policy)
    assert done.stdout == "[]\n"


def test_a_driver_that_is_missing_is_named(tmp_path, monkeypatch):
    for name in ("pyspark", "psycopg"):
        monkeypatch.setitem(sys.modules, name, None)
    make_source(tmp_path, TYPES, rows_of_generation(1))
    data = policy_data(COLUMNS, k=5)
    for url, extra in (("postgresql://me@host/db", "postgres"), ("local[2]", "spark")):
        data["source"] = {"database": url, "table": "s.t"}
        with pytest.raises(anonsql.AnonsqlError, match=rf"pip install 'anonsql\[{extra}\]'"):
            anonsql.run(Policy.parse(data, tmp_path))


def test_another_policys_release_is_not_ones_own(tmp_path):
    """The published file was replaced by another policy with another catalog since."""
    make_source(tmp_path, TYPES, rows_of_generation(1))
    mine = policy_in(tmp_path, COLUMNS, k=5, limit=0.05)
    other = policy_in(tmp_path, COLUMNS, k=20, limit=0.05, catalog="other.duckdb")
    statuses = [anonsql.run(policy, if_changed=True).status for policy in (mine, other, mine, mine)]
    assert statuses == ["published"] * 3 + ["unchanged"]


def test_the_order_of_columns_counts(changed):
    columns = dict(reversed(BY_FILE.items()))
    assert changed(columns=policy_data(columns)["columns"]).status == "published"


@pytest.mark.parametrize("content", ["empty", "text", "cut"])
@pytest.mark.parametrize(
    "place", [{"database": "o.duckdb", "table": "r"}, {"file": "o.parquet", "table": "r"}]
)
def test_a_release_that_was_broken_is_told(tmp_path, place, content):
    """By a clear error, for it may be somebody's; never by skipping."""
    make_source(tmp_path, TYPES, rows_of_generation(1))
    policy = Policy.parse(
        {**policy_data(COLUMNS, k=5, limit=0.05), "release": {"completed": 0, **place}}, tmp_path
    )
    anonsql.run(policy, if_changed=True)
    file = tmp_path / (place.get("file") or place["database"])
    if content == "empty":
        file.unlink()
        make_table(file, {"x": "INTEGER"}, [], table="other")
    else:
        file.write_bytes(b"hello" if content == "text" else file.read_bytes()[:2000])
    with pytest.raises(
        anonsql.AnonsqlError,
        match=r"contains something else|cannot be opened|is the release of another",
    ):
        anonsql.run(policy, if_changed=True)
    file.unlink()
    assert anonsql.run(policy, if_changed=True).status == "published"


def test_names_that_are_paths_are_refused(tmp_path):
    make_source(tmp_path, TYPES, rows_of_generation(1))
    for table in ("../victim", "a/b", ".hidden"):
        with pytest.raises(anonsql.AnonsqlError, match="is not a valid file name"):
            anonsql.run(policy_in(tmp_path, COLUMNS, k=5, release={"file": "out", "table": table}))


def test_a_history_of_nothing_is_not_made(tmp_path):
    duckdb.connect(str(tmp_path / "foreign.duckdb")).close()
    before = (tmp_path / "foreign.duckdb").read_bytes()
    result = cli("runs", "-p", tmp_path / "foreign.duckdb")
    assert result.exit_code == 2 and (tmp_path / "foreign.duckdb").read_bytes() == before
