"""How the values of a kept column are changed before they are released: top and bottom coding,
rounding, and draws of other values (PRAM).

The source is changed before anything is decided: promises, methods and measures are about the
released values. ``__about`` records the changes as facts ``change.<column>.…``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, model_validator

from anonsql.errors import FieldError
from anonsql.grammar.forms import Looks
from anonsql.system.scalars import Number, plain

if TYPE_CHECKING:
    from anonsql.policy.columns import ColumnPolicy

WHOLE: Final = 1 << 40
"""What the weights of all values of a column sum to: draws are whole numbers below it."""


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Given(_Model):
    """A threshold that the policy gives itself, whatever the data."""

    value: Number


Share = Annotated[Number, Field(gt=0, lt=1)]
Threshold = Annotated[
    Annotated[Share, Tag("share")] | Annotated[Given, Tag("value")],
    Discriminator(lambda given: "value" if isinstance(given, (dict, Given)) else "share"),
]


class Pram(_Model):
    """Post-randomization (PRAM): a value stays with a probability, and is else drawn from the
    values of the column that k rows have (or k people), each with its share of those rows: their
    expected counts stay in proportion, the matrix is invariant. A value of fewer rows never stays,
    and is never drawn. NULL is a value like others.

    Gouweleeuw, Kooiman, Willenborg, de Wolf, Post randomisation for statistical disclosure control,
    Journal of Official Statistics 14 (1998).
    """

    stay: Share = Field(
        description="the lowest probability with which a value that k rows have stays unchanged"
    )

    @property
    def limit(self) -> int:
        """The whole number below which a draw lets the value stay."""
        return int(self.stay * WHOLE)


class Change(_Model):
    """What is done to the values of one column: ``top``, ``bottom`` and ``round`` alone or
    together, or ``pram``."""

    top: Threshold | None = Field(
        None,
        description=(
            "values above this limit are released as the limit: the share of values that stay"
            " below it, such as 0.995, rounded to a plain number; or `{value: 90}`"
        ),
    )
    bottom: Threshold | None = Field(
        None,
        description="values below this limit are released as the limit: a share, such as 0.005, or"
        " `{value: 18}`",
    )
    round: Annotated[Number, Field(gt=0)] | None = Field(
        None,
        description="the nearest multiple of this number is released; halves are rounded away from 0",
    )
    pram: Pram | None = Field(
        None, description="each value is replaced at random; expected counts stay in proportion"
    )

    @model_validator(mode="after")
    def _something(self) -> Change:
        numeric = [self.top, self.bottom, self.round]
        if self.pram is not None and any(value is not None for value in numeric):
            raise FieldError(
                "pram", "`pram` cannot be combined with top, bottom or round: leave them out"
            )
        if self.pram is None and all(value is None for value in numeric):
            raise ValueError("say how values are changed: top, bottom, round or pram")
        for name in ("top", "bottom"):
            limit = getattr(self, name)
            if isinstance(limit, Given) and self.round and limit.value % self.round:
                text = (
                    f"{plain(limit.value)} is not a multiple of {plain(self.round)}, the value"
                    " of `round`"
                )
                raise FieldError(f"{name}.value", text)
        top, bottom = self.top, self.bottom
        if isinstance(top, Decimal) and isinstance(bottom, Decimal) and bottom >= top:
            raise FieldError("bottom", f"{plain(bottom)} is not below the top, {plain(top)}")
        return self

    def looks(self, name: str) -> Looks:
        """Return the looks of the values."""
        form = "changed" if self.pram is None else "drawn"
        if self.pram is not None:
            done = [f"kept with probability {plain(self.pram.stay)} at most, otherwise drawn"]
        else:
            done = ["top-coded"] * (self.top is not None)
            done += ["bottom-coded"] * (self.bottom is not None)
            done += [f"rounded to {plain(self.round)}"] if self.round is not None else []
        return Looks(form, f"{', '.join(done)} (change.{name} in __about)")


@dataclass(frozen=True)
class Recoded:
    """A numeric column whose values are top-coded, bottom-coded or rounded: by these numbers, and
    released in the type ``made``. ``unit`` is the smallest step of its exact numbers, None of
    floats."""

    index: int
    name: str
    made: str
    top: Decimal | None
    bottom: Decimal | None
    round: Decimal | None
    unit: Decimal | None

    @property
    def facts(self) -> dict[str, str]:
        """The facts of ``__about`` for this change."""
        limits = {"top": self.top, "bottom": self.bottom, "round": self.round}
        return {
            f"change.{self.name}.{what}": plain(limit)
            for what, limit in limits.items()
            if limit is not None
        }

    @property
    def half(self) -> Decimal | None:
        """Half of the rounding base, in whole units, rounded down."""
        if self.round is None or self.unit is None:
            return None
        return self.round / self.unit // 2 * self.unit


@dataclass(frozen=True)
class Drawn:
    """A column whose values are drawn: in ``limit`` of :data:`WHOLE` draws one of the ``values``
    (as texts, None for NULL) stays, the others give each value its weight of :data:`WHOLE`. The
    ``rare`` other values of the column are always replaced. The scratch table of the draws has the
    new values in the column ``new``."""

    index: int
    name: str
    new: str
    stay: Decimal
    limit: int
    values: tuple[str | None, ...]
    weights: tuple[int, ...]
    rare: int

    @property
    def null(self) -> bool:
        """Whether NULL is one of the values."""
        return None in self.values


def changes_of(columns: Mapping[str, ColumnPolicy]) -> dict[str, Change]:
    """Return the changes of some columns of a policy, by name."""
    return {name: column.change for name, column in columns.items() if column.change is not None}


def cumulated(weights: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Return, for each weight, which draws fall to it: from the first number, below the second."""
    low = 0
    for weight in weights:
        yield low, low + weight
        low += weight
