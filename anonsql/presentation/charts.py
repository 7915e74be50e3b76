"""A chart of a page: a specification of Vega-Lite, what is to be seen in it, and its figures as a
table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import Field

from anonsql.presentation.documents import Document

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


Spec = dict[str, Any]


def chart(name: str, title: str, says: str, spec: Spec, figures: Figures) -> Chart:
    """Return a chart that is as wide as its place."""
    whole = {"width": "container", "autosize": {"type": "fit-x", "contains": "padding"}, **spec}
    return Chart(name=name, title=title, says=says, spec=whole, figures=figures)


def table(headings: list[str], rows: Sequence[Sequence[Entry]]) -> Figures:
    """Return a table of figures."""
    return Figures(headings=headings, rows=[list(row) for row in rows])


def axis(title: str | None, form: str | None = None, **more: Any) -> Spec:
    """Return an axis with a title, its numbers in a form of d3."""
    return {"title": title, **({"format": form} if form else {}), **more}
