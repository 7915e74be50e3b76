"""Columns whose names differ only by a number, such as the items of a questionnaire: one line of
the policy decides them all."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest

from anonsql.features.init.proposals import Decision
from anonsql.policy.column_patterns import literally
from anonsql.system.numbers import counted

_FEWEST = 5
"""The columns, at least, of a family."""
_NUMBER = re.compile("[0-9]+")


def joined(decisions: Sequence[Decision]) -> list[Decision]:
    """Return the decisions with one line for the columns of a family whose numbers have as many
    digits. Its pattern fits digits alone, and no other column but those with a line of their own."""
    sizes = Counter(map(_alike, decisions))
    groups: dict[tuple[str, ...], list[Decision]] = {}
    for decision in decisions:
        pattern, *_ = _alike(decision, digits=True)
        if pattern and sizes[_alike(decision)] >= _FEWEST:
            groups.setdefault(_alike(decision, digits=True), []).append(decision)
    families: dict[str, list[list[Decision]]] = {}
    for (pattern, *_), group in groups.items():
        families.setdefault(pattern, []).append(group)
    lines = {
        group[0].name: _family(pattern, group)
        for pattern, (group, *more) in families.items()
        if not more and len(group) > 1
    }
    inside = {profile.column.name for line in lines.values() for profile in line.members}
    return [
        lines.get(decision.name, decision)
        for decision in decisions
        if decision.name in lines or decision.name not in inside
    ]


def _alike(decision: Decision, *, digits: bool = False) -> tuple[str, ...]:
    """Return the common properties of the columns of a family: the pattern of their names, empty
    where there is none, their type, the role and why, and the hierarchy unless that is open. With
    ``digits`` the pattern has as many digits as the name."""
    name, role = decision.name, decision.role
    own = decision.profile.key is not None or not _NUMBER.search(name)
    numbers = ["[0-9]" * (len(number) if digits else 1) for number in _NUMBER.findall(name)]
    texts = map(literally, _NUMBER.split(name))
    pattern = "" if own else "".join(map("".join, zip_longest(texts, numbers, fillvalue="")))
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
