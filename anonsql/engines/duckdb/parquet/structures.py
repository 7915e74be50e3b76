"""The structures of a Parquet file as a release may have them, with the numbers of
https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift.

Left out, and so refused, are all that a release does not need and that can hold other data than its
rows: bloom filters, indexes of pages, entries of columns, numbers of fields, names of other files,
checksums and statistics of pages, geometries, everything about encryption, and whatever later
versions add.
"""

from __future__ import annotations

from typing import Final

from anonsql.engines.duckdb.parquet.compact import ListOf, Struct

_EMPTY: Final = Struct("type", {})
_UNIT: Final = Struct("unit of time", {1: _EMPTY, 2: _EMPTY, 3: _EMPTY})
_TIME: Final = Struct("type of times", {1: "bool", 2: _UNIT})
_DECIMAL: Final = Struct("decimal type", {1: "i32", 2: "i32"})
_INTEGER: Final = Struct("integer type", {1: "byte", 2: "bool"})
_PLAIN_TYPES: Final = (1, 2, 3, 4, 6, 11, 12, 13, 14, 15)
LOGICAL_TYPE: Final = Struct(
    "type",
    {**dict.fromkeys(_PLAIN_TYPES, _EMPTY), 5: _DECIMAL, 7: _TIME, 8: _TIME, 10: _INTEGER},
)
ELEMENT: Final = Struct(
    "column of the schema",
    {
        1: "i32",  # type
        2: "i32",  # length
        3: "i32",  # repetition
        4: "binary",  # name
        5: "i32",  # children
        6: "i32",  # converted type
        7: "i32",  # scale
        8: "i32",  # precision
        10: LOGICAL_TYPE,
    },
)
STATISTICS: Final = Struct(
    "statistics",
    {
        1: "binary",  # max
        2: "binary",  # min
        3: "i64",  # nulls
        4: "i64",  # distinct values
        5: "binary",  # max again, in the order of the type
        6: "binary",  # min again
        7: "bool",  # whether max is exact
        8: "bool",  # whether min is exact
        9: "i64",  # NaNs
    },
)
ENCODING: Final = Struct("count of pages", {1: "i32", 2: "i32", 3: "i32"})
CHUNK_FACTS: Final = Struct(
    "column's metadata",
    {
        1: "i32",  # type
        2: ListOf("i32"),  # encodings
        3: ListOf("binary"),  # path
        4: "i32",  # compression
        5: "i64",  # values
        6: "i64",  # bytes
        7: "i64",  # bytes, compressed
        9: "i64",  # where its data begin
        11: "i64",  # where its dictionary begins
        12: STATISTICS,
        13: ListOf(ENCODING),
    },
)
CHUNK: Final = Struct("column chunk", {2: "i64", 3: CHUNK_FACTS})
ROW_GROUP: Final = Struct(
    "row group",
    {
        1: ListOf(CHUNK),
        2: "i64",  # bytes
        3: "i64",  # rows
        5: "i64",  # where it begins
        6: "i64",  # bytes, compressed
        7: "i16",  # number
    },
)
ENTRY: Final = Struct("footer entry", {1: "binary", 2: "binary"})
ORDER: Final = Struct("column order", {1: _EMPTY})
FOOTER: Final = Struct(
    "footer",
    {
        1: "i32",  # version
        2: ListOf(ELEMENT),
        3: "i64",  # rows
        4: ListOf(ROW_GROUP),
        5: ListOf(ENTRY),
        6: "binary",  # written by
        7: ListOf(ORDER),
    },
)
_DATA: Final = Struct("data page", {1: "i32", 2: "i32", 3: "i32", 4: "i32"})
_DICTIONARY: Final = Struct("dictionary page", {1: "i32", 2: "i32", 3: "bool"})
PAGE: Final = Struct("page header", {1: "i32", 2: "i32", 3: "i32", 5: _DATA, 7: _DICTIONARY})
