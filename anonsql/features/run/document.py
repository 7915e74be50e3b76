"""The document of ``run``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from anonsql.features.ledger.document import OverTime
from anonsql.presentation.documents import (
    NOT_COVERED,
    NOT_COVERED_OF_TABLES,
    Document,
    Finding,
    LeftOutValue,
    OfRelease,
    PublishedPlace,
    ReachedLimit,
    ReleasedAs,
    Risks,
)


class Withheld(Document):
    """The withheld values of a column that is sensitive and released in buckets."""

    cells: int = Field(description="released cells in buckets")
    hidden: int = Field(
        0,
        description="released cells that are `*` instead of a value or a bucket, because a person"
        " in the group does not mind",
    )
    widened: int = Field(
        0, description="of these, the cells that are not sensitive: too few rows had their pattern"
    )
    unknown: int = Field(
        0,
        description="cells of the source whose flag or condition is NULL; they are withheld",
    )
    buckets: int
    smallest: int = Field(description="cells of the smallest bucket")


class Span(Document):
    """The span of a sensitive column of numbers or dates in a class or bucket: from the least to
    the greatest value, as a share of the span of all released values."""

    least: float = Field(description="in the class or bucket where it is smallest")
    median: float = Field(description="in the median class or bucket")


class Relocated(Document):
    """What was relocated: rows that were moved to another group, and the quasi-identifying cells
    that were changed for it."""

    cells: int = Field(description="cells with the value of another row")
    cell_share: float = Field(description="share of all quasi-identifying cells of the source")
    p: float = Field(description="the limit on that share")
    rows: int = Field(description="rows that were changed")
    row_share: float = Field(description="share of the source's rows")
    columns: dict[str, int] = Field(description="changed cells of each quasi-identifying column")
    chi_squared: float | None = Field(
        None,
        description="chi-squared statistic of the new group sizes against the old ones, if alpha is"
        " given",
    )
    critical: float | None = Field(
        None, description="the limit on chi-squared at the significance level alpha"
    )


class ChangedValues(Document):
    """The changes made to kept columns before anything was decided, as their `change` asks."""

    rows: int = Field(description="rows of the source with a changed value")
    row_share: float = Field(description="share of the source's rows")
    columns: dict[str, int] = Field(description="changed values of each column")


class Report(OfRelease):
    """What `anonsql run` did, found done already ("unchanged", with --if-changed) or only tried
    ("tried", with --dry-run)."""

    status: Literal["published", "unchanged", "tried"]
    method: str
    records: int = Field(description="rows of the source")
    released: int = Field(description="rows of the release")
    sampled: int | None = Field(
        None,
        description="with differential privacy: rows that were sampled, of which `suppressed`"
        " rows are left out; like `records` and all measures, this number is not in"
        " the release, where it would reduce privacy",
    )
    suppressed: int = Field(description="rows left out or masked")
    masked: int = Field(description="suppressed rows kept as `*`")
    quarantined: int = Field(
        0,
        description="rows that would break k when a scheme is applied again, so they are left out",
    )
    left_out: list[LeftOutValue] = Field(
        [],
        description="who is suppressed: values whose rows are not all released, those with the"
        " lowest share first, at most 50; none in the reports that the catalog keeps",
    )
    levels: dict[str, int] | None
    optimal: bool | None = Field(
        None, description="of ordered-partition: whether no other partition is better"
    )
    columns: list[ReleasedAs]
    k: int
    promises: dict[str, str] = Field(
        {},
        description="the other promises of every class, and of all rows together (`risk`), by the"
        " place in privacy",
    )
    limits: list[ReachedLimit] = Field(
        [],
        description="the limits on the risk of the whole release, and how close the release is to"
        " each",
    )
    suppression_limit: float
    combinations: int = Field(
        1,
        description="of combinations of columns that each keep the promise; classes are those of the"
        " worst one",
    )
    min_class: int = Field(
        description="rows of the smallest class; with the method ring, the number of rows that"
        " every released row may come from"
    )
    min_people: int | None = Field(
        None, description="the lowest number of people in a class, if `entity` identifies them"
    )
    classes: int = Field(
        description="classes of equal quasi-identifying values; with the method ring, partitions"
    )
    metrics: dict[str, float]
    risk: Risks
    verified: bool
    not_covered: str | None = Field(None, description=NOT_COVERED)
    identity: str | None = Field(
        None,
        description="of anatomy, which does not hide identity: the consequences for k, classes and"
        " risk",
    )
    withheld: dict[str, Withheld] = Field(
        {}, description="of local: by semi-sensitive and sensitive column"
    )
    spans: dict[str, Span] = Field(
        {}, description="by sensitive column of numbers or dates that has an l-diversity"
    )
    relocated: Relocated | None = Field(None, description="of a method that changes values")
    changed: ChangedValues | None = Field(None, description="if kept columns have a `change`")
    over_time: OverTime | None = Field(None, description="if privacy has `over_time`")
    extra_tables: list[str] = Field(
        [], description="tables of the release in addition to the rows, __about and __columns"
    )
    seconds: dict[str, float] = Field(description="by stage")
    statements: int = Field(description="statements on the data's engine")
    release: PublishedPlace
    query: str | None = Field(
        None,
        description="the query that is the source, if it is not a table or file; none in the"
        " reports that the catalog keeps",
    )
    warnings: list[Finding] = Field([], description="what the promises do not cover")

    def _rows(self) -> list[dict[str, object]]:
        return [column.model_dump() for column in self.columns]


class RelationalTable(Document):
    """What became of one table."""

    table: str
    kind: Literal["people", "rows", "public"]
    refers_to: str | None = Field(description="the table that identifies the person of each row")
    rows: int = Field(description="of the source")
    released: int
    suppressed: int = Field(description="rows that were suppressed individually")
    with_others: int = Field(
        description="rows suppressed together with their person, or with a row that they refer to"
    )
    beyond_max_rows: int = Field(
        description="rows left out because their person has more than max_rows"
    )
    columns: list[ReleasedAs]


class RelationalReport(OfRelease):
    """What `anonsql run` did with a policy of several tables, found done already ("unchanged", with
    --if-changed) or only tried ("tried", with --dry-run)."""

    status: Literal["published", "unchanged", "tried"]
    method: str
    k: int
    of: str = Field(description="the table in which every row is a person")
    known_rows: int | Literal["all"] = Field(
        description="rows of a person that an attacker may know in addition to the person's own"
    )
    people: int = Field(description="of the source")
    released_people: int
    fewest_people: int = Field(
        description="the lowest number of people that match the knowledge of an attacker"
    )
    known_things: int = Field(
        description="the number of different things that an attacker may know"
    )
    promises: dict[str, str] = Field(
        {}, description="the other promises of the people that match, by model and `table.column`"
    )
    tables: list[RelationalTable]
    levels: dict[str, int] = Field(description="by `table.column`")
    loss: float = Field(
        description="mean loss of the columns over the rows of their tables; suppressed rows have"
        " loss 1"
    )
    lattice: int = Field(description="number of all generalizations")
    judged: int = Field(description="generalizations that were counted")
    verified: bool
    not_covered: dict[str, str] = Field({}, description=NOT_COVERED_OF_TABLES)
    seconds: dict[str, float] = Field(description="by stage")
    statements: int
    release: PublishedPlace = Field(description="database, and the table of people")
    release_id: str = Field("", description="the release's number, as the release states it")
    warnings: list[Finding]

    described_by = "of_tables"

    def _rows(self) -> list[dict[str, object]]:
        return [table.model_dump(exclude={"columns"}) for table in self.tables]
