"""``anonsql verify`` of several tables: by themselves, and against the source on demand."""

from __future__ import annotations

from collections.abc import Mapping

from anonsql.engines.base import PlainColumn, ReleaseTables
from anonsql.features.verify.document import RelationalVerifyReport, TableAgainstSource
from anonsql.jobs import pipeline, published_files
from anonsql.jobs.job import Job
from anonsql.jobs.relational import pipeline as of_tables
from anonsql.jobs.relational.publishing import Proved, prove_published, released_tables
from anonsql.jobs.relational.state import OpenTable, tables_of
from anonsql.jobs.sessions import read_only_job
from anonsql.policy.locations import JobLocations
from anonsql.policy.relational import RelationalPolicy
from anonsql.policy.table_plan import TablePlan
from anonsql.presentation.documents import Place, finding
from anonsql.risks import linked
from anonsql.sql.dialects import Dialect
from anonsql.system.clock import Progress, silent
from anonsql.verification import plain_sql, plain_sql_tables
from anonsql.verification.facts import facts_of
from anonsql.verification.relational import against_source as several_tables
from anonsql.verification.relational.against_source import JudgedTable


def verify(
    policy: RelationalPolicy, *, against_source: bool = False, progress: Progress = silent
) -> RelationalVerifyReport:
    """Verify the published tables: see :func:`anonsql.api.verify`."""
    places = JobLocations.of(policy)
    progress("verify", 0, 0)
    at = None if against_source else places.release
    with (
        read_only_job(policy, "verify", at=at, progress=progress, reading=True) as job,
        published_files.opened(job) as published,
    ):
        proved = prove_published(job, published)
        known = proved.known
        warnings = linked.of_tables(proved.tables, policy)
        compared = _against_source(job, proved) if against_source else None
        about = facts_of(next(iter(proved.tables.values())))
        compared_files = published_files.compared(job, about.get("release", ""))
    return RelationalVerifyReport(
        status="verified",
        k=policy.privacy.k,
        of=policy.privacy.of,
        known_rows=policy.privacy.known_rows,
        people=known.people,
        fewest_people=known.fewest,
        known_things=known.things,
        promises=policy.model_facts,
        rows=dict(known.rows),
        not_covered=dict(known.not_covered),
        release=Place(database=str(places.release), table=policy.first.release.name),
        files=compared_files,
        against_source=compared,
        not_told=_not_told(policy, compared),
        warnings=[finding(warning) for warning in warnings],
    )


def statements(job: Job, published: ReleaseTables, dialect: Dialect) -> list[plain_sql.StatedCheck]:
    """Return the promises of a release of several tables, with statements that check them."""
    policy, tables = tables_of(job).policy, released_tables(job, published)
    named = {
        policy.released_name(name): plain_sql.named_in(
            job.places.release, policy.plan(name).release.name, dialect
        )
        for name in policy.people_first
    }
    by_name = {policy.released_name(name): tables[name] for name in policy.people_first}
    return plain_sql_tables.checks(by_name, named, dialect)


def _against_source(job: Job, proved: Proved) -> dict[str, TableAgainstSource]:
    """Hold released tables against the job's source. Raise VerificationError where they are not
    made from it, PolicyError where the policy does not fit it."""
    pipeline.go_through(job, of_tables.CHECK)
    policy, opened = tables_of(job).policy, tables_of(job).opened
    public = [name for name in policy.released if policy.tables[name].public]
    judged = [
        _judged(policy, opened[name], proved.tables[name], proved.plans[name])
        for name in (*policy.ordered, *public)
    ]
    by_name = several_tables.against_source(job.engine, judged, job.context.workspace)
    job.engine.require_unchanged()
    return {
        name: TableAgainstSource(
            originals=entry.originals,
            released=entry.released,
            left_over=entry.originals - entry.released,
            not_compared=list(entry.not_compared),
        )
        for name, entry in by_name.items()
    }


def _not_told(
    policy: RelationalPolicy, compared: Mapping[str, TableAgainstSource] | None
) -> str | None:
    """Return one sentence on the limit of the comparison when people lack rows: a person whose rows
    are not all released may have those of another."""
    lacking = [
        f"{name} {source.left_over:,}"
        for name, source in (compared or {}).items()
        if name != policy.privacy.of and source.left_over
    ]
    if not lacking:
        return None
    return (
        f"Some rows of people are not released ({', '.join(lacking)} left out), and it is not"
        " known which ones. So for as many people, verification does not notice if rows were"
        " exchanged with another person with equal released values."
    )


def _judged(
    policy: RelationalPolicy, table: OpenTable, release: ReleaseTables, view: TablePlan
) -> JudgedTable:
    """Return a released table with the facts that are checked against the source."""
    name, settings = table.name, policy.tables[table.name]
    reference, upper = None, None
    if not settings.public and name != policy.privacy.of:
        column, upper = policy.to_people(name)
        reference = PlainColumn(table.column(column))
    key = PlainColumn(table.column(str(settings.key)))
    keys = set() if settings.public else {key.name, reference.name if reference else key.name}
    return JudgedTable(
        name=name,
        release=release,
        view=view,
        source=table.relation,
        attributes=table.attributes,
        released=[column for column in table.released if column.name not in keys],
        key=key,
        reference=reference,
        upper=upper,
        public=settings.public,
        max_rows=settings.max_rows,
    )
