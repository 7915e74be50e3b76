"""``anonsql apply``: the levels of an earlier release again, which ``compile`` takes too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anonsql.errors import PolicyError
from anonsql.features import kinds
from anonsql.features.run.command import note_report
from anonsql.jobs import actions, source_columns
from anonsql.jobs.sessions import running
from anonsql.methods.full_domain import choose as full_domain
from anonsql.policy import policies, refusals
from anonsql.policy.policies import AnyGiven
from anonsql.policy.policy import Policy
from anonsql.system.clock import Progress, silent

if TYPE_CHECKING:
    from anonsql.features.kinds.base import AnyReport


def apply(
    policy: AnyGiven,
    levels_of: str | int,
    *,
    progress: Progress = silent,
    show_values: bool = False,
) -> AnyReport:
    """Recode the policy's source with the levels that were published before: by a run of the
    catalog (its number), or in a release (its file or folder, or its table on the server). Rows
    that would break k are quarantined: left out and counted; of several tables they are suppressed
    within the policy's limits. Raise PolicyError when the hierarchies miss values or are not those
    of the scheme."""
    result = source_columns.resolved(policies.of_rows(policy, "apply"))
    kind = kinds.of(result)
    kind.require_scheme(result)
    with running(result, "apply", progress, show_values) as job:
        actions.open_to_apply(job)
        job.scheme = kind.scheme(job, str(levels_of))
        actions.apply(job)
        report = kind.report(job)
        note_report(kind, job, report)
        return report


def require_one_scheme(policy: Policy, command: str) -> None:
    """Raise PolicyError where a policy has no levels, or is not of one release: where the promise
    is made for several combinations of columns, each by itself, or for releases over time."""
    full_domain.settings(policy)
    if policy.privacy.several:
        text = f"`{command}` checks classes of all quasi-identifying columns together."
        raise PolicyError.at(
            "privacy.quasi_identifiers", text, "Name one combination, or leave it out."
        )
    if policy.release.marginals:
        text = f"`{command}` writes no frequencies of single values."
        raise PolicyError.at("release.marginals", text, "Leave it out, or use `anonsql run`.")
    refusals.require_one_release(policy, command)
    refusals.require_not_differential(policy, command)
