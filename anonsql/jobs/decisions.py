"""The stages that decide what is released for each row: search the lattice, and let the method
recode."""

from __future__ import annotations

from typing import Any

from anonsql.jobs import fingerprints
from anonsql.jobs.job import Job
from anonsql.methods import registry
from anonsql.methods.base import Lattice, Recoded, Table, Work
from anonsql.methods.full_domain import choose as full_domain
from anonsql.release.recoding import Recoding, Suppression
from anonsql.risks import people
from anonsql.search import algorithms
from anonsql.search.plan import Plan
from anonsql.search.roll_up import RollUps


def search(job: Job) -> None:
    """Find every satisfying full-domain generalization, where the method starts from those."""
    if job.policy.method.needs_search:
        search_all(job)


def search_all(job: Job) -> None:
    """Find every satisfying full-domain generalization."""
    known = job.catalog.known_sizes(
        fingerprints.of_cells(job.engine, job.star, job.promise, job.coded)
    )
    method = full_domain.search_settings(job.policy.method)
    limit = job.policy.privacy.max_suppressed(job.rows)
    combinations = _combinations(job)
    plan = Plan(
        job.sets, combinations, known, limit, method.algorithm, method.roll_up, job.progress
    )
    job.found = algorithms.search(plan, job.catalog, job.roll_ups)
    job.searched = True
    full_domain.require_some(job.policy, job.sets, job.found, plan.combinations)
    if job.policy.privacy.several:  # each keeps the promise by itself; all together need not
        job.roll_ups.close()
        job.promise = job.promise.without()
        job.sets = job.sets.under(job.promise)
        job.roll_ups = RollUps(job.sets)


def record_lattice(job: Job) -> None:
    """Store what the search knows of every node in the catalog."""
    if job.searched:
        job.catalog.record_nodes(job.run, job.star, job.found)


def _combinations(job: Job) -> tuple[tuple[int, ...], ...]:
    """Return the attributes that must keep the promise together, by index."""
    indices = {each.name: each.index for each in job.attributes}
    return tuple(tuple(indices[name] for name in names) for names in job.policy.combinations)


def choose(job: Job) -> None:
    """Let the method decide what is released for each row, and measure how useful that is."""
    found = registry.of(job.policy.method).recode(_work(job))
    job.promise = found.promise or job.promise
    job.node, job.optimal, job.relocated = found.node, found.optimal, found.relocated
    job.hidden, job.dealt = dict(found.hidden), dict(found.dealt)
    job.metrics = dict(found.metrics)
    suppression = Suppression.of(
        job.policy, found.suppressed, found.maskable, quarantine=job.scheme is not None
    )
    job.recoding = Recoding(
        job.promise, job.attributes, job.coded, found.by, job.released, suppression
    )
    counted_people = people.of_recoding(job.engine, job.recoding, found.frequencies)
    job.facts = {
        **_classes(job, found),
        **job.metrics,
        **({} if counted_people is None else counted_people.facts),
        **found.facts,
    }


def table_of(job: Job) -> Table:
    """Return the table that the job's method works on."""
    return Table(**_table(job))


def _table(job: Job) -> dict[str, Any]:
    return {
        "engine": job.engine,
        "policy": job.policy,
        "source": job.source,
        "rows": job.rows,
        "attributes": job.attributes,
        "coded": job.coded,
        "released": job.released,
        "marks": job.marks,
        "show_values": job.show_values,
        "progress": job.progress,
        "clock": job.context.journal.clock,
    }


def _work(job: Job) -> Work:
    """Return what the job's method decides by. Where entries are withheld, cells have no
    lattice."""
    found = job.found if job.searched else None
    return Work(
        **_table(job),
        star=job.star,
        promise=job.promise,
        combinations=_combinations(job),
        lattice=None if job.marks is not None else Lattice(job.sets, job.roll_ups, found),
        levels=job.scheme.levels if job.scheme is not None else None,
        widened=job.widened,
    )


def _classes(job: Job, found: Recoded) -> dict[str, object]:
    """Return the facts about identities and classes; where several combinations of columns keep the
    promise, also which these are."""
    identity = {"identity": job.policy.identity} if job.policy.identity else {}
    if job.policy.privacy.several:
        combinations = "; ".join(", ".join(names) for names in job.policy.combinations)
        return {**identity, "quasi_identifiers": combinations}
    return {**identity, "classes": found.classes, "min_class": found.min_class}
