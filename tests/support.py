"""Making tables, policies and jobs for tests."""

from __future__ import annotations

import datetime as dt
import json
import os
import re
import shutil
import subprocess
import sys
import uuid
from contextlib import closing, contextmanager
from decimal import Decimal
from functools import cache
from pathlib import Path

import duckdb
import pytest
import yaml
from click.testing import CliRunner
from typer.main import get_command

from anonsql.cli.commands import app
from anonsql.engines import open_engine, open_target, open_workbench
from anonsql.engines.base import STATED, Context
from anonsql.engines.duckdb.target import FileTarget
from anonsql.jobs import pipeline
from anonsql.jobs.catalog import Catalog
from anonsql.jobs.job import Job
from anonsql.jobs.workspace import workspace
from anonsql.labels.bench import Bench
from anonsql.methods.groups import Cells
from anonsql.methods.mondrian import method as mondrian
from anonsql.policy.envelope import EngineSettings, Release
from anonsql.policy.locations import JobLocations
from anonsql.policy.policy import Policy
from anonsql.privacy.base import Term
from anonsql.privacy.registry import MODELS
from anonsql.sql import templates
from anonsql.sql.loading import TemplateFolders
from anonsql.system.clock import silent
from anonsql.system.journal import Journal

DATA = Path(os.environ["ANONSQL_DATA"]) if os.environ.get("ANONSQL_DATA") else None
needs_data = pytest.mark.skipif(DATA is None, reason="ANONSQL_DATA names no folder of real tables")
ADULT = [
    "age",
    "sex",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
]

CRITERIA = {criterion.name: criterion for model in MODELS for criterion in model.criteria}


def term(kind, *parameters, **more):
    """A criterion of a privacy model, by its name, with parameters."""
    return Term(CRITERIA[kind], *parameters, **more)


TEMPLATES = TemplateFolders(templates.folder("sql_templates"))


def template_names():
    """The names of all SQL templates, of files as of blocks."""
    return [name for name in TEMPLATES.list_templates() if name.endswith(".sql")]


def template_source(name):
    """The text of a template, without the comment that counts the lines before a block."""
    text, _, _ = TEMPLATES.get_source(templates.environment(), name)
    return re.sub(r"\A\{#\n*#\}\n", "", text)


def quote(name):
    return '"' + name.replace('"', '""') + '"'


@cache
def _database():
    """The DuckDB in which tests open files, and nothing of anonsql runs: to start one costs twenty
    times as much as to attach a file."""
    return duckdb.connect()


@contextmanager
def opened(path, read_only=False):
    """A connection to a DuckDB file, which is made where there is none."""
    name = f"file_{uuid.uuid4().hex}"
    place = str(path).replace("'", "''")
    with _database().cursor() as connection:
        connection.execute(
            f"ATTACH '{place}' AS {name} (TYPE duckdb{', READ_ONLY' if read_only else ''})"
        )
        try:
            connection.execute(f"USE {name}")
            yield connection
        finally:
            connection.close()
            with _database().cursor() as last:
                if not read_only:
                    last.execute(f"CHECKPOINT {name}")  # as a database that ends does
                last.execute(f"DETACH {name}")


def make_table(path, columns, rows, table="t"):
    """A DuckDB file with one table; columns is {name: type}."""
    with opened(path) as connection:
        connection.execute(
            f"CREATE TABLE {quote(table)}"
            f" ({', '.join(f'{quote(name)} {kind}' for name, kind in columns.items())})"
        )
        insert(connection, table, rows)
    return path


def make_source(folder, types, rows):
    """The table that policies are over unless they say otherwise."""
    return make_table(folder / "source.duckdb", types, rows)


def make_numbered(folder, types, rows):
    """The source as columns c0, c1, … of some types and ``id``, the number of each row; the names
    of the former."""
    kinds = {f"c{number}": kind for number, kind in enumerate(types)}
    numbered = [(*row, number) for number, row in enumerate(rows)]
    make_source(folder, {**kinds, "id": "INTEGER"}, numbered)
    return list(kinds)


def make_facts(path, facts, table="r"):
    """What a release in a DuckDB file says of itself."""
    rows = [(name, str(value)) for name, value in facts.items()]
    make_table(path, {"property": "VARCHAR", "value": "VARCHAR"}, rows, f"{table}__about")


def make_described(path, columns, table="r"):
    """What it says of columns: (name, role, level, form, how values look)."""
    types = {name: "INTEGER" if name == "level" else "VARCHAR" for name in STATED}
    make_table(path, types, columns, f"{table}__columns")


