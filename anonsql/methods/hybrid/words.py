"""Codes of all attributes in the bits of a few whole numbers (words): one operation compares them
all.

Every attribute has a lane of bits in one word: as many as its greatest code needs, and one above
them, which is never set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from anonsql.hierarchies.dimensions import Attribute

_BITS = 62
"""The bits of a word: a sum of two words must not be negative."""


@dataclass(frozen=True)
class Word:
    """A word by the ``name`` of its column: its attributes with the factor of their codes, and the
    bits of each attribute's lane, by index: those of its codes, and the ``highest``."""

    name: str
    lanes: tuple[tuple[Attribute, int], ...]
    codes: Mapping[int, int]
    tops: Mapping[int, int]

    @property
    def lower(self) -> int:
        """All bits of codes."""
        return sum(self.codes.values())

    @property
    def highest(self) -> int:
        """The highest bit of each lane."""
        return sum(self.tops.values())

    def without(self, left_out: Set[int]) -> int:
        """Return the bits of codes of all attributes but some, by index."""
        return sum(bits for index, bits in self.codes.items() if index not in left_out)


def words(attributes: Sequence[Attribute], greatest: Mapping[int, int]) -> list[Word]:
    """Return the fewest words that hold attributes with their ``greatest`` codes, in order."""
    result: list[Word] = []
    lanes: list[tuple[Attribute, int]] = []
    codes: dict[int, int] = {}
    tops: dict[int, int] = {}
    used = 0
    for attribute in attributes:
        bits = greatest[attribute.index].bit_length()
        if lanes and used + bits + 1 > _BITS:
            result.append(Word(f"b{len(result) + 1}", tuple(lanes), codes, tops))
            lanes, codes, tops, used = [], {}, {}, 0
        lanes.append((attribute, 2**used))
        codes[attribute.index] = (2**bits - 1) << used
        tops[attribute.index] = 1 << (used + bits)
        used += bits + 1
    return [*result, Word(f"b{len(result) + 1}", tuple(lanes), codes, tops)]
