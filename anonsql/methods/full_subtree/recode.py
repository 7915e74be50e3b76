"""Single-dimension full-subtree recoding (Incognito, section 5.1.1; Iyengar, KDD 2002).

Each attribute's released values are a cut through its hierarchy: every leaf is released as the node
of the cut above it. From good full-domain nodes and from the tops, cuts are specialized top-down
(Fung, Wang, Yu, ICDE 2005): as long as a node can make way for its children within the promise, the
one that lowers the loss most does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from anonsql.methods.full_subtree.settings import FullSubtree
from anonsql.methods.groups import Cells, Grouped, label_regions, make_nodes
from anonsql.methods.refinement import Change, Refiner, Total, greatest_gains, keep, shares
from anonsql.star.lattice import Levels


@dataclass
class Descent:
    """Cuts on their way down, one for each start: what is known of each, and which changes no
    longer."""

    refiner: Refiner
    max_suppressed: int
    totals: dict[int, Total] = field(default_factory=dict)

    def begin(self, starts: Sequence[Levels]) -> None:
        """Lay the hierarchies out as paths, and cut them at the levels of each start."""
        attributes = self.refiner.attributes
        self.refiner.engine.run("single/paths", attributes=attributes, shares=shares(attributes))
        self.refiner.engine.run(
            "single/first_cut", table="cut_0", attributes=attributes, starts=list(enumerate(starts))
        )

    def go_down(self) -> str:
        """Round by round to cuts that cannot be specialized any further; the table of those
        cuts."""
        number, decided = 0, True
        while decided:
            cut = f"cut_{number}"
            self.totals = self.refiner.judge(cut, onward=number > 0)
            decisions = self._decide(cut)
            decided = any(taken for _, _, taken in decisions)
            if decided:
                number += 1
                self._specialize(cut, f"cut_{number}", decisions)
        return cut

    def _decide(self, cut: str) -> list[tuple[int, int, int]]:
        """(node, candidate, 1: taken or 0: not to be tried again) of this round."""
        self.refiner.engine.drop("refinements")
        self.refiner.engine.run("single/specializations", parts=cut)
        by_node: dict[int, list[Change]] = {}
        for change in self.refiner.changes():
            by_node.setdefault(change.node, []).append(change)
        for_ever = self.refiner.promise.monotone(self.max_suppressed)
        decisions = []
        for node, changes in by_node.items():
            room = self.max_suppressed - self.totals[node].suppressed
            allowed = [change for change in changes if change.suppressed <= room]
            decisions += [(node, each.candidate, 1) for each in greatest_gains(allowed, room)]
            decisions += [
                (node, each.candidate, 0) for each in changes if for_ever and each.suppressed > room
            ]
        return decisions

    def _specialize(
        self, cut: str, following: str, decisions: Sequence[tuple[int, int, int]]
    ) -> None:
        engine = self.refiner.engine
        engine.load(
            "decided", [(name, "INTEGER") for name in ("node", "candidate", "taken")], decisions
        )
        engine.run("single/next_cut", before=cut, table=following)
        engine.drop(cut)


def group(cells: Cells, _method: FullSubtree) -> Grouped:
    """Specialize the full-domain starts and the tops, and release the cuts that lose least."""
    attributes = cells.star.attributes
    refiner = Refiner(cells.engine, attributes, cells.promise, cells.star.rows, "loss")
    descent = Descent(refiner, cells.max_suppressed)
    descent.begin([*cells.starts, {each.index: each.max_level for each in attributes}])
    cut = descent.go_down()
    allowed = {
        node: total
        for node, total in descent.totals.items()
        if total.suppressed <= cells.max_suppressed
    }
    best = min(allowed, key=lambda node: (allowed[node].cost, allowed[node].suppressed, node))
    keep(cells, cut, best)
    cells.engine.run("single/regions", attributes=attributes)
    make_nodes(cells)
    label_regions(cells)
    return Grouped.by_nodes(cells)
