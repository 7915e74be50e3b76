"""Columns that are alike but for a number in their name, such as the items of a questionnaire: one
line of the policy decides them all."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from anonsql.features.init.proposals import Decision
from anonsql.policy.column_patterns import literally, matching
from anonsql.system.numbers import counted

_FEWEST = 5
"""The columns, at least, of a family."""
_NUMBER = re.compile("[0-9]+")


def joined(decisions: Sequence[Decision]) -> list[Decision]:
    """Return the decisions with one in the place of each family, whose pattern fits no other column
    but those that have a line of their own."""
    groups: dict[tuple[str, ...], list[Decision]] = {}
    for decision in decisions:
        groups.setdefault(_alike(decision), []).append(decision)
    large = [group for group in groups.values() if len(group) >= _FEWEST]
    patterns = {pattern for group in large if (pattern := _alike(group[0])[0])}
    families: dict[str, list[list[Decision]]] = {}
    for group in large:
        own = _alike(group[0])[0]
        if own and all(matching(patterns, one.name) == [own] for one in group):
            families[own] = [*families.get(own, []), group]
    lines = {
        group[0].name: _family(own, group) for own, (group, *more) in families.items() if not more
    }
    inside = {profile.column.name for line in lines.values() for profile in line.members}
    return [
        lines.get(decision.name, decision)
        for decision in decisions
        if decision.name in lines or decision.name not in inside
    ]


def _alike(decision: Decision) -> tuple[str, ...]:
    """Return what the columns of a family have in common: the pattern of their names, empty where
    there is none, their type, the role and why, and the hierarchy unless that is open."""
    name, role = decision.name, decision.role
    own = decision.profile.key is not None or not _NUMBER.search(name)
    pattern = "" if own else "[0-9]*".join(map(literally, _NUMBER.split(name)))
    hierarchy = "" if role == "null" else decision.hierarchy
    return pattern, decision.profile.column.family, role, decision.why, hierarchy


def _family(pattern: str, members: Sequence[Decision]) -> Decision:
    """Return the decision on a family: that on its first column, with the notes on the first that
    has some."""
    noted = [member for member in members if member.profile.notes]
    notes = [f"in {member.name}: {note}" for member in noted[:1] for note in member.profile.notes]
    if len(noted) > 1:
        notes.append(f"{counted(len(noted) - 1, 'further column')} of these with such values")
    hierarchies = {member.hierarchy for member in members}
    return replace(
        members[0],
        profile=replace(members[0].profile, notes=notes),
        hierarchy=members[0].hierarchy if len(hierarchies) == 1 else "null",
        pattern=pattern,
        members=[member.profile for member in members],
    )
