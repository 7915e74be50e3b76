"""What is known of nodes: class sizes, verdicts, and the result of a search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from anonsql.hierarchies.dimensions import Attribute
from anonsql.star.lattice import Graph, Levels


@dataclass(frozen=True)
class ClassSizes:
    """The sizes of a node's equivalence classes. The groups of a node's frequency set that keep the
    promise are its classes; those that do not are suppressed.

    ``groups`` counts all groups, ``smallest`` is the rows of the smallest of them; ``classes``
    counts the classes, ``min_class`` is the rows of the smallest class (0 when there is none),
    ``suppressed`` the suppressed rows, ``squares`` the sum of squared class sizes. ``beyond`` are
    the rows by which the classes break limits of the release as a whole, where a search asks for
    them with the sizes.
    """

    groups: int
    smallest: int
    classes: int
    min_class: int
    suppressed: int
    squares: int
    beyond: int = 0

    @property
    def failing(self) -> int:
        """The rows by which a node may fail: those that are suppressed, or beyond limits."""
        return self.suppressed + self.beyond


NO_CLASSES = ClassSizes(0, 0, 0, 0, 0, 0)
"""The sizes where there are no rows."""


@dataclass(frozen=True)
class PartSizes:
    """The class sizes of a part of the rows in which each class of a node lies whole or not at all,
    and the ``share`` of all rows that it has. The node suppresses no fewer rows than its part."""

    sizes: ClassSizes
    share: float

    @property
    def estimate(self) -> ClassSizes:
        """The sizes, with as many suppressed rows as all rows would have at the part's rate."""
        return replace(self.sizes, suppressed=round(self.sizes.suppressed / self.share))


Rule = Literal["checked", "part", "generalization", "specialization", "subset"]
"""How a verdict was reached: by counting, because a part of its classes suppresses too many rows,
because a node that it generalizes satisfies, because one that generalizes it does not, or because
its levels on a subset of the attributes do not."""


@dataclass(frozen=True)
class Verdict:
    """Whether a node satisfies, with its class sizes if they were counted, otherwise the node that
    implies the verdict (itself, where a part of its classes does), and the milliseconds that
    counting took (a statement's, divided evenly among the nodes that it counted)."""

    node: int
    satisfied: bool
    sizes: ClassSizes | None
    implied_by: int | None = None
    milliseconds: float | None = None

    @property
    def rule(self) -> Rule:
        """How the verdict was reached."""
        if self.sizes is not None:
            return "checked"
        if self.implied_by == self.node:
            return "part"
        if self.satisfied:
            return "generalization"
        return "specialization" if self.implied_by else "subset"


@dataclass(frozen=True)
class Round:
    """One step of a search: a title (the subset size or height that it looked at, say), how many
    nodes it counted, how many of them satisfy, how many are undecided after it (None where that is
    not tracked), and its seconds."""

    title: str
    counted: int
    satisfied: int
    undecided: int | None
    seconds: float


@dataclass(frozen=True)
class SearchResult:
    """What a search found: satisfying nodes of the whole quasi-identifier and the minimal ones
    among them.

    ``sizes`` holds the class sizes of those that were counted; the others satisfy by the
    generalization property. ``checked`` counts the nodes of all subsets that were counted, in part
    at least, ``rounds`` tells how the search went, ``verdicts`` what it knows of every node that it
    looked at, subsets included.
    """

    nodes: Mapping[int, Levels]
    minimal: frozenset[int]
    sizes: Mapping[int, ClassSizes]
    checked: int
    rounds: Sequence[Round] = ()
    verdicts: Sequence[tuple[Levels, Verdict]] = field(default=(), repr=False)


class Lattices(Protocol):
    """Candidate nodes and edges, pass by pass, made from the verdicts of the passes before."""

    def begin_search(self, attributes: Sequence[Attribute]) -> None:
        """Forget the lattice of the search before."""

    def candidates(self, size: int) -> Graph:
        """Return the candidate nodes and edges over subsets of ``size`` attributes."""

    def record(self, size: int, verdicts: Sequence[Verdict]) -> None:
        """Keep the verdicts of a pass."""
