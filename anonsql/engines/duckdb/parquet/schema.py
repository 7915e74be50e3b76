"""The columns of a Parquet file that hold values: those without further columns in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from anonsql.engines.duckdb.parquet.compact import Malformed

_REPEATED, _REQUIRED = 2, 0
_LIST, _MAP = 3, 1


@dataclass(frozen=True)
class Step:
    """How values lie in those of the column around them: as elements of a ``list``, keys or values
    of a map, or a ``field`` of a structure, which has a ``name``."""

    kind: Literal["list", "key", "value", "field"]
    name: str = ""


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
        return all(step.kind == "field" for step in self.steps)


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
    reader: _Elements, path: tuple[bytes, ...], steps: tuple[Step, ...], named: bool = False
) -> list[Leaf]:
    """Return the columns with values in the next element. It is a field of a structure if
    ``named``."""
    element = reader.next()
    path = (*path, element[4])
    if named:
        steps = (*steps, Step("field", element[4].decode(errors="replace")))
    if 1 in element:
        if 5 in element or element.get(3) == _REPEATED:
            raise Malformed("a column of the schema that DuckDB does not write")
        return [Leaf(path, steps, element)]
    if element.keys() - {3, 4, 5, 6, 10}:
        raise Malformed("a column of the schema that DuckDB does not write")
    converted = element.get(6)
    if converted is None:
        return [
            leaf
            for _ in range(element.get(5, 0))
            for leaf in _column(reader, path, steps, named=True)
        ]
    inner = reader.next()
    name, children = {_LIST: (b"list", 1), _MAP: (b"key_value", 2)}.get(converted, (b"", 0))
    if inner.get(3) != _REPEATED or inner[4] != name or inner.get(5) != children:
        raise Malformed("a column of the schema that DuckDB does not write")
    if inner.keys() - {3, 4, 5, 6}:
        raise Malformed("a column of the schema that DuckDB does not write")
    path = (*path, name)
    if converted == _LIST:
        return _column(reader, path, (*steps, Step("list")))
    return [
        *_column(reader, path, (*steps, Step("key"))),
        *_column(reader, path, (*steps, Step("value"))),
    ]
