"""The ways in which a column can be released: what its values look like, and at which levels its
labels are looked for."""

from __future__ import annotations

from dataclasses import dataclass

from anonsql.grammar.forms import AS_IT_IS, Looks
from anonsql.labels.hierarchies import Hierarchy

_LOOKS = {
    "range": Looks("range", "[least,greatest]"),
    "set": Looks("set", "{one, another}"),
    "numbers": Looks("numbers", "[first,last] of an interval"),
    "names": Looks("names", "first … last of an interval"),
    "itself": AS_IT_IS,
}
_JOINED = ("range", "set", "numbers", "names")


@dataclass(frozen=True)
class Shape:
    """How a column's values can be released: the ``form`` of the method, the labels of the
    hierarchy, and the levels that may be released, only one where ``__columns`` states it."""

    name: str
    form: str
    hierarchy: Hierarchy
    least: int
    most: int
    bounded: bool
    withheld: bool = False

    @property
    def looks(self) -> Looks:
        """The description of the values for ``__columns``."""
        if self.form == "level":
            return self.hierarchy.looks(self.least)
        looks = _LOOKS.get(self.form) or self._node
        if self.form == "names" and self.hierarchy.tree is None:
            looks = Looks("texts", f"{looks.text}, byte by byte")
        if self.withheld:
            return Looks(looks.form, f"{looks.text}; nothing where it is sensitive")
        return looks

    @property
    def _node(self) -> Looks:
        """What values are that may be of any level."""
        own = self.hierarchy
        if own.kind == "mask" and own.height > 1:
            highest = own.looks(own.height - 1)
            return Looks(highest.form, f"as it is, or up to {highest.text}")
        if own.kind == "suppression":
            return Looks("value-or-star", "as it is, or *")
        return Looks("node", "a value of its hierarchy")

    @property
    def joined(self) -> bool:
        """Whether a set or an interval has two values at least."""
        return self.form in _JOINED

    @property
    def levels(self) -> tuple[int, int]:
        """The lowest and the highest level that a plain label is looked for at."""
        if self.form in ("level", "node"):
            return self.least, self.most
        return (self.least, self.least) if self.form == "set" else (0, 0)

    @property
    def top(self) -> int:
        """The level that a label may be of, too, besides the top: of ranges, the highest that may
        be released."""
        return self.most if self.form == "range" else self.hierarchy.height

    @property
    def over(self) -> bool:
        """Whether a label may be of the top, too."""
        beyond = self.form in ("range", "numbers", "names") or self.withheld
        return beyond and self.form != "itself"

    @property
    def tree_levels(self) -> list[int]:
        """All levels that a label or a part of one is looked for at."""
        levels = {*range(self.levels[0], self.levels[1] + 1), self.least}
        if self.over:
            levels |= {self.top, self.hierarchy.height}
        return sorted(levels | {0} if self.form in ("range", "numbers", "names") else levels)

    @property
    def measured(self) -> bool:
        """Whether leaves are read as numbers or moments: for bounds, and for widths."""
        return self.bounded or self.form == "range"
