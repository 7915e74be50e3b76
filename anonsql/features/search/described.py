"""The words of ``search`` for its document, and pages of the solution space: the cost of each
generalization, with the line of the policy that publishes it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from anonsql.features.search.document import (
    Explained,
    RelationalSearchReport,
    SearchNode,
    SearchReport,
    SolutionSpace,
)
from anonsql.presentation.numbers import Number, percent
from anonsql.presentation.tree import Chart, Code, Figures, Part, Section, Sentence, Spec, chart
from anonsql.sql.templates import render
from anonsql.system.numbers import counted

_SHOWN_NODES = 20
_RULES = {
    "checked": "counted",
    "part": "failing because a part of the rows shows it",
    "generalization": "satisfying because a node below satisfies",
    "specialization": "failing because a node above fails",
    "subset": "not counted, because fewer columns were enough to decide or the search had ended",
}


def describe(report: SearchReport) -> list[Part]:
    """Return the satisfying generalizations, the least lossy first."""
    minimal = sum(node.minimal for node in report.nodes)
    head = (
        f"{len(report.nodes):,} of {report.lattice:,} generalizations keep the promise,"
        f" {minimal:,} of them minimal; {report.checked:,} nodes checked in {report.seconds:.2f}"
        " s."
    )
    rows = [
        [
            ", ".join(f"{name}={level}" for name, level in node.levels.items()),
            Number(f"{node.loss:.4f}"),
            node.suppressed,
            node.classes,
            node.min_class,
            "minimal" if node.minimal else "",
        ]
        for node in sorted(report.nodes, key=lambda node: (node.loss, node.height))[:_SHOWN_NODES]
    ]
    parts: list[Part] = [
        Sentence(head),
        Figures(["levels", "loss", "suppressed", "classes", "smallest", ""], rows),
    ]
    if len(report.nodes) > _SHOWN_NODES:
        parts.append(Sentence(f"The {_SHOWN_NODES} with the lowest loss; all of them with --json."))
    return [*parts, *(_explained(report.explained) if report.explained else [])]


def of_tables(report: RelationalSearchReport) -> list[Part]:
    """Return the generalizations that lose least."""
    head = Sentence(
        f"{len(report.nodes):,} of {report.lattice:,} generalizations keep the promise;"
        f" {report.judged:,} were counted."
    )
    if not report.nodes:
        return [head, Sentence(report.advice or "")]
    rows = [
        [
            ", ".join(f"{name}={node.levels[name]}" for name in report.quasi_identifiers),
            ", ".join(f"{name} {rows:,}" for name, rows in node.suppressed.items() if rows),
            percent(node.loss),
        ]
        for node in report.nodes[:_SHOWN_NODES]
    ]
    return [head, Figures(["levels", "suppressed", "loss"], rows)]


def _explained(explained: Explained) -> list[Part]:
    rounds = [
        [one.title, one.counted, one.satisfied, one.undecided, Number(f"{one.seconds:.3f}")]
        for one in explained.rounds
    ]
    verdicts = ", ".join(f"{count:,} {_RULES[rule]}" for rule, count in explained.rules.items())
    steps = [
        Figures(["", "counted", "satisfying", "undecided", "seconds"], rounds),
        Sentence(f"Verdicts: {verdicts}."),
        Sentence("Every node is in the catalog:"),
        Code(render("features/search/nodes")),
    ]
    return [Section(f"By the algorithm {explained.algorithm}", steps)]


def of_space(space: SolutionSpace) -> list[Part]:
    """Return the solution space for a page of its own."""
    head = f"{space.satisfied:,} of {space.size:,} generalizations keep the promise."
    shown = [Sentence(f"{head} Nothing was published.")]
    return [*shown, Section("The solution space", solution_space(space))]


def solution_space(space: SolutionSpace) -> list[Part]:
    """Return the cost of each generalization, and how to publish another one."""
    promises = "".join(f"; {name}: {said}" for name, said in space.promises.items())
    at_most = f"at most {space.limit:,}" if space.limit else "none"
    parts: list[Part] = [
        Sentence(
            "Each column can be released at several levels: level 0 is the original value, and"
            " every level above it is coarser. One level for each column together is a"
            f" generalization. Of {space.size:,} generalizations, {space.satisfied:,} keep the"
            f" promise (k = {space.k}{promises}) with {at_most} of {space.rows:,} rows suppressed,"
            f" which means left out. {counted(space.minimal, 'is', 'are')} minimal: every finer"
            " generalization fails."
        )
    ]
    if len(space.nodes) < space.satisfied:
        parts.append(
            Sentence(
                f"The chart and its table show {len(space.nodes):,} of them: those with the"
                " lowest loss and those of the table below."
            )
        )
    if space.chosen is not None:
        chosen = space.nodes[space.chosen]
        least = (space.minimize or "").replace("-", " ").replace("_", " ")
        parts.append(
            Sentence(
                "The policy publishes number"
                f" {space.chosen + 1}{f', the one of least {least}' if least else ''}. It loses"
                f" {percent(chosen.loss)} of the information, suppresses {chosen.suppressed:,}"
                f" rows and has {chosen.classes:,} classes."
            )
        )
    other = (
        "Copy the line in the last column into the policy, instead of its `method`, then run it"
        " again. The table shows the generalizations for which no other is better in both loss and"
        " suppressed rows; the figures of the chart show the others."
    )
    levels = [
        [column.name, level.level, level.name, level.example, level.lost * 100]
        for column in space.columns
        for level in column.levels
    ]
    explained = Figures(["column", "level", "is", "for example", "loses, %"], levels)
    return [
        *parts,
        _costs(space),
        Section("Publish another one", [Sentence(other), _figures(space, _front(space))]),
        Section("What the levels are", [explained], folded=True),
    ]


def _costs(space: SolutionSpace) -> Chart:
    says = (
        "A point is a generalization that keeps the promise. The further left, the less detail"
        " is lost; the further down, the fewer rows are suppressed."
    )
    if len(space.front) > 1:
        says += f" The line joins the {len(space.front)} for which no other is better in both."
    if space.chosen is not None:
        says += " The diamond is the generalization that the policy publishes."
    spec = space_spec(space.nodes, set(space.front), space.chosen)
    figures = _figures(space, range(len(space.nodes)))
    return chart("solution-space", "What each generalization costs", says, spec, figures)


def _front(space: SolutionSpace) -> list[int]:
    return sorted({*space.front, *([] if space.chosen is None else [space.chosen])})


def _figures(space: SolutionSpace, places: Iterable[int]) -> Figures:
    """Return a table of some generalizations, with the line that publishes each."""
    names = [column.name for column in space.columns]
    rows: list[list[object]] = []
    for at in places:
        node = space.nodes[at]
        marks = {
            "chosen": at == space.chosen,
            "front": at in space.front,
            "minimal": node.minimal,
        }
        levels = [node.levels[name] for name in names]
        sizes = [node.suppressed, node.classes, node.min_class]
        is_ = ", ".join(name for name, so in marks.items() if so)
        rows.append([at + 1, *levels, node.loss * 100, *sizes, is_, space.lines(node)])
    costs = ["loss, %", "suppressed", "classes", "smallest", "is", "publish this one"]
    return Figures(["number", *names, *costs], rows)


def space_spec(nodes: Sequence[SearchNode], front: Collection[int], chosen: int | None) -> Spec:
    """Return the specification (Vega-Lite) of the chart: a point for each node at its loss and its
    suppressed rows, the front as a line, the chosen one as a diamond."""
    flat = not any(node.suppressed for node in nodes)
    x: Spec = {"field": "loss", "type": "quantitative", "title": "share of information lost"}
    x |= {"axis": {"format": ".0%", "grid": False}}
    x |= {"scale": _scale([node.loss for node in nodes])}
    y: Spec = {"field": "suppressed", "type": "quantitative", "title": "rows suppressed"}
    y |= {"axis": {"format": ",d", "tickCount": 1 if flat else 6, "tickMinStep": 1}}
    y |= {"scale": _scale([0, *(node.suppressed for node in nodes)])}
    tooltip = [
        {"field": "number", "type": "quantitative"},
        {"field": "levels", "type": "nominal"},
        {"field": "loss", "type": "quantitative", "format": ".2%"},
        {"field": "suppressed", "type": "quantitative", "format": ",d"},
        {"field": "classes", "type": "quantitative", "format": ",d"},
        {"field": "smallest", "type": "quantitative", "format": ",d"},
    ]
    point: Spec = {"type": "point", "filled": True}
    line: Spec = {"type": "line", "interpolate": "step-after", "color": "var(--chart-2)"}
    line |= {"point": {"filled": True, "color": "var(--chart-2)", "size": 46}}
    diamond = point | {"shape": "diamond", "size": 220, "color": "var(--bad)", "opacity": 1}
    return {
        "height": 120 if flat else 340,
        "data": {
            "values": [
                _point(at, node) | {"front": at in front, "chosen": at == chosen}
                for at, node in enumerate(nodes)
            ]
        },
        "encoding": {"x": x, "y": y, "tooltip": tooltip},
        "layer": [
            {"mark": point | {"size": 26, "opacity": 0.55, "color": "var(--chart-1)"}},
            {"transform": [{"filter": "datum.front"}], "mark": line},
            {"transform": [{"filter": "datum.chosen"}], "mark": diamond},
        ],
    }


def _scale(values: Sequence[float]) -> Spec:
    """Return the scale of an axis: from the least to the greatest value, at round numbers."""
    low, high = min(values, default=0), max(values, default=1)
    return {"domain": [low, high if high > low else low + 1], "nice": True, "zero": False}


def _point(at: int, node: SearchNode) -> Spec:
    levels = ", ".join(f"{name} {level}" for name, level in node.levels.items())
    return {
        "number": at + 1,
        "levels": levels,
        "loss": node.loss,
        "suppressed": node.suppressed,
        "classes": node.classes,
        "smallest": node.min_class,
    }
