"""Full-domain generalization: choose the node to publish among all that satisfy (Incognito, sections 2.1 and 3.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from anonsql import metrics
from anonsql.errors import PolicyError, PrivacyError
from anonsql.lattice import Graph, Levels
from anonsql.policy import Policy
from anonsql.search.frequency import FrequencySets
from anonsql.search.incognito import Found
from anonsql.search.measure import Measured, measure

_BATCH = 16


def choose(policy: Policy, sets: FrequencySets, found: Found) -> Measured:
    """The satisfying node that minimizes ``method.minimize``, or the one of ``method.levels``.

    Ties are broken by fewer suppressed rows, then lower height, then the smaller levels, compared column by column in
    policy order. Raises PrivacyError when no node satisfies or the user's does not.
    """
    star, method = sets.star, policy.method
    if not found.graph.nodes:
        raise _nothing_satisfies(policy, sets)
    if method.levels is not None:
        return _users_node(policy, sets, found)
    best: Measured | None = None
    bounds = {node: metrics.bound(method.minimize, star, levels) for node, levels in found.graph.nodes.items()}
    if any(bound is None for bound in bounds.values()):
        return min(measure(sets, found.graph).values(), key=lambda node: _key(policy, sets, node))
    known = {node: bound for node, bound in bounds.items() if bound is not None}
    for batch in _batches(sorted(known, key=lambda node: known[node])):
        if best is not None and round(known[batch[0]], 12) > _key(policy, sets, best)[0]:
            break
        nodes = measure(sets, Graph.of({node: found.graph.nodes[node] for node in batch}, [])).values()
        best = min([*nodes, *([best] if best else [])], key=lambda node: _key(policy, sets, node))
    assert best is not None  # noqa: S101 - there is at least one node
    return best


def _key(policy: Policy, sets: FrequencySets, node: Measured) -> tuple[float, int, int, tuple[int, ...]]:
    """The order of preference; values are rounded so that it is the same whatever order an engine sums in."""
    value = round(metrics.value(policy.method.minimize, sets.star, node, sets.k), 12)
    levels = tuple(node.levels[attribute.index] for attribute in sets.star.attributes)
    return value, node.sizes.suppressed, sum(levels), levels


def _batches(nodes: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(nodes), _BATCH):
        yield nodes[start : start + _BATCH]


def _one(sets: FrequencySets, levels: Levels) -> Measured:
    return measure(sets, Graph.of({0: levels}, []))[0]


def _users_node(policy: Policy, sets: FrequencySets, found: Found) -> Measured:
    """The node of ``method.levels``."""
    asked = policy.method.levels or {}
    for attribute in sets.star.attributes:
        level = asked[attribute.name]
        if not attribute.min_level <= level <= attribute.max_level:
            allowed = f"Choose {attribute.min_level} to {attribute.max_level}."
            raise PolicyError.at(f"method.levels.{attribute.name}", f"there is no level {level}.", allowed)
    levels = {attribute.index: asked[attribute.name] for attribute in sets.star.attributes}
    node = _one(sets, levels)
    if levels not in found.graph.nodes.values():
        raise PrivacyError(
            f"method.levels: these levels would suppress {node.sizes.suppressed:,} of {sets.star.rows:,} rows to reach k={sets.k}, "
            f"more than the limit allows. `anonsql search` lists the levels that satisfy; or {_relaxation(sets, node)}"
        )
    return node


def _nothing_satisfies(policy: Policy, sets: FrequencySets) -> PrivacyError:
    """Only possible when max_level keeps the columns from their tops, or there are fewer than k rows."""
    top = _one(sets, {attribute.index: attribute.max_level for attribute in sets.star.attributes})
    capped = [attribute.name for attribute in sets.star.attributes if attribute.max_level < attribute.height]
    raise_levels = f"Raise max_level of {' or '.join(capped)}, or " if capped else ""
    return PrivacyError(
        f"no generalization satisfies k={sets.k} with suppression_limit={policy.privacy.suppression_limit}: even at the highest "
        f"levels {top.sizes.suppressed:,} of {sets.star.rows:,} rows lie in groups that are too small. "
        + raise_levels
        + _relaxation(sets, top)
    )


def _relaxation(sets: FrequencySets, node: Measured) -> str:
    """The suppression limit, rounded up to what can be written, at which a node would satisfy."""
    share = -(-node.sizes.suppressed * 10_000 // sets.star.rows) / 10_000
    return f"set privacy.suppression_limit to {share} for these levels." if share < 1 else "lower privacy.k."
