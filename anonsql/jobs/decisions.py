"""The stages that decide what is released for each row: code the rows into cells, search the
lattice, and let the method recode.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from anonsql.engines.base import Column
from anonsql.errors import PrivacyError
from anonsql.jobs.job import Chosen, Counted, Job, StarSchema
from anonsql.methods import registry
from anonsql.methods.base import Recoded, SearchedLattice, Table, Work
from anonsql.methods.full_domain import choose as full_domain
from anonsql.methods.full_domain import limited
from anonsql.methods.local import patterns
from anonsql.policy import refusals
from anonsql.policy.method import Algorithm
from anonsql.policy.table_plan import TablePlan
from anonsql.privacy.promise import Promise
from anonsql.release.recoding import Recoding, Suppression
from anonsql.risks import left_out, limits, people
from anonsql.risks.left_out import too_much
from anonsql.search import algorithms
from anonsql.search.frequency import FrequencySets
from anonsql.search.group_losses import GroupLosses
from anonsql.search.plan import SearchPlan
from anonsql.search.results import SearchResult
from anonsql.search.roll_up import RollUps
from anonsql.star import cells


def build_star(job: Job) -> None:
    """Code the combinations into cells; where entries are withheld, settle first which ones. A
    method that judges one class at a time keeps limits of the whole release by classes that are
    large enough, however many there are."""
    engine, privacy, counted = job.engine, job.policy.privacy, job.counted
    if counted.marks is not None:
        promise = Promise(privacy.k)  # of groups; buckets have promises of their own
        marks = replace(counted.marks, attributes=counted.attributes)
        widened = patterns.settle(engine, marks, promise.k)
        star = patterns.build(engine, marks, counted.rows)
        job.workbench.carry_cells(counted.attributes, *patterns.columns(marks))
        job.schema = StarSchema(star, promise, marks=marks, widened=widened)
        return
    promise = Promise.of(privacy, counted.coded)
    promise = replace(promise, within=tuple(column.index for column in counted.within))
    if not job.policy.method.decides_levels:
        enough = limits.enough(privacy.risk, privacy.risk.share(counted.rows))
        promise = replace(promise, k=max(promise.k, enough))
    cells.code(engine, counted.attributes, [*counted.coded, *counted.within], promise)
    extras = (promise.extras, promise.weights, counted.coded)
    job.workbench.carry_cells(counted.attributes, *extras)
    bench = job.workbench.engine
    star = cells.lay_out(bench, counted.attributes, counted.rows)
    sets = FrequencySets(bench, star, promise)
    job.schema = StarSchema(star, promise, SearchedLattice(sets, RollUps(sets)))


def search(job: Job) -> None:
    """Find the satisfying generalizations that the method needs: all, or the best ones."""
    if not job.policy.method.needs_search:
        return
    if job.policy.privacy.differential is not None:
        from anonsql.jobs import differential as drawing

        job.schema = drawing.choose_levels(job)
    else:
        job.schema = _search(job, every=False)


def search_all(job: Job) -> None:
    """Find every satisfying full-domain generalization."""
    refusals.require_not_differential(job.policy, "search")
    job.schema = _search(job, every=True)


def search_completely(job: Job) -> SearchResult:
    """Return every satisfying full-domain generalization, whichever algorithm the policy names."""
    if full_domain.search_settings(job.policy.method).algorithm in algorithms.INCOMPLETE:
        return _search(job, every=True, algorithm="auto").searched
    refusals.require_not_differential(job.policy, "search")
    return _search(job, every=True).searched


def _search(job: Job, *, every: bool, algorithm: Algorithm | None = None) -> StarSchema:
    """Where several combinations keep the promise each by itself, ``__schema`` promises nothing of
    all columns together."""
    counted, schema = job.counted, job.schema
    policy, lattice, promise = job.policy, schema.nodes, schema.promise
    method = full_domain.search_settings(policy.method)
    limit = policy.privacy.max_suppressed(counted.rows)
    combinations = _combinations(policy, counted)
    plan = SearchPlan(
        lattice.sets,
        combinations,
        limit,
        algorithm or method.algorithm,
        method.roll_up,
        job.progress,
        losses=_group_losses(job, lattice.sets, limit),
        limits=limited.of_policy(policy, lattice.sets) if policy.method.decides_levels else None,
    )
    if not every and not policy.privacy.several and plan.lattice.size <= algorithms.LARGE:
        aim = full_domain.aim(policy, lattice.sets, lattice.roll_ups, plan.lattice)
        plan = replace(plan, aim=aim)
    search_result = algorithms.search(plan, job.catalog, lattice.roll_ups)
    if plan.losses is not None and not search_result.nodes:
        _require_some_without_loss(job, plan, lattice.roll_ups)
    if plan.limits is not None and not search_result.nodes:
        limited.require_some(policy, plan.limits, lattice.roll_ups)
    full_domain.require_some(policy, lattice.sets, search_result, combinations)
    if not policy.privacy.several:
        return replace(schema, lattice=replace(lattice, found=search_result))
    lattice.roll_ups.close()
    promise = promise.trivial()
    sets = lattice.sets.under(promise)
    return replace(
        schema, promise=promise, lattice=SearchedLattice(sets, RollUps(sets), search_result)
    )


def record_lattice(job: Job) -> None:
    """Store what the search knows of every node in the catalog."""
    schema = job.schema
    if schema.lattice is not None and schema.lattice.found is not None:
        job.catalog.record_nodes(job.run, schema.star, schema.lattice.found)


def _combinations(policy: TablePlan, counted: Counted) -> tuple[tuple[int, ...], ...]:
    indices = {attribute.name: attribute.index for attribute in counted.attributes}
    return tuple(tuple(indices[name] for name in names) for names in policy.combinations)


def choose(job: Job) -> None:
    """Let the method, or a scheme that is applied again, decide what is released of each row."""
    policy, counted, schema, published = job.policy, job.counted, job.schema, job.scheme
    work = Work(
        **_table(job, replace(counted, marks=schema.marks)),
        star=schema.star,
        promise=schema.promise,
        combinations=_combinations(policy, counted),
        lattice=schema.lattice,
        levels=published.levels if published is not None else schema.drawn,
        widened=schema.widened,
        bench=job.workbench,
    )
    recoded = registry.of(policy.method).recode(work)
    applied = published is not None and policy.privacy.over_time is None
    suppression = Suppression.of(policy, recoded.suppressed, recoded.maskable, quarantine=applied)
    recoding = Recoding(
        recoded.promise or schema.promise,
        counted.attributes,
        counted.coded,
        recoded.by,
        counted.released,
        suppression,
        counted.within,
    )
    counted_people = people.of_recoding(job.workbench.engine, recoding, recoded.frequencies)
    job.workbench.close()
    facts = {
        **_classes(policy, recoded),
        **recoded.metrics,
        **({} if counted_people is None else counted_people.facts),
        **recoded.facts,
    }
    job.chosen = Chosen(recoded, recoding, facts)


def table_of(job: Job) -> Table:
    """Return the table that the policy's method works on."""
    return Table(**_table(job, job.counted))


