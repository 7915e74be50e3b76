"""Ordered-set partitioning as a method."""

from __future__ import annotations

from anonsql.methods.base import GroupMethod
from anonsql.methods.groups import Cells, Grouped
from anonsql.methods.ordered_partition import recode
from anonsql.methods.ordered_partition.settings import OrderedPartition


class OrderedPartitionMethod(GroupMethod[OrderedPartition]):
    """Release intervals of each column's ordered domain."""

    settings = OrderedPartition

    def group(self, cells: Cells) -> Grouped:
        """See :class:`GroupMethod`."""
        return recode.group(cells, self.parameters)

    def facts(self, made: Grouped) -> dict[str, object]:
        """Return whether the partition is optimal."""
        return {"optimal": str(made.optimal).lower()}


METHODS = (OrderedPartitionMethod,)
