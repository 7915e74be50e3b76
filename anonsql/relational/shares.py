"""Parts of all combinations of known rows, as many at a time as fit into memory."""

from __future__ import annotations

from collections.abc import Iterator

AT_ONCE = 16_000_000
"""About how many combinations one statement counts: they should fit into memory."""
FEW = 1_000_000
"""So many are always counted at once."""
_PARTS = 64

Share = tuple[int, int, int] | None
"""Which parts of all combinations: the first, the one after the last, of how many; None: all."""


def shares(work: int, *, warily: bool = True) -> Iterator[Share]:
    """Yield which parts to count together of about so many combinations: as many as fit into
    memory, but few at first where that is done ``warily``, as many nodes fail by far."""
    if work <= FEW:
        yield None
        return
    begin, turns = 0, min(-(-work // AT_ONCE), _PARTS)
    most = -(-_PARTS // turns)
    step = 1 if warily else most
    while begin < _PARTS:
        end = min(begin + min(step, most), _PARTS)
        yield begin, end, _PARTS
        begin, step = end, 4 * step
