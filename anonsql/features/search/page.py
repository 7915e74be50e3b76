"""The page of ``anonsql search``: the solution space as a chart and a table, with the line of the
policy that publishes each generalization."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from anonsql.features.search.charts import solution_space
from anonsql.features.search.solution_document import SolutionSpace
from anonsql.presentation import page
from anonsql.presentation.tree import Chart, Figures


@dataclass(frozen=True)
class View:
    """The parts that ``space.html.j2`` shows of a ``space``."""

    space: SolutionSpace
    chart: Chart
    front: Figures
    levels: Figures


def render(space: SolutionSpace) -> str:
    """Return the page of a solution space."""
    return page.render(
        "features/search/page", title=f"Ways to release {space.table}", view=view_of(space)
    )


def view_of(space: SolutionSpace) -> View:
    """Return what pages show of a solution space."""
    best = len(space.front)
    chart = Chart(
        name="solution-space",
        title="What each generalization costs",
        says=(
            "A point is a generalization that keeps the promise. Further left loses less of the"
            " values, further down suppresses fewer rows."
            + (f" The line joins the {best} that no other beats in both." if best > 1 else "")
            + (
                " The diamond is the one that the policy publishes."
                if space.chosen is not None
                else ""
            )
        ),
        spec=solution_space(space.nodes, set(space.front), space.chosen),
        figures=_figures(space, range(len(space.nodes))),
    )
    levels = [
        [column.name, level.level, level.name, level.example, level.lost * 100]
        for column in space.columns
        for level in column.levels
    ]
    return View(
        space,
        chart,
        _figures(space, sorted({*space.front, *([] if space.chosen is None else [space.chosen])})),
        Figures(["column", "level", "is", "for example", "loses, %"], levels),
    )


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
