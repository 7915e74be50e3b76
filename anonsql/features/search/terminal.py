"""The terminal's summary of a search."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from anonsql.features.run import several_tables_terminal as relational
from anonsql.features.run.several_tables_document import RelationalSearchReport
from anonsql.features.search.document import Explained, SearchReport
from anonsql.presentation.tables import lines, statement
from anonsql.sql.templates import render

_SHOWN_NODES = 20
_FIGURES = 48
"""Characters that the figures of a node take at most."""

_RULES = {
    "checked": "counted",
    "part": "failing because a part of the rows shows it",
    "generalization": "satisfying because a node below does",
    "specialization": "failing because a node above does",
    "subset": "not counted, for fewer columns told enough or because the search had ended",
}


def search(console: Console, report: SearchReport | RelationalSearchReport) -> None:
    """Print the satisfying generalizations, the least lossy first."""
    if isinstance(report, RelationalSearchReport):
        relational.search(console, report)
        return
    minimal = sum(node.minimal for node in report.nodes)
    console.print(
        f"{len(report.nodes):,} of {report.lattice:,} generalizations satisfy, {minimal:,} of them"
        f" minimal; {report.checked:,} nodes checked in {report.seconds:.2f} s.\n"
    )
    names = report.quasi_identifiers
    fits = sum(len(name) + 2 for name in names) + _FIGURES <= console.width
    headings = names if fits else ["levels"]
    table = lines(
        *headings,
        "loss",
        "suppressed",
        "classes",
        "smallest",
        "",
        right=tuple(range(len(headings) + 4)) if fits else (1, 2, 3, 4),
    )
    for node in sorted(report.nodes, key=lambda node: (node.loss, node.height))[:_SHOWN_NODES]:
        levels = [str(level) for level in node.levels.values()]
        named = ", ".join(f"{name}={level}" for name, level in node.levels.items())
        table.add_row(
            *(levels if fits else [escape(named)]),
            f"{node.loss:.4f}",
            f"{node.suppressed:,}",
            f"{node.classes:,}",
            f"{node.min_class:,}",
            "minimal" if node.minimal else "",
        )
    console.print(table)
    if len(report.nodes) > _SHOWN_NODES:
        console.print(f"\nThe {_SHOWN_NODES} of least loss; all of them with --json.")
    if report.explained:
        _explained(console, report.explained)


def _explained(console: Console, explained: Explained) -> None:
    """Print how the search went, and where to find it node by node."""
    console.print(f"\nBy the algorithm [bold]{explained.algorithm}[/]:")
    table = lines("", "counted", "satisfying", "undecided", "seconds", right=(1, 2, 3, 4))
    for round_ in explained.rounds:
        undecided = "" if round_.undecided is None else f"{round_.undecided:,}"
        table.add_row(
            round_.title,
            f"{round_.counted:,}",
            f"{round_.satisfied:,}",
            undecided,
            f"{round_.seconds:.3f}",
        )
    console.print(table)
    console.print(
        "Verdicts: "
        + ", ".join(f"{count:,} {_RULES[rule]}" for rule, count in explained.rules.items())
        + "."
    )
    console.print("Every node stands in the catalog:")
    console.print(
        escape(statement(render("features/search/nodes"))), highlight=False, soft_wrap=True
    )
