"""Verification of identifying columns that are replaced, by the release alone: surrogates are whole
numbers from 1 without a gap, and the other columns have the one thing that replaces all values."""

from __future__ import annotations

from collections.abc import Collection

from anonsql.engines.base import ReleaseTables
from anonsql.policy.policy import Policy


def offences(release: ReleaseTables, policy: Policy, besides: Collection[str] = ()) -> list[str]:
    """Return the replaced columns, ``besides`` some and those of a wrong type, that have what does
    not replace a value."""
    types = {column.name: column.type for column in release.engine.columns(release.rows)}
    readable = {
        name: what
        for name, what in policy.replaced.items()
        if name in types and name not in besides
        if what != "surrogate" or types[name] == "BIGINT"
    }
    if not readable:
        return []
    asked = {"table": release.rows, "replaced": readable}
    counts = iter(release.engine.query("verification/replaced", **asked)[0])
    wrong = []
    for name, what in readable.items():
        first, second, third = (int(next(counts) or 0) for _ in range(3))
        if what == "surrogate" and (first != third or second != min(1, first)):
            wrong.append(
                f"the surrogates in {name!r} are {first:,} numbers from {second:,} to {third:,},"
                " and not all from 1 on"
            )
        elif what != "surrogate" and first:
            text = "NULL" if what == "null" else "the constant"
            wrong.append(f"{first:,} rows have something else in {name!r} than {text}")
    return wrong