def in_file(path, *statements):
    """Run statements in a DuckDB file, which is made where there is none."""
    with opened(path) as connection:
        for statement in statements:
            connection.execute(statement)


_LISTED = {bool, int, float, Decimal, str, bytes, dt.date, dt.datetime}


def insert(connection, table, rows):
    """Rows into a table of DuckDB: as one list a column where its values are of one type, which is
    a hundred times faster than one row by the other. These go in one transaction: a commit is a
    sync of the file."""
    if not rows:
        return
    columns = [list(column) for column in zip(*rows, strict=True)]
    types = [{type(value) for value in column} - {type(None)} for column in columns]
    if all(len(found) < 2 and found <= _LISTED for found in types):
        marks = ", ".join("UNNEST(?)" if found else "NULL" for found in types)
        if any(types):
            given = [column for column, found in zip(columns, types, strict=True) if found]
            connection.execute(f"INSERT INTO {quote(table)} SELECT {marks}", given)
            return
    connection.execute("BEGIN")
    connection.executemany(
        f"INSERT INTO {quote(table)} VALUES ({', '.join('?' for _ in rows[0])})", rows
    )
    connection.execute("COMMIT")


@contextmanager
def editing(path):
    """A connection to a release in a DuckDB file, which is written anew at the end, sorted; the
    catalog knows nothing of its files then."""
    with opened(path) as connection:
        yield connection
    written_anew(path)


def edit(path, *statements):
    """Change a release in a DuckDB file, see :func:`editing`."""
    with editing(path) as connection:
        for statement in statements:
            connection.execute(statement)


def written_anew(path, selects=()):
    """Give the tables of a DuckDB file a fresh one, as a run makes it: what is released of people
    is sorted. ``selects`` are the rows of some tables, from the file ``old``, in their order."""
    fresh = f"{path}.fresh"
    old, new = (f"file_{uuid.uuid4().hex}" for _ in range(2))
    with _database().cursor() as connection:
        connection.execute(f"ATTACH '{path}' AS {old} (READ_ONLY)")
        connection.execute(f"ATTACH '{fresh}' AS {new} (STORAGE_VERSION 'v1.0.0')")
        connection.execute(f"COPY FROM DATABASE {old} TO {new} (SCHEMA)")
        for (table,) in connection.execute(
            f"SELECT table_name FROM duckdb_tables() WHERE database_name = '{new}'"
        ).fetchall():
            keys = sorted_by(connection, new, table)
            one, other = (f"{file}.main.{quote(table)}" for file in (old, new))
            if table in dict(selects):
                select = dict(selects)[table].replace("old.", f"{old}.main.")
                connection.execute(f"DROP TABLE {other}; CREATE TABLE {other} AS {select}")
                continue
            select = f"FROM {one}" + (f" ORDER BY {keys}" if keys else "")
            connection.execute(f"INSERT INTO {other} {select}")
        connection.execute(f"CHECKPOINT {new}")
        connection.execute(f"DETACH {old}; DETACH {new}")
    os.replace(fresh, path)
    forget_files(path)


def forget_files(path):
    """Make the catalog beside a release forget the SHA-256 of its files, so that a changed one is
    refused by what is in it, or not."""
    for catalog in Path(path).parent.glob("*.anonsql.duckdb"):
        with opened(catalog) as connection:
            connection.execute(
                'UPDATE runs SET report = json_merge_patch(report, \'{"release": {"files": null}}\')'
                " WHERE report IS NOT NULL"
            )


_BY_VALUE = ("INT", "DECIMAL", "FLOAT", "DOUBLE", "DATE", "TIMESTAMP", "BOOLEAN")


def sorted_by(connection, database, table):
    """The keys of ORDER BY that put a released table of a DuckDB file in its order; none of tables
    that have another one: facts, and published statistics."""
    columns = connection.execute(
        "SELECT column_name, data_type FROM duckdb_columns()"
        f" WHERE database_name = '{database}' AND table_name = ? ORDER BY column_index",
        [table],
    ).fetchall()
    if table.endswith(("__about", "__columns")) or any(n.endswith("_status") for n, _ in columns):
        return ""
    return ", ".join(
        f"{key} NULLS FIRST" for name, kind in columns for key in _keys_of(quote(name), kind)
    )


