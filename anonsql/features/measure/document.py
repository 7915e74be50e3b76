"""The document of ``measure``: the errors of queries, and the results of analyses of a release."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from anonsql.presentation.documents import Document, LeftOutValue, Place


class PropensityError(Document):
    """How well a row's bins predict whether it is from the source or from the release."""

    pmse: float = Field(
        description="mean over rows of (propensity - share of completed rows)², by the saturated"
        " model of each pair of columns, averaged over pairs and draws; 0 is best"
    )
    expected: float = Field(description="its mean for two random samples of the same people")
    ratio: float = Field(
        description="pmse / expected: about 1 if release and source cannot be distinguished; less"
        " is better"
    )


class MarginalError(Document):
    """The distance between the tables of a number of columns in source and release."""

    columns: int = Field(description="of each table")
    tables: int = Field(description="rows compared: all, or a sample of fixed seed")
    mean: float = Field(description="total variation: half the sum of |share - share|; 0 is best")
    greatest: float
    where: list[str] = Field(description="the columns of the table with the largest difference")


class AssociationError(Document):
    """How far measures of association are off, over pairs of columns."""

    pairs: int
    mean: float = Field(description="absolute difference, averaged over pairs; 0 is best")
    greatest: float
    where: list[str] = Field(description="the pair with the largest difference")


class ConditionError(Document):
    """The errors of COUNT queries on the completed table."""

    queries: int = Field(description="conditions on 1 to 3 columns, drawn with a fixed seed")
    floor: float = Field(
        description="lowest number of rows that errors are relative to: 0.1 % of all"
    )
    mean: float = Field(description="|count, averaged over draws - true| / max(true, floor)")
    by_column: dict[str, float] = Field(
        description="mean error of the queries with the column, the largest first"
    )


class CountError(Document):
    """How far COUNTs grouped by a column are off. Numbers and dates of more than ten values are
    grouped into ten bins."""

    column: str
    error: float = Field(
        description="sum over groups of |count, averaged over draws - true|, as a share of the"
        " rows; without the source, an upper bound of it"
    )
    within: float | None = Field(
        description="the band that contains it: 0.01, 0.05 or 0.2; null above: do not count by this"
        " column"
    )
    values: int | None = Field(None, description="groups of the source")
    wrong: int | None = Field(None, description="groups whose own count is off by more than 20 %")


class Interval(Document):
    """An estimate with its 95 % interval."""

    estimate: float
    low: float
    high: float


class Coefficient(Document):
    """A coefficient of the regression, of the source and of the release."""

    column: str
    value: int | None = Field(
        description="of a column without order: the indicator of a value by its rank in"
        " frequency, 0 of all rare values and NULL together; null of numbers and dates"
    )
    source: Interval
    release: Interval = Field(description="of all draws, pooled by Rubin's rules")
    inside: bool = Field(description="whether the release's estimate is in the source's interval")
    overlap: float = Field(
        description="of the two intervals: the mean of their shares in common (Karr et al. 2006)"
    )
    turned: bool = Field(description="whether both are significant, with opposite signs")


class Learned(Document):
    """How well a model predicts the rows of the source."""

    measure: Literal["accuracy", "auc", "r_squared"]
    source: float = Field(description="trained on four fifths of the source, for the other fifth")
    release: float = Field(description="trained on the completed release; the mean over draws")
    lost: float = Field(description="source - release")


class TargetUsefulness(Document):
    """A regression and predictions of a target, by the source and by the release."""

    target: str
    kind: Literal["linear", "logistic"]
    outcome: str = Field(description="the column that is predicted")
    rows: int = Field(description="rows of the source to which the regression was fitted")
    sampled: bool = Field(description="whether these are a sample")
    inside: int = Field(description="coefficients inside the source's 95 % interval")
    overlap: float = Field(
        description="overlap of intervals, the mean over coefficients; 1 is best"
    )
    turned: int = Field(description="significant coefficients whose sign changed")
    coefficients: list[Coefficient]
    model: Literal["regression", "trees"] = Field(description="that predicts")
    learned: list[Learned]


