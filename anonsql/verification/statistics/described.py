"""Verification of ``__about`` and ``__columns`` of published tables: by the policy, by the rows,
and by the source. And of the rows that the policy publishes by name although a rule forbids it,
looked up in the tables."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anonsql.engines.base import OTHER_TABLES, ReleaseTables, StatedColumn
from anonsql.errors import VerificationError
from anonsql.hierarchies.dimensions import Attribute
from anonsql.policy.hierarchy import MAX_LEVELS
from anonsql.policy.protect import TOTAL
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.privacy import spending
from anonsql.statistics.noise.stating import PLAN
from anonsql.statistics.rounding import ALONE, CONTROLLED, WHY_ALONE
from anonsql.system.numbers import counted
from anonsql.verification.facts import facts_of
from anonsql.verification.stated import (
    RELEASE,
    VERSION,
    Exactly,
    Expected,
    Unproved,
    row_offences,
    stated_offences,
)
from anonsql.verification.statistics.noise import ADDITIVE
from anonsql.verification.statistics.recount import Row, Waived


@dataclass(frozen=True)
class Counted:
    """What was counted on a table: its ``rows``, by measure the cells that are ``hidden``, and by
    dimension the greatest level that a row has (-1 where there is no row)."""

    rows: int
    hidden: Mapping[str, int]
    tops: Mapping[str, int]


def offences(
    name: str, table: ReleaseTables, policy: StatisticsPolicy, counted: Counted
) -> list[str]:
    """Return the facts that a table states and must not, or must state and does not."""
    about, facts = facts_of(table), expected(name, policy, counted)
    rows = columns_of(name, table, policy, counted)
    stated = [*table.stated_columns]
    found = stated_offences(about, facts) + row_offences(stated, rows)
    if (about.get("additive") == "True") != (about.get("rounding") == CONTROLLED):
        found.append("__about states two ways in which values were rounded")
    if len(about) != len(table.stated_facts) or len(stated) > len({row[0] for row in stated}):
        found.append("__about or __columns states something twice, or not at all")
    elif not found and table.engine.own["stored_order"]:
        if list(about) != list(facts):
            found.append("__about has its facts in another order")
        if [row[0] for row in stated] != [row[0] for row in rows]:
            found.append("__columns has the columns in another order")
    return [f"{name}{text}" for text in found]


def expected(name: str, policy: StatisticsPolicy, counted: Counted) -> dict[str, Expected]:
    """Return what is expected of every fact of a table, in their order."""
    told: dict[str, object] = policy.facts_of(name)
    facts: dict[str, Expected] = {fact: Exactly(str(value)) for fact, value in told.items()}
    if policy.protect.noise is not None:
        # the spent budget and the plan of noise are verified separately
        facts |= {spending.SPENT: Unproved(spending.PATTERN), PLAN: Unproved(r"\[.*\]")}
        additive = Unproved(f"{re.escape(ADDITIVE)}|no")
        facts |= {f"additive.{measure}": additive for measure in policy.measures}
    if policy.protect.by == "rounding":
        controlled = policy.protect.rounding.controlled
        facts["additive"] = Unproved("True|False") if controlled else Exactly("False")
        asked, *others = (f"{ALONE}, {why}" for why in WHY_ALONE)
        stated = "|".join(map(re.escape, [CONTROLLED, *others]))
        facts["rounding"] = Unproved(stated) if controlled else Exactly(asked)
    facts["statistics"] = Exactly(json.dumps(policy.tables[name].by))
    facts["cells"] = Exactly(str(counted.rows))
    facts |= {
        f"hidden.{measure}": Exactly(str(counted.hidden[measure]))
        for measure in policy.statistics.of
    }
    first, *others = policy.tables
    if name == first:
        facts[OTHER_TABLES] = Exactly(json.dumps(others))
    return {**facts, "release": Unproved(RELEASE), "anonsql": Unproved(VERSION)}


def columns_of(
    name: str, table: ReleaseTables, policy: StatisticsPolicy, counted: Counted
) -> list[StatedColumn]:
    """Return the rows that ``__columns`` of a table must have, in their order. The level of totals
    is that of the rows; where these may lack the total of all, what is stated, if it can be."""
    protect, rows, heights = policy.protect, list[StatedColumn](), stated_heights(table)
    by_keys = protect.noise is not None and protect.noise.domain == "keys"
    for by in policy.tables[name].by:
        finest, top = policy.tables[name].levels.get(by, 0), counted.tops[by]
        least = max(finest + 1, top)
        if protect.keyed or by_keys or top < 0:
            stated = heights.get(by, least)
            least = stated if least <= stated <= MAX_LEVELS else least
        label = StatedColumn(by, "dimension", finest, "total-or-label", "label; `*` is the total")
        text = f"0 is a value, {least} the total"
        rows += [label, StatedColumn(f"{by}_level", "level", least, "level-number", text)]
    for measure in policy.statistics.of:
        role = "ratio" if measure in policy.ratios else "measure"
        rows.append(StatedColumn(measure, role, None, *policy.looks(measure)))
        text = f"{protect.status} or hidden"
        rows.append(StatedColumn(f"{measure}_status", "status", None, "status", text))
    return rows


def stated_heights(table: ReleaseTables) -> dict[str, int]:
    """Return the levels of the totals that a table states, by dimension."""
    return {
        one.name.removesuffix("_level"): one.level
        for one in table.stated_columns
        if one.role == "level" and one.level is not None
    }


def unlike(tables: Mapping[str, ReleaseTables], policy: StatisticsPolicy) -> list[str]:
    """Return what tables of one release say of it that differs from table to table: its number, and
    all else that is not of a table, and the levels of totals."""
    about = {name: facts_of(table) for name, table in tables.items()}
    first = next(iter(about.values()))
    names = ["release", "anonsql", spending.SPENT, "additive", "rounding"]
    names += [f"additive.{measure}" for measure in policy.measures]
    found = [
        f"{name}__about states {fact}={facts.get(fact)}, and the first table {first.get(fact)}"
        for name, facts in about.items()
        for fact in names
        if facts.get(fact) != first.get(fact)
    ]
    heights = dict[str, int]()
    for name, table in tables.items():
        for by, height in stated_heights(table).items():
            if heights.setdefault(by, height) != height:
                found.append(f"{name}__columns has another level for the total of {by}")
    return found


def against_source(
    tables: Mapping[str, ReleaseTables], attributes: Sequence[Attribute]
) -> list[str]:
    """Return the levels of totals that are not those of the source's dimensions."""
    heights = {attribute.name: attribute.height for attribute in attributes}
    return [
        f"{name}__columns states that {height} is the total of {by}, but it is {heights[by]}"
        for name, table in tables.items()
        for by, height in stated_heights(table).items()
        if heights[by] != height
    ]


