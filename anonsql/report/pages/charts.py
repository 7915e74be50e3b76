"""The charts of a release: Vega-Lite specifications with the figures of documents in them, what is
to be seen in each, and the same figures as tables."""

from __future__ import annotations

import math
from typing import Any

from anonsql.report.page_documents import Chart, ClassSizes, Distribution, Entry, Figures
from anonsql.report.pages.promises import names
from anonsql.report.pages.shown import count, number, percent

Spec = dict[str, Any]
Rows = list[dict[str, Any]]
_ALONE = 40
"""Sizes of classes that get a bar each; more are put together."""
_BARS = 30
SOURCE, RELEASE = "original table", "release"


def chart(
    name: str, title: str, says: str, spec: Spec, headings: list[str], rows: list[list[Entry]]
) -> Chart:
    """Return a chart that is as wide as its place."""
    whole = {"width": "container", "autosize": {"type": "fit-x", "contains": "padding"}, **spec}
    figures = Figures(headings=headings, rows=rows)
    return Chart(name=name, title=title, says=says, spec=whole, figures=figures)


def axis(title: str | None, form: str | None = None, **more: Any) -> Spec:
    """Return an axis with a title, its numbers in a form of d3."""
    return {"title": title, **({"format": form} if form else {}), **more}


def class_sizes(found: ClassSizes, k: int, place: int) -> Chart:
    """Return the histogram of class sizes with k as the threshold."""
    sizes = found.sizes
    classes, rows = sum(each.classes for each in sizes), sum(e.rows * e.classes for e in sizes)
    greatest, least = max((e.rows for e in sizes), default=0), min((e.rows for e in sizes), default=0)
    below = sum(each.classes for each in sizes if each.rows < k)
    bars: Rows = []
    width = 1 if greatest < _ALONE else _width(greatest, k)
    for each in sizes:
        first = max(k + (each.rows - k) // width * width, 0)
        if not bars or bars[-1]["first"] != first:
            bars.append({"first": first, "end": first + width, "classes": 0, "rows": 0})
        bars[-1]["classes"] += each.classes
        bars[-1]["rows"] += each.rows * each.classes
    for bar in bars:
        last = bar["end"] - 1
        bar["size"] = count(last) if width == 1 else f"{bar['first']:,} to {last:,}"
    by = f" by {names(found.columns)}" if len(found.columns) < 5 else ""
    says = (
        f"{count(classes)} classes{by} hold {count(rows)} rows. The smallest has {count(least)}"
        f" rows, the largest {count(greatest)}. The line marks k\u00a0=\u00a0{k}: "
        + ("no class lies to its left." if not below else f"{count(below)} classes lie left of it.")
    )
    tooltip = [
        {"field": "size", "title": "rows in the class"},
        {"field": "classes", "title": "classes", "format": ",d"},
        {"field": "rows", "title": "rows in all", "format": ",d"},
    ]
    bars_of = {
        "mark": {"type": "bar", "color": "var(--chart-1)", "binSpacing": 1},
        "encoding": {
            "x": {
                "field": "first",
                "type": "quantitative",
                "bin": {"binned": True},
                "axis": axis("rows in a class", ",d", tickCount=10, grid=False),
                "scale": {"domain": [0, max(greatest + width, k + 1)], "nice": False},
            },
            "x2": {"field": "end"},
            "y": {
                "field": "classes",
                "type": "quantitative",
                "axis": axis("classes", ",d", tickCount=5, tickMinStep=1),
            },
            "tooltip": tooltip,
        },
    }
    threshold = {"data": {"values": [{"k": k, "says": f"k = {k}"}]}}
    at = {"x": {"field": "k", "type": "quantitative"}}
    line = {**threshold, "mark": {"type": "rule", "color": "var(--chart-2)", "size": 2}}
    text = {"type": "text", "align": "left", "dx": 6, "fontWeight": "bold"}
    label = {**threshold, "mark": {**text, "color": "var(--ink)", "baseline": "top"}}
    says_k = {"text": {"field": "says"}, "y": {"value": 0}}
    spec = {
        "height": 220,
        "data": {"values": bars},
        "layer": [bars_of, {**line, "encoding": at}, {**label, "encoding": at | says_k}],
    }
    return chart(
        f"class-sizes-{place}",
        "How many rows are alike",
        says,
        spec,
        ["rows in a class", "classes", "rows in all"],
        [[bar["size"], bar["classes"], bar["rows"]] for bar in bars],
    )


def _width(greatest: int, k: int) -> int:
    """Return the width of bars, of which one begins at k: a round number of rows."""
    least = max(math.ceil((greatest - k + 1) / _BARS), 1)
    power = 10 ** (len(str(least)) - 1)
    return next(each * power for each in (1, 2, 5, 10) if each * power >= least)


def distribution(column: str, found: Distribution, place: int) -> Chart:
    """Return the shares of a column's values in source and release, side by side."""
    bars: Rows = []
    for order, bar in enumerate(found.bars):
        for which, rows, whole in (
            (SOURCE, bar.source, found.rows),
            (RELEASE, bar.released, found.released),
        ):
            share = rows / whole if whole else 0
            shown = {"share": round(share, 6), "rows": round(rows, 1)}
            bars.append({"label": bar.label, "short": _short(bar.label), "order": order})
            bars[-1] |= {"which": which, **shown}
    colour = {
        "field": "which",
        "type": "nominal",
        "scale": {
            "domain": [SOURCE, RELEASE],
            "range": ["var(--chart-quiet)", "var(--chart-1)"],
        },
        "legend": {"title": None, "orient": "top", "offset": 4},
    }
    value = {"field": "label" if found.kind == "names" else "short", "type": "nominal"}
    value |= {"sort": {"field": "order"}, "axis": axis(None, labelLimit=180)}
    share_of = {
        "field": "share",
        "type": "quantitative",
        "axis": axis("share of the rows", "~%", tickCount=4),
    }
    offset = {"field": "which", "sort": [SOURCE, RELEASE]}
    tooltip = [
        {"field": "label", "title": "value"},
        {"field": "which", "title": "in the"},
        {"field": "share", "title": "share", "format": ".2%"},
        {"field": "rows", "title": "rows", "format": ",.0f"},
    ]
    common = {"color": colour, "tooltip": tooltip}
    if found.kind == "names":
        height: Spec = {"height": 24 * len(found.bars)}
        encoding = {"y": value, "yOffset": offset, "x": share_of}
    else:
        height = {"height": 180}
        value["axis"] = axis(None, labelAngle=-40, labelOverlap=True, labelLimit=90)
        encoding = {"x": value, "xOffset": offset, "y": share_of}
    spec = {
        **height,
        "data": {"values": bars},
        "mark": {"type": "bar"},
        "encoding": encoding | common,
    }
    return chart(
        f"column-{place}",
        "Before and after",
        distance_says(found),
        spec,
        ["value", "rows of the original table", "share", "rows of the release", "share"],
        [
            [
                each.label,
                each.source,
                percent(each.source / found.rows if found.rows else None),
                round(each.released),
                percent(each.released / found.released if found.released else None),
            ]
            for each in found.bars
        ],
    )


def distance_says(found: Distribution) -> str:
    """Return in words how far two distributions lie apart."""
    if found.distance is None:
        return "There are no rows to compare."
    if found.kind == "names":
        return (
            f"Total variation {percent(found.distance)}: this share of the rows would have to"
            " change their value for the bars to be equal."
        )
    unit = f" {found.unit}" if found.unit else ""
    of = f", {percent(found.relative)} of the range" if found.relative is not None else ""
    return (
        f"Wasserstein distance {number(found.distance)}{unit}{of}: so far a row's value would have"
        " to move, on average, for the bars to be equal."
    )


def _short(label: str) -> str:
    """Return a name of a bar that fits below it."""
    for before, after in ((" to below ", "–"), (" to before ", "–"), ("below ", "< ")):
        label = label.replace(before, after)
    return label.replace(" or more", " +").replace(" or later", " +")
