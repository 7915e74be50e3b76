"""``anonsql verify`` of published statistics."""

from __future__ import annotations

from anonsql.errors import BusyError, SqlError, VerificationError
from anonsql.features.tabulate.document import StatisticsVerifyReport
from anonsql.jobs import pipeline, published_files
from anonsql.jobs.catalog import Catalog
from anonsql.jobs.job import Job
from anonsql.jobs.sessions import read_only_job
from anonsql.jobs.statistics import pipeline as of_statistics
from anonsql.jobs.statistics.opening import fingerprint_source
from anonsql.jobs.statistics.publishing import prove_against_source, recall_before
from anonsql.jobs.statistics.state import table_of, tabulation_of
from anonsql.policy.locations import JobLocations
from anonsql.policy.policies import remembers
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.presentation.documents import Place
from anonsql.system.clock import Progress
from anonsql.verification.facts import facts_of
from anonsql.verification.statistics import release_only

_SINCE = "If the source has changed since, publish again with `anonsql tabulate`."
_CHANGED = "the source has changed since these tables were made from it"


def verify(
    policy: StatisticsPolicy, *, against_source: bool, progress: Progress
) -> StatisticsVerifyReport:
    """Verify published statistics: see :func:`anonsql.api.verify`."""
    places = JobLocations.of(policy)
    at = places.source if against_source else places.release
    with (
        read_only_job(
            policy,
            "verify",
            at=at,
            progress=progress,
            reading=True,
            following=against_source and remembers(policy),
        ) as job,
        published_files.opened(job) as published,
    ):
        parts = tabulation_of(job).parts
        tables = {name: table_of(published, of_table) for name, of_table in parts.items()}
        found = release_only.verify(tables, policy)
        same = True
        first = facts_of(next(iter(tables.values())))
        additive = first.get("additive") == "True"
        compared_files = published_files.compared(job, first.get("release", ""))
        if against_source:
            pipeline.go_through(job, of_statistics.DIMENSIONS)
            rows = {name: table.rows for name, table in tables.items()}
            recall_before(job, first.get("release", ""))
            try:
                same = prove_against_source(
                    job, tables, rows, additive=additive, reader=published.engine
                )
            except VerificationError as error:
                changed = [_CHANGED] if _source_changed(job, places) else []
                raise VerificationError([*changed, *error.offences], _SINCE) from None
    return StatisticsVerifyReport(
        status="verified",
        promise=str(policy.facts["promise"]),
        protected_by=policy.protect.by,
        rows=found.rows,
        hidden=found.hidden,
        against_source=against_source,
        values_compared=against_source and same,
        additive=additive,
        files=compared_files,
        release=Place(database=str(places.release), table=policy.first.release.name),
    )


def _source_changed(job: Job, places: JobLocations) -> bool:
    try:
        with Catalog.reading(places.catalog, job.context.journal) as catalog:
            table = job.first.release.name
            made = catalog and catalog.last_release(str(places.release), table)[0]
    except (BusyError, SqlError):
        return False
    pipeline.go_through(job, (fingerprint_source,))
    of_source = (made or "").split(" ")[0]  # the rest is of the policy
    now = job.fingerprint.text if job.fingerprint is not None else ""
    return bool(of_source) and of_source != now.split(" ")[0]
