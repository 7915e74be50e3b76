"""Policies of several tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from anonsql.engines.base import ReleaseTables
from anonsql.errors import PolicyError
from anonsql.features.kinds.base import Kind, guard
from anonsql.features.run import several_tables_report
from anonsql.features.run.several_tables_document import RelationalReport, RelationalVerifyReport
from anonsql.jobs import pipeline
from anonsql.jobs.job import Job
from anonsql.jobs.relational import pipeline as of_tables
from anonsql.jobs.relational import scheme, tables
from anonsql.jobs.relational.publishing import prove_published
from anonsql.jobs.relational.state import tables_of
from anonsql.jobs.scheme import Scheme
from anonsql.policy.relational import RelationalPolicy
from anonsql.system.clock import Progress
from anonsql.verification.facts import facts_of


class SeveralTables(Kind):
    """Policies of several tables."""

    def report(
        self, job: Job, status: Literal["published", "tried"] = "published"
    ) -> RelationalReport:
        """See :meth:`Kind.report`."""
        return several_tables_report.report(job, status)

    def proved(self, job: Job, published: ReleaseTables) -> set[str | None]:
        """See :meth:`Kind.proved`."""
        proved = prove_published(job, published)
        return {facts_of(table).get("release") for table in proved.tables.values()}

    def read(self, job: Job, published: ReleaseTables, text: str) -> RelationalReport:
        """See :meth:`Kind.read`."""
        return RelationalReport.model_validate_json(text)

    def check(self, job: Job) -> None:
        """See :meth:`Kind.check`."""
        try:
            pipeline.go_through(job, of_tables.CHECK)
            tables.count_people(job)
            tables.note_text(job)
            tables.warn_of_linked_values(job)
        except PolicyError as error:
            job.problems = [*error.problems]
        else:
            guard(job)

    def sizes(self, job: Job, *, sound: bool, ready: bool) -> Mapping[str, Any]:
        """Return how many people there are, and in which table."""
        several = tables_of(job)
        return {"of": several.people and several.policy.privacy.of, "records": several.people}

    def verify(
        self, policy: RelationalPolicy, *, against_source: bool, progress: Progress
    ) -> RelationalVerifyReport:
        """See :meth:`Kind.verify`."""
        from anonsql.features.verify import several_tables

        return several_tables.verify(policy, against_source=against_source, progress=progress)

    def scheme(self, job: Job, named: str) -> Scheme:
        """See :meth:`Kind.scheme`."""
        return scheme.of_job(job, named)
