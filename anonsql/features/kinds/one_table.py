"""Policies of one table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from anonsql.engines.base import ReleaseTables
from anonsql.features.kinds.base import Kind, guard
from anonsql.features.run import document_of_job
from anonsql.features.run.document import Report
from anonsql.features.verify.command import verify_table
from anonsql.features.verify.document import VerifyReport
from anonsql.jobs import examples, over_time, pipeline, scheme, warnings
from anonsql.jobs import warnings as job_warnings
from anonsql.jobs.catalog import Catalog
from anonsql.jobs.decisions import table_of
from anonsql.jobs.job import Job
from anonsql.methods import registry
from anonsql.policy.policy import Policy
from anonsql.system.clock import Progress
from anonsql.verification.facts import facts_of
from anonsql.verification.release_only import from_release_alone

if TYPE_CHECKING:
    from anonsql.features.kinds.base import AnyReport


class OneTable(Kind):
    """Policies of one table."""

    def report(self, job: Job, status: Literal["published", "tried"] = "published") -> Report:
        """See :meth:`Kind.report`."""
        return document_of_job.report(job, status)

    def proved(self, job: Job, published: ReleaseTables) -> set[str | None]:
        """See :meth:`Kind.proved`."""
        from_release_alone(published, job.policy)
        return {facts_of(published).get("release")}

    def read(self, job: Job, published: ReleaseTables, text: str) -> Report:
        """Return the document with examples, which the catalog does not keep."""
        by_name = examples.of_release(published, job.policy)
        return document_of_job.shown(Report.model_validate_json(text), job.policy, by_name)

    def recorded(self, report: AnyReport) -> AnyReport:
        """Return the document without examples, values, and the source's query."""
        return document_of_job.recorded(report) if isinstance(report, Report) else report

    def check(self, job: Job) -> None:
        """See :meth:`Kind.check`."""
        pipeline.go_through(job, pipeline.CHECK)
        if unmet := warnings.problems(job):
            job.problems += unmet
        elif job.counted.attributes and not job.problems:
            job.problems += registry.of(job.policy.method).unmet(table_of(job))
        if job.policy.privacy.over_time is not None:
            job.problems += over_time.problems(job)
        earlier = Catalog.look_into(job.places.catalog, job.context.journal)
        job_warnings.note(job, job.opened, earlier)
        guard(job)

    def sizes(self, job: Job, *, sound: bool, ready: bool) -> Mapping[str, Any]:
        """Return the rows, and how large the search is where every column has a hierarchy."""
        counted, sized = job.counted, dict[str, int | None]()
        if sound and len(counted.attributes) == len(job.policy.quasi_identifiers):
            sized["combinations"] = counted.combinations
            sized["lattice"] = job_warnings.generalizations(job.policy, counted.attributes)
        return {"records": job.records, **sized}

    def verify(self, policy: Policy, *, against_source: bool, progress: Progress) -> VerifyReport:
        """See :meth:`Kind.verify`."""
        return verify_table(policy, against_source=against_source, progress=progress)

    def scheme(self, job: Job, named: str) -> scheme.Scheme:
        """See :meth:`Kind.scheme`."""
        if named.isascii() and named.isdigit():
            return scheme.of_run(job.catalog, int(named))
        return scheme.of_release(job.engine, job.places, job.policy, named, job.context)
