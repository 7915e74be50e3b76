"""The advice: the tried policy that suits the purpose of the release best."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from anonsql.features.advise.document import Change, Purpose, Recommendation, SampleSize
from anonsql.features.compare.document import CompareLine, is_compared
from anonsql.policy.methods import traits
from anonsql.system.numbers import percent

_LITTLE = 1.1
"""A greater k costs little where the figure that ranks grows by no more than this factor."""


@dataclass(frozen=True)
class Ranking:
    """The criterion that ranks choices: a ``figure``, the less the better, None where a choice has
    none; ``by`` is its name, ``number`` writes it. For choices tried on samples, ``figures`` are
    those of each sample, and their mean ranks."""

    by: str
    figure: Callable[[CompareLine], float | None]
    number: Callable[[float], str] = percent
    figures: Mapping[str, Sequence[float]] = field(default_factory=dict)

    def each(self, line: CompareLine) -> Sequence[float]:
        """Return the figures of a choice; none where it has none."""
        figure = self.figure(line)
        return self.figures.get(line.policy, [] if figure is None else [figure])

    def of(self, line: CompareLine) -> float:
        """Return the figure of a choice, infinite where it has none."""
        figures = self.each(line)
        return sum(figures) / len(figures) if figures else math.inf

    def says(self, line: CompareLine) -> str:
        """Return the figure of a choice as text: that of the least and of the greatest sample."""
        figures = self.each(line)
        ends = dict.fromkeys(map(self.number, (min(figures), max(figures)) if figures else ()))
        return " to ".join(ends) or "-"


COUNTS = Ranking("median error of COUNT queries", lambda line: line.median_error)


def ranking_of(purpose: Purpose, target: str | None) -> Ranking:
    """Return the criterion that ranks choices: for models by a regression of the ``target`` or, if
    none is named, by propensity scores."""
    if purpose == "counts":
        return COUNTS
    if purpose == "means":
        return Ranking("error of means by group, in standard deviations", _means, "{:.3f}".format)
    if target is None:
        halves = "times that of two random halves of the source"
        return Ranking(f"pMSE of pairs of columns, {halves}", _pmse, "{:,.1f}".format)
    intervals = "share of the 95 % intervals that is outside the source's"
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
    lines: Sequence[CompareLine],
    changes: Mapping[str, Change],
    k: int,
    ranking: Ranking = COUNTS,
    *,
    sample: SampleSize | None = None,
    whole: Sequence[CompareLine] = (),
) -> Recommendation | None:
    """Return the most useful choice that keeps the policy's ``k``, or the least greater one, and
    releases nothing untrue where it can; where none keeps so much, the greatest k that is kept.
    None where no choice can be compared. ``changes`` are what each needs in the policy. Where the
    lines are of a ``sample``, choices that were also tried on the ``whole`` table are ranked among
    each other by their results there."""
    beyond = {line.policy: line for line in whole if line.status != "given up"}
    failed = {name for name, line in beyond.items() if not is_compared(line)}
    met = [line for line in lines if is_compared(line) and line.policy not in failed]
    if not met:
        met, sample = [line for line in beyond.values() if is_compared(line)], None
    if not met:
        return None
    enough = [line.k for line in met if line.k >= k]
    kept = min(enough) if enough else max(line.k for line in met)

    def usefulness(line: CompareLine) -> tuple[float, float, float]:
        return ranking.of(line), math.inf if line.loss is None else line.loss, line.seconds

    same = sorted((line for line in met if line.k == kept), key=usefulness)
    true = [line for line in same if not line.untrue] or same
    words = [] if enough else [f"No choice keeps k={k}: this one promises less."]
    of_all = f"Of the {len(true)} choices that keep k={kept}"
    if len(true) < len(same):
        of_all += " and release no untrue values"
    where = f" on {sample.words}" if sample is not None else ""
    words.append(_compared(true, ranking, of_all, where))
    if sample is not None:
        words += _doubts(true, ranking, sample)
        true, said = _by_whole(true, beyond, replace(ranking, figures={}))
        words += said
    first = true[0]
    return Recommendation(
        policy=first.policy,
        reason=" ".join(words),
        alternatives=_alternatives(first, true, met, ranking),
        take=changes[first.policy],
    )


def _compared(ranked: Sequence[CompareLine], ranking: Ranking, of_all: str, where: str) -> str:
    first, *others = ranked
    if not others:
        return f"It is the only one that keeps k={first.k}{where}."
    if ranking.of(first) == math.inf:
        return f"{of_all}, {_method(first) if where else 'it'} loses least{where}."
    figures = ", ".join(f"{_method(line)} {ranking.says(line)}" for line in others)
    named = _method(first) if where else "it"
    return (
        f"{of_all}, {named} has the lowest {ranking.by}{where}: {ranking.says(first)} ({figures})."
    )


def _doubts(ranked: Sequence[CompareLine], ranking: Ranking, sample: SampleSize) -> list[str]:
    first, *others = ranked
    if others and sample.samples == 1:
        return ["The difference to another sample was not measured."]
    most = max(ranking.each(first), default=math.inf)
    near = [_method(line) for line in others if min(ranking.each(line), default=math.inf) <= most]
    return [f"The samples do not distinguish it from {', '.join(near)}."] if near else []


def _by_whole(
    ranked: Sequence[CompareLine], beyond: Mapping[str, CompareLine], ranking: Ranking
) -> tuple[list[CompareLine], list[str]]:
    """Return choices with those that were tried on the whole table in the order that they have
    there, in the same places, and remarks on them."""
    tried = [line for line in ranked if line.policy in beyond]
    tried.sort(key=lambda line: ranking.of(beyond[line.policy]))
    left = iter(tried)
    order = [next(left) if line.policy in beyond else line for line in ranked]
    figures = [f"{_method(line)} {ranking.says(beyond[line.policy])}" for line in tried]
    if not figures:
        return order, ["No choice was finished on the whole table."]
    return order, [f"On the whole table: {', '.join(figures)}."]


def _method(line: CompareLine) -> str:
    """Return the name of a choice without its k."""
    return line.policy.rpartition(" k=")[0]


def _alternatives(
    first: CompareLine, same: Sequence[CompareLine], met: Sequence[CompareLine], ranking: Ranking
) -> list[str]:
    """Return the advice for other needs, instead of the ``first`` policy, among those that keep the
    ``same`` k."""
    texts = []
    greater = [
        line
        for line in met
        if _method(line) == _method(first)
        and line.k > first.k
        and ranking.of(line) <= ranking.of(first) * _LITTLE
        and not line.untrue
        and ranking.of(line) < math.inf
    ]
    if greater:
        most = max(greater, key=lambda line: line.k)
        texts.append(
            f"A larger k costs little: {most.policy} has {ranking.says(most)} instead of"
            f" {ranking.says(first)}."
        )
    if not traits(first.method).equal_rows_are_classes:
        in_classes = [line for line in same if traits(line.method).equal_rows_are_classes]
        if in_classes:
            texts.append(
                f"If every row must have the same values as other rows: {in_classes[0].policy}"
                f" ({ranking.says(in_classes[0])})."
            )
    uniform = [line for line in same if line.uniform]
    if not first.uniform and uniform:
        texts.append(
            "If all values of a column must have one level, for dashboards and joins:"
            f" {uniform[0].policy} ({ranking.says(uniform[0])})."
        )
    return texts
