"""Database engines: the only place that imports their drivers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING
from urllib.parse import quote

from anonsql.errors import InvariantError, PolicyError
from anonsql.system import database_files

if TYPE_CHECKING:
    from pathlib import Path

    from anonsql.engines.base import Context, Engine, Part, ReleaseTables, Target
    from anonsql.policy.locations import Location, Places
    from anonsql.policy.policy import Policy

_DRIVERS = {"postgres": ("psycopg",), "spark": ("pyspark",), "mysql": ("pymysql",)}
_EXTRAS = {"mysql": "mariadb"}


def open_engine(place: Location, context: Context) -> Engine:
    """Return the engine that reads the source at ``place``; its statements end when the time of
    ``context`` is over."""
    _require_drivers(place)
    engine = _opened(place, context)
    context.journal.clock.limit(context.settings.seconds, engine.interrupt)
    return engine


def _opened(place: Location, context: Context) -> Engine:
    if place.kind == "postgres":
        from anonsql.engines.postgres.engine import PostgresEngine

        return PostgresEngine(place, context)
    if place.kind == "spark":
        from anonsql.engines.spark.engine import SparkEngine

        return SparkEngine(place, context)
    if place.kind == "sqlite":
        from anonsql.engines.sqlite.engine import SQLiteEngine

        return SQLiteEngine(place, context)
    if place.kind == "mysql":
        from anonsql.engines.mariadb.engine import MariaDBEngine

        return MariaDBEngine(place, context)
    from anonsql.engines.duckdb.engine import DuckDBEngine

    return DuckDBEngine(place, context)


def open_workbench(context: Context, name: str = "workbench") -> Engine:
    """Return a DuckDB in this process's memory, whose statements end with the time of ``context``,
    too; what does not fit into memory lies in the folder ``name`` of the run's private one."""
    from anonsql.engines.duckdb.engine import DuckDBEngine
    from anonsql.policy.locations import Location

    folder = context.workspace / name
    folder.mkdir(mode=0o700, exist_ok=True)
    memory = context.settings.workbench_memory or context.settings.memory_limit
    settings = context.settings.model_copy(update={"memory_limit": memory})
    own = replace(context, workspace=folder, settings=settings)
    engine = DuckDBEngine(Location("duckdb"), own, "workbench")
    context.journal.clock.also_end(engine.interrupt)
    return engine


@contextmanager
def label_reader(engine: Engine) -> Iterator[Engine]:
    """Give the DuckDB that reads the labels of a release in ``engine``: that itself, or one in this
    process's memory."""
    from anonsql.engines.server import SeparateEngine

    if not isinstance(engine, SeparateEngine):
        yield engine
        return
    with closing(open_workbench(engine.context, "labels")) as reader:
        yield reader


def workspace_of(engine: Engine) -> Path:
    """Return the private folder of the run that an engine works for."""
    from anonsql.engines.duckdb.engine import DuckDBEngine
    from anonsql.engines.server import SeparateEngine

    if isinstance(engine, SeparateEngine):
        return engine.context.workspace
    if isinstance(engine, DuckDBEngine):
        return engine.workspace
    raise InvariantError("an engine works for no run")


def open_target(engine: Engine, places: Places, policy: Policy, context: Context) -> Target:
    """Return the target that the policy's release is written to, with the rows from ``engine``."""
    if places.release.kind == "mysql":
        from anonsql.engines.mariadb.engine import MariaDBEngine
        from anonsql.engines.mariadb.target import MariaDBTarget

        if not isinstance(engine, MariaDBEngine):
            raise InvariantError("the release is MariaDB's and the source is not")
        return MariaDBTarget(engine, policy, context)
    if places.release.is_file:
        return open_file(engine, places.release, policy.release.name, context, policy.release_parts)
    if places.release.kind == "postgres":
        from anonsql.engines.postgres.engine import PostgresEngine
        from anonsql.engines.postgres.target import PostgresTarget

        if not isinstance(engine, PostgresEngine):
            raise InvariantError("the release is PostgreSQL's and the source is not")
        return PostgresTarget(engine, policy, context)
    from anonsql.engines.spark.engine import SparkEngine
    from anonsql.engines.spark.target import SparkTarget

    if not isinstance(engine, SparkEngine):
        raise InvariantError("the release is Spark's and the source is not")
    return SparkTarget(engine, policy, context)


