"""The policies that no other policy of a comparison beats."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from anonsql.features.compare.document import CompareLine
from anonsql.policy.methods import traits


def with_front(
    lines: Sequence[CompareLine],
    error: Callable[[CompareLine], float | None] = lambda line: line.median_error,
) -> list[CompareLine]:
    """Return the lines with the policies that beat each: as good in loss, error, risk and truth,
    and better in one of them. A figure that is not known counts as worst."""
    compared = {}
    for line in lines:
        if is_compared(line):
            figures = (line.loss, error(line), line.risk, line.untrue)
            compared[line.policy] = [math.inf if one is None else one for one in figures]
    return [
        line.model_copy(update=_standing(line.policy, compared)) if is_compared(line) else line
        for line in lines
    ]


def is_compared(line: CompareLine) -> bool:
    """Return whether a policy is met and comparable: a release that keeps sensitive values in
    tables of their own loses nothing of the other columns."""
    return line.status == "met" and not traits(line.method).releases_apart


def _standing(name: str, compared: dict[str, list[float]]) -> dict[str, object]:
    own = compared[name]
    better = [
        other
        for other, figures in compared.items()
        if figures != own and all(one <= two for one, two in zip(figures, own, strict=True))
    ]
    return {"front": not better, "beaten_by": sorted(better, key=lambda other: compared[other])}
