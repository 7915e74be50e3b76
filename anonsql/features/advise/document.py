"""The JSON document of ``advise``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from anonsql.features.compare.document import ColumnEntries
from anonsql.features.measure.usefulness.document import Analyses
from anonsql.presentation.documents import Document, Place, Tabular

Purpose = Literal["counts", "means", "models"]
Status = Literal["met", "not met", "refused", "given up", "not tried", "failed"]


class ErrorShares(Document):
    """The errors of COUNT queries: |estimate - actual| / max(actual, 1)."""

    median: float
    ninetieth: float = Field(description="90 % of the queries have no greater error")


class Change(Document):
    """What to write into the policy to take a choice; null what stays as it is."""

    method: str | None = Field(description="the value of `method`, as YAML")
    k: int | None = Field(description="`privacy.k`; what else `privacy` says stays")

    def lines(self) -> list[str]:
        """Return the lines of the policy."""
        return [
            *([f"method: {self.method}"] if self.method is not None else []),
            *([f"privacy: {{k: {self.k}}}"] if self.k is not None else []),
        ]


class AdviceLine(Document):
    """One choice that `anonsql advise` tried; figures are null where its promise is not met."""

    policy: str = Field(description="method and k")
    method: str
    k: int
    status: Status = Field(
        description=(
            "refused: the method cannot keep what the policy promises; given up: it took longer"
            " than its share of the budget, or its method did with a smaller k; not tried: the"
            " budget was spent, or the command interrupted; failed: policy, hierarchies and data do"
            " not fit, or SQL failed"
        )
    )
    reason: str | None = Field(description="why it is not met")
    take: Change
    loss: float | None = Field(None, description="as `run` tells it; 0 is best")
    gcp: float | None = Field(None, description="as `measure` tells it; 0 is best")
    error: ErrorShares | None = Field(
        None, description="of the same random COUNT queries for all choices"
    )
    usefulness: Analyses | None = Field(
        None,
        description=(
            "what analyses find in its completed table, or in draws of its own; null where it lies"
            " in another database than the source"
        ),
    )
    suppressed_share: float | None = Field(None, description="rows left out or masked / all rows")
    untrue: float | None = Field(
        None, description="share of the source's rows some of whose released values are not true"
    )
    uniform: bool | None = Field(
        None, description="whether all values of a column are released at one level"
    )
    risk: float | None = Field(
        None, description="highest that a prosecutor has: 1 / rows of the smallest class"
    )
    seconds: float = Field(description="of all stages but publishing")
    front: bool | None = Field(
        None,
        description=(
            "whether no other choice is as good in loss, in what choices are ranked by, in risk and"
            " truth, and better in one; null where that cannot be compared"
        ),
    )
    beaten_by: list[str] = Field([], description="the choices that are, as far as there are some")
    columns: list[ColumnEntries] = Field([], description="what its released rows still tell")
    means: str | None = Field(None, description="what it would make of this table, in words")
    notes: list[str] = Field([], description="what must be known to compare it with the others")


class Recommendation(Document):
    """The choice that is recommended, and why."""

    policy: str
    reason: str
    alternatives: list[str] = Field(description="what other needs would ask for instead")
    take: Change


class AdviceReport(Tabular):
    """What `anonsql advise` found: methods and numbers k tried on one source, of which nothing was
    published."""

    source: Place
    records: int | None = Field(description="rows of the source; null when no choice was met")
    k: int = Field(description="the policy's own")
    purpose: Purpose = Field(description="what the release is for")
    ranked_by: str = Field(description="what choices are ranked by, for this purpose")
    queries: int = Field(description="random COUNT queries asked of each release")
    budget: float = Field(description="seconds that all choices had together")
    interrupted: bool = Field(description="whether Ctrl-C ended it before all choices were tried")
    policies: list[AdviceLine] = Field(description="in the order in which they were tried")
    recommended: Recommendation | None
    notes: list[str]
    formulas: dict[str, str] = Field(description="by measure")
    seconds: float

    def _title(self) -> str:
        return f"{len(self.policies)} choices for {self.source.table}; nothing was published"

    def _rows(self) -> list[dict[str, object]]:
        """See the base class: the choices, errors of queries as columns of their own."""
        names = (
            *("policy", "status", "method", "k", "front", "loss", "gcp", "suppressed_share"),
            *("untrue", "uniform", "risk", "seconds", "means", "reason"),
        )
        return [
            {
                **{name: getattr(policy, name) for name in names},
                "error_median": policy.error.median if policy.error else None,
                "error_ninetieth": policy.error.ninetieth if policy.error else None,
            }
            for policy in self.policies
        ]
