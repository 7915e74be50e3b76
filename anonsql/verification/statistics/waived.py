"""Cells that a policy publishes although a rule forbids it, looked up in published tables."""

from __future__ import annotations

from collections.abc import Mapping

from anonsql.engines.base import ReleaseTables
from anonsql.errors import VerificationError
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.policy.waivers import TOTAL
from anonsql.system.numbers import counted
from anonsql.verification.statistics.compared import Row, Waived
from anonsql.verification.statistics.described import stated_heights


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
