"""The page of a release of several tables, for its owner or its recipients."""

from __future__ import annotations

from anonsql.features.report import label_explanations
from anonsql.features.report.several_tables_document import RelationalPage
from anonsql.features.run.several_tables_described import columns, rows
from anonsql.presentation import page
from anonsql.presentation.tree import Figures


def page_of(relational_page: RelationalPage) -> str:
    """Return the page (HTML)."""
    return page.render(
        "features/report/several_tables",
        title=f"{relational_page.of}: what the tables hold and what they promise",
        told=relational_page,
        tables=_tables(relational_page),
        became=rows(relational_page.report) if relational_page.report else None,
        columns_became=columns(relational_page.report) if relational_page.report else None,
        books=[
            {
                "place": position,
                "told": table,
                "columns": label_explanations.explained(table.columns),
            }
            for position, table in enumerate(relational_page.tables, start=1)
        ],
    )


def _tables(relational_page: RelationalPage) -> Figures:
    return Figures(
        headings=["Table", "About", "Rows", "Left out", "Key", "References"],
        rows=[
            [
                table.table,
                "nobody: public" if table.public else "people" if table.people else "their rows",
                table.rows,
                table.missing,
                table.key,
                ", ".join(f"{column} → {other}" for column, other in table.references.items()),
            ]
            for table in relational_page.tables
        ],
    )
