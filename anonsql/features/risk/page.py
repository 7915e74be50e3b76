"""The page of ``anonsql risk``, and its part of a release's page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from anonsql.features.risk.bands import bands_to
from anonsql.features.risk.document import LooksLike, PopulationUniques, RiskReport, Specials
from anonsql.features.risk.terminal import MODELS
from anonsql.presentation import page
from anonsql.presentation.charts import Chart, Figures, Spec, axis, chart, table
from anonsql.presentation.numbers import count, percent

_MOST_SETS = 8
_ELEVEN = 11
_NINE = " (Classes of 11 have a risk of 0.0909, which a limit of 0.09 would refuse.)"
_UPRIGHT = 14
"""Bars whose labels fit side by side."""
_MARKED = {5: "0.2", 11: "1/11", 20: "0.05"}
"""Sizes of classes from which on rows have no risk above an accepted one, and what it is called."""


@dataclass(frozen=True)
class RiskCharts:
    """The charts and tables of ``figures.html.j2``, by the names of the tables."""

    histograms: list[Chart]
    accepted: Mapping[str, list[str]]
    models: Mapping[str, Figures]
    unique: Mapping[str, list[Chart]]
    identifiers: Mapping[str, Figures]


def charts_of(reports: Mapping[str, RiskReport]) -> RiskCharts:
    """Return what is shown of some tables."""
    some = {name: report for name, report in reports.items() if report.rows}
    return RiskCharts(
        [_histogram(some)] if some else [],
        {name: _accepted_in_words(report) for name, report in some.items()},
        {name: _models(one.population) for name, one in some.items() if one.population is not None},
        {name: _unique_by(one.specials) for name, one in some.items() if one.specials is not None},
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


def _histogram(reports: Mapping[str, RiskReport]) -> Chart:
    """Return the share of the rows with each risk; of several tables side by side."""
    says = " ".join(_worst(name, report) for name, report in reports.items())
    says += (
        " The risk of a row is 1 / the number of rows in its class, for who knows that a person is"
        " in the table. Lines mark risks that agencies accept: rows to the left of a line have a"
        " greater one."
    )
    found = [(band.least, band.most) for one in reports.values() for band in one.sizes]
    bands = bands_to(max(size for _, size in found))
    shares = {name: _shares(report) for name, report in reports.items()}
    bars = [
        {"size": _size(band), "of": name, "share": own.get(band, 0.0)} | {"risk": _risk(band)}
        for band in bands
        for name, own in shares.items()
    ]
    headings = ["rows in the class", "risk of each row", *(f"share of {name}" for name in reports)]
    rows = [
        (_size(band), _risk(band), *(percent(own.get(band, 0.0)) for own in shares.values()))
        for band in bands
    ]
    spec = _histogram_spec(bars, bands, list(reports))
    return chart("risks", "How many rows have which risk", says, spec, table(headings, rows))


def _worst(name: str, report: RiskReport) -> str:
    return (
        f"In {name} {percent(report.unique / report.rows if report.rows else 0.0)} of the rows are"
        f" alone in their class; the highest risk of a row is {report.highest:.3g}, the average over"
        f" rows {report.average:.3g}. {report.counting}"
    )


def _shares(report: RiskReport) -> dict[tuple[int, int], float]:
    rows = max(report.rows, 1)
    return {(band.least, band.most): band.rows / rows for band in report.sizes}


def _size(band: tuple[int, int]) -> str:
    least, most = band
    return count(least) if least == most else f"{least:,} to {most:,}"


def _risk(band: tuple[int, int]) -> str:
    least, most = band
    return f"1 in {count(least)}" if least == most else f"1 in {least:,} to 1 in {most:,}"


def _histogram_spec(
    bars: list[dict[str, object]], bands: Sequence[tuple[int, int]], names: Sequence[str]
) -> Spec:
    x: Spec = {"field": "size", "type": "ordinal", "sort": [_size(band) for band in bands]}
    angle = 0 if len(bands) <= _UPRIGHT else -45
    title = "rows in the class: each row's risk is 1 / that"
    x["axis"] = axis(title, labelAngle=angle, grid=False)
    y: Spec = {"field": "share", "type": "quantitative"}
    y["axis"] = axis("share of the rows", "~%", tickCount=5)
    colour: Spec = {"field": "of", "type": "nominal", "scale": {"domain": list(names)}}
    colour["scale"]["range"] = [f"var(--chart-{number + 1})" for number in range(len(names))]
    colour["legend"] = {"title": None, "orient": "top"} if len(names) > 1 else None
    encoding: Spec = {"x": x, "y": y, "color": colour}
    if len(names) > 1:
        encoding["xOffset"] = {"field": "of", "type": "nominal", "sort": list(names)}
    encoding["tooltip"] = [
        {"field": "of", "title": "rows of"},
        {"field": "risk", "title": "risk"},
        {"field": "share", "title": "share", "format": ".2%"},
    ]
    lines = [
        {"size": _size(band), "says": _MARKED[band[1] + 1]}
        for band in bands
        if band[1] + 1 in _MARKED
    ]
    at: Spec = {"x": {**x, "bandPosition": 1}}
    says = at | {"text": {"field": "says"}, "y": {"value": 0}}
    text = {"type": "text", "align": "left", "dx": 3, "baseline": "top", "color": "var(--ink)"}
    return {
        "height": 180,
        "layer": [
            {"data": {"values": bars}, "mark": {"type": "bar"}, "encoding": encoding},
            {
                "data": {"values": lines},
                "mark": {"type": "rule", "color": "var(--ink)", "strokeDash": [3, 3]},
                "encoding": at,
            },
            {"data": {"values": lines}, "mark": text, "encoding": says},
        ],
    }


def _accepted_in_words(report: RiskReport) -> list[str]:
    """Return, for each risk that is accepted, how many rows have a greater one, in a sentence."""
    return [
        f"{count(one.rows)} of {count(report.rows)} rows ({percent(one.share)}) have a risk above"
        f" {one.accepted:.4g}: they are in classes of fewer than {count(_least(one.accepted))}"
        f" rows.{_NINE if _least(one.accepted) == _ELEVEN else ''}"
        for one in report.above
    ]


def _least(accepted: float) -> int:
    """Return the rows from which on the risk of a class is not above an accepted one."""
    exact = Fraction(accepted).limit_denominator(10**6)
    return -(-exact.denominator // exact.numerator)


def _unique_by(specials: Specials) -> list[Chart]:
    """Return which columns make rows unique, and by how few of them rows are."""
    if not specials.rows:
        return []
    causes = [{"column": one.column, "share": one.share} for one in specials.columns]
    first = specials.columns[0]
    says = (
        f"{count(specials.rows)} rows are unique by {count(specials.largest)} or fewer columns."
        f" {first.column} is in {percent(first.share)} of the smallest sets of columns that make a"
        " row unique, more than any other."
    )
    y = {"field": "column", "type": "nominal", "sort": None, "axis": axis(None)}
    x = {"field": "share", "type": "quantitative", "axis": axis("share of such sets", "~%")}
    spec: Spec = {
        "height": 24 * len(causes),
        "data": {"values": causes},
        "mark": {"type": "bar", "color": "var(--chart-1)", "height": {"band": 0.7}},
        "encoding": {"y": y, "x": x},
    }
    rows = [(one.column, one.sets, percent(one.share)) for one in specials.columns]
    figures = table(["column", "smallest sets with it", "share"], rows)
    return [
        chart("unique-by-column", "What rows are unique by", says, spec, figures),
        _by(specials),
    ]


def _by(specials: Specials) -> Chart:
    fewest = specials.by_columns[0]
    says = (
        f"{count(fewest.rows)} rows are unique by {count(fewest.columns)}"
        f" column{'' if fewest.columns == 1 else 's'} alone: the fewer, the easier such a row is"
        " found."
    )
    bars = [{"columns": one.columns, "rows": one.rows} for one in specials.by_columns]
    x = {"field": "columns", "type": "ordinal"}
    x["axis"] = axis("columns that are enough", labelAngle=0, grid=False)  # type: ignore[assignment]
    y = {"field": "rows", "type": "quantitative", "axis": axis("rows", ",d", tickCount=5)}
    spec: Spec = {
        "height": 160,
        "data": {"values": bars},
        "mark": {"type": "bar", "color": "var(--chart-1)"},
        "encoding": {"x": x, "y": y},
    }
    rows = [(", ".join(one.columns), one.rows) for one in specials.sets[:_MOST_SETS]]
    figures = table(["unique by", "rows"], rows)
    return chart("unique-by-count", "By how few columns", says, spec, figures)
