"""The page of published statistics, for their owner or their recipients. It has no script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from anonsql.features.report.charts_of_runs import stages
from anonsql.features.report.statistics_document import (
    Crosstab,
    CrosstabCell,
    StatisticsPage,
    StatisticsPageTable,
)
from anonsql.features.tabulate.document import StatisticsReport
from anonsql.presentation import page
from anonsql.presentation.charts import Figures
from anonsql.presentation.numbers import moment, percent, seconds

_STYLES = ("features/report/crosstab.css",)


@dataclass(frozen=True)
class _Pair:
    """The crosstabs of two dimensions, one a measure."""

    title: str
    crosstabs: Sequence[Crosstab]


@dataclass(frozen=True)
class _Shown:
    """A table with its crosstabs by dimensions."""

    place: int
    told: StatisticsPageTable
    pairs: Sequence[_Pair]


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
        styles=_STYLES,
        charts=False,
        told=statistics_page,
        owner=owner,
        report=report,
        lost=_lost(report) if report else None,
        history=_history(statistics_page) if owner and owner.history else None,
        stages=stages(report.seconds) if report and report.seconds else None,
        tables=[
            _Shown(place, table, _pairs(table))
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


def _pairs(table: StatisticsPageTable) -> list[_Pair]:
    """Return the crosstabs of a table by the dimensions that they have."""
    found: dict[str, list[Crosstab]] = {}
    for crosstab in table.crosstabs:
        title = f"{crosstab.rows} by {crosstab.columns}" if crosstab.columns else crosstab.rows
        found.setdefault(title, []).append(crosstab)
    return [_Pair(title, crosstabs) for title, crosstabs in found.items()]


def _lost(report: StatisticsReport) -> Figures:
    """Return what became of the cells of every table and measure."""
    changes, noise = report.protected_by != "suppression", report.protected_by == "noise"
    ways = ["Hidden", "Mean change"] if changes else ["Primary", "Secondary", "Hidden"]
    ways = ["Hidden", "Expected error"] if noise else ways
    rows = []
    for table in report.tables:
        for measure in table.measures:
            secondary = measure.hidden - measure.primary
            own = (
                [measure.hidden, measure.expected_error if noise else measure.mean_change]
                if changes
                else [measure.primary, secondary, measure.hidden]
            )
            shown = [measure.cells, measure.cells - measure.hidden, *own]
            totals = f"{measure.hidden_totals:,} of {measure.totals:,}"
            lost = "" if measure.hidden_share is None else percent(measure.hidden_share)
            rows.append([table.table, measure.measure, measure.looks_like, *shown, totals, lost])
    headings = ["Table", "Measure", "What it is", "Cells", "Shown", *ways, "Totals hidden"]
    headings += ["Of the amount hidden"]
    return Figures(headings=headings, rows=rows)


def _history(statistics_page: StatisticsPage) -> Figures:
    owner = statistics_page.owner
    rows = [] if owner is None else owner.history
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
            for run in rows
        ],
    )
