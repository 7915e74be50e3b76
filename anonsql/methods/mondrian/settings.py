"""Settings of Mondrian (LeFevre, DeWitt, Ramakrishnan, ICDE 2006)."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field, model_validator

from anonsql.errors import FieldError
from anonsql.policy.method import CLASS_MODELS, Form, MethodSettings, Requirements


class Mondrian(MethodSettings):
    """Multidimensional partitioning (LeFevre, DeWitt, Ramakrishnan, Mondrian, ICDE 2006): groups of
    near rows, each released as tightly as its own values allow."""

    keeps: ClassVar = CLASS_MODELS | {"over_time"}
    averages: ClassVar = True

    type: Literal["mondrian"] = "mondrian"
    mode: Literal["strict", "relaxed"] = Field(
        "strict",
        description=(
            "relaxed: rows with the same value may be divided between groups if that reduces loss"
        ),
    )
    values: Literal["range", "hierarchy"] = Field(
        "range",
        description=(
            "release intervals and sets of the values of a group, or nodes of the hierarchies"
        ),
    )
    cut: Literal["loss", "median"] = Field(
        "loss",
        description=(
            "where a group is cut: where loss decreases most, or, as the authors do, at the"
            " median of its widest attribute"
        ),
    )

    @model_validator(mode="after")
    def _known_together(self) -> Mondrian:
        if self.mode == "relaxed" and self.values == "hierarchy":
            raise FieldError(
                "mode",
                "relaxed cannot be combined with `values: hierarchy`, which cuts nodes into whole"
                " children",
            )
        if self.cut == "median" and self.values == "hierarchy":
            raise FieldError(
                "cut",
                "median cannot be combined with `values: hierarchy`, which cuts nodes into their"
                " children",
            )
        return self

    def form(self, *, ordered: bool, least: int) -> Form:
        if self.values == "hierarchy":
            return "node"
        return "range" if ordered and least == 0 else "set"

    def require_fit(self, required: Requirements) -> None:
        super().require_fit(required)
        if self.mode == "relaxed" and required.privacy.coded_columns():
            raise FieldError(
                "method.mode",
                "relaxed divides rows at random, so only k rows can be promised; set it to strict",
            )
        over_time = required.privacy.over_time
        if over_time is None:
            return
        if self.mode == "relaxed":
            raise FieldError(
                "method.mode",
                "relaxed divides rows at random, and over_time forms groups of known rows; set it"
                " to strict",
            )
        if "levels" in over_time.model_fields_set:
            raise FieldError(
                "privacy.over_time.levels",
                "mondrian has no levels: rows that were released with the same values are"
                " regrouped in every release; leave it out",
            )


SETTINGS = (Mondrian,)
