"""The risk of each row by how many members of the population it counts for (Benedetti, Franconi
1998), and of people by all of their rows. NULL is a value, or matches anything (``any_null``): a
row is then in a class of all rows that agree with it where neither is NULL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from anonsql.engines.base import Engine, Relation
from anonsql.errors import PolicyError
from anonsql.risks.kept.counting import Compared
from anonsql.risks.limits import individual_risk

MOST_PATTERNS: Final = 16
"""The most sets of columns that may be NULL together where NULL matches anything: each is compared
with each."""


@dataclass(frozen=True)
class Risks:
    """How many of ``units``, rows or people, are expected to be re-identified, the highest risk,
    and how many are above the accepted one."""

    units: int
    expected: float
    highest: float
    above: int


@dataclass(frozen=True)
class Sampled:
    """A table that is a sample: classes are rows with equal values in ``columns``; rows that are
    ``*`` in all columns ``masked`` are in none. Rows count for ``weight`` or, without, the table is
    a ``fraction`` of the population. ``any_null``: NULL matches anything."""

    table: Relation
    columns: Sequence[Compared]
    masked: Sequence[str] = ()
    weight: str | None = None
    fraction: float = 1.0
    any_null: bool = False

    def parameters(self, above: float) -> dict[str, Any]:
        """Return the parameters of the templates of ``risks/individual``."""
        return {
            "table": self.table,
            "columns": self.columns,
            "masked": self.masked,
            "weight": self.weight,
            "fraction": plain(self.fraction),
            "above": plain(above),
        }


def plain(share: float) -> Decimal:
    """Return a number as text has it."""
    return Decimal(repr(float(share)))


def require_weights(engine: Engine, sample: Sampled, where: str) -> None:
    """Raise PolicyError where a row has no weight, or one that is no number of members."""
    if sample.weight is None:
        return
    missing, negative = engine.query(
        "risks/individual/weights", table=sample.table, weight=sample.weight
    )[0]
    if missing or negative:
        counted = ((missing, "none"), (negative, "a number of people of 0 or less"))
        faults = [
            f"{count:,} {'row has' if count == 1 else 'rows have'} {what}"
            for count, what in counted
            if count
        ]
        raise PolicyError.at(
            where,
            f"{sample.weight!r} must have the number of people that each row represents, but"
            f" {' and '.join(faults)}.",
            "Name another column, or give these rows their weights.",
        )


def of_sizes(histogram: Iterable[tuple[int, int]], share: float, above: float) -> Risks:
    """Return the risks of rows by pairs (size, classes), in a ``share`` of the population."""
    units, expected, highest, beyond = 0, 0.0, 0.0, 0
    for size, classes in histogram:
        rows, risk = size * classes, individual_risk(size, share)
        units, expected, highest = units + rows, expected + rows * risk, max(highest, risk)
        beyond += rows if risk > above else 0
    return Risks(units, expected, highest, beyond)


def of_rows(engine: Engine, sample: Sampled, above: float) -> tuple[Risks, float]:
    """Return the risks of the rows of a sample that has weights or matches NULL, and the members of
    its population. Raise PolicyError as :func:`_matched` does."""
    with _matched(engine, sample) as matched:
        row = engine.query("risks/individual/classes", matched=matched, **sample.parameters(above))[
            0
        ]
    total, members, expected, highest, beyond = row
    risks = Risks(int(total), float(expected or 0), float(highest or 0), int(beyond))
    return risks, float(members or 0)


def of_people(engine: Engine, sample: Sampled, people: Compared, above: float) -> Risks:
    """Return the risks that at least one of a person's rows is re-identified. Raise PolicyError as
    :func:`_matched` does."""
    with _matched(engine, sample, people) as matched:
        row = engine.query(
            "risks/individual/households",
            people=people,
            matched=matched,
            **sample.parameters(above),
        )[0]
    count, expected, highest, beyond = row
    return Risks(int(count), float(expected or 0), float(highest or 0), int(beyond))


@contextmanager
def _matched(engine: Engine, sample: Sampled, people: Compared | None = None) -> Iterator[str]:
    """Make, and drop, the table of the rows that each row matches, if NULL matches anything. Raise
    PolicyError where too many sets of columns are NULL together."""
    if not sample.any_null:
        yield ""
        return
    try:
        _drop(engine)
        engine.run("risks/individual/cells", people=people, **sample.parameters(0))
        found = engine.query("risks/individual/patterns")
        patterns = [int(pattern) for (pattern,) in found] or [0]
        if len(patterns) > MOST_PATTERNS:
            raise PolicyError.at(
                "--any-null",
                f"{len(patterns):,} sets of columns are NULL together, and at most"
                f" {MOST_PATTERNS} can be compared.",
                "Leave it out: NULL is then a value like any other.",
            )
        count = len(sample.columns)
        pairs = [
            {"own": own, "other": other, "shared": _positions(~(own | other), count)}
            for own in patterns
            for other in patterns
        ]
        engine.run("risks/individual/matched", pairs=pairs)
        yield "risk_matched"
    finally:
        _drop(engine)


def _drop(engine: Engine) -> None:
    engine.drop("risk_cells", "risk_matched")


def _positions(bits: int, count: int) -> list[int]:
    return [position for position in range(1, count + 1) if bits >> position - 1 & 1]
