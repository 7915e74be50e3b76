"""The workbench: where a job's star schema lies, and its search and method work.

On a DuckDB source that is the engine itself. For a server it is an embedded DuckDB in the run's
private folder: rows stay where they are, and what travels are whole numbers (the cells: which
combination of codes occurs how often) and the values of the quasi-identifying columns, of which the
workbench makes the dimension tables. What comes back are those, and by code what the method
decided. Values of other columns travel as codes alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from anonsql.engines import open_workbench
from anonsql.engines.base import Column, Context, Engine
from anonsql.errors import InvariantError, PolicyError
from anonsql.hierarchies.dimensions import Attribute
from anonsql.sql.dialects import Dialect
from anonsql.star.coded import Coded
from anonsql.system.journal import log

_NOT_TYPED = "HUGEINT"
"""The type of DuckDB's sums, which other engines lack: what comes back is a BIGINT."""


_APART: tuple[Dialect, ...] = ("sqlite", "mysql")
"""The databases whose star schema always lies on the workbench: their planners are not up to the
statements of the search."""


class Workbench:
    """Where the star schema of a job lies: in the engine of its source (``in-place``), or on an
    embedded DuckDB (``embedded``), which is opened when there is something to carry."""

    def __init__(self, engine: Engine, context: Context) -> None:
        self._rows, self._context = engine, context
        self._own: Engine | None = None

    @property
    def engine(self) -> Engine:
        """The engine that the star schema lies in."""
        return self._rows if self._own is None else self._own

    def open(
        self, attributes: Sequence[Attribute], coded: Sequence[Coded], combinations: int
    ) -> None:
        """Decide where the star schema lies. Where that is an embedded DuckDB, carry the domains of
        the ``attributes`` there, from the engine's ``combinations``.

        It stays in place where the policy says so, where there are more ``combinations`` than
        ``auto`` carries, and where values cannot travel: numbers of any number of digits, which
        DuckDB lacks, and sensitive values that a promise measures distances between.
        """
        settings, apart = self._context.settings, self._rows.dialect in _APART
        if apart and settings.workbench == "in-place":
            raise PolicyError.at(
                "engine.workbench",
                "search and methods do not work inside databases of this kind.",
                "Leave it out: cells travel to this machine as codes and counts, and no row does.",
            )
        too_many = settings.workbench == "auto" and combinations > settings.workbench_cells
        too_many = too_many and not apart
        cannot = any(each.column.unbounded for each in attributes) or any(
            each.measured for each in coded
        )
        in_place = self._rows.dialect == "duckdb" or settings.workbench == "in-place"
        if in_place or too_many or cannot or not attributes:
            return
        self._own = open_workbench(self._context)
        domains = [Column(f"q{each.index}", _type(each)) for each in attributes]
        self._rows.run("star/workbench/domains", attributes=attributes)
        self._carry("domains", domains, into="combinations")

    def return_dimensions(self, attributes: Sequence[Attribute]) -> None:
        """Bring the dimension tables that the workbench made to the rows."""
        if self._own is None:
            return
        self._own.drop("combinations")
        self._rows.drop("domains")
        self.give_back(*(f"dim_{each.index}" for each in attributes))

    def carry_cells(
        self,
        attributes: Sequence[Attribute],
        codes: Sequence[str],
        counts: Sequence[str],
        coded: Sequence[Coded] = (),
    ) -> None:
        """Carry ``cells`` (the codes of the ``attributes``, further ``codes``, and ``counts``) to
        the workbench, with what promises ask of the ``coded`` columns: how often which code occurs,
        and its place in an order. Raise InvariantError where a value of the source is not in the
        dimension table that came from the workbench."""
        if self._own is None:
            return
        columns = [Column(f"c{each.index}", "INTEGER") for each in attributes]
        columns += [Column(name, "INTEGER") for name in codes]
        self._carry("cells", columns + [Column(name, "BIGINT") for name in counts])
        lost = self._own.query("star/workbench/unmatched", attributes=attributes)[0]
        if any(lost):
            names = [each.name for each, cells in zip(attributes, lost, strict=True) if cells]
            raise InvariantError(
                f"values of {', '.join(names)} changed on their way to the workbench; set"
                " engine.workbench to in-place"
            )
        for each in coded:
            self._carry(f"values_{each.index}", _of_values(each))
            if each.attribute is not None:
                self._carry(f"groups_{each.index}", _OF_GROUPS)

    def give_back(self, *tables: str) -> None:
        """Bring tables of the workbench to the rows, as they are."""
        if self._own is None:
            return
        for table in tables:
            columns = [_returned(each) for each in self._own.columns((table,))]
            if self._rows.takes == "rows":
                rows = self._own.query("star/workbench/rows", table=table, columns=columns)
                self._rows.load(table, [(each.name, each.type) for each in columns], rows)
                continue
            file = self._context.workspace / f"from-workbench-{table}"
            carried = self._own.carry(table, columns, file, self._rows.takes)
            self._rows.receive(table, carried)

    def close(self) -> None:
        """Close the embedded DuckDB, if it was opened."""
        if self._own is not None:
            self._own.close()

    def _carry(self, table: str, columns: Sequence[Column], into: str = "") -> None:
        """Make a table on the workbench of some columns of the engine's table of that name."""
        if self._own is None:
            raise InvariantError("there is no workbench apart from the engine")
        file = self._context.workspace / f"to-workbench-{table}"
        carried = self._rows.carry(table, columns, file)
        self._own.receive(into or table, carried)
        log.info("%s was carried to the workbench", table)


_OF_GROUPS = (
    *(Column(name, "INTEGER") for name in ("code", "level", "up")),
    Column("share", "DOUBLE"),
)


def _of_values(coded: Coded) -> list[Column]:
    """Return the columns of a table of values that travel: all but the values."""
    ordered = [Column("place", "BIGINT"), Column("below", "DOUBLE")] if coded.ordered else []
    return [
        Column("code", "INTEGER"),
        Column("n", "BIGINT"),
        Column("share", "DOUBLE"),
        Column("m", "BIGINT"),
        *ordered,
        Column("named", "BOOLEAN"),
    ]


def _type(attribute: Attribute) -> str:
    """Return the type of an attribute's values in the star schema."""
    return attribute.cast or attribute.column.type


def _returned(column: Column) -> Column:
    return replace(column, type="BIGINT") if column.type == _NOT_TYPED else column
