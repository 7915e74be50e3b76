"""One body for every engine: the same policy of statistics gives the same tables, to the bit."""

import os
import re
import signal
import sqlite3
from pathlib import Path

import pytest

import anonsql
from anonsql.errors import AnonsqlError, VerificationError
from anonsql.jobs.catalog import Catalog
from anonsql.jobs.statistics import pipeline
from anonsql.jobs.statistics.publishing import publish_release, verify_release
from anonsql.policy.protect import Protect
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.statistics.noise import making

from . import tables_of_numbers, test_statistics_noise
from .engines import DuckDB, Postgres, SQLite
from .support import forget_files, in_memory, rows_of

TABLES = ("region_age", "kinds")


ANSWERED = (
    "SELECT r.region, r.n, k.people AS of_kind FROM region_age r JOIN kinds k"
    " ON r.region = k.region AND r.region_level = k.region_level"
    " WHERE r.age = '*' AND k.kind = '+a' ORDER BY r.region"
)


def read(engine):
    """The published tables of an engine, in an order of their own."""
    return {
        name: sorted(([*map(plain, row)] for row in engine.read(name)), key=repr) for name in TABLES
    }


def plain(value):
    """A published value as every driver returns it."""
    return value if value is None or isinstance(value, (str, int)) else f"{value:.2f}"


def exported(policy, folder):
    """What recipients get of the tables as CSV; numbers without zeros at their ends."""
    made = anonsql.report(policy, folder / "p.html", audience="recipient", csv=folder / "csv")
    with_ends = "\n".join(Path(file.path).read_text(encoding="utf-8") for file in made.files)
    return re.sub(r"(?<=[0-9])(\.[0-9]*?)0+(?=,)", r"\1", with_ends).replace(".,", ",")


def publish(engine, folder):
    """The tables that an engine publishes, what is told of them, and what a query answers."""
    engine.make(tables_of_numbers.COLUMNS, tables_of_numbers.rows())
    policy = tables_of_numbers.policy_on(engine, circle=True, p_percent=0.1)
    report = anonsql.tabulate(policy)
    assert anonsql.verify(policy, against_source=True).status == "verified"
    assert anonsql.tabulate(policy, if_changed=True).status == "unchanged"
    told = [table.model_dump() for table in report.tables]
    answers = anonsql.query(policy, ANSWERED).rows
    return read(engine), told, exported(policy, folder), answers


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    """What DuckDB publishes."""
    folder = tmp_path_factory.mktemp("usual")
    return publish(DuckDB(folder), folder)


def test_every_engine_publishes_the_same_tables(everywhere, usual, tmp_path):
    found = publish(everywhere, tmp_path)
    assert found == usual
    assert any(row[-1] == "hidden" for row in found[0]["kinds"])
    assert found[-1]


def test_values_of_more_digits_in_sqlite(tmp_path):
    """Which takes every value, whatever the type of a column."""
    engine = SQLite(tmp_path)
    rows = tables_of_numbers.rows()
    rows.append(("rich", "north", 1, "+a", 12_345_678_901.37, 1, 1.0))
    engine.make(tables_of_numbers.COLUMNS, rows)
    policy = tables_of_numbers.policy_on(engine)
    anonsql.tabulate(policy)
    path = tmp_path / "release.sqlite"
    whole = path.read_bytes()
    forget_files(path)
    for against_source, said, edits in (
        (False, None, ""),
        (True, None, ""),
        (False, "more digits", "people = people + 0.1"),
        (False, "more digits", "people = 'x' || people"),
        (False, "more digits", "cost = cost + 1e-12"),
        (True, "with the right digits", "score = ROUND(score + 0.001, 3)"),
        (False, "without a level", "kind_level = kind_level + 0.5"),
    ):
        path.write_bytes(whole)
        connection = sqlite3.connect(path)
        if edits:
            connection.execute(
                f"UPDATE kinds SET {edits} WHERE kind_level = 0 AND region_level = 1"
            )
        connection.commit()
        connection.execute("VACUUM")
        connection.close()
        if said is None:
            assert anonsql.verify(policy, against_source=against_source).status == "verified"
        else:
            with pytest.raises(VerificationError, match=said):
                anonsql.verify(policy, against_source=against_source)


WAYS = {
    "cell-key": {"by": "cell-key", "cell_key": {"variance": 2, "largest": 5, "least": 3}},
    "rounding": {
        "by": "rounding",
        "threshold": 5,
        "rounding": {"bases": {"cost": 100, "days": 5, "score": 10}, "controlled": False},
    },
}


