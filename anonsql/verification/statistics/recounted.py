"""Cells that were counted anew, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from anonsql.policy.statistics import StatisticsPolicy
from anonsql.statistics.cells import Cells
from anonsql.system.arrays import IntArray
from anonsql.verification.statistics.compared import Compared
from anonsql.verification.statistics.gathered import People


@dataclass(frozen=True)
class Recounted(Cells):
    """The cells of all published tables, each once: what was ``counted`` of them anew (see the
    template ``verification/statistics/recounted``), and what is published (by the position of a
    measure: h1 …, 1 where it is hidden, b1 …, the value, w1 …, 1 where it is waived). ``hashes`` are
    two numbers of each, where they are named."""

    hashes: Sequence[IntArray] = ()


def read(
    compared: Compared,
    policy: StatisticsPolicy,
    pairs: Sequence[tuple[str, str]],
    joined: Sequence[str],
    people: People,
    *,
    named: bool,
) -> Recounted:
    """Return the cells of all tables, counted anew, with what is told of them and what ties them
    together; with their names where they are ``named``. ``joined`` are counted tables that are not
    published."""
    engine, attributes, protect = compared.engine, compared.attributes, policy.protect
    columns = ["people", "n", *(f"m{entry.index}" for entry in compared.sums)]
    if compared.ranked(protect):
        columns += [f"{name}{entry.index}" for entry in compared.sums for name in "atxy"]
    if protect.keyed:
        columns.append("ck")
    if people.exclusive:
        columns.append("exclusive")
    positions = range(1, len(compared.measures) + 1)
    statuses = [f"{name}{position}" for position in positions for name in "hbw"]
    shared: dict[str, Any] = {"attributes": attributes}
    who = people.named
    kept = [*columns, "e"] if who else columns
    engine.run(
        "verification/statistics/audited",
        pairs=pairs,
        joined=joined,
        columns=kept,
        statuses=statuses,
        **shared,
    )
    engine.run("verification/statistics/parents", **shared)
    names = [*columns, *statuses, "u"]
    levels = [f"l{a.index}" for a in attributes]
    if protect.noise is not None or policy.zeros:
        names += levels
    arrays = engine.numbers("verification/statistics/audited_numbers", columns=names, named=who)
    if who:
        names.append("who")
    whole, dimension, part = engine.numbers("verification/statistics/ties", **shared)
    hashes: Sequence[IntArray] = ()
    if named:
        own = {"numbered": engine.own["hex_number"], **shared}
        hashes = engine.numbers("verification/statistics/names", **own)
    counted = dict(zip(names, arrays, strict=True))
    engine.drop("audited")
    engine.drop("parents")
    return Recounted(counted, (whole, dimension, part), counted["u"] == 1, hashes)
