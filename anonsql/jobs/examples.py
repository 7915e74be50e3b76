"""An example of the released values of each generalized column: those of one released row."""

from __future__ import annotations

from anonsql.engines.base import ReleaseTables
from anonsql.policy.table_plan import TablePlan
from anonsql.verification.facts import count_of, facts_of

_LONGEST = 60
"""Characters of an example: sets of values can be long."""


def of_release(release: ReleaseTables, policy: TablePlan) -> dict[str, str]:
    """Return a released value of each generalized column, by column, from the row in the middle. A
    column that is NULL there, as its value is in a bucket, has none."""
    there = {column.name for column in release.engine.columns(release.rows)}
    names = [name for name in policy.quasi_identifiers if name in there]
    if not names:
        return {}
    middle = count_of(facts_of(release), "rows") // 2
    asked = {"table": release.rows, "columns": names, "before": middle}
    rows = release.engine.query("jobs/example", **asked)
    values = zip(names, rows[0], strict=True) if rows else ()
    return {name: _text(value) for name, value in values if value is not None}


def _text(value: object) -> str:
    text = "{" + ",".join(map(str, value)) + "}" if isinstance(value, list) else str(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
