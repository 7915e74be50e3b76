"""Writing ``<table>__marginals``: how many released rows have each value of each generalized
column.

A value is shown if at least k rows have it. All others are one remainder: either of no value, or of
at least two values and k rows. If the hidden values are too few, the rarest shown value joins them.
Such a value has k rows itself, so one is enough. How many values the remainder has is not shown.

Why classes still protect: the frequencies of a column depend on which values the released rows
have, not on which row has which. Exchange the quasi-identifying values of two rows of one class:
the release and its frequencies stay as they are. So an attacker who knows a person's values cannot
distinguish the rows of the class, and k and promises about sensitive values in a class hold as
before. The argument fails where rows with equal labels are no class, where people with several rows
are counted (which values are shown then depends on whose rows have them), and where a promise is
about more than the rows of this release. The policy refuses these
(:mod:`anonsql.policy.combinations`), and a run refuses to replace a release with other frequencies.

What the frequencies do reveal: values themselves. Where 34 is as frequent as all rows that may be
34, the rows of the class ``30-39`` are all 34. Rows and labels can also show how rare a hidden
value is.
"""

from __future__ import annotations

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
    left_out = suppression.rows > 0
    _, told = recoding.by.left_out() or ("", {})
    if left_out and told.get("split"):
        text = "rows with equal values are in different groups, and some of them are suppressed."
        remedy = "Leave it out, or set `privacy.suppression_limit: 0`."
        raise PolicyError.at("release.marginals", text, remedy)
    shared = {"attributes": recoding.attributes}
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
    engine.drop(_ROWS, _COUNTS)
