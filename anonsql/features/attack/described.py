"""What ``attack`` says of its document, and its charts."""

from __future__ import annotations

from collections.abc import Sequence

from anonsql.features.attack.document import Attack, AttackReport, Kind
from anonsql.features.attack.words import of_together
from anonsql.presentation.charts import Spec, axis, chart
from anonsql.presentation.numbers import Number, percent
from anonsql.presentation.tree import Chart, Figures, Part, Section, Sentence
from anonsql.system.numbers import counted

_TITLES: dict[Kind, str] = {
    "singling-out": "Singling out",
    "linkability": "Linkability",
    "inference": "Inference",
}
_ATTACK, _CONTROL = "with the release", "control"
_CONTROLS = {
    "left out": "the control guesses without the target's own row, or by each column by itself",
    "table": "the control guesses about rows that were not released",
}


def describe(report: AttackReport) -> list[Part]:
    """Return what a release gives away to attackers."""
    head = (
        f"{report.rows:,} released rows in {report.classes:,} classes by {report.method},"
        f" k = {report.k}."
    )
    return [Sentence(head), Section("What attackers find", found(report))]


def found(report: AttackReport) -> list[Part]:
    """Return what attackers find, what that means and what to do about it."""
    than = "more than" if report.beyond else "no more than"
    parts: list[Part] = [
        Sentence(
            " By the sizes of classes alone a guess is right with a probability of"
            f" {percent(report.by_classes)}.",
            f"Attackers find {than} the promise and the sizes of classes allow.",
        ),
        Sentence(
            f"Each attack makes up to {report.attempts:,} guesses; {_CONTROLS[report.control]}. Risk"
            f" is (right - control) / (1 - control), with its {percent(report.confidence)} interval."
        ),
    ]
    lines = f"Dots are shares of right guesses, lines their {percent(report.confidence)} intervals."
    parts.append(Sentence(lines, on="page"))
    if report.below_k:
        below = f"{counted(report.below_k, 'row is', 'rows are')} in classes of fewer than k."
        parts.append(Sentence("", below, "bad"))
    parts += [Sentence(text, tone="bad") for text in report.order]
    for kind in dict.fromkeys(one.kind for one in report.attacks):
        parts += _of_kind(kind, report)
    parts += [
        Sentence(f"{_TITLES[left.kind]} was not tried: {left.why}.") for left in report.not_attacked
    ]
    if report.together is not None:
        short = [Sentence(f"{text}.", tone="bad") for text in report.together_short]
        together = Sentence(of_together(report.together))
        parts.append(Section("With other releases", [together, *short]))
    return [*parts, Sentence(f" {report.to_do}", "What to do.")]


def _of_kind(kind: Kind, report: AttackReport) -> list[Part]:
    made = [one for one in report.attacks if one.kind == kind and one.attack.guesses]
    if not made:
        return [Sentence(": no guess could be made.", _TITLES[kind])]
    beyond = [one for one in made if one.beyond]
    return [
        _rates(kind, made),
        *(Sentence(f": {one.means}", f"{one.kind} by {one.by}", "bad") for one in beyond),
    ]


def _rates(kind: Kind, made: Sequence[Attack]) -> Chart:
    worst = max(made, key=lambda one: one.risk or 0.0)
    says = (
        f"The greatest risk beyond the control: {percent(worst.risk)} ({percent(worst.lower)} to"
        f" {percent(worst.upper)}), by {worst.by}."
    )
    rows = [
        [
            one.by,
            one.attack.guesses,
            percent(one.attack.rate),
            percent(one.control.rate),
            Number(f"{percent(one.risk)} ({percent(one.lower)} to {percent(one.upper)})"),
        ]
        for one in made
    ]
    figures = Figures(["guessed by", "guesses", "right", "control", "risk"], rows)
    return chart(f"attack-{kind}", _TITLES[kind], says, _spec(made), figures)


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