@pytest.mark.parametrize("way", WAYS)
def test_every_engine_changes_values_alike(everywhere, way, tmp_path, monkeypatch):
    """With the same secret, to the bit; and the proof computes it again."""
    monkeypatch.setattr(Catalog, "statistics_secret", lambda _, **__: "5e" * 32)
    (tmp_path / "beside").mkdir()
    usual = DuckDB(tmp_path / "beside")
    found = []
    for engine in (usual, everywhere):
        engine.make(tables_of_numbers.COLUMNS, tables_of_numbers.rows())
        data = tables_of_numbers.policy_on(engine)
        policy = data.model_copy(
            update={"protect": Protect(entity=data.protect.entity, **WAYS[way])}
        )
        anonsql.tabulate(policy)
        assert anonsql.verify(policy, against_source=True).status == "verified"
        found.append(read(engine))
    assert found[0] == found[1]
    assert any(row[-1] == "changed" for row in found[0]["kinds"])


@pytest.mark.parametrize("place", ["a folder", "a file"])
def test_tables_of_a_server_in_files(place, tmp_path):
    """What a server counts is released to a folder of Parquet files, or a DuckDB file."""
    server = Postgres(tmp_path)
    try:
        server.make(tables_of_numbers.COLUMNS, tables_of_numbers.rows())
        source, _ = server.places()
        release = {"file": "out"} if place == "a folder" else {"database": "release.duckdb"}
        data = {**tables_of_numbers.settings(), "source": source, "release": release}
        policy = StatisticsPolicy.parse(data, tmp_path)
        anonsql.tabulate(policy)
        assert anonsql.verify(policy, against_source=True).status == "verified"
        usual = DuckDB(tmp_path / "beside")
        usual.folder.mkdir(exist_ok=True)
        usual.make(tables_of_numbers.COLUMNS, tables_of_numbers.rows())
        anonsql.tabulate(tables_of_numbers.policy_on(usual))
        for name, rows in read(usual).items():
            if place == "a folder":
                found = in_memory(f"FROM '{tmp_path}/out/{name}.parquet'")
            else:
                found = rows_of(tmp_path / "release.duckdb", f"FROM {name}")
            assert sorted(([*map(plain, row)] for row in found), key=repr) == rows
    finally:
        server.close()


def test_a_source_that_changes_meanwhile_publishes_nothing(tmp_path, monkeypatch):
    engine = DuckDB(tmp_path)
    engine.make(tables_of_numbers.COLUMNS, tables_of_numbers.rows())
    stages = list(pipeline.RELEASE)
    stages.insert(
        stages.index(verify_release),
        lambda _: os.utime(tmp_path / "source.duckdb", (1, 1)),
    )
    monkeypatch.setattr(pipeline, "RELEASE", tuple(stages))
    with pytest.raises(AnonsqlError, match="changed"):
        anonsql.tabulate(tables_of_numbers.policy_on(engine))
    assert not engine.released()


def test_a_run_that_is_killed_leaves_nothing(tmp_path, monkeypatch):
    engine = DuckDB(tmp_path)
    engine.make(tables_of_numbers.COLUMNS, tables_of_numbers.rows())
    policy = tables_of_numbers.policy_on(engine)
    stages = list(pipeline.RELEASE)

    def killed(_):
        os.kill(os.getpid(), signal.SIGKILL)

    stages.insert(stages.index(publish_release), killed)
    monkeypatch.setattr(pipeline, "RELEASE", tuple(stages))
    if not (child := os.fork()):
        anonsql.tabulate(policy)
        os._exit(9)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    assert not engine.released()
    monkeypatch.undo()
    assert anonsql.tabulate(policy).status == "published"
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"source.duckdb", "release.duckdb", "release.anonsql.duckdb"}


def test_every_engine_counts_alike_what_gets_noise(everywhere, tmp_path, monkeypatch):
    """With noise that is 0; rows of a person are bounded by more than anybody has."""
    monkeypatch.setattr(making, "noisy", lambda query, values: values)
    (tmp_path / "beside").mkdir()
    found = []
    for engine in (DuckDB(tmp_path / "beside"), everywhere):
        engine.make(tables_of_numbers.COLUMNS, tables_of_numbers.rows())
        policy = test_statistics_noise.policy_on(engine, rho=1, max_rows=1000)
        anonsql.tabulate(policy)
        assert anonsql.verify(policy, against_source=True).values_compared
        found.append(read(engine))
    assert found[0] == found[1]
