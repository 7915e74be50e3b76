"""The limit to what any one group of people may lose by suppression: ``privacy.max_group_loss``."""

from __future__ import annotations

from decimal import Decimal

from anonsql.errors import PrivacyError
from anonsql.privacy.limits import least_limit, max_suppressed
from anonsql.risks.left_out.counting import GroupLoss, LeftOut


def require_within(limit: Decimal | None, left_out: LeftOut, *, show_values: bool) -> None:
    """Raise PrivacyError, naming the least limit that would do, where a value that at least k rows
    of the source have loses more than the limit allows."""
    for worst in left_out.limited:
        if limit is not None and worst.lost > max_suppressed(limit, worst.rows):
            raise PrivacyError(too_much(worst, limit, named=show_values))


def too_much(worst: GroupLoss, limit: Decimal, *, named: bool) -> str:
    """Return in words that a value loses too much, and what would do."""
    value = f" {worst.value!r}" if named else ""
    enough = least_limit(worst.lost, worst.rows)
    raised = f"set it to {enough:f}" if enough is not None else "leave it out"
    return (
        f"privacy.max_group_loss: {worst.lost:,} of {worst.rows:,} rows with one value{value} of"
        f" {worst.column} would be suppressed, more than {limit:g} of them: {raised}, raise"
        " min_level of that column, lower privacy.k, or choose full-domain, which searches for what"
        " keeps it."
    )
