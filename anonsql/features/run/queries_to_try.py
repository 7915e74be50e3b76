"""Statements to try on a release, for a person to copy."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from anonsql.features.run.document import Report
from anonsql.policy.columns import GENERALIZED
from anonsql.policy.envelope import SINGLE_FILES
from anonsql.policy.local import bucket_name
from anonsql.policy.methods import traits
from anonsql.presentation.documents import Place, ReleasedAs
from anonsql.sql.templates import render

_KEPT = ("value", "value-or-star", "mask-right", "mask-left")
"""The forms of columns that have some values as they are in a local release."""


@dataclass(frozen=True)
class ReleaseToAsk:
    """What is known of a release without the report of the run that made it."""

    release: Place
    columns: Sequence[ReleasedAs]
    method: str
    identity: str | None = None
    withheld: Collection[str] = field(default_factory=tuple)
    combinations: int = 1
    min_people: int | str | None = None


def queries(report: Report | ReleaseToAsk) -> list[str]:
    """Return three statements to try on a release: its facts, which a single file has not, its
    commonest groups, and its k; of anatomy the expected rows of each kind, and its l."""
    server = re.match(r"[a-z0-9+]+://|local\[", report.release.database)
    *schema, table = report.release.table.split(".") if server else [report.release.table]
    quasi = [column.column for column in report.columns if column.role in GENERALIZED]
    telling = [
        column.column
        for column in report.columns
        if column.column in quasi and column.form != "star"
    ]
    first = (telling or quasi)[0]
    if report.identity:
        sensitive = next(column.column for column in report.columns if column.role == "sensitive")
        tables = {"table": [*schema, table], "apart": [*schema, f"{table}__sensitive"]}
        return [
            render("features/run/about", about=[*schema, f"{table}__about"]),
            render("features/run/expected", first=first, sensitive=sensitive, **tables),
            render("features/run/greatest_share", **tables),
        ]
    if traits(report.method).releases_apart:
        known = [
            column.column
            for column in report.columns
            if column.role == "quasi-identifying" and column.form in _KEPT
        ]
        return _local_queries(report, [*schema, table], (known or telling or quasi)[0])
    about = [render("features/run/about", about=[*schema, f"{table}__about"])]
    if not server and Path(report.release.database).suffix.lower() in SINGLE_FILES:
        about, table = [], report.release.database  # DuckDB reads a file by its name
    of_labels = telling or quasi  # groups by kept columns, of which k says nothing, could be rows
    grouped = list(dict.fromkeys((of_labels[0], of_labels[-1])))
    queries = [*about, render("features/run/groups", table=[*schema, table], columns=grouped)]
    by_all = traits(report.method).equal_rows_are_classes and report.combinations == 1
    if by_all and report.min_people is None:  # the query counts rows
        named = [*schema, table]
        queries.append(render("features/run/smallest_class", table=named, columns=quasi))
    return queries


def _local_queries(report: Report | ReleaseToAsk, table: Sequence[str], first: str) -> list[str]:
    *schema, name = table
    tried = [render("features/run/about", about=[*schema, f"{name}__about"])]
    if report.withheld:
        number, sensitive = len(report.withheld), list(report.withheld)[-1]
        parameters = {
            "apart": [*schema, f"{name}__sensitive_{number}"],
            "bucket": bucket_name(sensitive),
            "sensitive": sensitive,
        }
        tried.append(render("features/run/bucketed", table=table, first=first, **parameters))
    return [*tried, render("features/run/smallest_class", table=table, columns=["group_id"])]
