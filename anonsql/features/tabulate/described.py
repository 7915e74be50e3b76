"""What ``tabulate`` and ``verify`` say of published statistics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from anonsql.features.run import unchanged
from anonsql.features.tabulate import noise
from anonsql.features.tabulate.document import (
    MeasureCells,
    StatisticsReport,
    StatisticsVerifyReport,
)
from anonsql.presentation import sentences
from anonsql.presentation.numbers import Number, percent
from anonsql.presentation.tree import Figures, Part, Section, Sentence
from anonsql.system.numbers import counted

_TABLES = 3
"""Tables that a terminal names."""


def run(report: StatisticsReport) -> Sequence[Part]:
    """Return the verdict, what each table lost, and the most important warning; for experts the
    changes to the cells of every measure too."""
    if report.status == "unchanged":
        return unchanged.described()
    tried = report.status == "tried"
    verdict = sentences.done(tried, report.promise)
    if report.noise is not None:
        spent = "would be spent by then" if tried else "spent so far"
        cells = (
            f"{report.cells:,} cells; {spent}: {report.spent or ''}; what other catalogs spent is"
            " unknown."
        )
    else:
        of_people = "" if report.people == report.records else f" of {report.people:,} people"
        rounding = f", {report.rounding}" if report.rounding else ""
        cells = (
            f"{report.cells:,} cells from {report.records:,} rows{of_people}; protected by"
            f" {report.protected_by}{rounding}."
        )
    found = [*sentences.warned(report.warnings), *_labels(report)]
    warned = [*found[:1], *(replace(sentence, on="verbose") for sentence in found[1:])]
    notes = map(Sentence, _notes(report))
    said = f"{_lost_most(report)}. {sentences.others(warned, 'all measures').text}"
    return [
        verdict,
        Sentence(cells),
        Sentence(said, on="terminal"),
        *warned,
        Section("", [*lost(report), *notes], on="verbose"),
        *([] if tried else [sentences.released_to(report.release)]),
    ]


def _lost_most(report: StatisticsReport) -> str:
    hidden, said = report.protected_by == "suppression", list[tuple[float, str]]()
    for entry in report.tables:
        of = max(entry.measures, key=lambda of: (of.hidden_share or 0, _mean_error(of) or 0))
        share = "" if of.hidden_share is None else f" ({percent(of.hidden_share)} of {of.measure})"
        cells = f"{of.hidden:,} of {of.cells:,} cells of {entry.table}{share}"
        error = f"{_mean_error(of) or 0:,.4g} of {of.measure} in {entry.table}"
        lost = of.hidden_share if hidden else _mean_error(of)
        said.append((lost or 0, cells if hidden else error))
    said.sort(key=lambda of: -of[0])
    more = f"; {len(said) - _TABLES} more tables" if len(said) > _TABLES else ""
    shown = "; ".join(text for _, text in said[:_TABLES])
    return f"{'Hidden' if hidden else 'Mean error'}: {shown}{more}"


def _mean_error(measure: MeasureCells) -> float | None:
    return measure.mean_change if measure.expected_error is None else measure.expected_error


def lost(report: StatisticsReport) -> list[Part]:
    """Return the changes to the cells of every table and measure."""
    if report.noise is not None:
        return noise.described(report.noise)
    changes = report.protected_by != "suppression"
    rows = [
        [
            *(entry.table, measure.measure, measure.cells),
            _change(measure.mean_change) if changes else measure.primary,
            *(measure.hidden, Number(f"{measure.hidden_totals:,} of {measure.totals:,}")),
            "" if measure.hidden_share is None else percent(measure.hidden_share),
        ]
        for entry in report.tables
        for measure in entry.measures
    ]
    first = "mean change" if changes else "primary"
    headings = ["table", "measure", "cells", first, "hidden", "totals hidden", "of the amount"]
    says = (
        "Mean change: the mean absolute difference between shown values and the source's."
        if changes
        else "Primary cells break a rule. Other cells are hidden because primary cells could be"
        " computed from them. The last column is the hidden share of the finest cells."
    )
    return [Figures(headings, rows), Sentence(says)]


def _change(mean: float | None) -> Number:
    return Number("" if mean is None else f"{mean:,.4g}")


def _notes(report: StatisticsReport) -> list[str]:
    notes = []
    if empty := sum(entry.empty for entry in report.tables):
        cells = counted(empty, "primary cell is", "primary cells are")
        notes.append(f"{cells} empty, and hidden like cells with few people.")
    if report.several:
        notes.append(
            "Some people are in several cells. Each cell counts them once, so totals of people"
            " are less than the sums of their parts."
        )
    return notes


def _labels(report: StatisticsReport) -> list[Sentence]:
    said = []
    for label in report.costly_labels:
        value = "NULL" if label.label is None else repr(label.label)
        named = f"{label.dimension} = {value}" if label.named else f"a label of {label.dimension}"
        cost = (
            f"{label.fewer:,} of {label.hidden:,} hidden cells are hidden because of it"
            if label.fewer is not None
            else f"{label.own_hidden:,} of {label.hidden:,} hidden cells have it"
        )
        said.append(f"{named} ({counted(label.people, 'person', 'people')}): {cost}")
    if not said:
        return []
    unnamed = any(not label.named for label in report.costly_labels)
    remedy = (
        "Merge it with another label, begin at a coarser level, or choose rounding or cell keys."
        f"{' `--show-values` names it.' if unnamed else ''}"
    )
    return [Sentence(f": {'; '.join(said)}. {remedy}", "warning", "warn")]


def verify(report: StatisticsVerifyReport) -> list[Part]:
    """Return the result of verification."""
    how = "" if report.against_source else " by the release alone, which promises"
    rows = ", ".join(f"{name} {count:,}" for name, count in report.rows.items())
    return [
        Sentence(f"{how}: {report.promise}.", "Verified", "good"),
        Sentence(f"Cells: {rows}."),
        *sentences.files(report.files),
        *map(Sentence, _noise(report) if report.protected_by == "noise" else [_checked(report)]),
    ]


def _checked(report: StatisticsVerifyReport) -> str:
    rounded = report.protected_by == "rounding" and report.additive
    if report.against_source and rounded:
        return (
            "Against the source: every value is one of the two multiples of its base next to the"
            " source's value, and totals are the sums of their parts."
        )
    if report.against_source and report.protected_by != "suppression":
        return (
            "Against the source: every value is the one that the secret in the catalog gives for"
            " the source's value, recomputed outside the database."
        )
    if report.against_source:
        return (
            "Against the source: every published value agrees with the source, and every primary"
            " cell is hidden. For each the audit found other tables that agree with everything"
            " published, in which its value differs from the true one as much as the rules"
            " require."
        )
    more = "recomputes the changed values, which no release can show"
    if report.protected_by == "suppression":
        more = "compares values with the source's, and audits whether hidden ones can be recovered"
    elif rounded:
        more = (
            "checks that values are multiples next to the source's values, which no release"
            " can show"
        )
    return (
        "By the release alone: cells are published or hidden, tables agree about common cells,"
        f" and no count is too small. `--against-source` {more}."
    )


def _noise(report: StatisticsVerifyReport) -> list[str]:
    said = [
        "By the release alone: public domains are complete, totals stated as sums of their parts"
        " are such sums, tables agree, and budget and plan are the policy's. That the noise was"
        " drawn as stated relies on the run: no release can prove it."
    ]
    cells = "Against the source: the cells are those of its hierarchies"
    if report.against_source and report.values_compared:
        said.append(
            f"{cells}, and no value differs from the source by more than the noise can (except in"
            " one of 10^9 releases)."
        )
    elif report.against_source:
        said.append(
            f"{cells}. Values were not compared: a person has more rows than are counted, and it"
            " is not known which were drawn."
        )
    return said
