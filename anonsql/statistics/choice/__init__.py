"""Choose the cells that are hidden besides those that a rule forbids to publish, so that no sum or
difference of published cells gives one of these (the aim of GaussSuppression: Langsrud, Statistics
Norway). What intervals remain, an audit says, which believes nothing that is not held against the
relations of cells.

Cells are hidden where a relation would give a single hidden one away; then those primary cells are
found that can still be computed, all at once, by numbers that may be added to hidden cells without
a change of what is published (:mod:`anonsql.statistics.choice.null_space`), and more is hidden near
them, until there are none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from anonsql.errors import PrivacyError
from anonsql.statistics.choice.corners import with_corners
from anonsql.statistics.choice.cover import Constraints, Holders, Slack, cover, mend
from anonsql.statistics.choice.null_space import triangle
from anonsql.statistics.choice.ties import Ties

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from anonsql.statistics.relations import Relations

__all__ = ["Constraints", "Holders", "Slack", "hide", "more", "tells"]

_DRAWS = 2
_MANY = 500
"""Primary cells, or hidden ones where an audit finds some unprotected, from which on hypercubes are
hidden: more than must be, but no audit need find out cell by cell what is lacking."""
_TRIED = 200
"""Secondary cells up to which each is tried whether it can be published after all."""


def hide(
    relations: Relations,
    primary: NDArray[np.bool_],
    cost: NDArray[np.float64],
    constraints: Constraints | None = None,
) -> NDArray[np.bool_]:
    """Return which cells are hidden, ``primary`` ones included, so that no linear combination of
    published cells is a primary one, and no relation tells more by itself than the ``constraints``
    allow. ``cost`` is what hiding a cell loses; infinite where it must be published. Raise
    PrivacyError where that leaves a primary cell that can be computed."""
    ties, constraints = Ties.of(relations), constraints or Constraints()
    many = primary.sum() > _MANY
    hidden = with_corners(primary, np.flatnonzero(primary), cost, constraints) if many else primary
    hidden = cover(ties, hidden, cost, constraints)
    while (computed := _computed(ties, hidden) & primary).any():
        before = hidden
        hidden = _further(ties, hidden, computed, cost, constraints)
        if (hidden == before).all():
            count = int(computed.sum())
            raise PrivacyError(f"{count:,} cells can be computed from those that must be published")
    return hidden if many else _without_needless(ties, hidden, primary, cost, constraints)


def more(
    relations: Relations,
    hidden: NDArray[np.bool_],
    failing: NDArray[np.int64],
    cost: NDArray[np.float64],
    constraints: Constraints | None = None,
) -> NDArray[np.bool_]:
    """Return ``hidden`` and further cells because of the ``failing`` ones, which an audit found not
    to be protected: those of them that are published, as they tell of an earlier release; else the
    cheapest of the relations that they are in, or where all cells of these are hidden, of relations
    farther away. Raise PrivacyError where nothing is left that may be hidden."""
    ties = Ties.of(relations)
    near = np.zeros(ties.cells, np.bool_)
    near[failing] = True
    constraints = constraints or Constraints()
    published = near & ~hidden & np.isfinite(cost)
    if published.any():  # they tell of an earlier release
        return cover(ties, hidden | published, cost, constraints)
    if hidden.sum() > _MANY:
        further = with_corners(hidden, failing, cost, constraints)
        if (further != hidden).any():
            return cover(ties, further, cost, constraints)
    further = _further(ties, hidden, near, cost, constraints)
    if (further == hidden).all():
        raise PrivacyError(
            f"{len(failing):,} hidden cells can be recovered, and nothing else may be hidden"
        )
    return further


def _further(
    ties: Ties,
    hidden: NDArray[np.bool_],
    near: NDArray[np.bool_],
    cost: NDArray[np.float64],
    constraints: Constraints,
) -> NDArray[np.bool_]:
    """Return ``hidden`` and at least one more cell near some, where there is one that may be."""
    while True:
        wider = mend(ties, hidden, near & hidden, cost, 1)
        if (wider != hidden).any():
            return cover(ties, wider, cost, constraints)
        around = (ties.in_relations(near) > 0)[ties.row]
        grown = near.copy()
        grown[ties.column[around]] = True
        if (grown == near).all():
            return hidden
        near = grown


def _computed(ties: Ties, hidden: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the hidden cells that can be computed from published ones."""
    draws = triangle(ties, hidden).draw(_DRAWS, np.random.default_rng(0))
    return np.asarray(hidden & (draws == 0).all(axis=1), np.bool_)


def tells(
    relations: Relations,
    hidden: NDArray[np.bool_],
    primary: NDArray[np.bool_],
    constraints: Constraints,
) -> bool:
    """Return whether what is ``hidden`` is not enough, as far as the choice looks: a relation tells
    too much by itself, or a primary cell can be computed."""
    return _tells(Ties.of(relations), hidden, primary, constraints)


def _tells(
    ties: Ties, hidden: NDArray[np.bool_], primary: NDArray[np.bool_], constraints: Constraints
) -> bool:
    short = constraints.short(ties, hidden).any()
    return bool(short or (_computed(ties, hidden) & primary).any())


def _without_needless(
    ties: Ties,
    hidden: NDArray[np.bool_],
    primary: NDArray[np.bool_],
    cost: NDArray[np.float64],
    constraints: Constraints,
) -> NDArray[np.bool_]:
    """Return the hidden cells without those that need not be, the dearest first; where there are
    many, ``hidden`` itself."""
    secondary = np.flatnonzero(hidden & ~primary)
    if len(secondary) > _TRIED:
        return hidden
    hidden = hidden.copy()
    for cell in secondary[np.argsort(-cost[secondary], kind="stable")]:
        hidden[cell] = False
        if _tells(ties, hidden, primary, constraints):
            hidden[cell] = True
    return hidden
