"""The page of ``anonsql attack``, and its part of a release's page."""

from __future__ import annotations

from anonsql.features.attack import charts
from anonsql.features.attack.document import Attack, AttackReport
from anonsql.features.attack.words import of_together
from anonsql.presentation import page
from anonsql.presentation.charts import Chart


def charts_of(report: AttackReport) -> list[tuple[str, Chart | None, list[Attack]]]:
    """Return the title, the chart and the attacks of each kind that was made."""
    kinds = dict.fromkeys(one.kind for one in report.attacks)
    return [
        (
            charts.TITLES[kind],
            charts.rates(kind, report),
            [one for one in report.attacks if one.kind == kind],
        )
        for kind in kinds
    ]


def render(report: AttackReport) -> str:
    """Return the page (HTML)."""
    return page.render(
        "features/attack/page",
        title=f"The release {report.release.table}, attacked",
        attacked=report,
        attack_charts=charts_of(report),
        attack_titles=charts.TITLES,
        attack_together=None if report.together is None else of_together(report.together),
    )
