"""Database engines: the only place that imports their drivers.

An engine is a package: ``engine.py`` reads the source and runs statements, ``target.py`` writes
releases. They are loaded when they are needed, so that no driver is that is not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from anonsql.errors import InvariantError, PolicyError
from anonsql.system import database_files

if TYPE_CHECKING:
    from anonsql.engines.base import Context, Engine, Part, ReleaseTables
    from anonsql.engines.target import Target
    from anonsql.policy.databases import Kind
    from anonsql.policy.locations import JobLocations, Location
    from anonsql.policy.table_columns import TableColumns


@dataclass(frozen=True)
class _Classes:
    """The classes of an engine and of its target in ``anonsql.engines``; of a driver that not every
    installation has, its Python package and the extra of anonsql that installs it."""

    engine: str
    target: str
    driver: str = ""
    extra: str = ""


_DUCKDB = "duckdb.engine.DuckDBEngine"
_CLASSES: dict[Kind, _Classes] = {
    "duckdb": _Classes(_DUCKDB, "duckdb.file_targets.DatabaseTarget"),
    "file": _Classes(_DUCKDB, ""),
    "parquet": _Classes(_DUCKDB, "duckdb.file_targets.ParquetTarget"),
    "csv": _Classes(_DUCKDB, "duckdb.file_targets.CSVTarget"),
    "folder": _Classes(_DUCKDB, "duckdb.file_targets.FolderTarget"),
    "sqlite": _Classes("sqlite.engine.SQLiteEngine", "sqlite.target.SQLiteTarget"),
    "postgres": _Classes(
        "postgres.engine.PostgresEngine", "postgres.target.PostgresTarget", "psycopg", "postgres"
    ),
    "spark": _Classes("spark.engine.SparkEngine", "spark.target.SparkTarget", "pyspark", "spark"),
    "mysql": _Classes(
        "mariadb.engine.MariaDBEngine", "mariadb.target.MariaDBTarget", "pymysql", "mariadb"
    ),
}


def _loaded(path: str) -> Any:
    return resolve_name(f"anonsql.engines.{path}")


def open_engine(location: Location, context: Context) -> Engine:
    """Return the engine that reads the source at ``location``; its statements end when the time of
    ``context`` is over."""
    classes = _CLASSES[location.kind]
    if classes.driver:
        _require_driver(location, classes)
    engine: Engine = _loaded(classes.engine)(location, context)
    context.journal.clock.limit(context.settings.seconds, engine.interrupt)
    return engine


def open_workbench(context: Context, name: str = "workbench") -> Engine:
    """Return a DuckDB in this process's memory, whose statements also end with the time of
    ``context``; data beyond the memory goes to the folder ``name`` of the run's private one."""
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
    if engine.embedded:
        yield engine
        return
    with closing(open_workbench(engine.context, "labels")) as reader:
        yield reader


def open_target(
    engine: Engine, places: JobLocations, policy: TableColumns, context: Context
) -> Target:
    """Return the target that the policy's release is written to, with the rows from ``engine``."""
    if places.release.is_file:
        return open_file(engine, places.release, policy.release.name, context, policy.release_parts)
    if places.release.kind != places.source.kind:
        raise InvariantError("a release on a server is made from another source")
    target: Target = _loaded(_CLASSES[places.release.kind].target)(engine, policy, context)
    return target


def open_file(
    engine: Engine, location: Location, table: str, context: Context, extras: Sequence[Part] = ()
) -> Target:
    """Return the target of a release in files of this machine; ``extras`` are its parts in addition
    to those of every release."""
    target: Target = _loaded(_CLASSES[location.kind].target)(
        engine, location, table, context, extras
    )
    return target


def open_stage(
    engine: Engine, places: JobLocations, policy: TableColumns, context: Context
) -> Target:
    """Return a target for a release of the policy's kind that is staged and never published: where
    the policy's own release goes, nothing is made, locked or read, and nothing is left when target
    and engine are closed."""
    if places.release.is_file:
        return open_target(engine, places, policy, context)
    release = policy.release.model_copy(update={"table": f"{engine.trial_schema}.staged"})
    return open_target(engine, places, policy.changed(release=release), context)


@contextmanager
def open_release(
    engine: Engine, places: JobLocations, policy: TableColumns, named: str, context: Context
) -> Iterator[ReleaseTables]:
    """Open any published release for reading inside the ``with`` block: a file or folder of this
    machine, or a table in the database that the policy's release goes to."""
    from anonsql.policy.locations import Location, database, released_at

    path = policy.path(named)
    if named.startswith("sqlite:") or (path.is_file() and database_files.is_sqlite(path)):
        url = named if named.startswith("sqlite:") else f"sqlite:///{quote(named)}"
        result = database(url, "release", policy.path)
        with (
            closing(open_engine(result, context)) as own,
            closing(open_file(own, result, policy.release.name, context)) as opened,
            opened.published() as located,
        ):
            yield located
        return
    if (location := released_at(path)) is not None:
        result = location
    elif path.exists() or places.release.is_file:
        result = Location("duckdb", path)
    else:
        elsewhere = policy.changed(release=policy.release.model_copy(update={"table": named}))
        with open_target(engine, places, elsewhere, context).published() as located:
            yield located
        return
    parts = policy.release_parts
    table = _only_table(result, context, policy.release.name if parts else None)
    with (
        closing(open_file(engine, result, table, context, parts)) as target,
        target.published() as located,
    ):
        yield located


def _only_table(location: Location, context: Context, first: str | None) -> str:
    """Return the name of the only table that is released in a DuckDB file or a folder of Parquet
    files, or of the ``first`` of several that belong together; raise PolicyError when there is no
    release, or more than one. A Parquet or CSV file, and a file that does not exist, is the release
    of its own name: opening it fails if that is wrong."""
    from anonsql.engines.duckdb.engine import DuckDBEngine
    from anonsql.policy.release_parts import part_name

    path = location.path
    if location.is_single or not path.exists():
        return path.stem
    if location.kind == "folder":
        names = [column.name.removesuffix(".parquet") for column in path.iterdir()]
    else:
        with closing(DuckDBEngine(location, context)) as reader:
            names = reader.tables_in(path, "release")
    released = [name for name in names if part_name(name, "about") in names]
    if first in released:
        return str(first)
    if len(released) != 1:
        raise PolicyError.at(
            "release",
            f"{path} is not a release of anonsql.",
            "Name a file or folder that `anonsql run` made.",
        )
    return released[0]


def _require_driver(location: Location, classes: _Classes) -> None:
    try:
        import_module(classes.driver)
    except ImportError:
        raise PolicyError.at(
            "source.database",
            f"{location} needs the Python package {classes.driver}, which is not installed.",
            f"Install it: pip install 'anonsql[{classes.extra}]'.",
        ) from None
