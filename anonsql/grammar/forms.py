"""What the released values of a column are, as ``__columns`` says it for programs (``form``) and for
people (``looks_like``)."""

from __future__ import annotations

from typing import Final, NamedTuple

FORMS: Final[dict[str, str]] = {
    "value": "the value of the source",
    "value-or-star": "the value of the source, or `*`",
    "star": "always `*`",
    "level": "the label of one level of the hierarchy",
    "node": "a label of the hierarchy, of any level",
    "interval": "`[a,b)`, without b; `<b` or `>=a` where the interval has one end",
    "mask-right": "the last characters are hidden, or none",
    "mask-left": "the first characters are hidden, or none",
    "range": "`[least,greatest]` of the values of the group",
    "numbers": "`[first,last]` of an interval of numbers or dates",
    "names": "`first … last` of an interval in the order of the hierarchy",
    "texts": "`first … last` of an interval in the order of the texts, byte by byte",
    "set": "`{one, another}`",
    "mean": "the mean of the group",
    "median": "the median of the group",
    "least": "the least value that the label covers",
    "greatest": "the greatest value that the label covers",
    "changed": "a number that is top-coded, bottom-coded or rounded",
    "drawn": "the value of the source, or one that was drawn by chance",
    "surrogate": "a number in the place of the value",
    "null": "always NULL",
    "constant": "always the same text",
    "apart": "values in a table of their own",
    "record": "the number of the row",
    "group": "the number of the group",
    "bucket": "the number of the bucket",
    "total-or-label": "a label, or `*` for the total",
    "level-number": "the level of the label: 0 is a value, `level` the total",
    "rows": "a number of rows",
    "people": "a number of people",
    "sum": "a sum",
    "ratio": "one measure divided by another",
    "share": "a measure divided by its total",
    "status": "whether the measure is shown",
}
"""What ``form`` can be, with its meaning."""

BOUNDS: Final = {"least": "lo", "greatest": "hi"}
"""The forms of columns of bounds, and how their names end."""
AVERAGES: Final = ("mean", "median")
"""The forms of columns of averages, which are also how their names end."""


class Looks(NamedTuple):
    """What released values are: their ``form``, one of FORMS, and what they look like, in words."""

    form: str
    text: str


AS_IT_IS: Final = Looks("value", "as it is")


def of_bound(name: str, form: str) -> Looks:
    """Return what the column is that holds the least or the greatest values of a column."""
    return Looks(form, f"{form} value that {name} can have")


def of_average(name: str, average: str) -> Looks:
    """Return what the column is that holds the ``average`` (mean or median) of a column."""
    return Looks(average, f"{average} of {name} over all rows that are released alike")


def column_of(name: str, form: str | None) -> str | None:
    """Return the column whose bounds or averages a column holds, by its name and its form; None
    where it holds none.

    >>> column_of("age_lo", "least"), column_of("age_mean", "mean"), column_of("age_lo", "value")
    ('age', 'age', None)
    """
    end = BOUNDS.get(form or "", form if form in AVERAGES else None)
    return name.removesuffix(f"_{end}") if end and name.endswith(f"_{end}") else None
