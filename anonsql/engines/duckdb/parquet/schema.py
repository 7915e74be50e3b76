"""The columns of a Parquet file that hold values: those without further columns in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from anonsql.engines.duckdb.parquet.compact import Malformed

_REPEATED = 2
Step = Literal["list", "key", "value"]
"""How values lie in those of the column around them: as elements of a ``list``, or as keys or values
of a map."""
_NESTED: dict[int, tuple[bytes, dict[bytes, Step]]] = {
    3: (b"list", {b"element": "list"}),
    1: (b"key_value", {b"key": "key", b"value": "value"}),
}
"""What DuckDB calls the parts of a list and of a map, by the converted type. Names of fields, which
structures have, are in no release."""
_GREATEST = 64
"""The greatest number that says of what type a column is: the bits of an integer."""


@dataclass(frozen=True)
class Leaf:
    """A column that holds values: the names on the way to it, the steps from the column of the
    table to its values, and its element of the schema."""

    path: tuple[bytes, ...]
    steps: tuple[Step, ...]
    element: Mapping[int, Any]

    @property
    def name(self) -> str:
        """The name of the table's column."""
        return self.path[0].decode(errors="replace")

    @property
    def type(self) -> int:
        """The physical type."""
        kind: int = self.element[1]
        return kind

    @property
    def flat(self) -> bool:
        """Whether it has one value for each row."""
        return not self.steps


def leaves_of(elements: Sequence[Mapping[int, Any]]) -> list[Leaf]:
    """Return the columns with values of a schema; raise Malformed where it is none of DuckDB's."""
    reader = _Elements(elements)
    root = reader.next()
    if root.get(4) != b"duckdb_schema" or root.keys() - {3, 4, 5}:
        raise Malformed("another schema than DuckDB's")
    leafs = [leaf for _ in range(root.get(5, 0)) for leaf in _column(reader, (), ())]
    if reader.left:
        raise Malformed("columns that no table has")
    return leafs


class _Elements:
    """The elements of a schema, each before those in it."""

    def __init__(self, elements: Sequence[Mapping[int, Any]]) -> None:
        self._elements, self._position = elements, 0

    @property
    def left(self) -> int:
        """How many have not been read."""
        return len(self._elements) - self._position

    def next(self) -> Mapping[int, Any]:
        """Return the next element; raise Malformed where there is none, or it has no name."""
        self._position += 1
        if self.left < 0 or 4 not in self._elements[self._position - 1]:
            raise Malformed("a broken schema")
        return self._elements[self._position - 1]


def _column(
    reader: _Elements, path: tuple[bytes, ...], steps: tuple[Step, ...], name: bytes | None = None
) -> list[Leaf]:
    """Return the columns with values in the next element, which must have a ``name``, if any."""
    element = reader.next()
    own, path = element[4], (*path, element[4])
    odd = own != (name or own) or element.get(3) == _REPEATED
    if 1 in element:
        if odd or 5 in element or not _is_small(element):
            raise Malformed(_ODD)
        return [Leaf(path, steps, element)]
    inside, parts = _NESTED.get(element.get(6, -1), (b"", {}))
    inner = reader.next()
    if (
        odd
        or element.keys() - {3, 4, 5, 6, 10}
        or element.get(5) != 1
        or not _is_small(element)
        or inner.keys() - {3, 4, 5, 6}
        or (inner.get(3), inner[4], inner.get(5)) != (_REPEATED, inside, len(parts))
        or not _is_small(inner)
    ):
        raise Malformed(_ODD)
    return [
        leaf
        for part, step in parts.items()
        for leaf in _column(reader, (*path, inside), (*steps, step), part)
    ]


_ODD = "a column of the schema that DuckDB does not write"


def _is_small(value: Any) -> bool:
    """Return whether all numbers of an element are such as say of what type a column is."""
    if isinstance(value, Mapping):
        return all(map(_is_small, value.values()))
    return isinstance(value, bytes) or 0 <= value <= _GREATEST
