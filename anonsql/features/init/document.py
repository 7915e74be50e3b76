"""The document of ``init``."""

from __future__ import annotations

from pydantic import Field

from anonsql.presentation.documents import Document, Finding


class InitReport(Document):
    """What `anonsql init` wrote."""

    policy: str
    columns: int
    undecided: list[str] = Field(description="columns whose role or hierarchy is undecided")
    warnings: list[Finding] = Field([], description="decisions left to the table's owner")
    statistics: bool = Field(
        False, description="whether the policy is one of statistics (--statistics)"
    )
