"""Published tables by themselves: their columns and facts, that every cell is either published or
hidden, that tables agree about the cells that they share, that no count is less than it may
be, and that tables which do not tell where nobody is have a row for every combination."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anonsql.engines import contents
from anonsql.engines.base import ReleaseTables
from anonsql.errors import VerificationError
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.policy.statistics_tables import CountOf, SumOf, TableOf
from anonsql.verification.statistics import columns, described, noise, noise_budget, ratios, waived
from anonsql.verification.statistics.compared import Row
from anonsql.verification.structure import own_offences

_CHANGED = (
    "Somebody may have changed the release, or another version of anonsql made it: hand it to nobody;"
    " `anonsql tabulate` makes it anew."
)


@dataclass(frozen=True)
class Found:
    """What published tables are by themselves: by table its rows; and by table and measure the
    cells that are hidden."""

    rows: Mapping[str, int]
    hidden: Mapping[str, Mapping[str, int]]


def verify(tables: Mapping[str, ReleaseTables], policy: StatisticsPolicy) -> Found:
    """Return what published tables are by themselves; raise VerificationError where one is not what
    the policy says."""
    first = next(iter(tables.values()))
    if first.strangers:
        raise VerificationError([contents.refusal(first.strangers)])
    offences = [contents.refusal(texts)] if (texts := first.within()) else []
    for name, table in tables.items():
        offences += own_offences(table) or columns.offences(name, table, policy)
    if offences:
        raise VerificationError(offences)
    counted = dict[str, described.Counted]()
    named = waived.waived(tables, policy)
    for name, table in tables.items():
        counted[name] = _cells(name, table, policy, named[name], offences)
        offences += described.offences(name, table, policy, counted[name])
        if not offences:
            offences += noise.by_itself(name, table, policy)
    offences += columns.unlike(tables, policy) + described.unlike(tables, policy)
    offences += noise_budget.offences(tables, policy)
    if not offences:
        for name, table in tables.items():
            offences += _order(name, table, policy) + ratios.offences(name, table, policy)
    for one, other in compared_pairs(policy.tables):
        offences += _shared(one, other, tables, policy)
    if offences:
        raise VerificationError(offences, _CHANGED)
    return Found(
        {name: found.rows for name, found in counted.items()},
        {name: found.hidden for name, found in counted.items()},
    )


def _cells(
    name: str,
    table: ReleaseTables,
    policy: StatisticsPolicy,
    named: Mapping[str, Sequence[Row]],
    offences: list[str],
) -> described.Counted:
    """Return what was counted on a table; add what is wrong with cells to the ``offences``. Rows
    that are ``named`` may be of too few."""
    measures, by = policy.statistics.of, policy.tables[name].by
    least = _least(policy)
    rows, twice, levels, zeros, *numbers = table.engine.query(
        "verification/statistics/cells",
        table=table.rows,
        dimensions=by,
        finest={dimension: policy.tables[name].levels.get(dimension, 0) for dimension in by},
        measures=list(measures),
        counts=list(least),
        ratios=list(policy.ratios),
        status=policy.protect.status,
        least=least,
        of_nobody=name in policy.zeros,
        bases=_bases(policy),
        scales=columns.scales(table, policy),
        waived=named,
    )[0]
    if twice:
        offences.append(f"{name} has {twice:,} cells twice")
    if levels:
        offences.append(f"{name} has {levels:,} cells without a level of the table")
    if zeros and policy.protect.keyed:
        offences.append(f"{name} has {zeros:,} cells of 0, which shows that people are in them")
    if name in policy.zeros:
        offences += _incomplete(name, table, policy, rows - twice)
    tops, numbers = dict(zip(by, numbers, strict=False)), numbers[len(by) :]
    hidden = {}
    for position, measure in enumerate(measures):
        hidden[measure], odd, few, finer = numbers[4 * position : 4 * position + 4]
        if odd:
            offences.append(f"{measure} of {name}: {odd:,} cells are neither shown nor hidden")
        if few:
            or_odd = ", or no multiples of the base" if policy.protect.by == "rounding" else ""
            offences.append(f"{measure} of {name}: {few:,} values are too small{or_odd}")
        if finer:
            offences.append(f"{measure} of {name}: {finer:,} values have more digits than it has")
    return described.Counted(rows, hidden, tops)


def _order(name: str, table: ReleaseTables, policy: StatisticsPolicy) -> list[str]:
    """Return an offence where the rows of a table lie in another order than that of their levels
    and labels: one of what nobody may see would tell it. Not where the engine has no order
    (``engine.own['stored_order']``)."""
    stored = table.engine.own["stored_order"]
    if not stored:
        return []
    ((astray,),) = table.engine.query(
        "verification/statistics/order",
        table=table.rows,
        dimensions=policy.tables[name].by,
        stored=stored,
    )
    return [f"{name}: {astray:,} rows lie in another order than their labels'"] if astray else []


def _incomplete(name: str, table: ReleaseTables, policy: StatisticsPolicy, cells: int) -> list[str]:
    """Return an offence where a table that hides its empty cells lacks a combination of its labels:
    it has so many different ``cells``."""
    labels = table.engine.query(
        "verification/statistics/complete",
        table=table.rows,
        dimensions=policy.tables[name].by,
    )
    lacking = math.prod(count for (count,) in labels) - cells
    return [f"{name} lacks {lacking:,} cells, which shows that they are empty"] if lacking else []


def _least(policy: StatisticsPolicy) -> dict[str, int]:
    """Return the least count above 0 that may be shown, by measure. Where values are changed those
    of people say which cells are hidden; those of rows are changed by themselves. With noise they,
    and sums of what is not negative, are 0 or more where they are made consistent."""
    protect = policy.protect
    if protect.noise is not None:
        clip = protect.noise.clip
        positive = protect.noise.consistent
        return {name: 0 for name in policy.measures if positive and clip.get(name, (0, 0))[0] >= 0}
    threshold = protect.threshold or 0
    by_itself = protect.cell_key.least if protect.by == "cell-key" else 0
    of_rows = by_itself if protect.changes else threshold
    measures = policy.measures.items()
    return {
        name: max(threshold, by_itself) if isinstance(measure, CountOf) else of_rows
        for name, measure in measures
        if not isinstance(measure, SumOf)
    }


def _bases(policy: StatisticsPolicy) -> dict[str, int]:
    """Return what the values of measures are multiples of."""
    if policy.protect.by != "rounding":
        return {}
    rounding = policy.protect.rounding
    return {name: rounding.bases.get(name, rounding.base) for name in policy.measures}


def compared_pairs(tables: Mapping[str, TableOf]) -> list[tuple[str, str]]:
    """Return the pairs of tables to be compared, so that all tables agree about cells that they
    share: none of which an earlier table has all shared cells, as both are compared with that
    one."""
    pairs, before = [], list[TableOf]()
    for one, table in tables.items():
        for other in list(tables)[len(before) + 1 :]:
            shared = [by for by in table.by if by in tables[other].by]
            finest = {
                by: max(of.levels.get(by, 0) for of in (table, tables[other])) for by in shared
            }
            if not any(
                all(by in of.by and of.levels.get(by, 0) <= finest[by] for by in shared)
                for of in before
            ):
                pairs.append((one, other))
        before.append(table)
    return pairs


def _shared(
    one: str, other: str, tables: Mapping[str, ReleaseTables], policy: StatisticsPolicy
) -> list[str]:
    """Return where two tables say different things of the same cell: one that a table shows at the
    total of every dimension that the other has not."""
    inside: Sequence[str] = [by for by in policy.tables[one].by if by in policy.tables[other].by]
    apart = [[by for by in policy.tables[name].by if by not in inside] for name in (one, other)]
    measures = list(policy.statistics.of)
    counts = tables[one].engine.query(
        "verification/statistics/shared",
        one=tables[one].rows,
        other=tables[other].rows,
        inside=inside,
        only_one=apart[0],
        only_other=apart[1],
        measures=measures,
    )[0]
    return [
        f"{one} and {other} say different things of {count:,} cells' {measure}"
        for measure, count in zip(measures, counts, strict=True)
        if count
    ]
