"""The documents of published statistics."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from anonsql.features.tabulate.noise import NoisePlan
from anonsql.policy.protect import Waiver
from anonsql.presentation.documents import (
    FILES,
    Document,
    Finding,
    OfRelease,
    Place,
    PublishedPlace,
)


class MeasureCells(Document):
    """What became of the cells of one measure in one table."""

    measure: str
    looks_like: str
    cells: int
    primary: int = Field(description="cells that break a rule")
    hidden: int = Field(description="primary cells, and those from which they could be computed")
    totals: int = Field(0, description="cells of `cells` that have parts in the table")
    hidden_totals: int = Field(0, description="cells of `totals` that are hidden")
    mean_change: float | None = Field(
        None, description="if values are changed: the mean absolute difference"
    )
    expected_error: float | None = Field(
        None, description="with noise: the expected mean absolute error of the finest cells"
    )
    hidden_share: float | None = Field(
        None,
        description="as a share of the absolute amounts of the finest cells; null for ratios, and"
        " with noise",
    )


class StatisticsTable(Document):
    """One published table."""

    table: str
    by: list[str]
    cells: int
    empty: int = Field(0, description="empty cells, if they are hidden rows")
    measures: list[MeasureCells]


class Label(Document):
    """A label that costs many hidden cells."""

    dimension: str
    label: str | None = Field(description="with --show-values; null also if it is NULL")
    named: bool = Field(False, description="whether `label` is known: with --show-values")
    people: int = Field(description="the people, or rows, that have it")
    own_hidden: int = Field(description="the hidden cells with this label")
    hidden: int = Field(description="all hidden cells")
    fewer: int | None = Field(
        description="how many fewer cells would be hidden if its cells needed no protection; None"
        " if the tables are too large to try it"
    )


class StatisticsReport(OfRelease):
    """What `anonsql tabulate` did, found done already ("unchanged", with --if-changed) or only
    tried ("tried", with --dry-run)."""

    status: Literal["published", "unchanged", "tried"]
    protected_by: str
    promise: str
    records: int | None = Field(description="rows of the source; null with noise")
    people: int | None = Field(
        description="people of the source, or its rows without `entity`; null with noise"
    )
    several: bool | None = Field(
        description="whether a person is in several cells of one level; null with noise"
    )
    tables: list[StatisticsTable]
    waived: list[Waiver] = Field(
        [], description="cells that were published although a rule forbids it, as the policy asks"
    )
    cells: int = Field(description="cells of all tables, each once")
    costly_labels: list[Label] = Field(
        [], description="with suppression: the labels with the highest cost"
    )
    verified: bool
    rounding: str | None = Field(
        None, description="with rounding: whether it was controlled, or why it was not"
    )
    noise: NoisePlan | None = Field(None, description="the plan of the noise")
    spent: str | None = Field(
        None, description="with noise: what all releases of the source have spent together"
    )
    seconds: dict[str, float] = Field(description="by stage")
    statements: int
    release: PublishedPlace = Field(description="database, and the first table")
    release_id: str = Field("", description="the release's number, as the release states it")
    warnings: list[Finding]

    described_by = "run"

    def _rows(self) -> list[dict[str, object]]:
        return [
            {"table": table.table, **measure.model_dump()}
            for table in self.tables
            for measure in table.measures
        ]


class StatisticsVerifyReport(Document):
    """What `anonsql verify` found about published statistics."""

    status: Literal["verified"]
    promise: str
    protected_by: str
    rows: dict[str, int] = Field(description="cells by table")
    hidden: dict[str, dict[str, int]] = Field(description="hidden cells by table and measure")
    against_source: bool = Field(
        description="whether every value was compared with the source, and every hidden cell"
        " audited"
    )
    values_compared: bool = Field(
        False,
        description="whether values were compared with the source's: with noise they cannot be if"
        " a person has more rows than are counted",
    )
    additive: bool = Field(
        False, description="of rounded tables: whether totals are the sums of their parts"
    )
    files: int | None = Field(None, description=FILES)
    release: Place

    described_by = "verify"
