"""Facts of ``__about`` that the release alone only bounds, recounted with the values that the
source has.

The loss of a mask, an interval or a calendar unit depends on how many values of the source lie
under it. The release does not say that; the dimension tables of the source do. A released value
that can be read in several ways keeps its limits, and so does what depends on which values
suppressed, withheld or relocated rows alone had, or on a population's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from anonsql.engines.base import Engine, ReleaseTables
from anonsql.hierarchies.dimensions import Attribute
from anonsql.verification import about as facts
from anonsql.verification.attack.released import Released, ends
from anonsql.verification.covered import cover
from anonsql.verification.expected import Evidence
from anonsql.verification.labels import (
    WIDEST,
    Losses,
    Meaning,
    ReadLabels,
    Shape,
    Span,
    present,
    summed,
    width_of,
)
from anonsql.verification.nodes import Counts, Node, Tree

_RECOUNTED = frozenset(("loss", "gcp", "ncp"))
_NUMBERS = ("integer", "decimal", "float")


@dataclass(frozen=True)
class Counted:
    """What was counted of a column in the source: how many distinct ``values`` there are, NULL
    being one where there are any (``nulls``); how many of them each released value stands for
    (``covered``, by its position), and the same by the ``levels`` that it can be of where it can be
    read in several ways; the ``width`` of all values as numbers, and whether they are
    ``moments``."""

    values: int
    nulls: bool
    covered: Mapping[int, int]
    levels: Mapping[int, Mapping[int, int]]
    width: Fraction | None
    moments: bool


def against_source(
    engine: Engine, release: ReleaseTables, attributes: Sequence[Attribute], evidence: Evidence
) -> tuple[list[str], list[str]]:
    """Hold what a release says of itself against the source that ``engine`` has, whose dimension
    tables dim_<index> are made for ``attributes``. Return the offences, and the facts that even the
    source does not determine."""
    open_facts = facts.as_told(evidence)
    counted_in = evidence.policy.privacy.population is not None  # whose values lie under labels too
    if counted_in or not _RECOUNTED.intersection(open_facts):
        return [], open_facts
    columns = [(each.index, each.name) for each in attributes]
    released = Released.of(release, evidence.policy, columns)
    losses = {
        each.name: _losses(read, _count(engine, released, each, read))
        for each in attributes
        if (read := evidence.read.get(each.name)) is not None
    }
    recounted = replace(evidence, losses={**evidence.losses, **losses})
    return facts.offences(recounted), facts.as_told(recounted)


def _count(engine: Engine, released: Released, attribute: Attribute, read: ReadLabels) -> Counted:
    """Count the values of the source that each released value of an attribute stands for."""
    kind = attribute.column.kind
    widest = WIDEST if kind in _NUMBERS else None
    values, width = engine.query("verification/attack/counted", a=attribute, widest=widest)[0]
    bounds = next(bounds for each, _, bounds in released.labels if each == attribute.index)
    covered = cover(
        engine,
        attribute,
        dict(enumerate(read.values)),
        every=True,
        level=read.shape.least if read.shape.form in ("level", "set") else None,
        bounds=ends(bounds, [each.type for each in bounds]),
    )
    engine.drop(f"covers_{attribute.index}")
    return Counted(
        values=int(values),
        nulls=attribute.nulls > 0,
        covered=covered,
        levels=_levels(engine, attribute, read),
        width=None if width is None else Fraction(width),
        moments=kind in ("date", "timestamp"),
    )


def _levels(engine: Engine, attribute: Attribute, read: ReadLabels) -> dict[int, dict[int, int]]:
    """Count the values of the source below released values that can be read in several ways, by the
    positions of the released values and the levels that have them."""
    words = [
        (place, released.label)
        for place, released in enumerate(read.values)
        if isinstance(released.label, str) and len(set(read.meanings[place][0])) > 1
    ]
    if not words:
        return {}
    table = f"words_{attribute.index}"
    engine.load(table, [("label", "INTEGER"), ("word", "VARCHAR")], words)
    found: dict[int, dict[int, int]] = {place: {} for place, _ in words}
    for place, level, values in engine.query("verification/attack/word_levels", a=attribute):
        found[place][level] = int(values)
    engine.drop(table)
    return found


def _losses(read: ReadLabels, counted: Counted) -> Losses:
    """Return what the released values of a column lose, as exactly as the source tells."""
    shape = read.shape
    data: Counts = (counted.values, counted.values)
    domain = data
    if isinstance(shape.nodes, Tree):
        least, most = shape.nodes.domain  # differ where NULL has no leaf of its own
        leaves = (most if counted.nulls else least) or least
        domain = (leaves, leaves)
    exact = not shape.withheld and read.missing == 0
    standing: list[tuple[Sequence[tuple[Node, Counts]], int]] = []
    for place, (meanings, rows) in enumerate(read.meanings):
        nodes = _standing(read, place, dict.fromkeys(meanings), counted)
        if exact and counted.moments:
            nodes = [(_ranked(shape, node, values), values) for node, values in nodes]
        standing.append((nodes, rows))
    return summed(shape, standing, (domain, data), _width(read, counted, exact=exact))


def _standing(
    read: ReadLabels, place: int, meanings: Iterable[Meaning], counted: Counted
) -> list[tuple[Node, Counts]]:
    """Return the nodes that a released value can stand for given the source, each with the number
    of the source's values in it."""
    shape, label, levels = read.shape, read.values[place].label, counted.levels.get(place, {})
    found = []
    for node, words in meanings:
        own = [
            level
            for level in range(shape.nodes.height + 1)
            if isinstance(label, str) and shape.nodes.at(label, level) == node
        ]
        if (
            place in counted.levels
            and own
            and not node.whole_domain
            and not levels.keys() & set(own)
        ):
            continue  # neither a value of the source nor a label above one is written so
        found.append((node, words, sorted({levels[each] for each in own if each in levels})))
    if len(found) == 1:
        node, words, counts = found[0]
        covered = counts[0] if len(counts) == 1 else counted.covered.get(place, 0)
        return [_known(shape, node, present(node, words), covered, _hidden(read))]
    return [(node, present(node, words)) for node, words, _ in found]


