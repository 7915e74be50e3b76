"""Settings of generalization helped by relocation (Nergiz, Gök, Özkanlı 2013)."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from anonsql.errors import FieldError
from anonsql.policy.method import (
    Form,
    MethodSettings,
    Requirements,
    asked_besides,
    refuse_ranges,
)
from anonsql.system.scalars import Number

if TYPE_CHECKING:
    from anonsql.policy.privacy import Privacy


class Hybrid(MethodSettings):
    """Generalization helped by relocation (Nergiz, Gök, Özkanlı 2013): rows of small groups are
    moved into other groups by changing some of their quasi-identifying cells, so that all can be
    released more finely."""

    keeps: ClassVar = frozenset({"l_diversity"})
    changes_values: ClassVar = True
    always_named: ClassVar = ("p",)
    incomparable: ClassVar = (
        "of hybrid, loss, GCP and discernibility use released values that may be untrue: see"
        " relocated"
    )

    type: Literal["hybrid"] = "hybrid"
    p: Number = Field(
        Decimal("0.01"),
        ge=0,
        lt=1,
        description="largest share of quasi-identifying cells that may be changed",
    )
    variant: Literal["deterministic", "randomized"] = Field(
        "deterministic",
        description=(
            "move rows to the closest group, or to a random group as a protection against"
            " attackers who know the algorithm"
        ),
    )
    alpha: Number | None = Field(
        None,
        gt=0,
        lt=1,
        description=(
            "significance level at which a chi-squared test must not distinguish the new group"
            " sizes from the old ones"
        ),
    )
    recoding: Literal["full-domain", "mondrian"] = Field(
        "full-domain",
        description=(
            "groups between which rows are moved: those of a full-domain generalization, or"
            " Mondrian's"
        ),
    )
    search: Literal["best-first", "top-down"] = Field(
        "best-first",
        description=(
            "of full-domain: in the order of loss, or through the whole lattice from its top, as"
            " the authors do"
        ),
    )

    @field_validator("p", "alpha", mode="before")
    @classmethod
    def _share(cls, value: Any) -> Any:
        percentage = isinstance(value, str) and value.strip().endswith("%")
        if percentage or (
            isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 1
        ):
            raise ValueError(f"found {value}; write a share, e.g. 0.01 for 1 %")
        return value

    @model_validator(mode="after")
    def _known_together(self) -> Hybrid:
        if self.recoding == "mondrian" and "search" in self.model_fields_set:
            raise FieldError("search", "only `recoding: full-domain` searches a lattice")
        return self

    @property
    def leveled(self) -> bool:
        return self.recoding == "full-domain"

    @property
    def facts(self) -> frozenset[str]:
        return frozenset({"height"} if self.leveled else ())

    def promised(self, privacy: Privacy) -> dict[str, str]:
        limits = {"p": self.p, "alpha": self.alpha}
        return {
            name: format(limit.normalize(), "f")
            for name, limit in limits.items()
            if limit is not None
        }

    def max_changed(self, rows: int, columns: int) -> int:
        return int(Fraction(self.p) * rows * columns)

    def form(self, *, ordered: bool, least: int) -> Form:
        if self.leveled:
            return "level"
        return "range" if ordered and least == 0 else "set"

    def require_fit(self, required: Requirements) -> None:
        """Raise FieldError where more is asked than k rows and distinct values, which is what
        relocation reckons with."""
        refuse_ranges(self.type, required.privacy)
        _require_distinct_alone(self, required.privacy)
        super().require_fit(required)


def _require_distinct_alone(method: Hybrid, privacy: Privacy) -> None:
    """Raise FieldError where more is asked than k rows and distinct values, which is what
    relocation reckons with."""
    others = asked_besides(privacy, "l_diversity")
    others += [
        f"{model.type} l_diversity (of {name})"
        for name, model in privacy.l_diversity.items()
        if model.type != "distinct"
    ]
    if others:
        raise FieldError(
            "method.type",
            f"hybrid can promise k rows and distinct l_diversity, but not {others[0]}",
        )
    if privacy.l_diversity and method.recoding == "mondrian":
        raise FieldError(
            "method.recoding",
            "with mondrian only k rows can be promised: leave l_diversity out, or set recoding to"
            " full-domain",
        )


SETTINGS = (Hybrid,)
