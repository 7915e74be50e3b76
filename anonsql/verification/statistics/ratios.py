"""Means, rates and shares of published tables, held against the published measures that they are
made of."""

from __future__ import annotations

from decimal import Decimal

from anonsql.engines.base import ReleaseTables
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.policy.statistics_tables import ShareOf
from anonsql.verification.statistics.described import stated_heights

_DIGITS = 16


def offences(name: str, table: ReleaseTables, policy: StatisticsPolicy) -> list[str]:
    """Return where ratios of a table are not those of its own measures: not to the last digit, or
    shown where one of these is hidden."""
    found = []
    for ratio, of in policy.ratios.items():
        above, below = of.ratio
        counts = table.engine.query(
            "verification/statistics/ratios",
            table=table.rows,
            ratio=ratio,
            above=above,
            below=below,
            step=Decimal("0.5").scaleb(-of.decimals),
            most=Decimal(10 ** (_DIGITS - of.decimals)),
            heights=stated_heights(table) if isinstance(of, ShareOf) else None,
        )[0]
        if wrong := sum(counts):
            found.append(
                f"{ratio} of {name}: {wrong:,} values do not follow from {above} and {below}"
            )
    return found
