"""Single-dimension full-subtree recoding (Incognito, section 5.1.1; Iyengar, KDD 2002).

Each attribute's released values are a cut through its hierarchy: every leaf is released as the node
of the cut above it. Starting from good full-domain generalizations and from the tops, cuts are
specialized top-down (Fung, Wang, Yu, ICDE 2005): as long as replacing a node by its children keeps
the promise, the replacement that lowers the loss most is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from anonsql.errors import InvariantError
from anonsql.methods.base import GroupMethod, Work
from anonsql.methods.full_domain import choose
from anonsql.methods.full_subtree.settings import FullSubtree
from anonsql.methods.groups import Cells, Grouped, label_regions, make_nodes
from anonsql.methods.refinement import LevelChange, Refiner, Total, greatest_gains, keep, shares
from anonsql.star.lattice import Levels


class FullSubtreeMethod(GroupMethod[FullSubtree]):
    """Cut through the hierarchies, starting from the best full-domain generalizations."""

    settings = FullSubtree

    def starts(self, work: Work) -> Sequence[Levels]:
        nodes = work.nodes
        if nodes.found is None:
            raise InvariantError("no generalization was searched for")
        return choose.several(
            work.policy, nodes.sets, nodes.roll_ups, nodes.found, self.parameters.starts
        )

    def group(self, cells: Cells) -> Grouped:
        """Specialize the full-domain starts and the tops, and release the cut that loses least."""
        attributes = cells.star.attributes
        refiner = Refiner(cells.engine, attributes, cells.promise, cells.star.rows, "loss")
        descent = _Descent(refiner, cells.max_suppressed)
        descent.begin(
            [*cells.starts, {attribute.index: attribute.max_level for attribute in attributes}]
        )
        cut = descent.go_down()
        allowed = {
            node: total
            for node, total in descent.totals.items()
            if total.suppressed <= cells.max_suppressed
        }
        best = min(allowed, key=lambda node: (allowed[node].cost, allowed[node].suppressed, node))
        keep(cells, cut, best)
        cells.engine.run("methods/full_subtree/regions", attributes=attributes)
        make_nodes(cells)
        label_regions(cells)
        return Grouped.by_nodes(cells)


@dataclass
class _Descent:
    """The cuts that are being specialized, one for each start, with their totals."""

    refiner: Refiner
    max_suppressed: int
    totals: dict[int, Total] = field(default_factory=dict)

    def begin(self, starts: Sequence[Levels]) -> None:
        """Load the hierarchies as paths, and make a cut at the levels of each start."""
        attributes = self.refiner.attributes
        self.refiner.engine.run(
            "methods/full_subtree/paths", attributes=attributes, shares=shares(attributes)
        )
        self.refiner.engine.run(
            "methods/full_subtree/first_cut",
            table="cut_0",
            attributes=attributes,
            starts=list(enumerate(starts)),
        )

    def go_down(self) -> str:
        """Specialize all cuts, round by round, as long as possible; return the table of cuts."""
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
        """Return (node, candidate, 1 if it is taken or 0 if it is never to be tried again)."""
        self.refiner.engine.drop("refinements")
        self.refiner.engine.run("methods/full_subtree/specializations", parts=cut)
        by_node: dict[int, list[LevelChange]] = {}
        for change in self.refiner.changes():
            by_node.setdefault(change.node, []).append(change)
        for_ever = self.refiner.promise.monotone(self.max_suppressed)
        decisions = []
        for node, changes in by_node.items():
            room = self.max_suppressed - self.totals[node].suppressed
            allowed = [change for change in changes if change.suppressed <= room]
            decisions += [(node, gain.candidate, 1) for gain in greatest_gains(allowed, room)]
            decisions += [
                (node, change.candidate, 0)
                for change in changes
                if for_ever and change.suppressed > room
            ]
        return decisions

    def _specialize(
        self, cut: str, following: str, decisions: Sequence[tuple[int, int, int]]
    ) -> None:
        engine = self.refiner.engine
        engine.load(
            "decided", [(name, "INTEGER") for name in ("node", "candidate", "taken")], decisions
        )
        engine.run("methods/full_subtree/next_cut", before=cut, table=following)
        engine.drop(cut)


METHODS = (FullSubtreeMethod,)
