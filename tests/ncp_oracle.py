"""Partitioning by the normalized certainty penalty, naively, on rows in Python.

A column is ("range", width of its domain) or ("tree", {value: its ancestors from level 0 to the
top}, {(level, label): leaves}, leaves of the domain). NULL in a range costs the whole column
together with anything else.
"""

from __future__ import annotations

import hashlib
import math
import random


def column_penalty(column, values):
    """What a group loses in a column, between 0 and 1."""
    values = set(values)
    if len(values) == 1:
        return 0.0
    if column[0] == "range":
        return 1.0 if None in values else (max(values) - min(values)) / column[1]
    _, paths, leaves, domain = column
    for level in range(1, len(next(iter(paths.values())))):
        above = {paths[value][level] for value in values}
        if len(above) == 1:
            return leaves[level, above.pop()] / domain
    raise AssertionError("a tree has no single top")


def penalty(columns, rows):
    """What a row of a group loses: the sum over its columns."""
    return sum(
        column_penalty(column, [row[place] for row in rows]) for place, column in enumerate(columns)
    )


def mean_penalty(columns, groups):
    """The mean over rows."""
    return sum(len(group) * penalty(columns, group) for group in groups) / sum(map(len, groups))


def tree(rows):
    """A column of hierarchy rows, labels from level 0 to the top."""
    paths = {row[0]: tuple(row) for row in rows}
    leaves = {}
    for path in paths.values():
        for level, label in enumerate(path):
            leaves[level, label] = leaves.get((level, label), 0) + 1
    return ("tree", paths, leaves, len(paths))


class Box:
    """What a group has become (of a range: least, greatest, whether NULL is in it; of a tree: a
    value and the level above it), and what it would lose with a row more."""

    def __init__(self, columns, row):
        self.columns, self.lost = columns, 0.0
        self.state = [
            (value, value, value is None if column[0] == "range" else 0)
            for column, value in zip(columns, row, strict=True)
        ]

    def with_row(self, row):
        """The state and the penalty of the group with a row more."""
        state, total = [], 0.0
        for column, before, value in zip(self.columns, self.state, row, strict=True):
            after, lost = _wider(column, before, value)
            state.append(after)
            total += lost
        return state, total

    def penalty_with(self, row):
        """What the group would lose with a row more."""
        return self.with_row(row)[1]

    def add(self, row):
        """Take a row in."""
        self.state, self.lost = self.with_row(row)


def _wider(column, state, value):
    """The state of a column of a box with a value more, and its penalty."""
    low, high, more = state
    if column[0] == "range":
        if value is None:
            more = True
        else:
            low, high = (value, value) if low is None else (min(low, value), max(high, value))
        return (low, high, more), 0.0 if low is None else 1.0 if more else (high - low) / column[1]
    _, paths, leaves, domain = column
    while paths[value][more] != paths[low][more]:
        more += 1
    return (low, high, more), leaves[more, paths[low][more]] / domain if more else 0.0


def sequential(columns, rows, k, seed, rule):
    """Xu et al., tuple by tuple in random order. A tuple joins the group that then loses less
    (``rule`` "lower"), or that loses less more than before ("grows"). A side below k takes the
    tuples that make it grow least."""
    chance, done, waiting = random.Random(seed), [], [list(rows)]
    while waiting:
        part = waiting.pop()
        if len(part) < 2 * k or len(set(part)) == 1:
            done.append(part)
            continue
        first = chance.choice(part)
        for _ in range(3):
            other = max(part, key=Box(columns, first).penalty_with)
            first, other = other, first
        boxes, sides = (Box(columns, first), Box(columns, other)), ([first], [other])
        rest = list(part)
        rest.remove(first)
        rest.remove(other)
        chance.shuffle(rest)
        for row in rest:
            costs = [box.with_row(row)[1] - (box.lost if rule == "grows" else 0) for box in boxes]
            if abs(costs[0] - costs[1]) < 1e-12:
                costs = [penalty(columns, [row, seeded]) for seeded in (first, other)]
            chosen = int(costs[1] < costs[0])
            boxes[chosen].add(row)
            sides[chosen].append(row)
        small = min((0, 1), key=lambda side: len(sides[side]))
        if (missing := k - len(sides[small])) > 0:
            donor = sorted(sides[1 - small], key=boxes[small].penalty_with)
            sides = (sides[small] + donor[:missing], donor[missing:])
        waiting += sides
    return done


def in_lines(points, k, total, cuts, share):
    """What :mod:`anonsql.methods.local.greedy_partition` does, part by part. ``points`` are (part,
    places, rows, ys); a y is a number with the width of its column, or (place, {other place: what
    both lose}). Gives the final parts as sets of places."""
    order = sorted(
        points,
        key=lambda point: (
            hashlib.md5(",".join(map(str, point[1])).encode()).hexdigest(),
            point[0],
        ),
    )
    cells = [
        (number, part, places, n, ys) for number, (part, places, n, ys) in enumerate(order, start=1)
    ]
    waiting, done = (
        [[cell for cell in cells if cell[1] == part] for part in {item[1] for item in cells}],
        [],
    )
    while waiting:
        part = waiting.pop()
        sides = _sides(part, k, total, cuts, share)
        if sides is None:
            done.append((part[0][1], frozenset(entry[2] for entry in part)))
        else:
            waiting += sides
    return set(done)


def _apart(one, other):
    found = 0.0
    for (kind, a, known), (_, b, _) in zip(one[4], other[4], strict=True):
        found += min(abs(a - b), known) if kind == "range" else known[b]
    return found


def _box(cells, seed):
    """What the cells lose, the seed's nodes counted in."""
    found = 0.0
    for place, (kind, _, known) in enumerate(seed[4]):
        values = [cell[4][place][1] for cell in cells]
        found += (
            min(max(values) - min(values), known)
            if kind == "range"
            else max(known[value] for value in values)
        )
    return found


def _sides(part, k, total, cuts, share):
    rows, heaviest = sum(item[3] for item in part), max(part, key=lambda each: (each[3], each[0]))
    if rows < 2 * k or rows - heaviest[3] < k:
        return None
    heavy = heaviest[3] >= k and heaviest[3] > rows - 2 * k

    def farthest(seed):
        return max(
            part, key=lambda item: (math.floor(_apart(seed, item) / total * 1000000000), item[0])
        )

    first = heaviest if heavy else farthest(min(part))
    last = farthest(first)

    def lean(each):
        if each in (first, last):
            return -2000000000 if each is first else 2000000000
        return math.floor((_apart(first, each) - _apart(last, each)) / total * 1000000000 + 0.5)

    line = sorted(part, key=lambda entry: (lean(entry), entry[0]))
    step = k * (1 + (rows - 2 * k) // (k * cuts))
    borders = range(k, rows - k + 1, step)
    tried = []
    for border in borders:
        below, at = 0, 0
        while below < border:
            below += line[at][3]
            at += 1
        if rows - below >= k:
            lower, upper = line[:at], line[at:]
            lost = math.floor(
                (below * _box(lower, first) + (rows - below) * _box(upper, last))
                / rows
                / total
                * 1000000000
                + 0.5
            )
            tried.append((min(below, rows - below) * share < rows, lost, border, lower, upper))
    return min(tried, key=lambda each: each[:3])[3:] if tried else None
