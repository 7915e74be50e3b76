"""The recipient's page: a code book, the promise, how to query, and how to see that it holds."""

from __future__ import annotations

from dataclasses import dataclass

from anonsql.features.report import charts, looks
from anonsql.features.report.page_document import CodeBookColumn, RecipientPage
from anonsql.features.report.promises import names
from anonsql.grammar.bounds import bound_of
from anonsql.presentation import page


@dataclass(frozen=True)
class _Column:
    """A column with what is said of it."""

    told: CodeBookColumn
    says: str
    means: str
    bounds: list[CodeBookColumn]


def page_of(told: RecipientPage) -> str:
    """Return the page (HTML)."""
    sizes = [charts.class_sizes(size, told.k, n) for n, size in enumerate(told.class_sizes, 1)]
    bounds = {
        column.column: [
            one for one in told.columns if bound_of(one.column, one.looks_like) == column.column
        ]
        for column in told.columns
    }
    inside = {one.column for own in bounds.values() for one in own}
    columns = [
        _Column(
            column,
            looks.says(column),
            looks.ROLES.get(column.role or "", ""),
            bounds[column.column],
        )
        for column in told.columns
        if column.column not in inside
    ]
    return page.render(
        "features/report/recipient",
        title=f"{told.table}: what it holds and what it promises",
        told=told,
        columns=columns,
        class_sizes=sizes,
        names=names,
    )
