"""What releases of one source have spent together: pure differential privacy (epsilon),
zero-concentrated (rho), and the probability that either fails (delta). Each adds up over releases:
whoever has them all has what is promised by the three sums (Bun, Steinke, Concentrated Differential
Privacy, TCC 2016; Dwork, Roth, 2014)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from anonsql.system.scalars import plain

SPENT: Final = "differential.spent"
"""The fact by which a release states it."""
PATTERN: Final = (
    r"(?:rho ([0-9]+(?:\.[0-9]+)?), )?epsilon ([0-9]+(?:\.[0-9]+)?), delta ([0-9]+(?:\.[0-9]+)?)"
    r" in ([1-9][0-9]*) releases?(?: of one catalog)?"
)
"""How it is written; earlier versions left out what is optional."""


@dataclass(frozen=True)
class Spent:
    """The sums, and of how many releases."""

    rho: Decimal = Decimal(0)
    epsilon: Decimal = Decimal(0)
    delta: Decimal = Decimal(0)
    releases: int = 0

    def __add__(self, other: Spent) -> Spent:
        """Return what both have spent together."""
        return Spent(
            self.rho + other.rho,
            self.epsilon + other.epsilon,
            self.delta + other.delta,
            self.releases + other.releases,
        )

    def __or__(self, other: Spent) -> Spent:
        """Return what was spent at least by two accounts of the same releases."""
        return Spent(
            max(self.rho, other.rho),
            max(self.epsilon, other.epsilon),
            max(self.delta, other.delta),
            max(self.releases, other.releases),
        )

    @property
    def fact(self) -> str:
        """How a release states it."""
        releases = "release" if self.releases == 1 else "releases"
        sums = ", ".join(f"{name} {plain(getattr(self, name))}" for name in _SUMS)
        return f"{sums} in {self.releases} {releases} of one catalog"

    def includes(self, own: Spent) -> bool:
        """Return whether these may be the sums of a release and of others before it."""
        return (self | own) == self and (self.releases > own.releases or self == own)

    @property
    def words(self) -> str:
        """What is spent, without what is 0."""
        return ", ".join(
            f"{name} {plain(value)}" for name in _SUMS if (value := getattr(self, name))
        )


_SUMS = ("rho", "epsilon", "delta")


def spent_by(about: Mapping[str, str]) -> Spent | None:
    """Return what a release and those that it replaced have spent, by its facts; None where it
    states nothing that can be read."""
    found = re.fullmatch(PATTERN, about.get(SPENT, ""))
    if found is None:
        return None
    rho, epsilon, delta, releases = found.groups("0")
    return Spent(Decimal(rho), Decimal(epsilon), Decimal(delta), int(releases))
