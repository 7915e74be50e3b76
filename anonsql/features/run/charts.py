"""The charts of a run, in notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anonsql.features.run.document import Report
from anonsql.presentation.altair import altair
from anonsql.presentation.charts import Spec


class RunCharts:
    """The charts of a run's report."""

    def __init__(self, report: Report) -> None:
        """Take the report."""
        self._report = report

    def risks(self) -> Any:
        """Return the highest risk under each attacker as bars, a chart of Altair."""
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
