"""The document of the page of published statistics."""

from __future__ import annotations

import json
from typing import Literal

from pydantic import Field

from anonsql.features.report.page_document import Missing
from anonsql.features.runs.document import RunLine
from anonsql.features.tabulate.document import StatisticsReport, StatisticsVerifyReport
from anonsql.policy.protect import Waiver
from anonsql.presentation.documents import Document


class CrosstabLabel(Document):
    """A row or a column of a crosstab: a label of a dimension, or in the only column of labels of
    a table of one dimension a measure."""

    label: str | None = Field(description="null where it is NULL")
    level: int = Field(description="0 is a value; the highest is the total")
    depth: int = Field(description="how many levels it is below the total")


class CrosstabCell(Document):
    """A cell of a crosstab."""

    value: int | str | None = Field(description="exact; text where it has digits after the point")
    status: Literal["published", "hidden", "changed", "absent"] = Field(
        description="as the table says; `absent`: the table has no such row"
    )
    primary: bool | None = Field(
        None,
        description="of a hidden one, for its owner alone: whether it breaks a rule, or"
        " else another could be computed from it; null where that is not known",
    )


class Crosstab(Document):
    """Cells of a published table by two of its dimensions, at the totals of the others; or by one,
    with a column a measure."""

    rows: str = Field(description="the dimension whose labels are rows")
    columns: str | None = Field(description="that whose labels are columns; null: measures are")
    measure: str | None = Field(description="null where columns are measures")
    row_labels: list[CrosstabLabel]
    column_labels: list[CrosstabLabel]
    cells: list[list[CrosstabCell]]
    nested: bool = Field(description="whether rows follow what they are part of")
    left_out: list[str] = Field(description="sentences about labels that are not shown")


class PageDimension(Document):
    """A dimension of a published table."""

    name: str
    labels: dict[int, int] = Field(description="different labels by level; the highest: the total")


class PageMeasure(Document):
    """A measure of a published table."""

    name: str
    type: str
    looks_like: str
    hidden: int


class StatisticsPageTable(Document):
    """A published table on a page."""

    table: str
    dimensions: list[PageDimension]
    measures: list[PageMeasure]
    cells: int
    zeros: bool = Field(
        False, description="whether empty cells are hidden rows, as it says of itself"
    )
    crosstabs: list[Crosstab]
    left_out: list[str] = Field(description="sentences about crosstabs that are not shown")
    queries: list[str] = Field(description="SQL to try")


class StatisticsOwnerPart(Document):
    """The part of the page for the owner of published statistics alone."""

    made: str = Field(description="when the page was made (UTC)")
    policy_name: str | None = Field(description="of the policy's file; null where it has none")
    source: str
    place: str
    verified: StatisticsVerifyReport = Field(description="by which it was proved for this page")
    report: StatisticsReport | None = Field(description="of the run that published it")
    run: RunLine | None
    history: list[RunLine] = Field(description="the latest first; of many runs the last ones")
    policy: str = Field(description="secrets removed")


class StatisticsPage(Document):
    """The page of published statistics. What is not from the release alone (``owner``, and which
    hidden cells are primary) is for its owner."""

    release: str = Field(description="the release's number")
    facts: dict[str, str] = Field(description="of the first table")
    tables: list[StatisticsPageTable]
    does_not: list[str] = Field(description="what the release does not promise")
    owner: StatisticsOwnerPart | None = None
    missing: list[Missing] = Field([], description="what the page cannot show, and why")

    @property
    def waived(self) -> list[Waiver]:
        """The cells that are published although a rule forbids it, as far as they can be read."""
        try:
            return [Waiver(**waiver) for waiver in json.loads(self.facts.get("waived", "[]"))]
        except (TypeError, ValueError):
            return []


class ExportedFile(Document):
    """A file that a published table was written to."""

    path: str
    format: Literal["csv", "sdmx-csv"]
    table: str
    rows: int
    formulas: int = Field(
        description="labels that spreadsheets may take for formulas: they begin with =, +, - or @"
    )
