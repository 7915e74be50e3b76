"""The completed table of a release, which its usefulness is measured on."""

from __future__ import annotations

from typing import Final

from anonsql.completion import table as completion
from anonsql.engines.base import Relation, ReleaseTables
from anonsql.jobs.job import Job
from anonsql.verification.facts import facts_of

PART: Final = "completed"
"""The part of a release that is it: the number of the draw (from 1) and the columns of the source
but the identifying ones, each draw with all released rows and one plain value for every label."""


def completed_of(job: Job, release: ReleaseTables) -> Relation | None:
    """Return the completed table of a release, published or staged, where the job's engine can read
    it: its own, or one that is drawn from it as readers of the release draw. None where it lies in
    another engine than the source, or a column is called as the number of a draw is."""
    if release.engine is not job.engine:
        return None
    if (table := release.extras.get(PART)) is not None:
        return table
    types = {column.name: column for column in job.opened.columns}
    return completion.scratch(release, facts_of(release), types=types)
