"""The JSON document of ``advise``: that of ``compare``, with a recommendation."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from anonsql.features.compare.document import CompareLine, CompareReport
from anonsql.presentation.documents import Document

Purpose = Literal["counts", "means", "models"]


class Change(Document):
    """The changes to the policy for a choice; null for unchanged parts."""

    method: str | None = Field(description="the value of `method`, as YAML")
    k: int | None = Field(description="`privacy.k`; the rest of `privacy` stays")
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

    people: int = Field(description="approximate number of people or rows of each sample")
    rows: int | None = Field(description="rows of the first sample; null if no policy was met")
    samples: int = Field(description="1, or 2 if the best choices were also tried on other people")
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
    alternatives: list[str] = Field(description="choices for other needs")
    take: Change


class AdviceReport(CompareReport):
    """The result of `anonsql advise`: methods and numbers k tried on one source, without
    publishing. The name of each policy is its method and k."""

    k: int = Field(description="the policy's own choice")
    purpose: Purpose = Field(description="the purpose of the release")
    ranked_by: str = Field(description="the measure by which choices are ranked, for this purpose")
    budget: float = Field(description="time limit in seconds for all choices")
    interrupted: bool = Field(
        description="whether Ctrl-C interrupted it before all choices were tried"
    )
    recommended: Recommendation | None
    sample: SampleSize | None = Field(
        description="the sample on which `policies` were tried; null: the whole table"
    )
    figures: dict[str, list[float]] = Field(
        description="by policy, the ranking measure in each sample on which it was tried"
    )
    whole: list[CompareLine] = Field(
        description="the policies that were tried on the whole table in addition to a sample"
    )
    needed: float | None = Field(
        description="estimated `--budget` in seconds that is enough to try the recommended choice"
        " on the whole table; if no choice was finished, the next choice; null: none"
        " more"
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
            needs = f"No choice was finished in {self.budget:g} seconds: try --budget {budget}."
            return f"{needs} The most promising untried choice is {valid[0]}." if budget else ""
        words = [f"Recommended: {advice.policy}.", advice.reason, *advice.alternatives]
        if budget:
            words.append(f"To try it on the whole table, give about --budget {budget}.")
        return " ".join(words)
