"""MariaDB and MySQL as the data plane: a scratch database of the run's own, and one connection.

These servers end a transaction wherever a table is made, and read the newest rows, not a snapshot,
where a statement writes what it reads. So a run that publishes compares a fingerprint of the source
at the end with that of its beginning. The source is read through a view of the scratch database
that evens out types, and compares text byte by byte, whatever its collation.

A named lock of the server says that a scratch database is in use; it ends with its connection. The
next run removes the scratch of runs that died.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import re
import secrets
from collections.abc import Sequence
from typing import Any

import sqlalchemy
from sqlalchemy.exc import DBAPIError

from anonsql.engines.base import (
    BASE_PARTS,
    VIEW_PARTS,
    Column,
    Context,
    Part,
    Relation,
    ReleaseTables,
    extras_of,
    is_release,
    own_templates,
    parts_of,
)
from anonsql.engines.mariadb.column_types import NAMES, sized, type_of
from anonsql.engines.mariadb.session import connect
from anonsql.engines.server import ServerEngine
from anonsql.engines.sqlalchemy_engine.engine import SQLAlchemyEngine
from anonsql.engines.sqlalchemy_engine.errors import translated
from anonsql.errors import AnonsqlError, BusyError, PolicyError, did_you_mean
from anonsql.policy.locations import Location
from anonsql.policy.release_parts import part_name
from anonsql.policy.source import Source
from anonsql.sql.dialects import Dialect

_LITERAL = re.compile(r"'(?:[^'\\]|''|\\.)*'")
_NAMED = re.compile(r"(?P<path>`(?:[^`]|``)+`(?:\.`(?:[^`]|``)+`)*)(?P<call>\()?")
_PART = re.compile(r"`((?:[^`]|``)+)`")
SCRATCH = re.compile(r"anonsql_scratch_[0-9a-f]{16}")


class MariaDBEngine(SQLAlchemyEngine, ServerEngine):
    """One run's data plane on the server at ``place``."""

    dialect: Dialect = "mysql"
    folder = "engines/mariadb"
    decimal_type = "DECIMAL(38,{})"
    longest_name = 64
    name_limit = "64 characters that are allowed"
    own = own_templates(
        "mariadb",
        hex_number="engines/mariadb/hex_number",
        domains="engines/sqlalchemy_engine/domains",
        stored_order="",  # MariaDB counts rows as they are read, MySQL does not
    )

    def __init__(self, location: Location, context: Context) -> None:
        super().__init__(location, context, connect(location))
        self._scratch = ""
        self._views: dict[Relation, tuple[Relation, list[Column]]] = {}
        self._watched: list[tuple[Relation, list[Column], list[tuple[Any, ...]]]] = []
        self._begin()

    def _begin(self) -> None:
        """Make the session one in which statements mean what they mean elsewhere."""
        version, self._id = self.query("engines/mariadb/me")[0]
        self.is_mariadb = mariadb = "mariadb" in str(version).lower()
        self._collation = "utf8mb4_nopad_bin" if mariadb else "utf8mb4_0900_bin"
        if mariadb:
            order = {"stored_order": "engines/mariadb/stored_order"}
            self.own = {**type(self).own, **order}
        self.query("engines/mariadb/charset", collation=self._collation)
        self.query("engines/mariadb/session", mariadb=mariadb)

    # source

    def open_source(self, source: Source) -> Relation:
        """Find the table, and make the view that it is read through."""
        return self._open(source.table or "", "source", "source.table")

    def open_population(self, source: Source, _place: Location) -> Relation:
        """Find the population's table: it lies on the same server."""
        return self._open(source.table or "", "population", "privacy.population.table")

    def open_reference(self, source: Source, where: str, number: int) -> Relation:
        """Find another table, and make the view that it is read through."""
        return self._open(source.table or "", f"reference_{number}", where)

    def _open(self, table: str, name: str, where: str) -> Relation:
        shown = self.find(table, where)
        self._require_safe(shown, where)
        casts = self._reflected(shown)
        flags = [column for column, _ in casts if column.kind == "boolean"]
        if flags:
            odd = self.query("engines/mariadb/flags", table=shown, columns=flags)[0]
            wide = {flag.name for flag, count in zip(flags, odd, strict=True) if count}
            casts = [
                (Column(column.name, "TINYINT"), cast) if column.name in wide else (column, cast)
                for column, cast in casts
            ]
        view = (self.require_scratch(), f"{name}_rows")
        self.query(
            "engines/mariadb/source",
            view=view,
            table=shown,
            casts=casts,
            collation=self._collation,
        )
        columns = [column for column, _ in casts]
        self._views[view] = (shown, columns)
        if self._context.exclusive:
            self._watched.append((view, columns, self._fingerprint(view, columns)))
        return view

    def find(self, table: str, where: str) -> Relation:
        """Return a table or view by its name, with its database where it needs one; raise
        PolicyError at ``where``."""
        own = sqlalchemy.make_url(self._place.url).database
        rows = [(schema, name) for schema, name in self.query("engines/mariadb/tables")]
        named = [row for row in rows if table == ".".join(row)]
        named = named or [row for row in rows if row == (own, table)]
        if not named:
            known = [name if schema == own else f"{schema}.{name}" for schema, name in rows]
            hint = did_you_mean(table, known) or f"The role sees {len(known)} tables."
            raise PolicyError.at(where, f"there is no table {table!r} on {self.host}.", hint)
        return named[0]

    def _require_safe(self, relation: Relation, where: str) -> None:
        """Raise PolicyError when reading a view could run functions of its owner with the rights of
        this session."""
        owners = self.query("engines/mariadb/views", relation=relation)
        if owners and owners[0][0] == "INVOKER" and not owners[0][1]:
            raise PolicyError.at(
                where,
                f"reading {'.'.join(relation)}, a view with SQL SECURITY INVOKER, can run code of"
                " another user with the rights of this one.",
                "Let its owner make it with SQL SECURITY DEFINER, or make one of your own.",
            )
        if function := self._function_below(relation):
            raise PolicyError.at(
                where,
                f"reading {'.'.join(relation)}, a view, calls the function {function}: it sees the"
                " values that it is called with, and nobody can follow what it does with them.",
                "Leave it out of the view, or copy the rows into a table.",
            )

    def _function_below(self, relation: Relation) -> str:
        """Return a stored function that a view, or a view that it reads, calls, empty where none
        does: the server writes the names of its own functions without quotes."""
        known, waiting = {relation}, [relation]
        while waiting:
            for _, _, text in self.query("engines/mariadb/views", relation=waiting.pop()):
                for named in _NAMED.finditer(_LITERAL.sub("''", text or "")):
                    path = tuple(part.replace("``", "`") for part in _PART.findall(named["path"]))
                    if named["call"]:
                        return ".".join(path)
                    if len(path) > 1 and path[:2] not in known:
                        known.add(path[:2])
                        waiting.append(path[:2])
        return ""

    def require_plain(self, relations: Sequence[Relation], where: str) -> None:
        """Raise PolicyError at ``where`` when a published table is a view: a release has none
        here."""
        for relation in relations:
            if self.query("engines/mariadb/views", relation=relation):
                raise PolicyError.at(
                    where, f"{'.'.join(relation)} is a view, and no table of a release.", "Drop it."
                )

    def columns(self, relation: Relation) -> list[Column]:
        """Return the columns of a relation in order."""
        if relation in self._views:
            return self._views[relation][1]
        path = relation if len(relation) > 1 else (self._scratch, *relation)
        return [column for column, _ in self._reflected(path)]

    def _reflected(self, relation: Relation) -> list[tuple[Column, str]]:
        """Return the columns of a table, and how the source's view casts them."""
        with translated("mariadb/columns", ""):
            type_engines = sqlalchemy.inspect(self._connection).get_columns(
                relation[1], relation[0]
            )
        return [
            (Column(row["name"], kind), cast)
            for row in type_engines
            for kind, cast in [type_of(row["type"])]
        ]

    def declared(self, relation: Relation) -> tuple[str | None, str] | None:
        """Return the database and name of the table that a relation shows."""
        shown = self._views[relation][0] if relation in self._views else relation
        return super().declared(shown)

    def require_unchanged(self) -> None:
        """Raise BusyError when the source has another content than at the beginning of a run that
        publishes."""
        for view, columns, before in self._watched:
            if self._fingerprint(view, columns) != before:
                raise BusyError(
                    "The source changed during the run. Nothing was published; run again."
                )

    def _fingerprint(self, view: Relation, columns: Sequence[Column]) -> list[tuple[Any, ...]]:
        return self.query("engines/mariadb/fingerprint", relation=view, columns=columns)

    def released(self, table: str, where: str) -> ReleaseTables:
        """Return the tables of a published release; raise PolicyError at ``where`` when it is
        none."""
        schema, name = self.find(self._full_name(table), where)
        known = dict(self.query("engines/mariadb/names", schema=schema))
        about = (schema, part_name(name, "about"))
        base = [part_name(name, part) for part in BASE_PARTS]
        if not all(known.get(name) for name in base) or not is_release(self, about):
            raise PolicyError.at(
                where,
                f"{table} is no release of anonsql.",
                "`anonsql run` (or `tabulate`) makes one.",
            )
        tables: dict[Part, Relation] = {
            part: (schema, part_name(name, part))
            for part in parts_of(extras_of(self, about))
            if part_name(name, part) in known
        }
        plain = [table for part, table in tables.items() if part not in VIEW_PARTS]
        self.require_plain(plain, where)
        return ReleaseTables.of(self, tables)

    def _full_name(self, table: str) -> str:
        """Return the name, with its database, of the only release that is called so, in whatever
        case; else the name as it is."""
        every = {tuple(row) for row in self.query("engines/mariadb/tables")}
        releases = [row for row in every if (row[0], part_name(row[1], "about")) in every]
        alike = [
            release
            for release in releases
            if table.lower() in (_alike(release), release[1].lower())
        ]
        exact = [row for row in alike if table == ".".join(row)]
        rows = exact or alike
        return ".".join(rows[0]) if len(rows) == 1 else table

    # scratch

    def require_scratch(self) -> str:
        """Make the scratch database when it is first needed, and return its name; that of runs that
        died is removed."""
        if self._scratch:
            return self._scratch
        for name in self.scratches():
            if self.query("engines/mariadb/free", name=name)[0][0]:
                self.query("engines/mariadb/drop_database", name=name)
        made = f"anonsql_scratch_{secrets.token_hex(8)}"
        self.lock(made)
        try:
            self.query("engines/mariadb/create_database", name=made, collation=self._collation)
        except AnonsqlError as error:
            if "denied" not in str(error):
                raise
            remedy = "Its administrator can: GRANT ALL ON `anonsql\\_scratch\\_%`.* TO that user."
            text = f"the user may not make scratch databases on {self.host}."
            raise PolicyError.at("source.database", text, remedy) from None
        self.query("engines/mariadb/use", name=made)
        self._scratch = made
        return made

    def scratches(self) -> list[str]:
        """Return the scratch databases that the user sees."""
        rows = [row[0] for row in self.query("engines/mariadb/databases")]
        return [name for name in rows if SCRATCH.fullmatch(name)]

    def lock(self, name: str, seconds: int = 0) -> bool:
        """Take a named lock of the server until the connection ends; return whether nobody else
        has it."""
        return bool(self.query("engines/mariadb/lock", name=name, seconds=seconds)[0][0])

    def lock_release(self, schema: str, table: str) -> None:
        """Keep other runs from a release until the connection ends; raise BusyError where another
        one has it."""
        name = f"{schema}.{table}"
        lock = f"anonsql_release_{hashlib.sha256(name.encode()).hexdigest()[:32]}"
        if not self.lock(lock, seconds=3):
            holder = self.query("engines/mariadb/holder", name=lock)[0][0]
            raise BusyError(
                f"{name} on {self.host} is locked by connection {holder}, another run."
                " Wait until it has finished, then run again."
            )

    def run(self, template: str, **parameters: Any) -> None:
        """Execute one template."""
        self.require_scratch()
        super().run(template, **parameters)

    def load(
        self, table: str, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[object]]
    ) -> None:
        """Make or replace a scratch table of rows that Python has; its texts are as wide as the
        longest of them."""
        self.require_scratch()
        wide = [
            (name, sized(kind, [row[position] for row in rows]))
            for position, (name, kind) in enumerate(columns)
        ]
        super().load(table, wide, rows)

    def drop(self, table: str) -> None:
        """Remove a scratch table."""
        if self._scratch:
            super().drop(table)

    def type_name(self, kind: str) -> str:
        """Return the server's name of a type of DuckDB's."""
        if kind in NAMES:
            return NAMES[kind]
        plain = re.fullmatch(r"(VARCHAR|DECIMAL)\(.*\)", kind)
        return kind if plain else "LONGTEXT"

    def bound(self, value: object) -> object:
        """Return a value of Python's as the driver takes it."""
        return value.replace(tzinfo=None) if isinstance(value, dt.datetime) else value

    def interrupt(self) -> None:
        """Ask the server, by a second connection, to end the statement that runs."""
        try:
            with connect(self._place) as other:
                other.exec_driver_sql(f"KILL QUERY {int(self._id)}")
                other.engine.dispose()
        except (AnonsqlError, DBAPIError):
            pass  # the server is gone, and the statement with it

    def close(self) -> None:
        """Remove the scratch database and close the connection."""
        try:
            if self._scratch:
                self.query("engines/mariadb/drop_database", name=self._scratch)
        except AnonsqlError:
            pass  # the server is gone; the next run removes it
        finally:
            super().close()


def _alike(relation: Relation) -> str:
    """Return a relation's name as it is compared without case."""
    return ".".join(relation).lower()
