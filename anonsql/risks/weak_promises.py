"""Promises about sensitive columns that a class whose rows all have one value would keep, or one
that comes near to that.

A t-closeness that such a class keeps protects nobody in that class: it is refused, with the
greatest t that no such class keeps. The other models bound the share of a value in a class by their
parameter: where that allows nearly all rows of a class to have one value, there is a warning.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from decimal import ROUND_DOWN, Decimal

from anonsql.engines.base import Engine
from anonsql.errors import Problem
from anonsql.policy.privacy import LDiversity, Privacy
from anonsql.star.coded import Coded

_NEARLY_ALL = Decimal("0.95")
"""Share of a class from which a value counts as that of nearly all rows."""
_TOLERANCE = 1e-9
"""By how much the distance of a class may exceed t and still keep it (see
:mod:`anonsql.star.models`)."""


def too_weak(
    engine: Engine, privacy: Privacy, coded: Sequence[Coded]
) -> tuple[list[Problem], list[Problem]]:
    """Return a problem for every t-closeness that a class of one value keeps, and a warning for
    every other promise that protects little.

    ``coded`` are the columns that models are about; their tables values_<index> and groups_<index>
    must exist.
    """
    problems: list[Problem] = []
    warnings = [*_frequent(privacy)]
    for each in coded:
        if not _first_model(privacy, each.name):
            continue
        closeness = privacy.t_closeness.get(each.name)
        kind = closeness.distance if closeness is not None else "equal"
        values, commonest, nearest = engine.query("star/models/nearest_single", a=each, kind=kind)[
            0
        ]
        if values > 1:
            if closeness is not None and nearest <= float(closeness.t) + _TOLERANCE:
                problems.append(_too_great(each.name, closeness.t, nearest))
            warnings += _boundless(privacy, each.name, commonest)
        elif values:
            where = f"privacy.{_first_model(privacy, each.name)}.{each.name}"
            text = "all rows of the column have one value, which no promise hides."
            warnings.append(Problem(where, text, "Take it for known, or leave the column out."))
    return problems, warnings


def _first_model(privacy: Privacy, name: str) -> str | None:
    """Return the policy's name of the first model about the distribution of a column."""
    about = ("t_closeness", "beta_likeness", "delta_disclosure")
    return next((model for model in about if name in getattr(privacy, model)), None)


def _too_great(name: str, t: Decimal, nearest: float) -> Problem:
    """Return a problem: a class of one value keeps ``t``, as its distance to the whole column can
    be as small as ``nearest``."""
    digits = max(4, 1 - math.floor(math.log10(nearest)))
    unit = Decimal(1).scaleb(-digits)
    greatest = Decimal(nearest - 2 * _TOLERANCE).quantize(unit, ROUND_DOWN).normalize()
    return Problem(
        f"privacy.t_closeness.{name}.t",
        f"found {t}, which a class keeps whose rows all have one value of {name!r}: everybody's in"
        " it would be known.",
        f"Lower it to {greatest:f} at most, or promise `l_diversity` of the column in its place.",
    )


def _boundless(privacy: Privacy, name: str, commonest: float) -> Iterator[Problem]:
    """Yield a warning for each model under which the most frequent value of a column, of share
    ``commonest``, may be that of a whole class."""
    beta, delta = privacy.beta_likeness.get(name), privacy.delta_disclosure.get(name)
    if beta is not None and (1 + float(beta.beta)) * commonest >= 1:
        greatest = f"below {_short(1 / commonest - 1)}"
        yield _warning("beta_likeness", name, "beta", beta.beta, greatest)
    if delta is not None and math.exp(float(delta.delta)) * commonest >= 1:
        greatest = f"to {_short(-math.log(commonest))} at most"
        yield _warning("delta_disclosure", name, "delta", delta.delta, greatest)


def _warning(model: str, name: str, field: str, found: Decimal, lower: str) -> Problem:
    """Return the warning that a model sets no bound to the most frequent value of a column."""
    return Problem(
        f"privacy.{model}.{name}.{field}",
        f"found {found:f}, which sets no bound to the commonest value of {name!r}: (nearly) all"
        " rows of a class may have it.",
        f"Lower it {lower}.",
    )


def _short(number: float) -> str:
    """Return a bound, rounded down to four decimal places."""
    return format(math.floor(number * 10_000) / 10_000, "g")


def _frequent(privacy: Privacy) -> Iterator[Problem]:
    """Yield a warning for each model whose parameter allows nearly all rows of a class to have one
    value."""
    for name, asked in privacy.l_diversity.items():
        field = "c" if asked.type == "recursive" else "l"
        if _loose(asked):
            yield _nearly_all(f"privacy.l_diversity.{name}.{field}", name)
    for name, alpha in privacy.alpha_k.items():
        if alpha.alpha >= _NEARLY_ALL:
            yield _nearly_all(f"privacy.alpha_k.{name}.alpha", name)


def _loose(asked: LDiversity) -> bool:
    """Return whether a class of two values, one of which nearly all rows have, keeps the
    l-diversity."""
    if asked.type == "recursive":
        return (
            asked.least == 2 and asked.c is not None and asked.c * (1 - _NEARLY_ALL) > _NEARLY_ALL
        )
    if asked.type == "entropy":
        most = float(_NEARLY_ALL)
        entropy = -most * math.log(most) - (1 - most) * math.log(1 - most)
        return math.log(asked.least) <= entropy
    return False


def _nearly_all(where: str, name: str) -> Problem:
    """Return the warning that a model allows nearly all rows of a class to have one value."""
    text = f"a class keeps this of whose rows {_NEARLY_ALL:.0%} have one value of {name!r}."
    return Problem(where, text, "Choose a stricter number.")
