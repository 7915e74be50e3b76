"""Multi-dimension full-subgraph recoding (LeFevre, DeWitt, Ramakrishnan, Incognito, SIGMOD 2005,
section 5.1.3).

At first the domain is one box of top nodes. Every round cuts each box along one attribute into all
children of its node, if each child with rows keeps the promise; among the possible cuts it makes
the cut that reduces the loss most. Boxes are disjoint, cover the domain and are released as their
nodes, so all combinations of values in a box get the same labels: the whole subgraph below it.
"""

from __future__ import annotations

from anonsql.methods import regions
from anonsql.methods.base import GroupMethod
from anonsql.methods.full_subgraph.settings import FullSubgraph
from anonsql.methods.groups import Cells, Grouped


class FullSubgraphMethod(GroupMethod[FullSubgraph]):
    """Cut the domain into boxes of hierarchy nodes."""

    settings = FullSubgraph

    def group(self, cells: Cells) -> Grouped:
        """See :class:`GroupMethod`. A round takes a few statements, however many boxes there
        are."""
        regions.cut_down(cells, rest=False)
        return Grouped.by_nodes(cells)


METHODS = (FullSubgraphMethod,)
