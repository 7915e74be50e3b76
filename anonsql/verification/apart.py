"""Sensitive values in tables of their own, by the release alone: queries that count offending rows,
groups and buckets of anatomy and of local generalization and bucketization."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from anonsql.engines.base import Column, Engine, Relation, ReleaseTables
from anonsql.policy.local import bucket_name
from anonsql.policy.table_plan import TablePlan
from anonsql.release.columns import COUNT, GROUP, RECORD
from anonsql.star import coded as coding
from anonsql.star.bucket_promises import Bucketized, promised
from anonsql.verification.facts import bounds_names, facts_of, missing_rows


def group_offences(
    release: ReleaseTables, policy: TablePlan, columns: Sequence[Column]
) -> list[str]:
    """Return how the two tables of a release break a rule of anatomy: every row has a group, groups
    have as many rows in one table as in the other, no sensitive value is listed twice for a group
    or is more than 1/l of it. ``columns`` are the columns of the rows."""
    sensitive = policy.separated or ""
    table = release.extras.get("sensitive")
    if table is None:
        return ["there is no table of sensitive values"]
    wanted = (GROUP.name, sensitive, COUNT.name)
    if offences := _uncounting(columns, release.engine.columns(table), wanted, "sensitive values"):
        return offences
    least = int(policy.privacy.l_diversity[sensitive].least)
    parameters = {
        "table": release.rows,
        "sensitive": table,
        "group": GROUP.name,
        "value": sensitive,
        "count": COUNT.name,
        "least": least,
    }
    rows = release.engine.query("verification/separated", **parameters)[0]
    texts = (
        "rows have no group",
        "rows of the table of sensitive values have no group, or a count below 1",
        "pairs of group and sensitive value occur there more than once",
        "groups have a different number of rows than their sensitive values add up to",
        f"groups have a sensitive value in more than 1/{least} of their rows",
    )
    return [f"{number:,} {what}" for number, what in zip(rows, texts, strict=True) if number]


def _uncounting(
    rows: Sequence[Column], table: Sequence[Column], names: tuple[str, str, str], what: str
) -> list[str]:
    """Return what is wrong with the columns of a table that counts values (``what``): ``names`` are
    its column that joins it to the rows, the value, and the count."""
    joined, _, count = names
    if [column.name for column in table] != list(names):
        there = ", ".join(column.name for column in table)
        return [f"the table of {what} has the columns {there}, not {', '.join(names)}"]
    numbers = [*(column for column in rows if column.name == joined), table[0], table[2]]
    if len(numbers) < 3 or any(number.type != "BIGINT" for number in numbers):
        both = "both tables" if joined == GROUP.name else f"rows and table of {what}"
        return [f"{joined} and {count} are missing in {both}, or not integers"]
    return []


_ALIKE = (
    "rows have no number, or no group",
    "rows have a number that is not between 1 and the number of rows",
    "rows have bounds of a value that is in a bucket",
    "groups have rows that differ",
)
"""The offences that verification/alike counts, in the order of its columns."""


def lacking(policy: TablePlan, release: ReleaseTables, columns: Sequence[Column]) -> list[str]:
    """Return the numbers of rows, groups and buckets, among the ``columns`` of the rows, and the
    tables of buckets that a release lacks."""
    kinds = {column.name: column.kind for column in columns}
    needed = [RECORD.name, GROUP.name, *map(bucket_name, policy.bucketized or ())]
    if any(kinds.get(name) != "integer" for name in needed):
        return [f"some of {', '.join(needed)} are missing, or not integers"]
    missing = [f"__{part}" for part in policy.tabled.values() if part not in release.extras]
    return [f"there is no table {', '.join(missing)}"] if missing else []


def unlike(release: ReleaseTables, policy: TablePlan, columns: Sequence[Column]) -> list[str]:
    """Return how rows break a rule of local generalization: they have distinct numbers, from 1 on,
    and no bounds where they have a bucket; rows of a group have equal labels and the same entries
    withheld. ``columns`` are the columns of the rows."""
    labels = [column.name for column in columns if column.name in policy.quasi_identifiers]
    bounds = [column.name for column in columns if column.name in bounds_names(policy)]
    buckets = {name: bucket_name(name) for name in policy.bucketized or ()}
    bounded = [
        (bound, buckets[name])
        for name in buckets
        for bound in (f"{name}_lo", f"{name}_hi")
        if bound in bounds
    ]
    tables = {"table": release.rows, "record": RECORD.name, "group": GROUP.name}
    rows = release.engine.query(
        "verification/alike",
        **tables,
        cells=[*labels, *bounds],
        buckets=list(buckets.values()),
        bounded=bounded,
    )[0]
    problems = [
        f"there is no __{part}" for part in policy.release_parts if part not in release.extras
    ]
    return problems + [
        f"{number:,} {what}" for number, what in zip(rows, _ALIKE, strict=True) if number
    ]


def bucket_tables(release: ReleaseTables, policy: TablePlan, labels: Sequence[str]) -> list[str]:
    """Return what is wrong with the tables of buckets. ``labels`` are the columns of labels."""
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
    return {entry: what for entry, what in models.items() if entry == name}


def bucket_offences(
    engine: Engine,
    rows: Relation,
    table: Relation,
    names: tuple[str, str, str],
    promise: Bucketized,
    *,
    label: str | None = None,
) -> list[str]:
    """Return how the buckets of one column break a rule: every row has a bucket that the table
    knows (or, of a semi-sensitive column, a bucket only where it has no ``label``), each bucket has
    as many rows as its values say, no value is listed in it twice, and it keeps the promise.
    ``names`` are the columns of the table: bucket (called so in the rows too), value, count.
    ``promise.coded`` is the column as it is in the table."""
    if offences := _uncounting(engine.columns(rows), engine.columns(table), names, "buckets"):
        return offences
    bucket, value, count = names
    parameters = {"sensitive": table, "bucket": bucket, "count": count}
    more = {
        "table": rows,
        "value": value,
        "label": label,
        "everywhere": label is None,
        "least": promise.smallest,
        "once": promise.least is not None,
    }
    result = engine.query("verification/bucket", **parameters, **more)[0]
    texts = (
        f"rows have a {bucket} that the table of buckets lacks",
        f"rows have no {bucket}, or have a value in addition to it",
        f"values of {value!r} in buckets have no {bucket}, or a count below 1",
        f"pairs of {bucket} and value occur in the table of buckets more than once",
        f"buckets of {value!r} have a different number of rows than their values add up to",
        f"buckets of {value!r} have fewer than {promise.smallest} rows",
        f"buckets of {value!r} contain a value more than once",
    )
    offences = [f"{number:,} {what}" for number, what in zip(result, texts, strict=True) if number]
    if offences or promise.model is None:
        return offences
    judged = {"keys": ["k1"], "coded": [promise.coded], "promise": promise.promise}
    failing, cells = engine.query("verification/bucket_promise", **parameters, **judged)[0]
    if not failing:
        return []
    return [
        f"{failing:,} buckets of {value!r} with {cells:,} rows do not keep {promise.model.words}"
    ]


def sensitive_share(release: ReleaseTables) -> Fraction | None:
    """Return the greatest share of a sensitive value in a group of anatomy; None without groups."""
    shares = release.engine.query(
        "verification/sensitive_share",
        sensitive=release.extras["sensitive"],
        group=GROUP.name,
        count=COUNT.name,
    )
    return Fraction(int(shares[0][0]), int(shares[0][1])) if shares else None
