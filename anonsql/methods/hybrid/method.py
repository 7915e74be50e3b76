"""Generalization helped by relocation as a method."""

from __future__ import annotations

from anonsql.methods import groups
from anonsql.methods.base import Method, Recoded, Work
from anonsql.methods.full_domain import choose
from anonsql.methods.hybrid import levels as by_levels
from anonsql.methods.hybrid import regions
from anonsql.methods.hybrid.settings import Hybrid
from anonsql.release.recoding import ByGroups, Relocation


class HybridMethod(Method[Hybrid]):
    """Relocate some rows between groups: those of a full-domain generalization, or Mondrian's."""

    settings = Hybrid

    def recode(self, work: Work) -> Recoded:
        """See :class:`Method`."""
        cells, levels = work.cells(), None
        if self.parameters.leveled:
            nodes = work.nodes
            result = by_levels.relocate_levels(cells, self.parameters, nodes.sets, nodes.roll_ups)
            if result is None:
                most = self.parameters.max_changed(work.rows, len(work.attributes))
                raise choose.nothing_relocates(work.policy, self.parameters.p, most, nodes.sets)
            made, relocated, levels = result
            nodes.roll_ups.close()
        else:
            made, relocated = regions.relocate_regions(cells, self.parameters)
        sizes = groups.sizes(cells)
        groups.require_within_limit(cells, sizes)
        measured = groups.measures(cells, sizes)
        work.bench.give_back("assigned", "groups")
        if levels is not None:
            measured |= {"height": sum(levels.values())}
        most = self.parameters.max_changed(work.rows, len(work.attributes))
        relocation = Relocation(relocated, most, self.parameters.alpha, levels)
        suppressed = work.rows - sizes.released
        names = {attribute.index: attribute.name for attribute in work.attributes}
        return Recoded(
            ByGroups(made.forms, made.split, made.by_values, relocation=relocation),
            sizes.classes,
            sizes.min_class,
            suppressed,
            measured,
            maskable=suppressed > 0 and groups.maskable(cells),
            facts={
                **self.parameters.promised(work.policy.privacy),
                "relocated_rows": relocated.rows,
                "relocated_cells": relocated.cells,
                **{
                    f"relocated_cells.{names[index]}": count
                    for index, count in relocated.changed.items()
                },
            },
            relocated=relocated,
        )


METHODS = (HybridMethod,)
