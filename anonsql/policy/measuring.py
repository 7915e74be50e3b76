"""What a policy says of how useful its release shall be: which column analyses explain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field

from anonsql.errors import FieldError, PolicyError, did_you_mean
from anonsql.policy.columns import ColumnPolicy
from anonsql.system.scalars import Text

if TYPE_CHECKING:
    from anonsql.policy.policy import Policy
    from anonsql.policy.relational import RelationalPolicy

Model = Literal["regression", "trees"]
TARGET = "measure.target"


class Measuring(BaseModel):
    """The optional analyses of `measure`, `compare` and `advise`. They change nothing about the
    release."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    target: Text | None = Field(
        None,
        description=(
            "a column that a regression and a model predict from the others, on source and"
            " release; with several tables `table.column`"
        ),
    )
    model: Model = Field(
        "regression",
        description=(
            "the model that predicts the target: linear or logistic regression, or gradient"
            " boosted trees of scikit-learn (anonsql[models])"
        ),
    )

    def require_fit(self, columns: Mapping[str, ColumnPolicy]) -> None:
        """Raise FieldError where the target is none of ``columns``, by name, or is not released."""
        if self.target is None:
            return
        if self.target not in columns:
            hint = did_you_mean(self.target, columns) or "see columns"
            raise FieldError(TARGET, f"there is no column {self.target!r} ({hint})")
        if (role := columns[self.target].role) == "identifying":
            raise FieldError(
                TARGET,
                f"the release does not have {self.target!r}, because the role is {role}: name"
                " another column",
            )


def measuring_of(
    policy: Policy | RelationalPolicy, target: str | None, model: Model | None
) -> Measuring:
    """Return the measuring of a policy, with another target or model if these are given; raise
    PolicyError for a target that it does not release."""
    given = {
        name: value for name, value in (("target", target), ("model", model)) if value is not None
    }
    measuring = policy.measure.model_copy(update=given)
    try:
        measuring.require_fit(policy.measurable)
    except FieldError as error:
        raise PolicyError.at("--target", f"{error}.", "Name a released column.") from None
    return measuring
