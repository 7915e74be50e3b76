"""The document of ``measure``, and the errors of queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from anonsql.features.measure.usefulness.document import Analyses
from anonsql.presentation.documents import Document, LeftOutValue, Place

if TYPE_CHECKING:
    from anonsql.presentation.tree import Part


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
    """What `anonsql measure` found: a published release compared with its source. No answer of a
    query is told."""

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

    def _described(self) -> Sequence[Part]:
        from anonsql.features.measure.described import describe

        return describe(self)


class RelationalMeasureReport(Document):
    """What `anonsql measure` found of a release of several tables: each by itself."""

    of: str
    tables: dict[str, MeasureReport] = Field(
        description="those with quasi-identifying values, as if each were a release of one table"
    )

    def _described(self) -> Sequence[Part]:
        from anonsql.features.measure.described import of_tables

        return of_tables(self)
