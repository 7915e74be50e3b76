"""Promises about sensitive columns that protect little or nothing. A t-closeness that every class
keeps is refused. Warnings are for bounds that a class of one value keeps, and for parameters that
allow nearly all rows of a class to have one value."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_DOWN, Decimal

from anonsql.engines.base import Engine
from anonsql.errors import Problem
from anonsql.policy.privacy import Privacy
from anonsql.privacy.base import NEARLY_ALL, ColumnModel, Term
from anonsql.privacy.promise import Promise
from anonsql.star.coded import Coded
from anonsql.system.numbers import counted, percent


@dataclass(frozen=True)
class SingleValues:
    """The possible classes of one value: the ``values``, the share of the ``commonest``; the
    distance of the ``farthest`` value to the whole table, and of the ``nearest`` that can be a
    class by all other promises. Of ``near`` values, with ``rows`` together, it is within the
    bound."""

    values: int
    commonest: float
    farthest: float | None
    nearest: float | None
    near: int
    rows: int

    @property
    def greatest(self) -> Decimal:
        """The greatest bound, rounded down, that no class of one value keeps, or the farthest
        breaks."""
        distance = self.nearest or self.farthest or 1.0
        digits = max(4, 1 - math.floor(math.log10(distance)))
        unit = Decimal(1).scaleb(-digits)
        return (Decimal(distance) - 2 * Promise.tolerance).quantize(unit, ROUND_DOWN).normalize()


def single_values(
    engine: Engine, promise: Promise, term: Term, nearest: str | None
) -> SingleValues:
    """Return the classes of one value of the column of a ``term``; ``nearest`` is its model's
    template of distances. Needs the tables values_<index> and groups_<index>, and combinations
    where k counts people."""
    others = tuple(one for one in promise.models if one.index == term.index and one != term)
    about = replace(promise, models=others, coded=(term.index,), population=False)
    row = engine.query(
        "privacy/single_values",
        a=term,
        promise=about,
        height=term.height,
        nearest=nearest,
        bound=term.bound + promise.tolerance,
    )[0]
    return SingleValues(*row)


def too_weak(
    engine: Engine, privacy: Privacy, promise: Promise, coded: Sequence[Coded]
) -> tuple[list[Problem], list[Problem]]:
    """Return a problem for every t-closeness that all classes keep, and a warning for every other
    promise that protects little. ``coded`` are the columns of models."""
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
        height = column.attribute.height if column.attribute is not None else 1
        for where, model in [one for one in models if one[1].nearest] or models[:1]:
            field, term = next(model.terms(column.index, height))
            singles = single_values(engine, promise, term, model.nearest)
            if singles.farthest is not None and singles.farthest <= term.bound + promise.tolerance:
                problems.append(_kept_by_all(f"{where}.{field}", column.name, term, singles))
            elif singles.near:
                warnings.append(_kept_by_some(f"{where}.{field}", column.name, term, singles))
        if singles.values > 1:
            warnings += _boundless(models, column.name, singles.commonest)
        elif singles.values:
            where = models[0][0]
            promised = where.split(".")[1]
            text = f"All rows have the same value of {column.name!r}, which {promised} cannot hide."
            remedy = "Make the column identifying, or leave the promise out."
            warnings.append(Problem(where, text, remedy))
    return problems, warnings


def _kept_by_all(where: str, name: str, term: Term, singles: SingleValues) -> Problem:
    return Problem(
        where,
        f"found {term.bound:f}, which every class keeps: the distance of any class of {name!r} to"
        f" the whole table is at most {singles.farthest:.4g}.",
        f"Lower it to {singles.greatest:f} or less, or leave it out.",
    )


def _kept_by_some(where: str, name: str, term: Term, singles: SingleValues) -> Problem:
    values = f"{counted(singles.near, 'value')} ({counted(singles.rows, 'row')})"
    return Problem(
        where,
        f"t={term.bound:f} allows classes in which every row has the same {name!r}: {values} can"
        f" fill {'one' if singles.near == 1 else 'them'}.",
        f"Lower it to {singles.greatest:f} or less, or promise `l_diversity` of the column.",
    )


def _boundless(
    models: Sequence[tuple[str, ColumnModel]], name: str, commonest: float
) -> Iterator[Problem]:
    """Yield a warning for each model, given with its place, under which a whole class may have the
    most frequent value, of share ``commonest``."""
    for where, model in models:
        if (lower := model.without_bound(commonest)) is not None:
            yield Problem(
                f"{where}.{model.main}",
                f"found {getattr(model, model.main):f}, which does not limit the most frequent"
                f" value of {name!r}: (nearly) all rows of a class may have it.",
                f"Lower it {lower}.",
            )


def _frequent(privacy: Privacy) -> Iterator[Problem]:
    for model, name, settings in privacy.by_column():
        if settings.loose is not None:
            yield _nearly_all(f"privacy.{model}.{name}.{settings.loose}", name)


def _nearly_all(where: str, name: str) -> Problem:
    share = percent(float(NEARLY_ALL))
    text = f"This allows classes in which {share} of the rows have the same value of {name!r}."
    return Problem(where, text, "Choose a stricter number.")
