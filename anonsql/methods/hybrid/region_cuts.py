"""Cut Mondrian's regions further than the promise allows, into regions that are too small and need
relocation.

Every region of at least k rows may be cut once more, at any position of any attribute. The rows of
a side of at most k / 2 rows have to leave it; any other side of fewer than k rows needs the rows
that it lacks. The best cut reduces the loss most for each row that has to be relocated. Sides that
have k rows are cut again, in rounds, so that outliers in several attributes are cut off one after
the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from anonsql.methods.groups import Cells, Form
from anonsql.system.arrays import IntArray

_ROUNDS = 40
"""Greatest number of rounds; real tables took 7 to 14."""


@dataclass(frozen=True)
class Cut:
    """A cut into two regions: the rows to be relocated for it (``needed``), and the loss that it
    sheds for each (``ratio``): no greater than that of the cut that made this region, so that no
    cut comes before the one it depends on in descending order."""

    low: int
    high: int
    needed: int
    ratio: int


@dataclass
class RegionTree:
    """Regions by number with their rows, their cuts, and the region each was cut from."""

    sizes: dict[int, int]
    cuts: dict[int, Cut] = field(default_factory=dict)
    parents: dict[int, int] = field(default_factory=dict)

    def best(self, rows: float) -> list[int]:
        """Return the cuts that shed most loss a row, for at most ``rows`` relocated rows."""
        order = sorted(self.cuts, key=lambda part: (-self.cuts[part].ratio, part))
        upto = np.cumsum([self.cuts[part].needed for part in order])
        return order[: int(np.searchsorted(upto, rows, side="right"))]

    def needed(self, cut: Sequence[int]) -> int:
        """Return the number of rows to be relocated for some cuts."""
        return sum(self.cuts[part].needed for part in cut)

    def regions(self, cut: Sequence[int]) -> IntArray:
        """Return the regions that exist when some are cut, in ascending order."""
        made = set(cut)
        nodes = [
            part
            for part in self.sizes
            if part not in made and self.parents.get(part, part) in made | {part}
        ]
        return np.array(sorted(nodes), dtype=np.int64)

    def root(self, part: int) -> int:
        """Return the region of Mondrian that a region was cut from."""
        while part in self.parents:
            part = self.parents[part]
        return part

    def drop(self, part: int) -> None:
        """Remove the cut of a region, and those of its sides."""
        if part in self.cuts:
            cut = self.cuts.pop(part)
            self.drop(cut.low)
            self.drop(cut.high)

    def offer(self, part: int, needed: int, ratio: int) -> Cut:
        """Return a cut of a region, whose sides have no numbers yet."""
        above = self.cuts.get(self.parents.get(part, part))
        return Cut(0, 0, needed, ratio if above is None else min(ratio, above.ratio))

    def make(self, part: int, cut: Cut, sizes: tuple[int, int], number: int) -> None:
        """Cut a region into two sides of given ``sizes``; ``number`` is that of the lower side."""
        self.cuts[part] = Cut(number, number + 1, cut.needed, cut.ratio)
        for side, rows in zip((number, number + 1), sizes, strict=True):
            self.sizes[side], self.parents[side] = rows, part


def cut_further(
    cells: Cells, forms: Mapping[int, Form], domains: Mapping[int, int], most: int
) -> tuple[RegionTree, int]:
    """Cut the regions in ``settled`` until every cut that is left would, with all better ones,
    relocate more than ``most`` rows. ``domains`` are the numbers of values of each attribute,
    ``forms`` how they are released.

    Make ``pieces_0`` (part, p1 … pn, n: the cells of the regions) and, for every round,
    ``pieces_<round>`` (those on both sides of its cuts). Return the tree and the number of rounds.
    """
    run, attributes = cells.engine.run, cells.star.attributes
    run("methods/hybrid/regions/members", attributes=attributes)
    tree = RegionTree(dict(cells.engine.query("methods/hybrid/regions/sizes", table="pieces_0")))
    for number in range(_ROUNDS if most else 0):
        made = _cut(cells, (forms, domains), most, tree, number)
        if not made:
            return tree, number
    return tree, _ROUNDS if most else 0


def _cut(
    cells: Cells,
    of_attributes: tuple[Mapping[int, Form], Mapping[int, int]],
    most: int,
    tree: RegionTree,
    number: int,
) -> int:
    forms, domains = of_attributes
    run, attributes, members = cells.engine.run, cells.star.attributes, f"pieces_{number}"
    run(
        "methods/mondrian/extents",
        table="extents",
        members=members,
        attributes=attributes,
        first=True,
    )
    run(
        "methods/mondrian/candidates",
        parts="extents",
        attributes=attributes,
        sizes=domains,
        most=len(attributes),
        k=1,
    )
    run(
        "methods/hybrid/regions/cuts",
        members=members,
        parts="extents",
        attributes=attributes,
        forms=forms,
        k=cells.promise.k,
    )
    made, after = _choose(cells, most, tree)
    if made.size:
        numbers = np.arange(made.size, dtype=np.int64)
        cells.engine.load_numbers(
            "made", {"part": made, "low": after + 2 * numbers, "high": after + 2 * numbers + 1}
        )
        run(
            "methods/hybrid/regions/sides",
            members=members,
            table=f"pieces_{number + 1}",
            attributes=attributes,
        )
    cells.engine.drop("extents", "candidates", "cuts", "made")
    return made.size


def _choose(cells: Cells, most: int, tree: RegionTree) -> tuple[IntArray, int]:
    sides = dict[int, tuple[int, int]]()
    offered = RegionTree(tree.sizes, dict(tree.cuts), tree.parents)
    for part, below, above, needed, ratio in cells.engine.query("methods/hybrid/regions/offers"):
        sides[part] = (below, above)
        offered.cuts[part] = tree.offer(part, needed, ratio)
    made = [part for part in offered.best(most) if part in sides]
    after = max(tree.sizes, default=0) + 1
    for position, part in enumerate(made):
        tree.make(part, offered.cuts[part], sides[part], after + 2 * position)
    return np.array(made, dtype=np.int64), after
