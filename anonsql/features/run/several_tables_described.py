"""What ``run``, ``search`` and ``verify`` say of several tables."""

from __future__ import annotations

from collections.abc import Mapping

from anonsql.features.run.several_tables_document import (
    RelationalReport,
    RelationalSearchReport,
    RelationalVerifyReport,
    TableAgainstSource,
)
from anonsql.policy.promise_text import known
from anonsql.presentation import sentences
from anonsql.presentation.numbers import percent
from anonsql.presentation.tree import Figures, Part, Section, Sentence, findings

_SHOWN = 20
"""Generalizations that a terminal lists."""


def run(report: RelationalReport) -> list[Part]:
    """Return the verdict, what became of each table and column, and what is not promised."""
    others = any(table.kind == "rows" for table in report.tables)
    promise = (
        f"whoever knows of somebody {known(report.known_rows, others)} finds"
        f" {report.fewest_people:,} people or more (promised: k={report.k})"
    )
    kept = (
        f"{report.released_people:,} of {report.people:,} people in {report.of}"
        f" ({percent(1 - report.released_people / report.people)} suppressed); mean loss"
        f" {percent(report.loss)}."
    )
    numbers = "Numbers are the same for the same value, and follow from the released rows alone."
    not_promised = (
        "Not promised: how many rows a person has is seen (max_rows caps it); sensitive and"
        " insensitive columns, and references to public tables, are as they are."
        f"{' Of sensitive ones classes keep what is said above.' if report.promises else ''}"
    )
    return [
        sentences.done(report.status == "tried", promise),
        *sentences.not_covered(*report.not_covered.values()),
        Sentence(kept),
        *sentences.promises(report.promises),
        Section("", [rows(report)]),
        Section("", [columns(report), Sentence(numbers)]),
        Section("", [Sentence(not_promised), *findings("warning", "warn", report.warnings)]),
    ]


def rows(report: RelationalReport) -> Figures:
    """Return what became of the rows of each table."""
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


def columns(report: RelationalReport) -> Figures:
    """Return what became of each column."""
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


def search(report: RelationalSearchReport) -> list[Part]:
    """Return the generalizations that lose least."""
    head = Sentence(
        f"{len(report.nodes):,} of {report.lattice:,} generalizations keep the promise;"
        f" {report.judged:,} were counted."
    )
    if not report.nodes:
        return [head, Sentence(report.advice or "")]
    rows = [
        [
            ", ".join(f"{name}={node.levels[name]}" for name in report.quasi_identifiers),
            ", ".join(f"{name} {rows:,}" for name, rows in node.suppressed.items() if rows),
            percent(node.loss),
        ]
        for node in report.nodes[:_SHOWN]
    ]
    return [head, Figures(["levels", "suppressed", "loss"], rows)]


def verify(report: RelationalVerifyReport) -> list[Part]:
    """Return the result of verification."""
    promise = (
        f": of {report.people:,} people in {report.of}, at least {report.fewest_people:,} match"
        f" whoever knows of one of them {known(report.known_rows, len(report.rows) > 1)}"
        f" (k={report.k})."
    )
    rows = ", ".join(f"{name} {count:,}" for name, count in report.rows.items())
    return [
        Sentence(promise, "Verified", "good"),
        *sentences.not_covered(*report.not_covered.values()),
        *sentences.promises(report.promises),
        Sentence(f"Keys and references hold. Rows: {rows}."),
        *sentences.files(report.files),
        *_against_source(report.against_source or {}),
        *([] if report.not_told is None else [Sentence(report.not_told)]),
        *findings("warning", "warn", report.warnings),
    ]


def _against_source(tables: Mapping[str, TableAgainstSource]) -> list[Sentence]:
    if not tables:
        return []
    left = ", ".join(f"{name} {source.left_over:,}" for name, source in tables.items())
    compared = (
        "Against the source: the released rows of every table, by themselves, with the rows that"
        " they refer to, and people with all that belongs to them, are the source's at the released"
        " levels, each another row; public tables are the source's. Rows of it that are not"
        f" released: {left}."
    )
    differing = [
        f"Not compared, as engines write it differently: {name}.{', '.join(source.not_compared)}"
        for name, source in tables.items()
        if source.not_compared
    ]
    return [Sentence(text) for text in (compared, *differing)]
