"""What published statistics do not promise, in plain words, by how their cells are protected."""

from __future__ import annotations

from collections.abc import Mapping

_ALL = (
    "That nothing can be guessed about a group: what is true of most people in a published cell is"
    " told of each of them with that chance.",
    "That nothing is told of a combination without a row: its absence says that nobody has it.",
)
_BY_WAY = {
    "suppression": (
        "That contributors of a hidden cell who put together what they know of their own parts"
        " cannot tell the rest.",
        "That other releases of the same data do not tell what is hidden here.",
    ),
    "cell-key": (
        "That it is hidden when two cells have the same people: their counts are then the same.",
        "That totals are the sums of their parts: every value is changed by itself.",
    ),
    "rounding": (
        "That it is hidden when nobody came between two releases: equal people are rounded alike.",
    ),
}


def does_not(facts: Mapping[str, str]) -> list[str]:
    """Return what a release with these facts does not promise; of a way of protection that is not
    known here only what is true of all."""
    way = facts.get("protected_by", "")
    certain = way in _BY_WAY
    return [*_BY_WAY.get(way, ()), *(_ALL if certain else _ALL[:1])]
