"""Settings of full-domain generalization and of attribute suppression (Incognito, 2005)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from anonsql.errors import FieldError
from anonsql.policy.method import (
    CLASS_MODELS,
    Algorithm,
    Form,
    MethodSettings,
    Requirements,
)

if TYPE_CHECKING:
    from anonsql.policy.columns import ColumnPolicy


Metric = Literal[
    "height", "weighted-height", "loss", "precision", "discernibility", "average_class_size"
]


class Leveled(MethodSettings):
    """What all methods have that release one level per column, for all its values."""

    keeps: ClassVar = CLASS_MODELS | {"population", "over_time"}
    searches: ClassVar = True

    algorithm: Algorithm = Field(
        "auto",
        description=(
            "the search algorithm: all are complete and find the same, except binary-search"
            " (least height only) and datafly (one generalization)"
        ),
    )
    roll_up: bool = Field(
        True,
        description="bottom-up: count a node from the nodes below it instead of from the cells",
    )
    minimize: Metric = Field(
        "loss", description="which of the generalizations that keep the promise to publish"
    )
    levels: dict[str, Annotated[int, Field(ge=0, strict=True)]] | None = Field(
        None, description="publish this generalization instead, if it keeps the promise"
    )

    @property
    def needs_search(self) -> bool:
        return self.levels is None

    @property
    def decides_levels(self) -> bool:
        return True

    @property
    def leveled(self) -> bool:
        return True

    @property
    def facts(self) -> frozenset[str]:
        return frozenset({"height", "weighted_height", "precision", "quarantined"})

    def form(self, *, ordered: bool, least: int) -> Form:
        return "level"

    def require_fit(self, required: Requirements) -> None:
        """Raise FieldError where an algorithm that is not complete would have to keep limits that
        generalization can break."""
        super().require_fit(required)
        if required.privacy.risk.limits and self.algorithm in ("binary-search", "datafly"):
            text = (
                f"{self.algorithm} does not examine every generalization, so it can miss one that"
                " keeps privacy.risk: use `auto`"
            )
            raise FieldError("method.algorithm", text)

    def require_levels(self, columns: Mapping[str, ColumnPolicy]) -> None:
        """Raise FieldError where the levels to be published are not one for each column."""
        if self.levels is None or set(self.levels) == set(columns):
            return
        missing = sorted(set(columns) - set(self.levels))
        extra = sorted(set(self.levels) - set(columns))
        raise FieldError(
            "method.levels",
            "give one level for every quasi-identifying column:"
            + (f" missing {', '.join(missing)}" if missing else "")
            + (f" unknown {', '.join(extra)}" if extra else ""),
        )


class FullDomain(Leveled):
    """Full-domain generalization (Incognito, 2005): one level per column, for all its values."""

    keeps: ClassVar = Leveled.keeps | {"quasi_identifiers", "tables", "differential"}

    type: Literal["full-domain"] = "full-domain"


class AttributeSuppression(Leveled):
    """Attribute suppression (Incognito, 5.1.1): full-domain generalization where every column is as
    it is or ``*``; hierarchies do not count."""

    type: Literal["attribute-suppression"] = "attribute-suppression"

    @classmethod
    def needs_hierarchies(cls, parameters: Mapping[str, Any]) -> bool:
        return False

    def ignores_hierarchy(self, *, ordered: bool, gives_order: bool) -> bool:
        """Ignore all of them: columns are as they are or ``*``."""
        return True


SETTINGS = (FullDomain, AttributeSuppression)
