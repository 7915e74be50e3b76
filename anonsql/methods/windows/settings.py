"""What methods have in common that release a row as what several rows of an order have in
common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field, model_validator

from anonsql.errors import FieldError
from anonsql.policy.method import (
    Form,
    MethodSettings,
    Requirements,
    asked_besides,
    refuse_ranges,
)

if TYPE_CHECKING:
    from anonsql.policy.columns import ColumnPolicy
    from anonsql.policy.privacy import Privacy

FREQUENCIES = frozenset({"l_diversity", "l_diversity.entropy", "entity"})
"""What limits how frequent a sensitive value, or a person, may be, and nothing else."""


class Windows(MethodSettings):
    """What the methods have that release rows as what several rows have in common."""

    keeps: ClassVar = FREQUENCIES
    label_for_each_row: ClassVar = True

    representation: Literal["set", "range", "ancestor"] = Field(
        "set",
        description=(
            "release the set of the values, the interval from the lowest to the highest, or their"
            " lowest common node"
        ),
    )
    sets: Literal["text", "array"] = Field(
        "text", description="how sets are released: `{a, b}`, or a column of arrays"
    )

    @model_validator(mode="after")
    def _known_together(self) -> Windows:
        if self.sets == "array" and self.representation != "set":
            raise FieldError(
                "sets",
                f"array cannot be combined with `representation: {self.representation}`: only"
                " sets are arrays",
            )
        return self

    def require_fit(self, required: Requirements) -> None:
        require_frequencies_alone(self.type, required.privacy)
        super().require_fit(required)

    @classmethod
    def needs_hierarchies(cls, parameters: Mapping[str, Any]) -> bool:
        return parameters.get("representation") == "ancestor"

    @property
    def arrays(self) -> bool:
        return self.sets == "array"

    def form(self, *, ordered: bool, least: int) -> Form:
        if self.representation == "range":
            return "numbers" if ordered else "names"
        return "set" if self.representation == "set" else "node"

    def ignores_hierarchy(self, *, ordered: bool, gives_order: bool) -> bool:
        """Where rows are released as ranges, use a hierarchy for the order of names alone."""
        return self.representation == "range" and (ordered or not gives_order)

    def require_levels(self, columns: Mapping[str, ColumnPolicy]) -> None:
        for name, column in columns.items():
            if column.max_level is not None:
                text = f"max_level has no effect with {self.type}: leave it out"
                raise FieldError(f"columns.{name}", text)
            if column.min_level is not None and self.representation == "range":
                raise FieldError(
                    f"columns.{name}", "min_level has no effect on ranges: leave it out"
                )


def require_frequencies_alone(method: str, privacy: Privacy) -> None:
    """Raise FieldError where more is asked than k rows, or people, and how frequent a sensitive
    value may be."""
    refuse_ranges(method, privacy)
    others = asked_besides(privacy, "l_diversity", "entity")
    others += [
        f"{model.type} l_diversity (of {name})"
        for name, model in privacy.l_diversity.items()
        if model.type == "recursive"
    ]
    if others:
        promised = "k and the frequency of sensitive values (l_diversity, distinct or entropy)"
        raise FieldError("method.type", f"{method} promises {promised}, not {others[0]}")
