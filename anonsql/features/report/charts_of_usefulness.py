"""The charts of how useful a release is: what it lost, and how far answers from it are off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonsql.features.report.page_document import Region, Workload
from anonsql.features.run.document import Relocated, Withheld
from anonsql.presentation.charts import Spec, axis, chart
from anonsql.presentation.numbers import count, percent
from anonsql.presentation.tree import Chart, Figures


def lost(columns: Mapping[str, float]) -> Chart:
    """Return the share of information lost by each column."""
    ranked = sorted(columns.items(), key=lambda column: -column[1])
    most, least = ranked[0], ranked[-1]
    says = (
        f"0 % means that the column is as it was, 100 % that it tells nothing any more."
        f" {most[0]} lost most, {percent(most[1])}"
        + (f"; {least[0]} least, {percent(least[1])}." if len(ranked) > 1 else ".")
    )
    bars = [{"column": name, "lost": value, "order": n} for n, (name, value) in enumerate(ranked)]
    x = {"field": "lost", "type": "quantitative", "scale": {"domain": [0, 1]}}
    x |= {"axis": axis("lost", "~%", tickCount=5)}
    tooltip = {"field": "lost", "title": "lost", "format": ".2%"}
    figures = Figures(["column", "lost"], [(name, percent(value)) for name, value in ranked])
    return chart("lost", "What each column lost", says, _by_column(bars, x, tooltip), figures)


def errors(workloads: Sequence[Workload]) -> Chart | None:
    """Return the error of COUNT queries by conditions and selectivity; None without an estimate."""
    known = [workload for workload in workloads if workload.error.median is not None]
    if not known:
        return None
    best = min(known, key=lambda workload: workload.error.median or 0)
    worst = max(known, key=lambda workload: workload.error.median or 0)
    says = (
        f"Half of the questions {_kind(best)} are off by {percent(best.error.median)} or less;"
        f" {_kind(worst)} half are off by {percent(worst.error.median)} or less, and 9 in 10 by"
        f" {percent(worst.error.ninetieth)} or less. Each bar stands for"
        f" {known[0].queries:,} random questions."
    )
    headings = ["asks about", "selects", "questions", "half off by at most", "9 in 10 by at most"]
    rows = [
        (
            _conditions(workload.predicates),
            _selects(workload),
            workload.queries,
            percent(workload.error.median),
            percent(workload.error.ninetieth),
        )
        for workload in known
    ]
    spec = _errors_spec(known)
    return chart("errors", "How far answers are off", says, spec, Figures(headings, rows))


def _errors_spec(known: Sequence[Workload]) -> Spec:
    points = [
        {
            "selects": _selects(workload),
            "order": workload.selectivity or 0,
            "conditions": _conditions(workload.predicates),
            "median": workload.error.median,
            "ninetieth": workload.error.ninetieth,
        }
        for workload in known
    ]
    x: Spec = {"field": "selects", "type": "nominal", "sort": {"field": "order"}}
    x["axis"] = axis("share of the rows that a question selects", labelAngle=0, grid=False)
    kind: Spec = {"field": "conditions", "type": "nominal"}
    colour = kind | {"scale": {"range": [f"var(--chart-{number})" for number in (1, 2, 3)]}}
    colour["legend"] = {"title": "asks about", "orient": "top"}
    y: Spec = {"field": "median", "type": "quantitative"}
    y["axis"] = axis("half are off by at most", "~%", tickCount=5)
    tooltip = [
        {"field": "conditions", "title": "asks about"},
        {"field": "selects", "title": "selects"},
        {"field": "median", "title": "half are off by at most", "format": ".1%"},
        {"field": "ninetieth", "title": "9 in 10 by at most", "format": ".1%"},
    ]
    encoding = {"x": x, "xOffset": kind, "color": colour, "y": y, "tooltip": tooltip}
    data = {"values": points}
    return {"height": 180, "data": data, "mark": {"type": "bar"}, "encoding": encoding}


def _selects(workload: Workload) -> str:
    return "any share" if workload.selectivity is None else percent(workload.selectivity)


def _conditions(predicates: int) -> str:
    return "1 column" if predicates == 1 else f"{predicates} columns"


def _kind(workload: Workload) -> str:
    share = workload.selectivity
    selecting = "" if share is None else f" that select about {percent(share)}"
    return f"about {_conditions(workload.predicates)}{selecting}"


def regions(combinations: Sequence[Region]) -> Chart:
    """Return the combinations of labels by their rows and what they lost."""
    groups = sum(region.regions for region in combinations)
    rows = sum(region.rows * region.regions for region in combinations)
    mean = sum(region.rows * region.regions * region.lost for region in combinations) / max(rows, 1)
    says = (
        f"{count(groups)} different combinations of released values. To the right are those of many"
        f" rows, at the top those that lost much: {percent(mean)} in the mean over rows. A larger"
        " point stands for more combinations."
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
        f"{count(changed.cells)} values of {count(changed.rows)} rows are not true of their rows:"
        f" {percent(changed.cell_share)} of all, at most {percent(changed.p)} may be."
    )
    return _counts("relocated", "Changed values by column", says, "changed values", ranked)


def buckets(by_name: Mapping[str, Withheld]) -> Chart:
    """Return how many values are in buckets, by column."""
    ranked = sorted(
        ((name, withheld.cells) for name, withheld in by_name.items()), key=lambda e: -e[1]
    )
    least = min(withheld.smallest for withheld in by_name.values())
    says = (
        f"{count(sum(cells for _, cells in ranked))} sensitive values are told in buckets, apart"
        f" from their rows. The smallest bucket has {count(least)} values."
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
