"""Prove a staged release by anatomy against its source, by queries that count offending rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from anonsql.engines.base import Column, Engine, Part, Relation
from anonsql.release.columns import ReleasedColumn
from anonsql.release.recoding import Recoding
from anonsql.verification.compared import as_compared, before_replacement

if TYPE_CHECKING:
    from anonsql.methods.anatomy.method import BySeparation


def differences(
    engine: Engine,
    tables: Mapping[Part, Relation],
    source: Relation,
    recoding: Recoding,
    by: BySeparation,
) -> list[str]:
    """Return where the release differs from the separated source.

    The scratch table ``separated`` has what must not be released: each row with both its sensitive
    value and its group. It is compared as a multiset three times: without the group it must equal
    the source, without the sensitive value the released rows, and its counts by group and sensitive
    value must equal the released counts. So the rows are the source's, every value is counted as
    often as it occurs, and each row's value is counted in its own group.
    """
    compared = as_compared(engine, tables["rows"], recoding.released)
    recoding = replace(recoding, released=compared)
    *kept, group = before_replacement(recoding.released)
    value = Column("s", by.columns[1].type)
    apart = ReleasedColumn(group.position + 1, "s", "label", value.type, value)
    made = [replace(column, name=f"r{column.position}") for column in kept]
    shared = {
        "attributes": recoding.attributes,
        "coded": [by.sensitive],
        "levels": {attribute.index: 0 for attribute in recoding.attributes},
    }
    numbers = [
        ReleasedColumn(number, column.name, "label", column.type, column)
        for number, column in enumerate(by.columns, start=1)
    ]
    released = recoding.released
    rows = {"dealt": "separated", "names": {r.position: f"r{r.position}" for r in released}}
    counts = {"dealt": "separated", "bucket": f"r{group.position}", "value": "s", "withheld": None}
    counted = as_compared(engine, tables["sensitive"], numbers)
    source_apart = engine.query(
        "verification/apart",
        table=("separated",),
        released=[*made, apart],
        source=source,
        kept=kept,
        **shared,
    )
    dealt_rows = engine.query(
        "verification/dealt_rows", table=tables["rows"], released=released, **rows
    )
    dealt_counts = engine.query(
        "verification/dealt_counts", table=tables["sensitive"], released=counted, **counts
    )
    return [
        f"{different:,} distinct rows ({by_rows:,} rows) are not {what}"
        for what, ((different, by_rows),) in (
            ("those of the separated source", source_apart),
            ("those in the table of rows", dealt_rows),
            ("those counted in the table of sensitive values", dealt_counts),
        )
        if different
    ]
