"""What published statistics do not promise, in plain words, by how their cells are protected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_OF_GROUPS = (
    "That nothing can be guessed about a group: what is true of most people in a published cell is"
    " told of each of them with that chance."
)
_WITHOUT_ROW = (
    "That nothing is told of a combination without a row: its absence says that nobody has it."
)
_IMPOSSIBLE = (
    "That whoever knows a combination to be impossible cannot tell more of others: its value is known"
    " to be 0, though it is hidden."
)
_BY_WAY = {
    "suppression": (
        "That contributors of a hidden cell who put together what they know of their own parts"
        " cannot tell the rest.",
        "That other releases of the same data do not tell what is hidden here.",
        "That sums tell no counts: whoever knows what each row adds, as prices by product, divides by"
        " it.",
        _WITHOUT_ROW,
    ),
    "cell-key": (
        "That it is hidden when two cells have the same people: their counts are then the same.",
        "That totals are the sums of their parts: every value is changed by itself.",
    ),
    "noise": (
        "That a value is near the source's: `__about` tells how far off the noise of each level is, and"
        " small values may be noise alone. Rows of a person beyond `max_rows` are left out, and so is what"
        " `clip` takes off amounts: nothing tells how much that is.",
        "That other releases of the same people tell no more: what all of them spend adds up.",
    ),
    "rounding": (
        "That it is hidden when nobody came between two releases: equal people are rounded alike.",
    ),
}


def does_not(facts: Mapping[str, str], zeros: Sequence[bool] = ()) -> list[str]:
    """Return what a release with these facts does not promise; of a way of protection that is not
    known here only what is true of all. ``zeros`` is of every table whether it does not tell where
    nobody is: then every combination has a row."""
    of_way = list(_BY_WAY.get(facts.get("protected_by", ""), ()))
    if zeros and all(zeros):
        of_way = [text for text in of_way if text != _WITHOUT_ROW]
    return [*of_way, *([_IMPOSSIBLE] if any(zeros) else []), _OF_GROUPS]
