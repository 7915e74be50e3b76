"""The answers to a query within bounds, as lines of the document: in the order that the query asks
for, and with notes on their assumptions. Groups are ordered by their values, or by an aggregate:
its estimate, or the middle of its bounds where there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from anonsql.features.query.document import AnswerLine
from anonsql.policy.methods import traits
from anonsql.privacy.differential import sample_note
from anonsql.query.answers import Answer, asked_labels
from anonsql.query.having import Interval, aggregates_of, truth
from anonsql.query.numbers import Exact, shown
from anonsql.query.opening import OpenedRelease, rows_of
from anonsql.query.parse import Order, Parsed, refused
from anonsql.system.numbers import counted, rounded
from anonsql.verification.facts import count_of, missing_rows

NO_ESTIMATE = (
    "Labels that cover an unknown number of values, and several conditions on one column, allow"
    " no estimate."
)
"""The note on answers without an estimate, as it begins."""
GUESSED = "can be anything, estimates use the values of other rows."
"""The note on columns whose values may be any, as it ends."""


def lines(
    release: OpenedRelease, parsed: Parsed, answered: Sequence[Answer]
) -> list[AnswerLine] | None:
    """Return the answers to a query's aggregates, over all rows or one group, as lines of the
    document; None if the condition of HAVING is surely false. Raise PolicyError where HAVING
    compares dates or timestamps."""
    if any(answered[number].domain is not None for number in aggregates_of(parsed.having)):
        raise refused("HAVING cannot compare dates and timestamps")
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


@dataclass(frozen=True)
class Row:
    """A group of the answer, or all of it where there are no groups: the lines of its aggregates,
    and the ``positions`` of its values among those of the columns that rows are grouped by."""

    lines: Sequence[AnswerLine]
    positions: tuple[int, ...] = ()


def ordered(rows: Sequence[Row], parsed: Parsed) -> list[Row]:
    """Return the rows as ORDER BY, OFFSET and LIMIT of the query ask for them."""
    result = list(rows)
    for order in reversed(parsed.order):
        nulls = [row for row in result if _key(row, order) is None]
        rest = [row for row in result if _key(row, order) is not None]
        rest.sort(key=lambda row: _key(row, order), reverse=order.descending)  # type: ignore[arg-type,return-value]
        result = nulls + rest if order.nulls_first else rest + nulls
    end = None if parsed.limit is None else parsed.offset + parsed.limit
    return result[parsed.offset : end]


def notes_on_order(rows: Sequence[Row], shown: Sequence[Row], parsed: Parsed) -> list[str]:
    """Return notes on the order: whether it uses estimates, and how many groups are not shown."""
    by_aggregate = [order for order in parsed.order if order.aggregate is not None]
    result = []
    if any(
        row.lines[order.aggregate].lower != row.lines[order.aggregate].upper
        for order in by_aggregate
        for row in rows
        if order.aggregate is not None
    ):
        result.append(
            "Groups are in the order of the estimates, or of the middle of the bounds if there is"
            " no estimate; the original values may have another order."
        )
    if len(shown) < len(rows):
        result.append(f"Shown are {len(shown):,} of {len(rows):,} groups.")
    return result


def _key(row: Row, order: Order) -> float | str | None:
    """Return the sort key of a row; None for NULL and unknown values."""
    if order.aggregate is None:
        null = list((row.lines[0].group or {}).values())[order.group] is None
        return None if null else row.positions[order.group]
    line = row.lines[order.aggregate]
    if line.estimate is not None:
        return line.estimate
    lower, upper = line.lower, line.upper
    if isinstance(lower, int | float) and isinstance(upper, int | float):
        return (lower + upper) / 2
    return lower if lower is not None else upper


def rows_of_answers(
    release: OpenedRelease, parsed: Parsed, answered: Sequence[Answer]
) -> list[Row]:
    """Return the answers by group, or all of them where there are no groups."""
    size = len(parsed.selected)
    rows = []
    for start in range(0, len(answered), size):
        own = lines(release, parsed, answered[start : start + size])
        if own is not None:
            rows.append(Row(own, answered[start].positions))
    return rows


def notes_on_answers(
    release: OpenedRelease, parsed: Parsed, answered: list[Answer], with_policy: bool
) -> list[str]:
    """Return notes on the assumptions of the answers, and on ways to improve them."""
    notes = _of_values(release, parsed, answered, with_policy)
    if missing := missing_rows(release.about):
        notes.append(
            f"Estimates and bounds are about the {counted(rows_of(release), 'released row')}, not"
            f" about the {counted(missing, 'suppressed row')}."
        )
    notes += sample_note(release.about)
    if release.unlisted and parsed.groups:
        notes.append(
            f"Rows with a hidden value of {', '.join(sorted(release.unlisted))} may belong to any"
            " group: to one above, to that without a value (NULL), or to one that the release does"
            " not list."
        )
    if parsed.groups and not answered:
        notes.append("No row satisfies the condition, so there is no group.")
    changed = {name.split(".")[1] for name in release.about if name.startswith("change.")}
    if changed:
        columns = ", ".join(sorted(changed))
        notes.append(f"Values of {columns} were changed: answers are about the released values.")
    if relocates(release) and parsed.groups:
        notes.append("Rows whose values were changed may also belong to other groups.")
    return notes


def _of_values(
    release: OpenedRelease, parsed: Parsed, answered: list[Answer], with_policy: bool
) -> list[str]:
    notes = []
    none = all(answer.possible == 0 for answer in answered)
    alone = len(list(parsed.atoms)) == 1 and all(answer.certain == 0 for answer in answered)
    if answered and (none or alone):
        notes += [
            f"{literal!r} is a label of {name}. A query uses original values: name the values"
            " that the label covers."
            for name, literal in asked_labels(release, parsed)
        ]
    if any(answer.possible == 0 and not answer.selected.counts for answer in answered):
        notes.append(
            "No released row satisfies the condition, so a sum, mean or any value is NULL."
        )
    elif any(answer.certain == 0 and answer.selected.function == "SUM" for answer in answered):
        notes.append(
            "Possibly no row satisfies the condition: SQL's sum is then NULL; the bounds treat it"
            " as 0."
        )
    if relocates(release) and not all(answer.selected.counts for answer in answered):
        notes.append(
            "Some released values do not belong to their rows: the bounds of sums, means and"
            " values are those of the released values."
        )
    if any(answer.infinite for answer in answered):
        notes.append("Values that may be NaN or infinite allow no sum or mean.")
    if any(
        answer.estimate is None
        and answer.selected.function in ("COUNT", "SUM", "AVG")
        and answer.possible > 0
        and not answer.infinite
        for answer in answered
    ):
        remedy = (
            ""
            if with_policy or release.with_hierarchies
            else (
                " If you name the release by its policy, it is read with the policy's hierarchies."
            )
        )
        notes.append(f"{NO_ESTIMATE}{remedy}")
    if guessed := sorted({column.name for column in release.queried.values() if column.guessed}):
        notes.append(f"Where {', '.join(guessed)} {GUESSED}")
    if any(
        None in (text.lower, text.upper) and text.possible > 0 and not text.infinite
        for text in answered
    ):
        notes.append("Values without an upper or lower end allow no bound.")
    sets = sorted(
        {
            column.name
            for column in release.queried.values()
            if column.held.form == "set" and column.held.tree is None
        }
    )
    if sets and not with_policy:
        notes.append(
            f"The elements of sets in {', '.join(sets)} are treated as values, which they are if"
            " min_level is not set."
        )
    return notes
