"""Groups along a Hilbert curve as a method."""

from __future__ import annotations

from anonsql.methods.base import GroupMethod
from anonsql.methods.groups import Cells, Grouped
from anonsql.methods.hilbert import recode
from anonsql.methods.hilbert.settings import Hilbert


class HilbertMethod(GroupMethod[Hilbert]):
    """Group neighbours on a Hilbert curve."""

    settings = Hilbert

    def group(self, cells: Cells) -> Grouped:
        """See :class:`GroupMethod`."""
        return recode.group(cells, self.parameters)


METHODS = (HilbertMethod,)
