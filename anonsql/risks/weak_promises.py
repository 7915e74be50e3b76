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
from anonsql.policy.privacy import Privacy
from anonsql.privacy.base import NEARLY_ALL, ColumnModel, Term
from anonsql.star.coded import Coded

_TOLERANCE = 1e-9
"""By how much the distance of a class may exceed a bound and still keep it (see
:mod:`anonsql.privacy.promise`)."""


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
    for column in coded:
        models = [
            (f"privacy.{model}.{name}", parameters)
            for model, name, parameters in privacy.by_column()
            if name == column.name and parameters.distribution
        ]
        if not models:
            continue
        by_distance = [problem for problem in models if problem[1].nearest] or models[:1]
        for where, model in by_distance:
            height = column.attribute.height if column.attribute is not None else 1
            values, commonest, nearest = engine.query(
                "privacy/nearest_single", a=column, height=height, nearest=model.nearest
            )[0]
            if values > 1 and model.nearest:
                bound = getattr(model, model.main)
                if nearest <= float(bound) + _TOLERANCE:
                    problems.append(
                        _too_great(f"{where}.{model.main}", column.name, bound, nearest)
                    )
        if values > 1:
            warnings += _boundless(models, column.name, commonest)
        elif values:
            text = "all rows of the column have one value, which no promise hides."
            warnings.append(
                Problem(models[0][0], text, "Take it for known, or leave the column out.")
            )
    return problems, warnings


def greatest_distance(engine: Engine, term: Term, nearest: str) -> Decimal | None:
    """Return the greatest bound of a term about a distance that no class of one value keeps;
    ``nearest`` is its model's template of such distances. None where the column has one value
    alone."""
    parameters = {"a": term, "height": term.height, "nearest": nearest}
    distance = engine.query("privacy/nearest_single", **parameters)[0][2]
    return None if distance is None else _greatest(distance)


def _greatest(nearest: float) -> Decimal:
    """Return the greatest t, rounded down, that a class does not keep whose distance to the whole
    column is ``nearest``."""
    digits = max(4, 1 - math.floor(math.log10(nearest)))
    unit = Decimal(1).scaleb(-digits)
    return Decimal(nearest - 2 * _TOLERANCE).quantize(unit, ROUND_DOWN).normalize()


def _too_great(where: str, name: str, t: Decimal, nearest: float) -> Problem:
    """Return a problem: a class of one value keeps ``t``, as its distance to the whole column can
    be as small as ``nearest``."""
    return Problem(
        where,
        f"found {t}, which a class keeps whose rows all have one value of {name!r}: everybody's in"
        " it would be known.",
        f"Lower it to {_greatest(nearest):f} at most, or promise `l_diversity` of the column in its"
        " place.",
    )


def _boundless(
    models: Sequence[tuple[str, ColumnModel]], name: str, commonest: float
) -> Iterator[Problem]:
    """Yield a warning for each model, given with its place, under which the most frequent value of
    a column, of share ``commonest``, may be that of a whole class."""
    for where, model in models:
        if (lower := model.without_bound(commonest)) is not None:
            yield Problem(
                f"{where}.{model.main}",
                f"found {getattr(model, model.main):f}, which sets no bound to the commonest value"
                f" of {name!r}: (nearly) all rows of a class may have it.",
                f"Lower it {lower}.",
            )


def _frequent(privacy: Privacy) -> Iterator[Problem]:
    """Yield a warning for each model whose parameter allows nearly all rows of a class to have one
    value."""
    for model, name, settings in privacy.by_column():
        if settings.loose is not None:
            yield _nearly_all(f"privacy.{model}.{name}.{settings.loose}", name)


def _nearly_all(where: str, name: str) -> Problem:
    """Return the warning that a model allows nearly all rows of a class to have one value."""
    text = f"a class keeps this of whose rows {NEARLY_ALL:.0%} have one value of {name!r}."
    return Problem(where, text, "Choose a stricter number.")
