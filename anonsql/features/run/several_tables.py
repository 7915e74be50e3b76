"""The commands for policies of several tables: ``run``, ``search`` and ``check``."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from typing import Literal

from anonsql.engines import open_stage
from anonsql.errors import AnonsqlError, InvariantError, PolicyError, Problem
from anonsql.features.check.document import CheckReport
from anonsql.features.run import several_tables_unchanged as unchanged
from anonsql.features.run import unchanged as untouched
from anonsql.features.run.several_tables_document import (
    RelationalNode,
    RelationalReport,
    RelationalSearchReport,
    RelationalTable,
)
from anonsql.jobs import series
from anonsql.jobs.job import Job, Progress
from anonsql.jobs.publishing import guard_release
from anonsql.jobs.relational import checking, deciding, publishing
from anonsql.jobs.relational.deciding import Decided
from anonsql.jobs.relational.tables import OpenTable, fingerprint, open_tables, require_engine
from anonsql.jobs.sessions import looking, running
from anonsql.jobs.timing import timed
from anonsql.policy import given as policies
from anonsql.policy.given import AnyGiven
from anonsql.policy.locations import Places
from anonsql.policy.relational import RelationalPolicy
from anonsql.presentation.documents import Place, ReleasedAs, finding
from anonsql.relational import search as searching
from anonsql.relational.tables import PersonalTable
from anonsql.star.lattice import Levels
from anonsql.system.journal import log
from anonsql.system.numbers import rounded
from anonsql.verification.relational.alone import Known


def run(
    policy: RelationalPolicy,
    *,
    if_changed: bool,
    dry_run: bool,
    progress: Progress,
    show_values: bool,
) -> RelationalReport:
    """Release all tables together: see :func:`anonsql.api.run`."""
    _require_room(policy)
    whole = policy.whole
    if dry_run:
        with looking(
            whole, "run --dry-run", target=open_stage, progress=progress, show_values=show_values
        ) as job:
            series.require_ended(job)
            opened = open_tables(job, policy)
            return _report(job, policy, *_proved(job, policy, opened), status="tried")
    with running(whole, "run", progress, show_values) as job:
        with timed(job, "guard_release"):
            guard_release(job)
        opened = open_tables(job, policy)
        with timed(job, "fingerprint_tables"):
            job.fingerprint = fingerprint(job, policy, opened)
        if if_changed and (earlier := unchanged.report(job, policy)):
            job.status = "unchanged"
            untouched.record(job.catalog, policy, job.engine.files())
            return earlier
        decided, known = _proved(job, policy, opened)
        publishing.publish(job, policy, decided)
        report = _report(job, policy, decided, known)
        try:
            made_from = f"{job.fingerprint.text if job.fingerprint else ''} {job.release_id}"
            job.catalog.record_report(job.run, report.model_dump_json(), made_from)
        except AnonsqlError as error:
            log.warning("the report of run %d could not be recorded: %s", job.run, error)
        untouched.record(job.catalog, policy, job.engine.files())
        return report


def _proved(
    job: Job, policy: RelationalPolicy, opened: Mapping[str, OpenTable]
) -> tuple[Decided, Known]:
    """Decide, stage and prove a release of open tables."""
    checked = checking.check(job, policy, opened)
    with timed(job, "look_at_text"):
        if held := checking.look_at_text(job, policy, checked):
            raise PolicyError(held)
        checking.warn_of_narrowing(job, checked)
    decided = deciding.decide(job, policy, checked)
    targets = publishing.stage(job, policy, decided)
    return decided, publishing.prove(job, policy, decided, targets)


def search(
    policy: RelationalPolicy, *, progress: Progress, show_values: bool
) -> RelationalSearchReport:
    """Find all generalizations of the tables that keep the promise; publish nothing."""
    started = time.perf_counter()
    require_engine(Places.of(policy.whole).source)
    with looking(policy.whole, "search", progress=progress, show_values=show_values) as job:
        judge = deciding.lay_out(job, policy, checking.open_and_check(job, policy))
        with timed(job, "search"):
            found = searching.every(judge, job.progress)
        tables = {column.number: column.name for column in judge.coded.tables}
        nodes = [
            RelationalNode(
                levels=_levels(judge.coded.tables, node.levels),
                height=sum(node.levels.values()),
                suppressed={tables[n]: rows for n, rows in node.outcome.suppressed.items()},
                released={tables[n]: rows for n, rows in node.outcome.left.items()},
                loss=rounded(node.loss),
            )
            for node in found
        ]
        return RelationalSearchReport(
            quasi_identifiers=[
                f"{table.name}.{attribute.name}"
                for table in judge.coded.tables
                for attribute in table.attributes
            ],
            lattice=searching.lattice_of(judge.coded).size,
            judged=judge.judged,
            statements=job.context.journal.count(),
            seconds=round(time.perf_counter() - started, 4),
            nodes=nodes,
            advice=None if nodes else deciding.remedy(policy, judge),
        )


def check(given: AnyGiven, progress: Progress, show_values: bool) -> CheckReport:
    """Report what is wrong with the policy, its hierarchies and its tables; change nothing."""
    of, people, problems, warnings = None, None, list[Problem](), list[Problem]()
    try:
        policy = policies.of(given)
        if not isinstance(policy, RelationalPolicy):
            raise InvariantError("a policy of one table is checked as one of several")
        _require_room(policy)
        if wrong := Places.of(policy.whole).problems():
            raise PolicyError(wrong)
        with looking(policy.whole, "check", progress=progress, show_values=show_values) as job:
            try:
                opened = checking.open_and_check(job, policy)
                of = policy.privacy.of
                people = job.engine.query("sql/rows", table=opened[of].relation)[0][0]
                problems += checking.too_few_people(policy, people)
                problems += checking.look_at_text(job, policy, opened)
                checking.warn_of_narrowing(job, opened)
                guard_release(job)
            finally:
                warnings = job.warnings
    except PolicyError as error:
        problems += error.problems
    unmet = bool(problems) and all(problem.unmet for problem in problems)
    return CheckReport(
        status="problems" if problems else "ok",
        exit_code=1 if unmet else 2 if problems else 0,
        problems=[finding(problem) for problem in dict.fromkeys(problems)],
        warnings=[finding(warning) for warning in warnings],
        records=people,
        of=of,
        combinations=None,
        lattice=None,
    )


def require_plain(**options: object) -> None:
    """Raise PolicyError for options that are for policies of one table."""
    for name, given in options.items():
        if given:
            option = f"--{name.rstrip('_').replace('_', '-')}"
            raise PolicyError.at(option, "it is for policies of one table.", "Leave it out.")


def _require_room(policy: RelationalPolicy) -> None:
    """Raise PolicyError for a release in one file that holds one table, and for a source that
    several tables are not released from, before it is connected to."""
    require_engine(Places.of(policy.whole).source)
    if policy.whole.release.is_single_file:
        found = "a Parquet or CSV file holds one table, and this policy has several."
        raise PolicyError.at(
            "release.file", found, "Name a folder (without a suffix), or a database."
        )
    odd = [name for name in policy.released if re.search(r"[/\\\0]|^\.", name)]
    if policy.release.file is not None and odd:
        found = f"{odd[0]!r} is no name of a file."
        raise PolicyError.at("release.file", found, "Rename it in a view, or name a database.")


def _levels(tables: Sequence[PersonalTable], levels: Levels) -> dict[str, int]:
    """Return levels by `table.column`."""
    return {
        f"{table.name}.{attribute.name}": levels[attribute.index]
        for table in tables
        for attribute in table.attributes
    }


def _report(
    job: Job,
    policy: RelationalPolicy,
    decided: Decided,
    known: Known,
    *,
    status: Literal["published", "tried"] = "published",
) -> RelationalReport:
    """Return the report of a run."""
    return RelationalReport(
        status=status,
        method=policy.method.type,
        k=policy.privacy.k,
        of=policy.privacy.of,
        known_rows=policy.privacy.known_rows,
        people=decided.coded.rows[1],
        released_people=known.people,
        fewest_people=known.fewest,
        known_things=known.things,
        promises=policy.model_facts,
        tables=[_table(policy, decided, known, name) for name in policy.released],
        levels=_levels(decided.coded.tables, decided.node.levels),
        loss=rounded(decided.node.loss),
        lattice=decided.lattice,
        judged=decided.judged,
        verified=True,
        not_covered=dict(known.not_covered),
        seconds=job.seconds,
        statements=job.context.journal.count(),
        release=Place(database=str(job.places.release), table=policy.whole.release.name),
        release_id=job.release_id,
        warnings=[finding(warning) for warning in job.warnings],
    )


def _table(policy: RelationalPolicy, decided: Decided, known: Known, name: str) -> RelationalTable:
    """Return what became of one table."""
    settings, table = policy.tables[name], decided.opened[name]
    numbered = {table.name: table for table in decided.coded.tables}
    alone, with_others, beyond = 0, 0, 0
    rows = known.rows[name]
    if name in numbered:
        alone, with_others = decided.removed(numbered[name])
        beyond = decided.coded.beyond[numbered[name].number]
    return RelationalTable(
        table=name,
        kind="public" if settings.public else "people" if name == policy.privacy.of else "rows",
        refers_to=None
        if settings.public or name == policy.privacy.of
        else policy.to_people(name)[1],
        rows=rows + alone + with_others + beyond,
        released=rows,
        suppressed=alone,
        with_others=with_others,
        beyond_max_rows=beyond,
        columns=[
            ReleasedAs(column=column, role=role, level=level, looks_like=looks)
            for column, role, level, looks in publishing.described(policy, decided, table)
        ],
    )
