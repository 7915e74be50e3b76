"""The owner's page of a release of one table, from the release, its policy, catalog and source."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from importlib import metadata
from itertools import accumulate
from math import comb
from typing import Any

from anonsql.errors import PolicyError
from anonsql.features.attack.command import attack
from anonsql.features.attack.described import found
from anonsql.features.attack.document import AttackReport
from anonsql.features.kinds.base import Page, PageOptions
from anonsql.features.ledger.described import over_time
from anonsql.features.measure import comparing
from anonsql.features.measure.command import left_out_of
from anonsql.features.measure.comparing import MeasuredRelease
from anonsql.features.measure.described import analysed
from anonsql.features.report import charts, distributions, made, promises
from anonsql.features.report.context import RECORD, context, review, sources, unit_of
from anonsql.features.report.document import (
    ClassSizes,
    CodeBookColumn,
    ColumnOfSource,
    Distribution,
    Missing,
    OwnerPage,
    Usefulness,
)
from anonsql.features.report.promises import facts_in_words, names
from anonsql.features.report.released import (
    ROLES,
    ReleasedTable,
    checks,
    checks_shown,
    class_sizes,
    code_book,
    named_from,
    says,
)
from anonsql.features.risk import command as risk
from anonsql.features.risk import described as risks
from anonsql.features.risk.command import RiskSettings
from anonsql.features.risk.document import RiskReport
from anonsql.features.run import document_of_job
from anonsql.features.run.described import utility, withheld_or_changed
from anonsql.features.verify.command import verify_table
from anonsql.features.verify.document import Check
from anonsql.jobs import examples, pipeline
from anonsql.jobs.sessions import read_only_job
from anonsql.jobs.workspace import private_memory
from anonsql.measures.risk import AT_RISK_SIZE
from anonsql.policy.locations import JobLocations, Location
from anonsql.policy.methods import traits
from anonsql.policy.policy import Policy
from anonsql.presentation import page, policy_text, sentences
from anonsql.presentation.documents import LeftOutValue, Risk, Risks
from anonsql.presentation.promises import OVER_TIME
from anonsql.presentation.tree import Section, findings
from anonsql.privacy.risk import REACHED
from anonsql.system.clock import Progress
from anonsql.verification.facts import facts_of, promised
from anonsql.version import __version__

_SPECIAL = 3
"""Columns by which rows of the source are looked at for being unique, at most."""
_LOOKED_AT = 20_000_000
"""Sets of columns times rows that are looked at for that."""


@dataclass
class _Released:
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


def page_of_policy(policy: Policy, options: PageOptions) -> Page:
    """Return the page. Raise PolicyError when there is no release, VerificationError when it does
    not keep its promise."""
    with private_memory():
        shown = gather(
            policy, options.progress, attacked=options.attack, show_values=options.show_values
        )
        by_levels = policy.method.decides_levels and policy.privacy.differential is None
        return Page(page_of(shown, by_levels=by_levels), "owner", shown)


def gather(
    policy: Policy, progress: Progress, *, attacked: bool = False, show_values: bool
) -> OwnerPage:
    """Return the content of the page. Raise PolicyError when there is no release, VerificationError
    when it does not keep its promise."""
    places = JobLocations.of(policy)
    missing: list[Missing] = []
    verified = verify_table(policy, progress=progress)
    page.bundling()
    released = _released(policy, places, progress, missing)
    report, run = made.recorded(policy, places, released.about, released.levels, missing)
    compared = _compared(policy, progress, missing, show_values=show_values)
    made_by = released.about.get("anonsql")
    roles = {name: column.role for name, column in policy.columns.items()}
    left_open = promises.left_open(roles, promised(policy))
    stated = promises.stated(released.about)
    series = {
        name: entry
        for name, entry in stated.items()
        if name == OVER_TIME or name.startswith(REACHED)
    }
    spent = policy.privacy.differential
    versions = {"anonsql, this page": __version__, "anonsql, the release": made_by or "not stated"}
    return OwnerPage(
        table=policy.release.name,
        release=str(places.release),
        source=_source(policy, places.source),
        made=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        policy_name=None if policy.origin.file is None else policy.origin.file.name,
        method=policy.method.type,
        recipient=policy.release.recipient,
        unit=unit_of(policy.privacy.entity),
        epsilon=spent and f"epsilon {spent.epsilon}, delta {spent.delta}",
        verified=verified,
        report=report and document_of_job.shown(report, policy, released.examples),
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
        does_not=promises.does_not(policy.method.type, left_open, policy.identity, released.about),
        left_open=left_open,
        class_sizes=released.sizes,
        named_from=named_from(policy.privacy.k),
        exposed={**compared.exposed, **released.exposed},
        attacked=_attacked(policy, progress, missing) if attacked else None,
        columns=_columns(policy, released.book, compared),
        usefulness=compared.usefulness,
        left_out=compared.left_out,
        run=run,
        policy=policy_text.shown(policy),
        versions=versions | _versions(places.source),
        checks=released.checks,
        missing=missing,
    )


def _source(policy: Policy, location: Location) -> str:
    if policy.source.query is not None:
        return f"a query of {location}"
    return ", table ".join(filter(None, (str(location), policy.source.table)))


def _released(
    policy: Policy, places: JobLocations, progress: Progress, missing: list[Missing]
) -> _Released:
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
        return _Released(
            released.about,
            {
                column.name: column.level
                for column in released.described
                if column.level is not None and column.name in quasi
            },
            code_book(released),
            class_sizes(released),
            checks(released, places.release),
            examples.examples_of(tables, policy),
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
        compared.left_out = left_out_of(job, release)
        measured = MeasuredRelease(job, release, facts_of(release), None)
        sizes = comparing.domains(measured)
        comparing.understand(measured)
        k = named_from(policy.privacy.k)
        compared.distributions = distributions.of_columns(measured, k)
        if measured.apart:
            missing.append(
                Missing(
                    what="The distributions of columns that are kept unchanged",
                    why="Source and release are in different databases, and values are not copied"
                    " between them for a page.",
                )
            )
        compared.usefulness = distributions.useful(measured, sizes)
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


def page_of(owner_page: OwnerPage, *, by_levels: bool = False) -> str:
    """Return the page (HTML); ``by_levels``: the method chooses a level for each column."""
    settings, report = traits(owner_page.method), owner_page.report
    analyses = owner_page.usefulness.analyses if owner_page.usefulness else None
    title = f"All measures of the run, with their formulas ({RECORD})"
    return page.render(
        "features/report/owner",
        title=f"{owner_page.table}: the release and how it was made",
        told=owner_page,
        context=[context(owner_page.recipient, owner_page.unit, owner_page.epsilon)],
        review=[review(owner_page.recipient)],
        sources=[sources()],
        record=RECORD,
        shown=_parts(owner_page),
        exposed=risks.of_tables(owner_page.exposed),
        attacked=found(owner_page.attacked) if owner_page.attacked else [],
        at_risk_size=AT_RISK_SIZE,
        checks=checks_shown(owner_page.checks),
        names=names,
        in_words=facts_in_words,
        analysed=analysed(analyses) if analyses else [],
        measures=[Section(title, [utility(report)], folded=True)] if report else [],
        instead=withheld_or_changed(report) if report else [],
        left_out=sentences.left_out(owner_page.left_out, owner_page.verified.k),
        over_time=[
            replace(sentence, text=f"{sentence.text} ({RECORD})")
            for sentence in (
                over_time(report.over_time, report.records, report.k) if report else []
            )
        ],
        warnings=findings("Worth a look:", "warn", owner_page.verified.warnings),
        rings=not settings.equal_rows_are_classes,
        classes_are=settings.classes_are,
        by_levels=by_levels,
    )


def _parts(owner_page: OwnerPage) -> dict[str, object]:
    k, report = owner_page.verified.k, owner_page.report
    return {
        "class_sizes": [charts.class_sizes(size, k) for size in owner_page.class_sizes],
        "columns": _column_parts(owner_page),
        "stages": [charts.stages(report.seconds)] if report and report.seconds else [],
        "finding": _finding(owner_page.verified.risk),
    }


def _column_parts(owner_page: OwnerPage) -> list[dict[str, object]]:
    report = owner_page.report
    made = [] if report is None else [report.relocated, report.changed]
    changed = {name: n for one in made if one is not None for name, n in one.columns.items()}
    return [
        {
            "place": position,
            "told": column,
            "says": says(column.released) if column.released else "It is not in the release.",
            "means": ROLES.get(column.role, ""),
            "chart": charts.distribution(column.distribution, position)
            if column.distribution
            else None,
            "changed": changed.get(column.column),
        }
        for position, column in enumerate(owner_page.columns, start=1)
    ]


def _finding(risks: Risks) -> list[tuple[str, Risk]]:
    """Return the risks of a search for one person and for any person; as one where they are
    equal."""
    one, anybody = "Looking for one person", "looking for any person"
    if risks.prosecutor == risks.journalist:
        return [(f"{one} who is in the table, or {anybody}", risks.prosecutor)]
    return [
        (f"{one} who is in the table", risks.prosecutor),
        (f"{anybody.capitalize()}, no matter whom", risks.journalist),
    ]
