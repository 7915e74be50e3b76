"""Whether compressed bytes are one frame of Zstandard (RFC 8878) and nothing else: a decoder skips
frames that hold other data."""

from __future__ import annotations

from typing import BinaryIO

from anonsql.engines.duckdb.parquet.compact import Malformed

_MAGIC = b"\x28\xb5\x2f\xfd"
_SIZES = (0, 2, 4, 8)
"""The bytes of the content's size, by the flag that says how many they are."""
_RLE = 1


def require_frame(file: BinaryIO, offset: int, length: int, content: int, where: str) -> None:
    """Raise Malformed unless ``length`` bytes at an ``offset`` are one frame of ``content``
    bytes."""
    file.seek(offset)
    head = file.read(min(length, 18))
    if len(head) < 6 or head[:4] != _MAGIC:
        raise Malformed(f"bytes that are no compressed page in {where}")
    flags = head[4]
    single, checksum, flag = flags >> 5 & 1, flags >> 2 & 1, flags >> 6
    width = _SIZES[flag] or single
    start = 5 + (1 - single)
    size = int.from_bytes(head[start : start + width], "little") + (256 if width == 2 else 0)
    if flags & 0b11011 or (width and size != content):
        raise Malformed(f"a compressed page of another size in {where}")
    position, end, last = start + width, length - 4 * checksum, 0
    while not last:
        file.seek(offset + position)
        block = int.from_bytes(file.read(3), "little")
        last = block & 1
        position += 3 + (1 if block >> 1 & 3 == _RLE else block >> 3)
        if position > end:
            raise Malformed(f"a compressed page that does not end in {where}")
    if position != end:
        raise Malformed(f"{end - position:,} bytes behind a compressed page in {where}")
