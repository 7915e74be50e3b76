"""The charts of a run, in pages and notebooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from anonsql.features.run.document import Report
from anonsql.presentation.altair import altair
from anonsql.presentation.charts import Chart, Entry, Spec, axis, chart, table
from anonsql.presentation.numbers import seconds

_SECONDS = axis("seconds", "~g", tickCount=8)


def stages(by_name: Mapping[str, float]) -> Chart:
    """Return the stages of a run, one after the other."""
    bars, at = [], 0.0
    for order, (name, taken) in enumerate(by_name.items()):
        words = name.replace("_", " ")
        bars.append({"stage": words, "from": round(at, 4), "to": round(at + taken, 4)})
        bars[-1] |= {"order": order, "took": seconds(taken)}
        at += taken
    longest = max(by_name.items(), key=lambda row: row[1])
    says = (
        f"{len(by_name)} stages took {seconds(at)} in all; the longest was"
        f" “{longest[0].replace('_', ' ')}” with {seconds(longest[1])}."
    )
    x = {
        "field": "from",
        "type": "quantitative",
        "axis": _SECONDS,
    }
    y = {"field": "stage", "type": "nominal", "sort": {"field": "order"}, "axis": axis(None)}
    tooltip = [{"field": "stage", "title": "stage"}, {"field": "took", "title": "took"}]
    spec = {
        "height": 15 * len(bars),
        "data": {"values": bars},
        "mark": {"type": "bar", "color": "var(--chart-1)", "height": {"band": 0.7}},
        "encoding": {"x": x, "x2": {"field": "to"}, "y": y, "tooltip": tooltip},
    }
    rows: list[list[Entry]] = [
        [name.replace("_", " "), seconds(taken)] for name, taken in by_name.items()
    ]
    return chart("stages", "Stage by stage", says, spec, table(["stage", "took"], rows))


class RunCharts:
    """The charts of a run's report."""

    def __init__(self, report: Report) -> None:
        """Take the report."""
        self._report = report

    def stages(self) -> Any:
        """Return the stages of the run on a line of time, as a chart of Altair."""
        return altair(stages(self._report.seconds).spec)

    def risks(self) -> Any:
        """Return the highest risk under each attacker, as bars."""
        attackers = self._report.risk.attackers.items()
        values = [{"attacker": name, "risk": attacker.highest} for name, attacker in attackers]
        known = [value for value in values if value["risk"] is not None]
        return altair(_bars(known, "attacker", "risk", "highest risk of a row"))


def _bars(values: Sequence[Spec], name: str, value: str, title: str) -> Spec:
    x = {"field": value, "type": "quantitative", "title": title, "axis": {"format": ".0%"}}
    y = {"field": name, "type": "nominal", "sort": None, "title": None}
    return {
        "data": {"values": list(values)},
        "mark": {"type": "bar", "color": "var(--chart-1)"},
        "encoding": {"x": x, "y": y},
    }
