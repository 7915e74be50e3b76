"""Small policies of statistics over the same rows in every engine, and their cells in plain
Python."""

import itertools
import math
import random
from collections import defaultdict
from decimal import Decimal
from fractions import Fraction

from anonsql.policy.statistics import StatisticsPolicy

COLUMNS = {
    "who": "VARCHAR",
    "region": "VARCHAR",
    "age": "INTEGER",
    "kind": "VARCHAR",
    "cost": "DECIMAL(10,2)",
    "days": "INTEGER",
    "score": "DOUBLE",
}
COUNTRY = {"north": "one", "it's": "one", "é;*": "two", "": "two", "*": "two"}
BREAKS = [0, 18, 40]
KINDS = ["+a", 'say "b"', None, "-", "new\nline", "+A", "+a ", ""]


def rows(count=600, seed=3, people=300):
    """Rows whose people are in one cell, in several, and whose amounts are of both signs."""
    rnd = random.Random(seed)
    home = {}
    made = []
    for _ in range(count):
        who = f"p{rnd.randrange(people)}"
        region, age = home.setdefault(
            who, (rnd.choices([*COUNTRY, None], [40, 30, 20, 5, 5, 3])[0], rnd.randrange(0, 60))
        )
        if rnd.random() < 0.1:
            region = rnd.choice([*COUNTRY])
        kind = rnd.choices(KINDS, [40, 30, 10, 5, 5, 9, 9, 9])[0]
        cost = rnd.choice([None, Decimal(rnd.randrange(-500, 90000)) / 100])
        score = rnd.choice([None, 0.125, 2.5, -0.375, 1000.0625, 0.005])
        made.append((who, region, None if age > 55 else age, kind, cost, rnd.randrange(9), score))
    return made


def settings(*, circle=False, **protect):
    """The sections of a policy that are the same everywhere; its tables may form a ``circle``."""
    return {
        "statistics": {
            "by": {
                "region": {
                    "hierarchy": {
                        "type": "taxonomy",
                        "tree": {"one": ["north", "it's"], "two": ["é;*", "", "*"]},
                    }
                },
                "age": {"hierarchy": {"type": "breaks", "at": BREAKS}},
                "kind": {},
            },
            "of": {
                "n": "count",
                "people": {"count": "who"},
                "cost": {"sum": "cost"},
                "days": {"sum": "days"},
                "score": {"sum": "score"},
            },
            "tables": [
                {"by": ["region", "age"], "levels": {"age": 1}},
                {"by": ["kind", "region"], "levels": {"region": 1}, "name": "kinds"},
                *([{"by": ["age", "kind"], "levels": {"age": 1}}] if circle else []),
            ],
        },
        "protect": {"entity": "who", "threshold": 3, **protect},
    }


def policy_on(engine, *, circle=False, **protect):
    """A policy of statistics with its source and release on an engine."""
    source, place = engine.places()
    table = place.pop("table")
    if "." in table:
        place["schema"] = table.partition(".")[0]
    data = {**settings(circle=circle, **protect), "source": source, "release": place}
    return StatisticsPolicy.parse(data, engine.folder)


def interval(age):
    """The label of an age at the first level of its breaks."""
    if age is None:
        return None
    below = [at for at in BREAKS if at <= age]
    above = [at for at in BREAKS if at > age]
    return f">={below[-1]}" if not above else f"[{below[-1]},{above[0]})"


LEVELS = {
    "region": [lambda value: value, COUNTRY.get, lambda _: "*"],
    "age": [lambda value: None if value is None else str(value), interval, lambda _: "*"],
    "kind": [lambda value: value, lambda _: "*"],
}
"""The labels of a value at every level of its dimension."""
UNITS = {"cost": 100, "days": 1, "score": 100}


def units(name, value):
    """An amount in units of its last digit, rounded half up."""
    return math.floor(Fraction(value or 0) * UNITS[name] + Fraction(1, 2))


def cells(policy, given):
    """The cells of every table by the labels and levels of its dimensions: of each the rows, and by
    person the amounts."""
    names = list(COLUMNS)
    found = {name: {} for name in policy.tables}
    for row in given:
        by_name = dict(zip(names, row, strict=True))
        amounts = {name: units(name, by_name[name]) for name in UNITS}
        for name, table in policy.tables.items():
            choices = [
                [
                    (label(by_name[by]), level)
                    for level, label in enumerate(LEVELS[by])
                    if level >= table.levels.get(by, 0)
                ]
                for by in table.by
            ]
            for key in itertools.product(*choices):
                cell = found[name].setdefault(key, [0, defaultdict(lambda: defaultdict(int))])
                cell[0] += 1
                for of, amount in amounts.items():
                    cell[1][by_name["who"]][of] += amount
    return found


def true_values(cell):
    """What the measures of a cell are, in the order of the policy; sums in units."""
    rows_, people = cell
    return [
        rows_,
        len(people),
        *(sum(amounts[name] for amounts in people.values()) for name in UNITS),
    ]


def forbidden(protect, cell):
    """Whether each measure of a cell breaks a rule, by fractions."""
    few = protect.threshold is not None and len(cell[1]) < protect.threshold
    told = [few, few]
    for name in UNITS:
        amounts = sorted((abs(own[name]) for own in cell[1].values()), reverse=True)
        total, first = sum(amounts), amounts[0]
        broken = few
        if protect.dominance:
            share = Fraction(str(protect.dominance.share))
            broken |= sum(amounts[: protect.dominance.n]) > share * total
        if protect.p_percent:
            broken |= total - sum(amounts[:2]) < Fraction(str(protect.p_percent)) * first
        told.append(broken)
    return told
