"""The summary of ``advise`` on a terminal: that of ``compare``, and the choice that is
recommended."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from anonsql.features.advise.document import AdviceReport
from anonsql.features.compare.terminal import print_figures
from anonsql.presentation.tables import statement


def advised(console: Console, report: AdviceReport) -> None:
    """Print the choices and the advice."""
    if report.interrupted:
        console.print("Interrupted: what follows is of the choices that were done.")
    print_figures(console, report)
    console.print(f"For {report.purpose}, ranked by the {report.ranked_by}.", highlight=False)
    if report.recommended is None:
        return
    console.print(f"\n{escape(report.closing)}", highlight=False)
    take = report.recommended.take
    if not take.lines():
        console.print("To take it: the policy as it is.", highlight=False)
        return
    rest = "; leave what else `privacy` says" if take.k is not None else ""
    console.print(f"To take it, write into the policy{rest}:", highlight=False)
    for line in take.lines():
        console.print(escape(statement(line)), highlight=False, soft_wrap=True)
