"""The document of ``check``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from anonsql.features.tabulate.noise import NoisePlan
from anonsql.presentation.documents import Document, Finding


class CheckReport(Document):
    """What `anonsql check` found."""

    status: Literal["ok", "problems"]
    exit_code: int = Field(
        description=(
            "0, or the exit code that `run` would have: 2, or 1 if the policy is right and this"
            " table cannot keep its promise"
        )
    )
    problems: list[Finding]
    warnings: list[Finding]
    records: int | None
    publishes: Literal["run", "tabulate"] = Field(
        "run", description="the command that publishes what the policy describes"
    )
    of: str | None = Field(
        None, description="of several tables: the table in which every row is a person"
    )
    combinations: int | None = Field(
        description="distinct combinations of quasi-identifying values"
    )
    lattice: int | None
    patterns: dict[str, int] = Field(
        {}, description="the columns that match each pattern of the policy, by its place"
    )
    noise: NoisePlan | None = Field(None, description="of statistics: the planned noise")
