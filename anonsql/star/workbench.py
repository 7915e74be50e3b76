"""The workbench: where a job's star schema lies, and its search and method work.

On a DuckDB source that is the engine itself. For a server it is an embedded DuckDB in the run's
private folder: rows stay where they are, and what travels are whole numbers (the cells: which
combination of codes occurs how often) and the values of the quasi-identifying columns, of which the
workbench makes the dimension tables. What comes back are those, and by code what the method
decided. Values of other columns travel as codes alone, but for those of sensitive columns with a
hierarchy where the database cannot make dimension tables itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

from anonsql.engines import open_workbench
from anonsql.engines.base import Column, Context, Engine, Export
from anonsql.engines.exported_columns import bring
from anonsql.errors import PolicyError, Problem, SqlError
from anonsql.hierarchies import dimensions
from anonsql.hierarchies.dimensions import Attribute
from anonsql.hierarchies.leaf_tables import LeafTables
from anonsql.hierarchies.lint import lint
from anonsql.star.coded import Coded
from anonsql.system.journal import log

_MOST_IN_PYTHON = 2_000_000
"""The combinations that ``auto`` carries at most where what comes back passes through Python."""
_OF_GROUPS = (
    *(Column(name, "INTEGER") for name in ("code", "level", "up")),
    Column("share", "DOUBLE"),
)


class Workbench:
    """Where the star schema of a job lies: in the engine of its source (``in-place``), or on an
    embedded DuckDB (``embedded``), which is opened when there is something to carry."""

    def __init__(self, engine: Engine, context: Context, leaves: LeafTables) -> None:
        self._server, self._context, self._leaves = engine, context, leaves
        self._embedded: Engine | None = None

    @property
    def engine(self) -> Engine:
        """The engine that the star schema lies in."""
        return self._server if self._embedded is None else self._embedded

    def open(
        self,
        attributes: Sequence[Attribute],
        coded: Sequence[Coded],
        combinations: int,
        *,
        populated: bool = False,
    ) -> None:
        """Decide where the star schema lies. Where that is an embedded DuckDB, carry the domains of
        the ``attributes`` there: it gets a table ``combinations`` like the engine's, in which each
        value of a column occurs once, by itself. ``populated`` is whether the engine's has a
        population besides.

        The star schema stays in place where the policy says so, where there are more
        ``combinations`` than ``auto`` carries, and where values cannot travel: numbers and times
        that DuckDB cannot hold, and sensitive values that a promise measures distances between.
        Raise PolicyError where it may not stay and a value cannot travel.
        """
        self.close()
        reason = self._reason(attributes, coded, combinations, populated=populated)
        if reason:
            log.debug("the star schema is computed in place: %s", reason)
            return
        self._embedded = open_workbench(self._context)
        if reason := self._carry_domains(self._embedded, attributes):
            self.close()
            if self._context.settings.workbench == "embedded" or self._apart:
                raise self._cannot_travel(reason)
            log.debug("the star schema is computed in place: a value is beyond the types of DuckDB")

    def open_for(self, rows: int) -> None:
        """Open an embedded DuckDB for tables of whole numbers with so many ``rows`` in all, unless
        the policy says that work stays in place, or there are more than it lets travel."""
        self.close()
        settings = self._context.settings
        most = settings.workbench_cells if settings.workbench == "auto" else rows
        stays = settings.workbench == "in-place" or rows > most
        if not self._server.embedded and not stays:
            self._embedded = open_workbench(self._context)

    def carry(self, table: str, columns: Sequence[Column]) -> None:
        """Carry a scratch table of the rows' engine to the workbench, where that is another."""
        if self._embedded is not None:
            self._carry(table, columns)

    def make_dimensions(
        self, attributes: Sequence[Attribute], beside: Sequence[Attribute], *, show_values: bool
    ) -> list[Problem]:
        """Make the dimension tables of the ``attributes`` where the star schema is, and those of
        sensitive columns (``beside``) with the rows; return what is wrong with them."""
        problems = []
        for engine, some in ((self.engine, attributes), (self._server, beside)):
            if some and engine is self._server and self._apart:
                problems += self._made_apart(some, show_values=show_values)
            elif some:
                problems += self._made(engine, some, show_values=show_values)
        return problems

    def _made_apart(self, attributes: Sequence[Attribute], *, show_values: bool) -> list[Problem]:
        """Make dimension tables for a database that cannot: labels need dates, exact decimals,
        masks and hashes, which every database writes in its own way. The distinct values of the
        columns travel to an embedded DuckDB of their own, no row and no combination does."""
        with closing(open_workbench(self._context, "dimensions")) as maker:
            if reason := self._carry_domains(maker, attributes):
                raise self._cannot_travel(reason)
            problems = self._made(maker, attributes, show_values=show_values)
            if not problems:
                self._give_back(maker, [f"dim_{attribute.index}" for attribute in attributes])
        return problems

    def _made(
        self, engine: Engine, attributes: Sequence[Attribute], *, show_values: bool
    ) -> list[Problem]:
        for attribute in attributes:
            dimensions.build(engine, attribute, self._leaves)
        return lint(engine, attributes, self._leaves, show_values)

    def _carry_domains(self, maker: Engine, attributes: Sequence[Attribute]) -> str:
        """Make ``combinations`` of distinct values; return why DuckDB cannot hold one."""
        self._server.run(self._server.own["domains"], attributes=attributes)
        columns = [
            Column(f"q{attribute.index}", attribute.cast or attribute.column.type)
            for attribute in attributes
        ]
        carried = self._sent("domains", columns)
        try:
            maker.receive("combinations", carried)
        except SqlError as error:  # DuckDB's: what the server says is raised as it is
            return error.reason
        finally:
            self._server.drop("domains")
        return ""

    @property
    def _apart(self) -> bool:
        return not self._server.searchable

    def _cannot_travel(self, reason: str) -> PolicyError:
        text = f"a value of a column with a hierarchy cannot be copied to DuckDB ({reason})."
        remedy = "Leave such values (NaN, far years) out in a view."
        if not self._apart:
            remedy = "Set it to auto or in-place: such values (NaN, far years) are then not copied."
        return PolicyError.at("engine.workbench", text, remedy)

    def _reason(
        self,
        attributes: Sequence[Attribute],
        coded: Sequence[Coded],
        combinations: int,
        *,
        populated: bool,
    ) -> str:
        settings = self._context.settings
        if self._server.embedded:
            return "the source is a DuckDB itself"
        if not attributes:
            return "there is nothing to generalize"
        if settings.workbench == "in-place":
            if self._apart:
                raise PolicyError.at(
                    "engine.workbench",
                    "search and methods cannot run inside databases of this kind.",
                    "Leave it out: only codes and counts of cells are copied to this machine, no"
                    " rows.",
                )
            return "engine.workbench asks for it"
        if any(attribute.column.unbounded for attribute in attributes):
            return "DuckDB has no numbers with arbitrarily many digits"
        if any(column.measured for column in coded):
            return "a promise measures distances between sensitive values"
        if settings.workbench == "embedded" or self._apart:
            return ""
        if coded or populated:  # there are more than those of quasi-identifying values
            combinations = self._server.query("sql/rows", table="combinations")[0][0]
        most = settings.workbench_cells
        if self._server.takes == "rows":
            most = min(most, _MOST_IN_PYTHON)
        return f"there are {combinations:,} combinations" if combinations > most else ""

    def return_dimensions(self, attributes: Sequence[Attribute]) -> None:
        """Bring the dimension tables that the workbench made to the rows."""
        if self._embedded is None:
            return
        self._embedded.drop("combinations")
        self.give_back(*(f"dim_{attribute.index}" for attribute in attributes))

    def carry_cells(
        self,
        attributes: Sequence[Attribute],
        codes: Sequence[str],
        counts: Sequence[str],
        coded: Sequence[Coded] = (),
    ) -> None:
        """Carry ``cells`` (the codes of the ``attributes``, further ``codes``, and ``counts``) to
        the workbench, with what promises ask of the ``coded`` columns: how often which code occurs,
        and its place in an order. Raise PolicyError where a value of the source is not in the
        dimension table that came from the workbench."""
        if self._embedded is None:
            return
        columns = [Column(f"c{attribute.index}", "INTEGER") for attribute in attributes]
        columns += [Column(name, "INTEGER") for name in codes]
        self._carry("cells", columns + [Column(name, "BIGINT") for name in counts])
        lost = self._embedded.query("star/workbench/unmatched", attributes=attributes)[0]
        if any(lost):
            names = [
                attribute.name
                for attribute, missing in zip(attributes, lost, strict=True)
                if missing
            ]
            text = f"values of {', '.join(names)} changed on the way to the workbench and back."
            raise PolicyError.at(
                "engine.workbench", text, "Set it to in-place, or cast the columns."
            )
        for column in coded:
            self._carry(f"values_{column.index}", _of_values(column))
            if column.attribute is not None:
                self._carry(f"groups_{column.index}", _OF_GROUPS)

    def give_back(self, *tables: str) -> None:
        """Bring tables of the workbench to the rows, as they are."""
        if self._embedded is not None:
            self._give_back(self._embedded, tables)

    def _give_back(self, maker: Engine, tables: Sequence[str]) -> None:
        for table in tables:
            bring(maker, table, self._server, self._context.workspace)

    def close(self) -> None:
        """Close the embedded DuckDB, if it is open."""
        if self._embedded is not None:
            self._embedded.close()
            self._embedded = None

    def _carry(self, table: str, columns: Sequence[Column]) -> None:
        self.engine.receive(table, self._sent(table, columns))
        rows = self.engine.query("sql/rows", table=table)[0][0]
        log.debug("%d rows of %s were carried to the workbench", rows, table)

    def _sent(self, table: str, columns: Sequence[Column]) -> Export:
        file = self._context.workspace / f"to-workbench-{table}"
        return self._server.carry(table, columns, file)


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
