"""All measures of a completed table, in one document."""

from __future__ import annotations

from contextlib import closing

from anonsql.engines.base import Relation
from anonsql.features.measure.usefulness import associations, coding, conditions, distributions
from anonsql.features.measure.usefulness.document import Analyses
from anonsql.features.measure.usefulness.guessing import attribute_risks
from anonsql.features.measure.usefulness.target import target_usefulness
from anonsql.jobs.job import Job
from anonsql.policy.measuring import Measuring


def usefulness_of(
    job: Job, completed: Relation | None, measuring: Measuring | None = None
) -> Analyses | None:
    """Return what analyses find in a completed table, which the job's engine can read; None where
    there is none, or it or the source has no rows. ``measuring`` is what the policy says where
    nothing else is given."""
    if completed is None:
        return None
    policy, engine, progress = job.policy, job.engine, job.progress
    measuring = measuring or policy.measure
    opened = [
        column for column in job.opened.columns if policy.columns[column.name].role != "identifying"
    ]
    known = list(policy.quasi_identifiers)
    columns = coding.comparable(opened, engine.columns(completed), known)
    progress("usefulness", 0, 0)
    tables = coding.code(engine, job.opened.source, completed, columns)
    if tables is None:
        return None
    with closing(tables):
        sets = distributions.column_sets(tables.columns)
        return Analyses(
            columns=[column.name for column in tables.columns],
            draws=len(tables.draws),
            propensity=distributions.propensity_error(tables, sets[2], progress),
            marginals=distributions.marginal_errors(tables, sets, progress),
            correlations=associations.correlations(tables, progress),
            associations=associations.associations(tables, sets[2]),
            group_means=associations.group_means(tables, progress),
            queries=conditions.condition_error(tables, sets),
            attributes=attribute_risks(tables, progress),
            target=(
                target_usefulness(tables, measuring.target, measuring.model, progress)
                if measuring.target is not None
                else None
            ),
        )
