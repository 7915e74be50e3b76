"""Choosing among policies that were tried: which are beaten by others, which one to recommend, and
what each means for its table, in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from anonsql.features.advise.document import AdviceLine, Recommendation
from anonsql.features.advise.ranking import COUNTS, Ranking, share
from anonsql.features.compare.document import ColumnEntries
from anonsql.policy.methods import traits

_LITTLE = 1.1
"""A greater k costs little where what is ranked by grows by no more than this factor."""


def with_front(lines: Sequence[AdviceLine], ranking: Ranking = COUNTS) -> list[AdviceLine]:
    """Return the lines with the choices that beat each: in loss, what they are ranked by, risk and
    truth. Releases that keep sensitive values in
    tables of their own lose nothing of the other columns and are not compared; nor are choices that
    are not met."""
    compared = {line.policy: _objectives(line, ranking) for line in lines if is_compared(line)}
    advice_lines = []
    for line in lines:
        own = compared.get(line.policy)
        if own is None:
            advice_lines.append(line)
            continue
        better = [name for name, other in compared.items() if _beats(other, own)]
        better.sort(key=lambda name: compared[name])
        advice_lines.append(line.model_copy(update={"front": not better, "beaten_by": better}))
    return advice_lines


def is_compared(line: AdviceLine) -> bool:
    """Return whether a choice is met and its figures mean what those of others do."""
    return line.status == "met" and not traits(line.method).releases_apart


def _objectives(line: AdviceLine, ranking: Ranking) -> tuple[float, ...]:
    """Return the figures by which a choice is compared, less is better in all; what is not known
    counts as worst."""
    figures = (line.loss, ranking.figure(line), line.risk, line.untrue)
    return tuple(math.inf if figure is None else figure for figure in figures)


def _beats(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    """Return whether ``one`` is as good as the other in everything, and better in something."""
    return one != other and all(a <= b for a, b in zip(one, other, strict=True))


def _usefulness(line: AdviceLine, ranking: Ranking) -> tuple[float, float, float]:
    """Return the sort key of choices that keep the same promise: the most useful one first."""
    return ranking.of(line), math.inf if line.loss is None else line.loss, line.seconds


def recommend(
    lines: Sequence[AdviceLine], k: int, ranking: Ranking = COUNTS
) -> Recommendation | None:
    """Return the most useful choice that keeps the policy's ``k``, or the least greater one, and
    releases nothing untrue where it can; where none keeps so much, the greatest k that is kept.
    None where no choice can be compared."""
    met = [line for line in lines if is_compared(line)]
    if not met:
        return None
    enough = [line.k for line in met if line.k >= k]
    kept = min(enough) if enough else max(line.k for line in met)
    same = sorted(
        (line for line in met if line.k == kept),
        key=lambda line: _usefulness(line, ranking),
    )
    true = [line for line in same if not line.untrue] or same
    first = true[0]
    words = []
    if kept < k:
        words.append(f"No choice keeps k={k}: this one promises less.")
    among = f"Of the {len(true)} choices that keep k={kept}" if len(true) > 1 else ""
    if among and len(true) < len(same):
        among += " and release nothing untrue"
    if among and ranking.of(first) < math.inf:
        others = (f"{line.method} {ranking.number(ranking.of(line))}" for line in true[1:])
        words.append(f"{among}, {ranking.praises(first)} ({', '.join(others)}).")
    elif among:
        words.append(f"{among}, it loses least.")
    else:
        words.append(f"It is the only one that keeps k={kept}.")
    return Recommendation(
        policy=first.policy,
        reason=" ".join(words),
        alternatives=_alternatives(first, true, met, ranking),
        take=first.take,
    )


def _alternatives(
    first: AdviceLine, same: Sequence[AdviceLine], met: Sequence[AdviceLine], ranking: Ranking
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
            f"A greater k costs little: {most.policy} is {ranking.says(most)} instead of"
            f" {ranking.number(ranking.of(first))}."
        )
    if not traits(first.method).equal_rows_are_classes:
        in_classes = [line for line in same if traits(line.method).equal_rows_are_classes]
        if in_classes:
            texts.append(
                f"If every row must have others that look the same: {in_classes[0].policy},"
                f" {ranking.says(in_classes[0])}."
            )
    uniform = [line for line in same if line.uniform]
    if not first.uniform and uniform:
        texts.append(
            "If all values of a column must have one level, for dashboards and joins:"
            f" {uniform[0].policy}, {ranking.says(uniform[0])}."
        )
    return texts


def in_words(line: AdviceLine) -> str:
    """Return what a choice that is met means for its table."""
    words = [f"For 90 % of the released rows: {', '.join(map(_ninetieth, line.columns))}."]
    shares = [text for column in line.columns if not column.ordered and (text := _shares(column))]
    if shares:
        words.append(f"Of all rows: {'; '.join(shares)}.")
    if line.uniform:
        words.append("All values of a column have one level.")
    if not traits(line.method).equal_rows_are_classes:
        words.append("Sets overlap: rows that look alike are no class.")
    if line.untrue:
        words.append(f"In {share(line.untrue)} of the rows a value is not true.")
    if line.suppressed_share:
        words.append(f"{share(line.suppressed_share)} of the rows are left out.")
    return " ".join(words)


def _ninetieth(column: ColumnEntries) -> str:
    """Return how exactly nine of ten entries of a column are known."""
    name = column.column
    if column.values <= 1:
        return f"{name} exact"
    if column.values >= column.size:
        return f"{name} `*`"
    if column.within is None or column.sets:
        apart = f" at most {_width(column)} apart" if column.within is not None else ""
        return f"{name} one of {column.values:,} values{apart}"
    return f"{name} within {_width(column)}"


def _width(column: ColumnEntries) -> str:
    """Return how wide the intervals of a number or date are."""
    return f"{_number(column.within or 0.0)}{f' {column.unit}' if column.unit else ''}"


def _shares(column: ColumnEntries) -> str:
    """Return how many entries of another column are exact, and how many say nothing; empty where
    it is all or none of them."""
    said = [f"exact in {share(column.exact)}"] if 0 < column.exact < 1 else []
    said += [f"`*` in {share(column.anything)}"] if 0 < column.anything < 1 else []
    return f"{column.column} {', '.join(said)}" if said else ""


def _number(value: float) -> str:
    """Return a width as people read it."""
    return f"{value:,.0f}" if value == int(value) or abs(value) >= 100 else f"{value:.3g}"
