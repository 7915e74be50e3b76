"""What ``verify`` says of its document."""

from __future__ import annotations

from collections.abc import Mapping

from anonsql.features.verify.document import (
    AgainstSource,
    RelationalVerifyReport,
    TableAgainstSource,
    VerifyReport,
)
from anonsql.policy.promise_text import known
from anonsql.presentation import sentences
from anonsql.presentation.numbers import percent
from anonsql.presentation.tree import Part, Section, Sentence
from anonsql.system.numbers import counted


def describe(report: VerifyReport) -> list[Part]:
    """Return the result of verification."""
    alone = report.against_source is None or report.against_source.alone
    smallest = counted(report.min_class, "row")
    if report.min_people is not None:
        stated = " as the release states" if "min_people" in report.as_told else ""
        smallest += f" and {counted(report.min_people, 'person', 'people')}{stated}"
    units = f"classes, the smallest of {smallest}" if alone else "combinations of values"
    found = (
        f": {report.released - report.masked:,} rows in {report.classes:,} {units} (k={report.k})"
        f"{sentences.masked_rows(report.masked)}."
    )
    risks = sentences.risks(report.risk, people=report.min_people is not None)
    warned = sentences.warned(report.warnings, report.not_covered, kept=report.risk.kept)
    return [
        Sentence(found, "Verified", "good"),
        *sentences.identity(report.identity),
        *sentences.promises(report.promises if alone else {}, limits=report.limits),
        *sentences.files(report.files),
        *map(Sentence, _compared(report)),
        *warned,
        Section("", [*risks, *sentences.kept_columns(report.risk.kept)], on="verbose"),
        sentences.others(warned, "risks and kept columns"),
    ]


def _compared(report: VerifyReport) -> list[str]:
    said = []
    if report.against_source:
        said = _against_source(report.against_source)
    elif report.missing:
        rows = counted(report.missing, "row of the source is", "rows of the source are")
        said = [
            f"{rows} left out or masked: the release alone does not show which ones (`anonsql"
            " measure` counts them by the source)."
        ]
    if report.on_trust:
        said.append(f"Relies on the run: {'; '.join(report.on_trust)}.")
    if report.as_told:
        said.append(f"Not recomputed, taken from the run's record: {', '.join(report.as_told)}.")
    return said


def _against_source(against_source: AgainstSource) -> list[str]:
    """Return the findings against the source: possible owners of rows, the changes, or whether rows
    can be a sample."""
    said = []
    if (sample := against_source.sample) is not None:
        said.append(
            f"Against the source: {sample.released_classes:,} of its {sample.classes:,} classes"
            " are released, none with more rows than in the source, and with as many as a random"
            f" sample has ({sample.kept:,} of {sample.rows:,} rows, where {sample.least:,} to"
            f" {sample.most:,} are expected except with probability 1e-9)."
        )
    if against_source.changed_cells is not None:
        said += _changed(against_source)
    if against_source.buckets:
        said.append(_apart_from_source(against_source))
    if against_source.least_original is None or against_source.least_released is None:
        return said
    least = min(against_source.least_original, against_source.least_released)
    said += [
        f"Against the source: every released row matches at least {least:,} source rows, and every"
        f" source row that matches one matches at least {least:,} released rows"
        f" ({against_source.matches:,} pairs of rows). Rows can be assigned so that no row is"
        f" identified with a probability above {percent(against_source.highest_probability or 0)}.",
        "With their kept values, the released rows match different rows of the source."
        if against_source.with_kept_values
        else "Not compared with the source: kept values, or some of them.",
    ]
    if against_source.least_people is not None:
        people = (against_source.least_people, against_source.most_people)
        said += _people(*people, linked=bool(against_source.people_linked))
    return said


def _people(least: int, most: int | None, *, linked: bool) -> list[str]:
    fewest = f"Against the source: the class with the fewest people has {least:,}"
    if most is None:
        said = [
            f"Against the source: every released row may come from any of at least {least:,}"
            " people, and rows can be assigned so that each is a given person's with a"
            " probability of at most 1/k."
        ]
    elif least == most:
        said = [f"{fewest}."]
    else:
        said = [
            (
                f"{fewest} to {most:,}: it is not known which of the matching rows are released in"
                " this class."
            )
        ]
    if linked:
        said.append(
            "Every person who can be distinguished in the release is a person of the source, with"
            " all rows."
        )
    return said


def _apart_from_source(against_source: AgainstSource) -> str:
    columns = [
        name for name, bucket in against_source.buckets.items() if bucket.buckets is not None
    ]
    totals = (
        f"the values in buckets ({', '.join(columns)}) come from cells that are sensitive in the"
        " source"
    )
    own = (
        "every released row can match a source row of its own, with its kept values and some of"
        " its buckets' values"
    )
    if against_source.with_kept_values:
        each = "for each column separately, the rows of each bucket can have its values"
        return f"Against the source: {own}; {totals}; and {each}."
    return f"Against the source: {totals}. Not decided, because it takes too long: whether {own}."


def _changed(against_source: AgainstSource) -> list[str]:
    said = [
        "Against the source: all sensitive and insensitive values agree with the source. At"
        f" least {against_source.changed_cells:,} quasi-identifying cells, of"
        f" {against_source.changed_rows:,} rows, do not; {against_source.max_changed_cells:,} are"
        " allowed."
    ]
    if against_source.chi_squared is not None:
        said.append(
            "A chi-squared test finds no difference in the sizes of groups before and after:"
            f" {against_source.chi_squared:,.4g}, at most {against_source.critical:,.4g}."
        )
    return said


def of_tables(report: RelationalVerifyReport) -> list[Part]:
    """Return the result of verification."""
    promise = (
        f": an attacker who knows {known(report.known_rows, len(report.rows) > 1)} finds at least"
        f" {report.fewest_people:,} of {report.people:,} people in {report.of} that match"
        f" (k={report.k})."
    )
    rows = ", ".join(f"{name} {count:,}" for name, count in report.rows.items())
    warned = sentences.warned(report.warnings, *report.not_covered.values())
    return [
        Sentence(promise, "Verified", "good"),
        *sentences.promises(report.promises),
        Sentence(f"Keys and references hold. Rows: {rows}."),
        *sentences.files(report.files),
        *_tables_against_source(report.against_source or {}),
        *([] if report.not_told is None else [Sentence(report.not_told)]),
        *warned,
        *([sentences.others(warned)] if len(warned) > 1 else []),
    ]


def _tables_against_source(tables: Mapping[str, TableAgainstSource]) -> list[Sentence]:
    if not tables:
        return []
    left = ", ".join(f"{name} {source.left_over:,}" for name, source in tables.items())
    compared = (
        "Against the source: released rows match rows of the source one to one at the released"
        " levels, in every table alone, with the rows that they refer to, and for people with all"
        f" their rows; public tables are unchanged. Source rows that are not released: {left}."
    )
    differing = [
        (
            "Not compared, because engines write the values differently:"
            f" {name}.{', '.join(source.not_compared)}"
        )
        for name, source in tables.items()
        if source.not_compared
    ]
    return [Sentence(text) for text in (compared, *differing)]
