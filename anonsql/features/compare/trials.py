"""One policy that ``compare`` or ``advise`` tries: it goes through a run up to the verification of
its staged release, which is measured and thrown away. Nothing is published, locked or recorded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from anonsql.engines import open_stage
from anonsql.errors import AnonsqlError, BusyError, PrivacyError, VerificationError
from anonsql.features.compare import staged
from anonsql.features.compare.document import CompareLine
from anonsql.features.compare.staged import Usefulness
from anonsql.features.run import document_of_job
from anonsql.features.run.document import Report
from anonsql.jobs import pipeline
from anonsql.jobs.samples import Sample
from anonsql.jobs.sessions import read_only_job
from anonsql.measures.workload import WorkloadSettings
from anonsql.policy.policy import Policy
from anonsql.privacy.promise import promised_facts
from anonsql.system.clock import Progress
from anonsql.system.numbers import rounded

_NOT_REPORTED = ("type", "seed", "roll_up", "budget", "starts")
"""Settings that do not describe the release: the method's type, which has a field of its own; the
seed, which is a secret; and those that only change how long a search takes or where it begins."""
_VALUES_ALONE = ("mode", "variant", "representation", "grouping", "recoding", "search")
"""Settings whose values are words that need no name of the setting before them."""


@dataclass(frozen=True)
class Tried:
    """A policy's line of the comparison and, where its promise is met, the run's report and the
    usefulness of the release; else the ``error``."""

    line: CompareLine
    report: Report | None = None
    useful: Usefulness | None = None
    error: AnonsqlError | None = None


@dataclass(frozen=True)
class Trial:
    """A policy to be tried, on a ``sample`` of its source where one is given, and the queries that
    measure its release. Without ``analyses`` it makes no
    completed table, and analyses none. ``purpose`` is the command."""

    name: str
    policy: Policy
    columns: Sequence[str]
    workload: WorkloadSettings
    purpose: str = "compare"
    sample: Sample | None = None
    analyses: bool = True

    def run(self, progress: Progress, show_values: bool) -> Tried:
        """Try the policy, as a release by itself. Raise BusyError; the line has any other
        failure."""
        policy = self.policy.by_itself()
        if not self.analyses:
            release = policy.release.model_copy(update={"completed": 0})
            policy = policy.model_copy(update={"release": release})

        def named_progress(stage: str, done: int, total: int) -> None:
            progress(f"{self.name}: {stage}", done, total)

        seconds: dict[str, float] = {}
        options: dict[str, Any] = {
            "progress": named_progress,
            "show_values": show_values,
            "seconds": seconds,
            "sample": self.sample,
        }
        try:
            with read_only_job(policy, self.purpose, target=open_stage, **options) as job:
                pipeline.go_through(job, pipeline.TRY)
                report = document_of_job.report(job)
                run_seconds = sum(seconds.values())  # without those of the queries
                named_progress("queries", 0, 0)
                useful = staged.usefulness(job, self.columns, self.workload, analyses=self.analyses)
        except BusyError:  # the other policies would fail likewise
            raise
        except AnonsqlError as error:
            unmet = isinstance(error, PrivacyError | VerificationError)
            status = "not met" if unmet else "failed"
            return Tried(self._line(status, str(error), sum(seconds.values())), error=error)
        return Tried(self._met(report, useful, run_seconds), report, useful)

    def _line(
        self, status: str, reason: str | None, seconds: float, **figures: object
    ) -> CompareLine:
        policy = self.policy
        basics = {
            "policy": self.name,
            "status": status,
            "reason": reason,
            "method": policy.method.type,
            "settings": settings(policy),
            "k": policy.privacy.k,
            "promises": promised_facts(policy.privacy),
            "suppression_limit": policy.privacy.suppression_limit,
            "seconds": round(seconds, 4),
        }
        return CompareLine.model_validate({**basics, **figures})

    def _met(self, report: Report, useful: Usefulness, seconds: float) -> CompareLine:
        identity = [f"identity is {report.identity}"] if report.identity else []
        line = self._line(
            "met",
            None,
            seconds,
            loss=report.metrics["loss"],
            gcp=useful.gcp,
            penalties=dict(useful.penalties),
            discernibility=report.metrics.get("discernibility"),
            suppressed=report.suppressed,
            suppressed_share=rounded(report.suppressed / report.records),
            relocated=report.relocated.cell_share if report.relocated else None,
            untrue=max(one.row_share if one else 0.0 for one in (report.relocated, report.changed)),
            uniform=report.levels is not None,
            error=useful.error,
            risk=report.risk.prosecutor.highest,
            usefulness=useful.analyses,
            columns=list(useful.entries),
            notes=[*identity, *useful.notes],
        )
        return line.model_copy(update={"means": staged.in_words(line)})


def settings(policy: Policy) -> str:
    """Return the settings of a policy's method that differ from the defaults: ``p=0.01
    randomized``."""
    method, words = policy.method, []
    for name, field in type(method).model_fields.items():
        value = getattr(method, name)
        shown = name in method.always_named
        if name in _NOT_REPORTED or (value == field.default and not shown):
            continue
        if name in _VALUES_ALONE:
            words.append(str(value))
        elif name == "levels":
            words.append("levels given")
        else:
            words.append(f"{name}={value}")
    return " ".join(words)
