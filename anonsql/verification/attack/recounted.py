"""Facts of ``__about`` that the release alone only bounds, recounted with the values that the
source has.

The loss of a mask, an interval or a calendar unit depends on how many values of the source lie
under it. The release does not say that; the dimension tables of the source do. A released value
that can be read in several ways keeps its limits, and so does what depends on which values
suppressed, withheld or relocated rows alone had, or on a population's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from anonsql.engines.base import Engine, ReleaseTables
from anonsql.hierarchies.dimensions import Attribute
from anonsql.labels.bench import Bench, bench_for
from anonsql.labels.hierarchies import Counts
from anonsql.labels.losses import LossDomain, Losses, Width, domain_of, losses_of
from anonsql.system.arrays import IntArray
from anonsql.verification import about as facts
from anonsql.verification import labels
from anonsql.verification.attack.released import Released, ends
from anonsql.verification.expected import Evidence
from anonsql.verification.label_coverage import cover
from anonsql.verification.labels import ReadLabels

_RECOUNTED = frozenset(("loss", "gcp", "ncp"))
_NUMBERS = ("integer", "decimal", "float")
WIDEST = 10**18
_LEVELS = [("shape", "INTEGER"), ("id", "BIGINT"), ("level", "INTEGER"), ("n", "BIGINT")]


@dataclass(frozen=True)
class RecountedColumn:
    """What was counted of a column in the source: how many distinct ``values`` there are, NULL
    being one where there are any (``nulls``); the ``width`` of all values as numbers, and whether
    they are ``moments``."""

    values: int
    nulls: bool
    width: Fraction | None
    moments: bool


def against_source(
    engine: Engine, release: ReleaseTables, attributes: Sequence[Attribute], evidence: Evidence
) -> tuple[list[str], list[str]]:
    """Hold what a release says of itself against the source that ``engine`` has, whose dimension
    tables dim_<index> are made for ``attributes``. Return the offences, and the facts that even the
    source does not determine."""
    open_facts = facts.unprovable(evidence)
    counted_in = evidence.policy.privacy.population is not None  # whose values lie under labels too
    if counted_in or not _RECOUNTED.intersection(open_facts):
        return [], open_facts
    with bench_for(release.engine) as bench:
        losses = _losses(bench, engine, release, attributes, evidence)
    recounted = replace(evidence, losses={**evidence.losses, **losses})
    return facts.offences(recounted), facts.unprovable(recounted)


def _losses(
    bench: Bench,
    engine: Engine,
    release: ReleaseTables,
    attributes: Sequence[Attribute],
    evidence: Evidence,
) -> dict[str, Losses]:
    """Return what the released values lose, by column, as exactly as the source tells."""
    columns = [(column.index, column.name) for column in attributes]
    released = Released.of(release, evidence.policy, columns)
    described = labels.describe(bench, release, evidence.policy, evidence.stated, evidence.masked)
    read = {name: column.read for name, column in described.items() if column.read is not None}
    counted: dict[str, RecountedColumn] = {}
    covered: list[tuple[int, IntArray, IntArray]] = []
    levels: list[tuple[int, int, int, int]] = []
    for attribute in attributes:
        if (own := read.get(attribute.name)) is not None:
            counted[attribute.name] = _count(engine, attribute)
            covered.append((own.number, *_covered(bench, engine, released, attribute, own)))
            levels += _levels(bench, engine, attribute, own)
    chosen = [read[name] for name in counted]
    if not chosen:
        return {}
    bench.load_numbers(
        "labels_covered",
        {
            "shape": np.concatenate([np.full(len(ids), number) for number, ids, _ in covered]),
            "id": np.concatenate([ids for _, ids, _ in covered]),
            "n": np.concatenate([counts for _, _, counts in covered]),
        },
    )
    bench.load("labels_levels", _LEVELS, levels or [(-1, -1, 0, 0)])
    bench.run(
        "labels/standing",
        "labels_standing",
        ways=[_way(own, counted[own.shape.name]) for own in chosen],
    )
    domains = {own.number: (own.shape, _domain(own, counted[own.shape.name])) for own in chosen}
    losses = losses_of(bench, domains, recounted=True)
    return {own.shape.name: losses[own.number] for own in chosen}


def _count(engine: Engine, attribute: Attribute) -> RecountedColumn:
    """Count the values of an attribute in the source."""
    kind = attribute.column.kind
    widest = WIDEST if kind in _NUMBERS else None
    values, width = engine.query("verification/attack/counted", a=attribute, widest=widest)[0]
    return RecountedColumn(
        int(values),
        attribute.nulls > 0,
        None if width is None else Fraction(width),
        kind in ("date", "timestamp"),
    )


def _covered(
    bench: Bench, engine: Engine, released: Released, attribute: Attribute, read: ReadLabels
) -> tuple[IntArray, IntArray]:
    """Return how many values of the source each released value of an attribute stands for: the
    values that stand for any, by number, and how many."""
    bounds = next(bounds for label, _, bounds in released.labels if label == attribute.index)
    bench.run("labels/read_values", "labels_asked", shape=read.number)
    covered = cover(
        engine,
        bench,
        attribute,
        every=True,
        level=read.shape.least if read.shape.form in ("level", "set") else None,
        bounds=ends(bounds, [bound.type for bound in bounds]),
    )
    engine.drop(f"covers_{attribute.index}")
    return covered


def _levels(
    bench: Bench, engine: Engine, attribute: Attribute, read: ReadLabels
) -> list[tuple[int, int, int, int]]:
    """Return the values of the source below released values that can be read in several ways, by
    the released values and the levels that have them."""
    words = bench.engine.query("labels/ambiguous", shape=read.number)
    if not words:
        return []
    table = f"words_{attribute.index}"
    engine.load(table, [("label", "INTEGER"), ("word", "VARCHAR")], words)
    rows = engine.query("verification/attack/word_levels", a=attribute)
    engine.drop(table)
    beyond = read.shape.hierarchy.height + 1  # of every ambiguous value, that it is one
    known = [(read.number, number, level, int(values)) for number, level, values in rows]
    return known + [(read.number, number, beyond, 0) for number, _ in words]


def _way(read: ReadLabels, counted: RecountedColumn) -> tuple[object, ...]:
    """Return how the values of a column are held against what was counted. Ranks, by which the
    width of ranges is counted, are uncertain where the release can hide values of the source."""
    shape, hidden = read.shape, 0 if read.shape.form != "range" else read.missing
    if shape.form == "range" and shape.withheld:
        hidden = None
    ranked = shape.form == "range" and counted.moments and _is_exact(read)
    return read.number, shape.hierarchy.tree is not None, hidden, ranked


def _is_exact(read: ReadLabels) -> bool:
    """Return whether a release hides no value of the source."""
    return not read.shape.withheld and read.missing == 0


def _domain(read: ReadLabels, counted: RecountedColumn) -> LossDomain:
    """Return what the losses of a column are shares of, as exactly as the source tells."""
    shape, data = read.shape, (counted.values, counted.values)
    leaves: Counts = data
    if shape.hierarchy.tree is not None:
        least, most = shape.hierarchy.leaves  # differ where NULL has no leaf of its own
        own = (most if counted.nulls else least) or least
        leaves = (own, own)
    return LossDomain(leaves, data, _width(read, counted))


def _width(read: ReadLabels, counted: RecountedColumn) -> Width:
    """Return the limits of the width of a column's domain."""
    if read.shape.form != "range":
        return Fraction(0), None
    low, high = domain_of(read.shape, read.verdict, read.missing).width
    exact = _is_exact(read)
    if counted.moments:
        whole = Fraction(counted.values - counted.nulls - 1)
        return (whole, whole) if exact else (low, high)
    if counted.width is None:
        return low, high
    return (counted.width if exact else low), counted.width
