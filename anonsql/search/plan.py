"""What a search is asked for."""

from __future__ import annotations

from dataclasses import dataclass

from anonsql.catalog import KnownSizes
from anonsql.lattice import Lattice
from anonsql.policy import Algorithm
from anonsql.search.climb import Progress
from anonsql.search.frequency import FrequencySets


@dataclass(frozen=True)
class Plan:
    """The frequency sets to count, the number of rows that may be suppressed, and how to go about it.

    What is ``known`` of a node is not counted again. ``roll_up`` is for ``bottom-up``: whether it counts a node from the
    ones below instead of from the cells.
    """

    sets: FrequencySets
    known: KnownSizes | None
    max_suppressed: int
    algorithm: Algorithm
    roll_up: bool
    progress: Progress

    @property
    def lattice(self) -> Lattice:
        """The lattice of the whole quasi-identifier."""
        star = self.sets.star
        return Lattice(tuple(each.index for each in star.attributes), star.bottom, star.top)
