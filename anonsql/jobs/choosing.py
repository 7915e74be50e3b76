"""The stages that decide what each row's values become: search the lattice, and choose by the method."""

from __future__ import annotations

from anonsql import methods
from anonsql.errors import InvariantError, PrivacyError
from anonsql.jobs import fingerprints as fingerprint
from anonsql.jobs.job import Job
from anonsql.measures import full_domain as metrics
from anonsql.measures.full_domain import rounded
from anonsql.methods import groups
from anonsql.methods.anatomy import separate as anatomy
from anonsql.methods.full_domain import choose as full_domain
from anonsql.methods.groups import Cells
from anonsql.methods.hybrid import levels as hybrid
from anonsql.methods.hybrid import regions as hybrid_regions
from anonsql.methods.hybrid.relocated_groups import Relocated
from anonsql.methods.local import buckets
from anonsql.methods.local import recode as local
from anonsql.policy.method import Anatomy, FullDomain, FullSubtree, Hybrid, Leveled, Local, Ring
from anonsql.release import staging as publish
from anonsql.release.recoding import (
    By,
    ByBuckets,
    ByGroups,
    ByLevels,
    BySeparation,
    Recoding,
    Relocation,
    Suppression,
)
from anonsql.risks import people
from anonsql.search import algorithms
from anonsql.search.plan import Plan
from anonsql.search.roll_up import RollUps
from anonsql.system.journal import log


def search(job: Job) -> None:
    """Every satisfying full-domain generalization, unless the policy names the one to publish or a method that needs none."""
    method = job.policy.method
    if isinstance(method, FullSubtree) or (isinstance(method, Leveled) and method.levels is None):
        search_all(job)


def search_all(job: Job) -> None:
    """Every satisfying generalization."""
    known = job.catalog.known_sizes(
        fingerprint.of_cells(job.engine, job.star, job.promise, job.coded)
    )
    method = job.policy.method if isinstance(job.policy.method, Leveled) else FullDomain()
    limit = job.policy.privacy.max_suppressed(job.rows)
    plan = Plan(
        job.sets, _combinations(job), known, limit, method.algorithm, method.roll_up, job.progress
    )
    job.found = algorithms.search(plan, job.catalog, job.roll_ups)
    job.searched = True
    full_domain.require_some(job.policy, job.sets, job.found, plan.combinations)
    _owe_nothing_together(job)


def record_lattice(job: Job) -> None:
    """Keep what the search knows of every node, for whoever asks the catalog."""
    if job.searched:
        job.catalog.record_nodes(job.run, job.star, job.found)


def _owe_nothing_together(job: Job) -> None:
    """Where several combinations of columns keep the promise each by itself, all of them together owe none."""
    if job.policy.privacy.several:
        job.roll_ups.close()
        job.promise = job.promise.without()
        job.sets = job.sets.under(job.promise)
        job.roll_ups = RollUps(job.sets)


def _combinations(job: Job) -> tuple[tuple[int, ...], ...]:
    """The attributes that must keep the promise together, by index."""
    indices = {each.name: each.index for each in job.attributes}
    return tuple(tuple(indices[name] for name in names) for names in job.policy.combinations)


def choose(job: Job) -> None:
    """What each row's values become, and how useful that is."""
    if isinstance(job.policy.method, Leveled):
        choose_levels(job)
    elif isinstance(job.policy.method, Anatomy):
        choose_separation(job)
    elif isinstance(job.policy.method, Local):
        choose_buckets(job, job.policy.method)
    elif isinstance(job.policy.method, Hybrid):
        choose_relocation(job, job.policy.method)
    else:
        choose_groups(job)


def choose_levels(job: Job) -> None:
    """The full-domain generalization to publish."""
    settings = full_domain.settings(job.policy)
    if job.scheme is not None:
        job.node = full_domain.at_levels(job.policy, job.sets, job.scheme.levels)
    elif settings.levels is None:
        job.node = full_domain.choose(job.policy, job.sets, job.roll_ups, job.found)
    else:
        full_domain.require_satisfying(job.policy, job.sets, settings.levels, _combinations(job))
        _owe_nothing_together(job)
        job.node = full_domain.named(job.sets, settings.levels)
    job.roll_ups.close()
    frequencies = job.sets.classes(job.node.levels)
    publish.judge(job.sets, frequencies, job.chosen_classes)
    gcp = metrics.gcp(job.sets, job.chosen_classes, job.node)
    job.metrics = metrics.all_metrics(job.star, job.node, job.sets.k, gcp)
    sizes = job.node.sizes
    maskable = publish.maskable(job.sets, job.node, job.chosen_classes, frequencies)
    _recode(
        job,
        ByLevels(job.node.levels, job.chosen_classes),
        sizes.classes,
        sizes.min_class,
        sizes.suppressed,
        maskable=maskable,
    )
    _count_people(job, frequencies)


def choose_groups(job: Job) -> None:
    """Groups of cells, by any other method."""
    privacy, method = job.policy.privacy, job.policy.method
    starts = (
        full_domain.several(job.policy, job.sets, job.roll_ups, job.found, method.starts)
        if isinstance(method, FullSubtree)
        else []
    )
    cells = Cells(
        job.engine,
        job.star,
        job.promise,
        privacy.max_suppressed(job.rows),
        starts,
        job.coded,
        job.progress,
        job.context.journal.clock,
    )
    made = methods.group(cells, method)
    sizes = made.rings or groups.sizes(cells)
    groups.require_within_limit(cells, sizes)
    job.metrics = groups.measures(cells, sizes)
    by = ByGroups(made.forms, made.split, made.by_values, made.rings is not None, made.arrays)
    suppressed = job.rows - sizes.released
    _recode(
        job,
        by,
        sizes.classes,
        sizes.min_class,
        suppressed,
        maskable=suppressed > 0 and groups.maskable(cells),
    )
    _count_people(job)
    if sizes.expected is not None:
        job.told["expected_matches"] = rounded(sizes.expected)
    if isinstance(method, Ring) and method.seed is not None:
        log.warning(
            "method.seed is set: whoever knows it can undo the release. It is for tests; leave it out."
        )
        job.told["seeded"] = "yes"
    if made.optimal is not None:
        job.optimal = made.optimal
        job.told["optimal"] = str(made.optimal).lower()


