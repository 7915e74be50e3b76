"""l-diversity."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal
from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from anonsql.errors import FieldError
from anonsql.privacy.base import NEARLY_ALL, ColumnModel, Criterion, Needs, Term
from anonsql.system.numbers import percent
from anonsql.system.scalars import Number, plain

DISTINCT = Criterion(
    "l_diversity",
    "distinct",
    "counts",
    step=Decimal(-1),
    loosest=Decimal(2),
    because="a union has no fewer values than either part",
    unions=True,
)
ENTROPY = Criterion(
    "l_diversity",
    "entropy",
    "shares",
    step=Decimal("-0.1"),
    loosest=Decimal("1.1"),
    because="entropy is concave, but a part of one value lowers it",
    figures=("share",),
)
RECURSIVE = Criterion(
    "l_diversity",
    "recursive",
    "shares",
    step=Decimal(-1),
    loosest=Decimal(2),
    because="a commonest value from elsewhere outgrows the others",
    figures=("place",),
)
RANGE = Criterion(
    "l_diversity",
    "range",
    "values",
    step=Decimal("-0.01"),
    loosest=Decimal("0.01"),
    because="a union's least value is no greater, its greatest no less",
    unions=True,
    figures=("number",),
    words="min_range={}",
)
SPAN = Criterion(
    "l_diversity",
    "span",
    "values",
    step=Decimal("-0.05"),
    loosest=Decimal("0.05"),
    because=RANGE.because,
    unions=True,
    relative=True,
    figures=("number",),
    words="min_span={}",
)
_BY_NAME = {criterion.name: criterion for criterion in (DISTINCT, ENTROPY, RECURSIVE, RANGE, SPAN)}


class LDiversity(ColumnModel):
    """l-diversity of a sensitive column (Machanavajjhala et al. 2007): ``l`` distinct values in
    every class, an entropy of at least ln l, or recursive (c, l)-diversity, r1 < c (r_l + … + r_m)
    for the counts r1 ≥ r2 ≥ … of its values. ``min_range`` or ``min_span`` ask that values which
    are numbers or dates are not all near each other besides."""

    name: ClassVar = "l_diversity"
    bare: ClassVar = "a number is a distinct l"
    main: ClassVar = "l"
    criteria: ClassVar = tuple(_BY_NAME.values())
    variants: ClassVar = ("entropy", "recursive", "range")

    least: Number = Field(
        alias="l", gt=1, le=1000, description="well represented values in every class"
    )
    type: Literal["distinct", "entropy", "recursive"] = "distinct"
    c: Number | None = Field(None, gt=0, le=1000, description="of recursive diversity")
    min_range: Number | None = Field(
        None,
        gt=0,
        description=(
            "of numbers and dates: the smallest distance between the lowest and the highest value"
            " of a class, as a share of the column's range"
        ),
    )
    min_span: Number | None = Field(
        None, gt=0, description="the same distance in the column's own unit, in days for dates"
    )

    @model_validator(mode="after")
    def _fits_type(self) -> LDiversity:
        if self.type != "entropy" and self.least != int(self.least):
            raise FieldError("l", f"found {self.least}: only entropy diversity can be a fraction")
        if (self.type == "recursive") != (self.c is not None):
            raise FieldError("c", "only recursive diversity has c, and needs it")
        if self.min_range is not None and self.min_range > 1:
            text = f"found {self.min_range:f}; write a share of the column's range, such as 0.2"
            raise FieldError("min_range", f"{text}; `min_span` uses the column's own unit")
        if self.min_range is not None and self.min_span is not None:
            raise FieldError("min_span", "min_range is given, too: leave one of them out")
        return self

    @property
    def apart(self) -> str | None:
        """The field that says how far values lie apart, where one does."""
        return next((name for name in ("min_range", "min_span") if getattr(self, name)), None)

    def terms(self, index: int = 0, height: int = 1) -> Iterator[tuple[str, Term]]:
        """See the base class."""
        yield "l", Term(_BY_NAME[self.type], self.least, self.c or Decimal(0), index)
        if self.apart:
            criterion = _BY_NAME[self.apart.removeprefix("min_")]
            yield self.apart, Term(criterion, getattr(self, self.apart), Decimal(0), index)

    @property
    def fact(self) -> str:
        """See the base class."""
        settings = {"c": self.c, "min_range": self.min_range, "min_span": self.min_span}
        others = [f"{key}={plain(value)}" for key, value in settings.items() if value is not None]
        return " ".join([self.type, plain(self.least), *others])

    @classmethod
    def of_fact(cls, fact: str) -> Self:
        """See the base class."""
        kind, least, *others = fact.split(" ")
        named = dict(other.split("=", 1) for other in others)
        return cls.model_validate({"type": kind, "l": least, **named})

    @property
    def variant(self) -> str | None:
        """See the base class."""
        return None if self.type == "distinct" else self.type

    @property
    def parts(self) -> tuple[tuple[str, str], ...]:
        """See the base class."""
        return (("range", self.apart),) if self.apart else ()

    @property
    def needs(self) -> Needs:
        """See the base class."""
        return Needs(apart=self.apart)

    @property
    def by_values(self) -> bool:
        """See the base class."""
        return self.type == "distinct"

    @property
    def loose(self) -> str | None:
        """See the base class: a class of two values, one of which nearly all rows have, keeps
        it."""
        if self.type == "recursive" and self.c is not None:
            return "c" if self.least == 2 and self.c * (1 - NEARLY_ALL) > NEARLY_ALL else None
        most = float(NEARLY_ALL)
        entropy = -most * math.log(most) - (1 - most) * math.log(1 - most)
        return "l" if self.type == "entropy" and math.log(self.least) <= entropy else None

    @classmethod
    def in_words(cls, fact: str, column: str, group: str) -> str:
        """See the base class."""
        settings = cls.of_fact(fact)
        least, c = plain(settings.least), settings.c
        ways = {
            "distinct": f"at least {least} different values of {column}",
            "entropy": (
                f"values of {column} that are as mixed as {least} equally frequent ones (entropy)"
            ),
        }
        says = f"Every {group} has {ways.get(settings.type, '')}"
        if c is not None:
            others = int(settings.least) - 1
            most = "it" if others == 1 else f"the {others} most frequent ones"
            says = (
                f"In every {group} the most frequent value of {column} has fewer rows than"
                f" {plain(c)} times the rows of all values except {most} (recursive diversity)"
            )
        if settings.min_range is not None:
            says += (
                f"; they span at least {percent(float(settings.min_range))} of the column's range"
            )
        if settings.min_span is not None:
            says += f"; they span at least {plain(settings.min_span)} (dates: days)"
        return f"{says}."


MODEL = LDiversity
