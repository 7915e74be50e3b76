"""t-closeness."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from anonsql.errors import FieldError
from anonsql.privacy.base import ColumnModel, Criterion, Needs, Over, Term
from anonsql.system.scalars import Number, Text, plain

Distance = Literal["equal", "ordered", "hierarchical"]


def _criterion(distance: Distance, over: Over) -> Criterion:
    return Criterion(
        "t_closeness",
        distance,
        over,
        step=Decimal("0.01"),
        loosest=Decimal("0.99"),
        because="the distance is convex: a far part moves the union",
        figures=("share", "table_share", *(("position",) if distance == "ordered" else ())),
        words=f"t={{}} ({distance})",
    )


EQUAL = _criterion("equal", "shares")
ORDERED = _criterion("ordered", "classes")
HIERARCHICAL = _criterion("hierarchical", "classes")
_BY_DISTANCE = {criterion.name: criterion for criterion in (EQUAL, ORDERED, HIERARCHICAL)}


class TCloseness(ColumnModel):
    """t-closeness of a sensitive column (Li, Li, Venkatasubramanian 2007): its distribution in
    every class lies within ``t`` of that in the whole table, by the earth mover's distance over
    equal, ordered or hierarchical ground distances."""

    name: ClassVar = "t_closeness"
    bare: ClassVar = "a number is an equal t"
    main: ClassVar = "t"
    criteria: ClassVar = tuple(_BY_DISTANCE.values())
    variants: ClassVar = ("hierarchical",)
    distribution: ClassVar = True

    t: Number = Field(ge=0, lt=1, description="greatest distance")
    distance: Distance = "equal"
    order: list[Text] | None = Field(
        None, min_length=2, description="the values of a text column in their order, for `ordered`"
    )

    @model_validator(mode="after")
    def _fits_distance(self) -> TCloseness:
        if self.order is not None and self.distance != "ordered":
            raise FieldError(
                "order",
                f"only the ordered distance has an order, and the distance is {self.distance}",
            )
        if self.order is not None and len(set(self.order)) < len(self.order):
            raise FieldError("order", "a value occurs twice")
        return self

    def terms(self, index: int = 0, height: int = 1) -> Iterator[tuple[str, Term]]:
        """See the base class."""
        yield "t", Term(_BY_DISTANCE[self.distance], self.t, Decimal(0), index, height)

    @property
    def fact(self) -> str:
        """See the base class."""
        return f"{self.distance} {plain(self.t)}"

    @classmethod
    def of_fact(cls, fact: str) -> Self:
        """See the base class."""
        distance, t = fact.split(" ")
        return cls.model_validate({"distance": distance, "t": t})

    @property
    def variant(self) -> str | None:
        """See the base class."""
        return "hierarchical" if self.distance == "hierarchical" else None

    @property
    def needs(self) -> Needs:
        """See the base class."""
        return Needs(
            order=self.distance == "ordered",
            given=tuple(self.order or ()),
            hierarchy=self.distance == "hierarchical",
        )

    @property
    def nearest(self) -> str | None:
        """See the base class."""
        return f"privacy/t_closeness/{self.distance}_nearest"

    @classmethod
    def in_words(cls, fact: str, column: str, group: str) -> str:
        """See the base class."""
        distance, _, t = fact.partition(" ")
        return (
            f"In every {group} the values of {column} have nearly the same distribution as in the"
            f" whole table: the distance is at most {t}, where 0 means equal and 1 as different as"
            f" possible ({distance} distance)."
        )


MODEL = TCloseness
