"""Functions that templates call and SQLite lacks, in Python."""

from __future__ import annotations

import hashlib
import math
import re
import sqlite3
from collections.abc import Callable
from typing import Any, Protocol

Value = str | int | float | bytes | None


def _strict(function: Callable[..., Value]) -> Callable[..., Value]:
    """Return a function that is NULL where one of its arguments is."""
    return lambda *given: None if None in given else function(*given)


def _text(value: Value) -> str:
    return value if isinstance(value, str) else str(value)


def _moment(value: str) -> str:
    return value if len(value) > 10 else f"{value} 00:00:00"


_PARTS = {"YEAR": (0, 4), "MONTH": (5, 7), "DAY": (8, 10)}
_TIMES = {"HOUR": (11, 13), "MINUTE": (14, 16), "SECOND": (17, 19)}


def _part_of(unit: str, moment: str) -> int:
    start, end = {**_PARTS, **_TIMES}[unit]
    return int(moment[start:end] or 0)


def _split_part(text: str, by: str, position: int) -> str:
    parts = text.split(by)
    return parts[position - 1] if position <= len(parts) else ""


def _decoded(value: Value) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else _text(value)


def _matching(text: Value, by: str, _group: int) -> str:
    """Return the first part of a text that an expression matches; empty where none does."""
    match = re.search(by, _text(text))
    return match[0] if match is not None else ""


def _sha256(value: Value, _bits: int) -> str:
    content = value if isinstance(value, bytes) else _text(value).encode()
    return hashlib.sha256(content).hexdigest()


def _keyed_hash(text: Value, inward: str, outward: str) -> str:
    """Return HMAC-SHA-256 of a text by a key that is padded for its two hashes, see
    engines/keyed_hash."""
    inner = hashlib.sha256(bytes.fromhex(inward) + _text(text).encode()).digest()
    return hashlib.sha256(bytes.fromhex(outward) + inner).hexdigest()[:32]


def _concat(*values: Value) -> str:
    return "".join(_text(value) for value in values if value is not None)


def _hashed(position: int, text: str) -> int:
    """Return a number below 2^52 that distinguishes the values of a column."""
    digest = hashlib.blake2b(text.encode(), digest_size=8, salt=str(position).encode()).digest()
    return int.from_bytes(digest) >> 12


class _Fingerprint:
    """The sum of the hashes of texts, which does not depend on their order."""

    def __init__(self) -> None:
        self._sum = 0

    def step(self, *values: Any) -> None:
        """Count a text in."""
        digest = hashlib.blake2b(str(values[0]).encode(), digest_size=16).digest()
        self._sum += int.from_bytes(digest)

    def finalize(self) -> str:
        """Return the sum."""
        return format(self._sum % (1 << 128), "x")


class _Joined:
    """Texts joined in the order of keys; NULLs are left out."""

    def __init__(self) -> None:
        self._pairs: list[tuple[Value, str]] = []
        self._between = ""

    def step(self, *values: Any) -> None:
        """Take in a text, the separator before the next, and its key."""
        text, self._between, key = values
        if text is not None:
            self._pairs.append((key, _text(text)))

    def finalize(self) -> str | None:
        """Return the texts, joined."""
        ordered = sorted(self._pairs, key=lambda pair: _in_order(pair[0]))
        return self._between.join(text for _, text in ordered) if ordered else None


def _in_order(key: Value) -> tuple[int, float, bytes]:
    """Return a sort key: numbers before text before NULL."""
    if key is None or isinstance(key, (int, float)):
        return (2 * (key is None), key or 0, b"")
    return (1, 0, key.encode() if isinstance(key, str) else key)


_FUNCTIONS: dict[str, tuple[int, Callable[..., Value]]] = {
    "MD5": (1, _strict(lambda text: hashlib.md5(_text(text).encode()).hexdigest())),  # noqa: S324
    "SHA2": (2, _strict(_sha256)),
    "HEX_NUMBER": (1, _strict(lambda text: float(int(_text(text), 16)))),
    "KEYED_HASH": (3, _strict(_keyed_hash)),
    "PART_OF": (2, _strict(_part_of)),
    "FIRST_OF": (2, _strict(lambda text, count: _text(text)[:count])),
    "LAST_OF": (2, _strict(lambda text, count: _text(text)[-count:] if count else "")),
    "LOWER": (1, _strict(lambda text: _text(text).lower())),  # its own knows ASCII alone
    "UPPER": (1, _strict(lambda text: _text(text).upper())),
    "LPAD": (3, _strict(lambda text, size, by: _text(text).rjust(size, by)[:size])),
    "REPEAT": (2, _strict(lambda text, count: _text(text) * count)),
    "SPLIT_PART": (3, _strict(_split_part)),
    "TRANSLATE": (
        3,
        _strict(lambda text, old, new: _text(text).translate(str.maketrans(old, new))),
    ),
    "REGEXP": (2, _strict(lambda by, text: int(re.search(by, _text(text)) is not None))),
    "REGEXP_EXTRACT": (3, _strict(_matching)),
    "CONCAT": (-1, _concat),
    "FLOOR": (1, _strict(math.floor)),  # SQLAlchemy's own one fails where a value is NULL
    "TO_MOMENT": (1, _strict(_moment)),
    "DECODED": (1, _strict(_decoded)),
    "HASHED": (2, _hashed),
}


class _Aggregate(Protocol):
    def step(self, *values: Any) -> None:
        """Take the values of a row in."""

    def finalize(self) -> Value:
        """Return the result of the aggregate."""


_AGGREGATES: dict[str, tuple[int, Callable[[], _Aggregate]]] = {
    "FINGERPRINT": (1, _Fingerprint),
    "JOINED": (3, _Joined),
}


def register(connection: sqlite3.Connection) -> None:
    """Let a connection call the functions."""
    for name, (arguments, function) in _FUNCTIONS.items():
        connection.create_function(name, arguments, function, deterministic=True)
    for name, (arguments, made) in _AGGREGATES.items():
        connection.create_aggregate(name, arguments, made)  # type: ignore[arg-type]
