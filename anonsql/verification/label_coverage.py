"""The values that released labels cover: which readings of labels stand for values of the data, the
engine of the source determines by the dimension tables."""

from __future__ import annotations

from anonsql.engines.base import Engine
from anonsql.engines.exported_columns import bring
from anonsql.grammar.labels import Ends
from anonsql.hierarchies.dimensions import Attribute
from anonsql.labels.bench import Bench
from anonsql.labels.readings import range_type, read_labels
from anonsql.system.arrays import IntArray, np


def cover(
    engine: Engine,
    bench: Bench,
    attribute: Attribute,
    *,
    every: bool,
    level: int | None = None,
    bounds: Ends = (None, None),
) -> tuple[IntArray, IntArray]:
    """Make the table ``covers_<index>`` (label, code) of the values of the data that each value of
    the bench's ``labels_asked`` covers, by ``dim_<index>``; return the numbers of those that cover
    any, and how many values each covers.

    With ``every``, a label covers the values of all its readings, of a set those of its known
    elements: all values that it may have been made from. Without, it covers the values of its first
    reading whose parts are all known: its most likely meaning. ``level`` is that of the released
    nodes, where the release states it; ``bounds`` are the types of the bounds columns: a value
    outside its label's bounds is not covered.
    """
    words, limits = f"words_{attribute.index}", f"limits_{attribute.index}"
    read = read_labels(bench, attribute.column, words)
    if read.limits:
        bench.run("labels/limits", limits, into=limits)
    loaded = [words, limits] if read.limits else [words]
    if bench.engine is not engine:
        for table in loaded:
            bring(bench.engine, table, engine, engine.context.workspace)
    stated = level is not None and 0 <= level <= attribute.height
    engine.run(
        "verification/covers",
        a=attribute,
        levels=[level] if stated else list(range(attribute.height + 1)),
        every=every,
        spans=read.spans,
        names=read.names,
        limits=read.limits,
        span_type=range_type(attribute.column),
        lo_type=_comparable(bounds[0] or "DOUBLE"),
        hi_type=_comparable(bounds[1] or "DOUBLE"),
    )
    for table in loaded:
        engine.drop(table)
    none = np.zeros(0, np.int64)
    labels, counts = engine.numbers("verification/widths", a=attribute) or (none, none)
    return labels, counts


def _comparable(kind: str) -> str:
    """Return the type in which bounds of a type are compared with values."""
    if kind.upper() in ("HUGEINT", "UHUGEINT"):
        return "DECIMAL(38, 0)"
    return "DOUBLE" if kind.upper() == "DECIMAL" else kind
