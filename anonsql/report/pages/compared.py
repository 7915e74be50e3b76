"""The page of ``anonsql compare``: the utility-risk plane, loss by column, the errors of queries,
and the table of figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anonsql.report.compared import in_words
from anonsql.report.page_documents import Chart, Figures
from anonsql.report.pages import page
from anonsql.report.pages.shown import percent
from anonsql.report.usefulness_documents import CompareLine, CompareReport

_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
_ROOM = 1.15  # beyond the greatest risk
_SHADES = ["var(--sheet)", "var(--chart-1)"]


def render(report: CompareReport) -> str:
    """Return the page of a comparison."""
    met = [each for each in report.policies if each.status == "met"]
    return page.render(
        "compare",
        title=f"Policies for {report.source.table}, side by side",
        styles=("compare.css",),
        report=report,
        met=sorted(met, key=_median),
        unmet=[each for each in report.policies if each.status != "met"],
        closing=in_words(report),
        planes=planes(met),
        by_column=by_column(met),
        by_workload=by_workload(met),
    )


def planes(met: Sequence[CompareLine]) -> list[Chart]:
    """Return the utility-risk planes: a point for each policy at its risk and its query error, and
    at its risk and its loss."""
    return [
        chart
        for chart in (
            _plane("error", "Query error", "median error of COUNT queries", met),
            _plane("loss", "Loss", "share of the values' precision that is lost (GCP)", met),
        )
        if chart is not None
    ]


def _plane(name: str, title: str, axis: str, met: Sequence[CompareLine]) -> Chart | None:
    points = [
        {"policy": each.policy, "method": each.method, "risk": each.risk, "value": value}
        for each in met
        if (value := _median_or_none(each) if name == "error" else each.gcp) is not None
        and each.risk is not None
    ]
    if not points:
        return None
    best = min(points, key=lambda each: (each["value"], each["risk"]))
    worst = max(points, key=lambda each: (each["value"], each["risk"]))
    says = (
        "Further down is more useful, further left is safer."
        f" {best['policy']} is lowest, at {percent(best['value'])} with a highest risk of"
        f" {percent(best['risk'])}."
    )
    if worst is not best:
        says += f" {worst['policy']} is highest, at {percent(worst['value'])}."
    far = max(each["risk"] for each in points) * _ROOM
    scale = {"domain": [0, far], "nice": False}
    x = {"field": "risk", "title": "highest risk that one person is identified"}
    x |= {"type": "quantitative", "scale": scale, "axis": {"format": ".0%", "tickCount": 6}}
    y = {"field": "value", "type": "quantitative", "title": axis, "axis": {"format": ".0%"}}
    text = {"field": "policy", "type": "nominal"}
    tooltip = [
        {"field": "policy", "type": "nominal"},
        {"field": "method", "type": "nominal"},
        {"field": "risk", "type": "quantitative", "format": ".2%"},
        {"field": "value", "type": "quantitative", "title": title.lower(), "format": ".2%"},
    ]
    beyond = f"datum.risk > {far / 2}"  # towards the middle of the chart, where there is room
    label = {"type": "text", "baseline": "middle", "limit": 180}
    label |= {"align": {"expr": f"{beyond} ? 'right' : 'left'"}}
    label |= {"dx": {"expr": f"{beyond} ? -10 : 10"}}
    spec = {
        "$schema": _SCHEMA,
        "width": "container",
        "height": 320,
        "data": {"values": points},
        "encoding": {"x": x, "y": y, "tooltip": tooltip},
        "layer": [
            {"mark": {"type": "point", "filled": True, "size": 90, "opacity": 1}},
            {"mark": label, "encoding": {"text": text}},
        ],
    }
    rows = [
        [each["policy"], each["risk"] * 100, each["value"] * 100]
        for each in sorted(points, key=lambda each: each["value"])
    ]
    headings = ["policy", "highest risk, %", f"{title.lower()}, %"]
    return Chart(
        name=f"plane-{name}",
        title=f"{title} against risk",
        says=says,
        spec=spec,
        figures=Figures(headings=headings, rows=rows),
    )


def by_column(met: Sequence[CompareLine]) -> Chart | None:
    """Return the heat map of loss: a row for each column, a column for each policy."""
    cells = [
        {"policy": each.policy, "column": column, "loss": lost}
        for each in met
        for column, lost in each.penalties.items()
    ]
    if not cells:
        return None
    columns = list(dict.fromkeys(each["column"] for each in cells))
    means = {
        column: sum(own) / len(own)
        for column in columns
        if (own := [each["loss"] for each in cells if each["column"] == column])
    }
    worst, least = max(means, key=lambda each: means[each]), min(means, key=lambda e: means[e])
    says = (
        f"Darker loses more: 0 % keeps every value, 100 % hides all. Over the policies, {worst}"
        f" loses most ({percent(means[worst])}) and {least} least ({percent(means[least])})."
    )
    order = [each.policy for each in met]
    shades = {"domain": [0, 1], "range": _SHADES, "interpolate": "rgb"}
    color = {"field": "loss", "type": "quantitative", "legend": None, "scale": shades}
    dark = {"test": "datum.loss > 0.5", "value": "var(--sheet)"}
    spec = {
        "$schema": _SCHEMA,
        "width": "container",
        "height": 30 * len(columns),
        "usermeta": {"mixed": True},
        "data": {"values": cells},
        "encoding": {
            "x": {"field": "policy", "type": "nominal", "title": None, "sort": order}
            | {"axis": {"orient": "top", "labelAngle": 0, "labelLimit": 110, "domain": False}},
            "y": {"field": "column", "type": "nominal", "title": None, "sort": columns},
        },
        "layer": [
            {
                "mark": {"type": "rect", "stroke": "var(--rule)"},
                "encoding": {
                    "color": color,
                    "tooltip": [
                        {"field": "policy", "type": "nominal"},
                        {"field": "column", "type": "nominal"},
                        {"field": "loss", "type": "quantitative", "format": ".2%"},
                    ],
                },
            },
            {
                "mark": {"type": "text"},
                "encoding": {
                    "text": {"field": "loss", "type": "quantitative", "format": ".0%"},
                    "color": {"condition": dark, "value": "var(--ink)"},
                },
            },
        ],
    }
    rows = [
        [column, *(_percent_of(each.penalties.get(column)) for each in met)] for column in columns
    ]
    headings = ["column", *(f"{each.policy}, %" for each in met)]
    return Chart(
        name="loss-by-column",
        title="What each column loses",
        says=says,
        spec=spec,
        figures=Figures(headings=headings, rows=rows),
    )


def by_workload(met: Sequence[CompareLine]) -> list[Chart]:
    """Return a chart of query errors by the number of columns asked about, for each selectivity."""
    shares = sorted({one.selectivity for each in met for one in each.by_workload})
    return [_errors(met, share) for share in shares]


def _errors(met: Sequence[CompareLine], share: float) -> Chart:
    points = [
        {"policy": each.policy, "predicates": one.predicates, "error": one.median}
        | {"ninetieth": one.ninetieth}
        for each in met
        for one in each.by_workload
        if one.selectivity == share
    ]
    best = min(points, key=lambda each: each["error"])
    worst = max(points, key=lambda each: each["error"])
    says = (
        f"Half of the queries have no greater error than the point. The least is"
        f" {percent(best['error'])} ({best['policy']}, {_columns(best['predicates'])}), the greatest"
        f" {percent(worst['error'])} ({worst['policy']}, {_columns(worst['predicates'])})."
    )
    policy = {"field": "policy", "type": "nominal", "title": None}
    policy |= {"sort": [each.policy for each in met]}
    policy |= {"legend": {"orient": "bottom", "columns": 2, "labelLimit": 160}}
    x = {"field": "predicates", "type": "ordinal", "title": "columns asked about"}
    y = {"field": "error", "type": "quantitative", "title": "median error"}
    spec = {
        "$schema": _SCHEMA,
        "width": "container",
        "height": 220,
        "data": {"values": points},
        "mark": {"type": "line", "point": {"size": 60, "filled": True}},
        "encoding": {
            "x": x | {"axis": {"labelAngle": 0}},
            "y": y | {"axis": {"format": ".0%", "tickCount": 5}},
            "color": policy,
            "shape": policy,
            "tooltip": [
                {"field": "policy", "type": "nominal"},
                {"field": "predicates", "type": "ordinal", "title": "columns"},
                {"field": "error", "type": "quantitative", "title": "median", "format": ".2%"},
                {"field": "ninetieth", "type": "quantitative", "title": "90 %", "format": ".2%"},
            ],
        },
    }
    rows = [
        [each["policy"], each["predicates"], each["error"] * 100, each["ninetieth"] * 100]
        for each in points
    ]
    headings = ["policy", "columns", "median error, %", "nine in ten have at most, %"]
    return Chart(
        name=f"errors-{round(share * 1000)}",
        title=f"Queries that should select {percent(share)} of the rows",
        says=says,
        spec=spec,
        figures=Figures(headings=headings, rows=rows),
    )


def _columns(count: Any) -> str:
    return "1 column" if count == 1 else f"{count} columns"


def _percent_of(value: float | None) -> float | None:
    return None if value is None else value * 100


def _median(line: CompareLine) -> float:
    found = _median_or_none(line)
    return float("inf") if found is None else found


def _median_or_none(line: CompareLine) -> float | None:
    return line.error.median if line.error is not None else None
