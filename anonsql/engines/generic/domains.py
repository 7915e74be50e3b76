"""Dimension tables, made on an embedded DuckDB from the distinct values of their columns.

Labels need dates, exact decimals, masks and hashes, which every database writes in its own way. So
the domain of a column, its distinct values, travels to an embedded DuckDB in the run's private
folder, and the dimension table that is made there comes back. No row and no combination of values
leaves the database for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol

from anonsql.engines.base import Column, Context
from anonsql.engines.duckdb.engine import DuckDBEngine
from anonsql.policy.locations import Location

DIMENSION = "hierarchies/grouped"
"""The template of dimension tables."""
ABOUT = ("hierarchies/lint", "hierarchies/examples")
"""The templates that examine dimension tables, and nothing else."""


class Attribute(Protocol):
    """A column with a hierarchy, as far as its values are concerned."""

    @property
    def index(self) -> int:
        """Its number."""

    @property
    def cast(self) -> str | None:
        """The type that its values are cast to, where it is not their own."""

    @property
    def column(self) -> Column:
        """The column."""


Values = Callable[[Attribute], Sequence[Sequence[object]]]
Loaded = Callable[[str, Sequence[tuple[str, str]], Sequence[Sequence[object]]], None]


class Domains:
    """The dimension tables of a run."""

    def __init__(self, context: Context) -> None:
        folder = context.workspace / "domains"
        folder.mkdir(mode=0o700, exist_ok=True)
        self._bench = DuckDBEngine(Location("duckdb"), replace(context, workspace=folder))
        context.journal.clock.also_end(self._bench.interrupt)

    def leaves(
        self, table: str, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[object]]
    ) -> None:
        """Keep the leaves of a hierarchy."""
        self._bench.load(table, columns, rows)

    def build(self, values: Values, load: Loaded, **parameters: Any) -> None:
        """Make a dimension table of the ``values`` of its attribute and ``load`` it."""
        attribute, name = parameters["a"], parameters["name"]
        domain = [(f"q{attribute.index}", attribute.cast or attribute.column.type)]
        given = [tuple(row) for row in values(attribute)] or [(None,)]  # NULL is left out there
        self._bench.load("combinations", domain, given)
        self._bench.drop(name)
        self._bench.run("star/models/table", **parameters)
        columns = [(each.name, each.type) for each in self._bench.columns((name,))]
        names = [each for each, _ in columns]
        rows = self._bench.query("verification/facts", table=name, columns=names)
        load(name, columns, rows)

    def query(self, template: str, **parameters: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a template about the dimension tables."""
        return self._bench.query(template, **parameters)

    def close(self) -> None:
        """Close the embedded DuckDB."""
        self._bench.close()
