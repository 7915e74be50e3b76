"""The document of ``measure``: the errors of queries, and the results of analyses of a release."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from anonsql.presentation.documents import Document, LeftOutValue, Place

if TYPE_CHECKING:
    from anonsql.presentation.tree import Part


class PropensityError(Document):
    """How well a row's bins predict whether it is from the source or from the release."""

    pmse: float = Field(
        description="mean over rows of (propensity - share of completed rows)², by the saturated"
        " model of each pair of columns, averaged over pairs and draws; 0 is best"
    )
    expected: float = Field(
        description="what it is on average where both are random samples of the same people"
    )
    ratio: float = Field(
        description="pmse / expected: about 1 where nobody could tell them apart; less is better"
    )


class MarginalError(Document):
    """The distance between the tables of a number of columns in source and release."""

    columns: int = Field(description="of each table")
    tables: int = Field(description="compared: all, or a sample of fixed seed")
    mean: float = Field(description="total variation: half the sum of |share - share|; 0 is best")
    greatest: float
    where: list[str] = Field(description="the columns of the table that is furthest off")


class AssociationError(Document):
    """How far measures of association are off, over pairs of columns."""

    pairs: int
    mean: float = Field(description="absolute difference, averaged over pairs; 0 is best")
    greatest: float
    where: list[str] = Field(description="the pair that is furthest off")


class ConditionError(Document):
    """The errors of COUNT queries on the completed table."""

    queries: int = Field(description="conditions on 1 to 3 columns, drawn with a fixed seed")
    floor: float = Field(description="rows that errors are relative to at least: 0.1 % of all")
    mean: float = Field(description="|count, averaged over draws - true| / max(true, floor)")
    by_column: dict[str, float] = Field(
        description="mean error of the queries that name the column, the greatest first"
    )


class CountError(Document):
    """How far COUNTs grouped by a column are off. Numbers and dates of more than ten values are
    grouped into ten bins."""

    column: str
    error: float = Field(
        description="sum over groups of |count, averaged over draws - true|, as a share of the rows;"
        " without the source, how far it may be"
    )
    within: float | None = Field(
        description="the band that it is in: 0.01, 0.05 or 0.2; null beyond: do not count by it"
    )
    values: int | None = Field(None, description="groups that the source has")
    wrong: int | None = Field(None, description="those whose own count is off by more than 20 %")


class AttributeRisk(Document):
    """How often an attacker who knows the other quasi-identifying columns (all by bins) guesses a
    person's value of a column correctly, as shares of the source's rows."""

    column: str
    usual: float = Field(description="whoever guesses the most frequent value for everybody")
    held_out: float = Field(
        description="by the source without the person: what the table tells of people who are not"
        " in it"
    )
    release: float = Field(description="by the completed rows that agree in the other columns")
    source: float = Field(description="by the source itself: the most that can be guessed")


class Interval(Document):
    """An estimate with its 95 % interval."""

    estimate: float
    low: float
    high: float


class Coefficient(Document):
    """A coefficient of the regression, of the source and of the release."""

    column: str
    value: int | None = Field(
        description="of a column without order: the indicator of its so-many-th most frequent"
        " value, 0 of all that are rare or NULL; null of numbers and dates"
    )
    source: Interval
    release: Interval = Field(description="of all draws, pooled by Rubin's rules")
    inside: bool = Field(description="whether the release's estimate lies in the source's interval")
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
    outcome: str = Field(description="what is explained")
    rows: int = Field(description="of the source that the regression was fitted to")
    sampled: bool = Field(description="whether these are a sample")
    inside: int = Field(description="coefficients inside the source's 95 % interval")
    overlap: float = Field(description="of intervals, the mean over coefficients; 1 is best")
    turned: int = Field(description="significant coefficients whose sign turned")
    coefficients: list[Coefficient]
    model: Literal["regression", "trees"] = Field(description="that predicts")
    learned: list[Learned]


