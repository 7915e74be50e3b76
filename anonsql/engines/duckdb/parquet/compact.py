"""Thrift's compact protocol, in which the footer and the page headers of Parquet files are written
(https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md), with
structures that are known in full: an unknown field, or a known one that is written in a longer way
than it need be, is an error, for both can hold anything.

Structures are dictionaries by field number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Scalar = Literal["bool", "byte", "i16", "i32", "i64", "binary"]


@dataclass(frozen=True)
class Struct:
    """A structure: its ``name`` for messages, and its fields by number."""

    name: str
    fields: Mapping[int, Kind]


@dataclass(frozen=True)
class ListOf:
    """A list of values of one kind."""

    kind: Kind


Kind = Scalar | Struct | ListOf
_WIRE: Mapping[str, int] = {"byte": 3, "i16": 4, "i32": 5, "i64": 6, "binary": 8}
_TRUE, _FALSE, _LIST, _STRUCT = 1, 2, 9, 12
_LONG_LIST = 15
"""The length in a list's first byte which says that the length follows."""


class Malformed(Exception):  # noqa: N818 - not an error of anonsql: its reader makes an item of it
    """Bytes that are no structure of the known kind; the text says in words what was found."""


def read(data: bytes, kind: Struct) -> tuple[dict[int, Any], int]:
    """Return the structure at the beginning of ``data``, and its length in bytes."""
    reader = _Reader(data)
    try:
        value = reader.struct(kind)
    except IndexError:
        raise Malformed(f"a broken {kind.name}") from None
    if written(value, kind) != data[: reader.position]:
        raise Malformed(f"a {kind.name} that is not written in the shortest way")
    return value, reader.position


def written(value: Mapping[int, Any], kind: Struct) -> bytes:
    """Return a structure as bytes, its fields in ascending order."""
    out, last = bytearray(), 0
    for number in sorted(value):
        inner = kind.fields[number]
        wire = _wire(inner) if inner != "bool" else (_TRUE if value[number] else _FALSE)
        step = number - last
        out += bytes([step << 4 | wire])
        out += b"" if inner == "bool" else _written(value[number], inner)
        last = number
    return bytes(out) + b"\0"


def _written(value: Any, kind: Kind) -> bytes:
    """Return a value that is no truth value as bytes."""
    if isinstance(kind, Struct):
        return written(value, kind)
    if isinstance(kind, ListOf):
        head = bytes([min(len(value), _LONG_LIST) << 4 | _wire(kind.kind)])
        length = b"" if len(value) < _LONG_LIST else _varint(len(value))
        return head + length + b"".join(_written(item, kind.kind) for item in value)
    if kind == "binary":
        return _varint(len(value)) + bytes(value)
    if kind == "byte":
        return bytes([value])
    return _varint(value << 1 if value >= 0 else (-value << 1) - 1)


def _varint(number: int) -> bytes:
    """Return a number of at least 0 in groups of seven bits, the lowest first."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out) + bytes([number])


def _wire(kind: Kind) -> int:
    """Return the number by which bytes name a kind."""
    if isinstance(kind, Struct):
        return _STRUCT
    return _LIST if isinstance(kind, ListOf) else _WIRE[kind]


class _Reader:
    """Reads values from bytes, from a ``position`` on."""

    def __init__(self, data: bytes) -> None:
        self._data, self.position = data, 0

    def struct(self, kind: Struct) -> dict[int, Any]:
        value: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._number()
            inner = kind.fields.get(number)
            if inner is None or number in value:
                raise Malformed(f"field {number} of a {kind.name}")
            wires = (_TRUE, _FALSE) if inner == "bool" else (_wire(inner),)
            if head & 15 not in wires:
                raise Malformed(f"field {number} of a {kind.name}, of another type than its own")
            value[number] = head & 15 == _TRUE if inner == "bool" else self._value(inner)
        return value

    def _value(self, kind: Kind) -> Any:
        if isinstance(kind, Struct):
            return self.struct(kind)
        if isinstance(kind, ListOf):
            return self._list(kind)
        if kind == "binary":
            return self._bytes(self._varint())
        return self._byte() if kind == "byte" else self._number()

    def _list(self, kind: ListOf) -> Sequence[Any]:
        head = self._byte()
        length = head >> 4 if head >> 4 < _LONG_LIST else self._varint()
        if head & 15 != _wire(kind.kind) or length > len(self._data):
            raise Malformed("a list of another type than its own")
        return [self._value(kind.kind) for _ in range(length)]

    def _number(self) -> int:
        coded = self._varint()
        return coded >> 1 ^ -(coded & 1)

    def _varint(self) -> int:
        number = shift = 0
        while (byte := self._byte()) > 0x7F:
            number |= (byte & 0x7F) << shift
            shift += 7
            if shift > 63:
                raise Malformed("a number of more than 64 bits")
        return number | byte << shift

    def _byte(self) -> int:
        self.position += 1
        return self._data[self.position - 1]

    def _bytes(self, length: int) -> bytes:
        self.position += length
        if self.position > len(self._data):
            raise IndexError
        return self._data[self.position - length : self.position]
