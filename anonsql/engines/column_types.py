"""Types of columns, parsed from their spelling, and the type that each has in a release file.

A release has no type that contains a name or a value: the names of an enumeration's values, of the
fields of a structure, of a domain, reach the recipient although no row has them. One list has the
names of types that a column of a release may be made of, on any engine; anything else in a type
makes the column text. One table gives, for every simple type, the type that it has in a DuckDB file
and in a Parquet file, so that each value keeps its text; the types of nested values follow from it.
Types are in DuckDB's spelling.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

FileKind = Literal["duckdb", "parquet", "csv"]
TEXT: Final = "VARCHAR"
_WHOLE: Final = "DECIMAL(38,0)"

_EXACT: Final = (
    *("BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT"),
    *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "DECIMAL"),
    *("VARCHAR", "BLOB", "UUID", "DATE", "TIME", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE"),
)
"""Types that every file holds unchanged, and whose equal values have the same text."""
_WRITTEN_ALIKE: Final = (
    *_EXACT,
    *("HUGEINT", "UHUGEINT", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIME_NS"),
)
"""All types whose equal values have the same text."""
_IN_DUCKDB: Final = (
    *_EXACT,
    *("FLOAT", "DOUBLE", "HUGEINT", "UHUGEINT", "JSON", "INTERVAL", "TIME WITH TIME ZONE"),
    *("TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "BIT"),
)
_FILE_TYPES: Final[dict[FileKind, dict[str, str]]] = {
    "duckdb": {name: name for name in _IN_DUCKDB},
    "csv": {name: name for name in _IN_DUCKDB if name != "BLOB"},  # its companion has them
    "parquet": {
        **{name: name for name in _EXACT},
        **{name: name for name in ("FLOAT", "DOUBLE", "JSON", "TIMESTAMP_NS")},
        **dict.fromkeys(("HUGEINT", "UHUGEINT"), _WHOLE),  # as long as the values fit
        **dict.fromkeys(("TIMESTAMP_S", "TIMESTAMP_MS"), "TIMESTAMP"),
    },
}
"""The type of a file that holds a simple type. Types that are missing become text; in Parquet,
which would change their values, also INTERVAL (no sign, milliseconds) and TIME WITH TIME ZONE (no
zone)."""
_POSTGRES: Final = (
    *(
        "NUMERIC",
        "REAL",
        "DOUBLE PRECISION",
        "MONEY",
        "OID",
        "BYTEA",
        "BIT VARYING",
        "NAME",
        "TEXT",
    ),
    *("CHARACTER", "CHARACTER VARYING", "BPCHAR", "WITH TIME ZONE", "WITHOUT TIME ZONE"),
    *("TIME WITHOUT TIME ZONE", "TIMESTAMP WITHOUT TIME ZONE"),
    *("JSONB", "JSONPATH", "XML", "TSVECTOR", "TSQUERY", "INET", "CIDR", "MACADDR", "MACADDR8"),
    *("POINT", "LINE", "LSEG", "BOX", "PATH", "POLYGON", "CIRCLE"),
    *(
        f"{kind}{many}RANGE"
        for kind in ("INT4", "INT8", "NUM", "TS", "TSTZ", "DATE")
        for many in ("", "MULTI")
    ),
)
_SPARK: Final = (
    *("INT", "STRING", "BINARY", "TIMESTAMP_NTZ"),
    *("INTERVAL DAY TO SECOND", "INTERVAL YEAR TO MONTH"),
)
_PLAIN: Final = frozenset({*_IN_DUCKDB, *_POSTGRES, *_SPARK, "ARRAY", "MAP"})
"""The names in a type that a column of a release can have, as an engine spells them."""
_BETWEEN: Final = re.compile(r"[<>\[\](),]")
_NUMBER: Final = re.compile(r"[0-9]{0,6}")
_NESTED: Final = ("LIST", "ARRAY", "MAP")
_DECIMAL: Final = re.compile(r"DECIMAL\([0-9]{1,2}, ?[0-9]{1,2}\)")
_WORD: Final = re.compile(r'"(?:[^"]|"")*"|\'(?:[^\']|\'\')*\'|[^\s"\'(),\[\]]+|[(),\[\]]')


@dataclass(frozen=True)
class ColumnType:
    """A type as a tree: its ``name`` without parameters (LIST and ARRAY for spellings with
    brackets), its ``spelling`` without the names of fields, and the types that it is made of."""

    name: str
    spelling: str
    parts: tuple[ColumnType, ...] = ()
    size: str = ""

    def everything(self) -> Iterator[ColumnType]:
        """Yield the type and all that it is made of."""
        yield self
        for part in self.parts:
            yield from part.everything()

    @property
    def family(self) -> str:
        """The type as messages and policies may show it: on one line, without the values of an
        enumeration or the names of fields, which the table's owner chose."""
        if any(column.name == "ENUM" for column in self.everything()):
            return "an enumeration" if self.name == "ENUM" else f"a {self.name} with an enumeration"
        if self.parts:
            inside = ", ".join(part.family for part in self.parts)
            return (
                f"{inside}[{self.size}]" if self.name in _NESTED[:2] else f"{self.name}({inside})"
            )
        plain = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_ ,().\[\]]*", self.spelling)
        return self.spelling if plain and len(self.spelling) <= 60 else "a user-defined type"


def parse(spelling: str) -> ColumnType:
    """Return the tree of a type; one that cannot be parsed is a simple type with its spelling as
    name."""
    words = _WORD.findall(spelling)
    try:
        column_type, rest = _read(words, 0)
    except (IndexError, ValueError):
        return ColumnType(spelling, spelling)
    return column_type if rest == len(words) else ColumnType(spelling, spelling)


