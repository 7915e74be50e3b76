"""Verification of released means and medians by the release alone: all rows that are released alike
have the same, none where they are masked, and it lies between their bounds. That it is the mean or
median of the source's values is proved against the source, when a release is made
(``verification/grouped``)."""

from __future__ import annotations

from collections.abc import Sequence

from anonsql.engines.base import ReleaseTables
from anonsql.policy.policy import Policy
from anonsql.verification.facts import average_names


def of_release(
    release: ReleaseTables,
    policy: Policy,
    names: Sequence[str],
    grouping: tuple[Sequence[str], Sequence[str]],
) -> list[str]:
    """Return the columns of means and medians with classes in which they cannot be such; ``names``
    are the released columns, ``grouping`` the labels and bounds that define the classes."""
    offences = []
    labels, bounds = grouping
    for name, (own, average) in average_names(policy).items():
        if name not in names:
            continue  # which is an offence already
        ends = [end for end in (f"{own}_lo", f"{own}_hi") if end in bounds]
        parameters = {"name": name, "keys": [*labels, *bounds], "ends": ends}
        wrong = release.engine.query("verification/averages", table=release.rows, **parameters)[0][
            0
        ]
        text = f"classes have several values of {name!r}, or one that is no {average} of theirs"
        offences += [f"{wrong:,} {text}"] * (wrong > 0)
    return offences
