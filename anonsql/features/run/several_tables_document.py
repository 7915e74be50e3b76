"""The documents of releases of several tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from anonsql.features.measure.document import MeasureReport
from anonsql.presentation.documents import (
    FILES,
    Document,
    Finding,
    Place,
    PublishedPlace,
    ReleasedAs,
    Tabular,
)

if TYPE_CHECKING:
    from anonsql.presentation.tree import Part

NOT_COVERED_OF_TABLES = (
    "by table that has such rows: what the promise says nothing of, in a sentence: how many"
    " released rows are the only ones with their values in the columns that are kept as they are"
)


class RelationalTable(Document):
    """What became of one table."""

    table: str
    kind: Literal["people", "rows", "public"]
    refers_to: str | None = Field(description="the table that says whose its rows are")
    rows: int = Field(description="of the source")
    released: int
    suppressed: int = Field(description="rows that were suppressed by themselves")
    with_others: int = Field(
        description="rows that went with a suppressed person, or with the row that they refer to"
    )
    beyond_max_rows: int = Field(description="left out because their person has more than max_rows")
    columns: list[ReleasedAs]


class RelationalReport(Tabular):
    """What `anonsql run` did with a policy of several tables, found done already ("unchanged", with
    --if-changed) or only tried ("tried", with --dry-run)."""

    status: Literal["published", "unchanged", "tried"]
    method: str
    k: int
    of: str = Field(description="the table whose rows are people")
    known_rows: int | Literal["all"] = Field(
        description="rows of a person that others may know besides its own"
    )
    people: int = Field(description="of the source")
    released_people: int
    fewest_people: int = Field(
        description="people that match whatever may be known of one of them, at least"
    )
    known_things: int = Field(description="different things that may be known of somebody")
    promises: dict[str, str] = Field(
        {}, description="what the people that match keep besides, by model and `table.column`"
    )
    tables: list[RelationalTable]
    levels: dict[str, int] = Field(description="by `table.column`")
    loss: float = Field(
        description="mean loss of the columns over the rows of their tables; suppressed rows lose 1"
    )
    lattice: int = Field(description="number of all generalizations")
    judged: int = Field(description="generalizations that were counted")
    verified: bool
    not_covered: dict[str, str] = Field({}, description=NOT_COVERED_OF_TABLES)
    seconds: dict[str, float] = Field(description="by stage")
    statements: int
    release: PublishedPlace = Field(description="database, and the table of people")
    release_id: str = Field("", description="the release's number, as it says itself")
    warnings: list[Finding]

    def _described(self) -> Sequence[Part]:
        from anonsql.features.run.several_tables_described import run

        return run(self)

    def _rows(self) -> list[dict[str, object]]:
        return [table.model_dump(exclude={"columns"}) for table in self.tables]


class RelationalNode(Document):
    """One generalization of all tables that keeps the promise."""

    levels: dict[str, int] = Field(description="by `table.column`")
    height: int
    suppressed: dict[str, int] = Field(description="rows suppressed by themselves, by table")
    released: dict[str, int] = Field(description="rows, by table")
    loss: float


class RelationalSearchReport(Tabular):
    """What `anonsql search` found for a policy of several tables."""

    quasi_identifiers: list[str] = Field(description="as `table.column`")
    lattice: int = Field(description="number of all generalizations")
    judged: int = Field(description="generalizations that were counted")
    statements: int
    seconds: float
    nodes: list[RelationalNode] = Field(description="the one that loses least first")
    advice: str | None = Field(None, description="what would help, where none keeps the promise")

    def _described(self) -> Sequence[Part]:
        from anonsql.features.run.several_tables_described import search

        return search(self)

    def _rows(self) -> list[dict[str, object]]:
        return [
            {**node.levels, **node.model_dump(exclude={"levels", "suppressed", "released"})}
            for node in self.nodes
        ]


class TableAgainstSource(Document):
    """A released table that was held against the source's: its rows are rows of that, generalized
    to the levels that the release states, by themselves and with the rows that they refer to; of a
    public table all of them."""

    originals: int = Field(description="rows of the source")
    released: int
    left_over: int = Field(description="rows of the source that are not released")
    not_compared: list[str] = Field(
        description="released columns that are not written alike where release and source lie"
    )


class RelationalVerifyReport(Document):
    """What `anonsql verify` found about a release of several tables."""

    status: Literal["verified"]
    k: int
    of: str
    known_rows: int | Literal["all"]
    people: int
    fewest_people: int = Field(
        description="people that match whatever may be known of one of them, at least"
    )
    known_things: int
    promises: dict[str, str] = Field(
        {}, description="what the people that match keep besides, by model and `table.column`"
    )
    rows: dict[str, int] = Field(description="released rows by table")
    not_covered: dict[str, str] = Field({}, description=NOT_COVERED_OF_TABLES)
    release: Place
    against_source: dict[str, TableAgainstSource] | None = Field(
        None, description="with --against-source: by table"
    )
    files: int | None = Field(None, description=FILES)
    not_told: str | None = Field(
        None, description="with --against-source, where people lack rows: what it cannot tell"
    )
    warnings: list[Finding] = Field([], description="what the promise does not cover")


class RelationalMeasureReport(Document):
    """What `anonsql measure` found of a release of several tables: each by itself."""

    of: str
    tables: dict[str, MeasureReport] = Field(
        description="those with quasi-identifying values, as if each were a release of one table"
    )
