"""The charts of a search in notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anonsql.features.search.document import SearchNode, SearchReport
from anonsql.presentation.altair import altair
from anonsql.presentation.charts import Spec


class SearchCharts:
    """The charts of a search's report."""

    def __init__(self, report: SearchReport) -> None:
        """Take the report."""
        self._report = report

    def solution_space(self) -> Any:
        """Return every satisfying generalization as a point at its loss and its suppressed rows,
        the Pareto front drawn, as a chart of Altair."""
        nodes = sorted(self._report.nodes, key=lambda node: (node.loss, node.suppressed))
        tooltip = [{"field": "levels"}, {"field": "loss", "format": ".2%"}, {"field": "suppressed"}]
        x = {"field": "loss", "type": "quantitative", "title": "share of information lost"}
        y = {"field": "suppressed", "type": "quantitative", "title": "rows suppressed"}
        at = {"x": x | {"scale": {"zero": False}, "axis": {"format": ".0%"}}, "y": y}
        points = {"type": "point", "filled": True, "opacity": 0.55, "color": "var(--chart-1)"}
        front = {"type": "line", "interpolate": "step-after", "point": True}
        return altair(
            {
                "height": 360,
                "encoding": at | {"tooltip": tooltip},
                "layer": [
                    {"data": {"values": [_point(node) for node in nodes]}, "mark": points},
                    {
                        "data": {"values": [_point(node) for node in _front(nodes)]},
                        "mark": front | {"color": "var(--chart-2)"},
                    },
                ],
            }
        )


def _point(node: SearchNode) -> Spec:
    levels = ", ".join(f"{name} {level}" for name, level in node.levels.items())
    return {"levels": levels, "loss": node.loss, "suppressed": node.suppressed}


def _front(nodes: Sequence[SearchNode]) -> list[SearchNode]:
    """Return the nodes, sorted by loss, that no other is better than in both."""
    search_nodes: list[SearchNode] = []
    for node in nodes:
        if not search_nodes or node.suppressed < search_nodes[-1].suppressed:
            search_nodes.append(node)
    return search_nodes