def _keys_of(name, kind):
    by_value = kind.lstrip("U").startswith((*_BY_VALUE, "TINYINT", "SMALLINT", "BIGINT", "HUGEINT"))
    by_value = by_value and not kind.endswith("]") and not kind.startswith("INTERVAL")
    loose = kind in ("FLOAT", "DOUBLE") or not by_value
    return [name] * by_value + [f"CAST({name} AS VARCHAR)"] * loose


def copied(policy, folder, to):
    """Copy the files of a release that is made once, for a test that alters them; return the policy
    (a mapping) with its paths there."""
    shutil.copytree(folder, to, dirs_exist_ok=True)
    return yaml.safe_load(yaml.safe_dump(policy).replace(str(folder), str(to)))


def before_stage(monkeypatch, stage, meddle):
    """Runs do something before one of the stages of a release."""
    stages = list(pipeline.RELEASE)
    stages.insert(stages.index(stage), meddle)
    monkeypatch.setattr(pipeline, "RELEASE", tuple(stages))


def change_staged(monkeypatch, *statements):
    """Releases in files are changed after they were written and before anybody looks at them."""
    build = FileTarget.build

    def changing(target):
        built = build(target)
        target._detach(target._alias)
        in_file(target._built, *statements)
        written_anew(target._built)
        target._reader.attach(target._built, target._alias, "")
        return built

    monkeypatch.setattr(FileTarget, "build", changing)


def flat(text):
    """What a command printed, as one line: on a terminal lines are broken between words."""
    return " ".join(text.split())


def policy_data(columns, k=2, limit=0.0, *, source=(), release=(), privacy=(), **more):
    """A policy as read from YAML; columns is {name: hierarchy, role text, or whole mapping}. What
    is said of the source, the release and the promises is said beside the usual; a file or a query
    takes the place of the usual table."""
    settings = {}
    for name, what in columns.items():
        if isinstance(what, str):
            settings[name] = {"role": what}
        elif "role" in what:
            settings[name] = what
        else:
            settings[name] = {"role": "quasi-identifying", "hierarchy": what}
    return {
        "source": _beside({"database": "source.duckdb", "table": "t"}, dict(source)),
        "release": {
            "completed": 0,  # a completed table is made where it is what a test is about
            **_beside({"database": "release.duckdb", "table": "r"}, dict(release)),
        },
        "columns": settings,
        "privacy": {"k": k, "suppression_limit": limit, **dict(privacy)},
        **more,
    }


def _beside(usual, given):
    """Where a source or a release is, of what is usual and what is given."""
    return given if "file" in given or "query" in given else {**usual, **given}


def policy_in(folder, columns, **more):
    """A policy over the table that :func:`make_source` makes in a folder, released there too."""
    return Policy.parse(policy_data(columns, **more), folder)


def policy_over(folder, types, rows, columns, **more):
    """Such a policy over a table that is made."""
    make_source(folder, types, rows)
    return policy_in(folder, columns, **more)


def updated(policy, **sections):
    """A policy with other settings in some of its sections, which nothing looks at again."""
    return policy.model_copy(
        update={
            name: getattr(policy, name).model_copy(update=settings)
            for name, settings in sections.items()
        }
    )


def released_to(policy, **place):
    """A policy whose release is elsewhere."""
    return policy.model_copy(update={"release": Release(**{"completed": 0, **place})})


class _Whole(yaml.SafeDumper):
    """YAML in which nothing refers to what is elsewhere."""

    def ignore_aliases(self, data):
        return True


def write_data(folder, data, name="policy.yaml"):
    """The file of a policy that is data."""
    path = folder / name
    if name.endswith(".json"):
        text = json.dumps(data)
    else:
        text = yaml.dump(data, Dumper=_Whole, allow_unicode=True, sort_keys=False)
    path.write_text(text, encoding="utf-8")
    return path


def write_policy(folder, columns, **more):
    return write_data(folder, policy_data(columns, **more))


def cli(*arguments, answers=None, **environment):
    """What a command of anonsql ended with and printed, which is answered when it asks."""
    words = [str(argument) for argument in arguments]
    return CliRunner(env=environment).invoke(_command(), words, input=answers)


@cache
def _command():
    return get_command(app)


def in_python(*words, **more):
    """What another process of Python ended with and printed."""
    order = [sys.executable, *map(str, words)]
    return subprocess.run(order, capture_output=True, text=True, check=False, **more)


def ended(result, code, *words):
    """A command ended with a code and said these words."""
    printed = flat(result.output)
    assert result.exit_code == code, printed
    for word in words:
        assert word in printed, printed


