"""``anonsql query``: a query answered from a release, with what the answer takes for granted."""

from __future__ import annotations

import time
from dataclasses import replace

from anonsql.answering import opening
from anonsql.answering.answers import Answer, Opened, answers, rows_of
from anonsql.answering.parse import Parsed, parse
from anonsql.engines.base import Context
from anonsql.journal import Journal
from anonsql.metrics import rounded
from anonsql.policy import EngineSettings
from anonsql.report.documents import Place
from anonsql.report.usefulness_documents import AnswerLine, QueryReport
from anonsql.verification.facts import missing_rows, told_count
from anonsql.workspace import private_memory, scratch

_RELOCATES = "hybrid"
"""The method some of whose released values are not those of their rows."""


def query(release: object, sql: str) -> QueryReport:
    """See :func:`anonsql.answering.query`."""
    started, journal, parsed = time.perf_counter(), Journal(), parse(sql)
    place, policy = opening.given(release)
    with private_memory(), scratch() as folder:
        settings = policy.engine if policy is not None else EngineSettings()
        context = Context(folder, settings, journal, purpose="anonsql query")
        with opening.opened(place, policy, parsed.table, context) as found:
            (answered,) = answers(found, [parsed])
            lines = [line(found, each) for each in answered]
            return QueryReport(
                query=sql,
                method=found.about.get("method", "unknown"),
                released=rows_of(found),
                suppressed=missing_rows(found.about),
                answers=lines,
                notes=_notes(found, parsed, answered, policy is not None),
                statements=journal.count(),
                seconds=round(time.perf_counter() - started, 4),
                release=Place(database=str(place), table=parsed.table),
            )


def line(release: Opened, answer: Answer) -> AnswerLine:
    """An answer as the document tells it: the bounds of a COUNT are about all rows of the source, those left out and those that were
    told elsewhere by relocation, too."""
    missing, counts = missing_rows(release.about), answer.selected.function == "COUNT"
    lower, upper = answer.lower, answer.upper
    if counts and lower is not None and upper is not None and not answer.every:
        moved = _relocated(release)
        lower, upper = max(lower - moved, 0), min(upper + moved, rows_of(release))
    upper = upper + missing if counts and upper is not None else upper
    if answer.every:
        answer, lower = replace(answer, estimate=upper), upper
    return AnswerLine(
        aggregate=answer.selected.title,
        estimate=_shown(answer.estimate),
        lower=_shown(lower),
        upper=_shown(upper),
        bounds="guaranteed" if counts or not _relocates(release) else "estimated",
        about="all rows" if counts or not missing else "released rows",
        certain=answer.certain,
        possible=answer.possible,
        expected_lower=_shown(answer.expected_lower),
        expected_upper=_shown(answer.expected_upper),
    )


def _relocates(release: Opened) -> bool:
    return release.about.get("method") == _RELOCATES


def _relocated(release: Opened) -> int:
    """How many rows may be told elsewhere by the columns that the questions are about; all where that is not told."""
    if not _relocates(release):
        return 0
    cells = [
        told_count(release.about, f"relocated_cells.{name}")
        for name in {name for name, _ in release.facets}
    ]
    told = [told_count(release.about, "relocated_rows"), sum(max(count, 0) for count in cells)]
    return min(told) if told[0] >= 0 else rows_of(release)


def _shown(value: float | None) -> float | None:
    return None if value is None else rounded(value)


def _notes(release: Opened, parsed: Parsed, answered: list[Answer], with_policy: bool) -> list[str]:
    """What the answers take for granted, and what would make them better."""
    notes, function = [], {each.selected.function for each in answered}
    if any(each.possible == 0 and each.selected.function != "COUNT" for each in answered):
        notes.append("No released row satisfies the condition: a sum or mean over none is NULL.")
    elif function & {"SUM"} and any(
        each.certain == 0 for each in answered if each.selected.function == "SUM"
    ):
        notes.append(
            "Perhaps no row satisfies the condition: SQL's sum is NULL then; the bounds take it for 0."
        )
    if _relocates(release) and function - {"COUNT"}:
        notes.append(
            "Some released values are not those of their rows: the bounds of sums and means are those of the released values."
        )
    if any(each.infinite for each in answered):
        notes.append("Values that may be NaN or infinite leave a sum or mean without a number.")
    if any(each.estimate is None and each.possible > 0 and not each.infinite for each in answered):
        remedy = (
            ""
            if with_policy
            else " Named by its policy, the release is read with the policy's hierarchies."
        )
        notes.append(f"Labels that stand for values of unknown number leave no estimate.{remedy}")
    if guessed := sorted(each.held.name for each in release.facets.values() if each.guessed):
        notes.append(
            f"Where {', '.join(guessed)} may be anything, estimates take it for what other rows have."
        )
    if any(
        None in (each.lower, each.upper) and each.possible > 0 and not each.infinite
        for each in answered
    ):
        notes.append("Values without an end leave no bound.")
    sets = sorted(
        each.held.name
        for each in release.facets.values()
        if each.held.looks.startswith("{one, another}")
    )
    if sets and not with_policy:
        notes.append(
            f"The elements of sets in {', '.join(sets)} are taken for values, as they are where min_level is not set."
        )
    if parsed.where is not None and missing_rows(release.about):
        notes.append("Estimates are of the released rows.")
    return notes
