"""Ring generalization, and its partitions released as groups, as methods."""

from __future__ import annotations

from anonsql.methods.base import GroupMethod
from anonsql.methods.groups import Cells, Grouped
from anonsql.methods.ring import recode
from anonsql.methods.ring.settings import Homogeneous, Ring
from anonsql.system.journal import log


class RingMethod(GroupMethod[Ring]):
    """Release every row with the values of k neighbouring rows, any of which may be its own."""

    settings = Ring

    def group(self, cells: Cells) -> Grouped:
        """See :class:`GroupMethod`. Warn where a seed is set."""
        if self.parameters.seed is not None:
            log.warning(
                "method.seed is set: whoever knows it can undo the release. It is for tests; leave"
                " it out."
            )
        return recode.group(cells, self.parameters)

    def facts(self, made: Grouped) -> dict[str, object]:
        """Return whether a seed was set: anybody who knows the seed can undo the release."""
        return {} if self.parameters.seed is None else {"seeded": "yes"}


class HomogeneousMethod(GroupMethod[Homogeneous]):
    """Release each partition of ring generalization as one group."""

    settings = Homogeneous

    def group(self, cells: Cells) -> Grouped:
        """See :class:`GroupMethod`."""
        return recode.group_whole(cells, self.parameters)


METHODS = (RingMethod, HomogeneousMethod)
