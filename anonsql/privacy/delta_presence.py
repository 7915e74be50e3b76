"""δ-presence."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import ClassVar

from pydantic import Field, model_validator

from anonsql.errors import FieldError
from anonsql.privacy.base import Criterion, PopulationModel, Term
from anonsql.system.numbers import percent
from anonsql.system.scalars import Number, plain

PRESENCE = Criterion(
    "delta_presence",
    "presence",
    "counts",
    step=Decimal("0.01"),
    loosest=Decimal(1),
    because=(
        "rows / population is between its parts'; but with a least one people without any row join"
        " a class, and those of a suppressed class are absent: none may be"
    ),
    owed_to_all=True,
)


class DeltaPresence(PopulationModel):
    """δ-presence (Nergiz, Atzori, Clifton 2007): rows of the table / rows of the population in
    every class."""

    name: ClassVar = "delta_presence"
    main: ClassVar = "max"
    criteria: ClassVar = (PRESENCE,)
    short: ClassVar = False

    min: Number = Field(
        Decimal(0),
        ge=0,
        le=1,
        description=(
            "above 0 every person of the population must be in a class, and no row may be"
            " suppressed"
        ),
    )
    max: Number = Field(ge=0, le=1)

    @model_validator(mode="after")
    def _ordered(self) -> DeltaPresence:
        if self.min > self.max:
            raise FieldError("min", f"{self.min} is above max {self.max}")
        return self

    def terms(self, index: int = 0, height: int = 1) -> Iterator[tuple[str, Term]]:
        """See the base class."""
        yield "max", Term(PRESENCE, self.max, self.min)

    @property
    def fact(self) -> str:
        """See the base class."""
        return f"{plain(self.min)} to {plain(self.max)}"

    @classmethod
    def in_words(cls, fact: str, column: str, group: str) -> str:
        """See the base class."""
        least, most = (percent(float(share)) for share in fact.split(" to "))
        return (
            "An attacker who knows all quasi-identifying values of a person of the population"
            f" can conclude with a probability between {least} and {most} that the person is in"
            " this table."
        )


MODEL = DeltaPresence
