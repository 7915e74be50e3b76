"""What ``advise`` says of its document: that of ``compare``, and the choice that is recommended."""

from __future__ import annotations

from anonsql.features.advise.document import AdviceReport
from anonsql.features.compare.described import reasons, side_by_side, table_of
from anonsql.presentation.tree import Code, Part, Section, Sentence


def describe(report: AdviceReport) -> list[Part]:
    """Return the choices and the advice."""
    interrupted = "Interrupted: the following choices were finished."
    head = [Sentence(interrupted, tone="warn")] if report.interrupted else []
    closing = [Section("Recommendation", _recommendation(report))]
    if report.whole:
        met = [line for line in report.whole if line.status == "met"]
        table = [table_of(report.model_copy(update={"best": {}}), met)] if met else []
        closing.append(Section("On the whole table", [*table, *reasons(report.whole)]))
    return [*head, *side_by_side(report, closing)]


def _recommendation(report: AdviceReport) -> list[Part]:
    ranked: list[Part] = [Sentence(f"For {report.purpose}, ranked by the {report.ranked_by}.")]
    if report.recommended is None:
        return [*ranked, *([Sentence(report.closing)] if report.closing else [])]
    take = report.recommended.take
    if not take.lines():
        return [
            *ranked,
            Sentence(report.closing),
            Sentence("To use it: leave the policy unchanged."),
        ]
    parts = {"privacy": take.k, "columns": take.columns}
    stay = [f"`{name}`" for name, own in parts.items() if own is not None]
    say = "says" if len(stay) == 1 else "say"
    rest = f"; leave what else {' and '.join(stay)} {say}" if stay else ""
    return [
        *ranked,
        Sentence(report.closing),
        Sentence(f"To use it, write into the policy{rest}:"),
        *map(Code, take.lines()),
    ]
