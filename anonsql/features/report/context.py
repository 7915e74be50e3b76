"""The parts of the owner's page that the software cannot prove: who receives a release, and when the
decision is reviewed. Headings are those of ISO/IEC 27559."""

from __future__ import annotations

from datetime import UTC, datetime

from anonsql.policy.envelope import Recipient
from anonsql.presentation.tree import Code, Figures, Part, Section, Sentence

RECORD = "run's record"
"""What figures are marked with that verification does not recompute."""
_NOBODY = (
    "The policy does not name the recipient. Whether a release is anonymous depends on who receives"
    " it, on what they have, and under which terms. Add it to the policy:"
)
_LINES = (
    "release:",
    "  for:",
    "    who: the university's analysts, to plan wards",
    "    means: no other table of these people",
    "    terms: not passed on, no attempt to identify (contract of 2026)",
    "    until: 2027-12-31",
)
_AGAIN = (
    "Review it earlier if the recipient, the purpose or the terms change; if the source gets other"
    " columns or other kinds of people; if data about the same people are published, by you or by"
    " others; or if `anonsql verify` or `anonsql attack` finds more than for this page. `anonsql run"
    " POLICY --if-changed` publishes again if the source has changed."
)
_SOURCES = (
    (
        "released rows, classes and their sizes, people, promises, kept columns, risks",
        "the published file",
        "recomputed by anonsql verify",
    ),
    (
        "losses and distributions by column, usefulness, who is left out, risks of the original",
        "release and source, for this page",
        "computed again by anonsql measure and anonsql risk --source",
    ),
    (f"figures marked “{RECORD}”", "the catalog", "not recomputed"),
)


def unit_of(entity: str | None) -> str:
    """Return the unit of protection, in words."""
    if entity is not None:
        return f"a person: all rows with the same {entity}"
    return "a row: if a person has several rows, each is protected by itself"


def context(recipient: Recipient | None, unit: str, epsilon: str | None = None) -> Section:
    """Return who receives the release, with which means, and whom it protects."""
    rows = [["Unit of protection", unit]]
    if epsilon is not None:
        rows.append(["Differential privacy", epsilon])
    parts: list[Part] = []
    if recipient is None:
        parts += [Sentence(_NOBODY, tone="warn"), Code("\n".join(_LINES))]
    else:
        stated = [
            ["Recipient", recipient.who],
            ["Their means", recipient.means or "not stated in the policy"],
            ["Terms", recipient.terms or "not stated in the policy"],
            [
                "Until",
                "not stated in the policy" if recipient.until is None else f"{recipient.until}",
            ],
        ]
        rows = [*stated, *rows]
    return Section(
        "Context", [*parts, Figures(["What", "As the policy says"], rows)], name="context"
    )


def review(recipient: Recipient | None) -> Section:
    """Return the day of the next review, and what makes an earlier one necessary."""
    until = None if recipient is None else recipient.until
    due = until is not None and until < datetime.now(UTC).date()
    if until is None:
        day = "The policy names no day (`release.for.until`). Review the decision once a year."
    elif due:
        day = f"The terms ended on {until}: review the decision now, or have the release deleted."
    else:
        day = f"The terms end on {until}. Review the decision by then."
    parts = [Sentence(day, tone="warn" if due else "plain"), Sentence(_AGAIN)]
    return Section("Monitoring and next review", parts, name="review")


def sources() -> Figures:
    """Return where the figures of a page of one table come from."""
    return Figures(["Figures", "From", "Again"], _SOURCES)
