"""What a policy of statistics says of its tables: dimensions, measures, and which tables are made of
them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    Discriminator,
    Field,
    Tag,
    model_validator,
)

from anonsql.policy.envelope import PolicyModel
from anonsql.policy.hierarchy import Hierarchy, SuppressionHierarchy
from anonsql.system.scalars import Name, Text


class Dimension(PolicyModel):
    """One column that tables are made by."""

    hierarchy: Hierarchy = Field(
        SuppressionHierarchy(type="suppression"),
        description="the levels of the tables; by default its values and their total",
    )


class CountOf(PolicyModel):
    """How many different people there are."""

    count: Text = Field(description="the column that identifies them: `protect.entity`")


class SumOf(PolicyModel):
    """The sum of a column of numbers."""

    sum: Text = Field(description="the column to add up; NULL adds nothing")
    decimals: int | None = Field(
        None,
        ge=0,
        le=9,
        description=(
            "digits after the point to which values are rounded before they are added; by default"
            " those of the column, and 2 for floating-point numbers"
        ),
    )


class RatioOf(PolicyModel):
    """One published measure divided by another: a mean, or a rate."""

    ratio: Annotated[list[Text], Field(min_length=2, max_length=2)] = Field(
        description="the numerator and the denominator, two measures"
    )
    decimals: int = Field(4, ge=0, le=6, description="digits after the point")


class ShareOf(PolicyModel):
    """A published measure divided by its total, that of all dimensions."""

    share: Text = Field(description="the measure")
    decimals: int = Field(4, ge=0, le=6, description="digits after the point")

    @property
    def ratio(self) -> list[str]:
        """The measure, and that of the total."""
        return [self.share, self.share]


_KINDS = ("count", "sum", "ratio", "share")


def _kind_of_measure(data: Any) -> str | None:
    """Return the kind of a measure, read or not: ``rows``, or the one field that says it; None where
    none or several do."""
    if data == "count":
        return "rows"
    if isinstance(data, PolicyModel):
        return next(kind for kind in reversed(_KINDS) if hasattr(data, kind))
    kinds = [kind for kind in _KINDS if isinstance(data, dict) and kind in data]
    return kinds[0] if len(kinds) == 1 else None


Measure = Annotated[
    Annotated[Literal["count"], Tag("rows")]
    | Annotated[CountOf, Tag("count")]
    | Annotated[SumOf, Tag("sum")]
    | Annotated[RatioOf, Tag("ratio")]
    | Annotated[ShareOf, Tag("share")],
    Discriminator(
        _kind_of_measure,
        custom_error_type="no_measure",
        custom_error_message="Write `count` for rows, or `{count: column}` for people, `{sum:"
        " column}`, `{ratio: [measure, measure]}` for means and rates, or"
        " `{share: measure}`",
    ),
]
"""A measure in a table's cells: rows, people, a sum, a ratio or a share."""


class TableOf(PolicyModel):
    """One table."""

    by: list[Name] = Field(min_length=1, description="its dimensions")
    levels: dict[Text, Annotated[int, Field(ge=0)]] = Field(
        {}, description="the finest level of a dimension; by default 0, its values"
    )
    name: Name | None = Field(
        None, description="the table's name; by default its dimensions joined by `_`"
    )
    zeros: Literal["publish"] | None = Field(
        None,
        description="with `protect.zeros: protect`: leave the empty cells of this table out",
    )

    @property
    def table(self) -> str:
        """The table's name."""
        return self.name or "_".join(self.by)


class Statistics(PolicyModel):
    """The tables to publish, and their dimensions and measures."""

    by: dict[Name, Dimension] = Field(min_length=1, description="the dimensions, by column")
    of: dict[Name, Measure] = Field(
        min_length=1,
        description=(
            "the measures: `count` of rows, `{count: column}` of people, `{sum: column}`; then"
            " `{ratio: [measure, measure]}` and `{share: measure}` of these"
        ),
    )
    tables: list[TableOf] = Field(
        min_length=1, description="each a list of dimensions, or `{by, levels, name, zeros}`"
    )

    @model_validator(mode="before")
    @classmethod
    def _spelled_out(cls, data: Any) -> Any:
        if isinstance(data, dict) and isinstance(data.get("tables"), list):
            tables = [
                {"by": entry} if isinstance(entry, list) else entry for entry in data["tables"]
            ]
            data = {**data, "tables": tables}
        if isinstance(data, dict) and isinstance(data.get("of"), dict):
            ratios = [of for of in data["of"].values() if isinstance(of, dict)]
            ratios = [of for of in ratios if {"ratio", "share"} & of.keys()]
            last = sorted(data["of"].items(), key=lambda entry: entry[1] in ratios)
            data = {**data, "of": dict(last)}
        return data
