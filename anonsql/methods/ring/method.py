"""Ring generalization and its homogeneous partitions as methods."""

from __future__ import annotations

from anonsql.methods.base import GroupMethod
from anonsql.methods.groups import Cells, Grouped
from anonsql.methods.ring import recode
from anonsql.methods.ring.settings import Homogeneous, Ring
from anonsql.system.journal import log


class RingMethod(GroupMethod[Ring]):
    """Every row as the values of k neighbours of its own, any of which may be its owner."""

    settings = Ring

    def group(self, cells: Cells) -> Grouped:
        """See :class:`GroupMethod`."""
        return recode.group(cells, self.parameters)

    def facts(self, made: Grouped) -> dict[str, object]:
        """Tell that a seed was set, for whoever knows it can undo the release."""
        if self.parameters.seed is None:
            return {}
        log.warning(
            "method.seed is set: whoever knows it can undo the release. It is for tests; leave it out."
        )
        return {"seeded": "yes"}


class HomogeneousMethod(GroupMethod[Homogeneous]):
    """The partitions of rings, each released as one."""

    settings = Homogeneous

    def group(self, cells: Cells) -> Grouped:
        """See :class:`GroupMethod`."""
        return recode.group_whole(cells, self.parameters)


METHODS = (RingMethod, HomogeneousMethod)
