"""Local recoding by cells as methods: generalization and suppression."""

from __future__ import annotations

from collections.abc import Sequence

from anonsql.errors import Problem
from anonsql.hierarchies.dimensions import Attribute
from anonsql.methods.base import GroupMethod
from anonsql.methods.cells import recode
from anonsql.methods.cells.settings import CellGeneralization, CellSuppression
from anonsql.methods.groups import Cells, Grouped


class CellGeneralizationMethod(GroupMethod[CellGeneralization]):
    """Release every entry as it is or as an ancestor."""

    settings = CellGeneralization

    def group(self, cells: Cells) -> Grouped:
        """See :class:`GroupMethod`."""
        return recode.generalize(cells, self.parameters)


class CellSuppressionMethod(GroupMethod[CellSuppression]):
    """Release every entry as it is or as ``*``."""

    settings = CellSuppression

    def problems(self, attributes: Sequence[Attribute]) -> list[Problem]:
        """See :class:`Method`."""
        return recode.suppress_problems(attributes)

    def group(self, cells: Cells) -> Grouped:
        """See :class:`GroupMethod`."""
        return recode.suppress(cells, self.parameters)


METHODS = (CellGeneralizationMethod, CellSuppressionMethod)
