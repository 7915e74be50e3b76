"""Settings of local generalization and bucketization (Li, He, Sun 2019), and what it needs of the
rest of a policy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field, model_validator

from anonsql.errors import FieldError
from anonsql.policy.local import bucket_parts, condition
from anonsql.policy.method import Apart, Form, MethodSettings, Requirements, refuse_levels

if TYPE_CHECKING:
    from anonsql.policy.columns import ColumnPolicy
    from anonsql.policy.privacy import Privacy


class Local(MethodSettings):
    """Local generalization and bucketization (Li, He, Sun 2019): each row's own quasi-identifying
    cells are generalized in groups of rows with the same ones, and its sensitive values are in
    buckets, separately for each column."""

    keeps: ClassVar = frozenset({"l_diversity", "l_diversity.range", "t_closeness"})
    semi_sensitive: ClassVar = True
    releases_apart: ClassVar = True
    classes_are: ClassVar = "groups"
    incomparable: ClassVar = (
        "of local, estimates are those of `anonsql query`, which count the hierarchies' values,"
        " not only the source's"
    )

    type: Literal["local"] = "local"
    grouping: Literal["mdp", "ncp"] = Field(
        "ncp",
        description=(
            "top-down by least NCP, or multi-dimensional partition (Mondrian), which `cut` also"
            " needs"
        ),
    )
    cut: Literal["loss", "median"] = Field(
        "median",
        description=(
            "of mdp: cut where loss decreases most, or, as the authors do, at the median of the"
            " widest attribute"
        ),
    )

    min_bucket: int = Field(
        2,
        ge=2,
        description=(
            "lowest number of rows in a bucket of a column with t_closeness; with l_diversity it"
            " is l"
        ),
    )

    @model_validator(mode="before")
    @classmethod
    def _cut_means_mdp(cls, given: Any) -> Any:
        if isinstance(given, dict) and "cut" in given and "grouping" not in given:
            return {**given, "grouping": "mdp"}
        return given

    @model_validator(mode="after")
    def _known_together(self) -> Local:
        if self.grouping == "ncp" and "cut" in self.model_fields_set:
            raise FieldError("cut", "only `grouping: mdp` cuts")
        return self

    def promised(self, privacy: Privacy) -> dict[str, str]:
        return {"min_bucket": str(self.min_bucket)} if privacy.t_closeness else {}

    @property
    def least_bucket(self) -> int:
        return self.min_bucket

    @classmethod
    def needs_hierarchies(cls, parameters: Mapping[str, Any]) -> bool:
        return False

    def require_levels(self, columns: Mapping[str, ColumnPolicy]) -> None:
        refuse_levels(self.type, columns)

    def ignores_hierarchy(self, *, ordered: bool, gives_order: bool) -> bool:
        """Ignore those of numbers and dates, which are released as ranges."""
        return ordered

    @property
    def facts(self) -> frozenset[str]:
        return frozenset({"ncp"})

    def form(self, *, ordered: bool, least: int) -> Form:
        return "range" if ordered else "node"

    def apart(self, columns: Mapping[str, ColumnPolicy], privacy: Privacy) -> Apart | None:
        roles = ("semi-sensitive", "sensitive")
        names = [name for name, column in columns.items() if column.role in roles]
        return Apart(bucket_parts(names), "bucket")

    def require_fit(self, required: Requirements) -> None:
        """Raise FieldError unless every sensitive and semi-sensitive column has one promise that
        buckets can keep, nothing else is asked for, and every semi-sensitive column says for whom
        it is sensitive."""
        require_fit(required.columns, required.privacy, masks=required.masks)
        super().require_fit(required)


def require_fit(columns: Mapping[str, Any], privacy: Privacy, *, masks: bool) -> None:
    """Raise FieldError unless every sensitive and semi-sensitive column has one promise that
    buckets can keep, nothing else is asked for, and every semi-sensitive column says for whom it is
    sensitive."""
    for name, column in columns.items():
        if column.role == "semi-sensitive":
            _require_decided(name, column, columns)
        if column.role in ("semi-sensitive", "sensitive"):
            _require_promise(name, privacy)
    for model, name in privacy.named_columns():
        if model not in ("l_diversity", "t_closeness"):
            text = (
                "local keeps only l_diversity or t_closeness of each column: leave this out, or"
                " choose another method"
            )
            raise FieldError(f"privacy.{model}.{name}", text)
    for name, settings in privacy.t_closeness.items():
        if settings.distance == "hierarchical":
            text = (
                "found hierarchical; local supports equal and ordered distances: choose one of them"
            )
            raise FieldError(f"privacy.t_closeness.{name}.distance", text)
    for field in ("entity", "population", "quasi_identifiers"):
        if getattr(privacy, field) is not None:
            raise FieldError(
                f"privacy.{field}", "local cannot keep this: leave it out, or choose another method"
            )
    if masks:
        raise FieldError(
            "release.suppressed",
            "found mask; local leaves suppressed rows out, because they have no group and no"
            " buckets",
        )


def _require_promise(name: str, privacy: Privacy) -> None:
    model = privacy.l_diversity.get(name)
    if (model is None) == (name not in privacy.t_closeness):
        words = "both" if model is not None else "neither"
        text = (
            "local needs either l_diversity or t_closeness for every sensitive and"
            f" semi-sensitive column, and {name!r} has {words}"
        )
        raise FieldError(
            f"privacy.l_diversity.{name}", f"{text}, e.g. `l_diversity: {{{name}: 5}}`"
        )
    if model is not None and model.type != "distinct":
        text = (
            f"found {model.type}; local keeps a stronger model, no value twice in a bucket of l:"
            " give l only"
        )
        raise FieldError(f"privacy.l_diversity.{name}.type", text)


def _require_decided(name: str, column: Any, columns: Mapping[str, Any]) -> None:
    if column.flag is not None:
        role = columns[column.flag].role
        if role != "identifying":
            text = (
                f"a flag is never released, but {column.flag!r} has the role {role}: make it"
                " identifying, or leave it out of columns"
            )
            raise FieldError(f"columns.{name}.flag", text)
        if columns[column.flag].replace == "surrogate":
            text = (
                f"a flag is never released, but {column.flag!r} has surrogates, one for each of"
                " its two values: leave `replace` out"
            )
            raise FieldError(f"columns.{name}.flag", text)
        return
    condition(name, column, columns)


SETTINGS = (Local,)
