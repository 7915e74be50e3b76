"""Multi-dimension full-subgraph recoding (LeFevre, DeWitt, Ramakrishnan, Incognito, SIGMOD 2005,
section 5.1.3).

The domain is one box of top nodes. Round by round every box is cut along one attribute into all
children of its node, as long as each child with rows keeps the promise; of the cuts that can be
made the one that sheds most loss for the rows that it sets apart is taken. Boxes are disjoint,
cover the domain and are released at their nodes, so all combinations under a box get the same
values: the whole subgraph below it.
"""

from __future__ import annotations

from anonsql.methods import regions
from anonsql.methods.full_subgraph.settings import FullSubgraph
from anonsql.methods.groups import Cells, Grouped


def group(cells: Cells, _method: FullSubgraph) -> Grouped:
    """Cut the domain into boxes: a few statements a round, whatever the number of boxes."""
    regions.cut_down(cells, rest=False)
    return Grouped.by_nodes(cells)
