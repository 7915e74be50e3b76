"""The task of a search."""

from __future__ import annotations

from dataclasses import dataclass

from anonsql.policy.method import Algorithm
from anonsql.search.climb import Progress
from anonsql.search.frequency import FrequencySets
from anonsql.search.group_losses import GroupLosses
from anonsql.search.least import Aim
from anonsql.search.release_limits import ReleaseLimits
from anonsql.star.lattice import Lattice


@dataclass(frozen=True)
class SearchPlan:
    """What to search, and how: the frequency sets to count by, the number of rows that may be
    suppressed, and the algorithm.

    ``combinations`` are the subsets of the attributes, by index, that must each keep the promise: a
    single one of all attributes, or several.
    ``roll_up`` is for ``bottom-up``: whether it counts a node from its specializations instead of
    from the cells. With an ``aim`` only satisfying nodes are asked for that may have the least
    value; ``auto`` decides no others then. With ``losses`` only nodes satisfy at which no value
    loses too many of its rows.
    """

    sets: FrequencySets
    combinations: tuple[tuple[int, ...], ...]
    max_suppressed: int
    algorithm: Algorithm
    roll_up: bool
    progress: Progress
    aim: Aim | None = None
    losses: GroupLosses | None = None
    limits: ReleaseLimits | None = None

    @property
    def lattice(self) -> Lattice:
        """The lattice over all attributes of the plan."""
        about = {index for combination in self.combinations for index in combination}
        attributes = [
            attribute for attribute in self.sets.star.attributes if attribute.index in about
        ]
        bottom, top = (
            tuple(getattr(attribute, end) for attribute in attributes)
            for end in ("min_level", "max_level")
        )
        return Lattice(tuple(attribute.index for attribute in attributes), bottom, top)
