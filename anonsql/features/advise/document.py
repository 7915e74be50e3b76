"""The JSON document of ``advise``: that of ``compare``, with a recommendation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from anonsql.features.compare.document import CompareLine, CompareReport
from anonsql.presentation.documents import Document

if TYPE_CHECKING:
    from anonsql.presentation.tree import Part

Purpose = Literal["counts", "means", "models"]


class Change(Document):
    """The changes to the policy for a choice; null for unchanged parts."""

    method: str | None = Field(description="the value of `method`, as YAML")
    k: int | None = Field(description="`privacy.k`; what else `privacy` says stays")
    columns: str | None = Field(
        None, description="what to add to lines of `columns`, as YAML: their weights"
    )

    def lines(self) -> list[str]:
        """Return the lines of the policy."""
        return [
            *([f"method: {self.method}"] if self.method is not None else []),
            *([f"privacy: {{k: {self.k}}}"] if self.k is not None else []),
            *([f"columns: {self.columns}"] if self.columns is not None else []),
        ]


class SampleSize(Document):
    """The sample that choices were compared on: all rows of some people, or single rows where the
    policy names no `entity`."""

    people: int = Field(description="of each sample, about")
    rows: int | None = Field(description="of the first sample; null when no policy was met")
    samples: int = Field(description="1, or 2 where the best were tried on other people, too")
    of_people: int = Field(description="people of the source")
    of_rows: int = Field(description="rows of the source")

    @property
    def words(self) -> str:
        """The sample, or both samples, in words."""
        who = "rows" if self.of_people == self.of_rows else "people"
        each = " each" if self.samples > 1 else ""
        several = "a sample" if self.samples == 1 else f"{self.samples} samples"
        return f"{several} of {self.people:,} {who}{each}"


class Recommendation(Document):
    """The choice that is recommended, and why."""

    policy: str
    reason: str
    alternatives: list[str] = Field(description="what other needs would ask for instead")
    take: Change


class AdviceReport(CompareReport):
    """The result of `anonsql advise`: methods and numbers k tried on one source, without
    publishing. The name of each policy is its method and k."""

    k: int = Field(description="the policy's own")
    purpose: Purpose = Field(description="what the release is for")
    ranked_by: str = Field(description="what choices are ranked by, for this purpose")
    budget: float = Field(description="seconds that all choices had together")
    interrupted: bool = Field(description="whether Ctrl-C ended it before all choices were tried")
    recommended: Recommendation | None
    sample: SampleSize | None = Field(
        description="what `policies` were tried on; null: the whole table"
    )
    figures: dict[str, list[float]] = Field(
        description="by policy, what choices are ranked by in each sample that it was tried on"
    )
    whole: list[CompareLine] = Field(
        description="the policies that were tried on the whole table besides a sample"
    )
    needed: float | None = Field(
        description="seconds of `--budget` that are expected to be enough to try the recommended"
        " choice on the whole table; where no choice was done, the next to try; null: none more"
    )
    seconds: float

    @property
    def basis(self) -> str:
        """See the base class."""
        if self.sample is None:
            return super().basis
        return f"{self.sample.words} of the {self.sample.of_rows:,} rows of "

    @property
    def closing(self) -> str:
        """The recommendation, in sentences; without one, the time that it needs, if that is known."""
        advice, budget = self.recommended, f"{self.needed:g}" if self.needed else ""
        if advice is None:
            valid = [line.policy for line in self.policies if line.status != "refused"]
            needs = f"No choice was done in {self.budget:g} seconds: try --budget {budget}."
            return f"{needs} Untried, the most promising is {valid[0]}." if budget else ""
        words = [f"Recommended: {advice.policy}.", advice.reason, *advice.alternatives]
        if budget:
            words.append(f"To try it on the whole table, give about --budget {budget}.")
        return " ".join(words)

    def described(self) -> Sequence[Part]:
        """See the base class."""
        from anonsql.features.advise.described import describe

        return describe(self)
