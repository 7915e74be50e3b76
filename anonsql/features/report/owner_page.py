"""The owner's page: verdict, columns, solution space, usefulness, and how it ran."""

from __future__ import annotations

from anonsql.features.attack.described import found
from anonsql.features.ledger.described import over_time
from anonsql.features.measure.described import analysed
from anonsql.features.report import charts, charts_of_usefulness, label_explanations
from anonsql.features.report.page_document import OwnerPage
from anonsql.features.report.promises import in_words, names
from anonsql.features.risk import described as risks
from anonsql.features.run.described import utility
from anonsql.features.search.described import solution_space
from anonsql.features.search.solution_document import SolutionSpace
from anonsql.measures import risk
from anonsql.policy.methods import traits
from anonsql.presentation import page
from anonsql.presentation.documents import Risk, Risks
from anonsql.presentation.sentences import left_out
from anonsql.presentation.tree import Chart, Figures, Section, findings


def page_of(owner_page: OwnerPage, space: SolutionSpace | None = None) -> str:
    """Return the page (HTML); ``space`` is the solution space of a method that chooses levels."""
    settings, report = traits(owner_page.method), owner_page.report
    analyses = owner_page.usefulness.analyses if owner_page.usefulness else None
    title = "All measures of the run, with their formulas"
    return page.render(
        "features/report/owner",
        title=f"{owner_page.table}: the release and how it was made",
        told=owner_page,
        shown=_shown(owner_page),
        exposed=risks.of_tables(owner_page.exposed),
        attacked=found(owner_page.attacked) if owner_page.attacked else [],
        at_risk_size=risk.AT_RISK_SIZE,
        names=names,
        in_words=in_words,
        analysed=analysed(analyses) if analyses else [],
        measures=[Section(title, [utility(report)], folded=True)] if report else [],
        left_out=left_out(owner_page.left_out, owner_page.verified.k),
        over_time=over_time(report.over_time, report.records, report.k) if report else [],
        warnings=findings("Worth a look:", "warn", owner_page.verified.warnings),
        rings=not settings.equal_rows_are_classes,
        classes_are=settings.classes_are,
        space=None if space is None else solution_space(space),
    )


def _shown(owner_page: OwnerPage) -> dict[str, object]:
    k = owner_page.verified.k
    return {
        "class_sizes": [
            charts.class_sizes(size, k, n) for n, size in enumerate(owner_page.class_sizes, start=1)
        ],
        "columns": _columns(owner_page),
        "usefulness": _usefulness(owner_page),
        "runs": _runs(owner_page),
        "history": charts.history(owner_page.history),
        "methods": _without_levels(owner_page),
        "finding": _finding(owner_page.verified.risk),
    }


def _columns(owner_page: OwnerPage) -> list[dict[str, object]]:
    report = owner_page.report
    made = [] if report is None else [report.relocated, report.changed]
    changed = {name: n for one in made if one is not None for name, n in one.columns.items()}
    return [
        {
            "place": position,
            "told": column,
            "says": label_explanations.says(column.released)
            if column.released
            else "It is not in the release.",
            "means": label_explanations.ROLES.get(column.role, ""),
            "chart": charts.distribution(column.distribution, position)
            if column.distribution
            else None,
            "changed": changed.get(column.column),
        }
        for position, column in enumerate(owner_page.columns, start=1)
    ]


def _finding(risks: Risks) -> list[tuple[str, Risk]]:
    """Return the risks of a search for one person and for any person; as one where they are
    equal."""
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
        result.append(("Stages", charts.stages(owner_page.report.seconds)))
    if owner_page.run is not None and owner_page.run.statements:
        result.append(("Statements", charts.statements(owner_page.run.statements)))
    return result
