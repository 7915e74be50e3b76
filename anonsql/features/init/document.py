"""The document of ``init``."""

from __future__ import annotations

from pydantic import Field

from anonsql.presentation.documents import Document, Finding


class InitReport(Document):
    """What `anonsql init` wrote."""

    policy: str
    columns: int
    undecided: list[str] = Field(description="columns whose role or hierarchy is left open")
    warnings: list[Finding] = Field([], description="what the table's owner should decide on")
    hierarchies: list[str] = Field(
        [], description="files of hierarchies that were drawn; they name values of the table"
    )
    asked: bool = Field(False, description="whether the table's owner was asked (--interactive)")
    problems: list[Finding] = Field(
        [], description="what `check` finds wrong with a policy whose owner was asked"
    )
    statistics: bool = Field(
        False, description="whether the policy is one of statistics (--statistics)"
    )
