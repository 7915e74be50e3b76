"""The documents of pages. They hold no value of the source that fewer than k rows have."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from anonsql.features.attack.document import AttackReport
from anonsql.features.measure.document import QueryError
from anonsql.features.measure.usefulness.document import Analyses
from anonsql.features.risk.document import RiskReport
from anonsql.features.run.document import Report
from anonsql.features.runs.document import RunLine, StatementLine
from anonsql.features.verify.document import Check, VerifyReport
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
    role: str | None = Field(description="as `__columns` says; null of columns it does not name")
    level: int | None
    form: str | None
    looks_like: str | None
    values: int | None = Field(
        description="different released values, NULL counted in; null of bounds and numbers"
    )
    common: list[CommonValue] = Field(description="the commonest of those that are named")
    rare: int | None = Field(
        description="values that are not named, as too few rows have them; null where no value is"
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
        description="released rows, each spread evenly over the values that it may stand for"
    )


class Distribution(Document):
    """A column in source and release side by side."""

    kind: Literal["names", "numbers"]
    bars: list[Bar]
    rows: int = Field(description="of the source")
    released: float = Field(description="rows of the release")
    distance: float | None = Field(
        description="of names the total variation, of numbers the Wasserstein distance"
    )
    relative: float | None = Field(
        None, description="of numbers: the distance as a share of the range of the bars"
    )
    unit: str = Field("", description="of the distance: `days` of dates and times")


class ColumnOfSource(Document):
    """What became of one column of the source."""

    column: str
    role: str
    level: int | None
    looks_like: str
    lost: float | None = Field(description="share of its information lost (GCP); 0 is best")
    released: CodeBookColumn | None
    distribution: Distribution | None


class Workload(Document):
    """The error of random COUNT queries of one kind."""

    predicates: int = Field(description="columns that each asks about")
    selectivity: float | None = Field(
        description="share of the rows that it should select; null where queries have no such"
    )
    queries: int
    error: QueryError


class Region(Document):
    """Combinations of labels, by their rows and what they lost."""

    rows: int
    lost: float = Field(description="mean loss of the labels, rounded down to a fiftieth")
    regions: int


class Usefulness(Document):
    """How well a release answers queries, and what its rows lost."""

    gcp: float
    lost: dict[str, float] = Field(description="share of information lost, by column")
    workloads: list[Workload]
    regions: list[Region]
    seed: int
    analyses: Analyses | None = None


class Run(Document):
    """How the published release was made."""

    run: RunLine
    statements: list[StatementLine]


class EarlierRun(Document):
    """A run that published, in the history."""

    run: int
    started: str
    seconds: float | None
    records: int
    suppressed: float = Field(description="share of the records, those held back counted in")
    min_class: int
    loss: float | None


class Promise(Document):
    """A promise in plain words."""

    name: str
    says: str


class OwnerPage(Document):
    """What the owner's page tells. It holds counts of the source."""

    table: str
    release: str
    source: str
    made: str = Field(description="when the page was made (UTC)")
    policy_name: str | None = Field(description="of the policy's file; null where it has none")
    method: str
    verified: VerifyReport = Field(description="by which the release was proved for this page")
    report: Report | None = Field(description="of the run that published it")
    promises: list[Promise]
    does_not: list[str] = Field(description="what the release does not promise")
    combinations: int = Field(
        description="of columns that keep the promise each by itself; 1: all columns together"
    )
    tables: list[str] = Field(description="of the release besides its rows")
    left_open: list[str] = Field(
        description="columns that are released as they are and that no promise is about"
    )
    class_sizes: list[ClassSizes]
    named_from: int = Field(description="rows that a value needs to be named")
    exposed: dict[str, RiskReport] = Field(
        {},
        description="risks of rows of the original table, and of the release where it has classes",
    )
    attacked: AttackReport | None = Field(
        None, description="what attacks on the release find; null where none were asked for"
    )
    columns: list[ColumnOfSource]
    usefulness: Usefulness | None
    left_out: list[LeftOutValue] = Field(
        [], description="what values lost by suppression, recomputed for this page"
    )
    run: Run | None
    history: list[EarlierRun] = Field(description="the oldest first; of many runs the last ones")
    published: int = Field(description="runs that published a release here, as recorded")
    policy: str = Field(description="secrets removed")
    versions: dict[str, str]
    checks: list[Check]
    missing: list[Missing]


class RecipientPage(Document):
    """What the recipient's page tells: all of it is from the release alone."""

    table: str
    method: str | None
    k: int
    named_from: int = Field(description="rows that a value needs to be named")
    rows: int
    suppressed: int = Field(description="rows of the source that it does not have, as it says")
    facts: dict[str, str]
    promises: list[Promise]
    does_not: list[str] = Field(description="what the release does not promise")
    columns: list[CodeBookColumn]
    class_sizes: list[ClassSizes]
    queries: list[str] = Field(description="SQL to try")
    question: str | None = Field(description="a query for `anonsql query`")
    checks: list[Check]
    facts_in: str = Field(description="where it states its facts: a table, or what a file has")
    missing: list[Missing]
