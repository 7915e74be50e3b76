"""k-map."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import ClassVar

from pydantic import Field

from anonsql.privacy.base import MAX_K, Criterion, PopulationModel, Term

ROWS = Criterion(
    "k_map",
    "k_map",
    "counts",
    step=Decimal(-1),
    loosest=Decimal(2),
    because="a union has no fewer rows of the population than either part",
    unions=True,
)


class KMap(PopulationModel):
    """k-map (Sweeney 2002): every class has at least ``k`` rows of the population."""

    name: ClassVar = "k_map"
    main: ClassVar = "k"
    criteria: ClassVar = (ROWS,)

    k: int = Field(ge=2, le=MAX_K, description="lowest number of rows of the population in a class")

    def terms(self, index: int = 0, height: int = 1) -> Iterator[tuple[str, Term]]:
        """See the base class."""
        yield "k", Term(ROWS, Decimal(self.k))

    @property
    def fact(self) -> str:
        """See the base class."""
        return str(self.k)

    @classmethod
    def in_words(cls, fact: str, column: str, group: str) -> str:
        """See the base class."""
        return (
            f"Every {group} matches at least {fact} people of the population from which the table"
            " was drawn."
        )


MODEL = KMap
