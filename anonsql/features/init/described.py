"""What ``init`` says of its document."""

from __future__ import annotations

from anonsql.features.init.document import InitReport
from anonsql.features.init.policy_text import shown
from anonsql.presentation.tree import Part, Sentence, findings


def describe(report: InitReport) -> list[Part]:
    """Return the place of the policy and the open decisions."""
    then = "tabulate" if report.statistics else "run"
    undecided = ", ".join(map(shown, report.undecided))
    return [
        Sentence(f" {report.policy} for {report.columns} columns.", "Wrote", "good"),
        *([Sentence(f"You must still decide: {undecided}.")] if undecided else []),
        *findings("warning", "warn", report.warnings),
        Sentence(
            f"Read it and finish it, then: `anonsql check {report.policy}` and"
            f" `anonsql {then} {report.policy}`."
        ),
    ]
