"""Sets of cuts through the ordered domains of all attributes, many of them judged at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from anonsql.methods.refinement import LevelChange, Refiner, Total, shares

_NO_MARK = (-1, -1, -1, 0)  # of no node, as a table needs a row


@dataclass(frozen=True)
class CutRecoding:
    """A single-dimension ordered-set partitioning and its possible refinements: the cuts ``taken``
    and those ``open``, as bits by the number of the cut."""

    taken: int
    open: int


@dataclass(frozen=True)
class JudgedCut:
    """A recoding's totals as it is and with all open cuts, and what each next cut changes."""

    total: Total
    finest: Total
    changes: dict[int, LevelChange]


@dataclass(frozen=True)
class OrderedDomain:
    """The positions of an attribute's values in their order; that of NULL is 0."""

    attribute: int
    first: int
    last: int
    codes: int

    @property
    def exact(self) -> bool:
        """Whether every value has a position of its own."""
        return self.codes == self.last - self.first + 1


@dataclass
class Cuts:
    """All possible cuts: a part of an attribute's domain may begin at each position except the
    first.

    Where there is NULL, the first cut is next to it; all others require it, because NULL either is
    a part by itself or the whole domain is one part.
    """

    refiner: Refiner
    resolution: int

    def lay_out(self) -> None:
        """Make the table of positions."""
        self.refiner.engine.run(
            "methods/ordered_partition/positions", resolution=self.resolution, **self._parameters
        )

    @property
    def _parameters(self) -> dict[str, object]:
        return {"attributes": self.refiner.attributes, "shares": shares(self.refiner.attributes)}

    @cached_property
    def domains(self) -> Sequence[OrderedDomain]:
        """The attributes' domains in order."""
        return [
            OrderedDomain(*row)
            for row in self.refiner.engine.query("methods/ordered_partition/domains")
        ]

    @cached_property
    def places(self) -> list[tuple[int, int]]:
        """(attribute, position) of every cut, by number."""
        return [
            (domain.attribute, position)
            for domain in self.domains
            for position in range(domain.first + 1, domain.last + 1)
        ]

    @cached_property
    def numbers(self) -> dict[tuple[int, int], int]:
        """The number of every cut."""
        return {position: number for number, position in enumerate(self.places)}

    @property
    def all(self) -> int:
        """Every cut, as bits."""
        return (1 << len(self.places)) - 1

    @cached_property
    def beside_null(self) -> dict[int, int]:
        """By the number of a cut next to NULL: all cuts of its attribute, as bits."""
        return {
            self.numbers[domain.attribute, 1]: sum(
                1 << self.numbers[domain.attribute, position]
                for position in range(1, domain.last + 1)
            )
            for domain in self.domains
            if domain.first == 0 and domain.last > 0
        }

    def without(self, cuts: int, number: int) -> int:
        """Return a set of cuts without one of them, and without cuts that require it."""
        return cuts & ~(self.beside_null.get(number, 0) | 1 << number)

    def judge(self, recodings: Sequence[CutRecoding], *, onward: bool = False) -> list[JudgedCut]:
        """Judge recodings by a few statements. ``onward`` says that there is a single recoding,
        that it refines the one judged last, and that it has no other open cuts."""
        self.lay_cuts(recodings)
        totals = self.refiner.judge("intervals", onward=onward)
        finest = self.refiner.judge_finest()
        self.refiner.engine.run("methods/ordered_partition/divisions", parts="intervals")
        changes: dict[int, dict[int, LevelChange]] = {node: {} for node in totals}
        for change in self.refiner.changes():
            changes[change.node][self.numbers[change.attribute, change.candidate]] = change
        return [
            JudgedCut(totals[node], finest[node], changes[node]) for node in range(len(recodings))
        ]

    def lay_cuts(self, recodings: Sequence[CutRecoding]) -> None:
        """Make the table ``intervals`` of recodings; their nodes count from 0."""
        marks = [
            (node, attribute, position, recoding.taken >> number & 1)
            for node, recoding in enumerate(recodings)
            for number, (attribute, position) in enumerate(self.places)
            if (recoding.taken | recoding.open) >> number & 1
        ]
        engine = self.refiner.engine
        engine.load(
            "marks",
            [(name, "INTEGER") for name in ("node", "attribute", "position", "taken")],
            marks or [_NO_MARK],
        )
        engine.drop("intervals", "refinements")
        engine.run(
            "methods/ordered_partition/intervals",
            table="intervals",
            nodes=[(node,) for node in range(len(recodings))],
            **self._parameters,
        )
