"""All ways to read released labels, by SQL, where labels are ambiguous.

A label may be read in more than one way. The ways come in order of preference: first the label
itself, a value or a node, then ``*``, a set, a closed interval, an interval of names. The caller
determines by the column's values which readings are valid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from anonsql.engines.base import Column, Engine
from anonsql.labels.bench import Bench

ASKED = [
    *(("id", "BIGINT"), ("label", "VARCHAR"), ("listed", "VARCHAR[]")),
    *(("lo", "VARCHAR"), ("hi", "VARCHAR")),
]
"""The columns of ``labels_asked``: a released value's number, its label or the elements of one that
is an array, and the texts of its bounds."""


@dataclass(frozen=True)
class Readings:
    """The readings of the values of ``labels_asked`` as a ``table`` (label, reading, parts, part,
    kind, word, upto): as all of the words of a reading, each a value or a label of the hierarchy
    (NULL is NULL); as the values of a span, its ends as texts that can be cast to
    :func:`range_type`; as those from one to the other of a pair of names; or as any value. Whether
    there are ``spans``, ``names``, and bounds (``limits``)."""

    table: str
    spans: bool
    names: bool
    limits: bool


def ask(bench: Bench, rows: Sequence[tuple[object, ...]]) -> None:
    """Make the table ``labels_asked`` of rows as ASKED has them."""
    bench.load("labels_asked", ASKED, rows)


def ask_released(
    bench: Bench, engine: Engine, select: str, bounds: Sequence[Column], arrays: bool, **taken: Any
) -> None:
    """Make the table ``labels_asked`` of the rows of a template (number, label, ``bounds`` as text)
    of an engine; ``arrays`` says whether labels are arrays."""
    ends = [
        next((n for n, bound in enumerate(bounds, start=1) if bound.name.endswith(end)), None)
        for end in ("_lo", "_hi")
    ]
    if bench.engine is engine:
        lo, hi = ends
        shape = {"select": select, "bounds": len(bounds), "arrays": arrays, "lo": lo, "hi": hi}
        bench.run("labels/asked", "labels_asked", **shape, **taken)
        return
    rows = [
        (row[0], *((None, row[1]) if arrays else (row[1], None)), *(n and row[n + 1] for n in ends))
        for row in engine.query(select, bounds=len(bounds), **taken)
    ]
    ask(bench, rows)


def asked(bench: Bench) -> int:
    """Return how many values there are in ``labels_asked``."""
    return int(bench.engine.query("verification/rows", table="labels_asked")[0][0])


def read_labels(bench: Bench, column: Column, into: str) -> Readings:
    """Make a table of the ways to read the values of ``labels_asked`` as those of ``column``, a
    column of the source."""
    bench.run("labels/readings", into, into=into, **ends_of(column))
    spans, names, limits = bench.engine.query("labels/reading_kinds", table=into)[0]
    return Readings(into, bool(spans), bool(names), bool(limits))


def ends_of(column: Column) -> dict[str, object]:
    """Return the parameters for reading the ends of a column's intervals, as ``labels/ends`` takes
    them."""
    return {
        "kind": column.kind,
        "scale": 12 if column.unbounded else column.scale,
        "small": range_type(column) == "BIGINT",
    }


def range_type(column: Column) -> str:
    """Return the type in which the ends of a column's ranges are compared with its values."""
    if column.kind == "integer":
        large = column.type.upper() in ("UBIGINT", "HUGEINT", "UHUGEINT")
        return "DECIMAL(38, 0)" if large else "BIGINT"
    if column.kind == "decimal":
        return f"DECIMAL(38, {max(column.scale, 12) if column.unbounded else column.scale})"
    return {"float": "DOUBLE", "date": "DATE"}.get(column.kind, "TIMESTAMP")
