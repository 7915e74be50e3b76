"""Gather what pages tell of the solution space: which generalizations satisfy and at what cost, and
which counted ones decide that the others fail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from anonsql.features.search.solution_document import (
    ColumnShown,
    Failing,
    LevelShown,
    Satisfying,
    SolutionSpace,
)
from anonsql.jobs import decisions
from anonsql.jobs.job import Job
from anonsql.measures import full_domain as metrics
from anonsql.methods.full_domain import choose
from anonsql.policy.yaml_text import quoted
from anonsql.privacy.promise import Promise, promised_facts
from anonsql.search import algorithms
from anonsql.search.measure import Measured, measure
from anonsql.search.results import SearchResult
from anonsql.star.lattice import Lattice, Levels, Nodes, maximal
from anonsql.system.numbers import rounded

MOST = 60_000
"""Satisfying and failing nodes that are told one by one at most: a page must stay small."""
BEST = 1_000
"""Satisfying nodes of least loss that are told where there are more."""


def of_job(
    job: Job,
    measured: Sequence[Measured] | None = None,
    chosen: Mapping[str, int] | None = None,
) -> SolutionSpace | None:
    """Return the solution space of a job that went through the stages of a search
    (:data:`anonsql.jobs.pipeline.SEARCH`); None where the policy's method does not choose one level
    for each column.

    ``measured`` are all satisfying nodes, where the caller has measured them; ``chosen`` are the
    published levels, which are those that the policy chooses where they are not given.
    """
    if not job.policy.method.decides_levels:
        return None
    star, search_result = job.schema.star, _complete(job)
    lattice = Lattice(
        tuple(attribute.index for attribute in star.attributes), star.bottom, star.top
    )
    failing = None
    if lattice.size <= algorithms.LARGE and len(search_result.nodes) <= MOST:
        failing = _failing(job, lattice, search_result)
    whole = failing is not None and len(failing.numbers) <= MOST
    best = _chosen(job, search_result, chosen)
    if measured is None or len(measured) != len(search_result.nodes):
        nodes = list(search_result.nodes.values()) if whole else _best(job, search_result, best)
        measured = measure(job.schema.nodes.roll_ups, nodes)
    elif not whole:
        measured = sorted(measured, key=lambda measured: _loss(job, measured))[:BEST]
    return SolutionSpace(
        table=job.policy.source.name,
        rows=star.rows,
        k=job.policy.privacy.k,
        promises=promised_facts(job.policy.privacy),
        limit=job.policy.privacy.max_suppressed(star.rows),
        method=job.policy.method.type,
        minimize=_minimized(job, chosen),
        columns=_columns(job),
        combinations=tuple(map(tuple, job.policy.combinations)),
        size=lattice.size,
        satisfied=len(search_result.nodes),
        minimal=len(search_result.minimal),
        whole=whole,
        satisfying=_satisfying(job, lattice, search_result, measured),
        failing=failing if whole and failing is not None else _none(),
        chosen=None if best is None else lattice.number(best),
    )


def _minimized(job: Job, chosen: Mapping[str, int] | None) -> str | None:
    """Return the measure by which the chosen node is the best of all, if it is."""
    method = choose.settings(job.policy)
    is_so = chosen is not None or method.levels is not None
    return None if is_so or method.algorithm in algorithms.INCOMPLETE else method.minimize


def _complete(job: Job) -> SearchResult:
    """Return every satisfying node, also where the policy's algorithm does not find all."""
    if choose.settings(job.policy).algorithm not in algorithms.INCOMPLETE:
        return job.schema.searched
    return decisions.search_completely(job, job.opened, job.counted, job.schema).searched


def _columns(job: Job) -> tuple[ColumnShown, ...]:
    star, engine = job.schema.star, job.workbench.engine
    column_showns = []
    for attribute in star.attributes:
        examples = engine.query(
            "features/search/example_labels", a=attribute, k=job.policy.privacy.k
        )
        levels = range(attribute.min_level, attribute.max_level + 1)
        labels = examples[0] if examples else [None] * len(levels)
        column_showns.append(
            ColumnShown(
                name=attribute.name,
                key=quoted(attribute.name),
                weight=star.weights[attribute.index],
                levels=tuple(
                    LevelShown(
                        level=level,
                        name=attribute.levels[level],
                        example=label,
                        lost=rounded(star.losses[attribute.index][level]),
                    )
                    for level, label in zip(levels, labels, strict=True)
                ),
            )
        )
    return tuple(column_showns)


def _best(job: Job, search_result: SearchResult, chosen: Levels | None) -> list[Levels]:
    """Return the satisfying nodes that lose least by their levels alone, and the chosen one."""
    star = job.schema.star
    least = sorted(
        search_result.nodes, key=lambda node: (metrics.loss(star, search_result.nodes[node]), node)
    )
    nodes = [search_result.nodes[node] for node in least[:BEST]]
    return nodes if chosen is None or chosen in nodes else [chosen, *nodes]


def _loss(job: Job, node: Measured) -> float:
    star, sizes = job.schema.star, node.sizes
    return rounded(metrics.loss(star, node.levels, sizes.suppressed, node.suppressed_loss))


