"""What those learn who know some hidden cells, as they are their only contributors."""

from __future__ import annotations

from collections.abc import Container

import numpy as np

from anonsql.statistics.audit.looking import Looking
from anonsql.statistics.audit.system import Whole
from anonsql.statistics.audit.verdicts import Failing, Wants, failing_of


def against(
    looking: Looking, wants: Wants, coalition: Whole, number: int, known: Container[int]
) -> list[Failing]:
    """Return the cells that a coalition learns, without those ``known`` to everybody.

    Tables that leave what the coalition knows as it is prove the same against it; only what others
    proved is looked for again. What is shown for everybody stays.
    """
    shown, system = looking.search.shown, looking.search.shown.system
    fixed = np.unique(system.unknown[coalition])
    fixed = fixed[fixed >= 0]
    if not len(fixed):
        return []
    shown.check()
    up, down = shown.up.copy(), shown.down.copy()
    rising, falling = shown.rising.copy(), shown.falling.copy()
    lost = shown.forget(fixed)
    lost = lost[(wants.rise[lost] > 0) | (wants.fall[lost] > 0)]
    cells = [wants.members[wants.start[one] : wants.start[one + 1]] for one in lost]
    members = np.concatenate([np.zeros(0, np.int64), *cells])
    others = np.setdiff1d(members, coalition)
    others = others[[cell not in known for cell in others.tolist()]]
    failing = list[Failing]()
    if len(others):
        among = np.unique(system.unknown[others])
        looking.begin(wants, fixed, among)
        looking.run(among)
        failing = failing_of(looking.search, wants, others, number)
    shown.remember(up, down, rising, falling)
    return failing
