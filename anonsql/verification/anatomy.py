"""Independent verification of anatomy: queries that count offending rows and groups on the release
alone."""

from __future__ import annotations

from collections.abc import Sequence

from anonsql.engines.base import Column, ReleaseTables
from anonsql.policy.policy import Policy
from anonsql.release.columns import COUNT, GROUP


def offences(release: ReleaseTables, policy: Policy, columns: Sequence[Column]) -> list[str]:
    """Return how the two tables of a release break a rule of anatomy: every row has a group, groups
    have as many rows in one table as in the other, no sensitive value is listed twice for a group
    or makes up more than 1/l of it. ``columns`` are those of the rows."""
    sensitive = policy.separated or ""
    table = release.extras.get("sensitive")
    if table is None:
        return ["there is no table of sensitive values"]
    columns_of_values = release.engine.columns(table)
    wanted = [GROUP.name, sensitive, COUNT.name]
    if [column.name for column in columns_of_values] != wanted:
        return [
            "the table of sensitive values has the columns"
            f" {', '.join(column.name for column in columns_of_values)}, not {', '.join(wanted)}"
        ]
    numbers = [
        *(column for column in columns if column.name == GROUP.name),
        columns_of_values[0],
        columns_of_values[2],
    ]
    if len(numbers) < 3 or any(number.type != "BIGINT" for number in numbers):
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
    rows = release.engine.query("verification/separated", **parameters)[0]
    texts = (
        "rows have no group",
        "rows of the table of sensitive values have no group, or a count below 1",
        "pairs of group and sensitive value stand there more than once",
        "groups have another number of rows than their sensitive values say",
        f"groups have a sensitive value in more than 1/{least} of their rows",
    )
    return [f"{number:,} {what}" for number, what in zip(rows, texts, strict=True) if number]
