"""A release as tables of a database of MariaDB or MySQL: staged in the run's scratch database, and
swapped with the previous one by one RENAME TABLE.

The proof reads a table's whole definition, as the server writes it. It must be names and types of
columns and nothing else: anything that a future server adds is refused. Types are those that a run
declares; a length is that of the longest released value, so that it reveals no value that is not
released.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from anonsql.engines import contents
from anonsql.engines.base import (
    VIEW_PARTS,
    Column,
    Context,
    Part,
    Relation,
    extras_of,
    is_release,
    names_of,
    parts_of,
)
from anonsql.engines.contents import Item
from anonsql.engines.mariadb.engine import NAMES, MariaDBEngine
from anonsql.engines.private_tables import WHERE, PrivateTables
from anonsql.engines.target import Columns, Given, ServerTarget, Tables
from anonsql.errors import PolicyError, SqlError
from anonsql.policy.table_columns import TableColumns

_LONGEST = 500
"""The longest text that is a VARCHAR; LONGTEXT has no declared length."""
_ROW = 60_000
"""The bytes that the VARCHARs of a row may take together, of the 65,535 that a row may have."""
_WIDTH = r"(?:\(\d+\))?"
_COLUMN = re.compile(
    r"  `(?P<name>(?:[^`]|``)+)` (?:"
    rf"tinyint\(1\)|(?:tinyint|smallint|int|bigint){_WIDTH}(?: unsigned)?|double|date|datetime\(6\)"
    r"|decimal\((?:38|65),\d+\)|decimal\(39,0\)|longtext|longblob|varchar\((?P<length>\d+)\))"
    r"(?: DEFAULT NULL)?,?"
)
_WIDTHS = {
    *("tinyint(1)", "tinyint(4)", "smallint(6)", "int(11)", "bigint(20)"),
    *("tinyint(3) unsigned", "smallint(5) unsigned", "int(10) unsigned", "bigint(20) unsigned"),
}
"""How the server writes types of whole numbers that were declared without a width."""
_END = re.compile(r"\) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_(?:nopad|0900)_bin")


def even_out(engine: MariaDBEngine, table: Relation, columns: Sequence[Column]) -> None:
    """Give a staged table the types that a release has: those of its ``columns``, lengths as the
    longest of its own values needs them. Additions of the server are removed."""
    made = {column.name: column for column in engine.columns(table)}
    lengths = _longest(
        engine, table, [name for name, column in made.items() if column.kind == "text"]
    )
    short = {name: max(length, 1) for name, length in lengths.items() if length <= _LONGEST}
    for name in sorted(short, key=lambda name: -short[name]):
        if sum(4 * length + 2 for length in short.values()) <= _ROW:
            break
        del short[name]
    planned = {column.name: column for column in columns}
    types = [
        (name, _type_of(column, planned.get(name, column), short.get(name)))
        for name, column in made.items()
    ]
    engine.query("engines/mariadb/retype", table=table, types=types)


def _type_of(made: Column, planned: Column, length: int | None) -> str:
    """Return the type of a released column by that of the table that was ``made`` and of the one
    that was ``planned``."""
    if made.kind == "text":
        return f"VARCHAR({length})" if length is not None else "LONGTEXT"
    if made.kind == "decimal":
        return f"DECIMAL({38 if made.type != 'DECIMAL' else 65}, {made.scale})"
    return NAMES.get(planned.type, NAMES.get(made.type, "LONGBLOB"))


def _longest(engine: MariaDBEngine, table: Relation, names: Sequence[str]) -> Mapping[str, int]:
    if not names:
        return {}
    row = engine.query("engines/mariadb/longest", table=table, columns=names)[0]
    return dict(zip(names, row, strict=True))


def of_tables(engine: MariaDBEngine, tables: Mapping[Part, Relation]) -> Sequence[str]:
    """Describe the parts of a release's tables other than names and types of columns and rows."""
    plain = [table for part, table in tables.items() if part not in VIEW_PARTS]
    return contents.unexpected_objects(
        [item for table in plain for item in _of_table(engine, table)], ()
    )


