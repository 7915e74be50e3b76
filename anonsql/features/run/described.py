"""What ``run`` says of its document, and statements to try on the release."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from anonsql.features.ledger.described import over_time
from anonsql.features.run import unchanged
from anonsql.features.run.document import (
    RelationalReport,
    Relocated,
    Report,
    Withheld,
)
from anonsql.measures import registry
from anonsql.policy.columns import GENERALIZED
from anonsql.policy.envelope import SINGLE_FILES
from anonsql.policy.local import bucket_name
from anonsql.policy.methods import traits
from anonsql.policy.promise_text import known
from anonsql.presentation import sentences
from anonsql.presentation.documents import Place
from anonsql.presentation.numbers import Number, percent
from anonsql.presentation.promises import unit_of
from anonsql.presentation.tree import Code, Figures, Part, Section, Sentence
from anonsql.sql.templates import render

if TYPE_CHECKING:
    from anonsql.features.report.document import CodeBookColumn

_KEPT = ("value", "value-or-star", "mask-right", "mask-left")
"""The forms of columns that have some values as they are in a local release."""


def describe(report: Report) -> Sequence[Part]:
    """Return the verdict, the promises, what was lost, the most important warning and the place of
    the release; for experts also all warnings, changes, measures and risks."""
    if report.status == "unchanged":
        return unchanged.described()
    risks = sentences.risks(report.risk, people=report.min_people is not None)
    warned = sentences.warned(report.warnings, report.not_covered, kept=report.risk.kept)
    left_out = sentences.left_out(report.left_out, report.k)
    kept = sentences.kept_columns(report.risk.kept)
    return [
        *_verdict(report),
        *warned,
        Section(
            "",
            [_columns(report), *left_out, *withheld_or_changed(report), *_spans(report)],
            on="verbose",
        ),
        Section("", [utility(report), Section("", [*risks, *kept])], on="verbose"),
        *_next(report, warned),
    ]


def _verdict(report: Report) -> list[Sentence]:
    several = report.combinations > 1
    apart = f", on each of {report.combinations} combinations of columns" if several else ""
    promised = "" if report.identity else f" (promised: k={report.k}{apart})"
    query = f"Made from the rows of this query: {report.query}"
    quarantined = f"; {report.quarantined:,} rows quarantined because they would break k"
    rows = (
        f"{report.released - report.masked:,} of {report.records:,} rows in {report.classes:,}"
        f" {traits(report.method).classes_are}; {_left_out(report)}"
        f"{sentences.masked_rows(report.masked)}{quarantined if report.quarantined else ''}."
    )
    return [
        sentences.done(report.status == "tried", f"every released row {_hidden(report)}{promised}"),
        *([] if report.query is None else [Sentence(query, on="verbose")]),
        *sentences.identity(report.identity),
        *sentences.promises(report.promises, unit_of(report.method), report.limits),
        Sentence(rows),
        *over_time(report.over_time, report.records, report.k),
        *map(Sentence, _lost(report)),
    ]


def _left_out(report: Report) -> str:
    if report.sampled is not None:
        return (
            f"{report.sampled:,} rows were sampled at random, and {report.suppressed:,} of these"
            " suppressed (for you only: the release reveals neither number)"
        )
    of_all, limit = percent(report.suppressed / report.records), percent(report.suppression_limit)
    return f"{report.suppressed:,} suppressed ({of_all} of at most {limit})"


def _hidden(report: Report) -> str:
    if report.identity:
        return (
            f"is in a group of at least {report.min_class} rows, whose sensitive values are"
            " published together"
        )
    if not traits(report.method).equal_rows_are_classes:
        if report.min_people is None:
            return (
                f"may come from any of {report.min_class} rows or more, with the same probability"
            )
        least = f"{report.min_people:,}"
        return (
            f"may come from any of {least} people or more, each with a probability of at most"
            f" 1/{least}"
        )
    if report.k == 1 and report.min_class == 1:
        return "keeps its promise, and some rows are unique"
    others, who = report.min_class - 1, "others"
    if report.min_people is not None:
        others, who = report.min_people - 1, "other people"
    return f"shares its quasi-identifying values with at least {others} {who}"


def _columns(report: Report) -> Figures:
    rows = [
        [
            *(column.column, column.role, "" if column.level is None else column.level),
            *(column.looks_like, column.example or ""),
        ]
        for column in report.columns
    ]
    return Figures(["column", "role", "level", "a value is", "for example"], rows)


def _lost(report: Report) -> list[str]:
    hidden = [column.column for column in report.columns if column.form == "star"]
    stars = f"; hidden in every row (`*`): {', '.join(hidden)}" if hidden else ""
    said = []
    if (lost := report.metrics.get("loss")) is not None:
        said.append(
            f"Information lost: {percent(lost)} (0 %: unchanged, 100 %: nothing left){stars}."
        )
    elif hidden:
        said.append(f"Hidden in every row (`*`): {', '.join(hidden)}.")
    if (relocated := report.relocated) is not None:
        said.append(_relocated(relocated))
    if (changed := report.changed) is not None:
        said.append(
            f"Kept values of {changed.rows:,} rows ({percent(changed.row_share)}) were changed,"
            " as the policy asks."
        )
    return said


def utility(report: Report) -> Figures:
    """Return all measures of usefulness with their formulas."""
    rows = [
        [
            name,
            Number(f"{value:,.0f}" if value >= 1 and value.is_integer() else f"{value:,.4f}"),
            registry.FORMULAS[name],
        ]
        for name, value in report.metrics.items()
    ]
    return Figures(["utility", "value", "formula"], rows)


def _next(report: Report, warned: Sequence[Sentence]) -> list[Part]:
    rest = sentences.others(warned, "columns, measures and queries")
    if report.status == "tried":
        return [Sentence("Nothing was published. To publish, leave out --dry-run."), rest]
    return [
        sentences.released_to(report.release),
        *(Code(query, on="verbose") for query in queries(report)),
        rest,
    ]


def withheld_or_changed(report: Report) -> list[Section]:
    """Return the values in buckets and the changed values, by column."""
    return [*_withheld(report.withheld), *_changes(report)]


def _withheld(withheld: Mapping[str, Withheld]) -> list[Section]:
    if not withheld:
        return []
    rows = [
        [name, own.cells, own.buckets, own.smallest, own.hidden, own.widened, own.unknown]
        for name, own in withheld.items()
    ]
    headings = ("cells", "buckets", "smallest", "hidden", "not sensitive", "flag NULL")
    return [Section("", [Figures(["in buckets", *headings], rows)])]


def _spans(report: Report) -> list[Section]:
    if not report.spans:
        return []
    apart = "bucket" if report.withheld else "group" if report.identity else "class"
    rows = [
        [name, percent(span.least), percent(span.median)] for name, span in report.spans.items()
    ]
    shares = (
        "Shares of the column's range: if the share is small, the values of a group reveal nearly"
        " as much as a single value."
    )
    table = Figures([f"in a {apart}, from least to greatest", "least", "median"], rows)
    return [Section("", [table, Sentence(shares, tone="quiet")])]


def _relocated(relocated: Relocated) -> str:
    shares = f"{percent(relocated.cell_share)} of at most {percent(relocated.p)}"
    if not relocated.cells:
        return f"No quasi-identifying cell was changed: all values are true ({shares})."
    return (
        f"{relocated.cells:,} quasi-identifying cells ({shares}) of {relocated.rows:,} rows"
        f" ({percent(relocated.row_share)}) were changed, so that these rows are hidden among"
        " others."
    )


def _changes(report: Report) -> list[Section]:
    parts: list[Part] = []
    relocated = report.relocated
    if relocated and relocated.cells:
        if relocated.chi_squared is not None and relocated.critical is not None:
            parts.append(
                Sentence(
                    "Chi-squared of the group sizes before and after:"
                    f" {relocated.chi_squared:,.1f} of at most {relocated.critical:,.1f}."
                )
            )
        parts.append(Figures(["changed", "cells"], list(relocated.columns.items())))
    if report.changed is not None:
        parts.append(Figures(["changed", "values"], list(report.changed.columns.items())))
    return [Section("", parts)] if parts else []


def of_tables(report: RelationalReport) -> Sequence[Part]:
    """Return the verdict, the changes to each table and column, and the limits of the promise."""
    if report.status == "unchanged":
        return unchanged.described()
    others = any(table.kind == "rows" for table in report.tables)
    promise = (
        f"an attacker who knows {known(report.known_rows, others)} finds {report.fewest_people:,}"
        f" people or more (promised: k={report.k})"
    )
    kept = (
        f"{report.released_people:,} of {report.people:,} people in {report.of}"
        f" ({percent(1 - report.released_people / report.people)} suppressed); mean loss"
        f" {percent(report.loss)}."
    )
    numbers = "Equal values have equal numbers, which depend on the released rows only."
    not_promised = (
        "Not protected: the number of rows of a person, which is visible (max_rows caps it);"
        " sensitive and insensitive columns, and references to public tables, which are released"
        f" unchanged.{' Sensitive columns keep the models above in every class.' if report.promises else ''}"
    )
    warned = sentences.warned(report.warnings, *report.not_covered.values())
    tried = report.status == "tried"
    return [
        sentences.done(tried, promise),
        *sentences.promises(report.promises),
        Sentence(kept),
        rows_of_tables(report),
        *warned,
        Section("", [columns_of_tables(report), Sentence(numbers)], on="verbose"),
        Sentence(not_promised, on="verbose" if warned else "all"),
        *([] if tried else [sentences.released_to(report.release)]),
        sentences.others(warned, "columns and limits" if warned else "columns"),
    ]


def rows_of_tables(report: RelationalReport) -> Figures:
    """Return the counts of released and suppressed rows of each table."""
    counts = ("rows", "released", "suppressed", "with others", "capped")
    lines = [
        [
            table.table,
            "public" if table.kind == "public" else table.refers_to or "people",
            *(table.rows, table.released, table.suppressed, table.with_others),
            table.beyond_max_rows,
        ]
        for table in report.tables
    ]
    return Figures(["table", "refers to", *counts], lines)


def columns_of_tables(report: RelationalReport) -> Figures:
    """Return the changes to each column."""
    rows = [
        [
            *(table.table, column.column, column.role),
            "" if column.level is None else column.level,
            "number" if column.form == "surrogate" else column.looks_like,
        ]
        for table in report.tables
        for column in table.columns
    ]
    return Figures(["table", "column", "role", "level", "released as"], rows)


@dataclass(frozen=True)
class ReleaseToAsk:
    """What is known of a release without the report of the run that made it."""

    release: Place
    columns: Sequence[CodeBookColumn]
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
    of_labels = telling or quasi  # groups by kept columns, without k, could be single rows
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
