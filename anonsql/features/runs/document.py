"""The documents of the catalog's history."""

from __future__ import annotations

from pydantic import Field

from anonsql.features.run.document import RelationalReport, Report
from anonsql.features.tabulate.document import StatisticsReport
from anonsql.presentation.documents import Document


class RunLine(Document):
    """One run of the catalog's history."""

    run: int
    command: str
    version: str
    started: str = Field(description="UTC")
    seconds: float | None
    status: str = Field(description="done, unchanged, failed, killed or running")
    source: str | None
    release: str | None
    error: str | None
    statements: int = Field(description="statements on the data's engine")
    account: str | None = Field(None, description="of the operating system, that ran it")


class RunsReport(Document):
    """What `anonsql runs` lists, the latest first."""

    catalog: str
    runs: list[RunLine]


class StatementLine(Document):
    """One statement of a run."""

    number: int
    plane: str = Field(
        description="data: the source's engine; workbench: the embedded DuckDB; control: catalog"
    )
    name: str
    rows: int
    milliseconds: float


class RunReport(Document):
    """A run as `anonsql runs show` describes it."""

    catalog: str
    run: RunLine
    statements: list[StatementLine]
    described_by = "describe_run"

    report: Report | RelationalReport | StatisticsReport | None = Field(
        description="of a run that published"
    )
