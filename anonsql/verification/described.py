"""``__columns`` held against what it must say: a row for every column of the release, with its
role, level and looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonsql.engines.base import ReleaseTables
from anonsql.grammar.bounds import average_looks
from anonsql.policy.columns import REPLACED
from anonsql.policy.local import bucket_name
from anonsql.policy.policy import Policy
from anonsql.release.columns import GROUP, RECORD
from anonsql.verification.facts import average_names, bounds_names

Row = tuple[str, str, int | None, str]
"""A row of ``__columns``: name, role, level, looks."""


def stated(release: ReleaseTables) -> list[tuple[str, str | None, int | None, str | None]]:
    """Return the rows of ``__columns``."""
    return [*release.stated_columns]


def offences(
    policy: Policy,
    names: Sequence[str],
    rows: Sequence[tuple[str, str | None, int | None, str | None]],
    looks: Mapping[str, tuple[int | None, str]],
) -> list[str]:
    """Return the rows of ``__columns`` that are missing, superfluous, or contradict the release or
    the policy. ``names`` are the columns of the rows, ``looks`` the levels and looks of those whose
    labels were read."""
    return row_offences(rows, _expected(policy, names, looks))


def row_offences(
    rows: Sequence[tuple[str, str | None, int | None, str | None]], right_rows: Sequence[Row]
) -> list[str]:
    """Return the rows of ``__columns`` that are missing, superfluous, or other than the right
    ones."""
    expected = {row[0]: row for row in right_rows}
    by_name = {row[0]: row for row in rows}
    offending = [
        f"__columns tells of {what}: {', '.join(map(str, sorted(some, key=str)))}"
        for what, some in (
            ("columns that are none", by_name.keys() - expected.keys()),
            ("too little, it lacks", expected.keys() - by_name.keys()),
        )
        if some
    ]
    for name, right in expected.items():
        for what, position in (("role", 1), ("level", 2), ("looks_like", 3)):
            if name in by_name and by_name[name][position] != right[position]:
                offending.append(
                    f"__columns says of {name!r} {what}={by_name[name][position]}, the release"
                    f" and the"
                    f" policy {right[position]}"
                )
    return offending


def _expected(
    policy: Policy, names: Sequence[str], looks: Mapping[str, tuple[int | None, str]]
) -> list[Row]:
    """Return the rows that ``__columns`` must have: of the released columns, and of those that are
    released in tables of their own."""
    ends = {"_lo": "least", "_hi": "greatest"}
    buckets = {bucket_name(name): part for name, part in policy.tabled.items()}
    joined = ", by which __sensitive is joined" if policy.separated is not None else ""
    bounds, averages, rows = bounds_names(policy), average_names(policy), list[Row]()
    for name in names:
        if name in looks:
            rows.append((name, policy.columns[name].role, *looks[name]))
        elif name in policy.columns:
            if name not in policy.quasi_identifiers:
                replaced = policy.replaced.get(name)
                text = REPLACED[replaced] if replaced else policy.columns[name].looks_like(name)
                rows.append((name, policy.columns[name].role, None, text))
        elif name in bounds:
            own = name[:-3]
            text = f"{ends[name[-3:]]} value that {own} can have"
            rows.append((name, policy.columns[own].role, None, text))
        elif name in averages:
            own, average = averages[name]
            rows.append((name, policy.columns[own].role, None, average_looks(own, average)))
        elif name == RECORD.name:
            rows.append((name, "record", None, "number of the row"))
        elif name == GROUP.name:
            rows.append((name, "group", None, f"number of the row's group{joined}"))
        elif name in buckets and policy.bucketized is not None:
            text = f"number of its bucket, by which __{buckets[name]} is joined"
            rows.append((name, "bucket", None, text))
    by = "bucket" if policy.bucketized else "group"
    apart = [
        (name, f"not beside the rows: by {by}, with counts, in __{policy.tabled[name]}")
        for name in policy.apart
    ]
    return rows + [(name, "sensitive", None, text) for name, text in apart]
