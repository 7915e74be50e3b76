"""Count the cells of published tables anew, from people gathered by labels."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from anonsql.policy.statistics import StatisticsPolicy
from anonsql.statistics.cubes import PORTION, levels_of
from anonsql.statistics.joined import Levels, Together, joined_tables
from anonsql.verification.statistics.compared import Compared
from anonsql.verification.statistics.gathered import People, levels_of_all


def joined_of(compared: Compared, policy: StatisticsPolicy, people: People) -> list[Levels]:
    """Return the tables that are not published and tie cells together, by the labels of people."""
    levels = levels_of_all(compared, policy)
    given: dict[str, Any] = {
        "rows": (people.table,),
        "attributes": compared.attributes,
        "levels": levels,
    }
    read = partial(compared.engine.numbers, "verification/statistics/occurring", **given)
    together = Together.of(compared.attributes, levels, read)
    return joined_tables([levels_of(table) for table in policy.tables.values()], together)


def recount(
    compared: Compared, policy: StatisticsPolicy, levels: Levels, table: str, people: People
) -> list[dict[int, int]]:
    """Count the cells of one table anew, which has these levels; return the vectors of its levels."""
    ranges = [
        range(levels[a.name], a.height + 1) if a.name in levels else [a.height]
        for a in compared.attributes
    ]
    indices = [a.index for a in compared.attributes]
    vectors = [dict(zip(indices, levels, strict=True)) for levels in itertools.product(*ranges)]
    engine, portions = compared.engine, list[str]()
    for first in range(0, len(vectors), PORTION):
        portions.append(f"{table}_{len(portions) + 1}")
        engine.run(
            "verification/statistics/recounted",
            all_attributes=compared.attributes,
            vectors=vectors[first : first + PORTION],
            rows=(people.table,),
            several=people.several,
            keyed=policy.protect.keyed,
            sums=compared.sums,
            ranked=compared.ranked(policy.protect),
            named=people.named,
            exclusive=people.exclusive,
            name=portions[-1],
        )
    engine.run("verification/statistics/together", portions=portions, name=table)
    for portion in portions:
        engine.drop(portion)
    return vectors


def recount_published(
    compared: Compared, policy: StatisticsPolicy, name: str, table: str, people: People
) -> None:
    """Count the cells of one published table anew."""
    vectors = recount(compared, policy, levels_of(policy.tables[name]), table, people)
    noise = policy.protect.noise
    if name in policy.zeros or (noise is not None and noise.domain == "public"):
        _complete(compared, policy, table, vectors, people)


def _complete(
    compared: Compared,
    policy: StatisticsPolicy,
    table: str,
    vectors: Sequence[Mapping[int, int]],
    people: People,
) -> None:
    """Add the cells that nobody is in to those that were counted anew: of a public domain, else of
    the labels that somebody has."""
    engine, portions = compared.engine, list[str]()
    for first in range(0, len(vectors), PORTION):
        portions.append(f"{table}_domain_{len(portions) + 1}")
        engine.run(
            "verification/statistics/domain",
            recounted=table,
            rows=(people.table,) if policy.protect.noise is None else None,
            all_attributes=compared.attributes,
            vectors=vectors[first : first + PORTION],
            ranked=compared.ranked(policy.protect),
            named=people.named,
            exclusive=people.exclusive,
            sums=compared.sums,
            name=portions[-1],
        )
    engine.drop(table)
    engine.run("verification/statistics/together", portions=portions, name=table)
    for portion in portions:
        engine.drop(portion)
