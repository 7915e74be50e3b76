"""Encodings of text files: which one a file has, and a file of another one as UTF-8."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

from anonsql.errors import PolicyError

_BLOCK = 1 << 20
_UTF_8 = ("utf-8", "utf-8-sig", "ascii")
_CONTROL = bytes(set(range(32)) - set(b"\t\n\f\r\x1a"))
_UNDEFINED = b"\x81\x8d\x8f\x90\x9d"
"""Bytes without a meaning in windows-1252."""
_OF_WINDOWS = bytes(set(range(0x80, 0xA0)) - set(_UNDEFINED))
"""Bytes that are a letter or sign in windows-1252, and in latin-1 a control character, which no
text has."""


def encoding_of(content: Iterable[bytes], path: Path, where: str) -> str:
    """Return the likeliest encoding of a text, given its bytes: UTF-16 by its mark or its zeros,
    UTF-8 where all bytes fit, else windows-1252 or latin-1. Raise PolicyError at ``where`` for
    bytes that no text has."""
    blocks = iter(content)
    first = next(blocks, b"")
    if wide := utf16(first):
        return wide
    decoder, unicode = codecs.getincrementaldecoder("utf-8")(), True
    control = windows = undefined = False
    for block in chain([first], blocks):
        control = control or _some(block, _CONTROL)
        windows = windows or _some(block, _OF_WINDOWS)
        undefined = undefined or _some(block, _UNDEFINED)
        try:
            decoder.decode(block)
        except UnicodeDecodeError:
            unicode = False
    if unicode and not decoder.getstate()[0]:
        return "utf-8"
    if control:
        raise PolicyError.at(where, f"{path} is not text.", "Save it as UTF-8 text.")
    return "windows-1252" if windows and not undefined else "latin-1"


def _some(block: bytes, signs: bytes) -> bool:
    return len(block.translate(None, signs)) < len(block)


def utf16(start: bytes) -> str | None:
    """Return the name of UTF-16 where a text that starts so is UTF-16, by its mark, or by zeros in
    the place of most first or second bytes and nowhere else.

    >>> utf16("a;b".encode("utf-16")), utf16("a;b".encode("utf-16-be")), utf16(b"a\\0b")
    ('utf-16', 'utf-16-be', None)
    """
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    even, odd = start[0::2], start[1::2]
    for name, zeros, others in (("utf-16-le", odd, even), ("utf-16-be", even, odd)):
        if 0 < len(zeros) < 2 * zeros.count(0) and 0 not in others:
            return name
    return None


def has_zeros(encoding: str | None) -> bool:
    """Return whether text of an encoding has bytes that are zero."""
    return encoding is not None and codecs.lookup(encoding).name.startswith(("utf-16", "utf-32"))


@contextmanager
def as_utf8(
    path: Path, encoding: str | None, copy: Path, where: str, file: Path | None = None
) -> Iterator[Path]:
    """Give a text file as UTF-8: the file itself, or a ``copy`` of it in a private folder, which is
    removed afterwards. Raise PolicyError at ``where``, naming the path or the ``file`` that it is a
    copy of, when it is not of the ``encoding``."""
    if encoding is None or codecs.lookup(encoding).name in _UTF_8:
        yield path
        return
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        with copy.open("w", encoding="utf-8", newline="") as written:
            for block in blocks(path):
                written.write(decoder.decode(block))
            written.write(decoder.decode(b"", final=True))
        yield copy
    except UnicodeError:
        named = file or path
        found = encoding_of(blocks(path), named, where)
        raise not_of(named, encoding, found, where) from None
    finally:
        copy.unlink(missing_ok=True)


def not_of(path: Path, encoding: str, found: str, where: str) -> PolicyError:
    """Return the error of a file that is not text of an encoding, by its bytes rather ``found``."""
    remedy = f"Its bytes look like {found}: write `encoding: {found}`."
    if found == encoding:
        remedy = "It may end inside a character, or be damaged: save it again as UTF-8."
    return PolicyError.at(where, f"{path} is not {encoding} text.", remedy)


def blocks(path: Path) -> Iterator[bytes]:
    """Yield the bytes of a file, a mebibyte at a time."""
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            yield block
