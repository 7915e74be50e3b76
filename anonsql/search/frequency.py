"""Frequency sets of many nodes at once, in the engine's scratch tables: counted from the cells, or
rolled up from other frequency sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count

from anonsql.engines.base import Engine
from anonsql.hierarchies.dimensions import Attribute
from anonsql.privacy.promise import Promise
from anonsql.search import losses
from anonsql.search.losses import Unit
from anonsql.search.paths import Paths
from anonsql.search.results import ClassSizes
from anonsql.star.cells import Star
from anonsql.star.lattice import Levels
from anonsql.system.arrays import IntArray, np

CELLS = 0
"""The source of frequency sets that are counted from the cells (in the paper, by a scan)."""
REQUESTS = "requests"
"""The table of the last requests: node, source, the masks of the keys and, where they were asked
for, the node's levels l<index>."""

Key = tuple[str, list[tuple[Attribute, int]]]
"""A column that identifies groups, and the attributes in it, each with the mask of its bits."""


@dataclass(frozen=True)
class Request:
    """A node to be counted: its own number, its levels, and that of its ``source``."""

    node: int
    levels: Levels
    source: int = CELLS


class Base:
    """The table ``base`` and what its paths mean; methods that search nothing make none."""

    def __init__(self, engine: Engine, star: Star, promise: Promise) -> None:
        self._engine, self._star, self._promise = engine, star, promise
        self._laid_out = False

    @cached_property
    def paths(self) -> Paths:
        """How paths lie in keys. The table ``base`` is made with it."""
        attributes = self._star.attributes
        paths = Paths.of(attributes, {where: most for where, (most, _) in self._branching.items()})
        self._engine.drop("code_paths", "base", losses.STEPS, losses.UNITS)
        parameters = {"attributes": attributes, "promise": self._promise}
        self._engine.run("search/paths", **parameters, keys=paths.keys, digits=paths.digits)
        keys = [(key, paths.parts(key)) for key in paths.keys]
        self._engine.run("search/base", **parameters, keys=keys)
        return paths

    @property
    def keys(self) -> Sequence[Key]:
        """The columns of ``base`` that identify a group, with what each is composed of."""
        return [(key, self.paths.parts(key)) for key in self.paths.keys]

    def level_with(self, attribute: int, groups: int) -> int | None:
        """Return the highest level at which an attribute has as many groups or more, or None."""
        levels = [
            level
            for (index, level), (_, number) in self._branching.items()
            if index == attribute and number >= groups
        ]
        return max(levels, default=None)

    def masks_at(self, attribute: int, level: int) -> list[tuple[str, int]]:
        """Return the keys with bits of an attribute's groups at a level, and their masks."""
        masks = {key: self.paths.mask(key, {attribute: level}) for key in self.paths.keys}
        return [(key, mask) for key, mask in masks.items() if mask]

    @cached_property
    def units(self) -> tuple[losses.Unit, ...]:
        """The units that losses are looked up by. The table ``unit_losses`` is made with them."""
        groups = {where: number for where, (_, number) in self._branching.items()}
        units = losses.units(self._star, self.paths, groups)
        self.lay_out_steps()
        self._engine.run("search/unit_losses", units=units, keys=self.paths.keys)
        return units

    def lay_out_steps(self) -> None:
        """Make ``path_steps`` (code and loss at the end of every path) once."""
        if not self._laid_out:
            losses.lay_out_steps(self._engine, self.paths)
            self._laid_out = True

    @cached_property
    def _branching(self) -> dict[tuple[int, int], tuple[int, int]]:
        """By attribute and level: the most groups that one of the level above has, and all."""
        rows = self._engine.query("search/fan_outs", attributes=self._star.attributes)
        return {(attribute, level): (most, groups) for attribute, level, most, groups in rows}


