"""(α, k)-anonymity."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import ClassVar

from pydantic import Field

from anonsql.privacy.base import NEARLY_ALL, ColumnModel, Criterion, Needs, Term
from anonsql.system.numbers import percent
from anonsql.system.scalars import Number, Text, plain

ALPHA = Criterion(
    "alpha_k",
    "alpha",
    "shares",
    step=Decimal("0.01"),
    loosest=Decimal("0.99"),
    because="a share is between its parts' shares, not below both",
    figures=("named",),
)


class AlphaK(ColumnModel):
    """(α, k)-anonymity (Wong et al. 2006): no one of the ``values`` makes up more than ``alpha`` of
    any class."""

    name: ClassVar = "alpha_k"
    main: ClassVar = "alpha"
    criteria: ClassVar = (ALPHA,)

    alpha: Number = Field(gt=0, lt=1, description="largest share of a value in a class")
    values: list[Text] | None = Field(
        None, min_length=1, description="only these values; by default every value"
    )

    def terms(self, index: int = 0, height: int = 1) -> Iterator[tuple[str, Term]]:
        """See the base class."""
        yield "alpha", Term(ALPHA, self.alpha, index=index)

    @property
    def fact(self) -> str:
        """See the base class."""
        return plain(self.alpha) + (" of some values" if self.values is not None else "")

    @property
    def needs(self) -> Needs:
        """See the base class."""
        return Needs(named=tuple(self.values or ()))

    @property
    def loose(self) -> str | None:
        """See the base class."""
        return "alpha" if self.alpha >= NEARLY_ALL else None

    @classmethod
    def in_words(cls, fact: str, column: str, group: str) -> str:
        """See the base class."""
        which = f"No value of {column}"
        if "some" in fact:
            which = f"None of the values of {column} that the policy names"
        share = percent(float(fact.partition(" ")[0]))
        return f"{which} makes up more than {share} of any {group}."


MODEL = AlphaK
