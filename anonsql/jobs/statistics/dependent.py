"""Related sums, which audits of suppression do not know: sums that follow from others are refused,
and sums from which counts can be derived cause a warning."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from anonsql.errors import PolicyError, Problem
from anonsql.hierarchies.dimensions import Attribute
from anonsql.jobs.job import Job
from anonsql.jobs.statistics.state import tabulation_of
from anonsql.policy.statistics_tables import TableOf
from anonsql.statistics import cubes
from anonsql.statistics.cubes import Sum
from anonsql.statistics.dependent import ranges, revealing
from anonsql.system.scalars import plain

Tie = tuple[tuple[Sum, int], ...]
"""Sums with signs: 1, or -1."""

MOST_SUMS = 6
"""The greatest number of sums checked for dependence: the first ones."""
MOST_GROUPINGS = 60
"""The sets of dimensions within whose groups amounts are looked at: those of fewest dimensions."""

Grouping = Sequence[tuple[Attribute, int]]
"""Dimensions, each with the level whose groups are meant; 0 is its values."""


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
        job.warnings += (of_rows := warn_of_revealing(job, some))
    if problems:
        raise PolicyError(problems)
    warned = {problem.where for problem in of_rows}
    left = [entry for entry in some if f"statistics.of.{entry.name}.sum" not in warned]
    if left and job.counted.rows > tabulation.people:
        with ranges(engine, None, attributes, left):
            job.warnings += warn_of_revealing(job, left, people=True)


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
    (whole, _), *parts = tie
    others = " and ".join(repr(entry.name) for entry, _ in parts)
    if parts[0][1] > 0:
        text = f"{others} and this sum add up to {plain(each)} for each row:"
    else:
        text = f"it is {others}{' together' if len(parts) > 1 else ''}"
        text += f" plus {plain(each)} for each row:" if each else " in every row:"
    text += " each sum follows from the others, but the audit treats every sum independently."
    if each:
        text += " Together they reveal the number of rows, which counts may hide."
    remedy = "Leave one of them out: readers can compute it from the published others."
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


def warn_of_revealing(job: Job, sums: Sequence[Sum], *, people: bool = False) -> list[Problem]:
    """Return a warning for each sum whose amounts, except 0 and NULL, are equal, if a threshold
    protects counts: all amounts, or the amounts within each group of dimensions that a table has.
    If a set of dimensions is named, larger sets are not. The amounts are of rows, or of ``people``,
    as :func:`anonsql.statistics.dependent.ranges` keeps them."""
    policy = tabulation_of(job).policy
    if policy.protect.threshold is None:
        return []
    groupings = groupings_of(policy.tables, job.counted.attributes)
    warnings, known = [], dict[str, list[set[str]]]()
    for found in revealing(job.engine, groupings, sums, policy.protect.threshold):
        by = groupings[found.grouping]
        names, before = {attribute.name for attribute, _ in by}, known.setdefault(found.name, [])
        if not any(smaller <= names for smaller in before):
            before.append(names)
            of = "people" if people else "rows"
            warnings.append(_warning(found.name, by, found.share, of))
    return warnings


def groupings_of(tables: Mapping[str, TableOf], attributes: Sequence[Attribute]) -> list[Grouping]:
    """Return what cells are by, fewer dimensions first: none, of all rows; every dimension at the
    levels that a table has; and the sets of dimensions of each table, at the finest."""
    by_name = {attribute.name: attribute for attribute in attributes}
    wanted = dict.fromkeys([tuple[tuple[str, int], ...]()])
    for level in range(max(attribute.height for attribute in attributes)):
        for table in tables.values():
            for name in table.by:
                if table.levels.get(name, 0) <= level < by_name[name].height:
                    wanted.setdefault(((name, level),))
    for size in range(2, max(len(table.by) for table in tables.values()) + 1):
        for table in tables.values():
            finest = [(name, table.levels.get(name, 0)) for name in sorted(table.by)]
            wanted |= dict.fromkeys(
                itertools.islice(itertools.combinations(finest, size), MOST_GROUPINGS)
            )
    few = itertools.islice(wanted, MOST_GROUPINGS)
    return [[(by_name[name], level) for name, level in grouping] for grouping in few]


def _warning(name: str, by: Grouping, share: float, of: str) -> Problem:
    part = "all" if share == 1 else f"of {max(1, int(share * 100))}% of the {of} the"
    amounts = "values except 0 and NULL" if of == "rows" else "amounts of people except 0"
    text = (
        f"{part} {amounts} are equal, or nearly so: a reader who knows this amount can divide a"
        f" cell's sum by it and learn the number of {of}, which may be hidden."
    )
    where = f"statistics.of.{name}.sum"
    if not by:
        remedy = (
            f"Leave the sum out and count {of}; if many amounts are 0, count by a dimension"
            " that shows which."
        )
        return Problem(where, text, remedy)
    names = [f"{attribute.name!r}{f' (level {level})' if level else ''}" for attribute, level in by]
    each = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    remedy = (
        "Leave the sum out (a reader who knows the amounts can multiply counts by them), or make"
        f" no table by {each}."
    )
    return Problem(where, f"within each {each} {text}", remedy)
