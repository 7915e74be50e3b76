"""The risk of each row by how many members of the population it stands for (Benedetti, Franconi
1998), and of people by all of their rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from anonsql.engines.base import Engine, Relation
from anonsql.errors import PolicyError
from anonsql.risks.kept.counting import Compared


@dataclass(frozen=True)
class Risks:
    """Of ``units``, rows or people, how many are expected to be re-identified, the highest risk of
    one, and how many have a risk above the accepted one."""

    units: int
    expected: float
    highest: float
    above: int


@dataclass(frozen=True)
class Sampled:
    """A table that is a sample: classes are rows with equal values in ``columns``; rows that are
    ``*`` in all of the columns ``masked`` are in none. What its rows stand for is told by a column
    ``weight`` or, where all stand for as many, by the ``fraction`` of the population that the table
    is."""

    table: Relation
    columns: Sequence[Compared]
    masked: Sequence[str] = ()
    weight: str | None = None
    fraction: float = 1.0

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
        faults = [f"{missing:,} rows have none"] * bool(missing)
        faults += [f"{negative:,} rows have one of 0 or less"] * bool(negative)
        raise PolicyError.at(
            where,
            f"{sample.weight!r} says how many people of the population each row stands for, but"
            f" {' and '.join(faults)}.",
            "Name another column, or give these rows their weights.",
        )


def of_rows(engine: Engine, sample: Sampled, above: float) -> tuple[Risks, float]:
    """Return the risks of the rows of a sample, and how many members its population has by what the
    rows stand for."""
    row = engine.query("risks/individual/classes", **sample.parameters(above))[0]
    total, members, expected, highest, beyond = row
    risks = Risks(int(total), float(expected or 0), float(highest or 0), int(beyond))
    return risks, float(members or 0)


def of_people(engine: Engine, sample: Sampled, people: Compared, above: float) -> Risks:
    """Return the risks of people: that at least one of a person's rows is re-identified."""
    row = engine.query("risks/individual/households", people=people, **sample.parameters(above))[0]
    count, expected, highest, beyond = row
    return Risks(int(count), float(expected or 0), float(highest or 0), int(beyond))
