"""Generalization helped by relocation as a method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from anonsql.engines.base import Engine, Part, Relation
from anonsql.errors import PrivacyError
from anonsql.grammar.forms import Looks
from anonsql.hierarchies.dimensions import Attribute
from anonsql.methods import groups
from anonsql.methods.base import Method, Recoded, Work, by_of
from anonsql.methods.full_domain import choose, relaxation
from anonsql.methods.hybrid import levels as by_levels
from anonsql.methods.hybrid import proof, regions
from anonsql.methods.hybrid.settings import Hybrid
from anonsql.release.recoding import ByGroups, Changed, Recoding
from anonsql.star.lattice import Levels
from anonsql.verification import source as against_source


@dataclass(frozen=True, kw_only=True)
class ByRelocation(ByGroups):
    """The scratch tables of groups, the relocation between them (``done``), and its limits: the
    number of entries that may be changed, and the significance level at which a test must not
    distinguish the new group sizes from the old ones; ``levels`` of the generalization whose groups
    rows are moved between, where it is one."""

    done: Changed
    max_cells: int
    alpha: Decimal | None
    levels: Levels | None

    @property
    def changed(self) -> Changed:
        return self.done

    def described(self, attribute: Attribute) -> tuple[int | None, Looks]:
        if self.levels is None:
            return super().described(attribute)
        level = self.levels[attribute.index]
        return level, attribute.looks(level)


class HybridMethod(Method[Hybrid]):
    """Relocate some rows between groups: those of a full-domain generalization, or Mondrian's."""

    settings = Hybrid

    def recode(self, work: Work) -> Recoded:
        cells, levels = work.cells(), None
        if self.parameters.leveled:
            nodes = work.nodes
            result = by_levels.relocate_levels(cells, self.parameters, nodes.sets, nodes.roll_ups)
            if result is None:
                raise self._nothing_relocates(work)
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
        suppressed = work.rows - sizes.released
        names = {attribute.index: attribute.name for attribute in work.attributes}
        return Recoded(
            ByRelocation(
                made.forms,
                made.split,
                made.by_values,
                done=relocated,
                max_cells=self.parameters.max_changed(work.rows, len(work.attributes)),
                alpha=self.parameters.alpha,
                levels=levels,
            ),
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
        )

    def differences(
        self,
        engine: Engine,
        tables: Mapping[Part, Relation],
        source: Relation,
        population: Relation,
        recoding: Recoding,
    ) -> list[str]:
        by = by_of(recoding, ByRelocation)
        judged = proof.offences(engine, recoding, by)
        return against_source.of_groups(engine, tables["rows"], source, recoding, by, judged=judged)

    def _nothing_relocates(self, work: Work) -> PrivacyError:
        policy, sets, p = work.policy, work.nodes.sets, self.parameters.p
        rows, columns = work.rows, len(work.attributes)
        top = choose.at_the_top(sets)
        cells = f"{self.parameters.max_changed(rows, columns):,} of {rows * columns:,}"
        # where not even one class of all rows keeps it, changing entries does not help
        raised = "Raise method.p if that is acceptable, or else: " if top.sizes.classes else ""
        return PrivacyError(
            f"no generalization satisfies {choose.promise_of(policy)} after changing p={p} of the"
            f" cells ({cells}) with suppression_limit={policy.privacy.suppression_limit}, not even"
            f" at the highest levels. {raised}"
            + relaxation.advice(policy, sets, top.levels, top.sizes.suppressed)
        )


METHODS = (HybridMethod,)
