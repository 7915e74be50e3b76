"""``__columns`` held against what it must say: a row for every column of the release, with its
role, level, form and looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonsql.engines.base import STATED, StatedColumn
from anonsql.grammar.forms import BOUNDS, Looks, of_average, of_bound
from anonsql.policy.columns import REPLACED
from anonsql.policy.local import bucket_name
from anonsql.policy.policy import Policy
from anonsql.release.columns import GROUP, RECORD
from anonsql.verification.facts import average_names, bounds_names


def offences(
    policy: Policy,
    names: Sequence[str],
    rows: Sequence[StatedColumn],
    looks: Mapping[str, tuple[int | None, Looks]],
) -> list[str]:
    """Return the rows of ``__columns`` that are missing, superfluous, or contradict the release or
    the policy. ``names`` are the columns of the rows, ``looks`` the levels and looks of those whose
    labels were read."""
    return row_offences(rows, _expected(policy, names, looks))


def row_offences(rows: Sequence[StatedColumn], right_rows: Sequence[StatedColumn]) -> list[str]:
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
        for what, found, wanted in zip(STATED, by_name.get(name, right), right, strict=True):
            if found != wanted:
                text = f"__columns says of {name!r} {what}={found}"
                offending.append(f"{text}, the release and the policy {wanted}")
    return offending


def _expected(
    policy: Policy, names: Sequence[str], looks: Mapping[str, tuple[int | None, Looks]]
) -> list[StatedColumn]:
    """Return the rows that ``__columns`` must have: of the released columns, and of those that are
    released in tables of their own."""
    ends = {f"_{end}": form for form, end in BOUNDS.items()}
    buckets = {bucket_name(name): part for name, part in policy.tabled.items()}
    joined = ", by which __sensitive is joined" if policy.separated is not None else ""
    bounds, averages, rows = bounds_names(policy), average_names(policy), list[StatedColumn]()

    def add(name: str, role: str, looks: tuple[str, str], level: int | None = None) -> None:
        rows.append(StatedColumn(name, role, level, *looks))

    for name in names:
        if name in looks:
            level, found = looks[name]
            add(name, policy.columns[name].role, found, level)
        elif name in policy.columns:
            if name not in policy.quasi_identifiers:
                replaced, settings = policy.replaced.get(name), policy.columns[name]
                kept = REPLACED[replaced] if replaced else settings.looks(name)
                add(name, settings.role, kept)
        elif name in bounds:
            add(name, policy.columns[name[:-3]].role, of_bound(name[:-3], ends[name[-3:]]))
        elif name in averages:
            own, average = averages[name]
            add(name, policy.columns[own].role, of_average(own, average))
        elif name == RECORD.name:
            add(name, "record", ("record", "number of the row"))
        elif name == GROUP.name:
            add(name, "group", ("group", f"number of the row's group{joined}"))
        elif name in buckets and policy.bucketized is not None:
            text = f"number of its bucket, by which __{buckets[name]} is joined"
            add(name, "bucket", ("bucket", text))
    by = "bucket" if policy.bucketized else "group"
    for name in policy.apart:
        text = f"not beside the rows: by {by}, with counts, in __{policy.tabled[name]}"
        add(name, "sensitive", ("apart", text))
    return rows
