"""Paths: names that something else needs, characters that mean something to DuckDB, and sources
that go away."""

import os
import shutil
from pathlib import Path

import duckdb
import pytest
import yaml
from typer.testing import CliRunner

from anonsql.cli.commands import app
from anonsql.jobs import pipeline

from .support import make_table, policy_data, rows_of, tree_file

AGE_SEX = {"age": {"type": "interval", "widths": [10]}, "sex": {"type": "suppression"}}
ROWS = [(20 + n % 3, "mf"[n % 2]) for n in range(40)]


@pytest.fixture
def folder(tmp_path):
    make_table(tmp_path / "source.duckdb", {"age": "INTEGER", "sex": "VARCHAR"}, ROWS)
    return tmp_path


def cli(*arguments):
    return CliRunner().invoke(app, [str(each) for each in arguments])


def written(folder, **sections):
    """A policy file; ``sections`` replace those of the usual policy."""
    path = folder / "policy.yaml"
    path.write_text(yaml.safe_dump({**policy_data(AGE_SEX, k=5), **sections}, sort_keys=False))
    return path


@pytest.mark.parametrize(
    ("sections", "place", "why"),
    [
        ({"release": {"file": "source.duckdb.wal"}}, "release.file", "DuckDB uses beside"),
        ({"release": {"file": "source.duckdb.tmp"}}, "release.file", "DuckDB uses beside"),
        (
            {"release": {"database": "source.duckdb.wal.recovery", "table": "r"}},
            "release.database",
            "DuckDB uses beside",
        ),
        ({"release": {"file": "release.anonsql.duckdb.wal"}}, None, None),
        (
            {"release": {"file": "c.duckdb.wal"}, "catalog": "c.duckdb"},
            "release.file",
            "DuckDB uses beside",
        ),
        ({"catalog": "source.duckdb.wal"}, "catalog", "DuckDB uses beside"),
        ({"catalog": "release.duckdb.wal"}, "catalog", "DuckDB uses beside"),
        ({"catalog": "policy.yaml"}, "catalog", "this is the policy"),
        ({"release": {"file": "policy.yaml"}}, "release.file", "this is the policy"),
        ({"release": {"file": "new/../tree.csv"}}, "release.file", "this is the hierarchy of sex"),
        ({"catalog": "tree.csv"}, "catalog", "this is the hierarchy of sex"),
        (
            {"release": {"database": ".x.duckdb.anonsql-0123456789ab", "table": "r"}},
            "release.database",
            "the private folders of runs",
        ),
    ],
)
def test_names_that_something_else_needs(folder, sections, place, why):
    tree = tree_file(folder / "tree.csv", [["m", "*"], ["f", "*"]])
    (folder / "new").mkdir()
    columns = {**policy_data({**AGE_SEX, "sex": tree})["columns"]}
    path = written(folder, columns=columns, **sections)
    before = {each: each.stat().st_mtime_ns for each in folder.rglob("*")}
    for command in ("check", "run"):
        result = cli(command, path)
        if place is None:
            assert result.exit_code == 0, result.output
            continue
        assert result.exit_code == 2, result.output
        if f"{place}: releases are no" not in result.output:  # by their suffix, before their place
            assert f"{place}: this is" in result.output
            assert why in " ".join(result.output.split())
        assert {each: each.stat().st_mtime_ns for each in folder.rglob("*")} == before


ODD = ["*", "[x]", "%", "{a,b}", "'", "#", " "]


@pytest.mark.parametrize("kind", ["duckdb", "csv", "parquet"])
def test_paths_are_names_and_no_patterns(folder, kind):
    """Every odd character at once, and a neighbour that a pattern would take in as well."""
    odd, other = "s?" + "".join(ODD), "sx" + "".join(ODD)
    if kind == "duckdb":
        odd, other = odd.replace("?", ""), other.replace("*", "yy")
    inner = folder / ("in" + "".join(ODD))
    inner.mkdir()
    source = {"file": f"{odd}.{kind}"}
    if kind == "duckdb":
        source = {"database": f"{odd}.duckdb", "table": "t"}
        shutil.copy(folder / "source.duckdb", inner / f"{odd}.duckdb")
        shutil.copy(folder / "source.duckdb", inner / f"{other}.duckdb")
    else:
        with duckdb.connect(str(folder / "source.duckdb")) as connection:
            connection.execute(f"COPY t TO '{folder}/plain.{kind}'")
        shutil.copy(folder / f"plain.{kind}", inner / f"{odd}.{kind}")
        shutil.copy(folder / f"plain.{kind}", inner / f"{other}.{kind}")
    release = {"database": f"r{''.join(ODD)}.duckdb", "table": "r"}
    path = written(inner, source=source, release=release)
    assert cli("run", path).exit_code == 0
    assert cli("verify", path).exit_code == 0
    assert rows_of(inner / release["database"], "SELECT count(*) FROM r") == [(40,)]


@pytest.mark.parametrize("character", ["?", "\\"])
@pytest.mark.parametrize("command", ["check", "run"])
def test_paths_that_duckdb_takes_for_others(folder, character, command):
    for section, place in (
        ({"source": {"database": f"a{character}b.duckdb", "table": "t"}}, "source.database"),
        ({"release": {"database": f"a{character}b.duckdb", "table": "r"}}, "release.database"),
        ({"catalog": f"a{character}b.duckdb"}, "catalog"),
    ):
        result = cli(command, written(folder, **section))
        assert result.exit_code == 2
        assert f"{place}: DuckDB cannot" in result.output
        assert "Rename the f" in result.output or "Name another file" in result.output


def _source(folder, kind):
    """The source of a kind, its place in the policy, and its file."""
    if kind == "duckdb":
        return {"database": "source.duckdb", "table": "t"}, folder / "source.duckdb"
    with duckdb.connect(str(folder / "source.duckdb")) as connection:
        connection.execute(f"COPY t TO '{folder}/source.{kind}'")
    return {"file": f"source.{kind}"}, folder / f"source.{kind}"


@pytest.mark.parametrize("kind", ["duckdb", "csv", "parquet"])
@pytest.mark.parametrize("how", ["removed", "replaced"])
@pytest.mark.parametrize("stage", ["count_combinations", "stage", "verify_release"])
def test_a_source_that_goes_away_is_to_be_tried_again(folder, monkeypatch, kind, how, stage):
    source, file = _source(folder, kind)
    path = written(folder, source=source)
    first = pipeline.go_through

    def through(job, stages):
        for each in stages:
            if each.__name__ == stage and not job.places.source.path.with_suffix(".old").exists():
                file.rename(file.with_suffix(".old"))
                if how == "replaced":
                    shutil.copy(file.with_suffix(".old"), file)
            first(job, [each])

    monkeypatch.setattr(pipeline, "go_through", through)
    result = cli("run", path)
    assert result.exit_code == 3, result.output
    assert (
        "The source file changed during the run, or is gone. Nothing was published" in result.stderr
    )
    assert not (folder / "release.duckdb").exists()
    assert not [each for each in os.listdir(folder) if each.startswith(".")]


def test_a_csv_file_that_goes_away_while_it_is_read(folder, monkeypatch):
    from anonsql.engines.duckdb import source_files

    source, file = _source(folder, "csv")
    path = written(folder, source=source)
    header = source_files.csv_columns

    def gone(*arguments):
        found = header(*arguments)
        Path(file).unlink()
        return found

    monkeypatch.setattr(source_files, "csv_columns", gone)
    assert cli("run", path).exit_code == 3
