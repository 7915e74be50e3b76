"""The advice: which of the policies that were tried to take, for what the release is for."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from anonsql.features.advise.document import Change, Purpose, Recommendation
from anonsql.features.compare.document import CompareLine, is_compared
from anonsql.policy.methods import traits
from anonsql.system.numbers import percent

_LITTLE = 1.1
"""A greater k costs little where the figure that ranks grows by no more than this factor."""


@dataclass(frozen=True)
class Ranking:
    """What choices are ranked by: a ``figure``, the less the better, None where a choice has none;
    ``by`` is its name, ``number`` writes it."""

    by: str
    figure: Callable[[CompareLine], float | None]
    number: Callable[[float], str] = percent

    def of(self, line: CompareLine) -> float:
        """Return the figure of a choice, infinite where it has none."""
        figure = self.figure(line)
        return math.inf if figure is None else figure

    def says(self, line: CompareLine) -> str:
        """Return the figure of a choice as text."""
        figure = self.figure(line)
        return "-" if figure is None else self.number(figure)


COUNTS = Ranking("median error of COUNT queries", lambda line: line.median_error)


def ranking_of(purpose: Purpose, target: str | None) -> Ranking:
    """Return what choices are ranked by: for models by a regression of the ``target``, and where
    none is named, by propensity scores."""
    if purpose == "counts":
        return COUNTS
    if purpose == "means":
        return Ranking("error of means by group, in standard deviations", _means, "{:.3f}".format)
    if target is None:
        halves = "times that of two random halves of the source"
        return Ranking(f"pMSE of pairs of columns, {halves}", _pmse, "{:,.1f}".format)
    intervals = "share of the 95 % intervals that lies outside the source's"
    return Ranking(f"{intervals}, in a regression of {target}", _outside)


def _means(line: CompareLine) -> float | None:
    found = line.usefulness.group_means if line.usefulness is not None else None
    return found.mean if found is not None else None


def _pmse(line: CompareLine) -> float | None:
    found = line.usefulness.propensity if line.usefulness is not None else None
    return found.ratio if found is not None else None


def _outside(line: CompareLine) -> float | None:
    found = line.usefulness.target if line.usefulness is not None else None
    return 1 - found.overlap if found is not None else None


def recommend(
    lines: Sequence[CompareLine], changes: Mapping[str, Change], k: int, ranking: Ranking = COUNTS
) -> Recommendation | None:
    """Return the most useful choice that keeps the policy's ``k``, or the least greater one, and
    releases nothing untrue where it can; where none keeps so much, the greatest k that is kept.
    None where no choice can be compared. ``changes`` are what each needs in the policy."""
    met = [line for line in lines if is_compared(line)]
    if not met:
        return None
    enough = [line.k for line in met if line.k >= k]
    kept = min(enough) if enough else max(line.k for line in met)

    def usefulness(line: CompareLine) -> tuple[float, float, float]:
        return ranking.of(line), math.inf if line.loss is None else line.loss, line.seconds

    same = sorted((line for line in met if line.k == kept), key=usefulness)
    true = [line for line in same if not line.untrue] or same
    first, *others = true
    words = [] if enough else [f"No choice keeps k={k}: this one promises less."]
    among = f"Of the {len(true)} choices that keep k={kept}"
    if len(true) < len(same):
        among += " and release nothing untrue"
    if not others:
        words.append(f"It is the only one that keeps k={kept}.")
    elif ranking.of(first) < math.inf:
        figures = ", ".join(f"{line.method} {ranking.says(line)}" for line in others)
        words.append(f"{among}, it has the least {ranking.by}: {ranking.says(first)} ({figures}).")
    else:
        words.append(f"{among}, it loses least.")
    return Recommendation(
        policy=first.policy,
        reason=" ".join(words),
        alternatives=_alternatives(first, true, met, ranking),
        take=changes[first.policy],
    )


def _alternatives(
    first: CompareLine, same: Sequence[CompareLine], met: Sequence[CompareLine], ranking: Ranking
) -> list[str]:
    """Return what other needs would ask for instead of the ``first`` of those that keep the
    ``same`` k."""
    texts = []
    greater = [
        line
        for line in met
        if line.method == first.method
        and line.k > first.k
        and ranking.of(line) <= ranking.of(first) * _LITTLE
        and not line.untrue
        and ranking.of(line) < math.inf
    ]
    if greater:
        most = max(greater, key=lambda line: line.k)
        texts.append(
            f"A greater k costs little: {most.policy} has {ranking.says(most)} instead of"
            f" {ranking.says(first)}."
        )
    if not traits(first.method).equal_rows_are_classes:
        in_classes = [line for line in same if traits(line.method).equal_rows_are_classes]
        if in_classes:
            texts.append(
                f"If every row must have others that look the same: {in_classes[0].policy}"
                f" ({ranking.says(in_classes[0])})."
            )
    uniform = [line for line in same if line.uniform]
    if not first.uniform and uniform:
        texts.append(
            "If all values of a column must have one level, for dashboards and joins:"
            f" {uniform[0].policy} ({ranking.says(uniform[0])})."
        )
    return texts
