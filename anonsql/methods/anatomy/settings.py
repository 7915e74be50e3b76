"""Settings of anatomy (Xiao, Tao, VLDB 2006), and what it needs of the rest of a policy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from anonsql.errors import FieldError
from anonsql.policy.method import (
    Apart,
    Form,
    MethodSettings,
    Requirements,
    refuse_levels,
    refuse_ranges,
)

if TYPE_CHECKING:
    from anonsql.policy.columns import ColumnPolicy
    from anonsql.policy.privacy import Privacy


IDENTITY = (
    "not hidden: quasi-identifying values are those of the source; k and classes count rows of"
    " groups, not rows with equal values"
)
"""The statement of a release by anatomy about identities, lest k be read as k-anonymity."""


class Anatomy(MethodSettings):
    """Anatomy (Xiao, Tao, VLDB 2006): quasi-identifying values as they are in one table, the
    sensitive values of each group of rows in another. Hides which row of a group has which
    sensitive value, and no identity."""

    keeps: ClassVar = frozenset({"l_diversity"})
    releases_apart: ClassVar = True

    type: Literal["anatomy"] = "anatomy"

    @classmethod
    def needs_hierarchies(cls, parameters: Mapping[str, Any]) -> bool:
        return False

    def require_levels(self, columns: Mapping[str, ColumnPolicy]) -> None:
        refuse_levels(self.type, columns)

    def ignores_hierarchy(self, *, ordered: bool, gives_order: bool) -> bool:
        """Ignore all of them: nothing is generalized."""
        return True

    @property
    def facts(self) -> frozenset[str]:
        return frozenset({"group_gcp", "sensitive_share"})

    @property
    def identity(self) -> str | None:
        return IDENTITY

    def form(self, *, ordered: bool, least: int) -> Form:
        return "itself"

    def apart(self, columns: Mapping[str, ColumnPolicy], privacy: Privacy) -> Apart | None:
        return Apart({next(iter(privacy.l_diversity)): "sensitive"}, "group")

    def require_fit(self, required: Requirements) -> None:
        """Raise FieldError unless exactly one column is sensitive, a distinct l-diversity is asked
        for it, and nothing else that anatomy cannot promise."""
        refuse_ranges(self.type, required.privacy)
        require_fit(required.columns, required.privacy, masks=required.masks)
        super().require_fit(required)


def require_fit(columns: Mapping[str, Any], privacy: Privacy, *, masks: bool) -> None:
    """Raise FieldError unless exactly one column is sensitive, a distinct l-diversity is asked for
    it, and nothing else that anatomy cannot promise. ``columns`` are the policy's by name,
    ``masks`` whether suppressed rows are to be kept."""
    sensitive = [name for name, column in columns.items() if column.role == "sensitive"]
    if len(sensitive) != 1:
        words = f"{len(sensitive)}: {', '.join(sensitive)}" if sensitive else "none"
        text = f"anatomy needs exactly one sensitive column, and the policy has {words}"
        remedy = (
            "; give the others another role: insensitive columns are released unchanged next to"
            " the quasi-identifying values"
        )
        raise FieldError("columns", text + (remedy if sensitive else ""))
    name = sensitive[0]
    model = privacy.l_diversity.get(name)
    if model is None:
        raise FieldError(
            "privacy.l_diversity", f"anatomy needs it for the sensitive column, e.g. {{{name}: 3}}"
        )
    if model.type != "distinct":
        text = (
            f"found {model.type}; anatomy keeps a stronger model, no value in more than 1/l of a"
            " group: give l only"
        )
        raise FieldError(f"privacy.l_diversity.{name}.type", text)
    _require_nothing_else(privacy)
    if masks:
        raise FieldError(
            "release.suppressed", "found mask; anatomy suppresses no rows: leave it out"
        )


def _require_nothing_else(privacy: Privacy) -> None:
    for model, name in privacy.named_columns():
        if model != "l_diversity":
            raise FieldError(
                f"privacy.{model}.{name}",
                "anatomy keeps only l_diversity: leave this out, or choose another method",
            )
    for field in ("entity", "population"):
        if getattr(privacy, field) is not None:
            text = (
                "anatomy publishes quasi-identifying values unchanged, so it cannot keep this:"
                " leave it out, or choose another method"
            )
            raise FieldError(f"privacy.{field}", text)
    if privacy.suppression_limit > 0:
        raise FieldError("privacy.suppression_limit", "anatomy suppresses no rows: leave it out")


SETTINGS = (Anatomy,)
