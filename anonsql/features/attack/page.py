"""The page of ``anonsql attack``, and its part of a release's page."""

from __future__ import annotations

from collections.abc import Sequence

from anonsql.features.attack.document import Attack, AttackReport, Kind
from anonsql.features.attack.words import of_together
from anonsql.presentation import page
from anonsql.presentation.charts import Chart, Spec, axis, chart, table
from anonsql.presentation.numbers import count, percent

TITLES: dict[Kind, str] = {
    "singling-out": "Singling out",
    "linkability": "Linkability",
    "inference": "Inference",
}
_ATTACK, _CONTROL = "with the release", "control"


def charts_of(report: AttackReport) -> list[tuple[str, Chart | None, list[Attack]]]:
    """Return the title, the chart and the attacks of each kind that was made."""
    kinds = dict.fromkeys(one.kind for one in report.attacks)
    return [
        (
            TITLES[kind],
            _rates(kind, report),
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
        attack_titles=TITLES,
        attack_together=None if report.together is None else of_together(report.together),
    )


def _rates(kind: Kind, report: AttackReport) -> Chart | None:
    made = [one for one in report.attacks if one.kind == kind and one.attack.guesses]
    if not made:
        return None
    worst = max(made, key=lambda one: one.risk or 0.0)
    says = (
        f"Dots are shares of right guesses, lines their {percent(report.confidence)} intervals."
        f" The greatest risk beyond the control: {percent(worst.risk)}"
        f" ({percent(worst.lower)} to {percent(worst.upper)}), by {worst.by}."
    )
    rows = [
        (
            one.by,
            count(one.attack.guesses),
            percent(one.attack.rate),
            percent(one.control.rate),
            f"{percent(one.risk)} ({percent(one.lower)} to {percent(one.upper)})",
            one.means,
        )
        for one in made
    ]
    headings = ["guessed by", "guesses", "right", "right in the control", "risk", "which means"]
    return chart(f"attack-{kind}", TITLES[kind], says, _spec(made), table(headings, rows))


def _spec(made: Sequence[Attack]) -> Spec:
    points = [
        {"by": one.by, "of": name, "rate": rate.rate} | {"lower": rate.lower, "upper": rate.upper}
        for one in made
        for name, rate in ((_ATTACK, one.attack), (_CONTROL, one.control))
        if rate.rate is not None
    ]
    y: Spec = {"field": "by", "type": "nominal", "axis": axis(None)}
    y["sort"] = [one.by for one in made]
    offset: Spec = {"field": "of", "type": "nominal", "sort": [_ATTACK, _CONTROL]}
    colour: Spec = offset | {"scale": {"domain": [_ATTACK, _CONTROL]}}
    colour["scale"]["range"] = ["var(--chart-2)", "var(--chart-1)"]
    colour["legend"] = {"title": None, "orient": "top"}
    x: Spec = {"type": "quantitative", "scale": {"domain": [0, 1]}}
    x["axis"] = axis("share of right guesses", "~%", tickCount=5)
    shared: Spec = {"y": y, "yOffset": offset, "color": colour}
    tooltip = [
        {"field": "of", "title": "guesses"},
        {"field": "rate", "title": "right", "format": ".1%"},
        {"field": "lower", "title": "at least", "format": ".1%"},
        {"field": "upper", "title": "at most", "format": ".1%"},
    ]
    return {
        "height": 44 * len(made),
        "data": {"values": points},
        "layer": [
            {
                "mark": {"type": "rule", "size": 2},
                "encoding": shared | {"x": x | {"field": "lower"}, "x2": {"field": "upper"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 70},
                "encoding": shared | {"x": x | {"field": "rate"}, "tooltip": tooltip},
            },
        ],
    }
