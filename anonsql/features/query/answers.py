"""Turn the answers to a query into documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from anonsql.features.query.document import AnswerLine
from anonsql.policy.methods import traits
from anonsql.query.answers import Answer
from anonsql.query.having import Interval, aggregates_of, truth
from anonsql.query.numbers import Exact, shown
from anonsql.query.opening import OpenedRelease, rows_of
from anonsql.query.parse import Parsed, refused
from anonsql.system.numbers import rounded
from anonsql.verification.facts import count_of


def lines(
    release: OpenedRelease, parsed: Parsed, answered: Sequence[Answer]
) -> list[AnswerLine] | None:
    """Return the answers to a query's aggregates, over all rows or one group, as lines of the
    document; None where what HAVING asks is surely not so. Raise PolicyError where HAVING compares
    dates or timestamps."""
    if any(answered[number].domain is not None for number in aggregates_of(parsed.having)):
        raise refused("dates and timestamps are not compared in HAVING")
    keeps: Literal["certain", "possible"] | None = None
    if parsed.having is not None:
        must, may = truth(parsed.having, [_interval(release, answer) for answer in answered])
        if not may:
            return None
        least = answered[0].group_least
        must = must and (least is None or least > _moved(release, answered[0]))
        keeps = "certain" if must else "possible"
    shown_lines = (line(release, answer) for answer in answered[: parsed.shown])
    return [one.model_copy(update={"having": keeps}) for one in shown_lines]


def _interval(release: OpenedRelease, answer: Answer) -> Interval:
    if not answer.selected.counts and relocates(release):  # whose values need not be true
        return Interval(None, None, sure=False)
    null = answer.certain <= _moved(release, answer) and not answer.selected.counts
    return Interval(*_bounds(release, answer), sure=not null and not answer.infinite)


def _bounds(release: OpenedRelease, answer: Answer) -> tuple[Exact | None, Exact | None]:
    """Return the bounds of an answer; those of a count are widened by the rows whose values may
    have been relocated."""
    lower, upper, moved = answer.lower, answer.upper, _moved(release, answer)
    if not moved or lower is None or upper is None:
        return lower, upper
    return max(lower - moved, 0), min(upper + moved, rows_of(release))


def _moved(release: OpenedRelease, answer: Answer) -> int:
    """Return how many rows may have been relocated that a count is about."""
    return _relocated(release) if answer.selected.counts and not answer.every else 0


def line(release: OpenedRelease, answer: Answer) -> AnswerLine:
    """Return an answer as a line of the document, with bounds about the released rows."""
    counts, (lower, upper) = answer.selected.counts, _bounds(release, answer)
    bounds = shown(lower, up=False), shown(upper, up=True)
    expected = [
        None if int_ is None else rounded(float(int_))
        for int_ in (answer.expected_lower, answer.expected_upper)
    ]
    estimate = _estimate(answer.estimate, *bounds)
    if answer.domain is not None:
        moments = [None if int_ is None else answer.domain.shown(int_) for int_ in (lower, upper)]
        bounds = moments[0], moments[1]  # type: ignore[assignment]
        estimate = bounds[0] if bounds[0] == bounds[1] else None
    return AnswerLine(
        aggregate=answer.selected.title,
        group=None if answer.group is None else dict(answer.group),
        estimate=estimate,
        lower=bounds[0],
        upper=bounds[1],
        bounds="guaranteed" if counts or not relocates(release) else "estimated",
        about="released rows",
        certain=answer.certain,
        possible=answer.possible,
        expected_lower=expected[0],
        expected_upper=expected[1],
    )


def _estimate(
    expected: Exact | float | None, lower: int | float | None, upper: int | float | None
) -> int | float | None:
    """Return the estimate, moved into the bounds; where these are one number, that number."""
    if lower is not None and lower == upper:
        return lower
    if expected is None:
        return None
    estimate = rounded(float(expected))
    estimate = estimate if lower is None else max(estimate, lower)
    return estimate if upper is None else min(estimate, upper)


def relocates(release: OpenedRelease) -> bool:
    """Return whether the release's method may release values that are not true of their rows."""
    return traits(release.about.get("method", "")).changes_values


def _relocated(release: OpenedRelease) -> int:
    """Return how many rows may have been relocated in the columns of the query; all rows where the
    release does not state it."""
    if not relocates(release):
        return 0
    cells = [
        count_of(release.about, f"relocated_cells.{name}")
        for name in {name for name, *_ in release.queried}
    ]
    counts = [count_of(release.about, "relocated_rows"), sum(max(count, 0) for count in cells)]
    return min(counts) if counts[0] >= 0 else rows_of(release)
