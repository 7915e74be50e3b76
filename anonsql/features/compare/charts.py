"""The charts and tables of a comparison's page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean

from anonsql.features.compare.document import CompareLine
from anonsql.presentation.numbers import percent
from anonsql.presentation.tree import Chart, Figures, Spec, chart

_ROOM = 1.15  # beyond the greatest risk


def planes(met: Sequence[CompareLine]) -> list[Chart]:
    """Return the utility-risk planes: query error by risk, and loss by risk."""
    error = "median error of COUNT queries"
    loss = "share of the values' precision that is lost (GCP)"
    utility = (
        _plane("error", "Query error", error, met, lambda line: line.median_error),
        _plane("loss", "Loss", loss, met, lambda line: line.gcp),
    )
    return [drawn for drawn in utility if drawn is not None]


def _plane(
    name: str,
    title: str,
    axis: str,
    met: Sequence[CompareLine],
    value_of: Callable[[CompareLine], float | None],
) -> Chart | None:
    points = points_of(met, value_of)
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
    return chart(
        name=f"plane-{name}",
        title=f"{title} against risk",
        says=says,
        spec=plane(title, axis, points),
        figures=Figures(
            headings=["policy", "highest risk, %", f"{title.lower()}, %"],
            rows=[[row["policy"], row["risk"] * 100, row["value"] * 100] for row in ordered],
        ),
    )


def by_column(met: Sequence[CompareLine]) -> Figures | None:
    """Return the loss of each column by each policy, the most by all policies first."""
    columns = dict.fromkeys(name for line in met for name in line.penalties)
    lost = {name: [line.penalties.get(name) for line in met] for name in columns}
    means = {name: fmean(one for one in own if one is not None) for name, own in lost.items()}
    if not lost:
        return None
    return Figures(
        headings=["column", *(line.policy for line in met)],
        rows=[
            [name, *map(percent, lost[name])]
            for name in sorted(means, key=lambda name: -means[name])
        ],
    )


def points_of(
    policies: Sequence[CompareLine], value_of: Callable[[CompareLine], float | None]
) -> list[Spec]:
    """Return the points of the utility-risk plane, of the policies that have a value and a risk."""
    return [
        {"policy": line.policy, "method": line.method, "risk": line.risk, "value": value}
        for line in policies
        if line.risk is not None and (value := value_of(line)) is not None
    ]


def plane(title: str, axis: str, points: Sequence[Spec]) -> Spec:
    """Return the utility-risk plane of points (policy, method, risk, value), labelled towards the
    middle of the chart."""
    far = max(point["risk"] for point in points) * _ROOM
    beyond = f"datum.risk > {far / 2}"
    x: Spec = {"field": "risk", "type": "quantitative"}
    x |= {"title": "highest risk that one person is identified"}
    x |= {"scale": {"domain": [0, far], "nice": False}, "axis": {"format": ".0%", "tickCount": 6}}
    y: Spec = {"field": "value", "type": "quantitative", "title": axis, "axis": {"format": ".0%"}}
    label: Spec = {"type": "text", "baseline": "middle", "limit": 180}
    label |= {"align": {"expr": f"{beyond} ? 'right' : 'left'"}}
    label |= {"dx": {"expr": f"{beyond} ? -10 : 10"}}
    tooltip = [
        {"field": "policy", "type": "nominal"},
        {"field": "method", "type": "nominal"},
        {"field": "risk", "type": "quantitative", "format": ".2%"},
        {"field": "value", "type": "quantitative", "title": title.lower(), "format": ".2%"},
    ]
    return {
        "height": 320,
        "data": {"values": list(points)},
        "encoding": {"x": x, "y": y, "tooltip": tooltip},
        "layer": [
            {"mark": {"type": "point", "filled": True, "size": 90, "opacity": 1}},
            {"mark": label, "encoding": {"text": {"field": "policy", "type": "nominal"}}},
        ],
    }
