"""What the tables of a release are made of on MariaDB and MySQL, and what else lies with them.

A table's whole definition is read, as the server writes it, and must be names and types of columns
and nothing else: whatever servers may come to put there is refused. Types are those that a run
declares; a length is that of the longest released value, so that none tells of a value that is not
released.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from anonsql.engines import contents
from anonsql.engines.base import VIEW_PARTS, Column, Part, Relation
from anonsql.engines.contents import Item
from anonsql.engines.mariadb.column_types import NAMES
from anonsql.engines.mariadb.engine import MariaDBEngine

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
    longest of its own values needs them. What the server put there besides goes."""
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
    """Return in words what the tables of a release have besides names and types of columns and
    rows."""
    plain = [table for part, table in tables.items() if part not in VIEW_PARTS]
    return contents.strangers([item for table in plain for item in _of_table(engine, table)], ())


def _of_table(engine: MariaDBEngine, table: Relation) -> list[Item]:
    """Return what a table has besides names and types of columns, and lengths that its values do
    not need."""
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
    server gives it, if any: one that was declared is words of somebody."""
    width = re.search(r"` ((?:tiny|small|big)?int\(\d+\)(?: unsigned)?)", line)
    return width is None or width[1] in _WIDTHS
