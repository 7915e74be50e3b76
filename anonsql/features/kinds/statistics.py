"""Policies of statistics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from anonsql.engines.base import ReleaseTables
from anonsql.errors import PolicyError
from anonsql.features.kinds.base import Kind, Origin, Page, PageOptions, guard, known_tables
from anonsql.features.tabulate import command, noise
from anonsql.features.tabulate.document import StatisticsReport, StatisticsVerifyReport
from anonsql.jobs import pipeline
from anonsql.jobs.job import Job
from anonsql.jobs.statistics import pipeline as stages
from anonsql.jobs.statistics.publishing import prove_published
from anonsql.jobs.statistics.state import tabulation_of
from anonsql.policy import refusals
from anonsql.policy.locations import Location
from anonsql.policy.policies import remembers
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.policy.statistics_tables import CountOf
from anonsql.policy.table_plan import TablePlan
from anonsql.system.clock import Progress
from anonsql.verification.facts import facts_of


class StatisticsKind(Kind[StatisticsPolicy]):
    """Policies of statistics."""

    refusals = refusals.STATISTICS
    exports = True

    def report(
        self, job: Job, status: Literal["published", "tried"] = "published"
    ) -> StatisticsReport:
        return command.report(job, status)

    def proved(self, job: Job, published: ReleaseTables) -> set[str | None]:
        return {facts_of(prove_published(job, published)).get("release")}

    def read(self, job: Job, published: ReleaseTables, text: str) -> StatisticsReport:
        return StatisticsReport.model_validate_json(text)

    def check(self, job: Job) -> None:
        """Make the checks of a job of statistics before it counts cells."""
        try:
            pipeline.go_through(job, stages.CHECK)
            if not job.problems:
                pipeline.go_through(job, stages.PLAN)
        except PolicyError as error:
            job.problems = [*error.problems]
        else:
            guard(job)

    def sizes(self, job: Job, *, sound: bool, ready: bool) -> Mapping[str, Any]:
        """Return the number of rows or, if only noise may reveal it, the plan of the noise."""
        tabulation, sized = tabulation_of(job), {"publishes": "tabulate"}
        if tabulation.noised is not None:
            return {**sized, "noise": noise.document(tabulation) if ready else None}
        return {**sized, "records": job.counted.rows if ready else None}

    def check_follows(self, policy: StatisticsPolicy) -> bool:
        """Return whether the policy is of releases over time, or has a secret in the catalog."""
        return remembers(policy)

    def verify(
        self, policy: StatisticsPolicy, *, against_source: bool, progress: Progress
    ) -> StatisticsVerifyReport:
        return command.verify(policy, against_source=against_source, progress=progress)

    def queried(
        self, policy: StatisticsPolicy, named: Sequence[str]
    ) -> list[tuple[str, TablePlan | None]]:
        """Return the published tables; they have no rows."""
        schema = policy.release.db_schema
        known = known_tables(named, list(policy.tables))
        return [(name if schema is None else f"{schema}.{name}", None) for name in known]

    def origins(self, policy: StatisticsPolicy) -> list[Origin]:
        columns = {name: name for name in policy.statistics.by}
        columns |= {name: measure.sum for name, measure in policy.sums.items()}
        columns |= {
            name: measure.count
            for name, measure in policy.measures.items()
            if isinstance(measure, CountOf)
        }
        return [Origin(name, policy.source, columns) for name in policy.tables]

    def page(self, policy: StatisticsPolicy, options: PageOptions) -> Page:
        from anonsql.features.report import statistics as pages

        return pages.page_of_policy(policy, options)

    def page_of_release(
        self, location: Location, names: Sequence[str], options: PageOptions
    ) -> Page:
        from anonsql.features.report import statistics as pages

        return pages.page_of_release(location, names, options)
