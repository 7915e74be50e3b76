"""Independent verification of local generalization and bucketization: queries that count offending
rows, groups and buckets on the release alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from anonsql.engines.base import Column, ReleaseTables
from anonsql.policy.local import bucket_name
from anonsql.policy.policy import Policy
from anonsql.release.columns import COUNT, GROUP, RECORD
from anonsql.star import coded as coding
from anonsql.star.bucket_promises import promised
from anonsql.verification.buckets import bucket_offences
from anonsql.verification.facts import Classes, bounds_names, facts_of, missing_rows

_ALIKE = (
    "rows have no number of their own, or no group",
    "rows have a number that is not from 1 to the number of rows",
    "rows have bounds of a value that is in a bucket",
    "groups have rows that are not alike",
)
"""The offences that verification/alike counts, in the order of its columns."""


def offences(
    release: ReleaseTables, policy: Policy, columns: Sequence[Column], parameters: Mapping[str, Any]
) -> tuple[list[str], Classes | None]:
    """Return how the tables of a release break a rule of the method, and the sizes of its groups.
    Rows have distinct numbers, from 1 on, and no bounds where they have a bucket; groups have at
    least k rows, which are released alike and have the same entries withheld; and every bucket
    keeps its column's promise. ``columns`` are those of the rows."""
    names = {column.name for column in columns}
    needed = [RECORD.name, GROUP.name, *map(bucket_name, policy.bucketized or ())]
    if any(name not in names or _kind(columns, name) != "integer" for name in needed):
        return [f"{', '.join(needed)} are not all there, or no integers"], None
    if missing := [part for part in policy.tabled.values() if part not in release.extras]:
        return [f"there is no table {', '.join(f'__{part}' for part in missing)}"], None
    labels = [column.name for column in columns if column.name in policy.quasi_identifiers]
    bounds = [column.name for column in columns if column.name in bounds_names(policy)]
    cells = [*labels, *bounds]
    buckets = {name: bucket_name(name) for name in policy.bucketized or ()}
    bounded = [
        (bound, buckets[name])
        for name in buckets
        for bound in (f"{name}_lo", f"{name}_hi")
        if bound in bounds
    ]
    tables = {"table": release.rows, "record": RECORD.name, "group": GROUP.name, "cells": cells}
    rows = release.engine.query(
        "verification/alike", **tables, buckets=list(buckets.values()), bounded=bounded
    )[0]
    problems = [
        f"there is no __{part}" for part in policy.release_parts if part not in release.extras
    ]
    problems += [f"{number:,} {what}" for number, what in zip(rows, _ALIKE, strict=True) if number]
    classes = Classes(
        *release.engine.query(
            "verification/classes", table=release.rows, labels=[], bounds=[GROUP.name], **parameters
        )[0]
    )
    if classes.small_classes:
        k = policy.privacy.k
        problems.append(
            f"{classes.small_classes:,} groups with {classes.small_rows:,} rows in all are smaller"
            f" than k={k}"
        )
    return problems + _bucket_offences(release, policy, labels), classes


def _kind(columns: Sequence[Column], name: str) -> str:
    """Return the kind of a column."""
    return next(column.kind for column in columns if column.name == name)


def _bucket_offences(release: ReleaseTables, policy: Policy, labels: Sequence[str]) -> list[str]:
    """Return what is wrong with the tables of buckets."""
    texts = []
    for name, part in policy.tabled.items():
        table = release.extras[part]
        columns = [column for column in release.engine.columns(table) if column.name == name]
        privacy = policy.privacy.about_columns()
        only = privacy.model_copy(
            update={
                "l_diversity": _only(privacy.l_diversity, name),
                "t_closeness": _only(privacy.t_closeness, name),
            }
        )
        coded, problems = coding.plan(only, columns, first=1)
        if problems or not coded:
            texts.append(f"the table __{part} has no column {name!r} that can be compared")
            continue
        promise = promised(only, coded, policy.method.least_bucket)[0]
        if (
            promise.model is not None
            and promise.least is None
            and (name in labels or missing_rows(facts_of(release)))
        ):
            # the distribution of the whole column is unknown here; buckets near it are near each
            # other
            promise = replace(
                promise,
                model=replace(
                    promise.model, bound=min(2 * promise.model.bound, Decimal("0.999999"))
                ),
            )
        titles = (bucket_name(name), name, COUNT.name)
        texts += bucket_offences(
            release.engine,
            release.rows,
            table,
            titles,
            promise,
            label=name if name in labels else None,
        )
    return texts


def _only(models: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return what the policy requires of one column alone."""
    return {entry: what for entry, what in models.items() if entry == name}
