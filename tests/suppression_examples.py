"""Small tables that people are counted in, or their amounts added, in plain Python: the inputs of
the oracle of suppression. Nothing here comes from the product."""

from __future__ import annotations

import itertools
import json
import random
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp
from pathlib import Path
from typing import NamedTuple

import numpy as np

MOST_CELLS = 150
"""The random tables have no more cells, so that their optimum can be found."""
LINKS = (
    (["a", "b"], ["b", "c"]),
    (["a", "b"], ["b", "c"], ["c", "d"]),
    (["a", "b"], ["b", "c"], ["b", "d"]),
    (["a", "b", "c"], ["c", "d"]),
)
"""The dimensions of linked tables, which form no cycle."""
FEW = Fraction(1, 10)
"""The share of a sum by which it stays uncertain where few people are in the cell."""


GOLDEN = Path(__file__).parent / "golden_suppression.json"


@dataclass(frozen=True)
class Micro:
    """The rows behind an example, and what a policy of statistics says of them beside the places
    of its source and release. The first column names people."""

    columns: dict[str, str]
    rows: list[tuple]
    policy: dict


@dataclass(frozen=True)
class Example:
    """Published cells before any is hidden. ``relations`` holds the position of a cell and those of
    its parts, one level below it in one dimension."""

    cells: list[tuple[tuple[int, str], ...]]
    values: np.ndarray
    people: np.ndarray
    relations: list[tuple[int, list[int]]]
    primary: np.ndarray
    room: np.ndarray
    """How far an attacker believes that a cell can fall."""
    rise: np.ndarray
    fall: np.ndarray
    """By how much every primary cell must be able to rise and to fall; 0 asks for nothing."""
    holder: np.ndarray
    """The number of the only contributor of a cell, above 0; 0 where there are several."""
    cost: np.ndarray
    micro: Micro

    @property
    def kind(self) -> str:
        """The measure, and whether there are several tables, hierarchies and rules of sums."""
        policy = self.micro.policy
        by = policy["statistics"]["by"].values()
        words = ["sum" if "amount" in policy["statistics"]["of"] else "count"]
        words += ["linked"] * (len(policy["statistics"]["tables"]) > 1)
        words += ["hierarchy"] * any(map(bool, by))
        words += [rule for rule in ("p_percent", "dominance") if rule in policy["protect"]]
        return ", ".join(words)


def random_tables(seed: int, **more: str) -> Example:
    """Return random tables of random people: of all shapes, measures and rules, and ``more`` rules."""
    rnd = random.Random(seed)
    while True:
        dimensions, tables = _shape(rnd)
        sums = rnd.random() < 0.5
        rows = _rows(rnd, dimensions, rnd.randint(20, 150), several=sums)
        example = example_of(rows, dimensions, tables, _rules(rnd, sums) | more)
        few = example.primary.mean()
        if 8 <= len(example.cells) <= MOST_CELLS and 0 < few < 0.7:
            return example


class Golden(NamedTuple):
    """Random tables whose least cost is known. The ``kind`` ends in `lone` where it would be less if
    nobody knew the amounts of cells that they are alone in."""

    seed: int
    cost: int
    cells: int
    kind: str


def golden() -> list[Golden]:
    """Return the stored tables: tests/test_suppression_oracle.py writes them."""
    return [Golden(*line) for line in json.loads(GOLDEN.read_text("utf-8"))]


def people_150(seed: int) -> Example:
    """Return one table of counts of 150 people by 5, 2 and 6 values, threshold 5."""
    rnd = random.Random(seed)
    dimensions = {
        name: [
            {f"{name}{n}": f"{name}{n}" for n in range(size)},
            dict.fromkeys((f"{name}{n}" for n in range(size)), "*"),
        ]
        for name, size in (("a", 5), ("b", 2), ("c", 6))
    }
    rows = _rows(rnd, dimensions, 150, several=False)
    return example_of(rows, dimensions, [dict.fromkeys("abc", 0)], {"threshold": 5})


