"""The document of ``query``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from anonsql.presentation.documents import Document, Place, Tabular


class AnswerLine(Document):
    """The answer to one aggregate of a query. Numbers are null if the release does not determine
    them, or SQL's answer is NULL; of dates and timestamps they are text."""

    aggregate: str
    group: dict[str, str | int | float | bool | None] | None = Field(
        None,
        description=(
            "the group of the row in a query with GROUP BY: a value, or a released value that"
            " covers several"
        ),
    )
    estimate: int | float | str | None = Field(
        description=(
            "expected, as if every value that a label covers were equally likely; if their number"
            " is unknown, or a column has several conditions, the mean of completed draws"
        )
    )
    lower: int | float | str | None = Field(description="rounded down if it has many digits")
    upper: int | float | str | None = Field(description="rounded up if it has many digits")
    bounds: Literal["guaranteed", "estimated"] = Field(
        description=("guaranteed for any original values; an empty sum counts 0")
    )
    about: Literal["released rows"] = Field(
        description=(
            "what answers are about: the original values of the released rows, not of suppressed"
            " ones"
        )
    )
    certain: int = Field(description="released rows that surely satisfy the condition")
    possible: int = Field(description="released rows that may satisfy it")
    expected_lower: float | None = Field(
        None,
        description=(
            "an estimate, of a sum over a column in buckets: floor of each bucket's expected"
            " rows, with its smallest values (Li, He, Sun 2019, section 4.2)"
        ),
    )
    expected_upper: float | None = Field(
        None, description="the same with the ceiling and the largest values"
    )
    having: Literal["certain", "possible"] | None = Field(
        None,
        description="whether the condition of HAVING certainly holds, or may hold; null without"
        " HAVING",
    )
    draws: int | None = Field(
        None,
        description=(
            "the number of completed draws that have a value here, whose mean is the estimate;"
            " null if it is not from draws"
        ),
    )
    standard_error: float | None = Field(
        None,
        description=(
            "of an estimate from completed draws: the root of (1 + 1/m) times the variance"
            " between m draws (Rubin's rules); null if fewer than two have a value"
        ),
    )


class QueryReport(Tabular):
    """What `anonsql query` answered from a release."""

    query: str
    method: str = Field(description="or how tables of statistics are protected")
    released: int = Field(description="rows of the release; for tables of statistics their cells")
    suppressed: int = Field(
        description="rows of the source that are missing in it or in any of the joined tables"
    )
    hidden: int | None = Field(
        None, description="values that tables of statistics hide; null for released rows"
    )
    answers: list[AnswerLine]
    draws: int | None = Field(
        None,
        description="the number of completed draws that the answers are from; null with bounds",
    )
    rows: list[dict[str, str | int | float | bool | None]] | None = Field(
        None,
        description=(
            "for a query of rows, the rows of the first draw: values drawn for labels are random,"
            " kept and exact values are those of a real row; for published tables of statistics the"
            " whole answer; otherwise null"
        ),
    )
    notes: list[str] = Field(description="assumptions of the answers, and what would improve them")
    statements: int
    seconds: float
    release: Place

    def _rows(self) -> list[dict[str, object]]:
        if self.rows is not None:
            return [dict(row) for row in self.rows]
        return [
            {**(answer.group or {}), **answer.model_dump(exclude={"group"})}
            for answer in self.answers
        ]
