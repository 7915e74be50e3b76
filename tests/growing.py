"""Tables that change between releases, and their releases: for the attack on releases over time,
and its benchmarks."""

import csv
import random
from collections import Counter
from dataclasses import dataclass, field
from itertools import count as numbers

import anonsql

from . import over_time_attack as attacker
from .support import opened, policy_data, rows_of, write_data

QUASI = ("age", "sex", "race", "marital-status", "education", "native-country", "workclass")
SENSITIVE, KEPT = "occupation", "salary-class"
ADULT = {name: "INTEGER" if name == "age" else "VARCHAR" for name in (*QUASI, SENSITIVE, KEPT)}
"""The columns of Adult and their types, as its table has them that grows."""


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
        given += [list(item) for item in zip(*(self.rows[key] for key in keys), strict=True)]
        with opened(path) as connection:
            wanted = ", ".join(f'"{column}" {kinds[column]}' for column in columns)
            connection.execute(f"CREATE TABLE t ({wanted})")
            marks = ", ".join("UNNEST(?)" for _ in columns)
            connection.execute(f"INSERT INTO t SELECT {marks}", given)


@dataclass
class Release:
    """A release as its maker and the attacker see it: the report, rows of the source and those held
    back, the sensitive values of the source, {value: rows}, and who was released in which class
    with which value."""

    report: object
    rows: int
    held_back: int
    values: Counter
    shown: dict


def released(folder, policy, table, types, *, kept_levels=False):
    """The releases of a table by a policy (as it stands in YAML), one after the other; the table
    changes before the next one is asked for. ``kept_levels``: without a ledger, at the levels of
    the first release."""
    path = write_data(folder, policy)
    roles = {name: settings["role"] for name, settings in policy["columns"].items()}
    labels = [name for name in types if roles[name] == "quasi-identifying"]
    sensitive = next(name for name in types if roles[name] == "sensitive")
    at = list(types).index(sensitive)
    for number in numbers():
        table.write(folder / "source.duckdb", types)
        report = anonsql.apply(path, 1) if kept_levels and number else anonsql.run(path)
        facts = dict(rows_of(folder / "release.duckdb", "SELECT * FROM r__about"))
        yield Release(
            report,
            len(table.rows),
            int(facts.get("held_back", facts["suppressed"])),
            Counter(row[at] for row in table.rows.values()),
            attacker.seen(folder / "release.duckdb", labels, sensitive),
        )
        table.turn()


@dataclass
class Dealt:
    """The people of Adult in random order, dealt one after the other; when all are, again, as other
    people."""

    people: list
    dealt: int = 0

    def draw(self, rnd):
        if self.dealt % len(self.people) == 0:
            rnd.shuffle(self.people)
        self.dealt += 1
        return self.people[(self.dealt - 1) % len(self.people)]

    def correct(self, row, rnd):
        """The quasi-identifying values of somebody else."""
        return (*rnd.choice(self.people)[: len(QUASI)], *row[len(QUASI) :])


def adult(data, seed, **shares):
    """Adult as a table that grows, without a row yet; ``data`` is the folder of real tables."""
    with (data / "adult" / "adult.csv").open(newline="") as lines:
        rows = [[row[name] for name in ADULT] for row in csv.DictReader(lines)]
    people = Dealt([(int(age), *others) for age, *others in rows])
    return Growing(people.draw, people.correct, random.Random(seed), **shares)


def adult_policy(data, k, over_time=None, **promises):
    """The policy of its releases, as it stands in YAML."""
    trees = data / "adult" / "hierarchies"
    columns = {"id": "identifying", "link": "insensitive"}
    columns |= {name: {"type": "file", "path": str(trees / f"{name}.csv")} for name in QUASI}
    columns |= {SENSITIVE: "sensitive", KEPT: "insensitive"}
    return policy_over_time(columns, k, over_time, **promises)


def policy_over_time(columns, k, over_time=None, **promises):
    """A policy of releases that follow one another, without a ledger where nothing is said of
    it."""
    policy = policy_data(columns, k=k, limit=0.05, privacy=promises)
    if over_time is not None:
        policy["privacy"]["over_time"] = {"key": "id", **over_time}
    return policy
