"""The document of the page of a release of several tables."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from anonsql.features.report.page_document import CodeBookColumn, Missing, Promise
from anonsql.features.run.several_tables_document import RelationalReport
from anonsql.features.runs.document import RunLine
from anonsql.features.verify.document import Check
from anonsql.presentation.documents import Document


class RelationalPageTable(Document):
    """A released table on a page."""

    table: str
    public: bool
    people: bool = Field(description="whether its rows are people")
    key: str
    references: dict[str, str] = Field(description="the tables that columns refer to")
    rows: int
    missing: int = Field(description="rows of the source that it does not have, as it says")
    columns: list[CodeBookColumn]


class RelationalPage(Document):
    """What the page of a release of several tables tells. What is not from the release alone
    (``report``, ``run``, ``policy``) is for its owner."""

    of: str
    k: int
    known_rows: int | Literal["all"]
    method: str | None
    release: str = Field(description="the release's number")
    named_from: int = Field(description="rows that a value needs to be named")
    tables: list[RelationalPageTable] = Field(description="that of people first")
    promises: list[Promise]
    not_covered: list[str] = Field(
        [], description="of each table with such rows: how many are single by its kept columns"
    )
    does_not: list[str]
    checks: list[Check]
    unchecked: list[str] = Field(
        [], description="promises that none of the checks shows: `anonsql verify` counts them"
    )
    queries: list[str]
    report: RelationalReport | None = None
    run: RunLine | None = None
    policy: str | None = Field(None, description="secrets removed")
    missing: list[Missing] = Field([], description="what the page cannot show, and why")
