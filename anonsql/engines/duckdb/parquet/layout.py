"""Where each byte of a Parquet file belongs: magic bytes, the pages of all column chunks one behind
the other, footer, its length, magic bytes, and nothing else.

The footer is read whole, which grows with columns and row groups (of about 120,000 rows); of pages
only the headers are read, and the headers of the compressed blocks in them.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from anonsql.engines.duckdb.database_bytes import BUILD, VERSION
from anonsql.engines.duckdb.parquet import compact, zstandard
from anonsql.engines.duckdb.parquet.compact import Malformed
from anonsql.engines.duckdb.parquet.schema import Leaf, leaves_of
from anonsql.engines.duckdb.parquet.structures import FOOTER, PAGE

_MAGIC = b"PAR1"
_WRITER = re.compile(rb"DuckDB version %s \(build %s\)" % (VERSION, BUILD))
_ZSTD, _DATA_PAGE, _DICTIONARY_PAGE = 6, 0, 2
_HEADER_BYTES = 1024
"""More than any page header has that holds no statistics."""


@dataclass(frozen=True)
class Dictionary:
    """Where the compressed values of a dictionary lie in the file, their number, and their length
    in bytes before compression."""

    offset: int
    compressed: int
    bytes: int
    values: int


@dataclass(frozen=True)
class Chunk:
    """A column of a row group: its number of values (NULL and empty lists counted), what is said of
    them, and its dictionary."""

    values: int
    statistics: Mapping[int, Any]
    dictionary: Dictionary | None


@dataclass(frozen=True)
class Layout:
    """The columns of a file that hold values, the rows of each row group, its column chunks in the
    order of the columns, and the entries of the footer."""

    leaves: Sequence[Leaf]
    rows: Sequence[int]
    chunks: Sequence[Sequence[Chunk]]
    entries: Sequence[tuple[bytes, bytes]]


def layout_of(path: Path) -> Layout:
    """Return the layout of a Parquet file; raise Malformed where a byte of it does not belong."""
    with path.open("rb") as file:
        try:
            return _Walk(file).layout()
        except (LookupError, TypeError, RecursionError, OverflowError):  # what must be is not there
            raise Malformed("a broken footer") from None


class _Walk:
    """A walk through an open file."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._size = file.seek(0, os.SEEK_END)
        self._position = len(_MAGIC)

    def layout(self) -> Layout:
        tail = self._at(max(0, self._size - 8), 8)
        if self._at(0, 4) != _MAGIC or tail[4:] != _MAGIC:
            raise Malformed("bytes before or behind the Parquet file")
        length = int.from_bytes(tail[:4], "little")
        end = self._size - 8 - length
        if end < len(_MAGIC):
            raise Malformed("a footer that is longer than the file")
        footer, used = compact.read(self._at(end, length), FOOTER)
        if used != length:
            raise Malformed(f"{length - used:,} bytes behind the footer")
        leaves = leaves_of(footer[2])
        self._require_facts(footer, leaves)
        chunks = [self._row_group(number, group, leaves) for number, group in enumerate(footer[4])]
        if self._position != end:
            raise Malformed(f"{end - self._position:,} bytes between its rows and its footer")
        rows = [group[3] for group in footer[4]]
        entries = [(entry[1], entry.get(2, b"")) for entry in footer.get(5, ())]
        return Layout(leaves, rows, chunks, entries)

    def _require_facts(self, footer: Mapping[int, Any], leaves: Sequence[Leaf]) -> None:
        """Raise Malformed unless what the footer says of the whole file is so."""
        if not _WRITER.fullmatch(footer.get(6, b"")):
            raise Malformed("another writer than DuckDB in the footer")
        if footer[1] not in {1, 2} or footer[3] != sum(group[3] for group in footer[4]):
            raise Malformed("a number of rows or a version that is not the file's in the footer")
        if 7 in footer and footer[7] != [{1: {}}] * len(leaves):
            raise Malformed("column orders that are not those of the columns in the footer")

    def _row_group(
        self, number: int, group: Mapping[int, Any], leaves: Sequence[Leaf]
    ) -> list[Chunk]:
        """Return the column chunks of a row group, which begins here."""
        start = self._position
        if len(group[1]) != len(leaves) or group.get(7, number) != number:
            raise Malformed(f"columns that are not the file's in row group {number}")
        chunks = [
            self._chunk(chunk, leaf, group[3]) for chunk, leaf in zip(group[1], leaves, strict=True)
        ]
        sums = [sum(chunk[3][field] for chunk in group[1]) for field in (6, 7)]
        stated = group[2], group.get(6, sums[1]), group.get(5, start)
        if stated not in ((sums[0], sums[1], start), (self._position - start, sums[1], start)):
            raise Malformed(f"other lengths than its own in row group {number}")
        return chunks

    def _chunk(self, chunk: Mapping[int, Any], leaf: Leaf, rows: int) -> Chunk:
        """Return a column chunk, which begins here: a dictionary page or none, then data pages."""
        facts, start = chunk[3], self._position
        where = f"column {leaf.name}"
        if (
            facts[1] != leaf.type
            or tuple(facts[3]) != leaf.path
            or facts[4] != _ZSTD
            or chunk[2] not in {0, start, facts[9]}
        ):
            raise Malformed(f"another type, path, compression or position than {where} has")
        dictionary, pages, values, unpacked = None, Counter[tuple[int, int]](), 0, 0
        while self._position < start + facts[7]:
            header, length = compact.read(self._at(self._position, _HEADER_BYTES), PAGE)
            body = self._position + length
            inner = self._page(header, where)
            if header[1] == _DICTIONARY_PAGE:
                if self._position != start or facts.get(11) != start:
                    raise Malformed(f"a dictionary that is not the first page of {where}")
                dictionary = Dictionary(body, header[3], header[2], inner[1])
            else:
                if not values and facts[9] != self._position:
                    raise Malformed(f"another position than that of {where}'s data")
                values += inner[1]
            pages[header[1], inner[2]] += 1
            unpacked += length + header[2]
            zstandard.require_frame(self._file, body, header[3], header[2], where)
            self._position = body + header[3]
        counts = {(item[1], item[2]): item[3] for item in facts.get(13, ())}
        encodings = {encoding for _, encoding in pages}
        if (
            self._position != start + facts[7]
            or unpacked != facts[6]
            or values != facts[5]
            or (leaf.flat and values != rows)
            or (dictionary is None) != (11 not in facts)
            or (13 in facts and (counts != pages or len(facts[13]) != len(pages)))
            or not set(facts[2]) <= encodings | {3}  # 3: of levels, RLE
            or len(facts[2]) != len(set(facts[2]))
        ):
            raise Malformed(f"other facts in the footer than the pages of {where} have")
        return Chunk(values, facts.get(12, {}), dictionary)

    def _page(self, header: Mapping[int, Any], where: str) -> Mapping[int, Any]:
        """Return what a page header says of its kind of page; raise Malformed where it is none."""
        inner = {_DATA_PAGE: 5, _DICTIONARY_PAGE: 7}.get(header.get(1, -1))
        if header.keys() != {1, 2, 3, inner} or inner is None or min(header[2], header[3]) < 0:
            raise Malformed(f"a page of another kind in {where}")
        page: Mapping[int, Any] = header[inner]
        if not {1, 2} <= page.keys() or page[1] < 0:
            raise Malformed(f"a page of another kind in {where}")
        return page

    def _at(self, offset: int, length: int) -> bytes:
        """Return the bytes at an offset, fewer at the end of the file."""
        self._file.seek(offset)
        return self._file.read(length)
