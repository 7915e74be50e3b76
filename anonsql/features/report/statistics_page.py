"""The page of published statistics, for their owner or their recipients. It has no script."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from anonsql.features.report.charts import stages
from anonsql.features.report.statistics_document import (
    Crosstab,
    CrosstabCell,
    StatisticsPage,
    StatisticsPageTable,
)
from anonsql.features.runs.document import RunLine
from anonsql.features.tabulate.described import lost
from anonsql.presentation import page
from anonsql.presentation.numbers import moment, seconds
from anonsql.presentation.tree import Figures


def page_of(statistics_page: StatisticsPage) -> str:
    """Return the page (HTML)."""
    owner = statistics_page.owner
    report = owner.report if owner else None
    first = statistics_page.tables[0].table
    return page.render(
        "features/report/statistics",
        title=f"{first}: what the tables hold and what they promise"
        if len(statistics_page.tables) == 1
        else f"{len(statistics_page.tables)} tables: what they hold and what they promise",
        styles=("features/report/crosstab.css",),
        charts=False,
        told=statistics_page,
        owner=owner,
        report=report,
        lost=lost(report) if report else [],
        history=_history(owner.history) if owner and owner.history else None,
        stages=stages(report.seconds) if report and report.seconds else None,
        tables=[
            {"place": place, "told": table, "pairs": _pairs(table)}
            for place, table in enumerate(statistics_page.tables, start=1)
        ],
        value=value,
    )


def value(cell: CrosstabCell) -> str:
    """Return the value of a cell as people read it.

    >>> value(CrosstabCell(value="1234.50", status="published"))
    '1,234.50'
    """
    if isinstance(cell.value, str):
        return f"{Decimal(cell.value):,f}"
    return "" if cell.value is None else f"{cell.value:,}"


def _pairs(table: StatisticsPageTable) -> list[dict[str, object]]:
    by_title: dict[str, list[Crosstab]] = {}
    for crosstab in table.crosstabs:
        title = f"{crosstab.rows} by {crosstab.columns}" if crosstab.columns else crosstab.rows
        by_title.setdefault(title, []).append(crosstab)
    return [{"title": title, "crosstabs": crosstabs} for title, crosstabs in by_title.items()]


def _history(runs: Sequence[RunLine]) -> Figures:
    return Figures(
        headings=["Run", "Command", "Started", "Took", "Status", "Statements", "Error"],
        rows=[
            [
                str(run.run),
                run.command,
                moment(run.started),
                seconds(run.seconds),
                run.status,
                run.statements,
                run.error or "",
            ]
            for run in runs
        ],
    )
