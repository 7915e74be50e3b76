"""The chart of ``attack``: how often guesses are right, beside the same guesses without what the
target's own row gives away."""

from __future__ import annotations

from collections.abc import Sequence

from anonsql.features.attack.document import Attack, AttackReport, Kind
from anonsql.presentation.charts import Chart, Spec, axis, chart, table
from anonsql.presentation.numbers import count, percent

TITLES: dict[Kind, str] = {
    "singling-out": "Singling out",
    "linkability": "Linkability",
    "inference": "Inference",
}
_ATTACK, _CONTROL = "with the release", "control"


def rates(kind: Kind, report: AttackReport) -> Chart | None:
    """Return how often the guesses of attacks of one kind are right, with intervals; None where
    none was made."""
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
