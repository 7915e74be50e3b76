"""The stages of a job that publishes statistics, in order: see :mod:`anonsql.jobs.pipeline`."""

from __future__ import annotations

from anonsql.jobs.job import Stages
from anonsql.jobs.publishing import guard_release
from anonsql.jobs.statistics.counting import count_cells, plan_cells
from anonsql.jobs.statistics.dependent import require_independent
from anonsql.jobs.statistics.noising import recall_spent, require_library
from anonsql.jobs.statistics.opening import (
    build_hierarchies,
    count_combinations,
    fingerprint_source,
    open_source,
    require_sound,
)
from anonsql.jobs.statistics.protecting import protect_cells, require_labels
from anonsql.jobs.statistics.publishing import (
    publish_release,
    recall,
    require_remembered,
    stage,
    verify_release,
)

OPEN_RUN = (guard_release, open_source, fingerprint_source)
CHECK = (require_library, open_source, count_combinations, build_hierarchies)
DIMENSIONS = (open_source, count_combinations, build_hierarchies, require_sound, plan_cells)
PLAN = (plan_cells, require_labels, require_independent, recall_spent, require_remembered)
FIT = (require_library, count_combinations, build_hierarchies, require_sound, *PLAN)
PROVE = (count_cells, recall, protect_cells, stage, verify_release)
RELEASE = (*FIT, *PROVE, publish_release)
TRY_OUT = (open_source, *FIT, *PROVE)


def stages() -> Stages:
    """Return what such a job goes through; no scheme is applied to statistics."""
    return Stages((), OPEN_RUN, RELEASE, (), TRY_OUT)
