"""Mondrian as a method."""

from __future__ import annotations

from anonsql.methods.base import GroupMethod
from anonsql.methods.groups import Cells, Grouped
from anonsql.methods.mondrian import recode
from anonsql.methods.mondrian.settings import Mondrian


class MondrianMethod(GroupMethod[Mondrian]):
    """Regions cut top-down."""

    settings = Mondrian

    def group(self, cells: Cells) -> Grouped:
        """See :class:`GroupMethod`."""
        return recode.group(cells, self.parameters)


METHODS = (MondrianMethod,)
