"""What released values look like, in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anonsql.features.report.page_document import CodeBookColumn
from anonsql.grammar.forms import BOUNDS, column_of

_SENTENCES: dict[str, str] = {
    "value": "The value as it was.",
    "value-or-star": "The value as it was, or * where it is hidden.",
    "star": "Always *: the value is not published.",
    "level": "A label that covers several values: {looks}.",
    "node": "The value as it was, or the name of a group that it belongs to, up to *.",
    "interval": (
        "A range, {looks}: [20,30) is a value from 20 up to, but without, 30, <20 is one below 20,"
        " and >=90 is 90 or more."
    ),
    "mask-right": "Characters are hidden by *: {looks}.",
    "mask-left": "Characters are hidden by *: {looks}.",
    "range": "A range: [20,30] is a value from 20 to 30, both included.",
    "numbers": "A range: [20,30] is a value from 20 to 30, both included.",
    "set": "A set: {{a, b}} is one of the values a and b.",
    "names": (
        "A range of the values in the order of their `place` in `__labels`, from the first to"
        " the last named."
    ),
    "texts": "A range of the values in the order of their texts, from the first to the last named.",
    "mean": "A number of the whole group: {looks}.",
    "median": "A number of the whole group: {looks}.",
    "least": "A number or date for computing: the original value is no less than this.",
    "greatest": "A number or date for computing: the original value is no greater than this.",
    "changed": (
        "A number that need not be the row's own: {looks}. The release's facts have the thresholds."
    ),
    "drawn": (
        "The value as it was, or one that was drawn by chance: {looks}. The release's facts say how"
        " often which."
    ),
    "surrogate": (
        "A number in the place of the value: rows with the same number had the same value. Which"
        " number it is follows from the released rows alone."
    ),
    "null": "Always empty (NULL): the value is not published.",
    "constant": "Always *: the value is not published.",
}
"""What a form means to a reader; other forms are described by what ``__columns`` says."""
_WITHHELD = "; nothing where it is sensitive"


def says(column: CodeBookColumn) -> str:
    """Return what the values of a column are, in a sentence."""
    looks = column.looks_like or ""
    more = " Empty (NULL) where it is sensitive." if looks.endswith(_WITHHELD) else ""
    looks = looks.removesuffix(_WITHHELD)
    if sentence := _SENTENCES.get(column.form or ""):
        return sentence.format(looks=looks) + more
    return f"{looks[:1].upper()}{looks[1:]}.{more}" if looks else "The release does not say."


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
    """Return the columns of a code book, each with its bounds."""
    bounds: dict[str, list[CodeBookColumn]] = {column.column: [] for column in book}
    for column in book:
        of = column_of(column.column, column.form) if column.form in BOUNDS else None
        if of in bounds:
            bounds[of].append(column)
    inside = {column.column for own in bounds.values() for column in own}
    return [
        ExplainedColumn(
            column, says(column), ROLES.get(column.role or "", ""), bounds[column.column]
        )
        for column in book
        if column.column not in inside
    ]
