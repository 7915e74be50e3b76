"""How rows become released rows where some of them were relocated."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from anonsql.grammar.forms import Looks
from anonsql.hierarchies.dimensions import Attribute
from anonsql.release.recoding import ByGroups, Changed
from anonsql.star.lattice import Levels


@dataclass(frozen=True, kw_only=True)
class ByRelocation(ByGroups):
    """The scratch tables of groups, what was relocated between them (``done``), and the limits to
    it: the number of entries that may be changed, and the significance level at which a test must
    not tell the new group sizes from the old ones; ``levels`` of the generalization whose groups
    rows are moved between, where it is one."""

    done: Changed
    max_cells: int
    alpha: Decimal | None
    levels: Levels | None

    @property
    def changed(self) -> Changed:
        """See :class:`By`."""
        return self.done

    def described(self, attribute: Attribute) -> tuple[int | None, Looks]:
        """See :class:`By`."""
        if self.levels is None:
            return super().described(attribute)
        level = self.levels[attribute.index]
        return level, attribute.looks(level)
