"""Database engines: the only place that imports their drivers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING

from anonsql.errors import InvariantError, PolicyError

if TYPE_CHECKING:
    from anonsql.engines.base import Context, Engine, ReleaseTables, Target
    from anonsql.policy.locations import Location, Places
    from anonsql.policy.policy import Policy

_DRIVERS = {
    "postgres": ("sqlalchemy", "psycopg"),
    "spark": ("pyspark",),
    "sqlite": ("sqlalchemy",),
    "mysql": ("sqlalchemy", "pymysql"),
}
_EXTRAS = {"sqlite": "sqlalchemy", "mysql": "mariadb"}


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
        from anonsql.engines.generic.sqlite import SQLiteEngine

        return SQLiteEngine(place, context)
    if place.kind == "mysql":
        from anonsql.engines.generic.mariadb import MariaDBEngine

        return MariaDBEngine(place, context)
    from anonsql.engines.duckdb.engine import DuckDBEngine

    return DuckDBEngine(place, context)


def open_workbench(context: Context) -> Engine:
    """Return a DuckDB in this process's memory, whose statements end with the time of ``context``,
    too; what does not fit into memory lies in a folder of its own in the run's private one."""
    from anonsql.engines.duckdb.engine import DuckDBEngine
    from anonsql.policy.locations import Location

    folder = context.workspace / "workbench"
    folder.mkdir(mode=0o700, exist_ok=True)
    engine = DuckDBEngine(Location("duckdb"), replace(context, workspace=folder))
    context.journal.clock.also_end(engine.interrupt)
    return engine


def open_target(engine: Engine, places: Places, policy: Policy, context: Context) -> Target:
    """Return the target that the policy's release is written to, with the rows from ``engine``."""
    from anonsql.engines.duckdb.target import FileTarget

    if places.release.kind == "sqlite":
        return _sqlite_target(engine, places.release, policy.release.name, context, policy)
    if places.release.kind == "mysql":
        from anonsql.engines.generic.mariadb import MariaDBEngine
        from anonsql.engines.generic.mariadb_target import MariaDBTarget

        if not isinstance(engine, MariaDBEngine):
            raise InvariantError("the release is MariaDB's and the source is not")
        return MariaDBTarget(engine, policy, context)
    if places.release.is_file:
        return FileTarget(
            engine, places.release, policy.release.name, context, policy.release_parts
        )
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


def _sqlite_target(
    engine: Engine, place: Location, table: str, context: Context, policy: Policy
) -> Target:
    from anonsql.engines.generic.sqlite import SQLiteEngine
    from anonsql.engines.generic.sqlite_target import SQLiteTarget

    if not isinstance(engine, SQLiteEngine):
        raise InvariantError("the release is SQLite's and the source is not")
    return SQLiteTarget(engine, place, table, context, policy.release_parts)


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
    from anonsql.engines.duckdb.target import FileTarget
    from anonsql.policy.locations import PARQUET, Location

    path = policy.path(named)
    if path.is_dir() or path.suffix.lower() in PARQUET:
        place = Location("folder" if path.is_dir() else "parquet", path)
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
        closing(FileTarget(engine, place, only_table(place, context), context)) as target,
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