class FrequencySets:
    """Frequency sets under a promise, as tables (:meth:`keep`); only sizes reach Python."""

    def __init__(self, engine: Engine, star: Star, promise: Promise) -> None:
        self.engine, self.star, self.promise = engine, star, promise
        self.base = Base(engine, star, promise)
        self._tables = count(1)

    def under(self, promise: Promise) -> FrequencySets:
        """Return the same cells under another promise over the same extra codes."""
        other = object.__new__(FrequencySets)
        other.__dict__.update(self.__dict__, promise=promise)
        return other

    def keep(
        self, requests: Sequence[Request], tables: Sequence[str], *, levels: bool = False
    ) -> str:
        """Make a table with the frequency sets of some nodes, rolled up from those in ``tables``,
        and return its name. With ``levels`` the table of the requests has the nodes' levels."""
        table = f"frequency_{next(self._tables)}"
        counted = self._counted(requests, tables, levels=levels)
        self.engine.run("sql/table", name=table, select="search/rolled_up", **counted)
        return table

    def groups(self, table: str) -> dict[int, int]:
        """Return how many groups the frequency set of each node in a table has."""
        return {node: groups for node, groups, _ in self._groups(table)}

    def keep_part(self, node: int, attribute: int, level: int, step: int) -> tuple[str, int, int]:
        """Make a table of the cells of every ``step``-th of an attribute's groups at a level, as
        the frequency set of a ``node``; return its name, and how many cells and rows it has."""
        table = f"frequency_{next(self._tables)}"
        masks = self.base.masks_at(attribute, level)
        parameters = {"keys": self.base.paths.keys, "promise": self.promise}
        self.engine.run(
            "sql/table",
            name=table,
            select="search/part",
            node=node,
            attribute=attribute,
            step=step,
            masks=masks,
            masked=[key for key, _ in masks],
            **parameters,
        )
        cells, rows = next(((cells, rows) for _, cells, rows in self._groups(table)), (0, 0))
        return table, cells, rows

    def _groups(self, table: str) -> list[tuple[int, int, int]]:
        return self.engine.query("search/groups", table=table)

    def distinct_values(self) -> dict[tuple[int, int], int]:
        """Return the number of distinct values of the data, by attribute and level."""
        rows = self.engine.query("search/distinct_values", attributes=self.star.attributes)
        return {(attribute, level): values for attribute, level, values in rows}

    def sizes(self, requests: Sequence[Request], tables: Sequence[str]) -> dict[int, ClassSizes]:
        """Return the class sizes of some nodes, whose frequency sets are not kept."""
        return {node: sizes for node, (sizes, _) in self._judged(requests, tables, ()).items()}

    def sizes_of(self, table: str) -> dict[int, ClassSizes]:
        """Return the class sizes of every node in a table."""
        return {node: sizes for node, (sizes, _) in self._sizes((), counted=table).items()}

    def measured(
        self, requests: Sequence[Request], tables: Sequence[str]
    ) -> dict[int, tuple[ClassSizes, float]]:
        """Return the class sizes of some nodes, each with the sum over its suppressed rows of the
        loss that they would have had: the mean of their attributes' losses by weight."""
        return self._judged(requests, tables, self.base.units)

    def _judged(
        self, requests: Sequence[Request], tables: Sequence[str], units: Sequence[Unit]
    ) -> dict[int, tuple[ClassSizes, float]]:
        """Return the class sizes of some nodes, with losses where there are ``units``. Where
        checking the promise reads a frequency set more than once, it lies in a table meanwhile."""
        counted = self._counted(requests, tables, units=units)
        if self.promise.plain:
            return self._sizes(units, counted="", **counted)
        table = f"frequency_{next(self._tables)}"
        self.engine.run("sql/table", name=table, select="search/rolled_up", **counted)
        sizes = self._sizes(units, counted=table)
        self.engine.drop(table)
        return sizes

    def _counted(
        self,
        requests: Sequence[Request],
        tables: Sequence[str],
        *,
        units: Sequence[Unit] = (),
        levels: bool = False,
    ) -> dict[str, object]:
        nodes, paths = [request.levels for request in requests], self.base.paths
        columns: dict[str, IntArray] = {
            "node": np.array([request.node for request in requests], dtype=np.int64),
            "source": np.array([request.source for request in requests], dtype=np.int64),
            **{f"m_{key}": masks for key, masks in paths.masks(nodes).items()},
            **{f"u{unit.index}": unit.combinations(nodes) for unit in units},
        }
        if levels:
            columns |= {
                f"l{attribute.index}": np.array(
                    [node[attribute.index] for node in nodes], dtype=np.int64
                )
                for attribute in self.star.attributes
            }
        self.engine.load_numbers(REQUESTS, columns)
        rooted = any(request.source == CELLS for request in requests)
        parameters = {"keys": paths.keys, "promise": self.promise}
        return {"requests": REQUESTS, "tables": tables, "rooted": rooted, **parameters}

    def _sizes(
        self, units: Sequence[Unit], **parameters: object
    ) -> dict[int, tuple[ClassSizes, float]]:
        rows: list[tuple[int, ...]] = self.engine.query(
            "search/class_sizes",
            **{
                "promise": self.promise,
                "names": ["node", *self.base.paths.keys],
                "units": units,
                "requests": REQUESTS,
                **parameters,
            },
        )
        return {node: (ClassSizes(*counts), float(lost)) for node, *counts, lost in rows}
