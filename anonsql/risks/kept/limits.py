"""The limits that a policy sets to the risk of its kept columns."""

from __future__ import annotations

from collections.abc import Sequence

from anonsql.errors import PrivacyError
from anonsql.policy.privacy import KeptLimits
from anonsql.risks.kept.counting import KeptRisk, Uniqueness
from anonsql.risks.kept.revealing import UniquenessWithout


def facts(limits: KeptLimits) -> dict[str, str]:
    """Return the facts about the limits in ``__about``."""
    return {
        f"kept.{name}": format(value.normalize(), "f")
        for name, value in limits.model_dump().items()
        if value is not None
    }


def exceeded(
    limits: KeptLimits, uniqueness: Uniqueness, spared: int = 0, *, masks: bool = False
) -> list[str]:
    """Return in words which limits are exceeded, whichever ``spared`` rows are left out or
    masked."""
    rows = uniqueness.rows - (0 if masks else spared)
    checks = (
        ("max_unique", limits.max_unique, uniqueness.unique, "no other row has"),
        ("max_below_k", limits.max_below_k, uniqueness.below_k, "fewer than k rows have"),
    )
    return [
        f"{count:,} of {uniqueness.rows:,} rows {'has' if count == 1 else 'have'} values in the"
        f" kept columns that {whose}, more than privacy.kept.{name}={limit} allows"
        for name, limit, count, whose in checks
        if limit is not None and count - spared > limit * rows
    ]


def require_within(
    limits: KeptLimits, kept_risk: KeptRisk, steps: Sequence[UniquenessWithout]
) -> None:
    """Raise PrivacyError where kept columns reveal more than the limits allow."""
    if over := exceeded(limits, kept_risk.kept):
        raise PrivacyError(f"{'; '.join(over)}. {remedy(steps)}")


def remedy(steps: Sequence[UniquenessWithout]) -> str:
    """Return what can be done, naming the columns that contribute most."""
    if not steps:
        return "Make kept columns quasi-identifying or identifying, or round them in a view."
    names = ", ".join(step.column for step in steps)
    return (
        f"Without {names} it would be {steps[-1].unique:,} rows: make"
        f" {'it' if len(steps) == 1 else 'them'} identifying (removed) or quasi-identifying"
        " (generalized), or round the values in a view."
    )
