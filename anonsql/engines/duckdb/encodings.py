"""Encodings of CSV files: which one a file has, and a file of another one as UTF-8, which DuckDB
reads."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from anonsql.errors import PolicyError

_BLOCK = 1 << 20
_UTF_8 = ("utf-8", "utf-8-sig", "ascii")
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_OF_WINDOWS = bytes(range(0x80, 0xA0))
"""What is a letter or sign in windows-1252, and in latin-1 a control character, which no table
has."""


def encoding_of(path: Path) -> str:
    """Return the likeliest encoding of a text file, by its bytes."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    unicode, windows = True, False
    for number, block in enumerate(_blocks(path)):
        if number == 0 and block.startswith(_UTF_16):
            return "utf-16"
        windows = windows or len(block.translate(None, _OF_WINDOWS)) < len(block)
        try:
            decoder.decode(block)
        except UnicodeDecodeError:
            unicode = False
        if windows and not unicode:
            return "windows-1252"
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        unicode = False
    return "utf-8" if unicode else "windows-1252" if windows else "latin-1"


def is_utf16(start: bytes) -> bool:
    """Return whether a file that starts so says that it is UTF-16."""
    return start.startswith(_UTF_16)


def has_zeros(encoding: str | None) -> bool:
    """Return whether text of an encoding has bytes that are zero."""
    return encoding is not None and codecs.lookup(encoding).name.startswith(("utf-16", "utf-32"))


@contextmanager
def as_utf8(path: Path, encoding: str | None, copy: Path, where: str) -> Iterator[Path]:
    """Give a text file as UTF-8: the file itself, or a ``copy`` of it in a private folder, which is
    removed afterwards. Raise PolicyError at ``where`` when it is not of the ``encoding``."""
    if encoding is None or codecs.lookup(encoding).name in _UTF_8:
        yield path
        return
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        with copy.open("w", encoding="utf-8", newline="") as written:
            for block in _blocks(path):
                written.write(decoder.decode(block))
            written.write(decoder.decode(b"", final=True))
        yield copy
    except UnicodeError:
        remedy = f"By its bytes it is {encoding_of(path)}: say `encoding: {encoding_of(path)}`."
        raise PolicyError.at(where, f"{path} is not {encoding} text.", remedy) from None
    finally:
        copy.unlink(missing_ok=True)


def _blocks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            yield block
