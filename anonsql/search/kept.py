"""What a search stores outside itself and reads again: the catalog of a job implements it
(:mod:`anonsql.jobs.catalog`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from anonsql.hierarchies.dimensions import Attribute
from anonsql.search.results import ClassSizes, Verdict
from anonsql.star.lattice import Graph, Levels


class KnownSizes(Protocol):
    """Class sizes by node, stored as they are counted, so that a search that was killed can be
    taken up again."""

    def get(self, levels: Levels) -> ClassSizes | None:
        """Return the class sizes of a node, if they are known."""

    def keep(self, rows: Sequence[tuple[Levels, ClassSizes]]) -> None:
        """Keep the class sizes of nodes."""


class Lattices(Protocol):
    """Candidate nodes and edges, pass by pass, made from the verdicts of the passes before."""

    def begin_search(self, attributes: Sequence[Attribute]) -> None:
        """Forget the lattice of the search before."""

    def candidates(self, size: int) -> Graph:
        """Return the candidate nodes and edges over subsets of ``size`` attributes."""

    def record(self, size: int, verdicts: Sequence[Verdict]) -> None:
        """Keep the verdicts of a pass."""
