"""The proof of a staged release by anatomy against its source: queries that count offenders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from anonsql.engines.base import Column, Engine, Part, Relation
from anonsql.release.columns import ReleasedColumn
from anonsql.release.recoding import Recoding
from anonsql.star.coded import Coded
from anonsql.verification.compared import as_compared


class Apart(Protocol):
    """What is released apart, as the method tells it."""

    @property
    def sensitive(self) -> Coded:
        """The column that does not stand beside the rows."""

    @property
    def columns(self) -> Sequence[Column]:
        """The columns of the table of its values."""


def differences(
    engine: Engine,
    tables: Mapping[Part, Relation],
    source: Relation,
    recoding: Recoding,
    by: Apart,
) -> list[str]:
    """Where the release is not the source taken apart. The scratch table ``separated`` has what the
    release must not: each row with its sensitive value and its group. It must be the source as a
    multiset of rows less the group, the released rows less the sensitive value, and the released
    counts less all else: so the rows are the source's, every value is counted as often as it
    occurs, and that of each row in the row's own group."""
    compared = as_compared(engine, tables["rows"], recoding.released)
    recoding = replace(recoding, released=compared)
    *kept, group = recoding.released
    value = Column("s", by.columns[1].type)
    apart = ReleasedColumn(group.position + 1, "s", "label", value.type, value)
    made = [replace(each, name=f"r{each.position}") for each in kept]
    shared = {
        "attributes": recoding.attributes,
        "coded": [by.sensitive],
        "levels": {each.index: 0 for each in recoding.attributes},
    }
    numbers = [
        ReleasedColumn(number, each.name, "label", each.type, each)
        for number, each in enumerate(by.columns, start=1)
    ]
    found: tuple[tuple[str, str, Relation, Sequence[ReleasedColumn], dict[str, Any]], ...] = (
        (
            "the source taken apart",
            "verify/apart",
            ("separated",),
            [*made, apart],
            {"source": source, "kept": kept, **shared},
        ),
        ("those in the table of rows", "verify/apart_rows", tables["rows"], recoding.released, {}),
        (
            "counted in the table of sensitive values",
            "verify/apart_counts",
            tables["sensitive"],
            as_compared(engine, tables["sensitive"], numbers),
            {"group": group.position},
        ),
    )
    told = []
    for what, template, table, released, more in found:
        different, by_rows = engine.query(template, table=table, released=released, **more)[0]
        if different:
            told.append(f"{different:,} distinct rows, {by_rows:,} rows in all, are not {what}")
    return told
