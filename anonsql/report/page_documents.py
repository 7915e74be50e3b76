"""What pages tell, as frozen documents; :mod:`anonsql.report.pages` renders them."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from anonsql.report.documents import Document

Entry = str | int | float | None


class Figures(Document):
    """A table of figures."""

    headings: list[str]
    rows: list[list[Entry]]


class Chart(Document):
    """A chart, what is to be seen in it, and the same figures as a table."""

    name: str = Field(description="its id in the page: letters, digits and hyphens")
    title: str
    says: str = Field(description="what is to be seen, in words and numbers")
    spec: dict[str, Any] = Field(description="of Vega-Lite, its data inside")
    figures: Figures


class Check(Document):
    """A query that anybody can run on the release; no row in its result means that it holds."""

    title: str
    says: str
    sql: str
