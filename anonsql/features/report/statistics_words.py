"""What published statistics do not promise, in plain words, by how their cells are protected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_OF_GROUPS = (
    "Groups can still be described: a trait of most people in a published cell is a likely trait of"
    " each of them."
)
_WITHOUT_ROW = "A cell without a row is empty: readers see that no person has this combination."
_IMPOSSIBLE = (
    "A reader who knows that a combination is impossible knows that this hidden cell is 0, and may"
    " compute others from it."
)
_BY_WAY = {
    "suppression": (
        "Contributors of a hidden cell who share their own amounts may compute the rest of it.",
        "Other releases of the same data may reveal cells that are hidden here.",
        "Sums may reveal counts: a reader who knows the amount of each row, such as a price, can divide"
        " by it.",
        _WITHOUT_ROW,
    ),
    "cell-key": (
        "Two cells with the same people have the same counts, which shows that they are the same.",
        "Totals are not the sums of their parts: each value is changed by itself.",
    ),
    "noise": (
        "Values may be far from the source's, and small ones may be noise alone: `__about` states the"
        " noise of each level. Rows of a person beyond `max_rows`, and amounts beyond `clip`, are left"
        " out; the release does not show how many.",
        "Other releases of the same people reveal more: their spent budgets add up.",
    ),
    "rounding": (
        "Unchanged values in two releases may show that the same people are in the cell.",
    ),
}


def does_not(facts: Mapping[str, str], zeros: Sequence[bool] = ()) -> list[str]:
    """Return what a release with these facts does not promise; of a way of protection that is not
    known here only what is true of all. ``zeros`` is of every table whether it hides which cells are
    empty: then every combination has a row."""
    of_way = list(_BY_WAY.get(facts.get("protected_by", ""), ()))
    if zeros and all(zeros):
        of_way = [text for text in of_way if text != _WITHOUT_ROW]
    return [*of_way, *([_IMPOSSIBLE] if any(zeros) else []), _OF_GROUPS]
