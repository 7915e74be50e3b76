"""Independent verification of the limits to the risk of a release as a whole: the sizes of its
classes are counted anew, by a statement of its own, and the limits judged by these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from anonsql.engines.base import ReleaseTables
from anonsql.policy.policy import Policy
from anonsql.privacy.risk import offence
from anonsql.risks import limits
from anonsql.verification.facts import Classes, missing_rows


def of_release(
    release: ReleaseTables,
    policy: Policy,
    about: Mapping[str, str],
    counted: tuple[Classes, Mapping[str, object]],
) -> tuple[Classes, list[str]]:
    """Return the classes of a release with how near they come to each limit of the policy, and the
    offences of limits that they break. ``counted`` are the classes and what they are grouped by:
    see ``verification/classes``. Of a population that is given by its size the table is as large a
    share as its rows, with those that the release says it lacks."""
    (classes, grouping), risk = counted, policy.privacy.risk
    if not risk.limits:
        return classes, []
    rows = classes.rows + missing_rows(about)
    if risk.share(rows) > 1:
        return classes, [f"privacy.risk.population is smaller than the table of {rows:,} rows"]
    sizes: Sequence[tuple[int, int]] = release.engine.query(
        "verification/class_sizes", table=release.rows, **grouping
    )
    reached = limits.reached(risk, sizes, risk.share(rows))
    offences = [offence(risk, limit) for limit in reached if not limit.kept]
    return replace(classes, limits=reached), offences
