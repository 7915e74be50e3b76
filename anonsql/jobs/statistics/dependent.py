"""Warn of what ties published tables and sums together that no audit of suppression knows: dimensions
that are groupings of others, and sums that follow from others."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from anonsql.errors import Problem
from anonsql.hierarchies.dimensions import Attribute
from anonsql.jobs.job import Job
from anonsql.jobs.statistics.circles import warn_of_circles
from anonsql.jobs.statistics.state import tabulation_of
from anonsql.jobs.statistics.telling import warn_of_telling
from anonsql.policy.statistics import TableOf
from anonsql.statistics import cubes
from anonsql.statistics.cubes import Sum
from anonsql.statistics.dependent import determined, ranges
from anonsql.system.scalars import plain

Tie = tuple[tuple[Sum, int], ...]
"""Sums with signs: 1, or -1."""

MOST_SUMS = 6
"""The sums that are looked at for some that follow from others: those that come first."""


def warn_of_dependent(job: Job) -> None:
    """Warn of everything that ties published values together and that the audit of suppression does
    not know. Where there are too few people for any cell to be told there is nothing to warn
    of."""
    tabulation = tabulation_of(job)
    protect, attributes = tabulation.policy.protect, job.counted.attributes
    if protect.by != "suppression" or tabulation.people < (protect.threshold or 0):
        return
    sums = cubes.sums_of(tabulation.policy, job.opened.columns)
    found = zip(sums, tabulation.amounts, strict=True)
    some = [entry for entry, values in found if values.total > 0]  # else they tell nothing
    if not some and len(attributes) < 2:
        return
    engine, source = job.engine, job.opened.source
    with ranges(engine, source, attributes, some):
        job.warnings += [
            *warn_of_circles(job),
            *_groupings(job, attributes),
            *_following(job, some[:MOST_SUMS]),
            *(of_rows := warn_of_telling(job, some)),
        ]
    told = {warning.where for warning in of_rows}
    left = [entry for entry in some if f"statistics.of.{entry.name}.sum" not in told]
    if left and job.counted.rows > tabulation.people:
        with ranges(engine, None, attributes, left):
            job.warnings += warn_of_telling(job, left, people=True)


def _groupings(job: Job, attributes: Sequence[Attribute]) -> list[Problem]:
    """Return a warning for every dimension that is a grouping of another one, where tables that the
    audit would need to know it are lacking. The same where a table has both and does not tell where
    nobody is: most of its combinations cannot be, and readers may know that."""
    policy = tabulation_of(job).policy
    pairs, lacking, untold = [], [], []
    for one, other in itertools.combinations(attributes, 2):
        names = (one.name, other.name)
        needed = lacking_tables(policy.tables, *names)
        hiding = [name for name in policy.zeros if {*names} <= {*policy.tables[name].by}]
        if needed or hiding:
            pairs.append((one, other))
            lacking.append(needed)
            untold.append(hiding)
    warnings = []
    for number, (part, whole) in determined(job.engine, pairs).items():
        names = (part.name, whole.name)
        if lacking[number]:
            warnings.append(_untied(*names, lacking[number]))
        if untold[number]:
            warnings.append(_impossible(*names, untold[number][0]))
    return warnings


def lacking_tables(tables: Mapping[str, TableOf], one: str, other: str) -> list[Mapping[str, int]]:
    """Return the tables that are lacking where one of two dimensions is a grouping of the other:
    their dimensions with the finest level of each. Of every table that has one and every table that
    has the other the cells by the dimensions of both tables are tied; the audit knows it where a
    table has these and the two."""
    wanted: dict[tuple[tuple[str, int], ...], None] = {}
    for a, b in itertools.product(tables.values(), repeat=2):
        if one in a.by and other in b.by:
            shared = {name for name in a.by if name in b.by} - {one, other}
            levels = {name: max(_finest(a, name), _finest(b, name)) for name in sorted(shared)}
            levels = {one: _finest(a, one), other: _finest(b, other), **levels}
            wanted.setdefault(tuple(levels.items()))
    needed = [dict(levels) for levels in wanted]
    there = [{name: _finest(table, name) for name in table.by} for table in tables.values()]
    absent = [levels for levels in needed if not any(_has(table, levels) for table in there)]
    return [
        levels
        for levels in absent
        if not any(_has(more, levels) for more in absent if more is not levels)
    ]


def _finest(table: TableOf, name: str) -> int:
    """Return the finest level of a dimension of a table."""
    return table.levels.get(name, 0)


def _has(table: Mapping[str, int], levels: Mapping[str, int]) -> bool:
    """Return whether a table has these dimensions at these levels, or finer."""
    return all(name in table and table[name] <= level for name, level in levels.items())


def _untied(part: str, whole: str, lacking: Sequence[Mapping[str, int]]) -> Problem:
    """Return the warning that the values of one dimension (``part``) are groups of another's
    (``whole``), and the tables are ``lacking`` from which the audit would know it."""
    names = [
        _listed([f"{name} (from level {level})" if level else name for name, level in one.items()])
        for one in lacking
    ]
    text = (
        f"every {part!r} is in one {whole!r} alone, and there is no table of"
        f" {', nor of '.join(names)}: so the audit does not know that each {whole!r} is the sum of its"
        f" {part!r}, and hidden cells may follow from published ones."
    )
    tables = ", and one of ".join(names)
    remedy = f"Make {whole!r} a level of {part!r}, or add a table of {tables}."
    return Problem(f"statistics.by.{whole}", text, remedy)


def _impossible(part: str, whole: str, table: str) -> Problem:
    """Return the warning that the values of one dimension (``part``) are groups of another's
    (``whole``), and a table of both does not tell where nobody is."""
    text = (
        f"every {part!r} is in one {whole!r} alone, and {table} hides where nobody is: whoever knows"
        " which belongs to which knows most of it, and may tell hidden cells by that."
    )
    remedy = (
        f"Make {whole!r} a level of {part!r}, or let the tables of both publish it"
        " (`zeros: publish`)."
    )
    return Problem(f"statistics.by.{whole}", text, remedy)


def _listed(names: Sequence[str]) -> str:
    """Return names as a sentence lists them."""
    return ", ".join(names[:-1]) + f" and {names[-1]}"


def _following(job: Job, sums: Sequence[Sum]) -> list[Problem]:
    """Return a warning for every sum that equals another one of another column, or two others
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
    """Return the warning that sums with their signs make as much for ``each`` row."""
    (whole, _), *parts = tie
    others = " and ".join(repr(entry.name) for entry, _ in parts)
    if parts[0][1] > 0:
        text = f"it makes {plain(each)} for each row, with {others}:"
    else:
        text = f"it is {others}{' together' if len(parts) > 1 else ''}"
        text += f" and {plain(each)} for each row:" if each else " wherever somebody is:"
    text += " each follows from the rest, and the audit takes every sum by itself."
    if each:
        text += " Both tell how many rows there are, which counts may hide."
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
