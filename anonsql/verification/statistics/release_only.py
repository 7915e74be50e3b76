"""The proof of published tables without their source: their columns and facts; every cell is either
published or hidden; tables agree about shared cells; no count is below its least value; ratios
follow from the published measures; tables that hide empty cells have a row for every
combination."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property

from anonsql.engines import contents
from anonsql.engines.base import ReleaseTables
from anonsql.errors import VerificationError
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.policy.statistics_tables import CountOf, ShareOf, SumOf, TableOf
from anonsql.verification.checks import SOUND, Check, Need, broken
from anonsql.verification.statistics import columns, described, noise
from anonsql.verification.statistics.recount import Waived
from anonsql.verification.structure import own_offences

_CHANGED = (
    "The release may have been changed, or made by another version of anonsql. Do not pass it on;"
    " `anonsql tabulate` makes it again."
)
_DIGITS = 16


@dataclass(frozen=True)
class Found:
    """What published tables are by themselves: by table its rows; and by table and measure the
    cells that are hidden."""

    rows: Mapping[str, int]
    hidden: Mapping[str, Mapping[str, int]]


@dataclass
class Proof:
    """What is proved of published ``tables``. Checks add the ``offences``, and what they
    ``counted`` on each table."""

    tables: Mapping[str, ReleaseTables]
    policy: StatisticsPolicy
    offences: list[str] = field(default_factory=list)
    counted: dict[str, described.Counted] = field(default_factory=dict)

    @cached_property
    def waived(self) -> Waived:
        """The rows that the policy publishes by name, which may be of too few."""
        return described.waived(self.tables, self.policy)


def _each(
    check: Callable[[Proof, str, ReleaseTables], Iterable[str]],
) -> Callable[[Proof], list[str]]:
    return lambda proof: [
        text for name, table in proof.tables.items() for text in check(proof, name, table)
    ]


def _structure(proof: Proof) -> list[str]:
    """Return anything else stored with the tables or within their files, and the tables with other
    columns than a run's."""
    first = next(iter(proof.tables.values()))
    if first.unexpected_objects:
        return [contents.refusal(first.unexpected_objects)]
    offences = [contents.refusal(texts)] if (texts := first.within()) else []
    for name, table in proof.tables.items():
        offences += own_offences(table) or columns.offences(name, table, proof.policy)
    return offences


def _cells(proof: Proof, name: str, table: ReleaseTables) -> list[str]:
    policy, offences = proof.policy, list[str]()
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
        waived=proof.waived[name],
    )[0]
    if twice:
        offences.append(f"{name} has {twice:,} cells twice")
    if levels:
        offences.append(f"{name} has {levels:,} cells without a level of the table")
    if zeros and policy.protect.keyed:
        offences.append(f"{name} has {zeros:,} cells of 0, which reveals that they contain people")
    if name in policy.zeros:
        offences += _incomplete(name, table, policy, rows - twice)
    tops, numbers = dict(zip(by, numbers, strict=False)), numbers[len(by) :]
    hidden = {}
    for position, measure in enumerate(measures):
        hidden[measure], odd, few, finer = numbers[4 * position : 4 * position + 4]
        if odd:
            offences.append(f"{measure} of {name}: {odd:,} cells are neither published nor hidden")
        if few:
            or_odd = ", or not multiples of the base" if policy.protect.by == "rounding" else ""
            offences.append(f"{measure} of {name}: {few:,} values are too small{or_odd}")
        if finer:
            offences.append(f"{measure} of {name}: {finer:,} values have more digits than it has")
    proof.counted[name] = described.Counted(rows, hidden, tops)
    return offences


def _order(proof: Proof, name: str, table: ReleaseTables) -> list[str]:
    """Return an offence where the rows of a table are not in the order of their levels and labels:
    an order by hidden values would reveal them. Not where the engine has no order
    (``engine.own['stored_order']``)."""
    stored = table.engine.own["stored_order"]
    if not stored:
        return []
    ((astray,),) = table.engine.query(
        "verification/statistics/order",
        table=table.rows,
        dimensions=proof.policy.tables[name].by,
        stored=stored,
    )
    return [f"{name}: {astray:,} rows are not in the order of their labels"] if astray else []


def _incomplete(name: str, table: ReleaseTables, policy: StatisticsPolicy, cells: int) -> list[str]:
    """Return an offence where a table that hides its empty cells lacks a combination of its labels:
    it has so many different ``cells``."""
    labels = table.engine.query(
        "verification/statistics/complete",
        table=table.rows,
        dimensions=policy.tables[name].by,
    )
    lacking = math.prod(count for (count,) in labels) - cells
    return [f"{name} lacks {lacking:,} cells, which reveals that they are empty"] if lacking else []


