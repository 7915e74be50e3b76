"""The JSON documents of ``measure``, ``compare`` and ``query``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from anonsql.features.documents import Document, LeftOutValue, Place, Tabular

if TYPE_CHECKING:
    from anonsql.features.notebook_charts import CompareCharts


class QueryError(Document):
    """The errors of queries on a release: |estimate - actual| / max(|actual|, sanity bound); null
    where there is no estimate at all."""

    mean: float | None
    median: float | None
    ninetieth: float | None = Field(description="90 % of the queries have no greater error")
    empty: int = Field(
        description=(
            "queries whose answer is 0 or NULL in the source; left out of the errors where there"
            " are bounds"
        )
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
        description=(
            "of the expected bounds of a sum over a column told by buckets: the relative error of"
            " Li, He, Sun 2019, section 4.2"
        )
    )
    guaranteed: Spread | None = Field(
        description="of the guaranteed bounds; null where no answer has both"
    )
    held: int = Field(
        description=(
            "answers between their guaranteed bounds; of sums, where rows were left out, those need"
            " not hold"
        )
    )
    unanswered: int = Field(
        description=(
            "queries of which the release leaves no estimate; they are in none of the errors"
        )
    )


class MeasureReport(Document):
    """What `anonsql measure` found: a published release compared with its source. No answer of a
    query is told."""

    method: str
    k: int
    records: int = Field(description="rows of the source")
    released: int = Field(description="rows of the release")
    gcp: float = Field(
        description=(
            "mean over rows and quasi-identifying columns of (values that the released one stands"
            " for - 1) / (values of the column - 1), counting those that the source has (of local:"
            " somewhere not withheld); a row left out counts 1, a withheld cell 0; 0 is best (Wong,"
            " Mamoulis, Cheung 2010, Def. 8)"
        )
    )
    penalties: dict[str, float] = Field(description="the same by column")
    withheld: dict[str, int] = Field(
        {},
        description=(
            "of local: cells by semi-sensitive column that lie in buckets, and lose 0 above"
        ),
    )
    discernibility: int | None = Field(
        None,
        description=(
            "of local: squared sizes of its groups, summed; + rows left out * all rows (C_DM)"
        ),
    )
    ncp: float | None = Field(
        None,
        description=(
            "of local: normalized certainty penalty of the cells that are not withheld, as the run"
            " told"
        ),
    )
    left_out: list[LeftOutValue] = Field(
        [],
        description=(
            "what values of quasi-identifying and sensitive columns lost by suppression, the"
            " greatest losses first, recomputed from release and source"
        ),
    )
    queries: int = Field(
        description=(
            "queries asked; a released row counts by the share of the values it stands for that are"
            " asked for"
        )
    )
    aggregate: str = Field("COUNT(*)", description="what they ask")
    workload: Literal["random", "file"]
    sanity_bound: float = Field(description="what an answer's error is relative to at least")
    error: QueryError
    bounds: BoundsError | None = Field(None, description="of local, and of sums")
    statements: int
    seconds: float
    release: Place


class WorkloadError(Document):
    """The errors of random queries of one kind."""

    predicates: int = Field(description="columns that each query asks about")
    selectivity: float = Field(description="share of the rows that each should select")
    queries: int
    median: float
    ninetieth: float = Field(description="90 % of the queries have no greater error")


class CompareLine(Document):
    """One policy of `anonsql compare`; figures are null where its promise is not met, and where a
    note says why."""

    policy: str = Field(
        description=(
            "name of its file without the suffix; its path where two files have the same name"
        )
    )
    status: Literal["met", "not met", "failed"] = Field(
        description="failed: policy, hierarchies and data do not fit together, or SQL failed"
    )
    reason: str | None = Field(description="why its promise is not met, or what failed")
    method: str
    settings: str = Field(description="of the method, as far as they are not the usual ones")
    k: int
    promises: dict[str, str] = Field(
        description="what else every class is to keep, by the place in privacy"
    )
    suppression_limit: float
    loss: float | None = Field(
        None,
        description=(
            "as `run` tells it; 0 is best. It counts leaves of the hierarchies and weights of"
            " columns"
        ),
    )
    gcp: float | None = Field(
        None, description="as `measure` tells it: of the values that the source has; 0 is best"
    )
    discernibility: float | None = Field(
        None, description="as `run` tells it: the number of rows is best"
    )
    suppressed: int | None = Field(None, description="rows left out or masked")
    suppressed_share: float | None = Field(None, description="of the source's rows")
    relocated: float | None = Field(
        None,
        description=(
            "share of the quasi-identifying cells that were changed; null unless the method does"
        ),
    )
    error: QueryError | None = Field(
        None,
        description=(
            "of the same random COUNT queries for all policies, those with the answer 0 among them"
        ),
    )
    penalties: dict[str, float] = Field({}, description="`gcp` by quasi-identifying column")
    by_workload: list[WorkloadError] = Field(
        [], description="with --html: the errors of further queries, by their kind"
    )
    risk: float | None = Field(
        None, description="highest that a prosecutor has: 1 / rows of the smallest class"
    )
    untrue: float | None = Field(
        None, description="share of the source's rows some of whose released values are not true"
    )
    uniform: bool | None = Field(
        None, description="whether all values of a column are released at one level"
    )
    peak_memory: int | None = Field(
        None,
        description=(
            "most bytes of memory that anonsql held meanwhile, servers aside; null where the system"
            " does not tell"
        ),
    )
    seconds: float = Field(description="of all stages but publishing")
    notes: list[str] = Field([], description="what must be known to compare it with the others")


COMPARED = (
    *("policy", "status", "method", "settings", "k", "suppression_limit"),
    *("loss", "gcp", "discernibility", "suppressed_share", "relocated", "untrue", "uniform"),
    *("risk", "seconds", "peak_memory"),
)
"""The fields of a line that are columns of the comparison as a table."""


class CompareReport(Tabular):
    """What `anonsql compare` found: several policies on one source, of which nothing was
    published."""

    source: Place
    records: int | None = Field(description="rows of the source; null when no policy was met")
    columns: list[str] = Field(
        description="quasi-identifying in all policies: what the queries are over"
    )
    queries: int = Field(description="random COUNT queries asked of each release")
    sanity_bound: float = Field(description="what an answer's error is relative to at least")
    policies: list[CompareLine] = Field(description="in the order in which they were given")
    best: dict[str, list[str]] = Field(
        description=(
            "by measure the policies with the best value, where not all have it and it can be"
            " compared"
        )
    )
    notes: list[str]
    formulas: dict[str, str] = Field(description="by measure")

    @property
    def charts(self) -> CompareCharts:
        """The charts of the comparison, as objects of Altair."""
        from anonsql.features.notebook_charts import CompareCharts

        return CompareCharts(self)

    def _title(self) -> str:
        """See the base class."""
        return f"{len(self.policies)} policies on {self.source.table}; nothing was published"

    def _rows(self) -> list[dict[str, object]]:
        """See the base class: the policies, errors of queries as columns of their own."""
        names = [*COMPARED, "reason"]
        return [
            {
                **{name: getattr(policy, name) for name in names},
                "error_median": policy.error.median if policy.error else None,
                "error_ninetieth": policy.error.ninetieth if policy.error else None,
            }
            for policy in self.policies
        ]


class AnswerLine(Document):
    """The answer to one aggregate of a query. Numbers are null where the release does not tell
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
        description="expected, as if every value that a released one stands for were equally likely"
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


class QueryReport(Document):
    """What `anonsql query` answered from a release."""

    query: str
    method: str
    released: int = Field(description="rows of the release")
    suppressed: int = Field(
        description="rows of the source that it, or any of the tables joined, does not have"
    )
    answers: list[AnswerLine]
    notes: list[str] = Field(
        description="what the answers take for granted, and what would make them better"
    )
    statements: int
    seconds: float
    release: Place
