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
            "0, or what `run` would end with: 2, or 1 when the policy is right and this table"
            " cannot keep its promise"
        )
    )
    problems: list[Finding]
    warnings: list[Finding]
    records: int | None
    publishes: Literal["run", "tabulate"] = Field(
        "run", description="the command that publishes what the policy asks for"
    )
    of: str | None = Field(None, description="of several tables: the one whose rows are people")
    combinations: int | None = Field(
        description="distinct combinations of quasi-identifying values"
    )
    lattice: int | None
    patterns: dict[str, int] = Field(
        {}, description="the columns that each pattern of the policy stands for, by its place"
    )
    noise: NoisePlan | None = Field(None, description="of statistics: the noise that is planned")
