"""What a DuckDB file of a release holds besides its tables: headers, the blocks of its tables and
those of its catalog, and nothing else.

Inside of the blocks of tables the engine alone knows what is used; it fills the rest with zeros
when it writes.
"""

from __future__ import annotations

import itertools
import re
import struct
from collections.abc import Sequence
from pathlib import Path

from anonsql.engines.base import Relation
from anonsql.engines.duckdb.engine import DuckDBEngine

_HEADER = 4096
"""Bytes of each of three headers: the file's, and two of the database, the newer of which counts.
"""
_STORAGE = struct.pack("<Q", 64)
_MADE = (2048, 1)
"""The number of the storage that DuckDB 1.0 reads, the length of its vectors, and the number of the
version whose entries of the catalog it reads."""
_MOST_TURNS = 16
"""The times that a run may write the headers of a file; it does so once."""
VERSION = rb"v\d{1,2}\.\d{1,2}\.\d{1,2}(?:-dev\d{1,5}|-rc\d)?"
BUILD = rb"[0-9a-f]{10}"
"""How files name the DuckDB that wrote them, and its build: forms in which no word has room."""
_CATALOG_PARTS = 64
"""The parts of which a block of the catalog has so many."""


def strangers(
    reader: DuckDBEngine, path: Path, database: str, tables: Sequence[Relation]
) -> tuple[str, ...]:
    """Return in words what the DuckDB file at ``path``, attached as ``database``, holds besides its
    ``tables`` and its catalog."""
    size, total, free = reader.query("engines/duckdb/database_size", database=database)[0]
    with path.open("rb") as file:
        head = file.read(3 * _HEADER)
    texts = _of_headers(head, size, total)
    if extra := path.stat().st_size - 3 * _HEADER - total * size:
        texts.append(f"{abs(extra):,} bytes {'behind the last block' if extra > 0 else 'missing'}")
    if free:
        texts.append(f"{free:,} blocks that were used before")
    catalog = reader.query("engines/duckdb/catalog_blocks", database=database)
    used = {block for block, _ in catalog}
    for table in tables:
        blocks, deleted, updated = reader.query("engines/duckdb/segments", relation=table)[0]
        used.update(blocks or ())
        if deleted or updated:
            texts.append(f"rows that were deleted or changed, still stored, of {table[-1]}")
    if lost := total - free - len(used & set(range(total))):
        texts.append(f"{lost:,} blocks that no table has")
    parts = sum(_filled(path, size, block, unused) for block, unused in catalog)
    if parts:
        texts.append(f"{parts:,} parts of the catalog that were used before")
    return tuple(f"{words} in {path.name}" for words in texts)


def _of_headers(head: bytes, size: int, blocks: int) -> list[str]:
    """Return what the headers hold that no run writes in a file of so many blocks of a size."""
    main, texts = head[:_HEADER], []
    storage, flags, version, build, rest = (
        main[start:end] for start, end in itertools.pairwise((12, 20, 52, 84, 116, _HEADER))
    )
    named = re.fullmatch(VERSION + rb"\0*", version) and re.fullmatch(BUILD + rb"\0*", build)
    if main[8:12] != b"DUCK" or storage != _STORAGE or not named or any(flags) or any(rest):
        texts.append("bytes in the header of the file")
    for start in (_HEADER, 2 * _HEADER):
        database = head[start : start + _HEADER]
        _, turn, catalog, freed, count, *made = struct.unpack("<QQQQQQQQ", database[:64])
        if (
            any(database[64:])
            or turn > _MOST_TURNS
            or made != [size, *_MADE]
            or count > blocks
            or not all(_is_pointer(pointer, blocks) for pointer in (catalog, freed))
        ):
            texts.append("bytes in the header of the database")
    return texts


def _is_pointer(pointer: int, blocks: int) -> bool:
    """Return whether a number is no pointer, or one to a part of a block that exists."""
    return pointer == 2**64 - 1 or (
        pointer & (2**56 - 1) < blocks and pointer >> 56 < _CATALOG_PARTS
    )


def _filled(path: Path, size: int, block: int, unused: Sequence[int]) -> int:
    """Return how many of the ``unused`` parts of a block of the catalog hold anything."""
    with path.open("rb") as file:
        file.seek(3 * _HEADER + block * size)
        content = file.read(size)[8:]  # behind its checksum
    part = len(content) // _CATALOG_PARTS // 8 * 8
    filled = sum(any(content[number * part : (number + 1) * part]) for number in unused)
    return filled + any(content[_CATALOG_PARTS * part :])
