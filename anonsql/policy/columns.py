"""What a policy says of one column: its role, and how it may be generalized."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from anonsql.errors import FieldError
from anonsql.policy.hierarchy import Hierarchy
from anonsql.system.scalars import Text

ROLE_ALIASES = {
    "identifier": "identifying",
    "direct-identifier": "identifying",
    "quasi-identifier": "quasi-identifying",
    "qi": "quasi-identifying",
    "key": "quasi-identifying",
}
RoleName = Literal["identifying", "quasi-identifying", "semi-sensitive", "sensitive", "insensitive"]
Role = Annotated[
    RoleName,
    BeforeValidator(lambda role: ROLE_ALIASES.get(role, role) if isinstance(role, str) else role),
]

GENERALIZED: tuple[RoleName, ...] = ("quasi-identifying", "semi-sensitive")
"""The roles of columns whose values are generalized, and have a hierarchy."""

Replacement = Literal["surrogate", "null", "constant"]
"""What an identifying column is replaced by, where it is not removed."""
CONSTANT: Final = "*"
REPLACED: Final[dict[Replacement, str]] = {
    "surrogate": "random number, the same for the same value, new in every release",
    "null": "always NULL",
    "constant": f"always {CONSTANT}",
}
"""What the values of a replaced column look like, as ``__columns`` says it."""


class ColumnPolicy(BaseModel):
    """What one column is and, when it is quasi-identifying, how it may be generalized."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    role: Role
    hierarchy: Hierarchy | None = Field(
        None,
        description=(
            "of a quasi-identifying column; of a sensitive one for hierarchical t-closeness"
        ),
    )
    weight: float = Field(
        1.0,
        gt=0,
        allow_inf_nan=False,
        description="importance of the column in loss and weighted-height",
    )
    min_level: int | None = Field(None, ge=0, description="least level that may be released")
    max_level: int | None = Field(None, ge=0, description="greatest level that may be released")
    suppressed: Literal["keep", "mask"] = Field(
        "keep", description="of a sensitive or insensitive column: its value in masked rows"
    )
    replace: Replacement | None = Field(
        None,
        description=(
            "of an identifying column, which is removed when this is left out: a random number for"
            " each value, new in every release; NULL; or `*`"
        ),
    )
    flag: Text | None = Field(
        None,
        description=(
            "of a semi-sensitive column: the boolean column that says for whom it is sensitive"
        ),
    )
    sensitive_when: Text | None = Field(
        None, description="of a semi-sensitive column: an SQL condition over the row that says so"
    )

    @model_validator(mode="before")
    @classmethod
    def _null_is_a_word(cls, data: Any) -> Any:
        """Return the column's data with the word `null` where YAML read nothing."""
        if isinstance(data, dict) and "replace" in data and data["replace"] is None:
            return {**data, "replace": "null"}
        return data

    @model_validator(mode="after")
    def _fits_role(self) -> ColumnPolicy:
        if self.replace is not None and self.role != "identifying":
            raise FieldError(
                "replace", f"only an identifying column has this, and the role is {self.role}"
            )
        if self.role != "semi-sensitive" and (
            extra := sorted(self.model_fields_set & {"flag", "sensitive_when"})
        ):
            raise ValueError(
                f"{', '.join(extra)}: only a semi-sensitive column has this, and the role is"
                f" {self.role}"
            )
        if self.role == "semi-sensitive" and (self.flag is None) == (self.sensitive_when is None):
            raise ValueError(
                "a semi-sensitive column needs either `flag: <boolean column>` or `sensitive_when:"
                " <condition>`"
            )
        if self.role in GENERALIZED:
            if "suppressed" in self.model_fields_set:
                raise FieldError(
                    "suppressed", "quasi-identifying columns are always masked in masked rows"
                )
            if self.hierarchy is None and self.role == "semi-sensitive":  # local does without
                raise ValueError("semi-sensitive columns need `method: {type: local}`")
            if self.hierarchy is None:
                raise ValueError(
                    f"a {self.role} column needs a hierarchy, e.g. `hierarchy: {{type:"
                    " suppression}`"
                )
            if (
                self.min_level is not None
                and self.max_level is not None
                and self.min_level > self.max_level
            ):
                raise FieldError(
                    "min_level", f"{self.min_level} is above max_level {self.max_level}"
                )
        else:
            allowed = {
                "sensitive": {"role", "hierarchy", "suppressed"},
                "insensitive": {"role", "suppressed"},
                "identifying": {"role", "replace"},
            }.get(self.role, {"role"})
            extra = sorted(self.model_fields_set - allowed)
            if extra:
                raise ValueError(
                    f"{', '.join(extra)}: only a quasi-identifying column has this, and the role is"
                    f" {self.role}"
                )
        return self
