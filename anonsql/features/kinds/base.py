"""What a kind of policy says to the commands."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeAlias, TypeVar

from anonsql.errors import InvariantError, PolicyError, did_you_mean

if TYPE_CHECKING:
    from anonsql.engines.base import ReleaseTables
    from anonsql.features.measure.document import MeasureReport, RelationalMeasureReport
    from anonsql.features.report.document import (
        OwnerPage,
        RecipientPage,
        RelationalPage,
        StatisticsPage,
    )
    from anonsql.features.report.statistics_exports import Export, Format
    from anonsql.features.run.document import RelationalReport, Report
    from anonsql.features.search.document import RelationalSearchReport, SearchReport
    from anonsql.features.tabulate.document import StatisticsReport, StatisticsVerifyReport
    from anonsql.features.verify.document import RelationalVerifyReport, VerifyReport
    from anonsql.jobs.job import Job
    from anonsql.jobs.scheme import Scheme
    from anonsql.policy.envelope import Envelope
    from anonsql.policy.locations import Location
    from anonsql.policy.refusals import Refusals
    from anonsql.policy.source import Source
    from anonsql.policy.table_plan import TablePlan
    from anonsql.sql.dialects import Dialect
    from anonsql.system.clock import Progress
    from anonsql.verification.plain_sql import StatedCheck

    AnyReport: TypeAlias = Report | RelationalReport | StatisticsReport
    AnyVerifyReport: TypeAlias = VerifyReport | RelationalVerifyReport | StatisticsVerifyReport
    AnyPage: TypeAlias = OwnerPage | RecipientPage | RelationalPage | StatisticsPage

Audience = Literal["owner", "recipient"]
OfKind = TypeVar("OfKind", bound="Envelope")
"""The policies of a kind."""


@dataclass(frozen=True)
class SearchOptions:
    """What `search` is asked for."""

    explain: bool
    html: str | Path | None
    progress: Progress
    show_values: bool


@dataclass(frozen=True)
class PageOptions:
    """The page that `report` writes; ``folders`` are for tables of statistics in other formats, by
    format."""

    audience: Audience
    attack: bool
    folders: Mapping[Format, Path]
    progress: Progress
    show_values: bool


@dataclass(frozen=True)
class Page:
    """A page (HTML) that is not written yet, with its document, which is a field of that of
    `report`, and the additional files."""

    html: str
    field: Literal["owner", "recipient", "relational", "statistics"]
    document: AnyPage
    exports: Sequence[Export] = ()


@dataclass(frozen=True)
class Origin:
    """The source of a released table, and the column of the source that each released column is
    made of."""

    table: str
    source: Source
    columns: Mapping[str, str]


class Kind(ABC, Generic[OfKind]):
    """What commands do with the policies of one kind."""

    refusals: ClassVar[Refusals | None] = None
    """The commands and options that refuse policies of this kind."""
    exports: ClassVar[bool] = False
    """Whether `report` also writes the published tables to files."""

    def require(self, command: str) -> None:
        """Raise PolicyError where a command or an option refuses policies of this kind."""
        if self.refusals is not None and command in self.refusals.reasons:
            raise self.refusals.error(command)

    @abstractmethod
    def report(self, job: Job, status: Literal["published", "tried"] = "published") -> AnyReport:
        """Return the document of a run, whether it published or not."""

    @abstractmethod
    def proved(self, job: Job, published: ReleaseTables) -> set[str | None]:
        """Prove a published release by itself, and return the runs that its tables state. Raise
        VerificationError where it falls short, PolicyError or SqlError where it cannot be read."""

    @abstractmethod
    def read(self, job: Job, published: ReleaseTables, text: str) -> AnyReport:
        """Return a document of a published release from its text in the catalog."""

    def recorded(self, report: AnyReport) -> AnyReport:
        """Return a document as the catalog keeps it: without values of the source."""
        return report

    @abstractmethod
    def check(self, job: Job) -> None:
        """Make the checks that read the source; add problems and warnings to the job's."""

    @abstractmethod
    def sizes(self, job: Job, *, sound: bool, ready: bool) -> Mapping[str, Any]:
        """Return the findings of `check` on the source, by field of its document: for a policy that
        is ``sound`` by itself, and for a policy that is ``ready`` for a run."""

    def check_follows(self, policy: OfKind) -> bool:
        """Return whether `check` needs the catalog's record of earlier releases."""
        return False

    @abstractmethod
    def verify(
        self, policy: OfKind, *, against_source: bool, progress: Progress
    ) -> AnyVerifyReport:
        """Verify the published release: see :func:`anonsql.api.verify`."""

    def statements(self, job: Job, published: ReleaseTables, dialect: Dialect) -> list[StatedCheck]:
        """Return the promises of a release as statements that run in any client."""
        raise self._refused("verify --sql")

    def require_scheme(self, policy: OfKind) -> None:
        """Raise PolicyError where `apply` refuses a policy."""
        self.require("apply")

    def scheme(self, job: Job, named: str) -> Scheme:
        """Return the levels of a run, by its number, or of a release."""
        raise self._refused("apply")

    def search(
        self, policy: OfKind, options: SearchOptions
    ) -> SearchReport | RelationalSearchReport:
        """Return every satisfying generalization: see :func:`anonsql.api.search`."""
        raise self._refused("search")

    def measure(
        self, policy: OfKind, of_table: Callable[[TablePlan], MeasureReport]
    ) -> MeasureReport | RelationalMeasureReport:
        """Compare the published release with its source, each table by ``of_table``."""
        raise self._refused("measure")

    @abstractmethod
    def queried(self, policy: OfKind, named: Sequence[str]) -> list[tuple[str, TablePlan | None]]:
        """Return the released tables that a query names, each with its policy where it has rows;
        raise PolicyError for a table that the policy does not have."""

    def origins(self, policy: OfKind) -> list[Origin]:
        """Return the released tables with their sources."""
        plan = policy.first
        return [Origin(plan.release.name, plan.source, {name: name for name in plan.columns})]

    @abstractmethod
    def page(self, policy: OfKind, options: PageOptions) -> Page:
        """Return the page of a policy's published release."""

    @abstractmethod
    def page_of_release(
        self, location: Location, names: Sequence[str], options: PageOptions
    ) -> Page:
        """Return the recipient's page of a release whose policy is not known; ``names`` are its
        tables."""

    def _refused(self, command: str) -> PolicyError | InvariantError:
        """Return the error that policies of this kind are refused by a command."""
        if self.refusals is None:
            return InvariantError(f"{command} was not refused")
        return self.refusals.error(command)


def guard(job: Job) -> None:
    """Add the problem that a run would refuse to replace the existing objects in the release's
    place."""
    from anonsql.jobs.publishing import guard_release

    try:
        guard_release(job)
    except PolicyError as error:
        known = {problem.where for problem in job.places.problems()}
        job.problems += [problem for problem in error.problems if problem.where not in known]


def known_tables(named: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the names of a policy's tables, as it writes them; raise PolicyError for a table that
    it does not have."""
    by_name = {name.lower(): name for name in names}
    for name in named:
        if name.lower() not in by_name:
            hint = did_you_mean(name, names) or f"Known: {', '.join(names)}."
            raise PolicyError.at("query", f"the policy has no table {name!r}.", hint)
    return [by_name[name.lower()] for name in named]
