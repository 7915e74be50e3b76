"""Frequency sets of many nodes at once, in the engine's scratch tables: counted from the cells, or
rolled up from other frequency sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from anonsql.engines.base import Engine
from anonsql.hierarchies.dimensions import Attribute
from anonsql.search.results import ClassSizes
from anonsql.star.cells import Star
from anonsql.star.lattice import Levels
from anonsql.star.models import Promise

CELLS = 0
"""The source of frequency sets that are counted from the cells (in the paper, by a scan)."""
_KEY_LIMIT = 2**62
Key = tuple[str, list[tuple[Attribute, int]]]
"""A column that identifies groups, and the attributes in it: its value is the sum of their codes,
each times a factor."""
REQUESTS = "requests"
"""The table of the last requests: node, source, and the node's levels l<index>."""


@dataclass(frozen=True)
class Request:
    """A node to be counted: its number, which no other node of the tables has, its levels, and the
    number of the node that it is rolled up from."""

    node: int
    levels: Levels
    source: int = CELLS


class FrequencySets:
    """Frequency sets under a promise. :meth:`keep` makes tables of them; only sizes reach
    Python."""

    def __init__(self, engine: Engine, star: Star, promise: Promise) -> None:
        self.engine, self.star, self.promise = engine, star, promise
        self._keys = _keys(star)
        self._tables = count(1)
        engine.drop("base")
        engine.run("search/base", attributes=star.attributes, promise=promise)

    @property
    def k(self) -> int:
        """The k of the promise."""
        return self.promise.k

    def under(self, promise: Promise) -> FrequencySets:
        """Return the same cells under another promise over the same extra codes."""
        other = object.__new__(FrequencySets)
        other.__dict__.update(self.__dict__, promise=promise)
        return other

    def keep(self, requests: Sequence[Request], tables: Sequence[str]) -> str:
        """Make a table with the frequency sets of some nodes, rolled up from those in ``tables``,
        and return its name."""
        table = f"frequency_{next(self._tables)}"
        counted = self._counted(requests, tables)
        self.engine.run("star/models/table", name=table, select="search/rolled_up", **counted)
        return table

    def groups(self, table: str) -> dict[int, int]:
        """Return how many groups the frequency set of each node in a table has."""
        return dict(self.engine.query("search/groups", table=table))

    def distinct_values(self) -> dict[tuple[int, int], int]:
        """Return how many distinct values each attribute has in the data at each level, by
        attribute and level."""
        rows = self.engine.query("search/distinct_values", attributes=self.star.attributes)
        return {(attribute, level): values for attribute, level, values in rows}

    def sizes(self, requests: Sequence[Request], tables: Sequence[str]) -> dict[int, ClassSizes]:
        """Return the class sizes of some nodes, whose frequency sets are not kept. Where checking
        the promise reads a frequency set more than once, it lies in a table meanwhile."""
        if self.promise.plain:
            return self._sizes(counted="", **self._counted(requests, tables))
        table = self.keep(requests, tables)
        sizes = self.sizes_of(table)
        self.drop(table)
        return sizes

    def sizes_of(self, table: str) -> dict[int, ClassSizes]:
        """Return the class sizes of every node in a table."""
        return self._sizes(counted=table)

    def suppressed_losses(
        self, requests: Sequence[Request], tables: Sequence[str]
    ) -> dict[int, dict[int, float]]:
        """Return, by node and attribute, the loss that the node's suppressed rows would have
        had."""
        rows = [(each.node, *level) for each in requests for level in each.levels.items()]
        self.engine.load(
            "asked", [("node", "INTEGER"), ("attribute", "INTEGER"), ("level", "INTEGER")], rows
        )
        counted = "" if self.promise.plain else self.keep(requests, tables)
        parameters = {**self._counted(requests, tables), **self._names(), "counted": counted}
        losses: dict[int, dict[int, float]] = {}
        for node, attribute, loss in self.engine.query(
            "search/suppressed_loss", levels="asked", **parameters
        ):
            losses.setdefault(node, {})[attribute] = float(loss)
        if counted:
            self.drop(counted)
        return losses

    def drop(self, table: str) -> None:
        """Drop a table of frequency sets."""
        self.engine.drop(table)

    def _counted(self, requests: Sequence[Request], tables: Sequence[str]) -> dict[str, object]:
        """Load the requests, and return the parameters of the roll-up that answers them."""
        indices = [each.index for each in self.star.attributes]
        columns = [
            ("node", "INTEGER"),
            ("source", "INTEGER"),
            *((f"l{index}", "INTEGER") for index in indices),
        ]
        rows = [
            (each.node, each.source, *(each.levels.get(index) for index in indices))
            for each in requests
        ]
        self.engine.load(REQUESTS, columns, rows)
        rooted = any(each.source == CELLS for each in requests)
        parameters = {
            "keys": self._keys,
            "attributes": self.star.attributes,
            "promise": self.promise,
        }
        return {"requests": REQUESTS, "tables": tables, "rooted": rooted, **parameters}

    def _sizes(self, **parameters: object) -> dict[int, ClassSizes]:
        rows: list[tuple[int, ...]] = self.engine.query(
            "search/class_sizes", **{"promise": self.promise, **self._names(), **parameters}
        )
        return {node: ClassSizes(*counts) for node, *counts in rows}

    @property
    def keys(self) -> Sequence[Key]:
        """The columns of a table of frequency sets that identify a group, with what each is
        composed of."""
        return self._keys

    def _names(self) -> dict[str, Sequence[str]]:
        return {"names": ["node", *(name for name, _ in self._keys)]}


def _keys(star: Star) -> list[Key]:
    """Return the keys of a group: the codes of all attributes as the digits of as few integers as
    can hold them."""
    keys: list[Key] = []
    factor = 1
    for attribute in star.attributes:
        codes = star.codes[attribute.index] + 1
        if not keys or factor * codes > _KEY_LIMIT:
            keys.append((f"k{len(keys) + 1}", []))
            factor = 1
        keys[-1][1].append((attribute, factor))
        factor *= codes
    return keys
