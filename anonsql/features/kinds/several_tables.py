"""Policies of several tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from anonsql.engines.base import ReleaseTables
from anonsql.errors import PolicyError
from anonsql.features.kinds.base import (
    Kind,
    Origin,
    Page,
    PageOptions,
    SearchOptions,
    guard,
    known_tables,
)
from anonsql.features.run import several_tables
from anonsql.features.run.document import RelationalReport
from anonsql.jobs import pipeline
from anonsql.jobs.job import Job
from anonsql.jobs.relational import deciding, tables
from anonsql.jobs.relational import pipeline as of_tables
from anonsql.jobs.relational.publishing import prove_published
from anonsql.jobs.relational.state import tables_of
from anonsql.jobs.scheme import Scheme
from anonsql.policy import refusals
from anonsql.policy.envelope import EngineSettings
from anonsql.policy.locations import Location
from anonsql.policy.relational import RelationalPolicy
from anonsql.policy.table_plan import TablePlan
from anonsql.sql.dialects import Dialect
from anonsql.system.clock import Progress
from anonsql.verification.facts import facts_of

if TYPE_CHECKING:
    from anonsql.features.measure.document import MeasureReport, RelationalMeasureReport
    from anonsql.features.search.document import RelationalSearchReport
    from anonsql.features.verify.document import RelationalVerifyReport
    from anonsql.verification.plain_sql import StatedCheck


class SeveralTables(Kind[RelationalPolicy]):
    """Policies of several tables."""

    refusals = refusals.SEVERAL_TABLES

    def report(
        self, job: Job, status: Literal["published", "tried"] = "published"
    ) -> RelationalReport:
        return several_tables.report(job, status)

    def proved(self, job: Job, published: ReleaseTables) -> set[str | None]:
        proved = prove_published(job, published)
        return {facts_of(table).get("release") for table in proved.tables.values()}

    def read(self, job: Job, published: ReleaseTables, text: str) -> RelationalReport:
        return RelationalReport.model_validate_json(text)

    def check(self, job: Job) -> None:
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
        from anonsql.features.verify import several_tables as verifying

        return verifying.verify(policy, against_source=against_source, progress=progress)

    def statements(self, job: Job, published: ReleaseTables, dialect: Dialect) -> list[StatedCheck]:
        from anonsql.features.verify import several_tables as verifying

        return verifying.statements(job, published, dialect)

    def scheme(self, job: Job, named: str) -> Scheme:
        return deciding.of_job(job, named)

    def search(self, policy: RelationalPolicy, options: SearchOptions) -> RelationalSearchReport:
        from anonsql.features.search import several_tables as searching

        for option, value in (("--explain", options.explain), ("--html", options.html)):
            if value:
                self.require(f"search {option}")
        return searching.search(policy, options)

    def measure(
        self, policy: RelationalPolicy, of_table: Callable[[TablePlan], MeasureReport]
    ) -> RelationalMeasureReport:
        """Measure each table that has quasi-identifying values."""
        from anonsql.features.measure.comparing import NothingToAskError
        from anonsql.features.measure.document import RelationalMeasureReport

        by_name: dict[str, MeasureReport] = {}
        for name in policy.personal:
            plan = policy.plan(name)
            if not plan.quasi_identifiers:
                continue
            try:
                by_name[name] = of_table(plan)
            except NothingToAskError:
                continue  # as of a table without quasi-identifying columns
            except PolicyError as error:
                raise PolicyError(
                    [tables.at_table(f"tables.{name}", problem) for problem in error.problems]
                ) from None
        if not by_name:
            text = "no quasi-identifying column has a value, so there is nothing to query."
            raise PolicyError.at("tables", text)
        return RelationalMeasureReport(of=policy.privacy.of, tables=by_name)

    def queried(
        self, policy: RelationalPolicy, named: Sequence[str]
    ) -> list[tuple[str, TablePlan | None]]:
        plans = {policy.released_name(name): policy.plan(name) for name in policy.released}
        own = [plans[name] for name in known_tables(named, list(plans))]
        return [(plan.release.table or "", plan) for plan in own]

    def origins(self, policy: RelationalPolicy) -> list[Origin]:
        return [
            Origin(plan.release.name, plan.source, {name: name for name in plan.columns})
            for plan in policy.planned.values()
        ]

    def page(self, policy: RelationalPolicy, options: PageOptions) -> Page:
        from anonsql.features.report import several_tables as pages

        return pages.page_of_policy(policy, options)

    def page_of_release(
        self, location: Location, names: Sequence[str], options: PageOptions
    ) -> Page:
        from anonsql.features.report import several_tables as pages

        return pages.page_of_release(location, names, EngineSettings())
