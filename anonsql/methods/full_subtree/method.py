"""Full-subtree recoding as a method."""

from __future__ import annotations

from collections.abc import Sequence

from anonsql.errors import InvariantError
from anonsql.methods.base import GroupMethod, Work
from anonsql.methods.full_domain import choose
from anonsql.methods.full_subtree import recode
from anonsql.methods.full_subtree.settings import FullSubtree
from anonsql.methods.groups import Cells, Grouped
from anonsql.star.lattice import Levels


class FullSubtreeMethod(GroupMethod[FullSubtree]):
    """Cut through the hierarchies, starting from the best full-domain generalizations."""

    settings = FullSubtree

    def starts(self, work: Work) -> Sequence[Levels]:
        """See :class:`GroupMethod`."""
        nodes = work.nodes
        if nodes.found is None:
            raise InvariantError("no generalization was searched for")
        return choose.several(
            work.policy, nodes.sets, nodes.roll_ups, nodes.found, self.parameters.starts
        )

    def group(self, cells: Cells) -> Grouped:
        """See :class:`GroupMethod`."""
        return recode.group(cells, self.parameters)


METHODS = (FullSubtreeMethod,)
