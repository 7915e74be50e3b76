"""The page of ``anonsql risk``, and its part of a release's page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from anonsql.features.risk import charts
from anonsql.features.risk.document import LooksLike, PopulationUniques, RiskReport
from anonsql.features.risk.terminal import MODELS
from anonsql.presentation import page
from anonsql.presentation.charts import Chart, Figures, table
from anonsql.presentation.numbers import percent


@dataclass(frozen=True)
class RiskCharts:
    """What ``figures.html.j2`` shows of some tables, by their names: charts of all of them, in
    words how many rows have more than an accepted risk, the population by each model, charts of
    what rows are unique by, and columns that look like identifiers of safe harbor."""

    histograms: list[Chart]
    accepted: Mapping[str, list[str]]
    models: Mapping[str, Figures]
    unique: Mapping[str, list[Chart]]
    identifiers: Mapping[str, Figures]


def charts_of(reports: Mapping[str, RiskReport]) -> RiskCharts:
    """Return what is shown of some tables."""
    some = {name: report for name, report in reports.items() if report.rows}
    return RiskCharts(
        [charts.histogram(some)] if some else [],
        {name: charts.accepted_in_words(report) for name, report in some.items()},
        {name: _models(one.population) for name, one in some.items() if one.population is not None},
        {
            name: charts.unique_by(one.specials)
            for name, one in some.items()
            if one.specials is not None
        },
        {
            name: _identifiers(one.identifiers)
            for name, one in reports.items()
            if one.identifiers is not None
        },
    )


def render(report: RiskReport) -> str:
    """Return the page (HTML)."""
    reports = {f"the {report.of}": report}
    named = report.place.table or Path(report.place.database).name
    return page.render(
        "features/risk/page",
        title=f"How likely rows of {named} are to be found",
        report=report,
        named=named,
        exposed=reports,
        risk_charts=charts_of(reports),
    )


def _identifiers(found: list[LooksLike]) -> Figures:
    rows = [
        (one.column, one.kind, one.by, one.released, "yes" if one.passes else "no", one.says)
        for one in sorted(found, key=lambda one: not one.passes)
    ]
    return table(["column", "looks like", "by", "released", "passes", ""], rows)


def _models(population: PopulationUniques) -> Figures:
    rows = [
        (
            MODELS[found.model],
            "did not converge" if found.uniques is None else round(found.uniques),
            percent(found.share),
            "chosen (Dankar's rule)" if found.model == population.chosen else "",
        )
        for found in population.models
    ]
    return table(["model", "unique people", "share of the population", ""], rows)
