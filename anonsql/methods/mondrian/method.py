"""Mondrian as a method."""

from __future__ import annotations

from anonsql.methods import regions
from anonsql.methods.base import GroupMethod
from anonsql.methods.groups import Cells, Grouped
from anonsql.methods.mondrian.recode import Rule, label_parts, make_parts
from anonsql.methods.mondrian.settings import Mondrian


class MondrianMethod(GroupMethod[Mondrian]):
    """Regions cut top-down."""

    settings = Mondrian

    def group(self, cells: Cells) -> Grouped:
        """Cut the cells into parts, in a few statements a round, and release each as a group."""
        if self.parameters.values == "hierarchy":
            regions.cut_down(cells, rest=True)
            return Grouped.by_nodes(cells)
        rule = Rule(self.parameters.mode == "relaxed", self.parameters.cut == "median")
        forms = make_parts(cells, rule)
        label_parts(cells, forms, relaxed=rule.relaxed)
        cells.engine.drop("final_parts")
        return Grouped(forms, split=rule.relaxed)


METHODS = (MondrianMethod,)