def _read(words: list[str], at: int) -> tuple[ColumnType, int]:
    """Return the type that begins at a word, and the position behind it."""
    start, at = at, at + 1
    while at < len(words) and words[at] not in ("(", ")", ",", "[", "]"):
        at += 1  # TIMESTAMP WITH TIME ZONE
    name = " ".join(words[start:at])
    column_type = ColumnType(name if name.startswith('"') else name.upper(), name)
    if at < len(words) and words[at] == "(":
        column_type, at = _parameters(words, at + 1, column_type.name)
    while at < len(words) and words[at] == "[":
        size = words[at + 1] if words[at + 1] != "]" else ""
        at += 3 if size else 2
        if words[at - 1] != "]":
            raise ValueError("a bracket is not closed")
        kind = "ARRAY" if size else "LIST"
        column_type = ColumnType(kind, f"{column_type.spelling}[{size}]", (column_type,), size)
    return column_type, at


def _parameters(words: list[str], at: int, name: str) -> tuple[ColumnType, int]:
    """Return the type ``name`` whose parameters begin at a word: types, with names in STRUCT and
    UNION, or any other words."""
    parts: list[ColumnType] = []
    shown: list[str] = []
    while words[at] != ")":
        if words[at] == ",":
            at += 1
        if name in ("STRUCT", "UNION", "MAP"):
            part, at = _read(words, at if name == "MAP" else at + 1)
            parts.append(part)
        else:
            shown.append(words[at])
            at += 1
    inside = ", ".join(part.spelling for part in parts) if parts else ",".join(shown)
    return ColumnType(name, f"{name}({inside})", tuple(parts)), at + 1


def is_plain(spelling: str) -> bool:
    """Return whether a column of a release can have a type: one that is made of the names of types
    in the list, numbers and brackets, and of nothing else."""
    return all(
        part.strip() in _PLAIN or _NUMBER.fullmatch(part.strip())
        for part in _BETWEEN.split(spelling)
    )


def released(spelling: str) -> str:
    """Return the type that a column has in a release when it is kept as it is, whatever the
    target."""
    return spelling if is_plain(spelling) else TEXT


def in_file(spelling: str, kind: FileKind) -> str:
    """Return the type that a column of DuckDB gets in a release file of a kind. Where some value
    would not keep its text in that type, the column becomes text
    (:mod:`anonsql.engines.exported_columns`)."""
    return _file_type(parse(spelling), kind) or TEXT


def _file_type(column_type: ColumnType, kind: FileKind) -> str | None:
    """Return the type of a file that holds a type, or None where the file can only hold its
    text."""
    if column_type.name not in _NESTED:
        held = _FILE_TYPES[kind].get(column_type.name)
        return column_type.spelling if held == column_type.name else held
    parts = [_file_type(part, kind) for part in column_type.parts]
    if any(part is None for part in parts):
        return None
    inside = [part for part in parts if part is not None]
    if column_type.name in _NESTED[:2]:
        # Parquet has lists alone
        return f"{inside[0]}[{column_type.size if kind == 'duckdb' else ''}]"
    return f"{column_type.name}({', '.join(inside)})"


def fits_csv(spelling: str) -> bool:
    """Return whether a CSV release can have a column of a type: lists, maps and bytes have no text
    that CSV gives back as it was."""
    return parse(spelling).name not in (*_NESTED, "BLOB")


def is_csv_type(spelling: str) -> bool:
    """Return whether a text is, to the letter, a type that a column of a CSV release can have."""
    return spelling in _FILE_TYPES["csv"] or _DECIMAL.fullmatch(spelling) is not None


def ways_of(spelling: str) -> set[str]:
    """Return the types, other than its own, that a column of DuckDB may have in a release file."""
    ways = {in_file(spelling, "duckdb"), in_file(spelling, "parquet")}
    return (ways if is_exact(spelling) else ways | {TEXT}) - {spelling}


def travels_in_parquet(spelling: str) -> bool:
    """Return whether a Parquet file on the way to a release keeps all values of a type; an array
    comes back as a list."""
    simple = [column.name for column in parse(spelling).everything() if column.name not in _NESTED]
    return all(_FILE_TYPES["parquet"].get(name) == name for name in simple)


def is_sure(spelling: str) -> bool:
    """Return whether the text of every value of a type, as any engine writes it for a release file,
    can be cast back to the type."""
    sure = ("BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "VARCHAR", "UUID")
    return spelling in (*sure, "FLOAT", "DOUBLE")


def may_be_text(spelling: str, *, travels: bool) -> bool:
    """Return whether a column of a type may be text in a release although a file could hold its
    type: where its values go there as text, as from another engine (``travels``), and some may not
    be cast back."""
    return not is_sure(spelling) and (travels or not travels_in_parquet(spelling))


def digits(spelling: str) -> int | None:
    """Return how many digits a decimal's type declares, None where it is no such type."""
    declared = re.fullmatch(r"DECIMAL\((\d+), ?\d+\)", spelling)
    return int(declared[1]) if declared else None


def is_exact(spelling: str) -> bool:
    """Return whether equal values of a type have the same text, byte by byte, on every engine.
    Minus zero, decimals of any scale, intervals and padded text do not; nested types are taken not
    to."""
    return parse(spelling).name in _WRITTEN_ALIKE and spelling != "DECIMAL"


def of_server(spelling: str) -> str:
    """Return the type that a column of PostgreSQL or Spark gets in a release file: text where
    DuckDB has no such type, and where nested values are written another way."""
    simple = parse(spelling).name in (*_EXACT, "FLOAT", "DOUBLE") and spelling != "DECIMAL"
    return spelling if simple else TEXT
