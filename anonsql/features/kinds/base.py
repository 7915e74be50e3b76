"""What a kind of policy says to the commands."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from anonsql.errors import InvariantError, PolicyError
from anonsql.jobs.publishing import guard_release

if TYPE_CHECKING:
    from anonsql.engines.base import ReleaseTables
    from anonsql.features.run.document import Report
    from anonsql.features.run.several_tables_document import (
        RelationalReport,
        RelationalVerifyReport,
    )
    from anonsql.features.tabulate.document import StatisticsReport, StatisticsVerifyReport
    from anonsql.features.verify.document import VerifyReport
    from anonsql.jobs.job import Job
    from anonsql.jobs.scheme import Scheme
    from anonsql.system.clock import Progress

    AnyReport = Report | RelationalReport | StatisticsReport
    AnyVerifyReport = VerifyReport | RelationalVerifyReport | StatisticsVerifyReport


class Kind(ABC):
    """What commands do with the policies of one kind."""

    @abstractmethod
    def report(self, job: Job, status: Literal["published", "tried"] = "published") -> AnyReport:
        """Return the document of a run, or of one that published nothing."""

    @abstractmethod
    def proved(self, job: Job, published: ReleaseTables) -> set[str | None]:
        """Prove a published release by itself, and return the runs that its tables state. Raise
        VerificationError where it falls short, PolicyError or SqlError where it cannot be read."""

    @abstractmethod
    def read(self, job: Job, published: ReleaseTables, text: str) -> AnyReport:
        """Return a document as the catalog has it, of what is published."""

    def recorded(self, report: AnyReport) -> AnyReport:
        """Return a document as the catalog keeps it: without values of the source."""
        return report

    @abstractmethod
    def check(self, job: Job) -> None:
        """Make the checks that read the source; add problems and warnings to the job's."""

    @abstractmethod
    def sizes(self, job: Job, *, sound: bool, ready: bool) -> Mapping[str, Any]:
        """Return what `check` says of the source, by field of its document: of a policy that is
        ``sound`` by itself, and of one that is ``ready`` for a run."""

    def check_follows(self, policy: Any) -> bool:
        """Return whether `check` needs what the catalog knows of earlier releases."""
        return False

    @abstractmethod
    def verify(self, policy: Any, *, against_source: bool, progress: Progress) -> AnyVerifyReport:
        """Verify what is published: see :func:`anonsql.api.verify`."""

    def scheme(self, job: Job, named: str) -> Scheme:
        """Return the levels of a run, by its number, or of a release."""
        raise InvariantError("statistics have no scheme")


def guard(job: Job) -> None:
    """Add the problem that a run would refuse to replace what is already where the release would
    go."""
    try:
        guard_release(job)
    except PolicyError as error:
        known = {problem.where for problem in job.places.problems()}
        job.problems += [problem for problem in error.problems if problem.where not in known]
