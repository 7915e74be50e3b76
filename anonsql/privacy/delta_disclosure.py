"""δ-disclosure privacy."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal
from typing import ClassVar

from pydantic import Field

from anonsql.privacy.base import ColumnModel, Criterion, Term, rounded_down
from anonsql.system.scalars import Number

DELTA = Criterion(
    "delta_disclosure",
    "delta",
    "shares",
    step=Decimal("0.1"),
    loosest=Decimal(100),
    because="a share is between its parts' shares, not below or above both",
    figures=("share", "table_share", "table_values"),
)


class DeltaDisclosure(ColumnModel):
    """δ-disclosure privacy (Brickell, Shmatikov 2008): \\|ln(share in the class / share in the
    table)\\| < ``delta`` for every value of the table in every class."""

    name: ClassVar = "delta_disclosure"
    main: ClassVar = "delta"
    criteria: ClassVar = (DELTA,)
    distribution: ClassVar = True

    delta: Number = Field(gt=0, le=100, description="bound of the logarithm")

    def terms(self, index: int = 0, height: int = 1) -> Iterator[tuple[str, Term]]:
        """See the base class."""
        yield "delta", Term(DELTA, self.delta, index=index)

    def without_bound(self, commonest: float) -> str | None:
        """See the base class."""
        if math.exp(float(self.delta)) * commonest < 1:
            return None
        return f"to {rounded_down(-math.log(commonest))} at most"

    @classmethod
    def in_words(cls, fact: str, column: str, group: str) -> str:
        """See the base class."""
        return (
            f"In every {group} each value of {column} has nearly the same share as in the whole"
            f" table: the logarithm of their ratio is less than {fact} in both directions."
        )


MODEL = DeltaDisclosure
