"""An attacker who has every release of a table that is released again and again, in code of his own:
he reads the releases, and shares nothing with what made them.

The worst case: he can tell which rows of two releases are the same person's (a kept column ``link``
gives it away), knows everybody's quasi-identifying values at every release, and who was in the
source. The people that he cannot tell from his target are those with the same trace: released in
the same classes, or absent, in all the releases that he looks at.
"""

import random
from collections import Counter, defaultdict
from dataclasses import dataclass, field

import duckdb


@dataclass
class Growing:
    """A table that changes between releases: a share of the rows grows, is deleted, is corrected.
    ``draw`` gives the values of a new row, ``correct`` those of a row that is corrected."""

    draw: object
    correct: object
    rnd: random.Random
    grows: float = 0.03
    deleted: float = 0.01
    corrected: float = 0.01
    rows: dict = field(default_factory=dict)
    born: int = 0

    def begin(self, count):
        self._add(count)

    def _add(self, count):
        for _ in range(count):
            self.rows[self.born] = self.draw(self.rnd)
            self.born += 1

    def turn(self):
        """One release later."""
        size = len(self.rows)
        for key in self.rnd.sample(sorted(self.rows), round(size * self.deleted)):
            del self.rows[key]
        for key in self.rnd.sample(sorted(self.rows), round(size * self.corrected)):
            self.rows[key] = self.correct(self.rows[key], self.rnd)
        self._add(round(size * self.grows))

    def write(self, path, types):
        """Write the table as it is now: id, link (a name of its own), and the values."""
        path.unlink(missing_ok=True)
        columns = ["id", "link", *types]
        kinds = {"id": "INTEGER", "link": "INTEGER", **types}
        keys = sorted(self.rows)
        given = [keys, [7919 * key % 999983 for key in keys]]
        given += [list(each) for each in zip(*(self.rows[key] for key in keys), strict=True)]
        with duckdb.connect(str(path)) as connection:
            wanted = ", ".join(f'"{each}" {kinds[each]}' for each in columns)
            connection.execute(f"CREATE TABLE t ({wanted})")
            marks = ", ".join("UNNEST(?)" for _ in columns)
            connection.execute(f"INSERT INTO t SELECT {marks}", given)


def seen(path, labels, sensitive=None):
    """What one release shows: {link: (class, sensitive value)}."""
    shown = ", ".join(f'"{each}"' for each in labels)
    other = f'"{sensitive}"' if sensitive else "NULL"
    with duckdb.connect(str(path), read_only=True) as connection:
        found = connection.execute(f"SELECT link, {other}, {shown} FROM r").fetchall()
    return {link: (tuple(label), value) for link, value, *label in found}


def traces(releases):
    """Everybody who was ever released, by trace: {(class or None, …): [links]}."""
    found = defaultdict(list)
    for link in set().union(*releases):
        trace = tuple(each[link][0] if link in each else None for each in releases)
        found[trace].append(link)
    return found


def fewest(releases):
    """The fewest people that anybody is among, for who looks at these releases together."""
    return min((len(links) for links in traces(releases).values()), default=0)


def views(count):
    """What he may look at: single releases, all pairs, all runs of consecutive releases."""
    singles = [(one,) for one in range(count)]
    pairs = [(one, other) for one in range(count) for other in range(one + 1, count)]
    runs = [
        tuple(range(first, last)) for first in range(count) for last in range(first + 3, count + 1)
    ]
    return {"single releases": singles, "pairs": pairs, "runs": runs}


def attack(releases):
    """The fewest candidates by kind of view, over all views of the kind."""
    return {
        kind: min((fewest([releases[n] for n in view]) for view in some), default=0)
        for kind, some in views(len(releases)).items()
    }


def exposed(releases, k):
    """How many people are among fewer than k, for who looks at all releases."""
    return sum(len(links) for links in traces(releases).values() if len(links) < k)


def fewest_values(releases):
    """The fewest different sensitive values that the rows of one trace were released with."""
    least = None
    for links in traces(releases).values():
        for each in releases:
            values = {each[link][1] for link in links if link in each}
            if values:
                least = len(values) if least is None else min(least, len(values))
    return least


def farthest(releases):
    """The greatest distance (half the sum of differences) between the sensitive values of a trace's
    rows in the last release and those of all of its rows."""
    last = releases[-1]
    whole = Counter(value for _, value in last.values())
    greatest = 0.0
    for links in traces(releases).values():
        own = Counter(last[link][1] for link in links if link in last)
        if size := sum(own.values()):
            apart = sum(
                abs(own[value] / size - count / len(last)) for value, count in whole.items()
            )
            greatest = max(greatest, apart / 2)
    return greatest
