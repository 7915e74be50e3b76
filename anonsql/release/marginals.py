"""Writing ``<table>__marginals``: how many released rows have each value of each generalized
column.

A value is shown if at least k people have it (rows, where the policy counts rows). All others are
one remainder: either of no value, or of at least two values and k people; where the hidden values
are too few, the rarest shown value joins them. Such a value has k people itself, so one is enough.
How many values the remainder has is not shown.

Why classes still protect: the frequencies of a column depend on which values the released rows
have, not on which row has which. Exchange the values of two rows of one class: the release and its
frequencies stay as they are. So whoever knows a person's values still cannot tell the rows of the
class apart, and k, and what is promised of sensitive values in a class, hold as before. This fails
where rows that are released alike are no class, and where a promise is about more than the rows of
this release: the policy refuses these (:mod:`anonsql.policy.combinations`).

What the frequencies do reveal: values themselves. Where 34 is as frequent as all rows that may be
34, the rows of the class ``30-39`` are all 34.
"""

from __future__ import annotations

from typing import Any

from anonsql.engines.base import Column, Engine, Relation
from anonsql.engines.target import Target
from anonsql.errors import PolicyError
from anonsql.policy.release_parts import MARGINALS
from anonsql.release.recoding import Recoding

COLUMNS = (
    Column("column_name", "VARCHAR"),
    Column("kind", "VARCHAR"),
    Column("value", "VARCHAR"),
    Column("rows", "BIGINT"),
)
"""``kind``: a ``value``, ``null``, or ``others``: all values that are not shown."""
_ROWS, _COUNTS = "marginal_rows", "marginal_counts"


def stage(engine: Engine, target: Target, source: Relation, recoding: Recoding) -> None:
    """Count the released rows by value, and stage the table. Raise PolicyError where which rows are
    suppressed does not follow from their values."""
    suppression = recoding.suppression
    left_out = suppression.rows > 0 and not suppression.masked
    _, told = recoding.by.left_out() or ("", {})
    if left_out and told.get("split"):
        text = "rows with equal values are divided between groups, and some are left out."
        remedy = "Leave it out, or set `privacy.suppression_limit: 0`."
        raise PolicyError.at("release.marginals", text, remedy)
    people = recoding.promise.people
    shared: dict[str, Any] = {
        "attributes": recoding.attributes,
        "person": next((column for column in recoding.coded if column.index == people), None),
    }
    engine.run(
        "release/marginals/rows",
        source=source,
        left_out=left_out,
        levels=told.get("levels", {}),
        kept_classes=told.get("kept_classes", ""),
        valued=recoding.valued,
        **shared,
    )
    engine.run("release/marginals/counts", k=recoding.promise.k, **shared)
    target.stage(MARGINALS, "release/marginals/shown", COLUMNS, k=recoding.promise.k, **shared)
    for table in (_ROWS, _COUNTS):
        engine.drop(table)
