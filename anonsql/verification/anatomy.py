"""Independent verification of anatomy: queries that count offenders, on the release alone and against the source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from anonsql.engines.base import Column, Engine, Located, Part, Relation
from anonsql.policy.policy import Policy
from anonsql.release.columns import COUNT, GROUP, ReleasedColumn
from anonsql.release.recoding import BySeparation, Recoding
from anonsql.verification.compared import as_compared


def offences(release: Located, policy: Policy, columns: Sequence[Column]) -> list[str]:
    """What is wrong with the two tables of a release by themselves: that every row has a group, groups have as many rows in
    one table as in the other, no sensitive value stands twice for a group or makes up more than 1/l of it. ``columns`` are
    those of the rows."""
    sensitive = policy.separated or ""
    table = release.extras.get("sensitive")
    if table is None:
        return ["there is no table of sensitive values"]
    there = release.engine.columns(table)
    wanted = [GROUP.name, sensitive, COUNT.name]
    if [each.name for each in there] != wanted:
        return [
            f"the table of sensitive values has the columns {', '.join(each.name for each in there)}, not {', '.join(wanted)}"
        ]
    numbers = [*(each for each in columns if each.name == GROUP.name), there[0], there[2]]
    if len(numbers) < 3 or any(each.kind != "integer" for each in numbers):
        return [f"{GROUP.name} and {COUNT.name} are not there in both tables, or no integers"]
    least = int(policy.privacy.l_diversity[sensitive].least)
    parameters = {
        "table": release.rows,
        "sensitive": table,
        "group": GROUP.name,
        "value": sensitive,
        "count": COUNT.name,
        "least": least,
    }
    found = release.engine.query("verify/separated", **parameters)[0]
    told = (
        "rows have no group",
        "rows of the table of sensitive values have no group, or a count below 1",
        "pairs of group and sensitive value stand there more than once",
        "groups have another number of rows than their sensitive values say",
        f"groups have a sensitive value in more than 1/{least} of their rows",
    )
    return [f"{number:,} {what}" for number, what in zip(found, told, strict=True) if number]


def differences(
    engine: Engine,
    tables: Mapping[Part, Relation],
    source: Relation,
    recoding: Recoding,
    by: BySeparation,
) -> list[str]:
    """Where the release is not the source taken apart. The scratch table ``separated`` has what the release must not: each row
    with its sensitive value and its group. It must be the source as a multiset of rows less the group, the released rows
    less the sensitive value, and the released counts less all else: so the rows are the source's, every value is counted as
    often as it occurs, and that of each row in the row's own group."""
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
