"""The charts and tables of a release and of its runs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from anonsql.features.report.document import ClassSizes, Distribution, EarlierRun
from anonsql.features.report.promises import names
from anonsql.presentation.numbers import count, number, percent, seconds
from anonsql.presentation.tree import Chart, Figures, Spec, axis, chart

Rows = list[dict[str, Any]]
_ALONE = 40
"""Sizes of classes that get a bar each; more are put together."""
_BARS = 30
GROUP = "group_id"
_SHORTER = (
    *(("no value (NULL)", "none"), (" to below ", "–"), (" to before ", "–")),
    *(("below ", "< "), ("before ", "< "), (" or more", " +"), (" or later", " +")),
)
SOURCE, RELEASE = "original table", "release"


def class_sizes(sizes: ClassSizes, k: int, position: int) -> Chart:
    """Return the histogram of class sizes with k as the threshold."""
    classes = sum(size.classes for size in sizes.sizes)
    rows = sum(size.rows * size.classes for size in sizes.sizes)
    every = [size.rows for size in sizes.sizes] or [0]
    below = sum(size.classes for size in sizes.sizes if size.rows < k)
    grouped = sizes.columns == [GROUP]
    unit = "groups" if grouped else "classes"
    by = f" by {names(sizes.columns)}" if len(sizes.columns) < 5 and not grouped else ""
    says = (
        f"{count(classes)} {unit}{by} contain {count(rows)} rows. The smallest has"
        f" {count(min(every))} rows, the largest {count(max(every))}. The line marks"
        f" k\u00a0=\u00a0{k}: "
        + (f"{count(below)} {unit} are" if below else f"none of the {unit} is")
        + " to its left."
    )
    bars = _size_bars(sizes, k)
    title = "How large the groups are" if grouped else "How many rows have equal values"
    figures = [(bar["size"], bar["classes"], bar["rows"]) for bar in bars]
    shown = Figures(["rows in each", unit, "rows in all"], figures)
    return chart(f"class-sizes-{position}", title, says, _sizes_spec(bars, k, unit), shown)


def _size_bars(sizes: ClassSizes, k: int) -> Rows:
    """Return the bars of class sizes; one bar begins at k."""
    greatest = max((size.rows for size in sizes.sizes), default=0)
    width = 1 if greatest < _ALONE else _width(greatest, k)
    bars: Rows = []
    for entry in sizes.sizes:
        first = max(k + (entry.rows - k) // width * width, 0)
        if not bars or bars[-1]["first"] != first:
            last = first + width - 1
            size = count(last) if width == 1 else f"{first:,} to {last:,}"
            bars.append({"first": first, "end": first + width, "size": size})
            bars[-1] |= {"classes": 0, "rows": 0}
        bars[-1]["classes"] += entry.classes
        bars[-1]["rows"] += entry.rows * entry.classes
    return bars


def _sizes_spec(bars: Rows, k: int, unit: str) -> Spec:
    x: Spec = {"field": "first", "type": "quantitative", "bin": {"binned": True}}
    x["axis"] = axis("rows in each", ",d", tickCount=10, tickMinStep=1, grid=False)
    end = max([bar["end"] for bar in bars] + [k + 1])
    x["scale"] = {"domain": [0, end], "nice": False}
    y: Spec = {"field": "classes", "type": "quantitative"}
    y["axis"] = axis(unit, ",d", tickCount=5, tickMinStep=1)
    tooltip = [
        {"field": "size", "title": "rows in each"},
        {"field": "classes", "title": unit, "format": ",d"},
        {"field": "rows", "title": "rows in all", "format": ",d"},
    ]
    at: Spec = {"x": {"field": "k", "type": "quantitative"}}
    says = at | {"text": {"field": "says"}, "y": {"value": 0}}
    text = {"type": "text", "align": "left", "dx": 6, "dy": 2, "fontWeight": "bold"}
    threshold = {"values": [{"k": k, "says": f"k = {k}"}]}
    return {
        "height": 160,
        "data": {"values": bars},
        "layer": [
            {
                "mark": {"type": "bar", "color": "var(--chart-1)", "binSpacing": 1},
                "encoding": {"x": x, "x2": {"field": "end"}, "y": y, "tooltip": tooltip},
            },
            {
                "data": threshold,
                "mark": {"type": "rule", "color": "var(--chart-2)", "size": 2},
                "encoding": at,
            },
            {
                "data": threshold,
                "mark": {**text, "color": "var(--ink)", "baseline": "top"},
                "encoding": says,
            },
        ],
    }


def _width(greatest: int, k: int) -> int:
    least = max(math.ceil((greatest - k + 1) / _BARS), 1)
    power = int(10 ** (len(str(least)) - 1))
    return next(literal * power for literal in (1, 2, 5, 10) if literal * power >= least)


def distribution(column: Distribution, position: int) -> Chart:
    """Return the shares of a column's values in source and release, side by side."""
    figures = [
        (
            bar.label,
            bar.source,
            percent(bar.source / column.rows if column.rows else None),
            round(bar.released),
            percent(bar.released / column.released if column.released else None),
        )
        for bar in column.bars
    ]
    before, after = "rows of the original table", "rows of the release, spread evenly"
    rows = Figures(["value", before, "share", after, "share"], figures)
    spec = _side_by_side(column)
    return chart(f"column-{position}", "Before and after", distance_says(column), spec, rows)


