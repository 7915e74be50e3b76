"""What ``advise`` says of its document: that of ``compare``, and the choice that is recommended."""

from __future__ import annotations

from anonsql.features.advise.document import AdviceReport
from anonsql.features.compare.described import side_by_side
from anonsql.presentation.tree import Code, Part, Section, Sentence


def describe(report: AdviceReport) -> list[Part]:
    """Return the choices and the advice."""
    interrupted = "Interrupted: what follows is of the choices that were done."
    head = [Sentence(interrupted, tone="warn")] if report.interrupted else []
    return [*head, *side_by_side(report, [Section("Recommendation", _recommendation(report))])]


def _recommendation(report: AdviceReport) -> list[Part]:
    ranked: list[Part] = [Sentence(f"For {report.purpose}, ranked by the {report.ranked_by}.")]
    if report.recommended is None:
        return ranked
    take = report.recommended.take
    if not take.lines():
        return [*ranked, Sentence(report.closing), Sentence("To take it: the policy as it is.")]
    rest = "; leave what else `privacy` says" if take.k is not None else ""
    return [
        *ranked,
        Sentence(report.closing),
        Sentence(f"To take it, write into the policy{rest}:"),
        *map(Code, take.lines()),
    ]