def _satisfying(
    job: Job, lattice: Lattice, search_result: SearchResult, measured: Sequence[Measured]
) -> Satisfying:
    lowest = {lattice.number(search_result.nodes[node]) for node in search_result.minimal}
    numbered = {lattice.number(entry.levels): entry for entry in measured}
    nodes = sorted(numbered.items())
    return Satisfying(
        numbers=tuple(number for number, _ in nodes),
        loss=tuple(_loss(job, node) for _, node in nodes),
        suppressed=tuple(node.sizes.suppressed for _, node in nodes),
        classes=tuple(node.sizes.classes for _, node in nodes),
        min_class=tuple(node.sizes.min_class for _, node in nodes),
        minimal=tuple(number in lowest for number, _ in nodes),
    )


def _nodes(lattice: Lattice, many: Sequence[Levels]) -> Nodes:
    mask = lattice.none()
    if many:
        places = np.array([lattice.position(levels) for levels in many])
        mask[tuple(places.T)] = True
    return mask


def _none() -> Failing:
    return Failing(numbers=(), suppressed=(), alone=(), combination=())


def _failing(job: Job, lattice: Lattice, search_result: SearchResult) -> Failing | None:
    """Return counted nodes that fail, such that they decide all others that do; None where these
    are too many.

    A promise that generalization cannot break fails at every specialization of a node that fails:
    the maximal failing nodes decide all. Of another promise the part that generalization cannot
    break does, and the nodes that keep this part were all counted, each for itself. Nodes that
    only break a limit of the release as a whole decide nothing about others, and are left out.
    """
    limit = job.policy.privacy.max_suppressed(job.counted.rows)
    limited = _limited(job, lattice, search_result, limit)
    failing = ~_nodes(lattice, [*search_result.nodes.values(), *limited])
    promise = Promise.of(job.policy.privacy, job.counted.coded)
    if job.policy.privacy.several:
        return _of_several(job, lattice, maximal(failing), promise)
    core = promise.core(limit)
    alone = dict[int, int]()
    if core != promise:
        for levels, verdict in search_result.verdicts:
            whole = len(levels) == len(lattice.attributes) and verdict.node in search_result.sizes
            if whole and not verdict.satisfied and verdict.sizes is not None:
                if verdict.sizes.suppressed <= limit:
                    continue
                alone[lattice.number(levels)] = verdict.sizes.suppressed
        failing.ravel()[np.array(list(alone), dtype=np.int64) - 1] = False
    ends = lattice.levels(maximal(failing))
    if len(ends) + len(alone) > MOST:
        return None
    known = (
        {tuple(levels.items()): verdict.sizes for levels, verdict in search_result.verdicts}
        if core == promise
        else {}
    )
    missing = {
        number: levels
        for number, levels in ends.items()
        if known.get(tuple(levels.items())) is None
    }
    counted = job.schema.nodes.roll_ups.under(core).sizes(list(missing.values())) if missing else []
    sizes = dict(zip(missing, counted, strict=True))
    suppressed = dict(alone)
    for number, levels in ends.items():
        size = sizes.get(number) or known[tuple(levels.items())]
        suppressed[number] = size.suppressed if size is not None else 0
    order = sorted(suppressed)
    return Failing(
        numbers=tuple(order),
        suppressed=tuple(suppressed[number] for number in order),
        alone=tuple(number in alone for number in order),
        partly=core != promise,
        combination=(0,) * len(order),
    )


def _limited(job: Job, lattice: Lattice, search_result: SearchResult, limit: int) -> list[Levels]:
    """Return the nodes whose classes keep the promise and break a limit of the release as a
    whole."""
    if not job.policy.privacy.risk.limits:
        return []
    return [
        levels
        for levels, verdict in search_result.verdicts
        if len(levels) == len(lattice.attributes)
        and not verdict.satisfied
        and verdict.sizes is not None
        and verdict.sizes.suppressed <= limit
    ]


def _of_several(job: Job, lattice: Lattice, ends: Nodes, promise: Promise) -> Failing | None:
    """Return the maximal failing nodes, counted on the first combination of columns that breaks the
    promise; with several combinations no row may be suppressed."""
    left, names = (
        lattice.levels(ends),
        {attribute.name: attribute.index for attribute in job.counted.attributes},
    )
    if len(left) > MOST:
        return None
    suppressed, broken = dict[int, int](), dict[int, int]()
    roll_ups = job.schema.nodes.roll_ups.under(promise)
    for position, columns in enumerate(job.policy.combinations):
        parts = [
            {names[column]: levels[names[column]] for column in columns} for levels in left.values()
        ]
        for number, size in zip(list(left), roll_ups.sizes(parts) if parts else [], strict=True):
            if size.suppressed:
                suppressed[number], broken[number] = size.suppressed, position
                del left[number]
    order = sorted(suppressed)
    return Failing(
        numbers=tuple(order),
        suppressed=tuple(suppressed[number] for number in order),
        alone=(False,) * len(order),
        combination=tuple(broken[number] for number in order),
    )


def _chosen(
    job: Job, search_result: SearchResult, chosen: Mapping[str, int] | None
) -> Levels | None:
    """Return the node that the policy publishes; None where its levels do not satisfy, or are no
    node of the lattice."""
    parameters = chosen or choose.settings(job.policy).levels
    if parameters is None:  # among those that its algorithm finds
        nodes, own = job.schema.nodes, job.schema.searched
        return choose.choose(job.policy, nodes.sets, nodes.roll_ups, own).levels
    levels = {
        attribute.index: parameters.get(attribute.name, -1) for attribute in job.counted.attributes
    }
    return levels if levels in search_result.nodes.values() else None
