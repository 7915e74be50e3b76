"""The document of one run of the catalog."""

from __future__ import annotations

from pydantic import Field

from anonsql.features.documents import Document, Report, RunLine, StatementLine
from anonsql.features.run.several_tables_document import RelationalReport


class RunReport(Document):
    """What `anonsql runs show` tells of a run."""

    catalog: str
    run: RunLine
    statements: list[StatementLine]
    report: Report | RelationalReport | None = Field(description="of a run that published")