def _shape(rnd):
    """Draw the dimensions, each a list of mappings from leaves to labels, level by level; and the
    tables, each the least level of its dimensions."""
    if rnd.random() < 0.4:
        tables = rnd.choice(LINKS)
    else:
        tables = ([["a"], ["a", "b"], ["a", "b", "c"]][rnd.choices(range(3), [1, 4, 4])[0]],)
    names = sorted({name for table in tables for name in table})
    dimensions = {name: _dimension(rnd, name, rnd.randint(2, 6)) for name in names}
    least = [
        {
            name: rnd.randrange(len(dimensions[name]) - 1) if rnd.random() < 0.15 else 0
            for name in table
        }
        for table in tables
    ]
    return dimensions, least


def _dimension(rnd, name, size):
    """Draw the levels of a dimension: its leaves, groups of them or not, and the total."""
    leaves = [f"{name}{number}" for number in range(size)]
    levels = [{leaf: leaf for leaf in leaves}]
    wanted = rnd.choice([1, 1, 2]) if rnd.random() < 0.35 else 0
    for step in range(1, wanted + 1):
        below = list(dict.fromkeys(levels[-1].values()))
        if len(below) < 3:
            break
        groups = rnd.randint(2, len(below) - 1)
        of = {label: min(at, rnd.randrange(groups)) for at, label in enumerate(below)}
        levels.append({leaf: f"{name}-{step}-{of[levels[-1][leaf]]}" for leaf in leaves})
    return [*levels, dict.fromkeys(leaves, "*")]


def _rows(rnd, dimensions, people, *, several):
    """Draw rows: a number of a person, leaves, an amount. A person has up to three rows where
    there may be ``several``."""
    weights = {}
    for name, levels in dimensions.items():
        skew = rnd.choice([0, 0.7, 1.4])
        weights[name] = [1 / (at + 1) ** skew for at in range(len(levels[0]))]
    spread = rnd.choice([0.3, 0.8, 1.5])
    rows = []
    for who in range(1, people + 1):
        for _ in range(rnd.choice([1, 1, 1, 2, 3]) if several else 1):
            leaves = [
                rnd.choices(list(levels[0]), weights[name])[0]
                for name, levels in dimensions.items()
            ]
            rows.append((who, *leaves, 1 + int(exp(rnd.gauss(3, spread)))))
    return rows


def _rules(rnd, sums):
    """Draw what is protected of counts, or of sums."""
    threshold = {"threshold": rnd.randint(3, 6)}
    if not sums:
        return threshold
    p_percent = {"p_percent": rnd.choice([0.05, 0.1, 0.2])}
    dominance = {"dominance": rnd.choice([{"n": 1, "share": 0.6}, {"n": 2, "share": 0.85}])}
    return rnd.choice(
        [
            threshold,
            p_percent,
            dominance,
            threshold | p_percent,
            threshold | p_percent,
            threshold | dominance,
            threshold | p_percent | dominance,
        ]
    ) | {"sums": True}


def example_of(rows, dimensions, tables, rules):
    """Return the example of rows: its cells, and what the rules ask of each."""
    rules = dict(rules)
    sums = rules.pop("sums", False)
    names = list(dimensions)
    vectors = sorted({vector for table in tables for vector in _vectors(dimensions, table)})
    inside = defaultdict(lambda: defaultdict(int))
    for who, *leaves, amount in rows:
        for vector in vectors:
            cell = tuple(
                (level, dimensions[name][level][leaf])
                for name, level, leaf in zip(names, vector, leaves)
            )
            inside[cell][who] += amount if sums else 1
    cells = sorted(inside)
    asked = [needed_of(list(inside[cell].values()), rules, sums) for cell in cells]
    people = np.array([len(inside[cell]) for cell in cells])
    values = np.array([sum(inside[cell].values()) for cell in cells])
    primary, rise, fall = (np.array(column) for column in zip(*asked))
    return Example(
        cells=cells,
        values=values,
        people=people,
        relations=_relations(cells, dimensions, set(vectors)),
        primary=primary,
        room=values if sums else values - 1,
        rise=rise,
        fall=fall,
        holder=np.array([next(iter(inside[cell])) * (len(inside[cell]) == 1) for cell in cells]),
        cost=people + 1,
        micro=_micro(rows, dimensions, tables, rules, sums),
    )


