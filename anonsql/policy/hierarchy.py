"""How a policy describes a generalization hierarchy: one model for each ``type``.

Level 0 is the value itself; the top level is one single value. All but ``file`` add ``*`` as the
top level.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    model_validator,
)

from anonsql.errors import FieldError
from anonsql.system.scalars import Number, Text

TOP = "*"
MAX_LEVELS = 64  # above level 0; statements grow with the square of the number of levels
DATE_UNITS = ("day", "week", "month", "quarter", "year", "decade")


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FileHierarchy(_Model):
    """A CSV file, `;` or `,`, no header: one row per leaf, level 0 first. An empty first cell maps
    NULL."""

    type: Literal["file"] = "file"
    path: str


class IntervalHierarchy(_Model):
    """Half-open intervals ``[a,b)`` of a number, one level for each width, each a multiple of the
    one before."""

    type: Literal["interval"] = "interval"
    widths: list[Annotated[Number, Field(gt=0)]] = Field(min_length=1)
    origin: Number = Decimal(0)

    @model_validator(mode="after")
    def _nested(self) -> IntervalHierarchy:
        for index, (narrow, wide) in enumerate(
            zip(self.widths, self.widths[1:], strict=False), start=1
        ):
            if wide <= narrow or wide % narrow != 0:
                raise FieldError(
                    f"widths[{index}]",
                    f"{wide} is no multiple of the width before it, {narrow}: the levels do not"
                    " nest",
                )
        return self

    @property
    def scale(self) -> int:
        """Digits after the point that the interval bounds need."""
        return max(
            0,
            *(
                -int(number.normalize().as_tuple().exponent)
                for number in (*self.widths, self.origin)
            ),
        )


class MaskHierarchy(_Model):
    """Characters replaced by ``*`` one after another, from the right or the left; ``length`` is the
    longest value's."""

    type: Literal["mask"] = "mask"
    length: int = Field(ge=1, le=64)
    start: Literal["right", "left"] = Field("right", alias="from")


class DateHierarchy(_Model):
    """A date or timestamp coarsened to calendar units."""

    type: Literal["date"] = "date"
    levels: list[Literal["day", "week", "month", "quarter", "year", "decade"]] = Field(min_length=1)

    @model_validator(mode="after")
    def _nested(self) -> DateHierarchy:
        for index, (fine, coarse) in enumerate(
            zip(self.levels, self.levels[1:], strict=False), start=1
        ):
            if DATE_UNITS.index(coarse) <= DATE_UNITS.index(fine):
                raise FieldError(
                    f"levels[{index}]",
                    f"{coarse} is not coarser than {fine}: the levels do not nest",
                )
            if fine == "week":
                raise FieldError(
                    f"levels[{index}]",
                    f"a week may lie in more than one {coarse}: the levels do not nest",
                )
        return self


class OrderHierarchy(_Model):
    """Named groups of ordered values. ``levels[0]`` groups the values, ``levels[1]`` groups those
    names, and so on."""

    type: Literal["order"] = "order"
    levels: list[
        Annotated[dict[Text, Annotated[list[Text], Field(min_length=1)]], Field(min_length=1)]
    ] = Field(min_length=1)


class TaxonomyHierarchy(_Model):
    """A tree of names: nested mappings ending in lists of leaves, in the policy or in a YAML or
    JSON file."""

    type: Literal["taxonomy"] = "taxonomy"
    tree: dict[Text, Any] | None = Field(None, min_length=1)
    path: str | None = None

    @model_validator(mode="after")
    def _one_tree(self) -> TaxonomyHierarchy:
        if (self.tree is None) == (self.path is None):
            raise ValueError("give either `tree` or `path`")
        return self


class SuppressionHierarchy(_Model):
    """The value, or ``*``."""

    type: Literal["suppression"] = "suppression"


Hierarchy = Annotated[
    FileHierarchy
    | IntervalHierarchy
    | MaskHierarchy
    | DateHierarchy
    | OrderHierarchy
    | TaxonomyHierarchy
    | SuppressionHierarchy,
    Discriminator("type"),
]