def rows_of(path, sql):
    """The rows of a statement in a DuckDB file."""
    with opened(path, read_only=True) as connection:
        return connection.execute(sql).fetchall()


def released_rows(folder, sql="FROM r"):
    """Rows of the release in a folder."""
    return rows_of(folder / "release.duckdb", sql)


def in_memory(sql):
    """The rows of a statement that reads no table."""
    with _database().cursor() as connection:
        return connection.execute(sql).fetchall()


def tree_file(path, rows):
    """A hierarchy file of label rows."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(
        "".join(
            ";".join('"' + cell.replace('"', '""') + '"' for cell in row) + "\n" for row in rows
        ),
        encoding="utf-8",
    )
    return {"type": "file", "path": str(path)}


def label_trees(folder, labels):
    """Hierarchy files of columns c0, c1, … of which each value has labels."""
    return {
        f"c{number}": tree_file(
            folder / "h" / f"c{number}.csv",
            [row for value, row in column.items() if value is not None],
        )
        for number, column in enumerate(labels)
    }


@contextmanager
def job(policy: Policy, folder: Path, stages=pipeline.SEARCH):
    """A job that went through some stages, catalog in memory."""
    journal = Journal()
    places = JobLocations.of(policy)
    folder.mkdir(exist_ok=True, parents=True)
    with (
        workspace(folder / "release.duckdb") as work,
        closing(
            open_engine(places.source, context := Context(work, policy.engine, journal))
        ) as engine,
        closing(open_target(engine, places, policy, context)) as target,
        Catalog.open(None, journal) as catalog,
    ):
        made = Job(policy, places, engine, target, catalog, context, silent)
        pipeline.go_through(made, stages)
        yield made


@contextmanager
def label_bench(folder: Path):
    """A bench on which labels are read, without a release."""
    with closing(open_workbench(Context(folder, EngineSettings(), Journal()))) as engine:
        yield Bench(engine)


@contextmanager
def cells_of(policy: Policy, folder: Path):
    """What a method that assigns cells to groups starts from."""
    with job(
        policy, folder, (*pipeline.CHECK, pipeline.require_sound, pipeline.build_star)
    ) as made:
        yield Cells(
            made.engine, made.schema.star, made.schema.nodes.sets.promise, 0, (), made.counted.coded
        )


def begin_parts(cells: Cells):
    """Make ``places`` and ``members_0``, the cells in the parts to begin with; the forms by
    attribute."""
    run, attributes, promise = cells.engine.run, cells.star.attributes, cells.promise
    forms = {
        attribute.index: "range" if attribute.sorts and attribute.min_level == 0 else "set"
        for attribute in attributes
    }
    mondrian.place_values(cells, forms)
    run("methods/regions/tops", attributes=attributes, promise=promise)
    run(
        "methods/regions/first_parts",
        table="tops",
        keys=[f"g{item.index}" for item in attributes],
        attributes=attributes,
        promise=promise,
    )
    run("methods/mondrian/first_members", attributes=attributes, promise=promise, relaxed=False)
    for table in ("tops", "parts_0"):
        cells.engine.drop(table)
    return forms


def vectors(job, nodes=None):
    """Nodes as level tuples in attribute order."""
    found = job.schema.searched.nodes
    return {
        tuple(found[node][a.index] for a in job.counted.attributes)
        for node in (found if nodes is None else nodes)
    }


def adult_policy(folder, names, k, limit=0.0, **more):
    """A policy over the real Adult table."""
    assert DATA is not None
    columns = {
        name: (
            {"type": "file", "path": str(DATA / "adult" / "hierarchies" / f"{name}.csv")}
            if name in names
            else "insensitive"
        )
        for name in ADULT
    }
    data = policy_data(columns, k=k, limit=limit, **more)
    data["source"] = {"file": str(DATA / "adult" / "adult.csv")}
    return Policy.parse(data, folder)


def fars_policy(folder, k, limit=0.0, **more):
    """A policy over the real accident records, eight quasi-identifying columns."""
    assert DATA is not None
    with (DATA / "fars" / "fars.csv").open() as lines:
        names = lines.readline().strip().split(";")
    trees = {
        path.stem: {"type": "file", "path": str(path)}
        for path in (DATA / "fars" / "hierarchies").glob("*.csv")
    }
    data = policy_data(
        {name: trees.get(name, "insensitive") for name in names}, k=k, limit=limit, **more
    )
    data["source"] = {"file": str(DATA / "fars" / "fars.csv"), "delimiter": ";"}
    return Policy.parse(data, folder)
