"""Codes that are generalized by masking bits.

The *path* of a value tells, level by level from the top down, which of its group's parts the value
is in: a few bits a level, as many as the greatest number of parts needs. The groups of a level have
the bits of that level and those above in common, so a bitwise AND with the mask of a level
generalizes a path. The paths of all attributes lie side by side in as few integers (*keys*) as can
hold them: one AND a key generalizes all attributes to the levels of a node.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from anonsql.hierarchies.dimensions import Attribute
from anonsql.star.lattice import Levels
from anonsql.system.arrays import IntArray, np

_BITS = 62
"""Bits of a key: a BIGINT has 63 besides its sign."""


@dataclass(frozen=True)
class Digit:
    """The bits of a key that tell an attribute's groups at a level apart within a group of the
    level above. ``factor`` is the value of the lowest of its ``bits``."""

    attribute: Attribute
    level: int
    key: str
    factor: int
    bits: int

    @property
    def mask(self) -> int:
        """The bits as a mask."""
        return ((1 << self.bits) - 1) * self.factor


@dataclass(frozen=True)
class Paths:
    """How the paths of all attributes lie in keys."""

    attributes: tuple[Attribute, ...]
    digits: tuple[Digit, ...]

    @classmethod
    def of(cls, attributes: Sequence[Attribute], fan_outs: Mapping[tuple[int, int], int]) -> Paths:
        """Return paths of attributes by the most parts of a group of the level above."""
        digits, key, shift = list[Digit](), 1, 0
        for attribute in attributes:
            for level in range(attribute.min_level, attribute.max_level + 1):
                bits = (fan_outs[attribute.index, level] - 1).bit_length()
                if shift + bits > _BITS:
                    key, shift = key + 1, 0
                digits.append(Digit(attribute, level, f"k{key}", 1 << shift, bits))
                shift += bits
        return cls(tuple(attributes), tuple(digits))

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The names of the keys."""
        return tuple(dict.fromkeys(digit.key for digit in self.digits))

    def parts(self, key: str) -> list[tuple[Attribute, int]]:
        """Return the attributes that have bits in a key, each with the mask of them all."""
        masks: dict[int, int] = {}
        for digit in self.digits:
            if digit.key == key and digit.bits:
                masks[digit.attribute.index] = masks.get(digit.attribute.index, 0) + digit.mask
        return [
            (attribute, masks[attribute.index])
            for attribute in self.attributes
            if attribute.index in masks
        ]

    def mask(self, key: str, levels: Levels) -> int:
        """Return a key's mask that generalizes to levels; attributes without one are left out."""
        return sum(
            digit.mask
            for digit in self.digits
            if digit.key == key
            and digit.level >= levels.get(digit.attribute.index, digit.level + 1)
        )

    def masks(self, nodes: Sequence[Levels]) -> dict[str, IntArray]:
        """Return the masks of many nodes, by key."""
        arrays = {key: np.zeros(len(nodes), dtype=np.int64) for key in self.keys}
        for attribute in self.attributes:
            absent = attribute.max_level + 1
            levels = np.array([node.get(attribute.index, absent) for node in nodes])
            for digit in self.digits:
                if digit.attribute is attribute and digit.bits:
                    arrays[digit.key] += np.where(levels <= digit.level, digit.mask, 0)
        return arrays
