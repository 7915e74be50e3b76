"""The owner's page: verdict, columns, solution space, usefulness, and how it ran."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from anonsql.features.report import charts, charts_of_runs, charts_of_usefulness, looks
from anonsql.features.report.page_document import ColumnOfSource, OwnerPage
from anonsql.features.report.promises import in_words, names
from anonsql.features.run.charts import stages
from anonsql.features.search.solution_document import SolutionSpace
from anonsql.measures import registry, risk
from anonsql.over_time.traces import missing_here
from anonsql.policy.methods import traits
from anonsql.presentation import page
from anonsql.presentation.charts import Chart
from anonsql.presentation.documents import LeftOutValue, Risk, Risks
from anonsql.presentation.numbers import number
from anonsql.presentation.terminal import WORTH_SHOWING

_MOST_LEFT_OUT = 9
"""Lines of the table of who is left out."""


@dataclass(frozen=True)
class _Column:
    """A column with what is shown of it."""

    place: int
    told: ColumnOfSource
    says: str
    means: str
    chart: Chart | None
    relocated: int | None


@dataclass(frozen=True)
class _Shown:
    """The parts of the page that are made of its documents."""

    class_sizes: list[Chart]
    columns: list[_Column]
    usefulness: list[Chart]
    runs: list[Chart]
    history: list[Chart]
    measures: list[tuple[str, str, str]]
    methods: list[Chart]
    finding: list[tuple[str, Risk]]
    left_out: list[LeftOutValue]


def page_of(told: OwnerPage, space: SolutionSpace | None = None) -> str:
    """Return the page (HTML); ``space`` is the solution space of a method that chooses levels."""
    explored: dict[str, Any] = {"explorer": None}
    scripts: tuple[str, ...] = ()
    styles: tuple[str, ...] = ()
    data: dict[str, object] = {}
    if space is not None:
        from anonsql.features.search import explorer

        shown = explorer.explorer(space)
        explored, data = {"explorer": shown}, {"explorer": shown.data}
        scripts, styles = explorer.SCRIPTS, explorer.STYLES
    settings = traits(told.method)
    return page.render(
        "features/report/owner",
        title=f"{told.table}: the release and how it was made",
        scripts=scripts,
        styles=styles,
        data=data,
        told=told,
        shown=_shown(told),
        at_risk_size=risk.AT_RISK_SIZE,
        names=names,
        missing_here=missing_here,
        in_words=in_words,
        rings=not settings.equal_rows_are_classes,
        classes_are=settings.classes_are,
        **explored,
    )


def _shown(told: OwnerPage) -> _Shown:
    k = told.verified.k
    relocated = told.report.relocated if told.report else None
    columns = []
    for place, column in enumerate(told.columns, start=1):
        spread = column.distribution
        says = looks.says(column.released) if column.released else "It is not in the release."
        columns.append(
            _Column(
                place,
                column,
                says,
                looks.ROLES.get(column.role, ""),
                charts.distribution(spread, place) if spread else None,
                relocated.columns.get(column.column) if relocated else None,
            )
        )
    return _Shown(
        [charts.class_sizes(size, k, n) for n, size in enumerate(told.class_sizes, start=1)],
        columns,
        _usefulness(told),
        _runs(told),
        charts_of_runs.history(told.history),
        _measures(told),
        _without_levels(told),
        _finding(told.verified.risk),
        [lost for lost in told.left_out if lost.share < WORTH_SHOWING][:_MOST_LEFT_OUT],
    )


def _finding(risks: Risks) -> list[tuple[str, Risk]]:
    """Return the risks of whoever looks for one person and of whoever looks for anybody, as one
    where they are the same."""
    one, anybody = "Looking for one person", "looking for anybody"
    if risks.prosecutor == risks.journalist:
        return [(f"{one} who is in the table, or {anybody}", risks.prosecutor)]
    return [
        (f"{one} who is in the table", risks.prosecutor),
        (f"{anybody.capitalize()}, no matter whom", risks.journalist),
    ]


def _usefulness(told: OwnerPage) -> list[Chart]:
    found: list[Chart | None] = []
    if told.usefulness is not None:
        found.append(charts_of_usefulness.errors(told.usefulness.workloads))
        found.append(charts_of_usefulness.lost(told.usefulness.lost))
    return [chart for chart in found if chart is not None]


def _without_levels(told: OwnerPage) -> list[Chart]:
    """Return the charts of what a method made that does not choose one level for each column."""
    found: list[Chart] = []
    if told.usefulness is not None and told.usefulness.regions:
        found.append(charts_of_usefulness.regions(told.usefulness.regions))
    if told.report is not None and told.report.relocated is not None:
        found.append(charts_of_usefulness.relocated(told.report.relocated))
    if told.report is not None and told.report.withheld:
        found.append(charts_of_usefulness.buckets(told.report.withheld))
    return found


def _runs(told: OwnerPage) -> list[Chart]:
    found = []
    if told.report is not None and told.report.seconds:
        found.append(stages(told.report.seconds))
    if told.run is not None and told.run.statements:
        found.append(charts_of_runs.statements(told.run.statements))
    return found


def _measures(told: OwnerPage) -> list[tuple[str, str, str]]:
    """Return every measure of the run with its value and its formula."""
    metrics = told.report.metrics if told.report else {}
    return [
        (name, number(value), registry.FORMULAS.get(name, "")) for name, value in metrics.items()
    ]
