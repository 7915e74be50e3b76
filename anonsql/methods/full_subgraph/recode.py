"""Multi-dimension full-subgraph recoding (LeFevre, DeWitt, Ramakrishnan, Incognito, SIGMOD 2005,
section 5.1.3).

At first the domain is one box of top nodes. Every round cuts each box along one attribute into all
children of its node, if each child with rows keeps the promise; among the possible cuts it makes
the one that reduces the loss most. Boxes are disjoint, cover the domain and are released as their
nodes, so all combinations of values in a box get the same labels: the whole subgraph below it.
"""

from __future__ import annotations

from anonsql.methods import regions
from anonsql.methods.full_subgraph.settings import FullSubgraph
from anonsql.methods.groups import Cells, Grouped


def group(cells: Cells, _method: FullSubgraph) -> Grouped:
    """Cut the domain into boxes, by a few statements a round however many boxes there are, and
    release each box as a group."""
    regions.cut_down(cells, rest=False)
    return Grouped.by_nodes(cells)
