"""What each method needs of the rest of a policy: levels that mean something to it, promises that it can keep."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from anonsql.errors import FieldError
from anonsql.policy import anatomy as anatomy_policy
from anonsql.policy.method import (
    Anatomy,
    Hilbert,
    Homogeneous,
    Hybrid,
    Leveled,
    Local,
    Method,
    Mondrian,
    OrderedPartition,
    Ring,
    Windows,
)
from anonsql.policy.privacy import Privacy

if TYPE_CHECKING:
    from anonsql.policy.columns import ColumnPolicy


def require_levels(method: Method, columns: Mapping[str, ColumnPolicy]) -> None:
    """Raise FieldError where levels of the quasi-identifying ``columns`` are limited and the method knows none, or where the
    levels that are to be published are not one for each column."""
    for name, each in columns.items():
        limited = each.min_level is not None or each.max_level is not None
        if limited and isinstance(method, (OrderedPartition, Hilbert, Anatomy, Local)):
            raise FieldError(
                f"columns.{name}",
                f"min_level and max_level mean nothing to {method.type}: leave them out",
            )
        if isinstance(method, Windows) and (
            each.max_level is not None or (limited and method.representation == "range")
        ):
            what = (
                f"max_level means nothing to {method.type}"
                if each.max_level is not None
                else "min_level means nothing to ranges"
            )
            raise FieldError(f"columns.{name}", f"{what}: leave it out")
    levels = method.levels if isinstance(method, Leveled) else None
    if levels is not None and set(levels) != set(columns):
        missing, extra = sorted(set(columns) - set(levels)), sorted(set(levels) - set(columns))
        raise FieldError(
            "method.levels",
            "give one level for every quasi-identifying column:"
            + (f" missing {', '.join(missing)}" if missing else "")
            + (f" unknown {', '.join(extra)}" if extra else ""),
        )


def require_promise(
    method: Method, columns: Mapping[str, ColumnPolicy], privacy: Privacy, *, masks: bool
) -> None:
    """Raise FieldError where the method cannot judge what ``privacy`` asks. ``columns`` are all of the policy's, ``masks``
    says whether suppressed rows are to be kept."""
    if isinstance(method, (Windows, Hilbert, Hybrid, Anatomy)):
        _require_no_range(method, privacy)
    if isinstance(method, (Windows, Hilbert)):
        _require_frequencies_alone(method, privacy)
    if isinstance(method, Hybrid):
        _require_distinct_alone(method, privacy)
    if isinstance(method, Anatomy):
        anatomy_policy.require_fit(columns, privacy, masks=masks)
    if privacy.population is not None and not isinstance(method, Leveled):
        raise FieldError(
            "method.type",
            f"{method.type} cannot be judged against privacy.population; full-domain can",
        )
    if isinstance(method, Mondrian) and method.mode == "relaxed" and privacy.coded_columns():
        raise FieldError(
            "method.mode",
            "relaxed divides rows by chance, and only k rows can be promised of that; set it to strict",
        )


def _require_no_range(
    method: Ring | Homogeneous | Hilbert | Hybrid | Anatomy, privacy: Privacy
) -> None:
    """Raise FieldError where values are to lie apart: these methods reckon with how frequent values are alone."""
    for name, asked in privacy.l_diversity.items():
        if asked.apart:
            text = f"{method.type} counts values and does not look how near they are: leave it out, or choose another method"
            raise FieldError(f"privacy.l_diversity.{name}.{asked.apart}", text)


def _require_frequencies_alone(method: Ring | Homogeneous | Hilbert, privacy: Privacy) -> None:
    """Raise FieldError where more is asked than k rows and how frequent a sensitive value may be."""
    others = [
        name
        for name in ("t_closeness", "alpha_k", "beta_likeness", "delta_disclosure")
        if getattr(privacy, name)
    ]
    others += ["entity"] * (privacy.entity is not None)
    others += [
        f"{asked.type} l_diversity (of {name})"
        for name, asked in privacy.l_diversity.items()
        if asked.type == "recursive"
    ]
    if others:
        promised = "k and how frequent a sensitive value may be (l_diversity, distinct or entropy)"
        raise FieldError("method.type", f"{method.type} promises {promised}, not {others[0]}")


def _require_distinct_alone(method: Hybrid, privacy: Privacy) -> None:
    """Raise FieldError where more is asked than k rows and distinct values, which is what relocation reckons with."""
    others = [
        name
        for name in ("t_closeness", "alpha_k", "beta_likeness", "delta_disclosure")
        if getattr(privacy, name)
    ]
    others += ["entity"] * (privacy.entity is not None)
    others += [
        f"{asked.type} l_diversity (of {name})"
        for name, asked in privacy.l_diversity.items()
        if asked.type != "distinct"
    ]
    if others:
        raise FieldError(
            "method.type", f"hybrid promises k rows and distinct l_diversity, not {others[0]}"
        )
    if privacy.l_diversity and method.recoding == "mondrian":
        raise FieldError(
            "method.recoding",
            "mondrian promises k rows alone: leave l_diversity out, or set it to full-domain",
        )
