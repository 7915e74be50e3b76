"""Sums that are tied, as no audit of suppression knows: those that follow from others are refused,
and those from which counts can be derived are warned of."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from decimal import Decimal

from anonsql.errors import PolicyError, Problem
from anonsql.jobs.job import Job
from anonsql.jobs.statistics.state import tabulation_of
from anonsql.jobs.statistics.telling import warn_of_telling
from anonsql.statistics import cubes
from anonsql.statistics.cubes import Sum
from anonsql.statistics.dependent import ranges
from anonsql.system.scalars import plain

Tie = tuple[tuple[Sum, int], ...]
"""Sums with signs: 1, or -1."""

MOST_SUMS = 6
"""The sums that are looked at for some that follow from others: those that come first."""


def require_independent(job: Job) -> None:
    """Raise PolicyError where sums follow from others, which no audit of suppression knows. Warn of
    sums that reveal how many rows or people are in a cell, to a reader who knows their amounts: the
    promise excepts such readers. Where there are too few people for any cell to be published there
    is nothing to say."""
    tabulation = tabulation_of(job)
    protect, attributes = tabulation.policy.protect, job.counted.attributes
    if protect.by != "suppression" or tabulation.people < (protect.threshold or 0):
        return
    sums = cubes.sums_of(tabulation.policy, job.opened.columns)
    found = zip(sums, tabulation.amounts, strict=True)
    some = [entry for entry, values in found if values.total > 0]  # else they reveal nothing
    if not some:
        return
    engine, source = job.engine, job.opened.source
    with ranges(engine, source, attributes, some):
        problems = _following(job, some[:MOST_SUMS])
        job.warnings += (of_rows := warn_of_telling(job, some))
    if problems:
        raise PolicyError(problems)
    told = {problem.where for problem in of_rows}
    left = [entry for entry in some if f"statistics.of.{entry.name}.sum" not in told]
    if left and job.counted.rows > tabulation.people:
        with ranges(engine, None, attributes, left):
            job.warnings += warn_of_telling(job, left, people=True)


def _following(job: Job, sums: Sequence[Sum]) -> list[Problem]:
    """Return a problem for every sum that equals another one of another column, or two others
    together, in all combinations and of all people; and for every one that differs from these, or
    makes with another one, as much for each row."""
    columns = tabulation_of(job).policy.sums
    ties = [
        tie for tie in _ties(sums) if len({columns[entry.name].sum for entry, _ in tie}) == len(tie)
    ]
    if not ties:
        return []
    finest = max(entry.scale for entry in sums)
    factors = {entry.index: 10 ** (finest - entry.scale) for entry in sums}
    found = job.engine.query("statistics/tied_sums", ties=ties, factors=factors)[0]
    return [
        _tied(tie, Decimal(str(least)).scaleb(-finest))
        for tie, least, most in zip(ties, found[::2], found[1::2], strict=True)
        if least == most and (not least or job.counted.combinations > 1)
    ]


def _tied(tie: Tie, each: Decimal) -> Problem:
    """Return the problem that sums with their signs make as much for ``each`` row."""
    (whole, _), *parts = tie
    others = " and ".join(repr(entry.name) for entry, _ in parts)
    if parts[0][1] > 0:
        text = f"it makes {plain(each)} for each row, with {others}:"
    else:
        text = f"it is {others}{' together' if len(parts) > 1 else ''}"
        text += f" and {plain(each)} for each row:" if each else " wherever somebody is:"
    text += " each follows from the rest, and the audit takes every sum by itself."
    if each:
        text += " Both reveal the number of rows, which counts may hide."
    remedy = "Leave one of them out: readers can compute it where the rest is published."
    return Problem(f"statistics.of.{whole.name}.sum", text, remedy)


def _ties(sums: Sequence[Sum]) -> Iterator[Tie]:
    """Yield the sums that may be others together, or make something with one, with their signs."""
    for one, other in itertools.combinations(sums, 2):
        yield ((other, 1), (one, -1))
        yield ((other, 1), (one, 1))
    for whole in sums:
        rest = [entry for entry in sums if entry is not whole]
        for first, second in itertools.combinations(rest, 2):
            yield ((whole, 1), (first, -1), (second, -1))