def _least(policy: StatisticsPolicy) -> dict[str, int]:
    """Return the least count above 0 that may be shown, by measure. Where values are changed,
    counts of people decide which cells are hidden; counts of rows are changed independently. With
    noise, consistent counts and sums of non-negative amounts are 0 or more."""
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
    if policy.protect.by != "rounding":
        return {}
    rounding = policy.protect.rounding
    return {name: rounding.bases.get(name, rounding.base) for name in policy.measures}


def compared_pairs(tables: Mapping[str, TableOf]) -> list[tuple[str, str]]:
    """Return the pairs of tables to compare, so that all tables agree about shared cells. A pair is
    left out if an earlier table has all its shared cells: both are compared with that table."""
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


def _ratios(proof: Proof, name: str, table: ReleaseTables) -> list[str]:
    """Return where ratios of a table do not follow from its own measures to the last digit, or are
    shown although one of these is hidden."""
    found = []
    for ratio, of in proof.policy.ratios.items():
        above, below = of.ratio
        counts = table.engine.query(
            "verification/statistics/ratios",
            table=table.rows,
            ratio=ratio,
            above=above,
            below=below,
            step=Decimal("0.5").scaleb(-of.decimals),
            most=Decimal(10 ** (_DIGITS - of.decimals)),
            heights=described.stated_heights(table) if isinstance(of, ShareOf) else None,
        )[0]
        if wrong := sum(counts):
            found.append(
                f"{ratio} of {name}: {wrong:,} values do not follow from {above} and {below}"
            )
    return found


def _agreement(proof: Proof) -> list[str]:
    """Return where two tables say different things of the same cell: one that a table shows at the
    total of every dimension that the other has not."""
    tables, offences = proof.tables, list[str]()
    measures = list(proof.policy.statistics.of)
    for pair in compared_pairs(proof.policy.tables):
        (one, by), (other, by_other) = ((name, proof.policy.tables[name].by) for name in pair)
        counts = tables[one].engine.query(
            "verification/statistics/shared",
            one=tables[one].rows,
            other=tables[other].rows,
            inside=[name for name in by if name in by_other],
            only_one=[name for name in by if name not in by_other],
            only_other=[name for name in by_other if name not in by],
            measures=measures,
        )[0]
        offences += [
            f"{one} and {other} contradict each other in {count:,} cells of {measure}"
            for measure, count in zip(measures, counts, strict=True)
            if count
        ]
    return offences


NOISE = Need[Proof](lambda it: it.policy.protect.noise is not None, "values have no noise")

CHECKS: tuple[Check[Proof], ...] = (
    Check("the tables, their columns and types are those of a run", _structure, decisive=True),
    Check(
        "each cell occurs once, published or hidden, and no value is too small",
        _each(_cells),
    ),
    Check(
        "__about states every fact, and no others; __columns describes the columns correctly",
        _each(lambda it, name, table: described.offences(name, table, it.policy, it.counted[name])),
    ),
    Check(
        "the budget spent is stated, public domains are complete, and totals are the sums of"
        " their parts",
        _each(lambda it, name, table: noise.by_itself(name, table, it.policy)),
        (NOISE, SOUND),
    ),
    Check(
        "measures have the same type in all tables",
        lambda it: columns.unlike(it.tables, it.policy),
    ),
    Check("tables belong to one release", lambda it: described.unlike(it.tables, it.policy)),
    Check(
        "the stated noise spends no more than the budget",
        lambda it: noise.budget_offences(it.tables, it.policy),
        (NOISE,),
    ),
    Check("rows are in the order of their labels", _each(_order), (SOUND,)),
    Check("ratios follow from the published measures", _each(_ratios), (SOUND,)),
    Check("tables agree about their common cells", _agreement),
)


def verify(tables: Mapping[str, ReleaseTables], policy: StatisticsPolicy) -> Found:
    """Return what published tables are by themselves; raise VerificationError where one is not what
    the policy says."""
    proof = Proof(tables, policy)
    if offences := broken(CHECKS, proof):
        raise VerificationError(offences, _CHANGED if proof.counted else "")
    return Found(
        {name: found.rows for name, found in proof.counted.items()},
        {name: found.hidden for name, found in proof.counted.items()},
    )
