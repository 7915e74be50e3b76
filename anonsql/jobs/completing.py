"""Adding the completed table to a release that is staged."""

from __future__ import annotations

from collections.abc import Sequence

from anonsql.completion import table as completion
from anonsql.engines.base import Column, Part, ReleaseTables
from anonsql.engines.target import Target
from anonsql.policy.release_parts import COMPLETED
from anonsql.verification.facts import facts_of


def stage(
    target: Target,
    staged: ReleaseTables,
    draws: int,
    columns: Sequence[Column],
    part: Part = COMPLETED,
) -> completion.Drawn:
    """Draw the completed table of a ``staged`` table from it, and stage it as a ``part`` of the
    same release. Return its scratch tables. ``columns`` are the source's; only their types are
    used."""
    types = {column.name: column for column in columns}
    drawn = completion.draw(
        staged, facts_of(staged), draws=draws, seed=completion.SEED, types=types
    )
    target.stage_derived(part, "completion/completed", drawn.titles, **drawn.parameters)
    return drawn
