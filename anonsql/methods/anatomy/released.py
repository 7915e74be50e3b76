"""How rows become released rows where their sensitive values are released in a table of their
own."""

from __future__ import annotations

from dataclasses import dataclass

from anonsql.engines.base import Column
from anonsql.grammar.forms import AS_IT_IS, Looks
from anonsql.hierarchies.dimensions import Attribute
from anonsql.release.columns import COUNT, GROUP
from anonsql.release.recoding import By
from anonsql.star.coded import Coded


@dataclass(frozen=True)
class BySeparation(By):
    """The scratch table ``separated`` (see :mod:`anonsql.methods.anatomy.separate`), of rows as
    they are with their groups, and the sensitive column that is released apart from them."""

    sensitive: Coded

    @property
    def columns(self) -> list[Column]:
        """The columns of the table of sensitive values."""
        column = self.sensitive.column
        return [GROUP, Column(column.name, self.sensitive.cast or column.released_type), COUNT]

    def described(self, attribute: Attribute) -> tuple[int | None, Looks]:
        """See :class:`By`."""
        return None, AS_IT_IS
