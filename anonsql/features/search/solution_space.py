"""Gather the solution space for pages: the generalizations that satisfy, their cost, and the
meaning of their levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonsql.features.search.document import ColumnShown, LevelShown, SearchNode, SolutionSpace
from anonsql.jobs import decisions
from anonsql.jobs.job import Job
from anonsql.measures import full_domain as metrics
from anonsql.methods.full_domain import choose
from anonsql.policy.yaml_text import quoted
from anonsql.privacy.promise import promised_facts
from anonsql.search import algorithms
from anonsql.search.results import SearchResult
from anonsql.search.roll_up import Measured
from anonsql.star.lattice import Levels, size
from anonsql.system.numbers import rounded

MOST = 1_000
"""Generalizations of least loss that a page shows, in addition to the front and the chosen one."""


def of_job(job: Job, nodes: Sequence[SearchNode] | None = None) -> SolutionSpace | None:
    """Return the solution space of a job that went through the stages of a search
    (:data:`anonsql.jobs.pipeline.SEARCH`); None where the policy's method does not choose one level
    for each column.

    ``nodes`` are the nodes that the search found, where the caller has measured them.
    """
    if not job.policy.method.decides_levels:
        return None
    star, found = job.schema.star, _complete(job)
    best = _chosen(job, found)
    if nodes is None or len(nodes) != len(found.nodes):
        nodes = _of_least_loss(job, found, best)
    published = None if best is None else _named(job, best)
    kept = shown(nodes, published)
    return SolutionSpace(
        table=job.first.source.name,
        rows=star.rows,
        k=job.policy.privacy.k,
        promises=promised_facts(job.policy.privacy),
        limit=job.policy.privacy.max_suppressed(star.rows),
        method=job.policy.method.type,
        minimize=_minimized(job),
        columns=_columns(job),
        size=size(star.bottom, star.top),
        satisfied=len(found.nodes),
        minimal=len(found.minimal),
        nodes=tuple(kept),
        front=tuple(front(kept)),
        chosen=next((at for at, node in enumerate(kept) if node.levels == published), None),
    )


def node_of(job: Job, node: Measured, *, minimal: bool) -> SearchNode:
    """Return a node that satisfies as documents have it."""
    suppressed = node.sizes.suppressed
    return SearchNode(
        levels=_named(job, node.levels),
        height=sum(node.levels.values()),
        minimal=minimal,
        suppressed=suppressed,
        classes=node.sizes.classes,
        min_class=node.sizes.min_class,
        loss=rounded(metrics.loss(job.schema.star, node.levels, suppressed, node.suppressed_loss)),
    )


def by_loss(node: SearchNode) -> tuple[object, ...]:
    """Return the key that sorts nodes: by loss, then by suppressed rows."""
    return node.loss, node.suppressed, tuple(node.levels.values())


def front(nodes: Sequence[SearchNode]) -> list[int]:
    """Return the places of the nodes, which are sorted by loss, that no other beats: none loses
    less and suppresses no more, or the other way."""
    places = list[int]()
    for at, node in enumerate(nodes):
        if not places or node.suppressed < nodes[places[-1]].suppressed:
            places.append(at)
    return places


def shown(nodes: Sequence[SearchNode], chosen: Mapping[str, int] | None) -> list[SearchNode]:
    """Return the nodes that a page shows, by loss."""
    ordered = sorted(nodes, key=by_loss)
    best = set(front(ordered))
    return [
        node for at, node in enumerate(ordered) if at < MOST or at in best or node.levels == chosen
    ]


def _named(job: Job, levels: Levels) -> dict[str, int]:
    return {column.name: levels[column.index] for column in job.counted.attributes}


def _minimized(job: Job) -> str | None:
    """Return the measure by which the chosen node is the best of all, if it is."""
    method = choose.settings(job.policy)
    given = method.levels is not None
    return None if given or method.algorithm in algorithms.INCOMPLETE else method.minimize


def _complete(job: Job) -> SearchResult:
    """Return every satisfying node, also where the policy's algorithm does not find all."""
    if choose.settings(job.policy).algorithm not in algorithms.INCOMPLETE:
        return job.schema.searched
    return decisions.search_completely(job)


def _columns(job: Job) -> tuple[ColumnShown, ...]:
    star, engine = job.schema.star, job.workbench.engine
    columns = []
    for attribute in star.attributes:
        examples = engine.query(
            "features/search/example_labels", a=attribute, k=job.policy.privacy.k
        )
        levels = range(attribute.min_level, attribute.max_level + 1)
        labels = examples[0] if examples else [None] * len(levels)
        shown = tuple(
            LevelShown(
                level=level,
                name=attribute.levels[level],
                example=label,
                lost=rounded(star.losses[attribute.index][level]),
            )
            for level, label in zip(levels, labels, strict=True)
        )
        name = attribute.name
        columns.append(ColumnShown(name=name, key=quoted(name), levels=shown))
    return tuple(columns)


def _of_least_loss(job: Job, found: SearchResult, chosen: Levels | None) -> list[SearchNode]:
    """Return the satisfying nodes that lose least by their levels alone, and the chosen one."""
    star = job.schema.star
    ordered = sorted(found.nodes, key=lambda node: (metrics.loss(star, found.nodes[node]), node))
    best = [node for at, node in enumerate(ordered) if at < MOST or found.nodes[node] == chosen]
    measured = job.schema.nodes.roll_ups.measured([found.nodes[node] for node in best])
    return [
        node_of(job, entry, minimal=node in found.minimal)
        for node, entry in zip(best, measured, strict=True)
    ]


def _chosen(job: Job, search_result: SearchResult) -> Levels | None:
    """Return the node that the policy publishes; None where its levels do not satisfy, or are no
    node of the lattice."""
    parameters = choose.settings(job.policy).levels
    if parameters is None:  # among those that its algorithm finds
        nodes, own = job.schema.nodes, job.schema.searched
        return choose.choose(job.policy, nodes.sets, nodes.roll_ups, own).levels
    levels = {
        attribute.index: parameters.get(attribute.name, -1) for attribute in job.counted.attributes
    }
    return levels if levels in search_result.nodes.values() else None