def _of_table(engine: MariaDBEngine, table: Relation) -> list[Item]:
    """Return the parts of a table other than names and types of columns, and lengths that its
    values do not need."""
    name = table[-1]
    text = str(engine.query("engines/mariadb/definition", table=table)[0][1])
    first, *lines, last = text.split("\n")
    matches = [_COLUMN.fullmatch(line) for line in lines]
    plain = [match for match in matches if match and _has_plain_width(match[0])]
    if first != f"CREATE TABLE `{name.replace('`', '``')}` (" or len(plain) < len(lines):
        return [Item("comment, default, constraint, key or other type of columns of", name)]
    if not _END.fullmatch(last):
        return [Item("comment, option, engine, collation or partition of", name)]
    declared = {
        match["name"].replace("``", "`"): int(match["length"]) for match in plain if match["length"]
    }
    longest = _longest(engine, table, list(declared))
    return [
        Item("declared length of", column, of=name)
        for column, length in declared.items()
        if length != max(longest[column], 1)
    ]


def _has_plain_width(line: str) -> bool:
    """Return whether the type of a whole number in a line of a definition has the width that the
    server gives it, if any: a declared width may carry information."""
    width = re.search(r"` ((?:tiny|small|big)?int\(\d+\)(?: unsigned)?)", line)
    return width is None or width[1] in _WIDTHS


Move = tuple[Relation, Relation]


class MariaDBPrivate(PrivateTables[MariaDBEngine]):
    """Tables in a database next to the release's, which is locked with the release. The statement
    that publishes the release moves them there: it renames all tables or none."""

    schema_word = "database"

    def __init__(self, engine: MariaDBEngine, schema: str, table: str, *, exclusive: bool) -> None:
        super().__init__(engine, schema, table, exclusive=exclusive)
        self._release = (schema, table)
        self._coming: dict[str, str] = {}

    def _there(self, names: Sequence[str]) -> Sequence[str]:
        if self._exclusive:  # before anything is read, as nothing here sees one state of it
            self._lock()
        self._require_own()
        there = dict(self._engine.query("engines/mariadb/names", schema=self._schema))
        if views := [name for name, plain in there.items() if not plain]:
            text = f"{self._schema}.{views[0]} is a view, not a table of the release's ledger."
            raise PolicyError.at(WHERE, text, "Drop it.")
        return list(there)

    def _lock(self) -> None:
        self._engine.lock_release(*self._release)

    def put(self, name: str, table: str) -> None:
        """Let the rename that publishes the release put the table there."""
        self._require_short(name)
        self._lock()
        self._coming[name] = table

    def commit(self) -> None:
        """Put the tables there by a rename of their own."""
        self._engine.query("engines/mariadb/rename", moves=self.moves())

    def moves(self) -> list[Move]:
        """Return the renames that publish the private tables; create the database for them."""
        if not self._coming:
            return []
        self._make_schema()
        scratch = self._engine.require_scratch()
        moves: list[Move] = []
        for name, table in self._coming.items():
            if name in self._opened:
                moves.append((self._opened[name], (scratch, f"previous_{name}")))
            moves.append(((scratch, table), self._relation(name)))
        return moves

    def _make_schema(self) -> None:
        try:
            self._engine.query("engines/mariadb/make_database", name=self._schema)
        except SqlError as error:
            if "denied" not in str(error):
                raise
            text = (
                f"the user is not allowed to create the database {self._schema} for the release's"
                " ledger."
            )
            escaped = self._schema.replace("_", "\\_")
            remedy = f"Its administrator can: GRANT ALL ON `{escaped}`.* TO that user."
            raise PolicyError.at(WHERE, text, remedy) from None

    def _require_own(self) -> None:
        """Raise PolicyError if others may use the database, as far as this user sees their
        grants."""
        others = self._engine.query("engines/mariadb/others", schema=self._schema)
        if others:
            who = ", ".join(row[0] for row in others)
            text = (
                f"the database {self._schema}, which holds the release's ledger, must belong to its"
                " owner only:"
            )
            remedy = "Revoke all grants to them on it, or on a pattern that it matches."
            raise PolicyError.at(WHERE, f"{text} {who} may use it.", remedy)


