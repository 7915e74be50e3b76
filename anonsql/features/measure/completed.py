"""The completed table of a release, which its usefulness is measured on."""

from __future__ import annotations

from anonsql.completion import table as completion
from anonsql.engines.base import Relation, ReleaseTables
from anonsql.jobs.job import Job
from anonsql.policy.release_parts import COMPLETED
from anonsql.verification.facts import facts_of


def completed_of(job: Job, release: ReleaseTables) -> Relation | None:
    """Return the completed table of a release, or one drawn from it as its readers would; None
    where it is in another engine than the source."""
    if release.engine is not job.engine:
        return None
    if (table := release.extras.get(COMPLETED)) is not None:
        return table
    types = {column.name: column for column in job.opened.columns}
    return completion.scratch(release, facts_of(release), types=types)
