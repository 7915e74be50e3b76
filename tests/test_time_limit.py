"""``engine.seconds``: a command ends in time, publishes nothing and says what to do; cleaning up
takes what it takes."""

import time

import duckdb
import pytest

import anonsql
from anonsql.errors import SqlError, TimeLimitError
from anonsql.methods.ordered_partition.branch_and_bound import Search
from anonsql.system.clock import Clock, Reporter
from anonsql.system.journal import Journal

from .engines import policy_on
from .support import cli, ended, flat, in_file, policy_data, write_policy


def wide(folder, columns, rows=300, **more):
    """A policy with many quasi-identifying columns of random numbers."""
    connection = duckdb.connect(str(folder / "source.duckdb"))
    made = ", ".join(f"CAST(hash(i * {n + 1}) % 6 AS INTEGER) AS c{n}" for n in range(columns))
    connection.execute(f"CREATE TABLE t AS SELECT {made} FROM range({rows}) AS r(i)")
    connection.close()
    interval = {"type": "interval", "widths": [2, 4]}
    return write_policy(folder, {f"c{n}": interval for n in range(columns)}, k=5, **more)


@pytest.mark.parametrize("method", ["full-domain", "full-subtree"])
def test_a_search_without_end_ends(tmp_path, method):
    path = wide(tmp_path, 24, method={"type": method}, engine={"seconds": 3})
    started = time.perf_counter()
    result = cli("run", path)
    assert result.exit_code == 2, result.output
    assert time.perf_counter() - started < 40
    assert (
        "the time limit is over (engine.seconds is 3). Nothing was published. Raise the limit"
        in flat(result.stderr)
    )
    assert not (tmp_path / "release.duckdb").exists()
    assert not list(tmp_path.glob(".*"))


def test_a_limit_that_is_enough_changes_nothing(tmp_path):
    path = wide(tmp_path, 3, engine={"seconds": 500}, limit=0.5)
    assert cli("run", path, "--quiet").exit_code == 0


@pytest.mark.parametrize("seconds", ["0", "-1", ".inf", "soon"])
def test_limits_that_mean_nothing(tmp_path, seconds):
    path = wide(tmp_path, 2)
    path.write_text(path.read_text() + f"engine: {{seconds: {seconds}}}\n")
    ended(cli("check", path), 2, "engine.seconds: found")


def test_check_tells_the_size_of_what_has_no_end(tmp_path):
    found = cli("check", wide(tmp_path, 32, method={"type": "mondrian"}), "--json")
    assert found.exit_code == 0
    assert "there are 32 quasi-identifying columns" in flat(found.stdout)
    assert "`engine: {seconds: 600}` ends a run that takes longer" in flat(found.stdout)


def test_the_statement_that_runs_is_interrupted(engine, monkeypatch):
    """A source that is a view of joins, which take hours. Spark's tasks end only where they look
    whether they shall: a view that sleeps does. Each statement has all of the time, so that a busy
    machine does not spend it before the view is read."""
    watching = Clock.watching

    def from_now(clock, what):
        clock._started = time.perf_counter()
        return watching(clock, what)

    monkeypatch.setattr(Clock, "watching", from_now)
    engine.make({"a": "INTEGER"}, [(n,) for n in range(200)])
    joined = "CREATE VIEW {0}.slow AS SELECT t1.a FROM " + ", ".join(
        f"{{0}}.t AS t{n}" for n in range(1, 8)
    )
    if engine.name == "duckdb":
        in_file(engine.folder / "source.duckdb", joined.format("main"))
    elif engine.name == "postgres":
        engine.connection.execute(joined.format(engine.source))
    else:
        sleeping = "java_method('java.lang.Thread', 'sleep', CAST(9999999 AS BIGINT)) IS NULL"
        engine.spark.sql(
            f"CREATE VIEW {engine.source}.slow AS SELECT a FROM {engine.source}.t WHERE {sleeping}"
        )
    seconds = 12.0 if engine.name == "spark" else 5.0
    data = policy_data({"a": {"type": "suppression"}}, engine={"seconds": seconds})
    policy = policy_on(engine, data, "slow")
    started = time.perf_counter()
    with pytest.raises(
        TimeLimitError, match=r"statement .*: the time limit is over .engine.seconds is"
    ):
        anonsql.run(policy)
    assert time.perf_counter() - started < 40
    assert not engine.released()
    assert not list(engine.folder.glob(".*"))