class MariaDBTarget(ServerTarget[MariaDBEngine]):
    """Tables and views of the source's server. Views name tables, wherever these are moved, so they
    are made anew behind the tables."""

    schema_word = "database"
    private_tables = MariaDBPrivate
    _beside: MariaDBPrivate | None

    def __init__(self, engine: MariaDBEngine, policy: TableColumns, context: Context) -> None:
        super().__init__(engine, policy, context)
        self._views: dict[Part, tuple[str, Mapping[str, Any]]] = {}

    def _folded(self, schema: Relation) -> Relation:
        return tuple(name.lower() for name in schema)

    def guard(self) -> None:
        """Raise PolicyError when the tables cannot be made, or would replace anything but a release
        of this table; BusyError when another run works on it."""
        self._require_names()
        self._require_own_schema()
        if self._exclusive:
            self._engine.lock_release(self._schema[0], self._table)
        self._previous()

    def _previous(self) -> list[str]:
        """Return the tables of the previous release; raise PolicyError when the names belong to
        anything else."""
        engine, about = self._engine, self._about
        known = dict(engine.query("engines/mariadb/names", schema=self._schema[0]))
        ours = set(self._names) & known.keys()
        if not ours:
            return []
        made = known.get(about[-1]) and is_release(engine, about)
        extras = extras_of(engine, about) if made else ()
        views = set(names_of(self._table, VIEW_PARTS)[1])
        previous = {self._name(part) for part in parts_of(extras)} & known.keys()
        odd = sorted(
            name
            for name in ours | previous
            if name not in previous or bool(known[name]) == (name in views)
        )
        if not made or odd:
            raise self._not_ours(f"{self._schema[0]}.{odd[0] if made else self._table}")
        return sorted(previous)

    def _staged(self, part: Part) -> Relation:
        return (self._engine.require_scratch(), f"staged_{part}")

    def _fill(self, table: Relation, template: str, columns: Columns, parameters: Given) -> None:
        super()._fill(table, template, columns, parameters)
        even_out(self._engine, table, columns)

    def stage_view(self, part: Part, template: str, **parameters: Any) -> None:
        """Make a view of the scratch database, to be proved, and remember it."""
        super().stage_view(part, template, **parameters)
        self._views[part] = (template, parameters)

    def _unexpected_objects_staged(self, tables: Tables) -> Sequence[str]:
        return of_tables(self._engine, tables)

    def publish(self) -> None:
        """Replace the previous tables by the staged ones by one statement, and then the views. The
        previous tables are dropped with the scratch database."""
        engine = self._engine
        engine.require_unchanged()
        engine.query("engines/mariadb/make_database", name=self._schema[0])
        scratch = engine.require_scratch()
        views = set(names_of(self._table, VIEW_PARTS)[1])
        previous = self._previous()
        tables = {part: self._published(part) for part in self._parts if part not in VIEW_PARTS}
        moves: list[tuple[Relation, Relation]] = [
            ((*self._schema, name), (scratch, f"previous_{position}"))
            for position, name in enumerate(previous)
            if name not in views
        ]
        moves += [(self._staged(part), table) for part, table in tables.items()]
        moves += self._beside.moves() if self._beside is not None else []
        engine.query("engines/mariadb/rename", moves=moves)
        for name in views.intersection(previous):
            engine.query("engines/mariadb/drop_view", view=(*self._schema, name))
        for part, (template, parameters) in self._views.items():
            settings = {**parameters, "view": self._published(part), "select": template}
            engine.query("release/staged_view", **settings, tables=tables)
        self._warn_of_unexpected_objects()

    def _items(
        self, schema: Relation, _tables: Sequence[str], _views: Sequence[str]
    ) -> Sequence[Item]:
        comments = self._engine.is_mariadb
        rows = self._engine.query("engines/mariadb/contents", schema=schema[0], comments=comments)
        return [Item(*row) for row in rows]

    def _unexpected_objects(self, tables: Tables) -> Sequence[str]:
        return (*super()._unexpected_objects(tables), *self._unexpected_objects_staged(tables))

    def _there(self) -> Collection[str]:
        known = dict(self._engine.query("engines/mariadb/names", schema=self._schema[0]))
        return [name for name in self._names if name in known]
