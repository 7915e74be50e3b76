"""The values that a Parquet file has besides its rows: those of its dictionaries, and the least and
the greatest of each column chunk.

They are written to a Parquet file of their own, as rows, for the engine to read and to compare with
the rows: the compressed values of a dictionary are copied as they are, for a page of dictionary
values is written like a page of data (encoding PLAIN).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from anonsql.engines.duckdb.parquet.compact import Malformed, written
from anonsql.engines.duckdb.parquet.layout import Chunk, Layout
from anonsql.engines.duckdb.parquet.schema import Leaf
from anonsql.engines.duckdb.parquet.structures import FOOTER, PAGE

DICTIONARY, LEAST, GREATEST = 0, 1, 2
"""The kinds of values."""
_INTEGERS = 1
_BOOLEAN, _BYTES, _ZSTD, _PLAIN, _LEVELS = 0, 6, 6, 0, 3
_MAGIC = b"PAR1"
_TWICE = ((1, 5), (2, 6))
_WIDTHS = {_BOOLEAN: 1, 1: 4, 2: 8, 4: 4, 5: 8}
_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class _Page:
    """Values of a ``kind`` of a row ``group``: the bytes of a page of them, or where these lie
    compressed in the release's file, with their length before that."""

    group: int
    kind: int
    values: int
    plain: bytes = b""
    offset: int = 0
    compressed: int = 0
    unpacked: int = 0

    def repeated(self, number: int) -> _Page:
        """Return a page of as many integers, all the same."""
        return _Page(self.group, self.kind, self.values, struct.pack("<i", number) * self.values)

    @property
    def lengths(self) -> tuple[int, int]:
        """Its bytes before and after compression."""
        if self.compressed:
            return self.unpacked, self.compressed
        return len(self.plain), len(self.plain)


def write(source: Path, layout: Layout, position: int, target: Path) -> None:
    """Write the values that the file ``source`` has besides its rows in the column at a
    ``position``, as rows (row_group, kind, value), to the file ``target``. Raise Malformed where
    statistics are none that the file's writer makes."""
    leaf = layout.leaves[position]
    pages = [
        page
        for number, chunks in enumerate(layout.chunks)
        for page in _pages(leaf, number, chunks[position])
    ]
    with source.open("rb") as original, target.open("wb") as file:
        file.write(_MAGIC)
        groups = [_row_group(file, original, leaf, page) for page in pages]
        rows = sum(page.values for page in pages)
        footer = written({1: 1, 2: _schema(leaf), 3: rows, 4: groups}, FOOTER)
        file.write(footer + struct.pack("<I", len(footer)) + _MAGIC)


def _pages(leaf: Leaf, number: int, chunk: Chunk) -> Iterator[_Page]:
    """Yield the values that the column chunk of a row group has besides its rows."""
    dictionary, facts = chunk.dictionary, chunk.statistics
    if 4 in facts and facts[4] != (dictionary.values if dictionary else None):
        raise Malformed(f"a number of distinct values that column {leaf.name} does not have")
    if dictionary is not None:
        yield _Page(
            number,
            DICTIONARY,
            dictionary.values,
            offset=dictionary.offset,
            compressed=dictionary.compressed,
            unpacked=dictionary.bytes,
        )
    exact = facts.get(7, True) and facts.get(8, True)
    if not exact or any(old in facts and facts[old] != facts.get(new) for old, new in _TWICE):
        raise Malformed(f"statistics of column {leaf.name} that are not exact, or differ")
    for field, kind in ((6, LEAST), (5, GREATEST)):
        if field in facts:
            yield _Page(number, kind, 1, _plain(leaf, facts[field]))


def _plain(leaf: Leaf, value: bytes) -> bytes:
    """Return one value of statistics as a page of data has it."""
    if leaf.type == _BYTES:
        return struct.pack("<I", len(value)) + value
    if len(value) != _WIDTHS.get(leaf.type, leaf.element.get(2)):
        raise Malformed(f"statistics of another length than values of column {leaf.name} have")
    if leaf.type == _BOOLEAN and value not in {b"\0", b"\1"}:
        raise Malformed(f"statistics that are no values of column {leaf.name}")
    return value


def _schema(leaf: Leaf) -> list[dict[int, Any]]:
    """Return the schema of (row_group, kind, value)."""
    whole = {1: _INTEGERS, 3: 0}
    value = {**leaf.element, 3: 0, 4: b"value"}
    return [{4: b"schema", 5: 3}, {**whole, 4: b"row_group"}, {**whole, 4: b"kind"}, value]


def _row_group(file: BinaryIO, original: BinaryIO, leaf: Leaf, page: _Page) -> dict[int, Any]:
    """Write the values of one page with their row group and kind; return the row group of the
    file."""
    columns = [
        (b"row_group", _INTEGERS, page.repeated(page.group)),
        (b"kind", _INTEGERS, page.repeated(page.kind)),
        (b"value", leaf.type, page),
    ]
    chunks: list[dict[int, Any]] = []
    for name, physical, column in columns:
        start, (unpacked, packed) = file.tell(), column.lengths
        about = {1: page.values, 2: _PLAIN, 3: _LEVELS, 4: _LEVELS}
        header = written({1: 0, 2: unpacked, 3: packed, 5: about}, PAGE)
        file.write(header)
        _copy(original, file, column)
        facts = {1: physical, 2: [_PLAIN], 3: [name], 4: _ZSTD if column.compressed else 0}
        facts |= {5: page.values, 6: len(header) + unpacked, 7: len(header) + packed, 9: start}
        chunks.append({2: 0, 3: facts})
    return {1: chunks, 2: sum(chunk[3][6] for chunk in chunks), 3: page.values}


def _copy(original: BinaryIO, file: BinaryIO, page: _Page) -> None:
    """Write the values of a page."""
    file.write(page.plain)
    original.seek(page.offset)
    left = page.compressed
    while left > 0:
        left -= file.write(original.read(min(left, _AT_ONCE)))


def starts_of(rows: Sequence[int]) -> list[tuple[int, int]]:
    """Return the number of each row group, and that of its first row in the file."""
    starts, total = [], 0
    for number, count in enumerate(rows):
        starts.append((number, total))
        total += count
    return starts
