"""What a policy says of one column: its role, and how it may be generalized."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from anonsql.errors import FieldError
from anonsql.grammar.forms import AS_IT_IS, Looks
from anonsql.policy.changes import Change
from anonsql.policy.hierarchy import Hierarchy
from anonsql.system.scalars import Text

ROLE_ALIASES = {
    "identifier": "identifying",
    "direct-identifier": "identifying",
    "quasi-identifier": "quasi-identifying",
    "qi": "quasi-identifying",
    "key": "quasi-identifying",
}
RoleName = Literal[
    "identifying", "quasi-identifying", "semi-sensitive", "sensitive", "insensitive", "weight"
]
Role = Annotated[
    RoleName,
    BeforeValidator(lambda role: ROLE_ALIASES.get(role, role) if isinstance(role, str) else role),
]

GENERALIZED: tuple[RoleName, ...] = ("quasi-identifying", "semi-sensitive")
"""The roles of columns whose values are generalized, and have a hierarchy."""
LOSS_WEIGHT = "weight."
"""What the facts about weights in a loss begin with, before the column's name."""
HARMLESS: tuple[RoleName, ...] = ("insensitive", "weight")
"""The roles of columns that are released unchanged and without a promise. A weight says how many
members of a population, or equal cases, its row represents."""
KEPT: tuple[RoleName, ...] = ("sensitive", *HARMLESS)
"""The roles of columns that are released as they are."""

Replacement = Literal["surrogate", "null", "constant"]
"""What an identifying column is replaced by, where it is not removed."""
CONSTANT: Final = "*"
REPLACED: Final[dict[Replacement, Looks]] = {
    "surrogate": Looks(
        "surrogate", "a number instead of the value; equal values get the same number"
    ),
    "null": Looks("null", "always NULL"),
    "constant": Looks("constant", f"always {CONSTANT}"),
}
"""The kinds of values that replace a column's own."""


Average = Literal["mean", "median"]
"""The average of a group's own values that is released next to its label."""

Kind = Literal[
    "phone", "mail", "url", "iban", "card", "national-number", "name", "free-text", "person-key"
]
"""What kept text may hold that points to people: telephone numbers, mail addresses, links, bank
account and payment card numbers, social security and other national numbers, names, and sentences
that no other row has; and of generalized columns too, keys of people, such as a patient's
number."""