class Analyses(Document):
    """The results of analyses on the completed table of a release, compared with those on its
    source."""

    columns: list[str] = Field(description="that were compared")
    draws: int = Field(description="of the completed table")
    propensity: PropensityError | None = Field(description="null of a single column")
    marginals: list[MarginalError]
    correlations: AssociationError | None = Field(
        description="Pearson's, of pairs of numbers; null where there are none"
    )
    associations: AssociationError | None = Field(
        description="Cramér's V, of pairs of columns without order; null where there are none"
    )
    group_means: AssociationError | None = Field(
        description="means of numbers in groups of at least 1 % of the rows, in the source's"
        " standard deviations; null where there are none"
    )
    queries: ConditionError
    counts: list[CountError] = Field(
        [], description="counts by single columns, compared with the source's"
    )
    attributes: list[AttributeRisk]
    target: TargetUsefulness | None = Field(
        None, description="where the policy's `measure` or `--target` names one"
    )


class QueryError(Document):
    """The errors of queries on a release: |estimate - actual| / max(|actual|, sanity bound); null
    where there is no estimate at all."""

    mean: float | None
    median: float | None
    ninetieth: float | None = Field(description="90 % of the queries have no greater error")
    empty: int = Field(
        description="queries whose answer is 0 or NULL in the source; left out of the errors where"
        " there are bounds"
    )


class Spread(Document):
    """How far apart the bounds of answers are: (upper - lower) / |actual|."""

    mean: float
    median: float
    ninetieth: float = Field(description="of 90 % of the queries it is no more")


class BoundsError(Document):
    """The bounds that `anonsql query` gives for the answers, over the queries whose answer in the
    source is not 0."""

    expected: Spread | None = Field(
        description="of the expected bounds of a sum over a column told by buckets: the relative"
        " error of Li, He, Sun 2019, section 4.2"
    )
    guaranteed: Spread | None = Field(
        description="of the guaranteed bounds; null where no answer has both"
    )
    held: int = Field(
        description="answers between their guaranteed bounds; of sums, where rows were left out,"
        " those need not hold"
    )
    unanswered: int = Field(
        description="queries of which the release leaves no estimate; they are in none of the"
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
        description="mean over rows and quasi-identifying columns of (values that the released one"
        " stands for - 1) / (values of the column - 1), counting those that the source has (of"
        " local: somewhere not withheld); a row left out counts 1, a withheld cell 0; 0 is best"
        " (Wong, Mamoulis, Cheung 2010, Def. 8)"
    )
    penalties: dict[str, float] = Field(description="the same by column")
    withheld: dict[str, int] = Field(
        {},
        description="of local: cells by semi-sensitive column that lie in buckets, and lose 0"
        " above",
    )
    discernibility: int | None = Field(
        None,
        description="of local: squared sizes of its groups, summed; + rows left out * all rows"
        " (C_DM)",
    )
    ncp: float | None = Field(
        None,
        description="of local: normalized certainty penalty of the cells that are not withheld, as"
        " the run told",
    )
    left_out: list[LeftOutValue] = Field(
        [],
        description="what values of quasi-identifying and sensitive columns lost by suppression,"
        " the greatest losses first, recomputed from release and source",
    )
    queries: int = Field(
        description="queries asked; a released row counts by the share of the values it stands for"
        " that are asked for"
    )
    aggregate: str = Field("COUNT(*)", description="what they ask")
    workload: Literal["random", "file"]
    sanity_bound: float = Field(description="what an answer's error is relative to at least")
    error: QueryError
    bounds: BoundsError | None = Field(None, description="of local, and of sums")
    usefulness: Analyses | None = Field(
        None,
        description="what analyses find in its completed table, or in draws of its own; null where"
        " it lies in another database than the source",
    )
    statements: int
    seconds: float
    release: Place

    def described(self) -> Sequence[Part]:
        """See the base class."""
        from anonsql.features.measure.described import describe

        return describe(self)


class RelationalMeasureReport(Document):
    """What `anonsql measure` found of a release of several tables: each by itself."""

    of: str
    tables: dict[str, MeasureReport] = Field(
        description="those with quasi-identifying values, as if each were a release of one table"
    )

    def described(self) -> Sequence[Part]:
        """See the base class."""
        from anonsql.features.measure.described import of_tables

        return of_tables(self)