def choose_separation(job: Job) -> None:
    """Groups of rows whose sensitive values are released apart."""
    sensitive, least = job.coded[0], int(job.policy.privacy.l_diversity[job.coded[0].name].least)
    if problem := anatomy.unfit(job.engine, sensitive, least, show_values=job.show_values):
        raise PrivacyError(f"{problem.where}: {problem.found} {problem.remedy}")
    by = anatomy.deal(job.rows, job.policy.privacy.k, least)
    anatomy.separate(job.engine, job.source, (job.attributes, job.released), sensitive, by)
    group = job.released[-1].position
    sizes = anatomy.sizes(job.engine, group)
    job.metrics = anatomy.measures(job.engine, job.attributes, sizes, group, job.policy.privacy.k)
    _recode(job, BySeparation(sensitive), sizes.groups, sizes.min_group, 0, maskable=False)
    job.told = {"identity": job.policy.identity, **job.told}


def choose_buckets(job: Job, method: Local) -> None:
    """Groups of the rows of each pattern, and buckets of what is sensitive to them."""
    marks, privacy = job.marks, job.policy.privacy
    if marks is None:
        raise InvariantError("no cell was marked")
    cells = Cells(job.engine, job.star, job.promise, privacy.max_suppressed(job.rows))
    local.require_within_limit(cells, job.widened.rows)
    widened = any(job.widened.widened.values())
    made, ncp = local.group(cells, method, marks, widened=widened)
    sizes = local.sizes(cells)
    job.hidden = local.hidden_cells(cells, marks) if widened else {}
    local.lay_out(cells, marks, widened=widened)
    dealt = buckets.promised(privacy, marks.bucketized, method.min_bucket)
    found = buckets.deal(job.engine, dealt, whole="marked", show_values=job.show_values)
    job.metrics = {**groups.measures(cells, sizes), "ncp": rounded(ncp)}
    _recode(
        job,
        ByBuckets(made.forms, marks, dealt),
        sizes.classes,
        sizes.min_class,
        job.widened.rows,
        maskable=False,
    )
    if privacy.t_closeness:
        job.told |= method.told
    names = {each.index: each.name for each in marks.bucketized}
    job.dealt = {names[each.index]: each for each in found}


def choose_relocation(job: Job, method: Hybrid) -> None:
    """Groups that some rows were relocated between: those of a full-domain generalization, or Mondrian's."""
    cells = Cells(
        job.engine,
        job.star,
        job.promise,
        job.policy.privacy.max_suppressed(job.rows),
        (),
        job.coded,
    )
    if method.recoding == "mondrian":
        made, job.relocated = hybrid_regions.relocate_regions(cells, method)
        levels = None
    else:
        relocated = hybrid.relocate_levels(cells, method, job.sets, job.roll_ups)
        if relocated is None:
            raise full_domain.nothing_relocates(job.policy, method, job.sets)
        made, job.relocated, levels = relocated
        job.roll_ups.close()
    sizes = groups.sizes(cells)
    groups.require_within_limit(cells, sizes)
    job.metrics = groups.measures(cells, sizes) | (
        {} if levels is None else {"height": metrics.height(levels)}
    )
    relocation = Relocation(
        job.relocated, method.max_cells(job.rows, len(job.attributes)), method.alpha, levels
    )
    by = ByGroups(made.forms, made.split, made.by_values, relocation=relocation)
    suppressed = job.rows - sizes.released
    _recode(
        job,
        by,
        sizes.classes,
        sizes.min_class,
        suppressed,
        maskable=suppressed > 0 and groups.maskable(cells),
    )
    job.told |= _relocated(job, method, job.relocated)


def _relocated(job: Job, method: Hybrid, found: Relocated) -> dict[str, object]:
    """What is told of the relocation: how much of what is released is not true, and of which column."""
    names = {each.index: each.name for each in job.attributes}
    counts: dict[str, object] = {"relocated_rows": found.rows, "relocated_cells": found.cells}
    return {
        **method.told,
        **counts,
        **{f"relocated_cells.{names[index]}": count for index, count in found.changed.items()},
    }


def _count_people(job: Job, frequencies: str = "") -> None:
    """Tell how many people the classes have, where k counts people."""
    found = people.of_recoding(job.engine, job.recoding, frequencies)
    job.told |= found.told if found is not None else {}


def _recode(
    job: Job, by: By, classes: int, min_class: int, suppressed: int, *, maskable: bool
) -> None:
    """Note what is to be published: its classes, the smallest one, suppressed rows, whether those may be masked."""
    suppression = Suppression.of(
        job.policy, suppressed, maskable, quarantine=job.scheme is not None
    )
    job.recoding = Recoding(job.promise, job.attributes, job.coded, by, job.released, suppression)
    several = job.policy.privacy.several
    counted = {} if several else {"classes": classes, "min_class": min_class}
    apart = (
        {"quasi_identifiers": "; ".join(", ".join(names) for names in job.policy.combinations)}
        if several
        else {}
    )
    job.told = {**apart, **counted, **job.metrics}
