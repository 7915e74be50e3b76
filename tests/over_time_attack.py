"""An attacker who has every release of a table that is released again and again, in code of his
own: he reads the releases, and shares nothing with what made them.

The worst case: he can tell which rows of two releases are the same person's (a kept column ``link``
gives it away), knows everybody's quasi-identifying values at every release, and who was in the
source. The people that he cannot tell from his target are those with the same trace: released in
the same classes, or absent, in all the releases that he looks at.
"""

import itertools
from collections import Counter, defaultdict

import numpy as np

from .support import rows_of


def seen(path, labels, sensitive=None):
    """What one release shows: {link: (class, sensitive value)}."""
    shown = ", ".join(f'"{item}"' for item in labels)
    other = f'"{sensitive}"' if sensitive else "NULL"
    found = rows_of(path, f"SELECT link, {other}, {shown} FROM r")
    return {link: (tuple(label), value) for link, value, *label in found}


def traces(releases):
    """Everybody who was ever released, by trace: {(class or None, …): [links]}."""
    found = defaultdict(list)
    for link in set().union(*releases):
        trace = tuple(release[link][0] if link in release else None for release in releases)
        found[trace].append(link)
    return found


def views(count):
    """What he may look at: single releases, all pairs, all runs of consecutive releases."""
    singles = [(one,) for one in range(count)]
    pairs = [(one, other) for one in range(count) for other in range(one + 1, count)]
    runs = [
        tuple(range(first, last)) for first in range(count) for last in range(first + 3, count + 1)
    ]
    return {"single releases": singles, "pairs": pairs, "runs": runs}


def attack(releases):
    """The fewest people that anybody is among, by kind of view, over all views of the kind."""
    found = traces(releases)
    numbers = defaultdict(itertools.count(1).__next__)  # of the classes; 0: absent
    table = np.array(
        [[0 if item is None else numbers[item] for item in trace] for trace in found],
        dtype=np.int64,
    )
    people = np.array([len(links) for links in found.values()])
    return {
        kind: min((fewest(table, people, view) for view in some), default=0)
        for kind, some in views(len(releases)).items()
    }


def fewest(table, people, view):
    """The fewest people that anybody is among, for who looks at the releases of the view: those
    who have the same trace in these, and are in one of them. ``table`` has a line for each trace in
    all releases, ``people`` how many have it."""
    alike = np.zeros(len(table), np.int64)
    for number in view:
        _, alike = np.unique(alike * (table.max() + 1) + table[:, number], return_inverse=True)
    counts = np.bincount(alike, people)
    there = table[:, list(view)].any(axis=1)
    return int(counts[alike[there]].min())


def exposed(releases, k):
    """How many people are among fewer than k, for who looks at all releases."""
    return sum(len(links) for links in traces(releases).values() if len(links) < k)


def fewest_values(releases):
    """The fewest different sensitive values that the rows of one trace were released with."""
    least = None
    for links in traces(releases).values():
        for release in releases:
            values = {release[link][1] for link in links if link in release}
            if values:
                least = len(values) if least is None else min(least, len(values))
    return least


def farthest(releases, sources):
    """The greatest distance (half the sum of differences) between the sensitive values of a trace's
    rows and those of the source, {value: rows}: of who looks at the releases up to any of them, in
    the last that he looks at."""
    greatest = 0.0
    for count, whole in enumerate(sources, start=1):
        last, size = releases[count - 1], sum(whole.values())
        for links in traces(releases[:count]).values():
            own = Counter(last[link][1] for link in links if link in last)
            if rows := sum(own.values()):
                apart = sum(abs(own[value] / rows - n / size) for value, n in whole.items())
                greatest = max(greatest, apart / 2)
    return greatest
