"""What suppressed rows would have lost had they been released, from the paths of their groups.

The loss of a row is the mean of its attributes' losses by their weights. So that a group needs few
look-ups, attributes with few values are taken together: the losses of all combinations of their
values, at all combinations of their levels, are laid out in one table. Attributes that are taken
together are a *unit*.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anonsql.engines.base import Engine
from anonsql.hierarchies.dimensions import Attribute
from anonsql.search.paths import Paths
from anonsql.star.cells import Star
from anonsql.star.lattice import Levels
from anonsql.system.arrays import IntArray, np

STEPS = "path_steps"
UNITS = "unit_losses"
_MOST = 50_000
"""Combinations in a unit of several attributes at most: a hash table that fits into the processor's
cache."""


@dataclass(frozen=True)
class Unit:
    """Attributes that are looked up together. ``shares`` are their weights as shares of all
    weights, ``factors`` what their levels are multiplied by to number the combinations of levels,
    and ``masks`` the bits that they have, by key."""

    index: int
    attributes: tuple[Attribute, ...]
    shares: tuple[float, ...]
    masks: tuple[tuple[str, int], ...]

    @property
    def factors(self) -> tuple[int, ...]:
        """What the level of each attribute is multiplied by to number the combinations."""
        numbers, factor = list[int](), 1
        for attribute in self.attributes:
            numbers.append(factor)
            factor *= attribute.max_level + 2
        return tuple(numbers)

    @property
    def terms(self) -> list[tuple[Attribute, int, float]]:
        """The attributes with their factors and shares."""
        return list(zip(self.attributes, self.factors, self.shares, strict=True))

    def combinations(self, nodes: Sequence[Levels]) -> IntArray:
        """Return each node's combination of levels; lacking attributes are above the greatest."""
        numbers = np.zeros(len(nodes), dtype=np.int64)
        for attribute, factor in zip(self.attributes, self.factors, strict=True):
            levels = [node.get(attribute.index, attribute.max_level + 1) for node in nodes]
            numbers += np.array(levels, dtype=np.int64) * factor
        return numbers


def units(star: Star, paths: Paths, groups: Mapping[tuple[int, int], int]) -> tuple[Unit, ...]:
    """Return all attributes in as few units as their ``groups`` by attribute and level allow: each
    attribute, from the one with most groups down, joins the first unit that has room."""
    sizes = {
        attribute.index: 1
        + sum(
            groups[attribute.index, level]
            for level in range(attribute.min_level, attribute.max_level + 1)
        )
        for attribute in star.attributes
    }
    members, filled = list[list[Attribute]](), list[int]()
    for attribute in sorted(star.attributes, key=lambda attribute: -sizes[attribute.index]):
        size = sizes[attribute.index]
        position = next((at for at, full in enumerate(filled) if full * size <= _MOST), len(filled))
        if position == len(filled):
            members.append([])
            filled.append(1)
        members[position].append(attribute)
        filled[position] *= size
    total = sum(star.weights.values())
    return tuple(
        Unit(
            index,
            tuple(some),
            tuple(star.weights[attribute.index] / total for attribute in some),
            tuple(_masks(paths, some)),
        )
        for index, some in enumerate(members, start=1)
    )


def _masks(paths: Paths, attributes: Sequence[Attribute]) -> list[tuple[str, int]]:
    levels = {attribute.index: attribute.min_level for attribute in attributes}
    masks = [(key, paths.mask(key, levels)) for key in paths.keys]
    return [(key, mask) for key, mask in masks if mask]


def lay_out_steps(engine: Engine, paths: Paths) -> None:
    """Make ``path_steps``."""
    levels = [
        (attribute.index, level, *(paths.mask(key, {attribute.index: level}) for key in paths.keys))
        for attribute in paths.attributes
        for level in range(attribute.min_level, attribute.max_level + 1)
    ]
    engine.run("search/path_steps", levels=levels, attributes=paths.attributes, keys=paths.keys)
