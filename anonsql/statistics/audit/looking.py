"""The ways to look for tables, as fits the size of a system: hypercubes where it is known where
cells lie, then programs over everything, or in large systems over what is around single cells."""

from __future__ import annotations

from dataclasses import dataclass

from anonsql.statistics.audit.proposals import Places, Proposals
from anonsql.statistics.audit.search import Search
from anonsql.statistics.audit.shown import Shown
from anonsql.statistics.audit.system import Whole
from anonsql.statistics.audit.verdicts import Wants

_MANY = 200
"""Unknowns from which on hypercubes are tried before programs."""
_MOST = 20_000
"""Unknowns up to which programs over all of them are tried after hypercubes: of larger systems
what neither hypercubes show nor programs over some of them counts as not protected."""


@dataclass(frozen=True)
class Looking:
    """Looks for tables, by ``proposals`` of hypercubes if there are any, and by the ``search`` with
    programs; of large systems until nothing more is found where that is ``thorough``."""

    search: Search
    proposals: Proposals | None
    thorough: bool

    @classmethod
    def of(
        cls, shown: Shown, wants: Wants, until: float, *, places: Places | None, thorough: bool
    ) -> Looking:
        """Return what looks for tables in which unknowns do what is wanted."""
        search = Search(shown, wants.rise, wants.fall, wants.several, until)
        system, proposals = shown.system, None
        if places is not None and system.integral and system.size > _MANY:
            proposals = Proposals(places, shown, wants)
        return cls(search, proposals, thorough)

    def begin(self, wants: Wants, known: Whole, among: Whole) -> None:
        """Begin anew with what is wanted of some unknowns, where some are ``known``."""
        search = self.search
        search.up, search.down, search.several = wants.rise, wants.fall, wants.several
        search.begin(known)
        if self.proposals is not None:
            self.proposals.begin(wants, known, among)

    def run(self, among: Whole | None = None) -> None:
        """Look for what is not shown yet (of some unknowns that it began with)."""
        proposals, search = self.proposals, self.search
        small = proposals is None or search.shown.system.size <= _MOST
        if proposals is not None:
            proposals.show(search.until, thorough=self.thorough)
        if small:
            search.near(among)
        if proposals is not None and (small or self.thorough):
            proposals.programs(search)
        if small:
            search.everywhere(among)
