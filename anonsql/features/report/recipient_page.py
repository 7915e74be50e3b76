"""The recipient's page: a code book, the promise, how to query, and how to see that it holds."""

from __future__ import annotations

from anonsql.features.report import charts, label_explanations
from anonsql.features.report.page_document import RecipientPage
from anonsql.features.report.promises import names
from anonsql.presentation import page


def page_of(recipient_page: RecipientPage) -> str:
    """Return the page (HTML)."""
    sizes = [
        charts.class_sizes(size, recipient_page.k, n)
        for n, size in enumerate(recipient_page.class_sizes, 1)
    ]
    return page.render(
        "features/report/recipient",
        title=f"{recipient_page.table}: what it holds and what it promises",
        told=recipient_page,
        columns=label_explanations.explained(recipient_page.columns),
        class_sizes=sizes,
        names=names,
    )
