"""The JSON document of ``advise``: that of ``compare``, with a recommendation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from anonsql.features.compare.document import CompareReport
from anonsql.presentation.documents import Document

if TYPE_CHECKING:
    from anonsql.presentation.tree import Part

Purpose = Literal["counts", "means", "models"]


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


class Recommendation(Document):
    """The choice that is recommended, and why."""

    policy: str
    reason: str
    alternatives: list[str] = Field(description="what other needs would ask for instead")
    take: Change


class AdviceReport(CompareReport):
    """What `anonsql advise` found: methods and numbers k tried on one source, of which nothing was
    published. The name of each policy is its method and k."""

    k: int = Field(description="the policy's own")
    purpose: Purpose = Field(description="what the release is for")
    ranked_by: str = Field(description="what choices are ranked by, for this purpose")
    budget: float = Field(description="seconds that all choices had together")
    interrupted: bool = Field(description="whether Ctrl-C ended it before all choices were tried")
    recommended: Recommendation | None
    seconds: float

    @property
    def closing(self) -> str:
        """The recommendation, in sentences; empty where no choice can be compared."""
        advice = self.recommended
        if advice is None:
            return ""
        return " ".join([f"Recommended: {advice.policy}.", advice.reason, *advice.alternatives])

    def described(self) -> Sequence[Part]:
        """See the base class."""
        from anonsql.features.advise.described import describe

        return describe(self)
