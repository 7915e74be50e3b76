"""The completed table of a release, which its usefulness is measured on."""

from __future__ import annotations

from typing import Final

from anonsql.engines.base import Relation, ReleaseTables
from anonsql.jobs.job import Job

PART: Final = "completed"
"""The part of a release that is it: a column ``draw`` (from 1) and the columns of the source but
the identifying ones, each draw with all released rows and one plain value for every label."""


def completed_of(job: Job, release: ReleaseTables) -> Relation | None:
    """Return the completed table of a release, published or staged, where the job's engine can read
    it; None where there is none."""
    table = release.extras.get(PART)
    return table if release.engine is job.engine else None
