"""Full-domain generalization: choose the node to publish among all that satisfy (Incognito,
sections 2.1 and 3.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anonsql.errors import InvariantError, PolicyError, PrivacyError, Problem
from anonsql.hierarchies.dimensions import Attribute
from anonsql.measures import full_domain as metrics
from anonsql.methods.full_domain import limited, relaxation
from anonsql.methods.full_domain.settings import FullDomain, Leveled
from anonsql.policy.method import MethodSettings
from anonsql.policy.table_plan import TablePlan
from anonsql.privacy.promise import promised_facts
from anonsql.search.frequency import FrequencySets
from anonsql.search.results import SearchResult
from anonsql.search.roll_up import Measured, RollUps
from anonsql.star.lattice import Lattice, Levels
from anonsql.system.arrays import np
from anonsql.system.numbers import rounded

if TYPE_CHECKING:
    from numpy.typing import NDArray

Combinations = Sequence[Sequence[int]]
"""Attributes, by index, that must keep the promise together: one list of all, or several."""
_BATCH = 64
_NEAR = 16


def settings(policy: TablePlan) -> Leveled:
    """Return the settings of full-domain generalization; raise PolicyError without them."""
    if not isinstance(policy.method, Leveled):
        text = (
            "this command needs levels that fully describe how a table is recoded, and the levels"
            f" of {policy.method.type!r} do not."
        )
        raise PolicyError.at("method.type", text, "Set it to full-domain, or use `anonsql run`.")
    return policy.method


def search_settings(method: MethodSettings) -> Leveled:
    """Return the settings of the lattice's search: the method's, or the defaults."""
    return method if isinstance(method, Leveled) else FullDomain()


@dataclass(frozen=True)
class LossAim:
    """The measure that a policy minimizes, as the aim of :mod:`anonsql.search.least`."""

    policy: TablePlan
    sets: FrequencySets
    roll_ups: RollUps
    bounds: NDArray[np.float64]

    def values(self, nodes: Sequence[Levels]) -> list[float]:
        """Return the values of some nodes."""
        return [
            _key(self.policy, self.sets, measured)[0] for measured in self.roll_ups.measured(nodes)
        ]


def aim(
    policy: TablePlan, sets: FrequencySets, roll_ups: RollUps, lattice: Lattice
) -> LossAim | None:
    """Return the aim of the search for the node to publish; None where the method needs more than
    one node, or the measure does not rate nodes by their levels."""
    if not isinstance(policy.method, Leveled):
        return None
    bounds = metrics.bounds(policy.method.minimize, sets.star, lattice)
    return None if bounds is None else LossAim(policy, sets, roll_ups, bounds)


def choose(
    policy: TablePlan, sets: FrequencySets, roll_ups: RollUps, search_result: SearchResult
) -> Measured:
    """Return the satisfying node that minimizes ``method.minimize``.

    Ties are broken by fewer suppressed rows, then lower height, then the smaller levels, compared
    column by column in policy order. Nodes are measured in the order of the least value that they
    can have, and no more of them than necessary.
    """
    bounds = {
        node: metrics.bound(search_settings(policy.method).minimize, sets.star, levels)
        for node, levels in search_result.nodes.items()
    }
    best: Measured | None = None
    order, start, size = sorted(bounds, key=lambda node: bounds[node]), 0, _BATCH
    while start < len(order):
        if best is not None and rounded(bounds[order[start]]) > _key(policy, sets, best)[0]:
            break
        batch = order[start : start + size]
        start, size = start + size, size * 2
        measured = roll_ups.measured([search_result.nodes[node] for node in batch])
        best = min(
            [*measured, *([best] if best else [])], key=lambda node: _key(policy, sets, node)
        )
    if best is None:
        raise InvariantError("the search found no node")
    return best


def several(
    policy: TablePlan,
    sets: FrequencySets,
    roll_ups: RollUps,
    search_result: SearchResult,
    count: int,
) -> list[Levels]:
    """Return the best node, and the best others among nodes with the least possible loss."""
    best, nodes = choose(policy, sets, roll_ups, search_result), search_result.nodes
    near = sorted(nodes, key=lambda node: (metrics.loss(sets.star, nodes[node]), node))[
        : _NEAR * count
    ]
    order = sorted(
        roll_ups.measured([nodes[node] for node in near]), key=lambda node: _key(policy, sets, node)
    )
    return [
        best.levels,
        *(measured.levels for measured in order if measured.levels != best.levels),
    ][:count]


def named(sets: FrequencySets, chosen_levels: Mapping[str, int]) -> Measured:
    """Return the node of ``method.levels``."""
    return _one(
        sets, {attribute.index: chosen_levels[attribute.name] for attribute in sets.star.attributes}
    )


def require_satisfying(
    policy: TablePlan,
    sets: FrequencySets,
    chosen_levels: Mapping[str, int],
    combinations: Combinations,
) -> None:
    """Raise PrivacyError when the node of ``method.levels`` does not satisfy."""
    levels = {attribute.index: chosen_levels[attribute.name] for attribute in sets.star.attributes}
    if failing := _failing(policy, sets, levels, combinations):
        raise PrivacyError(
            f"method.levels: these levels would suppress {failing.sizes.suppressed:,} of"
            f" {sets.star.rows:,} rows to reach {promise_of(policy)}"
            f"{_about(policy, sets, failing)}, more than the limit allows. `anonsql search` lists"
            " the levels that keep the promise. "
            + relaxation.advice(policy, sets, failing.levels, failing.sizes.suppressed)
        )
    limited.require_kept(policy, sets, levels)


def _failing(
    policy: TablePlan, sets: FrequencySets, levels: Levels, combinations: Combinations
) -> Measured | None:
    for combination in combinations:
        node = _one(sets, {index: levels[index] for index in combination})
        if node.sizes.suppressed > policy.privacy.max_suppressed(sets.star.rows):
            return node
    return None


def _about(policy: TablePlan, sets: FrequencySets, node: Measured) -> str:
    names = ", ".join(
        attribute.name for attribute in sets.star.attributes if attribute.index in node.levels
    )
    return f" on ({names})" if policy.privacy.several else ""


def at_levels(policy: TablePlan, sets: FrequencySets, levels: Mapping[str, int]) -> Measured:
    """Return the node of a published scheme, even if the rows in classes that break the promise
    exceed the limit. Raise PrivacyError when all rows are in such classes, or those of the others
    break a limit of the release."""
    node = named(sets, levels)
    if not node.sizes.classes:
        raise PrivacyError(
            f"with the scheme's levels all {sets.star.rows:,} rows are in classes that break"
            f" {promise_of(policy)}, so all would be quarantined. Wait for more rows, or release"
            " these with `anonsql run`."
        )
    limited.require_kept(policy, sets, node.levels)
    return node


def level_problems(levels: Mapping[str, int], attributes: Sequence[Attribute]) -> list[Problem]:
    """Return a problem for each of ``levels`` that does not exist or must not be released."""
    return [
        Problem(
            f"method.levels.{attribute.name}",
            f"there is no level {levels[attribute.name]}.",
            f"Choose {attribute.min_level} to {attribute.max_level}.",
        )
        for attribute in attributes
        if attribute.name in levels
        and not attribute.min_level <= levels[attribute.name] <= attribute.max_level
    ]


def require_some(
    policy: TablePlan, sets: FrequencySets, search_result: SearchResult, combinations: Combinations
) -> None:
    """Raise PrivacyError, naming promises that could be kept, when no node satisfies."""
    if not search_result.nodes:
        raise _nothing_satisfies(policy, sets, combinations)


def _key(
    policy: TablePlan, sets: FrequencySets, node: Measured
) -> tuple[float, int, int, tuple[int, ...]]:
    value = rounded(
        metrics.value(search_settings(policy.method).minimize, sets.star, node, sets.promise.k)
    )
    levels = tuple(node.levels[attribute.index] for attribute in sets.star.attributes)
    return value, node.sizes.suppressed, sum(levels), levels


def _one(sets: FrequencySets, levels: Levels) -> Measured:
    return RollUps(sets).measured([levels])[0]


def at_the_top(sets: FrequencySets) -> Measured:
    """Return the generalization to the highest levels."""
    return _one(sets, {attribute.index: attribute.max_level for attribute in sets.star.attributes})


def _nothing_satisfies(
    policy: TablePlan, sets: FrequencySets, combinations: Combinations
) -> PrivacyError:
    tops = {attribute.index: attribute.max_level for attribute in sets.star.attributes}
    top = _failing(policy, sets, tops, combinations) or at_the_top(sets)
    fail = "do not keep the promise" if promised_facts(policy.privacy) else "are too small"
    return PrivacyError(
        f"no generalization satisfies {promise_of(policy)}{_about(policy, sets, top)} with"
        f" suppression_limit={policy.privacy.suppression_limit}: even at the highest levels"
        f" {top.sizes.suppressed:,} of {sets.star.rows:,} rows are in groups that {fail}. "
        + relaxation.advice(policy, sets, top.levels, top.sizes.suppressed)
    )


def promise_of(policy: TablePlan) -> str:
    """Return the promise in a few words."""
    return ", ".join(
        [
            f"k={policy.privacy.k}",
            *(f"{name} {what}" for name, what in promised_facts(policy.privacy).items()),
        ]
    )
