"""The charts of a release, of its usefulness, and of its runs, each also in words and as a
table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from anonsql.features.report.document import ClassSizes, Distribution, EarlierRun, Region
from anonsql.features.report.promises import names
from anonsql.features.run.document import Relocated, Withheld
from anonsql.features.runs.document import StatementLine
from anonsql.presentation.chart_parts import Spec, axis, chart
from anonsql.presentation.numbers import count, number, percent, seconds
from anonsql.presentation.tree import Chart, Figures

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
_MOST_TEMPLATES = 20


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


def statements(statement_lines: Sequence[StatementLine]) -> Figures:
    """Return the statements of a run by template, the slowest templates first, and together."""
    templates: dict[str, list[StatementLine]] = {}
    for line in statement_lines:
        templates.setdefault(line.name, []).append(line)
    ranked = sorted(templates.items(), key=lambda one: -sum(line.milliseconds for line in one[1]))
    groups: list[tuple[str, Sequence[StatementLine]]] = [*ranked[:_MOST_TEMPLATES]]
    if rest := ranked[_MOST_TEMPLATES:]:
        groups.append((f"{len(rest):,} others", [line for _, lines in rest for line in lines]))
    rows: list[list[object]] = [
        [
            name,
            len(lines),
            sum(line.rows for line in lines),
            round(sum(line.milliseconds for line in lines), 1),
            round(max(line.milliseconds for line in lines), 1),
        ]
        for name, lines in [*groups, ("all", statement_lines)]
    ]
    return Figures(["statement (template)", "times", "rows", "milliseconds", "longest"], rows)


def history(runs: Sequence[EarlierRun]) -> list[Chart]:
    """Return small charts of all runs; none where there is only one."""
    if len(runs) < 2:
        return []
    lines = (
        ("seconds", "Time", [run.seconds for run in runs], seconds),
        ("records", "Rows of the original table", [run.records for run in runs], count),
        ("suppressed", "Rows left out", [run.suppressed for run in runs], percent),
        ("loss", "Share of information lost", [run.loss for run in runs], percent),
    )
    charts = []
    for name, title, values, form in lines:
        known = [(run, value) for run, value in zip(runs, values, strict=True) if value is not None]
        if len(known) < 2:
            continue
        points = [
            {"run": run.run, "when": run.started, "value": value, "shown": form(value)}
            for run, value in known
        ]
        says = (
            f"From {form(known[0][1])} in run {known[0][0].run} to {form(known[-1][1])} in run"
            f" {known[-1][0].run}."
        )
        x = {
            "field": "run",
            "type": "ordinal",
            "axis": axis("run", labelAngle=0, grid=False, labelOverlap=True),
        }
        share = "~%" if form is percent else "~s"
        y = {"field": "value", "type": "quantitative", "axis": axis(None, share, tickCount=3)}
        tooltip = [
            {"field": "run", "title": "run"},
            {"field": "when", "title": "started (UTC)"},
            {"field": "shown", "title": title.lower()},
        ]
        mark = {"type": "line", "color": "var(--chart-1)", "point": {"color": "var(--chart-1)"}}
        spec = {
            "height": 90,
            "data": {"values": points},
            "mark": mark,
            "encoding": {"x": x, "y": y, "tooltip": tooltip},
        }
        headings = ["run", "started (UTC)", title.lower()]
        rows: list[list[object]] = [[run.run, run.started, form(value)] for run, value in known]
        charts.append(chart(f"history-{name}", title, says, spec, Figures(headings, rows)))
    return charts


def lost(columns: Mapping[str, float]) -> Chart:
    """Return the share of information lost by each column."""
    ranked = sorted(columns.items(), key=lambda column: -column[1])
    most, least = ranked[0], ranked[-1]
    says = (
        f"0 % means that the column is unchanged, 100 % that nothing of it is left. {most[0]}"
        f" lost most, {percent(most[1])}"
        + (f"; {least[0]} least, {percent(least[1])}." if len(ranked) > 1 else ".")
    )
    bars = [{"column": name, "lost": value, "order": n} for n, (name, value) in enumerate(ranked)]
    x = {"field": "lost", "type": "quantitative", "scale": {"domain": [0, 1]}}
    x |= {"axis": axis("lost", "~%", tickCount=5)}
    tooltip = {"field": "lost", "title": "lost", "format": ".2%"}
    figures = Figures(["column", "lost"], [(name, percent(value)) for name, value in ranked])
    return chart("lost", "What each column lost", says, _by_column(bars, x, tooltip), figures)


def regions(combinations: Sequence[Region]) -> Chart:
    """Return the combinations of labels by their rows and losses."""
    groups = sum(region.regions for region in combinations)
    rows = sum(region.rows * region.regions for region in combinations)
    mean = sum(region.rows * region.regions * region.lost for region in combinations) / max(rows, 1)
    says = (
        f"{count(groups)} different combinations of released values. To the right are"
        f" combinations of many rows, at the top those with a large loss: {percent(mean)} in the"
        " mean over rows. A larger point is several combinations."
    )
    points = [{"rows": e.rows, "lost": e.lost + 0.01, "regions": e.regions} for e in combinations]
    tooltip = [
        {"field": "rows", "title": "rows in each", "format": ",d"},
        {"field": "lost", "title": "lost, about", "format": ".0%"},
        {"field": "regions", "title": "combinations", "format": ",d"},
    ]
    log = {"type": "log", "nice": False, "padding": 24}
    x = {"field": "rows", "type": "quantitative", "scale": log}
    x |= {"axis": axis("rows with the combination", ",d", tickCount=6, tickMinStep=1, grid=False)}
    y = {"field": "lost", "type": "quantitative", "axis": axis("lost", "~%")}
    size = {"field": "regions", "type": "quantitative", "scale": {"range": [12, 420]}}
    spec = {
        "height": 260,
        "data": {"values": points},
        "mark": {"type": "circle", "color": "var(--chart-1)", "opacity": 0.55},
        "encoding": {"x": x, "y": y, "size": size | {"legend": None}, "tooltip": tooltip},
    }
    headings = ["rows in each", "lost, from", "combinations"]
    entries = [(region.rows, percent(region.lost), region.regions) for region in combinations[:200]]
    title = "Released combinations by size and loss"
    return chart("regions", title, says, spec, Figures(headings, entries))


def relocated(changed: Relocated) -> Chart:
    """Return how many values were changed, by column."""
    ranked = sorted(changed.columns.items(), key=lambda column: -column[1])
    says = (
        f"{count(changed.cells)} values of {count(changed.rows)} rows do not belong to their"
        f" rows: {percent(changed.cell_share)} of all; at most {percent(changed.p)} are allowed."
    )
    return _counts("relocated", "Changed values by column", says, "changed values", ranked)


def buckets(by_name: Mapping[str, Withheld]) -> Chart:
    """Return how many values are in buckets, by column."""
    ranked = sorted(
        ((name, withheld.cells) for name, withheld in by_name.items()), key=lambda e: -e[1]
    )
    least = min(withheld.smallest for withheld in by_name.values())
    says = (
        f"{count(sum(cells for _, cells in ranked))} sensitive values are published in buckets,"
        f" separately from their rows. The smallest bucket has {count(least)} values."
    )
    return _counts("buckets", "Values in buckets by column", says, "values in buckets", ranked)


def _counts(
    name: str, title: str, says: str, what: str, ranked: Sequence[tuple[str, int]]
) -> Chart:
    bars = [{"column": column, "n": n, "order": o} for o, (column, n) in enumerate(ranked)]
    x = {"field": "n", "type": "quantitative", "axis": axis(what, ",d", tickCount=5)}
    spec = _by_column(bars, x, {"field": "n", "title": what})
    return chart(name, title, says, spec, Figures(["column", what], ranked))


def _by_column(bars: Sequence[Spec], x: Spec, tooltip: Spec) -> Spec:
    y = {"field": "column", "type": "nominal", "sort": {"field": "order"}, "axis": axis(None)}
    tooltips = [{"field": "column", "title": "column"}, tooltip]
    return {
        "height": 24 * len(bars),
        "data": {"values": bars},
        "mark": {"type": "bar", "color": "var(--chart-1)", "height": {"band": 0.7}},
        "encoding": {"y": y, "x": x, "tooltip": tooltips},
    }