def open_file(
    engine: Engine, place: Location, table: str, context: Context, extras: Sequence[Part] = ()
) -> Target:
    """Return the target of a release in files of this machine; ``extras`` are its parts besides
    those that every release has."""
    if place.kind == "sqlite":
        from anonsql.engines.sqlite.engine import SQLiteEngine
        from anonsql.engines.sqlite.target import SQLiteTarget

        if not isinstance(engine, SQLiteEngine):
            raise InvariantError("the release is SQLite's and the source is not")
        return SQLiteTarget(engine, place, table, context, extras)
    from anonsql.engines.duckdb.database_target import DatabaseTarget
    from anonsql.engines.duckdb.folder_target import FolderTarget
    from anonsql.engines.duckdb.single_file_targets import CSVTarget, ParquetTarget

    targets = {"duckdb": DatabaseTarget, "parquet": ParquetTarget, "csv": CSVTarget}
    return targets.get(place.kind, FolderTarget)(engine, place, table, context, extras)


def tables_in(engine: Engine, path: Path, where: str) -> list[str]:
    """Return the tables and views of a database file of the engine's kind; raise PolicyError at
    ``where`` when it is not one."""
    from anonsql.engines.duckdb.engine import DuckDBEngine

    name = "looked_at"
    if isinstance(engine, DuckDBEngine):
        engine.attach(path, name, where)
        try:
            return engine.tables((name,))
        finally:
            engine.detach(name)
    from anonsql.engines.sqlite.engine import SQLiteEngine

    if not isinstance(engine, SQLiteEngine):
        raise InvariantError("a database file is read by another engine")
    engine.attach(path, name, where)
    try:
        return engine.tables(name)
    finally:
        engine.detach(name)


def open_released(engine: Engine, place: Location, table: str) -> ReleaseTables | None:
    """Return the tables of a release in a server's database, where that finds them by itself."""
    if place.kind != "mysql":
        return None
    from anonsql.engines.mariadb.engine import MariaDBEngine

    if not isinstance(engine, MariaDBEngine):
        raise InvariantError("the release is MariaDB's and the engine is not")
    return engine.released(table, "query")


def open_stage(engine: Engine, places: Places, policy: Policy, context: Context) -> Target:
    """Return a target for a release of the policy's kind that is staged and never published: where
    the policy's own release goes, nothing is made, locked or read, and nothing is left when target
    and engine are closed."""
    if places.release.is_file:
        return open_target(engine, places, policy, context)
    schema = "anonsql"  # PostgreSQL stages in a schema of its own whatever this is
    if places.release.kind == "spark":
        from anonsql.engines.spark.engine import SparkEngine

        if not isinstance(engine, SparkEngine):
            raise InvariantError("the release is Spark's and the source is not")
        schema = engine.require_scratch()
    release = policy.release.model_copy(update={"table": f"{schema}.staged"})
    return open_target(engine, places, policy.model_copy(update={"release": release}), context)


@contextmanager
def open_release(
    engine: Engine, places: Places, policy: Policy, named: str, context: Context
) -> Iterator[ReleaseTables]:
    """Open any published release for reading inside the ``with`` block: a file or folder of this
    machine, or a table in the database that the policy's release goes to."""
    from anonsql.engines.duckdb.released_tables import only_table
    from anonsql.policy.locations import Location, database, released_at

    path = policy.path(named)
    if named.startswith("sqlite:") or (path.is_file() and database_files.is_sqlite(path)):
        url = named if named.startswith("sqlite:") else f"sqlite:///{quote(named)}"
        place = database(url, "release", policy.path)
        with (
            closing(open_engine(place, context)) as own,
            closing(open_file(own, place, policy.release.name, context)) as opened,
            opened.published() as located,
        ):
            yield located
        return
    if (found := released_at(path)) is not None:
        place = found
    elif path.exists() or places.release.is_file:
        place = Location("duckdb", path)
    else:
        elsewhere = policy.model_copy(
            update={"release": policy.release.model_copy(update={"table": named})}
        )
        with open_target(engine, places, elsewhere, context).published() as located:
            yield located
        return
    with (
        closing(open_file(engine, place, only_table(place, context), context)) as target,
        target.published() as located,
    ):
        yield located


def _require_drivers(place: Location) -> None:
    for driver in _DRIVERS.get(place.kind, ()):
        try:
            import_module(driver)
        except ImportError:
            extra = _EXTRAS.get(place.kind, place.kind)
            remedy = f"Install it: pip install 'anonsql[{extra}]'."
            raise PolicyError.at(
                "source.database",
                f"{place} needs the Python package {driver}, which is not there.",
                remedy,
            ) from None
