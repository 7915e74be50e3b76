"""The charts and tables of a release and of its runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anonsql.features.report.document import ClassSizes, Distribution
from anonsql.features.report.promises import names
from anonsql.features.risk.bands import bands
from anonsql.features.risk.described import size_of
from anonsql.presentation.numbers import count, number, percent, seconds
from anonsql.presentation.tree import Chart, Figures, Section, Sentence, Spec, axis, chart

Rows = list[dict[str, Any]]
GROUP = "group_id"
_SHORTER = (
    *(("no value (NULL)", "none"), (" to below ", "–"), (" to before ", "–")),
    *(("below ", "< "), ("before ", "< "), (" or more", " +"), (" or later", " +")),
)
SOURCE, RELEASE = "original table", "release"


def class_sizes(sizes: ClassSizes, k: int) -> Section:
    """Return how many classes have how many rows, in words and as a table."""
    found = bands([(size.rows, size.classes) for size in sizes.sizes])
    least, most = (end(size.rows for size in sizes.sizes) if found else 0 for end in (min, max))
    below = sum(size.classes for size in sizes.sizes if size.rows < k)
    grouped = sizes.columns == [GROUP]
    unit = "groups" if grouped else "classes"
    by = f" by {names(sizes.columns)}" if len(sizes.columns) < 5 and not grouped else ""
    says = (
        f"{count(sum(band.classes for band in found))} {unit}{by} contain"
        f" {count(sum(band.rows for band in found))} rows. The smallest has {count(least)} rows, the"
        f" largest {count(most)}. "
        + (f"{count(below)} {unit} have" if below else f"None of the {unit} has")
        + f" fewer than k\u00a0=\u00a0{k} rows."
    )
    rows = [[size_of((band.least, band.most)), band.classes, band.rows] for band in found]
    title = "How large the groups are" if grouped else "How many rows have equal values"
    return Section(title, [Sentence(says), Figures(["rows in each", unit, "rows in all"], rows)])


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
