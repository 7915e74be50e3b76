"""β-likeness."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import ClassVar

from pydantic import Field

from anonsql.privacy.base import ColumnModel, Criterion, Term, rounded_down
from anonsql.system.numbers import percent
from anonsql.system.scalars import Number

BETA = Criterion(
    "beta_likeness",
    "beta",
    "shares",
    step=Decimal("0.1"),
    loosest=Decimal(10_000),
    because="a share is between its parts' shares, not below both",
    figures=("share", "table_share"),
)


class BetaLikeness(ColumnModel):
    """Basic β-likeness (Cao, Karras 2012): no value's share in a class exceeds its share p in the
    table by more than ``beta`` times p."""

    name: ClassVar = "beta_likeness"
    main: ClassVar = "beta"
    criteria: ClassVar = (BETA,)
    distribution: ClassVar = True

    beta: Number = Field(gt=0, le=1_000_000, description="largest relative gain of a value")

    def terms(self, index: int = 0, height: int = 1) -> Iterator[tuple[str, Term]]:
        """See the base class."""
        yield "beta", Term(BETA, self.beta, index=index)

    def without_bound(self, commonest: float) -> str | None:
        """See the base class."""
        if (1 + float(self.beta)) * commonest < 1:
            return None
        return f"below {rounded_down(1 / commonest - 1)}"

    @classmethod
    def in_words(cls, fact: str, column: str, group: str) -> str:
        """See the base class."""
        return (
            f"In no {group} does a value of {column} exceed its share in the whole table by more"
            f" than {percent(float(fact))} of that share."
        )


MODEL = BetaLikeness