def _hidden(read: ReadLabels) -> int | None:
    """Return how many of the source's values the release can hide, which makes ranks that the width
    of ranges is counted by uncertain; None: any number."""
    if read.shape.form != "range":
        return 0
    return None if read.shape.withheld else read.missing


def _known(
    shape: Shape, node: Node, values: Counts, covered: int, hidden: int | None
) -> tuple[Node, Counts]:
    """Return what a released value stands for with the number of values of the source in it, of
    which so many can be hidden."""
    least, most = values
    if node.whole_domain or covered < least or (most is not None and covered > most):
        return node, (least, most)
    low = least if hidden is None else max(least, covered - hidden)
    if isinstance(shape.nodes, Tree):
        return node, (low, covered)
    return replace(node, leaves=(low, covered)), (low, covered)


def _ranked(shape: Shape, node: Node, values: Counts) -> Node:
    """Return an interval of moments as long as the steps from one of the source's values to the
    next that it has."""
    if shape.form != "range" or node.whole_domain or node.bounds is None or values[0] != values[1]:
        return node
    return replace(node, bounds=(Fraction(0), Fraction(values[0] - 1)))


def _width(read: ReadLabels, counted: Counted, *, exact: bool) -> Span:
    """Return the limits of the width of a column's domain."""
    if read.shape.form != "range":
        return Fraction(0), None
    low, high = width_of(read.shape, read.meanings, read.missing)
    if counted.moments:
        whole = Fraction(counted.values - counted.nulls - 1)
        return (whole, whole) if exact else (low, high)
    if counted.width is None:
        return low, high
    return (counted.width if exact else low), counted.width
