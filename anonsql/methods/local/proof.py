"""Prove a staged release by local generalization against its source, by queries that count
offending rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from anonsql.engines.base import Column, Engine, Part, Relation
from anonsql.release.columns import ReleasedColumn
from anonsql.release.recoding import Recoding
from anonsql.star.bucket_promises import Bucketized
from anonsql.verification.compared import as_compared

if TYPE_CHECKING:
    from anonsql.methods.local.method import ByBuckets


def differences(
    engine: Engine,
    tables: Mapping[Part, Relation],
    source: Relation,
    recoding: Recoding,
    by: ByBuckets,
) -> list[str]:
    """Return where the release differs from the source, generalized within groups and dealt to
    buckets.

    Scratch tables have what must not be released: ``local_rows`` each row with its group and
    sensitive values, ``bucketed`` with its buckets too. They must equal the source, marked anew,
    without the suppressed patterns; no sensitive entry may be generalized instead of withheld; the
    released rows must equal theirs; and the released buckets must count their values.
    """
    compared = as_compared(engine, tables["rows"], recoding.released)
    recoding = replace(recoding, released=compared)
    parameters = by.marks.parameters
    marked = engine.query("verification/marked", source=source, **parameters)[0]
    shown = [column for column in recoding.released if column.kind != "record"]
    numbers = {column.position: by.number(column) for column in shown}
    shared = {"table": tables["rows"], "released": shown, "numbers": numbers}
    released = engine.query("verification/bucketed", **shared)[0]
    exposed = engine.query("verification/exposed", **parameters)[0][0] if by.marks.semi else 0
    elsewhere, confused = engine.query("verification/grouped_rows", **parameters)[0]
    mixed, misplaced = (
        engine.query("verification/mixed", **parameters)[0] if by.marks.semi else (0, 0)
    )
    texts = [
        f"{different:,} distinct rows ({rows:,} rows) are not {what}"
        for (different, rows), what in (
            (marked, "the source's"),
            (released, "those with their groups and buckets"),
        )
        if different
    ]
    counted = {
        "patterns are released with a cell that is sensitive": exposed,
        "combinations of cells are in the wrong group": elsewhere,
        "groups and their numbers do not correspond": confused,
        "rows have withheld cells that are neither sensitive nor hidden": mixed,
        "rows have a cell in a bucket or withheld that should not be, or the reverse": (misplaced),
    }
    texts += [f"{number:,} {what}" for what, number in counted.items() if number]
    texts += _broken_promises(engine, source, by.dealt)
    apart = {column.index: tables[part] for part, column in by.parts.items()}
    return texts + bucket_differences(engine, by.dealt, apart)


def _broken_promises(engine: Engine, source: Relation, columns: Sequence[Bucketized]) -> list[str]:
    texts = []
    for column in columns:
        if column.model is None:
            continue
        broken, rows = engine.query(
            "verification/bucket_source",
            source=source,
            a=column.coded,
            keys=["k1"],
            promise=column.promise,
        )[0]
        if broken:
            texts.append(
                f"{broken:,} buckets of {column.coded.name!r} with {rows:,} rows do not keep"
                f" {column.model.words}"
            )
    return texts


def bucket_differences(
    engine: Engine, columns: Sequence[Bucketized], tables: Mapping[int, Relation]
) -> list[str]:
    """Return where the buckets differ from what was to be dealt.

    The scratch table ``bucketed`` has what must not be released: each row with both its buckets and
    its values. Without the buckets it must equal ``local_rows`` as a multiset of rows; and the
    published buckets, in ``tables`` by a column's index, must count its values. So every withheld
    value is counted as often as it occurs, and that of each row in the row's own bucket.
    """
    carried = engine.columns(("local_rows",))
    kept = [
        ReleasedColumn(number, column.name, "kept", column.type, column)
        for number, column in enumerate(carried, start=1)
    ]
    offences = []
    kept = as_compared(engine, ("bucketed",), kept)
    different, by_rows = engine.query(
        "verification/dealt_rows",
        table=("bucketed",),
        released=kept,
        dealt="local_rows",
        names={column.position: column.name for column in kept},
    )[0]
    if different:
        offences.append(
            f"{different:,} distinct rows ({by_rows:,} rows) are not those that were divided into"
            " buckets"
        )
    for bucketized in columns:
        table = tables[bucketized.index]
        dealt = Column("", bucketized.coded.cast or bucketized.coded.column.released_type)
        numbered = enumerate(engine.columns(table), start=1)
        columns_of = [
            ReleasedColumn(
                number, column.name, "label", (dealt if number == 2 else column).type, column
            )
            for number, column in numbered
        ]
        released = as_compared(engine, table, columns_of)
        different, by_rows = engine.query(
            "verification/dealt_counts",
            table=table,
            released=released,
            dealt="bucketed",
            bucket=f"b{bucketized.index}",
            value=f"s{bucketized.index}",
            withheld=f"w{bucketized.index}",
        )[0]
        if different:
            offences.append(
                f"{different:,} distinct rows of the buckets of {bucketized.coded.name!r}"
                f" ({by_rows:,} rows) differ from the division into buckets"
            )
    return offences
