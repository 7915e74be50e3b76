"""Small policies of statistics over the same rows in every engine, and their cells in plain Python."""

import itertools
import random
from collections import defaultdict
from decimal import Decimal

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


def rows(count=400, seed=3, people=200):
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


def settings(**protect):
    """The sections of a policy that are the same everywhere."""
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
            ],
        },
        "protect": {"entity": "who", "threshold": 3, **protect},
    }


def policy_on(engine, **protect):
    """A policy of statistics with its source and release on an engine."""
    source, place = engine.places()
    table = place.pop("table")
    if "." in table:
        place["schema"] = table.partition(".")[0]
    data = {**settings(**protect), "source": source, "release": place}
    return StatisticsPolicy.parse(data, engine.folder)
