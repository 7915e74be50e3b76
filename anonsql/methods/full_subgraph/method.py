"""Full-subgraph recoding as a method."""

from __future__ import annotations

from anonsql.methods.base import GroupMethod
from anonsql.methods.full_subgraph import recode
from anonsql.methods.full_subgraph.settings import FullSubgraph
from anonsql.methods.groups import Cells, Grouped


class FullSubgraphMethod(GroupMethod[FullSubgraph]):
    """Cut the domain into boxes of hierarchy nodes."""

    settings = FullSubgraph

    def group(self, cells: Cells) -> Grouped:
        """See :class:`GroupMethod`."""
        return recode.group(cells, self.parameters)


METHODS = (FullSubgraphMethod,)