def waived(tables: Mapping[str, ReleaseTables], policy: StatisticsPolicy) -> Waived:
    """Return the rows of all published tables that the policy publishes by name: a cell is a row of
    every table of its dimensions. Raise VerificationError where the policy names no cell, or
    several."""
    heights = {
        name: {by: stated_heights(table).get(by, -1) for by in policy.tables[name].by}
        for name, table in tables.items()
    }
    found: dict[str, dict[str, list[Row]]] = {
        name: {measure: [] for measure in policy.statistics.of} for name in tables
    }
    for number, waiver in enumerate(policy.protect.publish):
        rows = tables[waiver.table].engine.query(
            "verification/statistics/waived",
            table=tables[waiver.table].rows,
            heights=heights[waiver.table],
            labels=waiver.cell,
            levels=waiver.levels,
        )
        if len(rows) != 1:
            cells = f"{waiver.table} has {counted(len(rows), 'cell')}"
            raise VerificationError([f"{cells} that protect.publish[{number}] names"])
        levels = dict(zip(heights[waiver.table], rows[0], strict=True))
        for name, tops in heights.items():
            if waiver.cell.keys() <= tops.keys():
                row = {
                    by: (levels[by], waiver.cell[by]) if by in waiver.cell else (top, TOTAL)
                    for by, top in tops.items()
                }
                for measure in waiver.of or policy.statistics.of:
                    found[name][measure].append(row)
    return found
