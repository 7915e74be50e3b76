"""The page of ``anonsql compare``: charts and the table of figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from anonsql.features.compare import charts
from anonsql.features.compare.document import CompareLine, CompareReport
from anonsql.features.measure.usefulness.summary import shown_of
from anonsql.presentation import page
from anonsql.presentation.charts import Spec
from anonsql.presentation.numbers import percent
from anonsql.presentation.tree import Chart, Figures


def render(report: CompareReport, closing: str) -> str:
    """Return the page of a comparison, with a ``closing`` sentence about the choice."""
    met = [policy for policy in report.policies if policy.status == "met"]
    return page.render(
        "features/compare/page",
        title=f"Policies for {report.source.table}, side by side",
        styles=("features/compare/page.css",),
        report=report,
        met=sorted(met, key=_by_error),
        unmet=[line for line in report.policies if line.status != "met"],
        closing=closing,
        planes=planes(met),
        by_column=by_column(met),
        by_workload=by_workload(met),
        analysed=sorted((line for line in met if line.usefulness is not None), key=_by_error),
        analyses=shown_of([line.usefulness for line in met if line.usefulness is not None]),
    )


def planes(met: Sequence[CompareLine]) -> list[Chart]:
    """Return the utility-risk planes: query error by risk, and loss by risk."""
    error = "median error of COUNT queries"
    loss = "share of the values' precision that is lost (GCP)"
    utility = (
        _plane("error", "Query error", error, met, lambda line: line.median_error),
        _plane("loss", "Loss", loss, met, lambda line: line.gcp),
    )
    return [chart for chart in utility if chart is not None]


def _plane(
    name: str,
    title: str,
    axis: str,
    met: Sequence[CompareLine],
    value_of: Callable[[CompareLine], float | None],
) -> Chart | None:
    points = charts.points_of(met, value_of)
    if not points:
        return None
    ordered = sorted(points, key=lambda point: (point["value"], point["risk"]))
    best, worst = ordered[0], ordered[-1]
    says = (
        "Further down is more useful, further left is safer."
        f" {best['policy']} is lowest, at {percent(best['value'])} with a highest risk of"
        f" {percent(best['risk'])}."
    )
    if worst is not best:
        says += f" {worst['policy']} is highest, at {percent(worst['value'])}."
    return Chart(
        name=f"plane-{name}",
        title=f"{title} against risk",
        says=says,
        spec=charts.plane(title, axis, points),
        figures=Figures(
            headings=["policy", "highest risk, %", f"{title.lower()}, %"],
            rows=[[row["policy"], row["risk"] * 100, row["value"] * 100] for row in ordered],
        ),
    )


def by_column(met: Sequence[CompareLine]) -> Chart | None:
    """Return the heat map of loss: a row for each column, a column for each policy."""
    cells: list[Spec] = [
        {"policy": line.policy, "column": column, "loss": lost}
        for line in met
        for column, lost in line.penalties.items()
    ]
    if not cells:
        return None
    means: dict[str, float] = {}
    for column in dict.fromkeys(cell["column"] for cell in cells):
        own = [row["loss"] for row in cells if row["column"] == column]
        means[column] = sum(own) / len(own)
    ordered = sorted(means, key=lambda mean: means[mean])
    least, worst = ordered[0], ordered[-1]
    says = (
        f"Darker loses more: 0 % keeps every value, 100 % hides all. Over the policies, {worst}"
        f" loses most ({percent(means[worst])}) and {least} least ({percent(means[least])})."
    )
    lost = {column: [line.penalties.get(column) for line in met] for column in means}
    return Chart(
        name="loss-by-column",
        title="What each column loses",
        says=says,
        spec=charts.heat_map([line.policy for line in met], list(means), cells),
        figures=Figures(
            headings=["column", *(f"{line.policy}, %" for line in met)],
            rows=[
                [column, *(None if one is None else one * 100 for one in own)]
                for column, own in lost.items()
            ],
        ),
    )


def by_workload(met: Sequence[CompareLine]) -> list[Chart]:
    """Return a chart of query errors by the number of columns asked about, for each selectivity."""
    shares = sorted({one.selectivity for line in met for one in line.by_workload})
    return [_errors(met, share) for share in shares]


def _errors(met: Sequence[CompareLine], share: float) -> Chart:
    points: list[Spec] = [
        {"policy": line.policy, "predicates": one.predicates, "error": one.median}
        | {"ninetieth": one.ninetieth}
        for line in met
        for one in line.by_workload
        if one.selectivity == share
    ]
    ordered = sorted(points, key=lambda point: float(point["error"]))
    best, worst = ordered[0], ordered[-1]
    says = (
        "Half of the queries have no greater error than the point. The least is"
        f" {percent(best['error'])} ({best['policy']}, {_columns(best['predicates'])}), the"
        f" greatest {percent(worst['error'])} ({worst['policy']}, {_columns(worst['predicates'])})."
    )
    return Chart(
        name=f"errors-{round(share * 1000)}",
        title=f"Queries that should select {percent(share)} of the rows",
        says=says,
        spec=charts.errors([line.policy for line in met], points),
        figures=Figures(
            headings=["policy", "columns", "median error, %", "nine in ten have at most, %"],
            rows=[
                [row["policy"], row["predicates"], row["error"] * 100, row["ninetieth"] * 100]
                for row in points
            ],
        ),
    )


def _columns(count: int) -> str:
    return "1 column" if count == 1 else f"{count} columns"


def _by_error(line: CompareLine) -> float:
    return math.inf if line.median_error is None else line.median_error
