"""What released values lose, summed over their rows by SQL: as limits, where the release alone does
not determine it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from anonsql.labels.bench import Bench
from anonsql.labels.hierarchies import Counts
from anonsql.labels.reading import LabelVerdict
from anonsql.labels.shapes import Shape

Limits = tuple[Fraction, Fraction]
"""The least and the greatest that a loss can be."""
Width = tuple[Fraction, Fraction | None]


@dataclass
class Losses:
    """Limits of the losses of one column, summed over the released rows: ``leaves`` counts all
    leaves of the hierarchy, ``present`` those that the data has, and ``width`` is the loss as NCP
    of the method local counts it."""

    leaves: Limits
    present: Limits
    width: Limits


@dataclass(frozen=True)
class LossDomain:
    """What losses are shares of: how many ``leaves`` the hierarchy has and how many values the
    ``data`` has, and the ``width`` of the values where they are numbers."""

    leaves: Counts
    data: Counts
    width: Width


def domain_of(shape: Shape, verdict: LabelVerdict, missing: int | None) -> LossDomain:
    """Return what the losses of a column are shares of, as far as its values tell. Each of the
    ``missing`` rows could have had a value that no other row has; None: their number is
    unknown."""
    listed = missing is not None and not shape.withheld and verdict.listed
    # labels of other forms may overlap or be withheld
    labels = verdict.values if shape.form == "level" else 0
    several = shape.joined and verdict.several
    seen = max(verdict.surely, labels, 2 if several else 1)
    data: Counts = (seen, max(seen, verdict.named) + (missing or 0) if listed else None)
    domain = data
    if shape.hierarchy.tree is not None:
        least, most = shape.hierarchy.leaves
        if verdict.null_surely:
            least = most or least
        elif listed and not missing:
            most = least
        domain = (least, most)
        data = (seen, most if data[1] is None or most is None else min(most, data[1]))
    return LossDomain(domain, data, _width_of(shape, verdict, missing))


def _width_of(shape: Shape, verdict: LabelVerdict, missing: int | None) -> Width:
    """Return the limits of the width of a column's domain: at least the width of the released
    values."""
    if shape.form != "range" or verdict.width is None:
        return Fraction(0), None
    known = missing == 0 and not shape.withheld and not verdict.whole
    return verdict.width, verdict.width if known else None


def losses_of(
    bench: Bench, ways: Mapping[int, tuple[Shape, LossDomain]], *, recounted: bool = False
) -> dict[int, Losses]:
    """Return the losses of columns by the number of the way in which each is released.
    ``recounted``: by the table ``labels_standing``, else by ``labels_meanings``."""
    if not ways:
        return {}
    rows = [_row(number, *way) for number, way in ways.items()]
    sums = {
        number: row
        for number, *row in bench.engine.query("labels/losses", ways=rows, recounted=recounted)
    }
    return {
        number: _shares(shape, domain, sums.get(number, [0] * 8))
        for number, (shape, domain) in ways.items()
    }


def _row(number: int, shape: Shape, domain: LossDomain) -> tuple[object, ...]:
    low, high = domain.width
    return (
        *(number, *domain.leaves, *domain.data, float(low), None if high is None else float(high)),
        *(shape.form == "range", shape.least, shape.most == shape.least),
    )


def _shares(shape: Shape, domain: LossDomain, sums: list[int | float]) -> Losses:
    """Return sums in units as shares."""

    def steps(counts: Counts, low: int | float, high: int | float) -> Limits:
        most = max((counts[1] or 0) - 1, 1)
        return Fraction(int(low), most), Fraction(int(high), max(counts[0] - 1, 1))

    least, most = domain.leaves
    if shape.form == "range":
        width = Fraction(sums[6]), Fraction(sums[7])
    else:
        width = Fraction(int(sums[4]), most or 1), Fraction(int(sums[5]), least)
    return Losses(steps(domain.leaves, *sums[:2]), steps(domain.data, *sums[2:4]), width)
