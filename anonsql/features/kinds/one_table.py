"""Policies of one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from anonsql.engines.base import ReleaseTables
from anonsql.errors import PolicyError
from anonsql.features.kinds.base import Kind, Page, PageOptions, SearchOptions, guard
from anonsql.features.run import document_of_job
from anonsql.features.run.document import Report
from anonsql.features.verify.command import verify_table
from anonsql.features.verify.document import VerifyReport
from anonsql.jobs import examples, over_time, pipeline, scheme, warnings
from anonsql.jobs.catalog import Catalog
from anonsql.jobs.decisions import table_of
from anonsql.jobs.job import Job
from anonsql.methods import registry
from anonsql.policy.envelope import EngineSettings
from anonsql.policy.locations import JobLocations, Location
from anonsql.policy.policy import Policy
from anonsql.policy.table_plan import TablePlan
from anonsql.sql.dialects import Dialect
from anonsql.system.clock import Progress
from anonsql.verification import plain_sql
from anonsql.verification.facts import facts_of
from anonsql.verification.release_only import prove

if TYPE_CHECKING:
    from anonsql.features.kinds.base import AnyReport
    from anonsql.features.measure.document import MeasureReport
    from anonsql.features.search.document import SearchReport


class OneTable(Kind[Policy]):
    """Policies of one table."""

    def report(self, job: Job, status: Literal["published", "tried"] = "published") -> Report:
        return document_of_job.report(job, status)

    def proved(self, job: Job, published: ReleaseTables) -> set[str | None]:
        prove(published, job.policy)
        return {facts_of(published).get("release")}

    def read(self, job: Job, published: ReleaseTables, text: str) -> Report:
        """Return the document with examples, which the catalog does not keep."""
        by_name = examples.examples_of(published, job.policy)
        return document_of_job.shown(Report.model_validate_json(text), job.policy, by_name)

    def recorded(self, report: AnyReport) -> AnyReport:
        """Return the document without examples, values, and the source's query."""
        return document_of_job.recorded(report) if isinstance(report, Report) else report

    def check(self, job: Job) -> None:
        pipeline.go_through(job, pipeline.CHECK)
        if unmet := warnings.unmet_promises(job):
            job.problems += unmet
        elif job.counted.attributes and not job.problems:
            job.problems += registry.of(job.policy.method).unmet(table_of(job))
        if job.policy.privacy.over_time is not None:
            job.problems += over_time.problems(job)
        earlier = Catalog.look_into(job.places.catalog, job.context.journal)
        warnings.note(job, job.opened, earlier)
        guard(job)

    def sizes(self, job: Job, *, sound: bool, ready: bool) -> Mapping[str, Any]:
        """Return the rows, and how large the search is where every column has a hierarchy."""
        counted, sized = job.counted, dict[str, int | None]()
        if sound and len(counted.attributes) == len(job.policy.quasi_identifiers):
            sized["combinations"] = counted.combinations
            sized["lattice"] = warnings.generalizations(job.policy, counted.attributes)
        return {"records": job.records, **sized}

    def verify(self, policy: Policy, *, against_source: bool, progress: Progress) -> VerifyReport:
        return verify_table(policy, against_source=against_source, progress=progress)

    def statements(
        self, job: Job, published: ReleaseTables, dialect: Dialect
    ) -> list[plain_sql.StatedCheck]:
        at = job.places.release
        named = plain_sql.named_in(at, job.policy.release.name, dialect)
        return plain_sql.checks(published, named, dialect, job.policy, single=at.is_single)

    def require_scheme(self, policy: Policy) -> None:
        """Raise PolicyError where the policy has no levels, or is not of one release."""
        from anonsql.features.apply.command import require_one_scheme

        require_one_scheme(policy, "apply")

    def scheme(self, job: Job, named: str) -> scheme.Scheme:
        if named.isascii() and named.isdigit():
            return scheme.of_run(job.catalog, int(named))
        return scheme.of_release(job.engine, job.places, job.policy, named, job.context)

    def search(self, policy: Policy, options: SearchOptions) -> SearchReport:
        from anonsql.features.search import command

        return command.search_table(policy, options)

    def measure(
        self, policy: Policy, of_table: Callable[[TablePlan], MeasureReport]
    ) -> MeasureReport:
        return of_table(policy)

    def queried(self, policy: Policy, named: Sequence[str]) -> list[tuple[str, TablePlan | None]]:
        """Return the tables under the names that the query has for them."""
        return [(name, policy) for name in named]

    def page(self, policy: Policy, options: PageOptions) -> Page:
        from anonsql.features.report import owner, recipient

        if options.audience == "owner":
            return owner.page_of_policy(policy, options)
        location = JobLocations.of(policy).release
        if location.is_file and not location.path.exists():
            text = f"{location} does not exist."
            raise PolicyError.at("release", text, "`anonsql run` (or `tabulate`) makes it.")
        return recipient.page_of_release(location, policy.release.name, policy.engine)

    def page_of_release(
        self, location: Location, names: Sequence[str], options: PageOptions
    ) -> Page:
        from anonsql.features.report import recipient
        from anonsql.query import opening

        table = opening.only_table(location, names)
        return recipient.page_of_release(location, table, EngineSettings())
