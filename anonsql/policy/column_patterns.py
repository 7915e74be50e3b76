"""Lines of a policy for many columns: patterns of a Unix shell over their names. A column's own
line wins over patterns; ``*`` means all columns without another line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Final, TypeVar

from anonsql.errors import PolicyError, Problem

DEFAULT: Final = "*"
"""The pattern of all columns that no other line of the policy is about."""
_MARKS = re.compile(r"[*?[]")
_Entry = TypeVar("_Entry")


def is_pattern(name: object) -> bool:
    """Return whether a name may be a pattern: it is one where no column has this name."""
    return isinstance(name, str) and _MARKS.search(name) is not None


def matches(pattern: str, name: str) -> bool:
    """Return whether a column's name matches a pattern, case included."""
    return fnmatchcase(name, pattern)


def literally(text: str) -> str:
    """Return the pattern that matches a text alone."""
    return _MARKS.sub(r"[\g<0>]", text)


def matching(patterns: Iterable[str], name: str) -> list[str]:
    """Return the patterns, the default aside, that match a column's name."""
    return [one for one in patterns if one != DEFAULT and is_pattern(one) and matches(one, name)]


def expanded(
    columns: Mapping[str, _Entry], names: Sequence[str], where: str = "columns"
) -> tuple[dict[str, _Entry], dict[str, list[str]]]:
    """Return a policy's entries with each pattern replaced by an entry for every column that it
    matches, and these columns by pattern. ``names`` are the columns of the table. Raise PolicyError
    for a pattern that matches none, and for two that match one and differ."""
    patterns: dict[str, list[str]] = {
        name: [] for name in columns if is_pattern(name) and name not in names
    }
    problems = []
    for name in names:
        if name in columns:
            continue
        found = matching(patterns, name)
        for other in found[1:]:
            if columns[other] != columns[found[0]]:
                text = (
                    f"the column {name!r} matches both this pattern and {found[0]!r}, which have"
                    " different settings."
                )
                remedy = "Give the column a line of its own, or narrow one of the patterns."
                problems.append(Problem(f"{where}.{other}", text, remedy))
        for pattern in found or [one for one in patterns if one == DEFAULT]:
            patterns[pattern].append(name)
    for pattern, matched in patterns.items():
        if not matched and pattern != DEFAULT:
            own = " that has no line of its own" if any(matches(pattern, n) for n in names) else ""
            text = f"no column of the source{own} matches this pattern."
            problems.append(
                Problem(f"{where}.{pattern}", text, "Correct the pattern, or remove it.")
            )
    if problems:
        raise PolicyError(list({problem.where: problem for problem in problems}.values()))
    entries = {
        name: entry for line, entry in columns.items() for name in patterns.get(line, [line])
    }
    return entries, patterns
