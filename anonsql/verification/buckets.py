"""Independent verification of local buckets: queries that count offending rows, values and buckets,
on the release alone and on the buckets as the method made them."""

from __future__ import annotations

from anonsql.engines.base import Engine, Relation
from anonsql.star.bucket_promises import Bucketized


def bucket_offences(
    engine: Engine,
    rows: Relation,
    table: Relation,
    names: tuple[str, str, str],
    promise: Bucketized,
    *,
    label: str | None = None,
) -> list[str]:
    """Return how the buckets of one column break a rule: every row has a bucket that the table
    knows (or, of a semi-sensitive column, a bucket only where it has no ``label``), each bucket has
    as many rows as its values say, no value is listed in it twice, and it keeps the promise.
    ``names`` are the columns of the table: bucket (called so in the rows too), value, count.
    ``promise.coded`` is the column as it is in the table."""
    columns = engine.columns(table)
    if [column.name for column in columns] != list(names):
        return [
            f"the table of buckets has the columns {', '.join(column.name for column in columns)},"
            " not"
            f" {', '.join(names)}"
        ]
    bucket, value, count = names
    numbers = [
        *(column for column in engine.columns(rows) if column.name == bucket),
        columns[0],
        columns[2],
    ]
    if len(numbers) < 3 or any(number.type != "BIGINT" for number in numbers):
        return [f"{bucket} and {count} are not there in rows and table of buckets, or no integers"]
    parameters = {"sensitive": table, "bucket": bucket, "count": count}
    more = {
        "table": rows,
        "value": value,
        "label": label,
        "everywhere": label is None,
        "least": promise.smallest,
        "once": promise.least is not None,
    }
    result = engine.query("verification/bucket", **parameters, **more)[0]
    texts = (
        f"rows have a {bucket} that the table of buckets lacks",
        f"rows have no {bucket}, or a value beside it",
        f"values of {value!r} in buckets have no {bucket}, or a count below 1",
        f"pairs of {bucket} and value stand in the table of buckets more than once",
        f"buckets of {value!r} have another number of rows than their values say",
        f"buckets of {value!r} have fewer than {promise.smallest} rows",
        f"buckets of {value!r} have a value more than once",
    )
    offences = [f"{number:,} {what}" for number, what in zip(result, texts, strict=True) if number]
    if offences or promise.model is None:
        return offences
    judged = {"keys": ["k1"], "coded": [promise.coded], "promise": promise.promise}
    failing, cells = engine.query("verification/bucket_promise", **parameters, **judged)[0]
    if not failing:
        return []
    return [
        f"{failing:,} buckets of {value!r} with {cells:,} rows in all do not keep"
        f" {promise.model.words}"
    ]
