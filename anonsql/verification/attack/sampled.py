"""Whether a release can be a random sample of its source, generalized: the rows of each class
beside those of the source that are generalized alike.

Of a class of n rows a binomial number is sampled, and released where it is k or more. What is
refused has a probability of 1e-9 at most, over all classes together and both ends of each; the
classes that are too large to be left out are compared as one besides.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from anonsql.engines.base import Engine, Relation, ReleaseTables
from anonsql.errors import VerificationError
from anonsql.hierarchies.dimensions import Attribute
from anonsql.policy.policy import Policy
from anonsql.verification.attack.matching import Matching
from anonsql.verification.attack.pairs import as_array
from anonsql.verification.attack.released import Released
from anonsql.verification.attack.transport import Ints

ERROR: Final = 1e-9
"""The probability with which a release is refused that a run has made."""


@dataclass(frozen=True)
class JudgedSample:
    """The classes of the source at the released levels: ``originals`` rows in ``classes``, of which
    ``released`` ones are published, of ``released_classes``. Of the ``large`` rows, those of
    classes that chance does not leave out, ``kept`` are, and of that many rows ``least`` to
    ``most`` are sampled but with a negligible probability."""

    originals: int
    released: int
    classes: int
    released_classes: int
    large: int
    kept: int
    least: int
    most: int


def against_source(
    engine: Engine,
    release: ReleaseTables,
    policy: Policy,
    source: Relation,
    attributes: Sequence[Attribute],
) -> JudgedSample:
    """Judge a release against the source that ``engine`` has, whose dimension tables dim_<index>
    are made for ``attributes``. Raise VerificationError where the release cannot be a sample of
    it."""
    columns = [(attribute.index, attribute.name) for attribute in attributes]
    released = Released.of(release, policy, columns)
    values = [f"v{attribute.index}" for attribute in attributes]
    rows = release.engine.query("verification/rows", table=release.rows)[0][0]
    if rows:
        matching = Matching(engine, release, released, attributes)
        sizes, counts = _matched(engine, matching, released, source, attributes)
    else:
        engine.run("verification/attack/cells", source=source, attributes=attributes)
        cells = engine.query("verification/facts", table="judged_cells", columns=["n", *values])
        engine.drop("judged_cells")
        read = as_array(cells, len(values) + 1)
        codes = [read[:, place] for place in range(1, len(values) + 1)]
        number, classes = _classes(engine, released, attributes, codes)
        sizes, counts = _summed(number, read[:, 0], classes), np.zeros(classes, dtype=np.int64)
    return judge(policy, sizes, counts)


def judge(policy: Policy, sizes: Ints, counts: Ints) -> JudgedSample:
    """Return the verdict on classes of so many rows of the source (``sizes``) of which so many are
    released (``counts``); raise VerificationError where chance does not lead to that."""
    from scipy.special import bdtr, bdtrc  # slow to import

    settings = policy.privacy.differential
    beta = 0.0 if settings is None else float(settings.beta)
    limit = ERROR / (2 * (len(sizes) + 1))
    if (more := int((counts > sizes).sum())) > 0:
        raise VerificationError([f"{more:,} classes have more rows than the source has"])
    shown = counts > 0
    below = np.where(shown, counts, policy.privacy.k - 1)
    few = bdtr(np.minimum(below, sizes), sizes, beta) < limit
    many = shown & (bdtrc(np.maximum(counts - 1, 0), sizes, beta) < limit)
    large = bdtr(np.minimum(policy.privacy.k - 1, sizes), sizes, beta) < limit
    total, kept = int(sizes[large].sum()), int(counts[large].sum())
    found = [
        f"{int(unlike.sum()):,} classes have {word} rows than chance leaves of the source's"
        for word, unlike in (("fewer", few), ("more", many))
        if unlike.any()
    ]
    least, most = _limits(total, beta, limit)
    if not least <= kept <= most:
        found.append(
            f"of {total:,} rows {kept:,} are released, and a sample has {least:,} to {most:,}"
        )
    if found:
        raise VerificationError(found)
    return JudgedSample(
        int(sizes.sum()), int(counts.sum()), len(sizes), int(shown.sum()), total, kept, least, most
    )


def _limits(rows: int, beta: float, error: float) -> tuple[int, int]:
    """Return how many of so many rows are sampled at least and at most, each but with a probability
    of ``error``."""
    from scipy.special import bdtr, bdtrc

    numbers = range(rows + 1)
    least = bisect_left(numbers, True, key=lambda number: bool(bdtr(number, rows, beta) >= error))
    most = bisect_left(numbers, True, key=lambda number: bool(bdtrc(number, rows, beta) < error))
    return least, most


def _matched(
    engine: Engine,
    matching: Matching,
    released: Released,
    source: Relation,
    attributes: Sequence[Attribute],
) -> tuple[Ints, Ints]:
    """Return by class of the source its rows, and how many of them are released. Raise
    VerificationError where a released row stands for no class, or for a part of one."""
    try:
        unread = matching.make(source)
        graph = matching.graph()
        codes = matching.cells([f"v{attribute.index}" for attribute in attributes])
    finally:
        matching.drop()
    offences = [
        f"{count:,} of {all_values:,} distinct values of {name!r} stand for no value of the source"
        for name, (count, all_values) in unread.items()
        if count
    ]
    if offences:
        raise VerificationError(offences)
    number, classes = _classes(engine, released, attributes, codes)
    pairs = np.unique(np.stack([number[graph.cell], graph.tuple], axis=1), axis=0)
    members = np.bincount(number, minlength=classes)
    covered = np.bincount(number[graph.cell], minlength=classes)
    whole = (covered == 0) | (covered == members)
    if len(pairs) != len(graph.released) or len(np.unique(pairs[:, 0])) != len(pairs):
        whole[:] = False
    if not whole.all():
        raise VerificationError(["released rows are not the source's at the levels that are told"])
    counts = np.zeros(classes, dtype=np.int64)
    counts[pairs[:, 0]] = graph.released[pairs[:, 1]]
    return _summed(number, graph.originals, classes), counts


def _classes(
    engine: Engine, released: Released, attributes: Sequence[Attribute], codes: Sequence[Ints]
) -> tuple[Ints, int]:
    """Return the class of each cell at the released levels, and how many there are. ``codes`` are
    those of the cells, by attribute."""
    above = []
    for attribute, code in zip(attributes, codes, strict=True):
        level = released.levels.get(attribute.index, attribute.height)
        table, columns = f"dim_{attribute.index}", ["code", f"g{level}"]
        rows = engine.query("verification/facts", table=table, columns=columns)
        known = as_array([(own, group or 0) for own, group in rows], 2)
        groups = np.zeros(int(max(known[:, 0].max(initial=0), code.max(initial=0))) + 1, np.int64)
        groups[known[:, 0]] = known[:, 1]
        above.append(groups[code])
    found, number = np.unique(np.stack(above, axis=1), axis=0, return_inverse=True)
    return number.ravel(), len(found)


def _summed(numbers: Ints, counts: Ints, size: int) -> Ints:
    """Return the sums of counts by place."""
    sums = np.zeros(size, dtype=np.int64)
    np.add.at(sums, numbers, counts)
    return sums
