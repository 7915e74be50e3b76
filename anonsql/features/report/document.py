"""The documents of pages. They hold no value of the source that fewer than k rows have."""

from __future__ import annotations

import json
from typing import Literal

from pydantic import Field

from anonsql.features.attack.document import AttackReport
from anonsql.features.measure.document import Analyses, CountError
from anonsql.features.risk.document import RiskReport
from anonsql.features.run.document import RelationalReport, Report
from anonsql.features.runs.document import RunLine
from anonsql.features.tabulate.document import StatisticsReport, StatisticsVerifyReport
from anonsql.features.verify.document import Check, VerifyReport
from anonsql.policy.envelope import Recipient
from anonsql.policy.protect import Waiver
from anonsql.presentation.documents import Document, LeftOutValue


class Missing(Document):
    """What a page cannot show, and why."""

    what: str
    why: str


class CommonValue(Document):
    """A released value that at least k rows have."""

    value: str | None = Field(description="null where it is NULL")
    rows: int


class CodeBookColumn(Document):
    """A column of a release, as its recipient finds it."""

    column: str
    table: str
    type: str
    role: str | None = Field(
        description="as in `__columns`; null for columns that it does not list"
    )
    level: int | None
    form: str | None
    looks_like: str | None
    values: int | None = Field(
        description="distinct released values, including NULL; null for bounds and numbers"
    )
    common: list[CommonValue] = Field(description="the most frequent of the named values")
    rare: int | None = Field(
        description="values that are not named, because too few rows have them; null for no value"
    )


class ClassSize(Document):
    """How many classes have how many rows."""

    rows: int
    classes: int


class ClassSizes(Document):
    """The sizes of the classes that rows form by some columns."""

    columns: list[str]
    sizes: list[ClassSize]


class Bar(Document):
    """A value, or several next to each other, with its rows."""

    label: str
    source: int = Field(description="rows of the source")
    released: float = Field(
        description="released rows, each spread evenly over the values that it covers"
    )


class Distribution(Document):
    """A column in source and release side by side."""

    kind: Literal["names", "numbers"]
    bars: list[Bar]
    rows: int = Field(description="of the source")
    released: float = Field(description="rows of the release")
    distance: float | None = Field(
        description="for names the total variation, for numbers the Wasserstein distance"
    )
    relative: float | None = Field(
        None, description="of numbers: the distance as a share of the range of the bars"
    )
    unit: str = Field("", description="of the distance: `days` for dates and times")


class ColumnOfSource(Document):
    """What became of one column of the source."""

    column: str
    role: str
    level: int | None
    looks_like: str
    lost: float | None = Field(description="share of its information that is lost (GCP); 0 is best")
    released: CodeBookColumn | None
    distribution: Distribution | None


class Usefulness(Document):
    """What the values of a release lost, and what analyses of it find."""

    gcp: float
    lost: dict[str, float] = Field(description="share of information lost, by column")
    analyses: Analyses | None = None


class Promise(Document):
    """A promise in plain words."""

    name: str
    says: str


class OwnerPage(Document):
    """The content of the owner's page. It includes counts of the source."""

    table: str
    release: str
    source: str
    made: str = Field(description="when the page was made (UTC)")
    policy_name: str | None = Field(description="of the policy's file; null if it has none")
    method: str
    recipient: Recipient | None = Field(None, description="as the policy names them")
    unit: str = Field(description="of protection: a person or a row, in words")
    epsilon: str | None = Field(None, description="with differential privacy: what is spent")
    verified: VerifyReport = Field(
        description="the verification that proved the release for this page"
    )
    report: Report | None = Field(description="the report of the run that published it")
    promises: list[Promise]
    does_not: list[str] = Field(description="what the release does not promise")
    combinations: int = Field(
        description="number of combinations of columns that each keep the promise; 1: all columns"
        " together"
    )
    tables: list[str] = Field(description="tables of the release in addition to its rows")
    left_open: list[str] = Field(
        description="columns that are released unchanged and that no promise is about"
    )
    class_sizes: list[ClassSizes]
    named_from: int = Field(description="rows that a value needs so that it is named")
    exposed: dict[str, RiskReport] = Field(
        {},
        description="risks of rows of the original table, and of the release if it has classes",
    )
    attacked: AttackReport | None = Field(
        None, description="what attacks on the release find; null if none were asked for"
    )
    columns: list[ColumnOfSource]
    usefulness: Usefulness | None
    left_out: list[LeftOutValue] = Field(
        [], description="losses of values by suppression, recomputed for this page"
    )
    run: RunLine | None
    policy: str = Field(description="secrets removed")
    versions: dict[str, str]
    checks: list[Check]
    missing: list[Missing]


