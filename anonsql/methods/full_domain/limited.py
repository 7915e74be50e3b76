"""Limits to the risk of a whole release, where one level is released of each column: which levels
keep them, and advice where none do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from anonsql.errors import PrivacyError
from anonsql.policy.table_plan import TablePlan
from anonsql.privacy.risk import Reached, offence
from anonsql.risks import limits
from anonsql.search.frequency import FrequencySets
from anonsql.search.release_limits import ReleaseLimits
from anonsql.search.roll_up import RollUps
from anonsql.star.lattice import Levels


def of_policy(policy: TablePlan, sets: FrequencySets) -> ReleaseLimits | None:
    """Return the limits of a policy over the cells of its table; None where it sets none."""
    risk = policy.privacy.risk
    if not risk.limits:
        return None
    judge = partial(limits.reached, risk, share=risk.share(sets.star.rows))
    return ReleaseLimits(sets, judge, limits.monotone(risk))


def require_kept(policy: TablePlan, sets: FrequencySets, levels: Levels) -> None:
    """Raise PrivacyError where the classes at these levels break a limit, saying what is enough."""
    release = of_policy(policy, sets)
    if release is None:
        return
    reached = release.of_nodes([levels], RollUps(sets))[0]
    if not all(limit.kept for limit in reached):
        raise PrivacyError(f"the levels are not high enough. {_texts(policy, reached)}")


def require_some(policy: TablePlan, release: ReleaseLimits, roll_ups: RollUps) -> None:
    """Raise PrivacyError, naming the least value of each limit that would be enough alone, where
    generalizations keep every class's promise and none keeps the limits. All of them were checked
    or, where the limits are monotone, the nearest ones."""
    nodes = list(release.reached.values())
    if not nodes or any(all(limit.kept for limit in reached) for reached in nodes):
        return
    best = min(nodes, key=lambda reached: sum(not limit.kept for limit in reached))
    ways = [*_higher(policy, release, roll_ups), *_relaxations(policy, nodes)]
    advice = ", or ".join(ways) or "relax more than one of the limits"
    raise PrivacyError(
        f"no generalization that keeps k={policy.privacy.k} and the other promises of classes"
        f" also keeps the limits of the release. {_texts(policy, best)}"
        f" {advice[0].upper()}{advice[1:]}."
    )


def _texts(policy: TablePlan, reached: Iterable[Reached]) -> str:
    broken = [offence(policy.privacy.risk, limit) for limit in reached if not limit.kept]
    return "; ".join(broken) + "."


def _relaxations(policy: TablePlan, nodes: Sequence[Sequence[Reached]]) -> Iterator[str]:
    """Yield for each limit the least value at which some node would keep all of them."""
    for position, name in enumerate(policy.privacy.risk.limits):
        values = [
            value
            for reached in nodes
            if all(limit.kept for limit in reached if limit.name != name)
            and (value := reached[position].value) is not None
        ]
        if values:
            yield policy.privacy.risk.relaxed(name, limits.rounded_up(min(values)))


def _higher(policy: TablePlan, release: ReleaseLimits, roll_ups: RollUps) -> Iterator[str]:
    """Yield the columns capped below the top, where raising all of them is enough."""
    attributes = release.sets.star.attributes
    capped = [column for column in attributes if column.max_level < column.height]
    left = {
        column.index: column.max_level for column in attributes if column.max_level == column.height
    }
    if not capped:
        return
    if left:
        kept = release.within([left], roll_ups)[0]
    else:
        alone = limits.reached(
            policy.privacy.risk,
            [(release.sets.star.rows, 1)],
            policy.privacy.risk.share(release.sets.star.rows),
        )
        kept = all(limit.kept for limit in alone)
    if kept:
        yield f"raise max_level of {' and '.join(column.name for column in capped)} to the top"
