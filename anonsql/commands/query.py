"""``anonsql query``: answer a query from a release, and say what the answer assumes."""

from __future__ import annotations

import time

from anonsql.engines.base import Context
from anonsql.jobs.workspace import private_memory, scratch
from anonsql.policy.policy import EngineSettings
from anonsql.query import hints, opening
from anonsql.query.answers import Answer, answers
from anonsql.query.opened import Opened, rows_of
from anonsql.query.parse import Parsed, parse
from anonsql.report.answers import line, relocates
from anonsql.report.documents import Place
from anonsql.report.usefulness_documents import QueryReport
from anonsql.system.journal import Journal
from anonsql.verification.facts import missing_rows


def query(release: object, sql: str) -> QueryReport:
    """Answer a query: see :func:`anonsql.api.query`."""
    started, journal, parsed = time.perf_counter(), Journal(), parse(sql)
    place, policy = opening.given(release)
    with private_memory(), scratch() as folder:
        settings = policy.engine if policy is not None else EngineSettings()
        context = Context(folder, settings, journal, purpose="anonsql query", reading=True)
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


def _notes(release: Opened, parsed: Parsed, answered: list[Answer], with_policy: bool) -> list[str]:
    """Return notes on what the answers assume, and on what would make them better."""
    notes = _of_values(release, parsed, answered, with_policy)
    if missing := missing_rows(release.about):
        notes.append(
            f"Estimates and bounds are about the {rows_of(release):,} released rows; of the"
            f" {missing:,} rows that were left out nothing is known."
        )
    if release.unlisted and parsed.groups:
        notes.append(
            f"Rows of which {', '.join(sorted(release.unlisted))} may be anything may be of other"
            " groups besides."
        )
    if parsed.groups and not answered:
        notes.append("No row satisfies the condition: there is no group.")
    if relocates(release) and parsed.groups:
        notes.append("Rows whose values were changed may be of other groups besides.")
    return notes + hints.of(release, parsed)


def _of_values(
    release: Opened, parsed: Parsed, answered: list[Answer], with_policy: bool
) -> list[str]:
    """Return notes on the numbers of the answers."""
    notes, function = [], {each.selected.function for each in answered}
    if any(each.possible == 0 and not each.selected.counts for each in answered):
        notes.append(
            "No released row satisfies the condition: a sum, mean or any value of none is NULL."
        )
    elif any(each.certain == 0 and each.selected.function == "SUM" for each in answered):
        notes.append(
            "Perhaps no row satisfies the condition: SQL's sum is NULL then; the bounds take it"
            " for 0."
        )
    if relocates(release) and function - {"COUNT", "DISTINCT"}:
        notes.append(
            "Some released values are not those of their rows: the bounds of sums, means and values"
            " are those of the released values."
        )
    if any(each.infinite for each in answered):
        notes.append("Values that may be NaN or infinite leave a sum or mean without a number.")
    if any(
        each.estimate is None
        and each.selected.function in ("COUNT", "SUM", "AVG")
        and each.possible > 0
        and not each.infinite
        for each in answered
    ):
        remedy = (
            ""
            if with_policy or release.with_hierarchies
            else " Named by its policy, the release is read with the policy's hierarchies."
        )
        notes.append(f"Labels that stand for values of unknown number leave no estimate.{remedy}")
    if guessed := sorted({each.held.name for each in release.facets.values() if each.guessed}):
        notes.append(
            f"Where {', '.join(guessed)} may be anything, estimates take it for what other rows"
            " have."
        )
    if any(
        None in (each.lower, each.upper) and each.possible > 0 and not each.infinite
        for each in answered
    ):
        notes.append("Values without an end leave no bound.")
    sets = sorted(
        {
            each.held.name
            for each in release.facets.values()
            if each.held.looks.startswith("{one, another}") and each.held.tree is None
        }
    )
    if sets and not with_policy:
        notes.append(
            f"The elements of sets in {', '.join(sets)} are taken for values, as they are where"
            " min_level is not set."
        )
    return notes
