"""The document of ``query``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from anonsql.presentation.documents import Document, Place, Tabular

if TYPE_CHECKING:
    from anonsql.presentation.tree import Part


class AnswerLine(Document):
    """The answer to one aggregate of a query. Numbers are null if the release does not determine
    them, or SQL's answer is NULL; of dates and timestamps they are text."""

    aggregate: str
    group: dict[str, str | int | float | bool | None] | None = Field(
        None,
        description=(
            "what the rows are grouped by in a query with GROUP BY: a value, or a released value"
            " that stands for several"
        ),
    )
    estimate: int | float | str | None = Field(
        description=(
            "expected, as if every value that a label covers were equally likely; where these are of"
            " unknown number, or a column has several conditions, the mean of completed draws"
        )
    )
    lower: int | float | str | None = Field(description="rounded down where it is no short number")
    upper: int | float | str | None = Field(description="rounded up where it is no short number")
    bounds: Literal["guaranteed", "estimated"] = Field(
        description=(
            "guaranteed: true of the original values whatever they were; of a sum, an empty one"
            " counts 0"
        )
    )
    about: Literal["released rows"] = Field(
        description=(
            "what answers speak of: the original values of the rows that were released, not of"
            " those left out"
        )
    )
    certain: int = Field(description="released rows that surely satisfy the condition")
    possible: int = Field(description="released rows that may")
    expected_lower: float | None = Field(
        None,
        description=(
            "an estimate, of a sum over a column told by buckets: floor of each bucket's expected"
            " rows, with its smallest values (Li, He, Sun 2019, section 4.2)"
        ),
    )
    expected_upper: float | None = Field(
        None, description="the same with the ceiling and the greatest values"
    )
    having: Literal["certain", "possible"] | None = Field(
        None,
        description="whether what HAVING asks of it is surely so, or may be; null without HAVING",
    )
    draws: int | None = Field(
        None,
        description=(
            "how many of the completed draws have a number here, whose mean the estimate is; null"
            " where it is not from draws"
        ),
    )
    standard_error: float | None = Field(
        None,
        description=(
            "of an estimate from completed draws: the root of (1 + 1/m) times the variance between"
            " m draws (Rubin's rules); null where fewer than two have a number"
        ),
    )


class QueryReport(Tabular):
    """What `anonsql query` answered from a release."""

    query: str
    method: str = Field(description="or how tables of statistics are protected")
    released: int = Field(description="rows of the release; of tables of statistics their cells")
    suppressed: int = Field(
        description="rows of the source that it, or any of the tables joined, does not have"
    )
    hidden: int | None = Field(
        None, description="values that tables of statistics hide; null of released rows"
    )
    answers: list[AnswerLine]
    draws: int | None = Field(
        None, description="how many completed draws the answers are from; null with bounds"
    )
    rows: list[dict[str, str | int | float | bool | None]] | None = Field(
        None,
        description=(
            "of a query for rows, those of the first draw: drawn values, nobody's own; of published"
            " tables of statistics the whole answer; null of others"
        ),
    )
    notes: list[str] = Field(
        description="what the answers take for granted, and what would make them better"
    )
    statements: int
    seconds: float
    release: Place

    def described(self) -> Sequence[Part]:
        """See the base class."""
        from anonsql.features.query.described import describe

        return describe(self)

    def _rows(self) -> list[dict[str, object]]:
        if self.rows is not None:
            return [dict(row) for row in self.rows]
        return [
            {**(answer.group or {}), **answer.model_dump(exclude={"group"})}
            for answer in self.answers
        ]