class RecipientPage(Document):
    """The content of the recipient's page: all of it is from the release alone."""

    table: str
    method: str | None
    k: int
    named_from: int = Field(description="rows that a value needs so that it is named")
    rows: int
    suppressed: int = Field(description="rows of the source that it lacks, as it states")
    facts: dict[str, str]
    promises: list[Promise]
    does_not: list[str] = Field(description="what the release does not promise")
    columns: list[CodeBookColumn]
    class_sizes: list[ClassSizes]
    counts: list[CountError] = Field(
        [],
        description="upper bound, by the release, of the error of counts by one column of the"
        " completed table",
    )
    queries: list[str] = Field(description="SQL to try")
    question: str | None = Field(description="a query for `anonsql query`")
    checks: list[Check]
    facts_in: str = Field(
        description="where it states its facts: a table, or the metadata of a file"
    )
    missing: list[Missing]


class RelationalPageTable(Document):
    """A released table on a page."""

    table: str
    public: bool
    people: bool = Field(description="whether its rows are people")
    key: str
    references: dict[str, str] = Field(description="the tables that columns refer to")
    rows: int
    missing: int = Field(description="rows of the source that it lacks, as it states")
    columns: list[CodeBookColumn]


class RelationalPage(Document):
    """The content of the page of a release of several tables. The parts that are not from the
    release alone (``report``, ``run``, ``policy``) are for its owner."""

    of: str
    k: int
    known_rows: int | Literal["all"]
    method: str | None
    release: str = Field(description="the release's number")
    named_from: int = Field(description="rows that a value needs so that it is named")
    tables: list[RelationalPageTable] = Field(description="that of people first")
    promises: list[Promise]
    not_covered: list[str] = Field(
        [], description="of each table with such rows: how many are unique by its kept columns"
    )
    does_not: list[str]
    checks: list[Check]
    unchecked: list[str] = Field(
        [], description="promises that no statement checks: `anonsql verify` counts them"
    )
    queries: list[str]
    recipient: Recipient | None = Field(None, description="as the policy names them")
    report: RelationalReport | None = None
    run: RunLine | None = None
    policy: str | None = Field(None, description="secrets removed")
    missing: list[Missing] = Field([], description="what the page cannot show, and why")


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
        description="as in the table; `absent`: the table has no such row"
    )
    primary: bool | None = Field(
        None,
        description="of a hidden cell, for its owner only: whether it breaks a rule, or is hidden"
        " because another could be computed from it; null if that is not known",
    )


class Crosstab(Document):
    """Cells of a published table by two of its dimensions, at the totals of the others; or by one,
    with a column a measure."""

    rows: str = Field(description="the dimension whose labels are rows")
    columns: str | None = Field(
        description="the dimension whose labels are columns; null: measures are"
    )
    measure: str | None = Field(description="null if columns are measures")
    row_labels: list[CrosstabLabel]
    column_labels: list[CrosstabLabel]
    cells: list[list[CrosstabCell]]
    left_out: list[str] = Field(description="sentences about labels that are not shown")


class PageDimension(Document):
    """A dimension of a published table."""

    name: str
    labels: dict[int, int] = Field(description="number of labels by level; the highest: the total")


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
    zeros: bool = Field(False, description="whether empty cells are hidden rows, as it states")
    crosstabs: list[Crosstab]
    left_out: list[str] = Field(description="sentences about crosstabs that are not shown")
    queries: list[str] = Field(description="SQL to try")


class StatisticsOwnerPart(Document):
    """The part of the page for the owner of published statistics alone."""

    made: str = Field(description="when the page was made (UTC)")
    policy_name: str | None = Field(description="of the policy's file; null if it has none")
    source: str
    place: str
    recipient: Recipient | None = Field(None, description="as the policy names them")
    unit: str = Field(description="of protection: a person or a row, in words")
    epsilon: str | None = Field(None, description="with noise: what a release spends")
    verified: StatisticsVerifyReport = Field(
        description="the verification that proved it for this page"
    )
    report: StatisticsReport | None = Field(description="the report of the run that published it")
    run: RunLine | None
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
        description="labels that spreadsheets may treat as formulas: they begin with =, +, - or @"
    )


class PageReport(Document):
    """What `anonsql report` wrote."""

    status: Literal["written"]
    page: str
    audience: Literal["owner", "recipient"]
    bytes: int
    missing: list[Missing] = Field(description="what the page cannot show, and why")
    owner: OwnerPage | None = None
    recipient: RecipientPage | None = None
    relational: RelationalPage | None = None
    statistics: StatisticsPage | None = None
    files: list[ExportedFile] = Field([], description="that the tables were written to")