def _side_by_side(column: Distribution) -> Spec:
    bars: Rows = []
    for order, bar in enumerate(column.bars):
        for which, rows, whole in (
            (SOURCE, bar.source, column.rows),
            (RELEASE, bar.released, column.released),
        ):
            share = {"share": round(rows / whole if whole else 0, 6), "rows": round(rows, 1)}
            bars.append({"label": bar.label, "short": _short(bar.label), "order": order})
            bars[-1] |= {"which": which, **share}
    colours = {"domain": [SOURCE, RELEASE], "range": ["var(--chart-quiet)", "var(--chart-1)"]}
    colour: Spec = {"field": "which", "type": "nominal", "scale": colours}
    colour["legend"] = {"title": None, "orient": "top", "offset": 4}
    share_of: Spec = {"field": "share", "type": "quantitative"}
    share_of["axis"] = axis("share of the rows", "~%", tickCount=4)
    offset = {"field": "which", "sort": [SOURCE, RELEASE]}
    tooltip = [
        {"field": "label", "title": "value"},
        {"field": "which", "title": "in the"},
        {"field": "share", "title": "share", "format": ".2%"},
        {"field": "rows", "title": "rows", "format": ",.0f"},
    ]
    value: Spec = {"type": "nominal", "sort": {"field": "order"}}
    encoding: Spec = {"color": colour, "tooltip": tooltip}
    if column.kind == "names":
        height = 13 * len(column.bars) + 10
        value |= {"field": "label", "axis": axis(None, labelLimit=110)}
        encoding |= {"y": value, "yOffset": offset, "x": share_of}
    else:
        height = 130
        turned = axis(None, labelAngle=-40, labelOverlap=True, labelLimit=90)
        value |= {"field": "short", "axis": turned}
        encoding |= {"x": value, "xOffset": offset, "y": share_of}
    data = {"values": bars}
    return {"height": height, "data": data, "mark": {"type": "bar"}, "encoding": encoding}


def distance_says(column: Distribution) -> str:
    """Return in words how far apart two distributions are."""
    if column.distance is None:
        return "There are no rows to compare."
    if round(column.distance, 9) == 0:
        what = "total variation" if column.kind == "names" else "Wasserstein distance"
        return f"The shares are the same as before ({what} 0)."
    if column.kind == "names":
        return f"Total variation {percent(column.distance)} of the rows."
    unit = f" {column.unit}" if column.unit else ""
    of = f", {percent(column.relative)} of the range" if column.relative is not None else ""
    return f"Wasserstein distance {number(column.distance)}{unit}{of}."


def _short(label: str) -> str:
    for before, after in _SHORTER:
        label = label.replace(before, after)
    return label


def stages(by_name: Mapping[str, float]) -> Figures:
    """Return how long the stages of a run took, in their order and together."""
    rows = [[name.replace("_", " "), seconds(taken)] for name, taken in by_name.items()]
    return Figures(["stage", "took"], [*rows, ["all", seconds(sum(by_name.values()))]])


def history(runs: Sequence[EarlierRun]) -> list[Figures]:
    """Return the figures of all runs; none where there is only one."""
    if len(runs) < 2:
        return []
    headings = ["run", "started (UTC)", "took", "rows of the original table", "left out", "lost"]
    rows = [
        [
            *(run.run, run.started, seconds(run.seconds), run.records),
            *map(percent, (run.suppressed, run.loss)),
        ]
        for run in runs
    ]
    return [Figures(headings, rows)]
