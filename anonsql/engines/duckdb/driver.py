"""DuckDB's driver. The compiled module behind its package is enough where there is one, and is
imported in a third of the time: what the package adds is for people at a prompt."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb
else:
    try:
        import _duckdb as duckdb
    except ImportError:
        import duckdb

__all__ = ["duckdb"]
