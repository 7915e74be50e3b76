"""Optimal partitions: of ordered values by their frequencies, and of values by what they go with.

Pure functions over counts: nothing here knows a database or a file.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from anonsql.system.arrays import np

if TYPE_CHECKING:
    from numpy.typing import NDArray


Floats: TypeAlias = "NDArray[np.float64]"
_LEAST_SHARE = 4  # a group has at least this part of the rows that even groups would have


def sizes(levels: int, values: int) -> list[int]:
    """Return how many groups the levels between the values and the top have, the finest first:
    4, 8, 16, … from the top down, and no more than half as many as there are values.

    >>> sizes(4, 1000)
    [16, 8, 4]
    >>> sizes(4, 12)
    [6, 4]
    """
    wanted = [2 ** (level + 1) for level in range(levels - 1, 0, -1)]
    most = max(values // 2, 2)
    kept = sorted({min(groups, most) for groups in wanted}, reverse=True)
    return [groups for groups in kept if 1 < groups < values]


def nested(rows: Sequence[int], leaves: Sequence[int], groups: Sequence[int]) -> list[list[int]]:
    """Return partitions of ordered values, each made of the groups of the one before it: for each
    the positions of the first values of its groups. ``rows`` and ``leaves`` are the numbers of rows
    and leaves of each value; ``groups`` are the wanted numbers of groups, the most first. A
    partition that is no coarser than the one before is left out.

    >>> nested([5, 5, 1, 1, 1, 5], [1] * 6, [3, 2])
    [[0, 2, 5], [0, 2]]
    """
    starts = list(range(len(rows)))
    row_counts, leaf_counts = list(map(int, rows)), list(map(int, leaves))
    levels: list[list[int]] = []
    for wanted in groups:
        cuts = partition(row_counts, leaf_counts, wanted)
        if len(cuts) >= len(starts) or len(cuts) < 2:
            continue
        ends = [*cuts[1:], len(starts)]
        row_counts = [sum(row_counts[a:b]) for a, b in zip(cuts, ends, strict=True)]
        leaf_counts = [sum(leaf_counts[a:b]) for a, b in zip(cuts, ends, strict=True)]
        starts = [starts[cut] for cut in cuts]
        levels.append(starts)
    return levels


def partition(rows: Sequence[int], leaves: Sequence[int], groups: int) -> list[int]:
    """Return the first positions of the groups of an optimal partition of ordered values into at
    most ``groups`` groups, each with a quarter of an even group's rows or more: among partitions
    with most groups, the least sum over rows of the number of other values in the group. A dynamic
    program over pairs of positions."""
    count = len(rows)
    row_sums = np.concatenate([[0.0], np.cumsum(np.asarray(rows, dtype=np.float64))])
    leaf_sums = np.concatenate([[0.0], np.cumsum(np.asarray(leaves, dtype=np.float64))])
    inside = row_sums[None, :] - row_sums[:, None]  # rows from a position up to another
    cost = inside * (leaf_sums[None, :] - leaf_sums[:, None] - 1)
    least = row_sums[-1] / (_LEAST_SHARE * groups)
    cost[(inside < least) | (np.arange(count + 1)[:, None] >= np.arange(count + 1))] = np.inf
    best = np.full(count + 1, np.inf)
    best[0] = 0.0
    choices, losses = [], []
    for _ in range(min(groups, count)):
        total = best[:, None] + cost
        choices.append(total.argmin(axis=0))
        best = total.min(axis=0)
        losses.append(best[-1])
    most = max((n for n, loss in enumerate(losses, start=1) if np.isfinite(loss)), default=0)
    cuts, end = [], count
    for choice in reversed(choices[:most]):
        end = int(choice[end])
        cuts.append(end)
    return cuts[::-1] or [0]


def alike(counts: Floats, groups: Sequence[int]) -> list[list[int]]:
    """Return the group of every value at each level, by how often it goes with each of some other
    values (``counts``, values by other values, the most frequent values first). Two groups become
    one where that loses least information on the other values (Ward's rule with the divergence of
    Jensen and Shannon), from the values on until ``groups`` are left. Counts of rare values are
    drawn towards those of all."""
    rows = counts.sum(axis=1)
    share = counts.sum(axis=0) / counts.sum()
    many = min(len(rows), _MERGED)
    weights = list(rows[:many])
    spread = [(counts[i] + _DRAWN * share) / (rows[i] + _DRAWN) for i in range(many)]
    group_of = list(range(many))
    members: dict[int, list[int]] = {i: [i] for i in range(many)}
    cost = np.full((many, many), np.inf)
    for i in range(many):
        cost[i, i + 1 :] = [_loss(weights, spread, i, j) for j in range(i + 1, many)]
    levels: list[list[int]] = []
    for wanted in groups:
        while len(members) > wanted:
            i, j = divmod(int(cost.argmin()), many)
            total = weights[i] + weights[j]
            spread[i] = (weights[i] * spread[i] + weights[j] * spread[j]) / total
            weights[i] = total
            members[i] += members.pop(j)
            cost[j, :] = cost[:, j] = np.inf
            for other in members:
                if other != i:
                    cost[min(i, other), max(i, other)] = _loss(weights, spread, i, other)
        for name, some in members.items():
            for value in some:
                group_of[value] = name
        if not levels:
            for value in range(many, len(rows)):  # to the group that explains it best
                own = (counts[value] + _DRAWN * share) / (rows[value] + _DRAWN)
                name = min(members, key=lambda group: -float(own @ np.log(spread[group] + 1e-300)))
                members[name].append(value)
                group_of.append(name)
        levels.append(list(group_of))
    return levels


_MERGED = 300  # values that are merged pair by pair; rarer ones join their groups
_DRAWN = 5.0  # rows of the whole column that are added to every value's


def _loss(weights: Sequence[float], spread: Sequence[Floats], i: int, j: int) -> float:
    """Return the information on the other values that is lost where two groups become one."""
    a, b = spread[i], spread[j]
    both = (weights[i] * a + weights[j] * b) / (weights[i] + weights[j])
    with np.errstate(divide="ignore", invalid="ignore"):
        of_a = np.where(a > 0, a * np.log(a / both), 0.0).sum()
        of_b = np.where(b > 0, b * np.log(b / both), 0.0).sum()
    return float(weights[i] * of_a + weights[j] * of_b)


def prefixes(words: Sequence[str], groups: Sequence[int]) -> list[int]:
    """Return the lengths of prefixes that make about as many groups as wanted, longest first."""
    counts: dict[int, int] = {}
    longest = max((len(word) for word in words), default=0)
    most = max(groups, default=0)
    for length in range(1, longest):
        counts[length] = len({word[:length] for word in words})
        if counts[length] > 4 * most:
            break
    lengths: list[int] = []
    for wanted in groups:
        usable = {
            length: count
            for length, count in counts.items()
            if 1 < count < len(words) and (not lengths or count < counts[lengths[-1]])
        }
        if usable:
            lengths.append(min(usable, key=lambda n: (abs(np.log(usable[n] / wanted)), n)))
    return lengths
