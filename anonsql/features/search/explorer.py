"""The explorer of a solution space: a chart of every satisfying generalization and a slider for each
column.

What the browser needs of fifty thousand generalizations travels as arrays of small whole numbers
(:func:`packed`); ``explorer.js`` reads them.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonsql.features.search.solution_document import SolutionSpace
from anonsql.presentation.charts import Spec
from anonsql.privacy.risk import is_of_all
from anonsql.system.arrays import IntArray

SCRIPTS = ("features/search/explorer.js",)
STYLES = ("features/search/explorer.css",)
POINTS = 5_000
"""Points that are drawn at most; of more, those that would lie on others are left out."""
_DIGITS = 10_000
_LISTED = 25
_BINS = ((240, 140), (160, 90), (100, 45))


@dataclass(frozen=True)
class Line:
    """A satisfying generalization as a line of a table."""

    number: int
    levels: tuple[int, ...]
    loss: float
    suppressed: int
    classes: int
    min_class: int
    minimal: bool
    best: bool
    chosen: bool


@dataclass(frozen=True)
class Explorer:
    """What the template ``explorer.html.j2`` shows of a solution space; ``data`` is for its
    script."""

    space: SolutionSpace
    lines: tuple[Line, ...]
    front: tuple[Line, ...]
    chosen: Line | None
    points: int
    data: dict[str, Any]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.space.columns)


def explorer(space: SolutionSpace) -> Explorer:
    """Return what is shown of a solution space."""
    front, drawn, nodes = pareto(space), thinned(space), space.satisfying
    chosen = [at for at, number in enumerate(nodes.numbers) if number == space.chosen]
    order = sorted(range(len(nodes.numbers)), key=lambda at: (nodes.loss[at], nodes.suppressed[at]))
    best = set(front)
    return Explorer(
        space,
        tuple(_line(space, at, best) for at in order[:_LISTED]),
        tuple(_line(space, at, best) for at in front),
        _line(space, chosen[0], best) if chosen else None,
        len(drawn),
        _data(space, front, drawn),
    )


def pareto(space: SolutionSpace) -> list[int]:
    """Return the places, among the satisfying generalizations, of those that no other is better
    than: none loses less and suppresses no more, or the other way."""
    nodes, places = space.satisfying, list[int]()
    order = sorted(
        range(len(nodes.numbers)), key=lambda at: (nodes.loss[at], nodes.suppressed[at], at)
    )
    for at in order:
        if not places or nodes.suppressed[at] < nodes.suppressed[places[-1]]:
            places.append(at)
    return places


def thinned(space: SolutionSpace) -> list[int]:
    """Return the places of the satisfying generalizations that are drawn: all where there are few,
    else one for each small square of the chart, the front and the chosen one."""
    nodes = space.satisfying
    if len(nodes.numbers) <= POINTS:
        return list(range(len(nodes.numbers)))
    kept = set(pareto(space))
    kept |= {at for at, number in enumerate(nodes.numbers) if number == space.chosen}
    loss, suppressed = np.array(nodes.loss), np.array(nodes.suppressed)
    places = np.arange(0)
    for across, up in _BINS:
        squares = _squares(loss, across) * up + _squares(suppressed, up)
        places = np.unique(squares, return_index=True)[1]
        if len(places) + len(kept) <= POINTS:
            break
    return sorted(kept | set(places[: max(POINTS - len(kept), 0)].tolist()))


def _squares(values: NDArray[Any], count: int) -> IntArray:
    spread = float(values.max() - values.min()) or 1.0
    numbers: IntArray = np.minimum((values - values.min()) / spread * count, count - 1).astype(
        np.int64
    )
    return numbers


def chart(space: SolutionSpace, drawn: Sequence[int], front: Sequence[int]) -> Spec:
    """Return the specification (Vega-Lite) of the chart: a point for each satisfying generalization
    at its loss and its suppressed rows, the Pareto front as a line, the chosen one marked, and an
    interval selection ``brush``. ``selected`` is where the sliders are."""
    chosen = [at for at in drawn if space.satisfying.numbers[at] == space.chosen]
    x: Spec = {"field": "loss", "type": "quantitative", "title": "share of information lost"}
    x |= {"axis": {"format": ".0%", "grid": False}, "scale": _scale(space.satisfying.loss)}
    y: Spec = {"field": "suppressed", "type": "quantitative", "title": "rows suppressed"}
    flat = not any(space.satisfying.suppressed)
    y |= {"axis": {"format": ",d", "tickCount": 1 if flat else 6, "tickMinStep": 1}}
    y |= {"scale": _scale((0, *space.satisfying.suppressed))}
    at: Spec = {"x": x, "y": y}
    tooltip = [
        {"field": "levels", "type": "nominal", "title": "levels"},
        {"field": "loss", "type": "quantitative", "title": "loss", "format": ".2%"},
        {"field": "suppressed", "type": "quantitative", "title": "suppressed", "format": ",d"},
    ]
    inside: Spec = {"param": "brush", "value": "var(--chart-1)"}
    points: Spec = {
        "data": {"name": "points"},
        "params": [{"name": "brush", "select": {"type": "interval"}}],
        "mark": {"type": "point", "filled": True, "size": 26, "opacity": 0.55},
        "encoding": at
        | {"color": {"condition": inside, "value": "var(--chart-quiet)"}, "tooltip": tooltip},
    }
    line: Spec = {"type": "line", "interpolate": "step-after", "color": "var(--chart-2)"}
    line |= {"point": {"filled": True, "color": "var(--chart-2)", "size": 46}, "strokeWidth": 2}
    mark: Spec = {"type": "point", "shape": "diamond", "filled": True, "size": 220}
    here: Spec = {"type": "point", "shape": "circle", "size": 260, "strokeWidth": 2.5}
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "width": "container",
        "height": 120 if flat else 340,
        "usermeta": {"mixed": True},
        "datasets": {
            "points": [_point(space, number) for number in drawn],
            "front": [_point(space, number) for number in front],
            "chosen": [_point(space, number) for number in chosen],
            "selected": [],
        },
        "layer": [
            points,
            {"data": {"name": "front"}, "mark": line, "encoding": at | {"tooltip": tooltip}},
            {
                "data": {"name": "chosen"},
                "mark": mark | {"color": "var(--bad)", "stroke": "var(--sheet)"},
                "encoding": at | {"tooltip": tooltip},
            },
            {
                "data": {"name": "selected"},
                "mark": here | {"color": "var(--ink)"},
                "encoding": at,
            },
        ],
    }


def _scale(values: Sequence[float]) -> dict[str, Any]:
    """Return the scale of an axis: from the least to the greatest value, at round numbers."""
    low, high = min(values, default=0), max(values, default=1)
    return {"domain": [low, high if high > low else low + 1], "nice": True, "zero": False}


def _point(space: SolutionSpace, at: int) -> dict[str, Any]:
    nodes = space.satisfying
    levels = ", ".join(map(str, space.levels(nodes.numbers[at])))
    loss = round(nodes.loss[at], 4)
    return {"n": nodes.numbers[at], "loss": loss, "suppressed": nodes.suppressed[at]} | {
        "levels": levels
    }


def packed(values: Sequence[int]) -> dict[str, Any]:
    """Return whole numbers from 0 as text, in as few bytes each (1, 2 or 4) as hold them all.

    >>> packed([1, 2, 300])
    {'bytes': 2, 'text': 'AQACACwB'}
    """
    greatest = max(values, default=0)
    size = 1 if greatest < 2**8 else 2 if greatest < 2**16 else 4
    array = np.array(values, dtype=f"<u{size}")
    return {"bytes": size, "text": b64encode(array.tobytes()).decode()}


def _data(space: SolutionSpace, front: Sequence[int], drawn: Sequence[int]) -> dict[str, Any]:
    """Return what ``explorer.js`` reads. The points of the chart are among the generalizations:
    only their places travel."""
    spec, nodes, failing = chart(space, drawn, front), space.satisfying, space.failing
    spec["datasets"]["points"] = []
    promise = [f"k={space.k}", *(f"{name}: {said}" for name, said in space.promises.items())]
    return {
        "columns": [
            {
                "name": column.name,
                "key": column.key,
                "weight": column.weight,
                "levels": [[one.level, one.name, one.example, one.lost] for one in column.levels],
            }
            for column in space.columns
        ],
        "method": space.method,
        "promise": "; ".join(promise),
        "combinations": space.combinations if len(space.combinations) > 1 else [],
        "rows": space.rows,
        "limit": space.limit,
        "chosen": space.chosen,
        "whole": space.whole,
        "limits": any(is_of_all(name) for name in space.promises),
        "chart": spec,
        "points": packed(drawn),
        "front": packed(front),
        "numbers": packed(nodes.numbers),
        "loss": packed([round(value * _DIGITS) for value in nodes.loss]),
        "suppressed": packed(nodes.suppressed),
        "classes": packed(nodes.classes),
        "smallest": packed(nodes.min_class),
        "minimal": packed(nodes.minimal),
        "partly": failing.partly,
        "failing": {
            "numbers": packed(failing.numbers),
            "suppressed": packed(failing.suppressed),
            "alone": packed(failing.alone),
            "combination": packed(failing.combination),
        },
    }


def _line(space: SolutionSpace, at: int, front: set[int]) -> Line:
    nodes = space.satisfying
    number = nodes.numbers[at]
    return Line(
        number,
        space.levels(number),
        nodes.loss[at],
        nodes.suppressed[at],
        nodes.classes[at],
        nodes.min_class[at],
        nodes.minimal[at],
        at in front,
        number == space.chosen,
    )
