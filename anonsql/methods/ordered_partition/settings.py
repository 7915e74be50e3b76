"""Settings of ordered-set partitioning (Incognito, 5.1.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from anonsql.policy.method import CLASS_MODELS, Form, MethodSettings, refuse_levels

if TYPE_CHECKING:
    from anonsql.policy.columns import ColumnPolicy


class OrderedPartition(MethodSettings):
    """Single-dimension ordered-set partitioning (Incognito, 5.1.2): each column's ordered domain is
    cut into intervals."""

    keeps: ClassVar = CLASS_MODELS
    averages: ClassVar = True

    type: Literal["ordered-partition"] = "ordered-partition"
    minimize: Literal["loss", "discernibility"] = Field(
        "loss", description="the measure that is minimized"
    )
    budget: int = Field(
        200,
        ge=1,
        description="largest number of partitions to branch from, if several columns are cut",
    )
    seconds: float | None = Field(
        None,
        gt=0,
        description=(
            "time limit of the search, if several columns are cut; the best partition by then is"
            " released"
        ),
    )
    resolution: int = Field(
        256, ge=2, le=100_000, description="largest number of places where a column may be cut"
    )

    @classmethod
    def needs_hierarchies(cls, parameters: Mapping[str, Any]) -> bool:
        return False

    def require_levels(self, columns: Mapping[str, ColumnPolicy]) -> None:
        refuse_levels(self.type, columns)

    def ignores_hierarchy(self, *, ordered: bool, gives_order: bool) -> bool:
        """Use a hierarchy for the order of names alone."""
        return ordered or not gives_order

    @property
    def facts(self) -> frozenset[str]:
        return frozenset({"optimal"})

    def form(self, *, ordered: bool, least: int) -> Form:
        return "numbers" if ordered else "names"


SETTINGS = (OrderedPartition,)