class ColumnPolicy(BaseModel):
    """What one column is and, when it is quasi-identifying, how it may be generalized."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    role: Role
    hierarchy: Hierarchy | None = Field(
        None,
        description=(
            "of a quasi-identifying column, or of a sensitive column for hierarchical t-closeness"
        ),
    )
    weight: float = Field(
        1.0,
        gt=0,
        allow_inf_nan=False,
        description="weight of the column in loss and weighted-height",
    )
    min_level: int | None = Field(None, ge=0, description="lowest level that may be released")
    max_level: int | None = Field(None, ge=0, description="highest level that may be released")
    suppressed: Literal["keep", "mask"] = Field(
        "keep", description="of a sensitive or insensitive column: its value in masked rows"
    )
    values: Average | None = Field(
        None,
        description=(
            "of a quasi-identifying column of numbers: add `<column>_mean` or `<column>_median`,"
            " the mean or median of all rows with the same released values (microaggregation)"
        ),
    )
    replace: Replacement | None = Field(
        None,
        description=(
            "of an identifying column: replace its values by numbers (equal values get the same"
            " number), by NULL or by `*`; if left out, the column is removed"
        ),
    )
    change: Change | None = Field(
        None,
        description=(
            "of a sensitive or insensitive column: its values are top-coded, bottom-coded,"
            " rounded or replaced at random before anything is decided"
        ),
    )
    contains: list[Kind] = Field(
        [],
        description=(
            "the kinds of personal references that the column's values contain and that are"
            " released all the same; of a generalized column only `person-key`; needs `accepted`"
        ),
    )
    accepted: Annotated[Text, Field(max_length=1000)] | None = Field(
        None,
        description=(
            "why the column may be released with what it `contains`; `__about` states this reason"
        ),
    )
    flag: Text | None = Field(
        None,
        description=(
            "of a semi-sensitive column: the boolean column that is true in rows where the value"
            " is sensitive"
        ),
    )
    sensitive_when: Text | None = Field(
        None,
        description="of a semi-sensitive column: an SQL condition that is true for rows where the"
        " value is sensitive",
    )

    @model_validator(mode="before")
    @classmethod
    def _null_is_a_word(cls, data: Any) -> Any:
        if isinstance(data, dict) and "replace" in data and data["replace"] is None:
            return {**data, "replace": "null"}
        return data

    @model_validator(mode="after")
    def _fits_role(self) -> ColumnPolicy:
        if self.replace is not None and self.role != "identifying":
            raise FieldError(
                "replace", f"only identifying columns can have this, and the role is {self.role}"
            )
        if self.change is not None and self.role not in ("sensitive", "insensitive"):
            text = (
                f"only sensitive and insensitive columns can have this, and the role is {self.role}"
            )
            raise FieldError("change", text)
        self._require_reason()
        if self.role != "semi-sensitive" and (
            extra := sorted(self.model_fields_set & {"flag", "sensitive_when"})
        ):
            raise ValueError(
                f"{', '.join(extra)}: only semi-sensitive columns can have this, and the role is"
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
            if self.values is not None and self.role == "semi-sensitive":
                raise FieldError("values", "only a quasi-identifying column has this")
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
            of_text = {"contains", "accepted"}
            allowed = {
                "sensitive": {"role", "hierarchy", "suppressed", "change", *of_text},
                "insensitive": {"role", "suppressed", "change", *of_text},
                "weight": {"role", "suppressed"},
                "identifying": {"role", "replace"},
            }.get(self.role, {"role"})
            extra = sorted(self.model_fields_set - allowed)
            if extra:
                raise ValueError(
                    f"{', '.join(extra)}: only quasi-identifying columns can have this, and the"
                    f" role is {self.role}"
                )
        return self

    @property
    def comparable(self) -> bool:
        """Whether a released value of the column can be compared with its row's own: False if it
        was drawn by chance."""
        return self.role in KEPT and (self.change is None or self.change.pram is None)

    def looks(self, name: str) -> Looks:
        """Return the looks of the values of a kept column."""
        return self.change.looks(name) if self.change is not None else AS_IT_IS

    def _require_reason(self) -> None:
        """Raise FieldError if accepted contents have no reason, or a reason has no contents; or if
        the column is not released."""
        if not self.model_fields_set & {"contains", "accepted"}:
            return
        where = "contains" if "contains" in self.model_fields_set else "accepted"
        if self.role in ("identifying", "weight"):
            text = "identifying columns and weights need no `contains` or `accepted`"
            raise FieldError(where, f"{text}, and the role is {self.role}")
        if self.role in GENERALIZED and (text_kinds := set(self.contains) - {"person-key"}):
            names = ", ".join(sorted(text_kinds))
            text = (
                f"only sensitive and insensitive columns can have {names}, because their"
                " values are released unchanged"
            )
            raise FieldError("contains", f"{text}, and the role is {self.role}")
        if self.accepted is None or not self.accepted.strip():
            text = "say why the contents may be released, e.g. `accepted: agreed with the board`"
            raise FieldError("accepted", f"{text}; the release states this reason")
        if not self.contains:
            kinds = ", ".join(get_args(Kind))
            text = (
                f"name the kinds that the column contains, e.g. `contains: [phone]`; kinds: {kinds}"
            )
            raise FieldError("contains", text)
        if len(set(self.contains)) < len(self.contains):
            raise FieldError("contains", "a kind is named twice")


def require_one_weight(columns: Mapping[str, ColumnPolicy]) -> None:
    """Raise FieldError where several columns of a table are its weight."""
    weights = [name for name, column in columns.items() if column.role == "weight"]
    if len(weights) > 1:
        text = f"a table can have one weight, and {weights[0]!r} is one already"
        raise FieldError(f"columns.{weights[1]}.role", f"{text}; make one of them insensitive")


def loss_weights(columns: Mapping[str, ColumnPolicy]) -> dict[str, str]:
    """Return the facts of ``__about`` for weights other than 1, by property. A method that puts
    values into the class of least loss uses them, so draws need them."""
    texts = {name: format(column.weight, ".12g") for name, column in columns.items()}
    return {f"{LOSS_WEIGHT}{name}": text for name, text in texts.items() if text != "1"}


def acceptances(columns: Mapping[str, ColumnPolicy]) -> dict[str, str]:
    """Return the facts of ``__about`` for the accepted contents of kept text, by property."""
    facts: dict[str, str] = {}
    for name, column in columns.items():
        if column.contains:
            facts[f"contains.{name}"] = ", ".join(column.contains)
            facts[f"accepted.{name}"] = str(column.accepted)
    return facts
