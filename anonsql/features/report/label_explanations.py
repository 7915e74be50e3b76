"""What released values look like, in plain words."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from anonsql.features.report.page_document import CodeBookColumn
from anonsql.grammar.bounds import bound_of, is_average

_WAYS: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    (r"as it is", lambda _: "The value as it was."),
    (
        r"((top-coded|bottom-coded|rounded to [0-9.]+)(, )?)+ \(change\..* in __about\)",
        lambda found: (
            f"A number that need not be the row's own: {found[0].rpartition(' (')[0]}. The"
            " release's facts tell the thresholds."
        ),
    ),
    (
        r"kept with probability ([0-9.]+), else drawn \(change\..* in __about\)",
        lambda found: (
            f"The value as it was with probability {found[1]}, else one that was drawn by chance;"
            " the release's facts tell how often which."
        ),
    ),
    (
        r"(mean|median) of (.*) over all rows that are released alike",
        lambda found: (
            f"A number of the whole group: the {found[1]} of what {found[2]} was in all rows that"
            " have the same values in the columns that others may know."
        ),
    ),
    (r"as it is, or \*", lambda _: "The value as it was, or * where it is hidden."),
    (
        r"as it is, or up to (.*)",
        lambda found: f"The value as it was, or with its end hidden: up to {found[1]}.",
    ),
    (r"\*", lambda _: "Always *: nothing of the value is told."),
    (
        r"\[a,b\), (.*) wide",
        lambda found: (
            f"A range {found[1]} wide: [20,30) stands for a value from 20 up to, but without, 30."
        ),
    ),
    (
        r"\[a,b\) by \d+ breaks?",
        lambda _: (
            "A range of uneven width: [20,30) stands for a value from 20 up to, but without, 30,"
            " <20 for one below 20, and >=90 for 90 and more."
        ),
    ),
    (
        r"(last|first) (\d+) of (\d+) characters hidden",
        lambda found: f"The {found[1]} {found[2]} of {found[3]} characters are hidden by *.",
    ),
    (
        r"group of level (\d+) of (\d+)",
        lambda found: (
            "The name of a group of values, at step"
            f" {found[1]} of {found[2]} from the value itself to *."
        ),
    ),
    (
        r"(month|quarter|year|week|day|decade)",
        lambda found: f"The {found[1]} in which it lies.",
    ),
    (
        r"first 3 digits, or 000 where few people live",
        lambda _: "The first three digits of the ZIP code; 000 where at most 20,000 people live.",
    ),
    (r"first digit", lambda _: "The first digit of the ZIP code."),
    (r"ICD-10 category", lambda _: "The first three characters of the ICD-10 code."),
    (
        r"ICD-10 (block|chapter)",
        lambda found: f"The {found[1]} of ICD-10 that the code is in, as its first and last code.",
    ),
    (
        r"a value of its hierarchy",
        lambda _: "The value as it was, or the name of a group that it belongs to, up to *.",
    ),
    (
        r"\[least,greatest\]",
        lambda _: "A range: [20,30] stands for a value from 20 to 30, both included.",
    ),
    (r"\{one, another\}", lambda _: "A set: {a, b} stands for one of the values a and b."),
    (
        r"\[first,last\] of an interval",
        lambda _: "A range: [20,30] stands for a value from 20 to 30, both included.",
    ),
    (
        r"first … last of an interval",
        lambda _: (
            "A stretch of the values in the order of their `place` in `__hierarchies`, from the"
            " first to the last named."
        ),
    ),
    (
        r"first … last of an interval, byte by byte",
        lambda _: "A stretch of the values in the order of their texts, from first to last named.",
    ),
    (
        r"(least|greatest) value that (.*) can have",
        lambda found: (
            f"A number or date for computing: the original {found[2]} is"
            f" {'no less' if found[1] == 'least' else 'no greater'} than this."
        ),
    ),
    (
        r"number in the place of the value, the same for the same value",
        lambda _: (
            "A number in the place of the value: rows with the same number had the same value."
            " Which number it is follows from the released rows alone."
        ),
    ),
    (r"always NULL", lambda _: "Always empty (NULL): nothing of the value is told."),
    (r"always \*", lambda _: "Always *: nothing of the value is told."),
    (r"number of the row", lambda _: "A number that names the row."),
    (
        r"number of the row's group(, by which __(.*) is joined)?",
        lambda found: (
            "The number of the group that the row belongs to"
            + (f"; the table __{found[2]} is joined by it." if found[1] else ".")
        ),
    ),
    (
        r"number of its bucket, by which __(.*) is joined",
        lambda found: f"The number of a bucket of values; the table __{found[1]} is joined by it.",
    ),
    (
        r"not beside the rows: by (\w+), with counts, in __(.*)",
        lambda found: (
            f"Not beside the rows: the table __{found[2]} tells the values of every {found[1]} with"
            " their counts."
        ),
    ),
)


def says(column: CodeBookColumn) -> str:
    """Return what the values of a column look like; as the release says it where that is none of
    the usual forms."""
    looks = column.looks_like or ""
    hidden = "; nothing where it is sensitive"
    more = " Empty (NULL) where it is sensitive." if looks.endswith(hidden) else ""
    looks = looks.removesuffix(hidden)
    for pattern, words in _WAYS:
        if match := re.fullmatch(pattern, looks, re.DOTALL):
            return words(match) + more
    return f"{looks[:1].upper()}{looks[1:]}.{more}" if looks else "The release says nothing of it."


ROLES = {
    "identifying": "stands for what points to a person by itself",
    "quasi-identifying": "may be known to others",
    "semi-sensitive": "sensitive to some people only",
    "sensitive": "harmful to learn of a person",
    "insensitive": "neither known to others nor harmful",
    "weight": "how many a row stands for",
    "record": "added by the release",
    "group": "added by the release",
    "bucket": "added by the release",
}
"""What each role means, in a few words."""


@dataclass(frozen=True)
class ExplainedColumn:
    """A column of a code book, what its values look like, what its role means, and the columns of
    its bounds."""

    told: CodeBookColumn
    says: str
    means: str
    bounds: Sequence[CodeBookColumn]


def explained(book: Sequence[CodeBookColumn]) -> list[ExplainedColumn]:
    """Return the columns of a code book; bounds stand with the column that they are of."""
    bounds: dict[str, list[CodeBookColumn]] = {column.column: [] for column in book}
    for column in book:
        of = bound_of(column.column, column.looks_like)
        if of in bounds and not is_average(column.column, column.looks_like):
            bounds[of].append(column)
    inside = {column.column for own in bounds.values() for column in own}
    return [
        ExplainedColumn(
            column, says(column), ROLES.get(column.role or "", ""), bounds[column.column]
        )
        for column in book
        if column.column not in inside
    ]