def _vectors(dimensions, table):
    """Return the levels at which a table has cells: its own dimensions from the least level on,
    others at their total."""
    tops = {name: len(levels) - 1 for name, levels in dimensions.items()}
    return itertools.product(*(range(table.get(name, top), top + 1) for name, top in tops.items()))


def needed_of(amounts, rules, sums):
    """Return whether a cell of these contributors is primary, and by how much it must rise and
    fall."""
    few = len(amounts) < rules.get("threshold", 0)
    value = sum(amounts)
    if not sums:
        wanted = 2 * value if rules.get("uncertain") == "double" else rules["threshold"]
        return few, (max(value + 1, wanted) - value) * few, 0
    amounts = sorted(amounts, reverse=True)
    slack = [0]
    if few:
        slack.append(max(1, ceil(value * _share(rules.get("p_percent", FEW)))))
    if "p_percent" in rules:
        slack.append(ceil(_share(rules["p_percent"]) * amounts[0] - sum(amounts[2:])))
    if "dominance" in rules:
        top = sum(amounts[: rules["dominance"]["n"]])
        slack.append(ceil(top / _share(rules["dominance"]["share"]) - value))
    return max(slack) > 0, max(slack), min(value, max(slack))


def _share(given):
    return Fraction(str(given))


def _relations(cells, dimensions, vectors):
    """Return the cells with their parts, one level below in one dimension, wherever both are
    published."""
    position = {cell: at for at, cell in enumerate(cells)}
    parts = defaultdict(list)
    for at, cell in enumerate(cells):
        for number, (levels, (level, label)) in enumerate(zip(dimensions.values(), cell)):
            vector = tuple(own + (other == number) for other, (own, _) in enumerate(cell))
            if vector in vectors:
                leaf = next(leaf for leaf, own in levels[level].items() if own == label)
                above = (level + 1, levels[level + 1][leaf])
                whole = (*cell[:number], above, *cell[number + 1 :])
                parts[position[whole], number].append(at)
    return [(whole, below) for (whole, _), below in sorted(parts.items())]


def _micro(rows, dimensions, tables, rules, sums):
    """Return the rows with their policy: everything but source and release."""
    by = {name: _hierarchy(levels) for name, levels in dimensions.items()}
    return Micro(
        columns={"who": "INTEGER", **dict.fromkeys(dimensions, "VARCHAR"), "amount": "INTEGER"},
        rows=rows,
        policy={
            "statistics": {
                "by": by,
                "of": {"amount": {"sum": "amount"}} if sums else {"n": "count"},
                "tables": [
                    {"by": list(table), "levels": {name: low for name, low in table.items() if low}}
                    for table in tables
                ],
            },
            "protect": {"entity": "who", **rules},
        },
    )


def _hierarchy(levels):
    """Return a dimension as a policy has it: a tree of its groups, if it has any."""
    if len(levels) == 2:
        return {}
    tree = _groups(levels[1:-1][::-1], list(levels[0]))
    return {"hierarchy": {"type": "taxonomy", "tree": tree}}


def _groups(levels, leaves):
    """Return a tree of leaves by these levels, the highest first."""
    if not levels:
        return leaves
    members = defaultdict(list)
    for leaf in leaves:
        members[levels[0][leaf]].append(leaf)
    return {label: _groups(levels[1:], below) for label, below in members.items()}
