"""The charts of how a release was made: its stages and statements on a line of time, and earlier
runs beside it."""

from __future__ import annotations

from collections.abc import Sequence

from anonsql.features.report.page_document import EarlierRun
from anonsql.features.run.charts import _SECONDS
from anonsql.features.runs.document import StatementLine
from anonsql.presentation.charts import Chart, Entry, axis, chart, table
from anonsql.presentation.numbers import count, percent, seconds

MOST_STATEMENTS = 600
_MOST_TEMPLATES = 20
_PLANES = {
    "data": "database of the source",
    "workbench": "workbench (DuckDB)",
    "control": "catalog",
}


def statements(statement_lines: Sequence[StatementLine]) -> Chart:
    """Return the statements of a run on a line of time, each where the ones before it ended; of
    very many the longest."""
    at, bars = 0.0, []
    for line in statement_lines:
        bars.append(
            {
                "where": _PLANES.get(line.plane, line.plane),
                "from": round(at / 1000, 5),
                "to": round((at + line.milliseconds) / 1000, 5),
                "statement": line.name,
                "number": line.number,
                "rows": line.rows,
                "took": seconds(line.milliseconds / 1000),
                "ms": line.milliseconds,
            }
        )
        at += line.milliseconds
    longest = max(statement_lines, key=lambda line: line.milliseconds)
    kept = sorted(bars, key=lambda bar: -float(str(bar["ms"])))[:MOST_STATEMENTS]
    of = "" if len(kept) == len(bars) else f" The {len(kept):,} longest are drawn."
    says = (
        f"{count(len(statement_lines))} statements took {seconds(at / 1000)}; what Python did"
        f" between them is"
        f" left out. The longest, {longest.name}, took {seconds(longest.milliseconds / 1000)}.{of}"
    )
    tooltip = [
        {"field": "number", "title": "number"},
        {"field": "statement", "title": "statement"},
        {"field": "rows", "title": "rows", "format": ",d"},
        {"field": "took", "title": "took"},
    ]
    x = {
        "field": "from",
        "type": "quantitative",
        "axis": _SECONDS,
    }
    y = {"field": "where", "type": "nominal", "axis": axis(None), "sort": list(_PLANES.values())}
    spec = {
        "height": 44 * len({bar["where"] for bar in kept}),
        "data": {"values": sorted(kept, key=lambda bar: int(str(bar["number"])))},
        "mark": {
            "type": "bar",
            "height": {"band": 0.6},
            "color": "var(--chart-1)",
            "stroke": "var(--sheet)",
            "strokeWidth": 0.5,
        },
        "encoding": {"x": x, "x2": {"field": "to"}, "y": y, "tooltip": tooltip},
    }
    figures = table(
        ["statement (template)", "times", "rows", "milliseconds"], _templates(statement_lines)
    )
    return chart("statements", "Statement by statement", says, spec, figures)


def _templates(statement_lines: Sequence[StatementLine]) -> list[list[Entry]]:
    """Return the statements that took longest together, by template."""
    totals: dict[str, list[float]] = {}
    for line in statement_lines:
        own = totals.setdefault(line.name, [0, 0, 0.0])
        own[0], own[1], own[2] = own[0] + 1, own[1] + line.rows, own[2] + line.milliseconds
    ranked = sorted(totals.items(), key=lambda total: -total[1][2])
    rows: list[list[Entry]] = [
        [name, int(times), int(rows), round(taken, 1)]
        for name, (times, rows, taken) in ranked[:_MOST_TEMPLATES]
    ]
    if rest := ranked[_MOST_TEMPLATES:]:
        times, more, taken = (sum(row[1][position] for row in rest) for position in range(3))
        rows.append([f"{len(rest):,} others", int(times), int(more), round(taken, 1)])
    return rows


def history(runs: Sequence[EarlierRun]) -> list[Chart]:
    """Return small charts of earlier runs beside the last one; none where there is only one."""
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
        rows: list[list[Entry]] = [[run.run, run.started, form(value)] for run, value in known]
        charts.append(chart(f"history-{name}", title, says, spec, table(headings, rows)))
    return charts