class Engine:
    """An engine whose statement runs until it is interrupted."""

    def __init__(self):
        self.interrupted = False

    def interrupt(self):
        self.interrupted = True


def test_an_interrupted_statement_is_no_sql_error():
    engine, journal = Engine(), Journal()
    journal.clock.limit(0.05, engine.interrupt)
    with pytest.raises(TimeLimitError, match="statement a/b: the time limit is over"):  # noqa: SIM117
        with journal.statement("data", "a/b"):
            for _ in range(1000):
                time.sleep(0.01)
                if engine.interrupted:
                    raise SqlError("a/b", "interrupted")
    with journal.statement("data", "c/d"):
        pass  # cleaning up


def test_other_errors_stay_what_they_are():
    journal = Journal()
    journal.clock.limit(100, Engine().interrupt)
    with pytest.raises(SqlError), journal.statement("data", "a/b"):
        raise SqlError("a/b", "wrong")


def test_progress_looks_at_the_clock():
    clock = Clock()
    timed = Reporter(lambda *_: None, clock, "run")
    timed("search", 1, 2)
    clock.limit(1e-9, Engine().interrupt)
    with pytest.raises(TimeLimitError, match="search: the time limit is over"):
        timed("search", 2, 2)


def test_statements_of_a_step_that_takes_long_are_reported(monkeypatch):
    """With what the step counts itself, and only where nothing was reported for a while; those of
    the catalog are none of them."""
    now, seen = [0.0], []
    monkeypatch.setattr("anonsql.system.clock.time.perf_counter", lambda: now[0])
    journal = Journal()
    journal.reporter = Reporter(lambda *told: seen.append(told), journal.clock, "verify")

    def run(seconds, plane="data"):
        now[0] += seconds
        with journal.statement(plane, "a/b"):
            pass

    run(0.5)
    run(0.6)
    run(0.3)
    journal.reporter("search", 2, 5)
    run(0.9)
    run(5, "control")
    run(0.2)
    assert seen == [("verify, statement 2", 0, 0), ("search", 2, 5), ("search, statement 2", 2, 5)]


def test_a_search_that_has_something_to_show_stops_in_time():
    """Branch and bound leaves half of the time to what follows; what was found by then counts."""
    clock = Clock()
    search = Search(None, 0, 10, True, clock=clock)
    assert not search.spent
    clock.limit(1e-9, Engine().interrupt)
    assert search.spent


def test_a_search_has_seconds_of_its_own():
    """It then judges no more partitions at once than there is time for."""
    now = time.perf_counter()
    assert Search(None, 0, 10, True, seconds=1.0, started=now - 2).spent
    slow = Search(None, 0, 10, True, seconds=100.0, started=now - 60, judged=4)
    assert not slow.spent and slow._at_once() == 2
    assert Search(None, 0, 10, True, seconds=100.0, started=now - 98, judged=4)._at_once() == 1
    assert Search(None, 0, 10, True, started=now - 98, judged=4)._at_once() == 16


def test_what_goes_through_a_statement_is_counted(monkeypatch):
    """Rows, of how many, and blocks of files: no more often than every while."""
    now, seen = [0.0], []
    monkeypatch.setattr("anonsql.system.clock.time.perf_counter", lambda: now[0])
    journal = Journal()
    journal.reporter = Reporter(lambda *told: seen.append(told), journal.clock, "verify")
    with journal.statement("data", "a/b") as entry:
        for row in entry.counted(range(31_000), 31_000):
            now[0] += 2e-4
            assert row < 31_000
        entry.moved(3, 0, "MiB")
        now[0] += 1
        entry.moved(7, 9, "MiB")
    assert seen == [
        ("verify, statement 1, rows", 10_000, 31_000),
        ("verify, statement 1, rows", 20_000, 31_000),
        ("verify, statement 1, rows", 30_000, 31_000),
        ("verify, statement 1, MiB", 7, 9),
    ]


def test_rows_that_go_through_stop_when_the_time_is_over():
    """Python sends them: there is no statement that could be interrupted."""
    journal = Journal()
    journal.reporter = Reporter(lambda *_: None, journal.clock, "verify")
    sent = []
    with pytest.raises(TimeLimitError), journal.statement("data", "a/b") as entry:
        journal.clock.limit(1e-9, lambda: None)
        for row in entry.counted(range(100)):
            sent.append(row)
    assert sent == []
