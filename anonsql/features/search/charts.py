"""The chart of a search, in pages and in notebooks."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from anonsql.features.search.document import SearchNode, SearchReport
from anonsql.presentation.charts import Spec, altair


class SearchCharts:
    """The charts of a search's report."""

    def __init__(self, report: SearchReport) -> None:
        """Take the report."""
        self._report = report

    def solution_space(self) -> Any:
        """Return every satisfying generalization as a point at its loss and its suppressed rows,
        the Pareto front drawn, as a chart of Altair."""
        from anonsql.features.search.solution_space import by_loss, front

        nodes = sorted(self._report.nodes, key=by_loss)
        return altair(solution_space(nodes, front(nodes), None))


def solution_space(nodes: Sequence[SearchNode], front: Collection[int], chosen: int | None) -> Spec:
    """Return the specification (Vega-Lite) of the chart: a point for each node at its loss and its
    suppressed rows, the front as a line, the chosen one as a diamond."""
    flat = not any(node.suppressed for node in nodes)
    x: Spec = {"field": "loss", "type": "quantitative", "title": "share of information lost"}
    x |= {"axis": {"format": ".0%", "grid": False}}
    x |= {"scale": _scale([node.loss for node in nodes])}
    y: Spec = {"field": "suppressed", "type": "quantitative", "title": "rows suppressed"}
    y |= {"axis": {"format": ",d", "tickCount": 1 if flat else 6, "tickMinStep": 1}}
    y |= {"scale": _scale([0, *(node.suppressed for node in nodes)])}
    tooltip = [
        {"field": "number", "type": "quantitative"},
        {"field": "levels", "type": "nominal"},
        {"field": "loss", "type": "quantitative", "format": ".2%"},
        {"field": "suppressed", "type": "quantitative", "format": ",d"},
        {"field": "classes", "type": "quantitative", "format": ",d"},
        {"field": "smallest", "type": "quantitative", "format": ",d"},
    ]
    point: Spec = {"type": "point", "filled": True}
    line: Spec = {"type": "line", "interpolate": "step-after", "color": "var(--chart-2)"}
    line |= {"point": {"filled": True, "color": "var(--chart-2)", "size": 46}}
    diamond = point | {"shape": "diamond", "size": 220, "color": "var(--bad)", "opacity": 1}
    return {
        "height": 120 if flat else 340,
        "data": {
            "values": [
                _point(at, node) | {"front": at in front, "chosen": at == chosen}
                for at, node in enumerate(nodes)
            ]
        },
        "encoding": {"x": x, "y": y, "tooltip": tooltip},
        "layer": [
            {"mark": point | {"size": 26, "opacity": 0.55, "color": "var(--chart-1)"}},
            {"transform": [{"filter": "datum.front"}], "mark": line},
            {"transform": [{"filter": "datum.chosen"}], "mark": diamond},
        ],
    }


def _scale(values: Sequence[float]) -> Spec:
    """Return the scale of an axis: from the least to the greatest value, at round numbers."""
    low, high = min(values, default=0), max(values, default=1)
    return {"domain": [low, high if high > low else low + 1], "nice": True, "zero": False}


def _point(at: int, node: SearchNode) -> Spec:
    levels = ", ".join(f"{name} {level}" for name, level in node.levels.items())
    return {
        "number": at + 1,
        "levels": levels,
        "loss": node.loss,
        "suppressed": node.suppressed,
        "classes": node.classes,
        "smallest": node.min_class,
    }
