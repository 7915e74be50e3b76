"""What a report shows of released values: of each generalized column an example, from one released
row; and the span of a sensitive column's numbers or dates in each class: l values that are all near
each other reveal nearly as much as one value."""

from __future__ import annotations

from dataclasses import dataclass

from anonsql.engines.base import ORDERED, Column, Relation, ReleaseTables
from anonsql.policy.local import bucket_name
from anonsql.policy.table_plan import TablePlan
from anonsql.release.columns import GROUP
from anonsql.star import coded as coding
from anonsql.verification.facts import bounds_names, count_of, facts_of


@dataclass(frozen=True)
class Spans:
    """From the least to the greatest value of a column, in the class (or bucket) where that is
    least, and in the median one; as shares of the same of all released values."""

    least: float
    median: float


def spans_of(release: ReleaseTables, policy: TablePlan) -> dict[str, Spans]:
    """Return the spans of every column of numbers or dates that has an l-diversity. Return none for
    rings, which have no equivalence classes, and for several combinations of columns, as each has
    classes of its own."""
    spans: dict[str, Spans] = {}
    if not policy.method.equal_rows_are_classes or policy.privacy.several:
        return spans
    for name in policy.privacy.l_diversity:
        table, keys = _together(release, policy, name)
        columns = [column for column in release.engine.columns(table) if column.name == name]
        if not keys or not columns or columns[0].kind not in ORDERED:
            continue
        column = coding.Coded(1, columns[0])
        least, median, width = release.engine.query("jobs/spans", table=table, keys=keys, a=column)[
            0
        ]
        if width:
            spans[name] = Spans(least / width, median / width)
    return spans


def _together(release: ReleaseTables, policy: TablePlan, name: str) -> tuple[Relation, list[str]]:
    if name in policy.tabled:
        key = bucket_name(name) if policy.bucketized else GROUP.name
        return release.extras[policy.tabled[name]], [key]
    names: list[Column] = release.engine.columns(release.rows)
    known = policy.quasi_identifiers.keys() | bounds_names(policy)
    return release.rows, [column.name for column in names if column.name in known]


_LONGEST = 60
"""Characters of an example: sets of values can be long."""


def examples_of(release: ReleaseTables, policy: TablePlan) -> dict[str, str]:
    """Return a released value of each generalized column, by column, from the row in the middle. A
    column that is NULL there, as its value is in a bucket, has none."""
    there = {column.name for column in release.engine.columns(release.rows)}
    names = [name for name in policy.quasi_identifiers if name in there]
    if not names:
        return {}
    middle = count_of(facts_of(release), "rows") // 2
    asked = {"table": release.rows, "columns": names, "before": middle}
    rows = release.engine.query("jobs/example", **asked)
    values = zip(names, rows[0], strict=True) if rows else ()
    return {name: _text(value) for name, value in values if value is not None}


def _text(value: object) -> str:
    text = "{" + ",".join(map(str, value)) + "}" if isinstance(value, list) else str(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
