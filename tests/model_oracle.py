"""Naive Python answers to whether a class keeps a model: from its rows and the whole table, one
value at a time."""

from __future__ import annotations

import math
from collections import Counter

NEAR = 1e-9


def shares(values):
    counts = Counter(values)
    return {value: count / len(values) for value, count in counts.items()}


def distinct(values, least):
    return len(set(values)) >= least


def span(values):
    """From the least to the greatest value; below 0 where there is none."""
    known = [value for value in values if value is not None]
    return max(known) - min(known) if known else -1


def entropy(values, least):
    return -sum(p * math.log(p) for p in shares(values).values()) >= math.log(least) - NEAR


def recursive(values, least, c):
    counts = sorted(Counter(values).values(), reverse=True)
    return counts[0] < c * sum(counts[least - 1 :])


def equal_distance(values, everything):
    inside, outside = shares(values), shares(everything)
    return sum(abs(inside.get(value, 0) - p) for value, p in outside.items()) / 2


def ordered_distance(values, everything, order):
    """``order``: the values of the whole table, in order."""
    inside, outside = shares(values), shares(everything)
    total = moved = 0.0
    for value in order:
        moved += inside.get(value, 0) - outside[value]
        total += abs(moved)
    return total / (len(order) - 1) if len(order) > 1 else 0.0


def hierarchical_distance(values, everything, paths):
    """By what each inner node has to pass between its children (Li et al. 2007, section 4.2):
    height / H times the smaller of what some have too much and others too little. ``paths``: value
    -> labels from level 0 to the top."""
    inside, outside = shares(values), shares(everything)
    height = len(next(iter(paths.values()))) - 1
    extra = {paths[value][0]: inside.get(value, 0) - p for value, p in outside.items()}
    cost, node_of = 0.0, {path[0]: path for path in paths.values()}
    for level in range(1, height + 1):
        children: dict = {}
        for name, amount in extra.items():
            children.setdefault(node_of[name][level], []).append(amount)
        for amounts in children.values():
            cost += (
                level
                / height
                * min(sum(x for x in amounts if x > 0), -sum(x for x in amounts if x < 0))
            )
        node_of = {path[level]: path for path in paths.values()}
        extra = {name: sum(amounts) for name, amounts in children.items()}
    return cost


def alpha(values, most, named=None):
    return all(
        p <= most + NEAR for value, p in shares(values).items() if named is None or value in named
    )


def presence(rows, population, least, most):
    return least * population - NEAR <= rows <= most * population + NEAR
