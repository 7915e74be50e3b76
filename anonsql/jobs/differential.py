"""The stages that differential privacy adds: the random sample that replaces the source, the drawn
levels, and the spending of all releases of a table.

The sample is the job's table from the first count on; where levels are drawn, the whole source is
also counted, like a population, for that alone.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from typing import Final

from anonsql.errors import InvariantError, PolicyError, Problem
from anonsql.jobs import spending
from anonsql.jobs.job import Job, Opened, Sampled, StarSchema
from anonsql.policy.refusals import DIFFERENTIAL
from anonsql.privacy import exponential
from anonsql.privacy.differential import Differential
from anonsql.privacy.spending import SPENT
from anonsql.release import sampling
from anonsql.search import scores
from anonsql.star.lattice import Lattice
from anonsql.system.scalars import plain

_MOST_NODES: Final = 20_000


def settings_of(job: Job) -> Differential:
    """Return the policy's differential privacy. Raise InvariantError where it has none."""
    settings = job.policy.privacy.differential
    if settings is None:
        raise InvariantError("the policy has no differential privacy")
    return settings


def sample(job: Job, opened: Opened) -> Opened:
    """Return the source with a random sample of its rows in its place."""
    engine, settings = job.engine, settings_of(job)
    known = [column for column in opened.columns if column.name in job.policy.columns]
    rows = int(engine.query("sql/rows", table=opened.source)[0][0])
    if rows and settings.delta * rows >= 1:
        text = (
            f"{plain(settings.delta)} is at least 1 / {rows:,}, with {rows:,} rows in the source:"
            " a release that publishes some rows unchanged could satisfy that."
        )
        job.warnings.append(
            Problem(f"{DIFFERENTIAL.where}.delta", text, "Choose a far smaller delta.")
        )
    sampled = sampling.sample(engine, opened.source, known, settings.limit)
    return replace(opened, source=sampled, sampled=Sampled(opened.source, rows))


def choose_levels(job: Job) -> StarSchema:
    """Draw the levels to release by the exponential mechanism over all nodes of the lattice."""
    _require_listed(job)
    settings, schema = settings_of(job), job.schema
    star, nodes = schema.star, schema.nodes
    lattice = Lattice(tuple(column.index for column in star.attributes), star.bottom, star.top)
    if lattice.size > _MOST_NODES:
        text = (
            f"{lattice.size:,} generalizations would be scored, and at most {_MOST_NODES:,} can be."
        )
        remedy = "Limit the levels of columns with min_level and max_level, or give method.levels."
        raise PolicyError.at(DIFFERENTIAL.where, text, remedy)
    levels = list(lattice.levels(~lattice.none()).values())
    least = ceil(job.policy.privacy.k / settings.beta)
    unit, epsilon = scores.UNIT, settings.search_epsilon
    reach = exponential.reach_of(unit, epsilon)
    result = scores.scores(nodes.sets, nodes.roll_ups, levels, least, reach)
    weights = exponential.weights_of(result, unit, epsilon)
    drawn = levels[exponential.draw(weights)]
    names = {column.index: column.name for column in star.attributes}
    return replace(schema, drawn={names[index]: level for index, level in drawn.items()})


def _require_listed(job: Job) -> None:
    engine = job.workbench.engine
    for attribute in job.counted.attributes:
        rows = engine.query("sql/rows", table=f"dim_{attribute.index}")[0][0]
        if attribute.leaves and rows != attribute.leaves + 1:  # and NULL
            text = "several values of the source have the same text as one leaf of the hierarchy."
            raise PolicyError.at(f"{attribute.where}.hierarchy", text, "Cast the column in a view.")


def spend(job: Job) -> dict[str, str]:
    """Return the fact on what this release and those before it have spent."""
    own = settings_of(job).spent
    return {SPENT: (spending.recall(job, own, DIFFERENTIAL.where) + own).fact}


def book(job: Job) -> None:
    """Book the spending of the release that is about to be published."""
    spending.book(job, settings_of(job).spent)
