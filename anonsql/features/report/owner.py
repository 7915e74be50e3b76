"""What the owner's page says, from the release, its policy, catalog and source."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from importlib import metadata
from itertools import accumulate
from math import comb
from typing import Any

from anonsql.errors import PolicyError
from anonsql.features.attack.command import attack
from anonsql.features.attack.document import AttackReport
from anonsql.features.measure import comparing, left_out
from anonsql.features.measure.comparing import MeasuredRelease
from anonsql.features.report import distributions, made, promises, workloads
from anonsql.features.report.page_document import (
    ClassSizes,
    CodeBookColumn,
    ColumnOfSource,
    Distribution,
    Missing,
    OwnerPage,
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
from anonsql.features.search.solution_document import SolutionSpace
from anonsql.features.verify.command import verify_table
from anonsql.features.verify.document import Check
from anonsql.jobs import examples, pipeline
from anonsql.jobs.sessions import read_only_job
from anonsql.policy.locations import JobLocations, Location
from anonsql.policy.policy import Policy
from anonsql.presentation import policy_text
from anonsql.presentation.documents import LeftOutValue
from anonsql.privacy.risk import REACHED
from anonsql.system.clock import Progress
from anonsql.verification.facts import facts_of, promised
from anonsql.version import __version__

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
    distributions: dict[str, Distribution] = field(default_factory=dict)
    usefulness: Usefulness | None = None
    left_out: list[LeftOutValue] = field(default_factory=list)
    exposed: Mapping[str, RiskReport] = field(default_factory=dict)


def gather(
    policy: Policy, progress: Progress, *, attacked: bool = False, show_values: bool
) -> OwnerPage:
    """Return what the page says. Raise PolicyError when there is no release, VerificationError when
    it does not keep its promise."""
    places = JobLocations.of(policy)
    missing: list[Missing] = []
    verified = verify_table(policy, progress=progress)
    shown = _shown(policy, places, progress, missing)
    recorded = made.recorded(policy, places, shown.about, shown.levels, missing)
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
        policy_name=None if policy.origin.file is None else policy.origin.file.name,
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


def _shown(
    policy: Policy, places: JobLocations, progress: Progress, missing: list[Missing]
) -> _Shown:
    progress("release", 0, 0)
    with (
        read_only_job(policy, "report", at=places.release, progress=progress, reading=True) as job,
        job.target.published() as tables,
    ):
        released = ReleasedTable.of(tables, policy.release.name)
        exposed = dict[str, RiskReport]()
        if policy.method.equal_rows_are_classes:
            exposed = _exposed(
                "the release", partial(risk.of_release, job, tables), RiskSettings(), missing
            )
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
    progress("compare", 0, 0)
    compared = _Compared()
    what = "What was lost: the comparison of the release with its source"
    with (
        made.noting(missing, what, "The source could not be compared."),
        read_only_job(
            policy, "report", progress=progress, show_values=show_values, reading=True
        ) as job,
        job.target.published() as release,
    ):
        pipeline.go_through(job, pipeline.DIMENSIONS)
        if job.problems:
            raise PolicyError(job.problems)
        settings = RiskSettings(source=True, special=_special(policy, job.counted.rows))
        compared.exposed = _exposed(
            "the original table", partial(risk.of_source, job), settings, missing
        )
        compared.left_out = left_out.of_release(job, release)
        measured = MeasuredRelease(job, release, facts_of(release), None)
        sizes = comparing.domains(measured)
        comparing.understand(measured)
        k = named_from(policy.privacy.k)
        compared.distributions = distributions.of_columns(measured, k)
        if measured.apart:
            missing.append(
                Missing(
                    what="The distributions of columns that are kept as they are",
                    why="Source and release lie in different databases, and values do not"
                    " travel between them for a page.",
                )
            )
        compared.usefulness = workloads.useful(measured, sizes, progress)
    return compared


def _exposed(
    of: str,
    report: Callable[[RiskSettings], RiskReport],
    settings: RiskSettings,
    missing: list[Missing],
) -> dict[str, RiskReport]:
    with made.noting(missing, f"The risks of rows of {of}", "They could not be counted."):
        return {of: report(settings)}
    return {}


def _special(policy: Policy, rows: int) -> int:
    """Return how many columns at most are tested together for unique rows of the source."""
    columns = len(policy.quasi_identifiers)
    sets = accumulate(comb(columns, size) for size in range(1, _SPECIAL + 1))
    return sum(count * rows <= _LOOKED_AT for count in sets)


def _attacked(policy: Policy, progress: Progress, missing: list[Missing]) -> AttackReport | None:
    with made.noting(missing, "What attacks find", "They could not be made."):
        return attack(policy, progress=progress)
    return None


def solution_space(
    policy: Policy, levels: Mapping[str, int] | None, progress: Progress, missing: list[Missing]
) -> SolutionSpace | None:
    """Return every generalization of the source, where the method chooses levels; ``levels`` are
    the published ones."""
    if not policy.method.decides_levels:
        return None
    from anonsql.features.search import solution_space as spaces

    progress("search", 0, 0)
    with (
        made.noting(missing, "The solution space", "The source could not be searched."),
        read_only_job(policy, "report", progress=progress) as job,
    ):
        pipeline.go_through(job, pipeline.SEARCH)
        return spaces.of_job(job, chosen=levels)
    return None


def _columns(
    policy: Policy, book: Sequence[CodeBookColumn], compared: _Compared
) -> list[ColumnOfSource]:
    released = {column.column: column for column in book}
    lost = compared.usefulness.lost if compared.usefulness else {}
    columns = []
    for name, settings in policy.columns.items():
        own = released.get(name)
        removed = "removed" if settings.role == "identifying" else "not in the release"
        columns.append(
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
    return columns


def _versions(source: Location) -> dict[str, Any]:
    versions = {name: metadata.version(name) for name in ("duckdb", "sqlglot")}
    python = {"Python": platform.python_version()}
    return {"engine of the source": source.database.title} | versions | python
