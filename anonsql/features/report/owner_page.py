"""The owner's page: verdict, columns, solution space, usefulness, and how it ran."""

from __future__ import annotations

from dataclasses import dataclass

from anonsql.features.attack import page as attacks
from anonsql.features.attack.charts import TITLES
from anonsql.features.measure.usefulness.summary import GUESSED, sentences
from anonsql.features.report import charts, charts_of_runs, charts_of_usefulness, label_explanations
from anonsql.features.report.page_document import ColumnOfSource, OwnerPage
from anonsql.features.report.promises import in_words, names
from anonsql.features.risk import page as risks
from anonsql.features.search.solution_document import SolutionSpace
from anonsql.measures import registry, risk
from anonsql.over_time.traces import missing_here
from anonsql.policy.methods import traits
from anonsql.presentation import page
from anonsql.presentation.charts import Chart, Figures
from anonsql.presentation.documents import LeftOutValue, Risk, Risks
from anonsql.presentation.numbers import number
from anonsql.presentation.terminal import WORTH_SHOWING

_MOST_LEFT_OUT = 9
"""Lines of the table of who is left out."""


@dataclass(frozen=True)
class _Column:
    place: int
    told: ColumnOfSource
    says: str
    means: str
    chart: Chart | None
    changed: int | None


@dataclass(frozen=True)
class _Shown:
    """The parts of the page that are made of its documents."""

    class_sizes: list[Chart]
    columns: list[_Column]
    usefulness: list[Chart]
    runs: list[tuple[str, Figures]]
    history: list[Chart]
    measures: list[tuple[str, str, str]]
    methods: list[Chart]
    finding: list[tuple[str, Risk]]
    left_out: list[LeftOutValue]


def page_of(owner_page: OwnerPage, space: SolutionSpace | None = None) -> str:
    """Return the page (HTML); ``space`` is the solution space of a method that chooses levels."""
    view = None
    if space is not None:
        from anonsql.features.search.page import view_of

        view = view_of(space)
    settings = traits(owner_page.method)
    return page.render(
        "features/report/owner",
        title=f"{owner_page.table}: the release and how it was made",
        told=owner_page,
        shown=_shown(owner_page),
        exposed=owner_page.exposed,
        risk_charts=risks.charts_of(owner_page.exposed),
        attacked=owner_page.attacked,
        attack_titles=TITLES,
        attack_charts=None
        if owner_page.attacked is None
        else attacks.charts_of(owner_page.attacked),
        at_risk_size=risk.AT_RISK_SIZE,
        names=names,
        missing_here=missing_here,
        in_words=in_words,
        analysed=sentences,
        guessed=GUESSED,
        rings=not settings.equal_rows_are_classes,
        classes_are=settings.classes_are,
        view=view,
    )


def _shown(owner_page: OwnerPage) -> _Shown:
    k = owner_page.verified.k
    changed = _changed(owner_page)
    columns = []
    for position, column in enumerate(owner_page.columns, start=1):
        spread = column.distribution
        says = (
            label_explanations.says(column.released)
            if column.released
            else "It is not in the release."
        )
        columns.append(
            _Column(
                position,
                column,
                says,
                label_explanations.ROLES.get(column.role, ""),
                charts.distribution(spread, position) if spread else None,
                changed.get(column.column),
            )
        )
    return _Shown(
        [charts.class_sizes(size, k, n) for n, size in enumerate(owner_page.class_sizes, start=1)],
        columns,
        _usefulness(owner_page),
        _runs(owner_page),
        charts_of_runs.history(owner_page.history),
        _measures(owner_page),
        _without_levels(owner_page),
        _finding(owner_page.verified.risk),
        [lost for lost in owner_page.left_out if lost.share < WORTH_SHOWING][:_MOST_LEFT_OUT],
    )


def _changed(owner_page: OwnerPage) -> dict[str, int]:
    """Return how many values of columns are not true of their rows, by the method or by what the
    policy has changed."""
    report = owner_page.report
    made = [] if report is None else [report.relocated, report.changed]
    return {name: n for one in made if one is not None for name, n in one.columns.items()}


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


def _usefulness(owner_page: OwnerPage) -> list[Chart]:
    result: list[Chart | None] = []
    if owner_page.usefulness is not None:
        result.append(charts_of_usefulness.errors(owner_page.usefulness.workloads))
        result.append(charts_of_usefulness.lost(owner_page.usefulness.lost))
    return [chart for chart in result if chart is not None]


def _without_levels(owner_page: OwnerPage) -> list[Chart]:
    """Return the charts of what a method made that does not choose one level for each column."""
    result: list[Chart] = []
    if owner_page.usefulness is not None and owner_page.usefulness.regions:
        result.append(charts_of_usefulness.regions(owner_page.usefulness.regions))
    if owner_page.report is not None and owner_page.report.relocated is not None:
        result.append(charts_of_usefulness.relocated(owner_page.report.relocated))
    if owner_page.report is not None and owner_page.report.withheld:
        result.append(charts_of_usefulness.buckets(owner_page.report.withheld))
    return result


def _runs(owner_page: OwnerPage) -> list[tuple[str, Figures]]:
    result = []
    if owner_page.report is not None and owner_page.report.seconds:
        result.append(("Stages", charts_of_runs.stages(owner_page.report.seconds)))
    if owner_page.run is not None and owner_page.run.statements:
        result.append(("Statements", charts_of_runs.statements(owner_page.run.statements)))
    return result


def _measures(owner_page: OwnerPage) -> list[tuple[str, str, str]]:
    """Return every measure of the run with its value and its formula."""
    metrics = owner_page.report.metrics if owner_page.report else {}
    return [
        (name, number(value), registry.FORMULAS.get(name, "")) for name, value in metrics.items()
    ]
