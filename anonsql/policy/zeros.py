"""What a policy of statistics says of empty cells."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from anonsql.errors import FieldError

if TYPE_CHECKING:
    from anonsql.policy.statistics import StatisticsPolicy


def require_zeros(policy: StatisticsPolicy) -> None:
    """Raise FieldError where empty cells cannot be protected as a policy asks for."""
    protect, tables = policy.protect, policy.statistics.tables
    for number, table in enumerate(tables):
        if table.zeros is not None and protect.zeros == "publish":
            where = f"statistics.tables[{number}].zeros"
            raise FieldError(where, "it goes with `protect.zeros: protect`: leave it out")
    if protect.zeros == "publish":
        return
    if protect.changes:
        text = f"`protect` goes with `by: suppression`, and found `by: {protect.by}`: leave it out"
        raise FieldError("protect.zeros", text)
    if protect.over_time is not None:
        text = (
            "`protect` does not go with `over_time`: that takes cells without rows for 0; leave one"
            " of both out"
        )
        raise FieldError("protect.zeros", text)
    if protect.threshold is None:
        text = "`protect` needs a `threshold`, which says how many there must seem to be: give one"
        raise FieldError("protect.zeros", text)
    if not policy.zeros:
        text = "every table says `zeros: publish`: leave it out there, or here"
        raise FieldError("protect.zeros", text)
    for (number, one), (other_number, other) in itertools.combinations(enumerate(tables), 2):
        shared = [name for name in one.by if name in other.by]
        if len(shared) > 1 and one.zeros != other.zeros:
            at, beside = (number, other) if one.zeros is not None else (other_number, one)
            text = (
                f"its cells by {', '.join(shared)} are cells of {beside.table} too, which hides empty"
                f" cells: leave it out here, or write `zeros: publish` at {beside.table} too"
            )
            raise FieldError(f"statistics.tables[{at}].zeros", text)


def zeros_promise(policy: StatisticsPolicy) -> str:
    """Return what a promise says of empty cells, to be added to that about few."""
    if not policy.zeros:
        return ""
    but = ", ".join(name for name in policy.tables if name not in policy.zeros)
    return " or with none" + (f" (except in {but})" if but else "")
