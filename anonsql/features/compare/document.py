"""The document of ``compare``, and which of its policies no other one beats."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal

from pydantic import Field

from anonsql.features.measure.document import Analyses, QueryError
from anonsql.policy.methods import traits
from anonsql.presentation.documents import Document, Place, Tabular

Status = Literal["met", "not met", "refused", "given up", "not tried", "failed"]
COMPARED = (
    *("policy", "status", "method", "settings", "k", "suppression_limit"),
    *("loss", "gcp", "discernibility", "suppressed_share", "relocated", "untrue", "uniform"),
    *("risk", "seconds", "front", "means"),
)
"""The fields of a line that are columns of the comparison as a table."""


class ColumnEntries(Document):
    """How exactly the released rows of a policy show a quasi-identifying column."""

    column: str
    ordered: bool = Field(
        description="whether the release has bounds of the column: numbers and dates"
    )
    within: float | None = Field(
        description="width between the bounds that nine of ten released rows do not exceed; null"
        " if there are no bounds, or more than one row of ten has none"
    )
    sets: bool = Field(
        description="whether a released value is a set, which need not include all values between"
        " its bounds"
    )
    values: int = Field(
        description="number of the source's values that a released value covers, not exceeded by"
        " nine of ten rows"
    )
    size: int = Field(description="values of the column in the source, including NULL")
    unit: Literal["days"] | None = Field(description="unit of `within`; null: that of the column")
    exact: float = Field(
        description="share of the released rows that cover a single value of the source"
    )
    anything: float = Field(
        description="share of the released rows that cover every value of the source"
    )


class CompareLine(Document):
    """One policy of `anonsql compare`; figures are null where its promise is not met, and where a
    note says why."""

    policy: str = Field(
        description="name of its file without the suffix; its path if two files have the same name"
    )
    status: Status = Field(
        description="failed: policy, hierarchies and data do not fit together, or SQL failed;"
        " with `advise` also refused: the method cannot keep the policy's promises;"
        " given up: it took longer than its share of the budget, or its method did"
        " with another k; not tried: the budget was spent, or the command interrupted"
    )
    reason: str | None = Field(description="why its promise is not met, or what failed")
    method: str
    settings: str = Field(description="settings of the method, if they differ from the defaults")
    k: int
    promises: dict[str, str] = Field(
        description="the other promises of every class, by the place in privacy"
    )
    suppression_limit: float
    loss: float | None = Field(
        None,
        description="as `run` reports it; 0 is best. It counts leaves of the hierarchies and"
        " weights of columns",
    )
    gcp: float | None = Field(
        None, description="as `measure` reports it: by the source's values; 0 is best"
    )
    discernibility: float | None = Field(
        None, description="as `run` reports it: the number of rows is best"
    )
    suppressed: int | None = Field(None, description="rows left out or masked")
    suppressed_share: float | None = Field(None, description="share of the source's rows")
    relocated: float | None = Field(
        None,
        description="share of the quasi-identifying cells that were changed; null unless the"
        " method changes values",
    )
    error: QueryError | None = Field(
        None,
        description="of the same random COUNT queries for all policies, including those with the"
        " answer 0",
    )
    penalties: dict[str, float] = Field({}, description="`gcp` by quasi-identifying column")
    risk: float | None = Field(
        None, description="highest prosecutor risk: 1 / rows of the smallest class"
    )
    untrue: float | None = Field(
        None, description="share of the source's rows with a released value that is not true"
    )
    uniform: bool | None = Field(
        None, description="whether all values of a column are released at one level"
    )
    usefulness: Analyses | None = Field(
        None,
        description="results of analyses of its completed table, or of draws of its own; null if"
        " it is in another database than the source",
    )
    seconds: float = Field(description="of all stages except publishing")
    columns: list[ColumnEntries] = Field([], description="how precise its released rows are")
    means: str | None = Field(None, description="the same in words")
    front: bool | None = Field(
        None,
        description="whether no other policy is at least as good in loss (with `advise` and"
        " weights: GCP), error (with `advise`: the ranking measure), risk and truth,"
        " and better in one; null if that cannot be compared",
    )
    beaten_by: list[str] = Field([], description="these policies, the best first")
    notes: list[str] = Field(
        [], description="what a reader must know to compare them with the others"
    )

    @property
    def median_error(self) -> float | None:
        """The median error of queries; None where there is none."""
        return self.error.median if self.error is not None else None


class CompareReport(Tabular):
    """The result of `anonsql compare`: several policies on one source, without publishing."""

    source: Place
    records: int | None = Field(description="rows of the source; null if no policy was met")
    columns: list[str] = Field(
        description="columns that are quasi-identifying in all policies, which the queries use"
    )
    queries: int = Field(description="random COUNT queries asked of each release")
    sanity_bound: float = Field(description="lowest answer that errors are relative to")
    policies: list[CompareLine] = Field(description="in the order in which they were given")
    best: dict[str, list[str]] = Field(
        description="by measure the policies with the best value, if not all have it and it can"
        " be compared"
    )
    notes: list[str]

    @property
    def basis(self) -> str:
        """The rows that the policies were tried on, before the name of the source."""
        return f"{self.records:,} rows of " if self.records is not None else ""

    def _rows(self) -> list[dict[str, object]]:
        names = [*COMPARED, "reason"]
        return [
            {
                **{name: getattr(policy, name) for name in names},
                "error_median": policy.median_error,
                "error_ninetieth": policy.error.ninetieth if policy.error else None,
            }
            for policy in self.policies
        ]


def with_front(
    lines: Sequence[CompareLine],
    error: Callable[[CompareLine], float | None] = lambda line: line.median_error,
    loss: Callable[[CompareLine], float | None] = lambda line: line.loss,
) -> list[CompareLine]:
    """Return the lines with the policies that beat each: as good in loss, error, risk and truth,
    and better in one of them. A figure that is not known counts as worst."""
    compared = {}
    for line in lines:
        if is_compared(line):
            figures = (loss(line), error(line), line.risk, line.untrue)
            compared[line.policy] = [math.inf if one is None else one for one in figures]
    return [
        line.model_copy(update=_standing(line.policy, compared)) if is_compared(line) else line
        for line in lines
    ]


def is_compared(line: CompareLine) -> bool:
    """Return whether a policy is met and comparable: a release that keeps sensitive values in
    tables of their own loses nothing of the other columns."""
    return line.status == "met" and not traits(line.method).releases_apart


def _standing(name: str, compared: dict[str, list[float]]) -> dict[str, object]:
    own = compared[name]
    better = [
        other
        for other, figures in compared.items()
        if figures != own and all(one <= two for one, two in zip(figures, own, strict=True))
    ]
    return {"front": not better, "beaten_by": sorted(better, key=lambda other: compared[other])}
