"""Data frames as tables of DuckDB: written to a file, and a release read into memory."""

from __future__ import annotations

from pathlib import Path

import duckdb

from anonsql.errors import PolicyError, ResourceError
from anonsql.sql import templates

Connection = duckdb.DuckDBPyConnection
Relation = duckdb.DuckDBPyRelation


def write(frame: object, path: Path, table: str) -> None:
    """Write a frame that DuckDB can scan as a table of a new file, which only its owner may read.
    Raise PolicyError where DuckDB cannot read it, ResourceError where there is no space."""
    with duckdb.connect(str(path)) as connection:
        path.chmod(0o600)
        try:
            connection.register("given", frame)
            connection.execute(templates.render("engines/duckdb/frame", table=table))
            connection.unregister("given")
        except (duckdb.OutOfMemoryException, duckdb.IOException):
            text = "the frame does not fit into memory or onto the disk of temporary files"
            raise ResourceError("anonymize", text) from None
        except duckdb.Error as error:
            raise PolicyError.at(
                "table",
                f"DuckDB cannot read the frame: {type(error).__name__}.",
                "Convert columns of unusual types to text, numbers or dates.",
            ) from None


def read(path: Path) -> duckdb.DuckDBPyConnection:
    """Return a connection that has the tables and views of a release file in memory, as tables."""
    connection = duckdb.connect()
    try:
        connection.execute(templates.render("engines/duckdb/attach", path=str(path), name="file"))
        named = templates.render("engines/duckdb/tables", database="file")
        for _, name, _ in connection.execute(named).fetchall():
            connection.execute(templates.render("engines/duckdb/copied", table=name, name="file"))
        connection.execute(templates.render("engines/duckdb/detach", name="file"))
    except BaseException:
        connection.close()
        raise
    return connection