class Analyses(Document):
    """The results of analyses on the completed table of a release, compared with those on its
    source."""

    columns: list[str] = Field(description="columns that were compared")
    draws: int = Field(description="of the completed table")
    propensity: PropensityError | None = Field(description="null if there is only one column")
    marginals: list[MarginalError]
    correlations: AssociationError | None = Field(
        description="Pearson's, of pairs of numbers; null if there are none"
    )
    group_means: AssociationError | None = Field(
        description="means of numbers in groups of at least 1 % of the rows, in the source's"
        " standard deviations; null if there are none"
    )
    queries: ConditionError
    counts: list[CountError] = Field(
        [], description="counts by single columns, compared with the source's"
    )
    target: TargetUsefulness | None = Field(
        None, description="if the policy's `measure` or `--target` names a target"
    )


class QueryError(Document):
    """The errors of queries on a release: |estimate - actual| / max(|actual|, sanity bound); null
    where there is no estimate at all."""

    mean: float | None
    median: float | None
    ninetieth: float | None = Field(description="error that 90 % of the queries do not exceed")
    empty: int = Field(
        description="queries whose answer is 0 or NULL in the source; left out of the errors if"
        " there are bounds"
    )


class Spread(Document):
    """How far apart the bounds of answers are: (upper - lower) / |actual|."""

    mean: float
    median: float
    ninetieth: float = Field(description="not exceeded by 90 % of the queries")


class BoundsError(Document):
    """The bounds that `anonsql query` gives for the answers, over the queries whose answer in the
    source is not 0."""

    expected: Spread | None = Field(
        description="of the expected bounds of a sum over a column in buckets: the relative error"
        " of Li, He, Sun 2019, section 4.2"
    )
    guaranteed: Spread | None = Field(
        description="of the guaranteed bounds; null if no answer has both"
    )
    held: int = Field(
        description="answers between their guaranteed bounds; for sums these need not hold if"
        " rows were suppressed"
    )
    unanswered: int = Field(
        description="queries for which the release gives no estimate; they are in none of the"
        " errors"
    )


class MeasureReport(Document):
    """The result of `anonsql measure`: a published release compared with its source. Answers of
    queries are not included."""

    method: str
    k: int
    records: int = Field(description="rows of the source")
    released: int = Field(description="rows of the release")
    gcp: float = Field(
        description="mean over rows and quasi-identifying columns of (values that the released"
        " one covers - 1) / (values of the column - 1), counting those of the source"
        " (of local: somewhere not withheld); a suppressed row counts 1, a withheld"
        " cell 0; 0 is best (Wong, Mamoulis, Cheung 2010, Def. 8)"
    )
    penalties: dict[str, float] = Field(description="the same by column")
    withheld: dict[str, int] = Field(
        {},
        description="of local: cells by semi-sensitive column that are in buckets, and lose 0"
        " above",
    )
    left_out: list[LeftOutValue] = Field(
        [],
        description="losses of values of quasi-identifying and sensitive columns by suppression,"
        " the largest first, recomputed from release and source",
    )
    queries: int = Field(
        description="queries asked; a released row counts by the share of the values it covers"
        " that are asked for"
    )
    aggregate: str = Field("COUNT(*)", description="the subject of the queries")
    workload: Literal["random", "file"]
    sanity_bound: float = Field(description="lowest answer that errors are relative to")
    error: QueryError
    bounds: BoundsError | None = Field(None, description="of local, and of sums")
    usefulness: Analyses | None = Field(
        None,
        description="results of analyses of its completed table, or of draws of its own; null if"
        " it is in another database than the source",
    )
    statements: int
    seconds: float
    release: Place


class RelationalMeasureReport(Document):
    """What `anonsql measure` found of a release of several tables: each by itself."""

    of: str
    tables: dict[str, MeasureReport] = Field(
        description="tables with quasi-identifying values, as if each were a release of one table"
    )

    described_by = "of_tables"
