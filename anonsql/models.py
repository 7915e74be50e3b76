"""What a policy promises of every released class, as queries over (keys of a class, extra codes, weights)."""

from __future__ import annotations

from dataclasses import dataclass

from anonsql.policy import Privacy


@dataclass(frozen=True)
class Promise:
    """All that ``privacy`` asks of a class, as ``models/classes.sql`` checks it.

    ``extras`` are the columns that cells have besides the codes of the quasi-identifying attributes (codes of sensitive
    values, of people), ``weights`` their counts, the number of rows first. Rolling cells up keeps the former and sums
    the latter.
    """

    k: int
    extras: tuple[str, ...] = ()
    weights: tuple[str, ...] = ("n",)

    @classmethod
    def of(cls, privacy: Privacy) -> Promise:
        """The promise of a policy."""
        return cls(privacy.k)

    def core(self, _limit: int) -> Promise:
        """What of it stays true under generalization with up to ``limit`` suppressed rows: what a search may prune by."""
        return self

    def monotone(self, limit: int) -> bool:
        """Whether a node that satisfies with up to ``limit`` suppressed rows still does when it is generalized."""
        return self.core(limit) == self
