"""Tables that are published again and again: what the catalog keeps of each release, and what it
knows of those before."""

from __future__ import annotations

from anonsql.errors import PolicyError, Problem
from anonsql.jobs import fingerprints
from anonsql.jobs.job import Job
from anonsql.jobs.published_files import published_facts
from anonsql.jobs.statistics.state import tabulation_of
from anonsql.statistics import earlier


def recall(job: Job) -> None:
    """Recall earlier releases; raise PolicyError for other settings, or lost rows."""
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
        tabulation.names, plan.measures, tabulation.stored, policy.protect
    )
    earlier.require_added(tabulation.earlier, tabulation.cells.counted)


def require_remembered(job: Job) -> None:
    """Raise PolicyError where the release that is replaced was published with another catalog, which
    keeps what these tables must agree with: with another secret the mean of both releases is nearer
    to the values, and differences to it are audited by nobody. Warn where nothing was kept of
    it."""
    policy = tabulation_of(job).policy
    protect = policy.protect
    if protect.over_time is None and not protect.keyed:
        return
    facts = published_facts(job) or {}
    same_way = facts.get("protected_by") == protect.by
    if protect.keyed:
        by_key = same_way and facts.get("additive") != "True"
        place = (str(job.places.release), job.first.release.name)
        lost = by_key and not job.catalog.published_at(*place)
        text = (
            "this catalog lacks the secret that the values of the release in place were changed by:"
        )
        text += " with another one, the mean of both releases comes closer to the true values."
        if by_key and facts.get("drawn_by") != policy.facts["drawn_by"]:
            job.warnings.append(_drawn_otherwise())
    else:
        kept = job.catalog.keeps_statistics(facts.get("release", ""))
        lost = same_way and "earlier_releases" in facts and not kept
        text = (
            "this catalog does not know the release in place: nobody would audit differences to it."
        )
        if same_way and not kept and not lost:
            job.warnings.append(_not_kept())
    if lost:
        remedy = "Name that of the run which published it, or another `release` for other readers."
        raise PolicyError.at("catalog", text, remedy)


def _drawn_otherwise() -> Problem:
    text = (
        "an older version changed the values of the release in place in another way: people who"
        " join cells can compute amounts from it, and the mean of both releases comes closer to the"
        " true values."
    )
    return Problem("protect.by", text, "Publish, and withdraw all copies of the older release.")


def _not_kept() -> Problem:
    text = (
        "the catalog keeps nothing of the release in place, which was made without `over_time`: its"
        " difference to this one is not audited, and may tell of the few who were added since."
    )
    remedy = "Publish to readers who do not have that release, or wait until many were added."
    return Problem("protect.over_time", text, remedy)


def recall_before(job: Job, release_id: str) -> None:
    """Recall what was published before a release; raise PolicyError where that is unknown."""
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
    known = earlier.people_behind_sums(plan.measures, counted, protected.hidden, policy.protect)
    kept = earlier.stored_of(tabulation.names, counted, known, hidden, needed)
    job.catalog.keep_statistics(fingerprints.of_cubes(policy), job.release_id, kept)
