"""The recipient's page: a code book, the promise, how to query, and how to see that it holds."""

from __future__ import annotations

from dataclasses import dataclass

from anonsql.report.page_documents import CodeBookColumn, RecipientPage
from anonsql.report.pages import charts, looks, page
from anonsql.report.pages.promises import names


@dataclass(frozen=True)
class _Column:
    """A column with what is said of it."""

    told: CodeBookColumn
    says: str
    means: str


def page_of(told: RecipientPage) -> str:
    """Return the page (HTML)."""
    sizes = [charts.class_sizes(each, told.k, n) for n, each in enumerate(told.class_sizes, 1)]
    columns = [
        _Column(each, looks.says(each), looks.ROLES.get(each.role or "", ""))
        for each in told.columns
    ]
    return page.render(
        "recipient",
        title=f"{told.table}: what it holds and what it promises",
        told=told,
        columns=columns,
        class_sizes=sizes,
        names=names,
    )