def _table(job: Job, counted: Counted) -> dict[str, Any]:
    return {
        "engine": job.engine,
        "policy": job.policy,
        "source": job.opened.source,
        "rows": counted.rows,
        "attributes": counted.attributes,
        "coded": counted.coded,
        "released": counted.released,
        "marks": counted.marks,
        "show_values": job.show_values,
        "progress": job.progress,
        "clock": job.context.journal.clock,
    }


def _classes(policy: TablePlan, recoded: Recoded) -> dict[str, object]:
    identity = {"identity": policy.identity} if policy.identity else {}
    if policy.privacy.several:
        combinations = "; ".join(", ".join(names) for names in policy.combinations)
        return {**identity, "quasi_identifiers": combinations}
    return {**identity, "classes": recoded.classes, "min_class": recoded.min_class}


def _group_losses(job: Job, sets: FrequencySets, most: int) -> GroupLosses | None:
    """Return what values lose at nodes; None without a limit to it or to suppression."""
    policy = job.policy
    limit = policy.privacy.max_group_loss
    if limit is None or not most or policy.privacy.several:
        return None
    k, attributes = policy.privacy.k, job.counted.attributes
    sensitive = [
        watched for watched in _watched(job) if policy.columns[watched.name].role == "sensitive"
    ]
    job.engine.drop("group_values")
    if sensitive:
        shared = {"source": job.opened.source, "attributes": attributes}
        job.engine.run("search/group_values", kept=sensitive, least=k, **shared)
        columns = [*(Column(f"c{attribute.index}", "INTEGER") for attribute in attributes)]
        columns += [Column("number", "INTEGER"), Column("code", "BIGINT"), Column("n", "BIGINT")]
        job.workbench.carry("group_values", columns)
    return GroupLosses(sets, limit, k, valued=bool(sensitive))


def _require_some_without_loss(job: Job, plan: SearchPlan, roll_ups: RollUps) -> None:
    limit = job.policy.privacy.max_group_loss
    tops = {attribute.index: attribute.max_level for attribute in job.counted.attributes}
    suppressed = roll_ups.sizes([tops])[0].suppressed
    if plan.losses is None or limit is None or suppressed > plan.max_suppressed:
        return
    worst = plan.losses.worst([tops], roll_ups)[0]
    if worst is None or not worst.beyond(limit):
        return
    names = {column.index: column.name for column in job.counted.attributes}
    names |= {watched.index: watched.name for watched in _watched(job)}
    loss = left_out.GroupLoss(names[worst.number], None, worst.rows, worst.lost)
    text = too_much(loss, limit, named=False)
    raise PrivacyError(f"no generalization keeps the promise, even at the highest levels. {text}")


def _watched(job: Job) -> list[left_out.Watched]:
    named = [column for column in job.opened.columns if column.name in job.policy.columns]
    return left_out.watched(job.policy, named, job.counted.attributes)
