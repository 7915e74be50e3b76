"""Who is left out of a published release, recomputed from it and its source."""

from __future__ import annotations

from anonsql.engines.base import ReleaseTables
from anonsql.jobs.job import Job
from anonsql.presentation.documents import LeftOutValue
from anonsql.system.numbers import rounded
from anonsql.verification.facts import count_of, facts_of, missing_rows
from anonsql.verification.linking import group_shares


def of_release(
    job: Job, release: ReleaseTables, *, show_values: bool = False
) -> list[LeftOutValue]:
    """Return what the values of the source lost, the greatest losses first; none if no row is
    missing, or the release does not say whose. ``show_values`` names values of fewer than k rows
    too."""
    policy, about = job.policy, facts_of(release)
    masked = max(0, count_of(about, "masked"))
    complete, empty = missing_rows(about) + masked == 0, count_of(about, "rows") <= masked
    if complete or empty or not group_shares.can_be_read(policy, about):
        return []
    shares = group_shares.of_release(
        job.engine,
        release,
        policy,
        job.opened.source,
        job.counted.attributes,
        least=1 if show_values else policy.privacy.k,
    )
    return [
        LeftOutValue(
            column=group.column,
            value=group.value,
            rare=group.rare,
            values=group.values,
            rows=group.rows,
            released=group.most,
            at_least=None if group.least == group.most else group.least,
            share=rounded(group.most / group.rows),
        )
        for group in shares
    ]
