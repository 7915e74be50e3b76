"""Cells that were counted anew, as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from anonsql.policy.statistics import StatisticsPolicy
from anonsql.statistics.cubes import Shown
from anonsql.statistics.relations import Relations, around, relations_of
from anonsql.statistics.suppression.boxes import Boxes
from anonsql.system.arrays import BoolArray, IntArray, np
from anonsql.verification.statistics.compared import Compared
from anonsql.verification.statistics.gathered import People


@dataclass(frozen=True)
class Recounted:
    """The cells of all published tables, each once: what was ``counted`` of them anew, by column
    (see the template ``verification/statistics/recounted``), what is told of them (by the position
    of a measure: h1 …, 1 where it is hidden, b1 …, the value), and what ``ties`` them together:
    whole, dimension and part. ``hashes`` are two numbers of each, where they are named."""

    counted: Mapping[str, IntArray]
    ties: Sequence[IntArray]
    hashes: Sequence[IntArray] = ()

    @property
    def size(self) -> int:
        """The number of cells."""
        return len(self.counted["people"])

    @property
    def unpublished(self) -> BoolArray:
        """The cells that no table has."""
        return np.asarray(self.counted["u"] == 1, np.bool_)

    @property
    def holder(self) -> IntArray:
        """Of cells of one person its number, above 0; 0 of others, where nobody is named, and of
        cells with parts that nobody is in: who knew to be alone there would know of these."""
        who = self.counted.get("who", np.zeros(self.size, np.int64))
        empty = self.counted["people"] == 0
        if not empty.any():
            return who
        return np.where(around(self.relations, empty), 0, who)

    @cached_property
    def relations(self) -> Relations:
        """What ties the cells together, as far as all measures but people go: sums of parts."""
        return relations_of(self.size, self.ties)

    @cached_property
    def boxes(self) -> Boxes | None:
        """The places of cells; None where there are too many."""
        return Boxes.of(self.size, self.ties, self.counted["people"])

    @property
    def exclusive(self) -> IntArray:
        """The people of every cell who are in no other combination of labels."""
        return self.counted.get("exclusive", self.counted["people"])

    def relations_of(self, measure: Shown) -> Relations:
        """Return what ties the values of a measure together."""
        people = self.counted["people"] if measure.people else None
        return relations_of(self.size, self.ties, people)


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
    statuses = [f"{name}{position}" for position in positions for name in "hb"]
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
    ties = engine.numbers("verification/statistics/ties", **shared)
    hashes: Sequence[IntArray] = ()
    if named:
        own = {"numbered": engine.own["hex_number"], **shared}
        hashes = engine.numbers("verification/statistics/names", **own)
    counted = dict(zip(names, arrays, strict=True))
    engine.drop("audited")
    engine.drop("parents")
    return Recounted(counted, ties, hashes)
