"""Whether a release of several tables is what a run would make: ``anonsql run --if-changed``."""

from __future__ import annotations

from anonsql.errors import PolicyError, SqlError, VerificationError
from anonsql.features.run.several_tables_document import RelationalReport
from anonsql.jobs.job import Job
from anonsql.jobs.relational import publishing
from anonsql.policy.relational import RelationalPolicy
from anonsql.verification.facts import facts_of
from anonsql.verification.relational import alone


def report(job: Job, policy: RelationalPolicy) -> RelationalReport | None:
    """Return the report of the published release, when it was made from the present tables,
    hierarchies and policy, all its tables are of that run, and they still pass verification."""
    made_from, text = job.catalog.last_release(str(job.places.release), policy.whole.release.name)
    before, _, release_id = (made_from or "").rpartition(" ")
    now = job.fingerprint.text if job.fingerprint else None
    if not before or before != now or text is None:
        return None
    try:
        with job.target.published() as published:
            tables = publishing.released_tables(job, policy, published)
            views = {
                name: publishing.view_of(policy, name, table) for name, table in tables.items()
            }
            alone.from_release_alone(tables, policy, views)
            if any(facts_of(table).get("release") != release_id for table in tables.values()):
                return None  # another policy's release, or one restored from a backup
    except (PolicyError, SqlError, VerificationError):
        return None
    found = RelationalReport.model_validate_json(text)
    return found.model_copy(update={"status": "unchanged", "seconds": job.seconds})
