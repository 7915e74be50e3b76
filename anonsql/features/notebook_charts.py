"""Reports as charts in notebooks: the pages' specifications of Vega-Lite as objects of Altair."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from anonsql.errors import PolicyError
from anonsql.features.compare import charts as charts_of_comparison
from anonsql.features.documents import Report, SearchNode, SearchReport
from anonsql.features.measure.document import CompareLine, CompareReport
from anonsql.features.report import charts_of_runs

Spec = dict[str, Any]
_WIDTH = 640
_COLOUR = re.compile(r"var\(--([a-z0-9-]+)\)")


class RunCharts:
    """The charts of a run's report."""

    def __init__(self, report: Report) -> None:
        """Take the report."""
        self._report = report

    def stages(self) -> Any:
        """Return the stages of the run on a line of time, as a chart of Altair."""
        return altair(charts_of_runs.stages(self._report.seconds).spec)

    def risks(self) -> Any:
        """Return the highest risk under each attacker, as bars."""
        attackers = self._report.risk.attackers.items()
        values = [{"attacker": name, "risk": attacker.highest} for name, attacker in attackers]
        known = [value for value in values if value["risk"] is not None]
        return altair(_bars(known, "attacker", "risk", "highest risk of a row"))


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


class CompareCharts:
    """The charts of a comparison."""

    def __init__(self, report: CompareReport) -> None:
        """Take the report."""
        self._report = report

    def error_and_risk(self) -> Any:
        """Return the policies at their risk and their median error of COUNT queries, as a chart of
        Altair. Raise PolicyError where no policy has both."""
        return self._plane("median error of COUNT queries", _median)

    def loss_and_risk(self) -> Any:
        """Return the policies at their risk and their loss by the values of the source (GCP)."""
        return self._plane(
            "share of the values' precision that is lost (GCP)", lambda each: each.gcp
        )

    def _plane(self, title: str, value_of: Callable[[CompareLine], float | None]) -> Any:
        points = [
            {"policy": policy.policy, "method": policy.method, "risk": policy.risk, "value": value}
            for policy in self._report.policies
            if policy.risk is not None and (value := value_of(policy)) is not None
        ]
        if not points:
            raise PolicyError.at("charts", "no policy was met that has both figures.", "")
        return altair(charts_of_comparison.plane(title, title, points))


def altair(spec: Spec) -> Any:
    """Return a specification of the pages as a chart of Altair, of a fixed width and in the light
    colours. Raise PolicyError where Altair is not installed."""
    try:
        library: Any = importlib.import_module("altair")
    except ImportError:
        raise PolicyError.at(
            "charts", "the package altair is not installed.", "pip install altair"
        ) from None
    fixed = {name: value for name, value in spec.items() if name not in ("$schema", "usermeta")}
    return library.Chart.from_dict(_coloured(fixed | {"width": _WIDTH}))


def _median(line: CompareLine) -> float | None:
    return line.error.median if line.error else None


def _point(node: SearchNode) -> Spec:
    levels = ", ".join(f"{name} {level}" for name, level in node.levels.items())
    return {"levels": levels, "loss": node.loss, "suppressed": node.suppressed}


def _front(nodes: Sequence[SearchNode]) -> list[SearchNode]:
    """Return the nodes, sorted by loss, that no other is better than in both."""
    found: list[SearchNode] = []
    for node in nodes:
        if not found or node.suppressed < found[-1].suppressed:
            found.append(node)
    return found


def _bars(values: Sequence[Spec], name: str, value: str, title: str) -> Spec:
    x = {"field": value, "type": "quantitative", "title": title, "axis": {"format": ".0%"}}
    y = {"field": name, "type": "nominal", "sort": None, "title": None}
    return {
        "data": {"values": list(values)},
        "mark": {"type": "bar", "color": "var(--chart-1)"},
        "encoding": {"x": x, "y": y},
    }


def _coloured(value: Any) -> Any:
    """Return a specification with the light colours in the place of the style's names for them;
    what is data stays as it is."""
    if isinstance(value, str):
        found = _COLOUR.fullmatch(value)
        return _colours()[found[1]] if found else value
    if isinstance(value, list):
        return [_coloured(entry) for entry in value]
    if isinstance(value, dict):
        return {
            name: item if name in ("values", "datasets") else _coloured(item)
            for name, item in value.items()
        }
    return value


@cache
def _colours() -> dict[str, str]:
    """Return the colours of the pages' style in light, by name."""
    style = (Path(__file__).parents[1] / "presentation" / "style.css").read_text(encoding="utf-8")
    found: dict[str, str] = {}
    for name, colour in re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6});", style):
        found.setdefault(name, colour)
    return found
