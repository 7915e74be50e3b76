"""What the owner's page of a release tells, gathered from the release, its policy, its catalog and
its source. What is not there is named, never guessed."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from importlib import metadata
from itertools import accumulate
from math import comb
from pathlib import Path
from typing import Any

from anonsql.errors import AnonsqlError, PolicyError, TimeLimitError
from anonsql.features.attack.command import attack
from anonsql.features.attack.document import AttackReport
from anonsql.features.measure import comparing, left_out
from anonsql.features.measure.comparing import MeasuredRelease
from anonsql.features.report import distributions, promises, workloads
from anonsql.features.report.page_document import (
    ClassSizes,
    CodeBookColumn,
    ColumnOfSource,
    Distribution,
    EarlierRun,
    Missing,
    OwnerPage,
    Run,
    Usefulness,
)
from anonsql.features.report.released import (
    ReleasedTable,
    checks,
    class_sizes,
    code_book,
    named_from,
)
from anonsql.features.risk import command as risk
from anonsql.features.risk.command import RiskSettings
from anonsql.features.risk.document import RiskReport
from anonsql.features.run import document_of_job
from anonsql.features.run.document import Report
from anonsql.features.runs import command as runs
from anonsql.features.runs.document import RunLine, StatementLine
from anonsql.features.search.solution_document import SolutionSpace
from anonsql.features.verify.command import verify_table
from anonsql.features.verify.document import Check
from anonsql.jobs import examples, pipeline
from anonsql.jobs.catalog import Catalog
from anonsql.jobs.sessions import looking
from anonsql.jobs.workspace import private_memory
from anonsql.policy.locations import Location, Places
from anonsql.policy.policy import Policy
from anonsql.presentation import policy_text
from anonsql.presentation.documents import LeftOutValue, Place
from anonsql.privacy.risk import REACHED
from anonsql.system.clock import Progress
from anonsql.system.journal import Journal
from anonsql.verification.facts import facts_of, promised
from anonsql.version import __version__

MOST_HISTORY = 50
_SPECIAL = 3
"""Columns by which rows of the source are looked at for being unique, at most."""
_LOOKED_AT = 20_000_000
"""Sets of columns times rows that are looked at for that."""


@dataclass
class _Shown:
    about: Mapping[str, str]
    levels: Mapping[str, int]
    book: list[CodeBookColumn]
    sizes: list[ClassSizes]
    checks: list[Check]
    examples: Mapping[str, str]
    exposed: Mapping[str, RiskReport]


@dataclass
class _Compared:
    """The release beside its source."""

    distributions: dict[str, Distribution] = field(default_factory=dict)
    usefulness: Usefulness | None = None
    left_out: list[LeftOutValue] = field(default_factory=list)
    exposed: Mapping[str, RiskReport] = field(default_factory=dict)


@dataclass
class _Recorded:
    """What the catalog has recorded: the report of the published release, its run, and the
    history."""

    report: Report | None = None
    run: Run | None = None
    history: list[EarlierRun] = field(default_factory=list)
    published: int = 0


def gather(
    policy: Policy, progress: Progress, *, attacked: bool = False, show_values: bool
) -> OwnerPage:
    """Return what the page tells; the release is ``attacked`` for it where that is asked for. Raise
    PolicyError when there is no release, VerificationError when it does not keep its promise."""
    places = Places.of(policy)
    missing: list[Missing] = []
    verified = verify_table(policy, progress=progress)
    shown = _shown(policy, places, progress, missing)
    recorded = _recorded(policy, places, shown, missing)
    compared = _compared(policy, progress, missing, show_values=show_values)
    made_by = shown.about.get("anonsql")
    roles = {name: column.role for name, column in policy.columns.items()}
    left_open = promises.left_open(roles, promised(policy))
    stated = promises.stated(shown.about)
    series = {
        name: entry
        for name, entry in stated.items()
        if name == promises.OVER_TIME or name.startswith(REACHED)
    }
    versions = {"anonsql, this page": __version__, "anonsql, the release": made_by or "not stated"}
    return OwnerPage(
        table=policy.release.name,
        release=str(places.release),
        source=_source(policy, places.source),
        made=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        policy_name=None if policy._file is None else policy._file.name,
        method=policy.method.type,
        verified=verified,
        report=recorded.report and document_of_job.shown(recorded.report, policy, shown.examples),
        promises=promises.of(
            policy.privacy.k,
            policy.method.type,
            promised(policy) | series,
            policy.combinations,
        ),
        combinations=len(policy.combinations),
        tables=[
            *([] if places.release.is_single else [f"{policy.release.name}__about"]),
            *([] if places.release.is_single else [f"{policy.release.name}__columns"]),
            *(f"{policy.release.name}__{part}" for part in policy.release_parts),
        ],
        does_not=promises.does_not(policy.method.type, left_open, policy.identity, shown.about),
        left_open=left_open,
        class_sizes=shown.sizes,
        named_from=named_from(policy.privacy.k),
        exposed={**compared.exposed, **shown.exposed},
        attacked=_attacked(policy, progress, missing) if attacked else None,
        columns=_columns(policy, shown.book, compared),
        usefulness=compared.usefulness,
        left_out=compared.left_out,
        run=recorded.run,
        history=recorded.history,
        published=recorded.published,
        policy=policy_text.shown(policy),
        versions=versions | _versions(places.source),
        checks=shown.checks,
        missing=missing,
    )


def _source(policy: Policy, location: Location) -> str:
    if policy.source.query is not None:
        return f"a query of {location}"
    return ", table ".join(filter(None, (str(location), policy.source.table)))


def _shown(policy: Policy, places: Places, progress: Progress, missing: list[Missing]) -> _Shown:
    """Read the release by itself; note what cannot be counted of it."""
    progress("release", 0, 0)
    with (
        looking(policy, "report", at=places.release, progress=progress, reading=True) as job,
        job.target.published() as tables,
    ):
        released = ReleasedTable.of(tables, policy.release.name)
        exposed = dict[str, RiskReport]()
        if policy.method.equal_rows_are_classes:
            exposed, short = _exposed(
                "the release", partial(risk.of_release, job, tables), RiskSettings()
            )
            missing += short
        quasi = policy.quasi_identifiers
        return _Shown(
            released.about,
            {
                column.name: column.level
                for column in released.described
                if column.level is not None and column.name in quasi
            },
            code_book(released),
            class_sizes(released),
            checks(released, places.release),
            examples.of_release(tables, policy),
            exposed,
        )


def _compared(
    policy: Policy, progress: Progress, missing: list[Missing], *, show_values: bool
) -> _Compared:
    """Compare the release with its source; note what cannot be compared."""
    progress("compare", 0, 0)
    compared = _Compared()
    try:
        with (
            looking(
                policy, "report", progress=progress, show_values=show_values, reading=True
            ) as job,
            job.target.published() as release,
        ):
            pipeline.go_through(job, pipeline.DIMENSIONS)
            if job.problems:
                raise PolicyError(job.problems)
            compared.exposed, short = _exposed(
                "the original table",
                partial(risk.of_source, job),
                RiskSettings(source=True, special=_special(policy, job.counted.rows)),
            )
            missing += short
            compared.left_out = left_out.of_release(job, release)
            made = MeasuredRelease(job, release, facts_of(release), None)
            sizes = comparing.domains(made)
            comparing.understand(made)
            compared.distributions = distributions.of_columns(made, named_from(policy.privacy.k))
            if made.apart:
                missing.append(
                    Missing(
                        what="The distributions of columns that are kept as they are",
                        why="Source and release lie in different databases, and values do not"
                        " travel between them for a page.",
                    )
                )
            compared.usefulness = workloads.useful(made, sizes, progress)
    except TimeLimitError:
        raise
    except AnonsqlError as error:
        missing.append(
            Missing(
                what="What was lost: the comparison of the release with its source",
                why=f"The source could not be compared. {error}",
            )
        )
    return compared


def _exposed(
    of: str, report: Callable[[RiskSettings], RiskReport], settings: RiskSettings
) -> tuple[dict[str, RiskReport], list[Missing]]:
    """Return the risks of rows ``of`` a table, by its name; or that they could not be counted."""
    try:
        return {of: report(settings)}, []
    except TimeLimitError:
        raise
    except AnonsqlError as error:
        why = f"They could not be counted. {error}"
        return {}, [Missing(what=f"The risks of rows of {of}", why=why)]


def _special(policy: Policy, rows: int) -> int:
    """Return by how many columns at most rows of the source are looked at for being unique."""
    columns = len(policy.quasi_identifiers)
    sets = accumulate(comb(columns, size) for size in range(1, _SPECIAL + 1))
    return sum(count * rows <= _LOOKED_AT for count in sets)


def _attacked(policy: Policy, progress: Progress, missing: list[Missing]) -> AttackReport | None:
    """Attack the release; note where that cannot be done."""
    try:
        return attack(policy, progress=progress)
    except TimeLimitError:
        raise
    except AnonsqlError as error:
        missing.append(Missing(what="What attacks find", why=f"They could not be made. {error}"))
        return None


def solution_space(
    policy: Policy, levels: Mapping[str, int] | None, progress: Progress, missing: list[Missing]
) -> SolutionSpace | None:
    """Return every generalization of the source by which of them satisfy, where the method chooses
    a level for each column; ``levels`` are the published ones, where they are known."""
    if not policy.method.decides_levels:
        return None
    from anonsql.features.search import solution_space as spaces

    progress("search", 0, 0)
    try:
        with looking(policy, "report", progress=progress) as job:
            pipeline.go_through(job, pipeline.SEARCH)
            return spaces.of_job(job, chosen=levels)
    except TimeLimitError:
        raise
    except AnonsqlError as error:
        why = f"The source could not be searched. {error}"
        missing.append(Missing(what="The solution space", why=why))
        return None


def _recorded(policy: Policy, places: Places, shown: _Shown, missing: list[Missing]) -> _Recorded:
    """Read the catalog; note what it does not have."""
    what = "How the release was made: its run, its statements and the history"
    try:
        path = runs.catalog_of(policy)
        if not path.exists():
            raise PolicyError.at("catalog", f"there is no file {path}.")
        with private_memory(), Catalog.open(path, Journal(), made=True) as catalog:
            rows = catalog.runs()
            made = [(runs.line(row), _report(row[-1])) for row in rows]
            own = [
                (line, report)
                for line, report in made
                if report is not None and _lies_at(report.release, policy, places.release)
            ]
            history = [_earlier(line, report) for line, report in own[:MOST_HISTORY]][::-1]
            pair = next((row for row in own if row[0].status == "done"), None)
            if pair is None or not _is_of(pair[1], catalog.release_id(pair[0].run), shown):
                missing.append(
                    Missing(
                        what=what,
                        why=f"No run in the catalog {path} made this release.",
                    )
                )
                return _Recorded(history=history, published=len(own))
            statements = [
                StatementLine(**dict(zip(StatementLine.model_fields, row, strict=True)))
                for row in catalog.statements(pair[0].run)
            ]
    except AnonsqlError as error:
        missing.append(Missing(what=what, why=f"The catalog could not be read. {error}"))
        return _Recorded()
    return _Recorded(pair[1], Run(run=pair[0], statements=statements), history, len(own))


def _report(text: str | None) -> Report | None:
    """Return a report of the catalog; None where there is none, or one of another version."""
    try:
        return None if text is None else Report.model_validate_json(text)
    except ValueError:
        return None


def _lies_at(location: Place, policy: Policy, release: Location) -> bool:
    """Return whether a recorded release lay where the policy's lies; a folder may have been moved
    with its release and catalog since."""
    if location.table != policy.release.name:
        return False
    moved = release.is_file and Path(location.database).name == release.path.name
    return moved or location.database == str(release)


def _is_of(report: Report, release_id: str | None, shown: _Shown) -> bool:
    """Return whether a report is the published release's. A release whose number the
    catalog does not know is told by what it states: two that agree in all of it are not told
    apart."""
    about = shown.about
    if release_id is not None and about.get("release") != release_id:
        return False
    stated = {"method": report.method, "k": str(report.k), "rows": str(report.released)}
    stated["masked"] = str(report.masked)
    if report.sampled is None:  # else how many rows were left out is not told
        stated["suppressed"] = str(report.suppressed)
    if "classes" in about:  # not of several combinations, each of which has its own
        stated |= {"classes": str(report.classes), "min_class": str(report.min_class)}
    return (
        all(about.get(name) == value for name, value in stated.items())
        and (report.levels or {}) == shown.levels
    )


def _earlier(line: RunLine, report: Report) -> EarlierRun:
    held_back = report.over_time.held_back if report.over_time is not None else 0
    return EarlierRun(
        run=line.run,
        started=line.started,
        seconds=line.seconds,
        records=report.records,
        suppressed=(report.suppressed + held_back) / max(report.records, 1),
        min_class=report.min_class,
        loss=report.metrics.get("loss"),
    )


def _columns(
    policy: Policy, book: Sequence[CodeBookColumn], compared: _Compared
) -> list[ColumnOfSource]:
    released = {column.column: column for column in book}
    lost = compared.usefulness.lost if compared.usefulness else {}
    column_of_sources = []
    for name, settings in policy.columns.items():
        own = released.get(name)
        removed = "removed" if settings.role == "identifying" else "not in the release"
        column_of_sources.append(
            ColumnOfSource(
                column=name,
                role=settings.role,
                level=own.level if own else None,
                looks_like=(own.looks_like or "") if own else removed,
                lost=lost.get(name),
                released=own,
                distribution=compared.distributions.get(name),
            )
        )
    return column_of_sources


def _versions(source: Location) -> dict[str, Any]:
    """Return the versions of what does the work, and the engine of the source."""
    versions = {"engine of the source": source.database.title}
    for name in ("duckdb", "sqlglot"):
        versions[name] = metadata.version(name)
    return versions | {"Python": platform.python_version()}
