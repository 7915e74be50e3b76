"""Whether a release can be a random sample of its source, generalized: the rows of each class
compared with the source's rows of equal labels.

Of a class of n rows a binomial number is sampled, and released where it is k or more. Refused
counts have a probability of 1e-9 at most, over all classes and both ends of each; classes that are
too large to be left out are also compared together.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import Final

import numpy as np

from anonsql.errors import VerificationError
from anonsql.policy.table_plan import TablePlan
from anonsql.system.arrays import IntArray
from anonsql.verification.linking.link import Link

ERROR: Final = 1e-9
"""The probability with which a release is refused that a run has made."""


@dataclass(frozen=True)
class JudgedSample:
    """The classes of the source at the released levels: ``originals`` rows in ``classes``;
    ``released`` rows, of ``released_classes``, are published. ``large`` rows are in classes that
    chance does not leave out; ``kept`` of them are published, and except with a negligible
    probability ``least`` to ``most`` are sampled."""

    originals: int
    released: int
    classes: int
    released_classes: int
    large: int
    kept: int
    least: int
    most: int


def against_source(link: Link) -> JudgedSample:
    """Return how a release compares with its source. Raise VerificationError where it cannot be a
    sample of it."""
    if offences := link.uncovering(kept=False):
        raise VerificationError(offences)
    facets, levels = link.label_facets, link.released.levels
    reached = {one.index: levels.get(one.index, one.height) for one in link.attributes}
    with link.joined(facets) as pairs:
        asked = {"steps": len(facets), "attributes": link.attributes, "levels": reached}
        query = "verification/linking/sampled_classes"
        sizes, counts, members, covered, tuples = link.engine.numbers(query, **asked)
        released = link.engine.query("verification/rows", table="judged_tuples")[0][0]
        stray = pairs is None or pairs.lacking() or int(tuples.sum()) != released
    if stray or (tuples > 1).any() or (covered != members * tuples).any():
        raise VerificationError(["released rows differ from the source at the stated levels"])
    return judge(link.policy, sizes, counts)


def judge(policy: TablePlan, sizes: IntArray, counts: IntArray) -> JudgedSample:
    """Return the verdict on classes by their rows in the source (``sizes``) and in the release
    (``counts``); raise VerificationError where chance does not lead to these counts."""
    from scipy.special import bdtr, bdtrc  # slow to import

    settings = policy.privacy.differential
    beta = 0.0 if settings is None else float(settings.beta)
    limit = ERROR / (2 * (len(sizes) + 1))
    if (more := int((counts > sizes).sum())) > 0:
        raise VerificationError([f"{more:,} classes have more rows than in the source"])
    shown = counts > 0
    below = np.where(shown, counts, policy.privacy.k - 1)
    few = bdtr(np.minimum(below, sizes), sizes, beta) < limit
    many = shown & (bdtrc(np.maximum(counts - 1, 0), sizes, beta) < limit)
    large = bdtr(np.minimum(policy.privacy.k - 1, sizes), sizes, beta) < limit
    total, kept = int(sizes[large].sum()), int(counts[large].sum())
    found = [
        (
            f"{int(unlike.sum()):,} classes have {word} rows than a random sample of the source"
            " would have"
        )
        for word, unlike in (("fewer", few), ("more", many))
        if unlike.any()
    ]
    least, most = _limits(total, beta, limit)
    if not least <= kept <= most:
        found.append(
            f"of {total:,} rows {kept:,} are released, and a sample has between {least:,} and"
            f" {most:,}"
        )
    if found:
        raise VerificationError(found)
    return JudgedSample(
        int(sizes.sum()), int(counts.sum()), len(sizes), int(shown.sum()), total, kept, least, most
    )


def _limits(rows: int, beta: float, error: float) -> tuple[int, int]:
    """Return the least and the greatest number of sampled rows, each exceeded with a probability of
    ``error``."""
    from scipy.special import bdtr, bdtrc

    numbers = range(rows + 1)
    least = bisect_left(numbers, True, key=lambda number: bool(bdtr(number, rows, beta) >= error))
    most = bisect_left(numbers, True, key=lambda number: bool(bdtrc(number, rows, beta) < error))
    return least, most
