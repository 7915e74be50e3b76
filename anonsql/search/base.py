"""The cells as a search reads them: with the paths of their codes, laid out in the engine when
first needed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from anonsql.engines.base import Engine
from anonsql.hierarchies.dimensions import Attribute
from anonsql.privacy.promise import Promise
from anonsql.search import losses
from anonsql.search.paths import Paths
from anonsql.star.cells import Star

Key = tuple[str, list[tuple[Attribute, int]]]
"""A column that identifies groups, and the attributes in it, each with the mask of its bits."""


class Base:
    """The table ``base`` and those that tell what its paths stand for. Methods that search nothing
    make none of them."""

    def __init__(self, engine: Engine, star: Star, promise: Promise) -> None:
        self._engine, self._star, self._promise = engine, star, promise
        self._laid_out = False

    @cached_property
    def paths(self) -> Paths:
        """How paths lie in keys. The table ``base`` is made with it."""
        attributes = self._star.attributes
        paths = Paths.of(attributes, {where: most for where, (most, _) in self._branching.items()})
        for table in ("code_paths", "base", losses.STEPS, losses.UNITS):
            self._engine.drop(table)
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
        """Return the keys in which the groups of an attribute at a level have bits, each with the
        mask of these bits."""
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
        """Make ``path_steps``, the code and the loss at the end of every path, unless it was made
        before."""
        if not self._laid_out:
            losses.lay_out_steps(self._engine, self.paths)
            self._laid_out = True

    @cached_property
    def _branching(self) -> dict[tuple[int, int], tuple[int, int]]:
        """By attribute and level: the most groups that one of the level above has, and all."""
        rows = self._engine.query("search/fan_outs", attributes=self._star.attributes)
        return {(attribute, level): (most, groups) for attribute, level, most, groups in rows}
