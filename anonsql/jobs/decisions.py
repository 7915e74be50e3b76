"""The stages that decide what is released for each row: code the rows into cells, search the
lattice, and let the method recode."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from anonsql.jobs import fingerprints, losses
from anonsql.jobs.job import Chosen, Counted, Opened, Session, StarSchema
from anonsql.jobs.scheme import Scheme
from anonsql.methods import registry
from anonsql.methods.base import Recoded, SearchedLattice, Table, Work
from anonsql.methods.full_domain import choose as full_domain
from anonsql.methods.full_domain import limited
from anonsql.methods.local import patterns
from anonsql.policy import differential
from anonsql.policy.method import Algorithm
from anonsql.policy.policy import Policy
from anonsql.privacy.promise import Promise
from anonsql.release.recoding import Recoding, Suppression
from anonsql.risks import limits, people
from anonsql.search import algorithms
from anonsql.search.frequency import FrequencySets
from anonsql.search.plan import SearchPlan
from anonsql.search.roll_up import RollUps
from anonsql.star import cells


def build_star(session: Session, counted: Counted) -> StarSchema:
    """Code the combinations into cells; where entries are withheld, settle first which ones. A
    method that judges one class at a time keeps limits of the whole release by classes that are
    large enough, however many there are."""
    engine, privacy = session.engine, session.policy.privacy
    if counted.marks is not None:
        promise = Promise(privacy.k)  # of groups; buckets have promises of their own
        marks = replace(counted.marks, attributes=counted.attributes)
        widened = patterns.settle(engine, marks, promise.k)
        star = patterns.build(engine, marks, counted.rows)
        session.workbench.carry_cells(counted.attributes, *patterns.columns(marks))
        return StarSchema(star, promise, marks=marks, widened=widened)
    promise = Promise.of(privacy, counted.coded)
    promise = replace(promise, within=tuple(column.index for column in counted.within))
    if not session.policy.method.decides_levels:
        enough = limits.enough(privacy.risk, privacy.risk.share(counted.rows))
        promise = replace(promise, k=max(promise.k, enough))
    cells.code(engine, counted.attributes, [*counted.coded, *counted.within], promise)
    extras = (promise.extras, promise.weights, counted.coded)
    session.workbench.carry_cells(counted.attributes, *extras)
    bench = session.workbench.engine
    star = cells.lay_out(bench, counted.attributes, counted.rows)
    sets = FrequencySets(bench, star, promise)
    return StarSchema(star, promise, SearchedLattice(sets, RollUps(sets)))


def search(session: Session, opened: Opened, counted: Counted, schema: StarSchema) -> StarSchema:
    """Find the satisfying full-domain generalizations that the method needs: all, or those that may
    be the best."""
    if not session.policy.method.needs_search:
        return schema
    if session.policy.privacy.differential is not None:
        from anonsql.jobs import differential as drawing

        return drawing.choose_levels(session, counted, schema)
    return _search(session, opened, counted, schema, every=False)


def search_all(
    session: Session, opened: Opened, counted: Counted, schema: StarSchema
) -> StarSchema:
    """Find every satisfying full-domain generalization."""
    differential.require_none(session.policy, "search")
    return _search(session, opened, counted, schema, every=True)


def search_completely(
    session: Session, opened: Opened, counted: Counted, schema: StarSchema
) -> StarSchema:
    """Find every satisfying full-domain generalization, whichever algorithm the policy names."""
    method = full_domain.search_settings(session.policy.method)
    if method.algorithm in algorithms.INCOMPLETE:
        return _search(session, opened, counted, schema, every=True, algorithm="auto")
    return search_all(session, opened, counted, schema)


def _search(
    session: Session,
    opened: Opened,
    counted: Counted,
    schema: StarSchema,
    *,
    every: bool,
    algorithm: Algorithm | None = None,
) -> StarSchema:
    """Where several combinations keep the promise each by itself, ``__schema`` promises nothing of
    all columns together."""
    policy, lattice, promise = session.policy, schema.nodes, schema.promise
    known = session.catalog.known_sizes(
        fingerprints.of_cells(lattice.sets.engine, schema.star, promise, counted.coded)
    )
    method = full_domain.search_settings(policy.method)
    limit = policy.privacy.max_suppressed(counted.rows)
    combinations = _combinations(policy, counted)
    plan = SearchPlan(
        lattice.sets,
        combinations,
        known,
        limit,
        algorithm or method.algorithm,
        method.roll_up,
        session.progress,
        losses=losses.of_job(session, opened, counted, lattice.sets, limit),
        limits=limited.of_policy(policy, lattice.sets) if policy.method.decides_levels else None,
    )
    if not every and not policy.privacy.several and plan.lattice.size <= algorithms.LARGE:
        aim = full_domain.aim(policy, lattice.sets, lattice.roll_ups, plan.lattice)
        plan = replace(plan, aim=aim)
    search_result = algorithms.search(plan, session.catalog, lattice.roll_ups)
    if plan.losses is not None and not search_result.nodes:
        losses.require_some(session, opened, counted, plan, lattice.roll_ups)
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


def record_lattice(session: Session, schema: StarSchema) -> None:
    """Store what the search knows of every node in the catalog."""
    if schema.lattice is not None and schema.lattice.found is not None:
        session.catalog.record_nodes(session.run, schema.star, schema.lattice.found)


def _combinations(policy: Policy, counted: Counted) -> tuple[tuple[int, ...], ...]:
    indices = {attribute.name: attribute.index for attribute in counted.attributes}
    return tuple(tuple(indices[name] for name in names) for names in policy.combinations)


def choose(
    session: Session,
    opened: Opened,
    counted: Counted,
    schema: StarSchema,
    published: Scheme | None,
) -> Chosen:
    """Let the method decide what is released for each row, and measure how useful that is. A
    published scheme that is applied again decides the levels."""
    policy = session.policy
    work = Work(
        **_table(session, opened, replace(counted, marks=schema.marks)),
        star=schema.star,
        promise=schema.promise,
        combinations=_combinations(policy, counted),
        lattice=schema.lattice,
        levels=published.levels if published is not None else schema.drawn,
        widened=schema.widened,
        bench=session.workbench,
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
    counted_people = people.of_recoding(session.workbench.engine, recoding, recoded.frequencies)
    session.workbench.close()
    facts = {
        **_classes(policy, recoded),
        **recoded.metrics,
        **({} if counted_people is None else counted_people.facts),
        **recoded.facts,
    }
    return Chosen(recoded, recoding, facts)


def table_of(session: Session, opened: Opened, counted: Counted) -> Table:
    """Return the table that the policy's method works on."""
    return Table(**_table(session, opened, counted))


def _table(session: Session, opened: Opened, counted: Counted) -> dict[str, Any]:
    return {
        "engine": session.engine,
        "policy": session.policy,
        "source": opened.source,
        "rows": counted.rows,
        "attributes": counted.attributes,
        "coded": counted.coded,
        "released": counted.released,
        "marks": counted.marks,
        "show_values": session.show_values,
        "progress": session.progress,
        "clock": session.context.journal.clock,
    }


def _classes(policy: Policy, recoded: Recoded) -> dict[str, object]:
    identity = {"identity": policy.identity} if policy.identity else {}
    if policy.privacy.several:
        combinations = "; ".join(", ".join(names) for names in policy.combinations)
        return {**identity, "quasi_identifiers": combinations}
    return {**identity, "classes": recoded.classes, "min_class": recoded.min_class}
