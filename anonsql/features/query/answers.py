"""Turn the answers to a query into documents."""

from __future__ import annotations

from anonsql.features.query.document import AnswerLine
from anonsql.policy.methods import traits
from anonsql.query.answers import Answer
from anonsql.query.numbers import shown
from anonsql.query.opened import OpenedRelease, rows_of
from anonsql.system.numbers import rounded
from anonsql.verification.facts import count_of


def line(release: OpenedRelease, answer: Answer) -> AnswerLine:
    """Return an answer as a line of the document, with bounds about the released rows. Where values
    were relocated, the bounds of a count are widened by the number of rows that may have been
    relocated."""
    counts, lower, upper = answer.selected.counts, answer.lower, answer.upper
    if counts and lower is not None and upper is not None and not answer.every:
        moved = _relocated(release)
        lower, upper = max(lower - moved, 0), min(upper + moved, rows_of(release))
    bounds = shown(lower, up=False), shown(upper, up=True)
    expected = [
        None if int_ is None else rounded(float(int_))
        for int_ in (answer.expected_lower, answer.expected_upper)
    ]
    estimate = _estimate(answer, *bounds)
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
    answer: Answer, lower: int | float | None, upper: int | float | None
) -> int | float | None:
    """Return the estimate, moved into the bounds; where these are one number, that number."""
    if lower is not None and lower == upper:
        return lower
    if answer.estimate is None:
        return None
    estimate = rounded(float(answer.estimate))
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
        for name in {name for name, *_ in release.facets}
    ]
    counts = [count_of(release.about, "relocated_rows"), sum(max(count, 0) for count in cells)]
    return min(counts) if counts[0] >= 0 else rows_of(release)
