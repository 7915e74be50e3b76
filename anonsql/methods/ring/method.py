"""Ring generalization (Wong, Mamoulis, Cheung, Non-homogeneous Generalization in Privacy Preserving
Data Publishing, SIGMOD 2010).

Rows are put in lexicographic order and cut into partitions
(:mod:`anonsql.methods.windows.lexicographic`). Each partition of s rows is a ring: ring position j
covers the values of its members j … j+w-1 (w: the window, k where only k is promised). The row at
position p is released as ring position p - offset, with random offsets such that every member of a
window is the released row's original with probability exactly 1/w
(:mod:`anonsql.methods.windows.permutations`). A partition of w rows, or of equal rows, is released
as one group.

Only sizes leave the engine, and only positions and numbers of windows enter it: Python never sees
the values. The label of a window is computed from how often each attribute's value changes along
the ring, so that windows that span the same values of an attribute are computed once.
"""

from __future__ import annotations

from anonsql.methods import groups
from anonsql.methods.base import GroupMethod
from anonsql.methods.groups import Cells, Grouped, GroupSizes
from anonsql.methods.ring.settings import Homogeneous, Ring
from anonsql.methods.windows import labels, lexicographic, permutations, windows
from anonsql.methods.windows.lexicographic import Items, Parts
from anonsql.system.arrays import IntArray, RandomBytes, np
from anonsql.system.journal import log


class RingMethod(GroupMethod[Ring]):
    """Release every row with the values of k neighbouring rows, any of them possibly its own."""

    settings = Ring

    def group(self, cells: Cells) -> Grouped:
        """Release every row as a window of its ring; warn where a seed is set. Raise PrivacyError
        where not even all rows together keep the promise."""
        if self.parameters.seed is not None:
            log.warning(
                "method.seed is set: anyone who knows it can undo the release. It is for tests"
                " only; leave it out."
            )
        random = permutations.entropy(self.parameters.seed)
        items, parts = _partition(cells, random)
        layout = windows.of_rings(items, parts, random)
        array = self.parameters.sets == "array"
        forms = labels.release(cells, layout, self.parameters.representation, array=array)
        sizes, lengths = layout.rings["size"], layout.rings["length"]
        most = _most_of_a_person(cells, items, parts)
        group_sizes = GroupSizes(
            len(sizes),
            int(lengths.min()),
            int(sizes.sum()),
            0,
            float((sizes * most / lengths).sum()),
        )
        return Grouped(
            forms,
            split=True,
            by_values=bool(cells.promise.extras),
            rings=group_sizes,
            arrays=array,
            evidence=("rings", "windows", "members", "items", "lengths"),
        )

    def facts(self, made: Grouped) -> dict[str, object]:
        """Return whether a seed was set: an attacker who knows the seed can undo the release."""
        return {} if self.parameters.seed is None else {"seeded": "yes"}


class HomogeneousMethod(GroupMethod[Homogeneous]):
    """Release each partition of ring generalization as one group."""

    settings = Homogeneous

    def group(self, cells: Cells) -> Grouped:
        """Release every row as the whole of its partition (the paper's HP)."""
        items, parts = _partition(cells, permutations.entropy())
        array = self.parameters.sets == "array"
        forms = labels.release(
            cells, windows.of_wholes(items, parts), self.parameters.representation, array=array
        )
        return Grouped(forms, split=True, by_values=bool(cells.promise.extras), arrays=array)


def _most_of_a_person(cells: Cells, items: Items, parts: Parts) -> IntArray:
    """Return for each part the rows of the person who has most there: 1 where k counts rows."""
    most = np.ones(len(parts.windows), np.int64)
    if cells.promise.people:
        people = items.categories[cells.promise.coded.index(cells.promise.people)][parts.item]
        width = int(people.max()) + 1
        of_person, place = np.unique(parts.part * width + people, return_inverse=True)
        rows = np.bincount(place, weights=parts.n).astype(np.int64)
        np.maximum.at(most, of_person // width, rows)
    return most


def _partition(cells: Cells, random: RandomBytes) -> tuple[Items, Parts]:
    engine, attributes, promise = cells.engine, cells.star.attributes, cells.promise
    groups.make_nodes(cells)
    engine.run("methods/windows/places", attributes=attributes)
    domains = dict(engine.query("methods/groups/domains"))
    ordered = sorted(attributes, key=lambda attribute: (domains[attribute.index], attribute.index))
    engine.run("methods/ring/items", ordered=ordered, promise=promise)
    items = labels.read(cells)
    return items, lexicographic.partition(items, promise.k, random)


METHODS = (RingMethod, HomogeneousMethod)
