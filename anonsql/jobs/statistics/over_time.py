"""Tables that are published again and again, from a source that only gains rows: what the catalog
keeps of each release, and what it knows of those before."""

from __future__ import annotations

from anonsql.jobs import fingerprints
from anonsql.jobs.job import Job
from anonsql.jobs.statistics.state import tabulation_of
from anonsql.statistics import earlier


def recall(job: Job) -> None:
    """Recall what was published before; raise PolicyError where that was made of other settings, or
    the source lost rows since."""
    tabulation = tabulation_of(job)
    policy, plan = tabulation.policy, tabulation.plan
    if policy.protect.over_time is None:
        return
    engine = job.engine
    high, low = engine.numbers(
        "statistics/names", attributes=plan.attributes, numbered=engine.own["hex_number"]
    )
    tabulation.names = earlier.names_of(high, low)
    tabulation.stored = job.catalog.earlier_statistics(fingerprints.of_cubes(policy))
    tabulation.earlier = earlier.aligned(
        tabulation.names, plan.measures, tabulation.stored, policy.protect.threshold
    )
    earlier.require_added(tabulation.earlier, tabulation.cells.counted)


def recall_before(job: Job, release_id: str) -> None:
    """Recall what was published before a release, by its number; raise PolicyError where the
    catalog does not know that."""
    tabulation = tabulation_of(job)
    if tabulation.policy.protect.over_time is not None:
        of_cubes = fingerprints.of_cubes(tabulation.policy)
        tabulation.stored = job.catalog.earlier_statistics(of_cubes, before=release_id)


def keep(job: Job) -> None:
    """Keep what later releases need to know. What is kept counts as published from then on, even
    where publishing fails: that asks for more protection than is needed, never for less."""
    tabulation = tabulation_of(job)
    policy, plan, protected = tabulation.policy, tabulation.plan, tabulation.protected
    if tabulation.names is None:
        return
    columns = ["people", "n", *(f"m{entry.index}" for entry in plan.sums)]
    counted = {name: tabulation.cells.counted[name] for name in columns}
    hidden = [protected.hidden[measure.name] for measure in plan.measures]
    needed = [protected.needed[measure.name] for measure in plan.measures]
    known = earlier.people_behind_sums(plan.measures, protected.hidden, policy.protect.threshold)
    kept = earlier.stored_of(tabulation.names, counted, known, hidden, needed)
    job.catalog.keep_statistics(fingerprints.of_cubes(policy), job.release_id, kept)
