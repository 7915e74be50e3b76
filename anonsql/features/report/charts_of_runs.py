"""How a release was made: tables of the stages and statements of its run, and charts of earlier
runs beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonsql.features.report.page_document import EarlierRun
from anonsql.features.runs.document import StatementLine
from anonsql.presentation.charts import Chart, Entry, Figures, axis, chart, table
from anonsql.presentation.numbers import count, percent, seconds

_MOST_TEMPLATES = 20


def stages(by_name: Mapping[str, float]) -> Figures:
    """Return how long the stages of a run took, in their order and together."""
    rows = [[name.replace("_", " "), seconds(taken)] for name, taken in by_name.items()]
    return table(["stage", "took"], [*rows, ["all", seconds(sum(by_name.values()))]])


def statements(statement_lines: Sequence[StatementLine]) -> Figures:
    """Return the statements of a run by template, the slowest templates first, and together."""
    templates: dict[str, list[StatementLine]] = {}
    for line in statement_lines:
        templates.setdefault(line.name, []).append(line)
    ranked = sorted(templates.items(), key=lambda one: -sum(line.milliseconds for line in one[1]))
    groups: list[tuple[str, Sequence[StatementLine]]] = [*ranked[:_MOST_TEMPLATES]]
    if rest := ranked[_MOST_TEMPLATES:]:
        groups.append((f"{len(rest):,} others", [line for _, lines in rest for line in lines]))
    rows: list[list[Entry]] = [
        [
            name,
            len(lines),
            sum(line.rows for line in lines),
            round(sum(line.milliseconds for line in lines), 1),
            round(max(line.milliseconds for line in lines), 1),
        ]
        for name, lines in [*groups, ("all", statement_lines)]
    ]
    return table(["statement (template)", "times", "rows", "milliseconds", "longest"], rows)


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
