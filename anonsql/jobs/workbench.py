"""The workbench: the embedded DuckDB on which the search of a server's job works.

Rows stay where they are. What travels are whole numbers: the cells (which combination of codes
occurs how often) and the dimensions as codes, with the loss of each. What comes back are levels,
which Python has. On a DuckDB source the workbench is the engine itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from anonsql.engines import open_workbench
from anonsql.engines.base import Column, Context, Engine
from anonsql.engines.travelling import rows_of
from anonsql.policy.policy import Policy
from anonsql.star.cells import Star
from anonsql.star.models import Promise
from anonsql.system.journal import log

MOST_CELLS = 20_000_000
"""The cells that ``auto`` carries to the workbench at most."""
_STEPS = (
    *(Column(name, "INTEGER") for name in ("attribute", "level", "code", "up")),
    Column("loss", "DOUBLE"),
)


class Workbench:
    """Where a job's search works: in the engine of its source (``in-place``), or on an embedded
    DuckDB in the run's private folder, which is opened when it is first needed."""

    def __init__(self, engine: Engine, context: Context) -> None:
        self._engine, self._context = engine, context
        self._own: Engine | None = None

    def carry(self, policy: Policy, star: Star, promise: Promise) -> Engine:
        """Return the engine that the search is to work on, which has the tables that frequency sets
        are counted from: ``cells``, ``steps`` and the dimensions. Methods that decide more than
        levels, and promises of more than k rows, stay in place."""
        asked = self._context.settings.workbench
        too_many = asked == "auto" and star.cells > MOST_CELLS
        in_place = asked == "in-place" or self._engine.dialect == "duckdb" or too_many
        if in_place or not policy.method.decides_levels or not promise.plain:
            return self._engine
        self._own = bench = open_workbench(self._context)
        codes = [Column(f"c{each.index}", "INTEGER") for each in star.attributes]
        self._copy(bench, "cells", [*codes, Column("n", "BIGINT")])
        self._copy(bench, "steps", _STEPS)
        for each in star.attributes:
            bench.run("jobs/workbench/dimension", a=each)
        log.info("%d cells were carried to the workbench", star.cells)
        return bench

    def close(self) -> None:
        """Close the embedded DuckDB, if it was opened."""
        if self._own is not None:
            self._own.close()

    def _copy(self, bench: Engine, table: str, columns: Sequence[Column]) -> None:
        """Make a table on the workbench of some columns of the engine's table of that name."""
        file = self._context.workspace / f"workbench-{table}"
        carried = self._engine.carry(table, columns, file)
        bench.run("jobs/workbench/copied", table=table, **rows_of(carried))
        for path in carried.paths if carried.format == "csv" else ():
            path.unlink()
