"""The document of a page that was written."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from anonsql.features.report.page_document import Missing, OwnerPage, RecipientPage
from anonsql.features.report.several_tables_document import RelationalPage
from anonsql.features.report.statistics_document import ExportedFile, StatisticsPage
from anonsql.presentation.documents import Document


class PageReport(Document):
    """What `anonsql report` wrote."""

    status: Literal["written"]
    page: str
    audience: Literal["owner", "recipient"]
    bytes: int
    missing: list[Missing] = Field(description="what the page cannot show, and why")
    owner: OwnerPage | None = None
    recipient: RecipientPage | None = None
    relational: RelationalPage | None = None
    statistics: StatisticsPage | None = None
    files: list[ExportedFile] = Field([], description="that the tables were written to")
