"""``anonsql init --statistics``: a policy of statistics for one table, by types, counts and names.
It holds counts and rounded quantiles, never another value of the table."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from anonsql.engines.base import Column, Engine
from anonsql.errors import PolicyError
from anonsql.features.init.command import (
    NUMBERS,
    Looked,
    given_place,
    opened,
    require_new,
    require_rows,
    source_of,
    write,
)
from anonsql.features.init.document import InitReport
from anonsql.features.init.names import WEIGHT
from anonsql.features.init.proposals import Decision, Profile, person, propose_all
from anonsql.features.init.quantiles import number_hierarchy
from anonsql.features.init.statistics_text import THRESHOLD, Dimension, Proposed, lines_of
from anonsql.jobs.sources import QuasiColumn
from anonsql.policy.statistics_tables import SumOf
from anonsql.presentation.documents import finding
from anonsql.risks.safe_harbor import words_of
from anonsql.statistics import dependent
from anonsql.statistics.cubes import Sum, scale_of

_FEW = 50
"""The most values of a dimension that is published by its values."""
_WHOLE = 20
"""The most values of whole numbers that are taken for classes, where no name says so."""
_GROUPS = 20
"""The most intervals at the level at which tables of numbers begin."""
_DIMENSIONS, _SUMS = 4, 2
"""How many are proposed: every pair of dimensions is a table, and every sum hides cells of its
own."""
_CANDIDATES = 6
"""How many dimensions are compared with each other: those that group another one are left out."""
_MONTHS = 24 * 31
"""Days of dates up to which tables begin with months."""
_YEARS = _GROUPS * 366
"""The same for years; those of longer times begin with decades."""
_ROWS = 5
"""Rows per value, on average, from which a value is in one of another column not by chance."""


def init_statistics(
    database: str, table: str | None, output: Path, header: bool | list[str] | None = None
) -> InitReport:
    """Profile a table (or, without ``table``, a CSV or Parquet file) and write a policy of
    statistics to ``output``, a new file. Raise PolicyError where no column can be a dimension."""
    require_new(output)
    location, source = source_of(database, table, header)
    with opened(location, source) as looked:
        require_rows(looked)
        proposed = _proposed(looked)
        doubts = list(looked.engine.doubts)
    if not proposed.dimensions:
        raise PolicyError.at(
            "TABLE",
            f"no column has between 2 and {_FEW} values, or numbers or dates that can be grouped.",
            "Make such a column in a view: a table of counts needs a dimension.",
        )
    place = given_place(database, location, output)
    write(output, "\n".join(lines_of(proposed, place, looked.source)) + "\n")
    return InitReport(
        policy=str(output),
        columns=len(proposed.dimensions) + len(proposed.sums) + (proposed.entity is not None),
        undecided=[],
        warnings=[finding(doubt) for doubt in doubts],
        statistics=True,
    )


def _proposed(looked: Looked) -> Proposed:
    """Dimensions that others may know come first. So do sums of what is sensitive, then of columns
    with many values: numbers that are codes, as of industries, have fewer than amounts."""
    decisions = propose_all(looked.profiles)
    # NULL names no person, and a policy with this entity refuses it
    key = person([profile for profile in looked.profiles if not profile.nulls])
    entity = None if key is None else key.name
    weight = next((d.profile.column.name for d in decisions if d.role == "weight"), None)
    usable = [
        decision
        for decision in decisions
        if decision.role not in ("identifying", "weight")
        and decision.profile.column.name not in (entity, weight)
        and decision.profile.held is None
    ]
    dimensions = [made for decision in usable if (made := _dimension(decision)) is not None]
    known = {d.profile.column.name for d in usable if d.role == "quasi-identifying"}
    dimensions.sort(key=lambda dimension: dimension.name not in known)
    taken = {dimension.name for dimension in dimensions}
    amounts = [d for d in usable if d.profile.column.name not in taken and _is_amount(d)]
    amounts.sort(key=lambda decision: (decision.role != "sensitive", -decision.profile.distinct))
    sums = [decision.profile for decision in amounts]
    exact = _exact_sums(looked, [profile.column for profile in sums])
    sums = [profile for profile in sums if profile.column.name in {entry.name for entry in exact}]
    taken |= {profile.column.name for profile in sums}
    taken |= {name for name in (entity, weight) if name is not None}
    left_out = _dependent_among(looked, dimensions[:_CANDIDATES], exact, _DIMENSIONS)
    dimensions = [entry for entry in dimensions if entry.name not in left_out.groupings]
    sums = [profile for profile in sums if profile.column.name not in left_out.revealing]
    return Proposed(
        dimensions[:_DIMENSIONS],
        dimensions[_DIMENSIONS:],
        sums[:_SUMS],
        sums[_SUMS:],
        left_out.groupings,
        left_out.revealing,
        entity,
        weight,
        [d.profile for d in decisions if d.profile.column.name not in taken],
    )


def _dimension(decision: Decision) -> Dimension | None:
    profile, kind = decision.profile, decision.profile.column.kind
    if kind == "other" or profile.distinct < 2:
        return None
    if kind in ("date", "timestamp"):
        return _of_dates(profile)
    quantiles = profile.quantiles
    known = decision.role == "quasi-identifying"
    if kind in NUMBERS and quantiles is not None and (not known or profile.distinct > _WHOLE):
        if not known:
            few = kind == "integer" and profile.distinct <= _WHOLE
            why = "Few whole numbers: classes, or codes."
            return Dimension(profile, "", 0, why) if few else None
        if not profile.is_code and quantiles.whole > 0:
            text, why = number_hierarchy(quantiles, whole=kind == "integer")
            return Dimension(profile, text, _level(text, quantiles.whole), why)
    if profile.distinct <= _FEW:
        why = "Few values; groups of them would be levels (`anonsql guide hierarchies`)."
        return Dimension(profile, "", 0, why)
    if profile.is_code:
        hidden = profile.longest - min(2, profile.longest - 1)
        why = "Codes: tables begin with their first characters."
        return Dimension(profile, f"{{type: mask, length: {profile.longest}}}", hidden, why)
    return None


def _of_dates(profile: Profile) -> Dimension:
    days, levels = profile.spread or 0, profile.dates
    level = 1 if days <= _MONTHS else 2 if days <= _YEARS else 3
    why = f"Dates: tables begin with {levels[level - 1]}s."
    return Dimension(profile, f"{{type: date, levels: [{', '.join(levels)}]}}", level, why)


def _level(hierarchy: str, whole: float) -> int:
    widths = re.search(r"widths: \[([^]]*)\]", hierarchy)
    if widths is None:
        return 1
    numbers = [float(width) for width in widths[1].split(",")]
    few = (level for level, width in enumerate(numbers, start=1) if whole / width <= _GROUPS)
    return next(few, len(numbers))


def _is_amount(decision: Decision) -> bool:
    """Return whether a column has numbers to add: no code, no survey's weight, and no number of its
    own in every row."""
    profile = decision.profile
    if WEIGHT.search(words_of(profile.column.name)):
        return False
    if profile.column.kind not in NUMBERS or profile.distinct < 2 or profile.quantiles is None:
        return False
    if decision.role == "sensitive" or profile.column.kind != "integer":
        return True
    return not profile.is_code and not profile.unique and decision.role != "quasi-identifying"


class _Dependent(NamedTuple):
    """Columns that are left out, each with the dimension that it depends on: those that group its
    values, and those whose sums would reveal counts (by no dimension: None)."""

    groupings: Mapping[str, str]
    revealing: Mapping[str, str | None]


def _dependent_among(
    looked: Looked, dimensions: Sequence[Dimension], sums: Sequence[Sum], most: int
) -> _Dependent:
    """Return what depends on each other among ``dimensions`` that are published by their values,
    and ``sums`` by the first ``most`` that are left."""
    by_values = {
        QuasiColumn(index, dimension.profile.column): dimension.profile
        for index, dimension in enumerate(dimensions, start=1)
        if not dimension.hierarchy
    }
    if not by_values:
        return _Dependent({}, {})
    engine = looked.engine
    pairs = [
        pair
        for pair in itertools.combinations(by_values, 2)
        if all(_ROWS * by_values[slot].distinct <= by_values[slot].rows for slot in pair)
    ]
    with dependent.ranges(engine, looked.relation, [*by_values], sums):
        groupings = _groupings(engine, pairs)
        names = [entry.name for entry in dimensions if entry.name not in groupings][:most]
        left = [slot for slot in by_values if slot.column.name in names]
        by = [[], *([(slot, 0)] for slot in left)]
        revealing = dependent.revealing(engine, by, sums, THRESHOLD)
    named = [None, *(slot.column.name for slot in left)]
    stays = dict(groupings)
    while stays.keys() & stays.values():
        stays = {name: stays.get(part, part) for name, part in stays.items()}
    return _Dependent(stays, {found.name: named[found.grouping] for found in reversed(revealing)})


def _groupings(engine: Engine, pairs: Sequence[tuple[QuasiColumn, QuasiColumn]]) -> dict[str, str]:
    """Return the columns that group the values of others, each with one; of two the second."""
    names = {f"q{slot.index}": slot.column.name for pair in pairs for slot in pair}
    columns = [(f"q{one.index}", f"q{other.index}") for one, other in pairs]
    found = dependent.determined(engine, "ranges", columns)
    return {
        names[whole]: names[part]
        for number, (part, whole) in enumerate(found)
        if (whole, part) not in found[:number]
    }


def _exact_sums(looked: Looked, columns: Sequence[Column]) -> list[Sum]:
    """Return the sums of columns that are exact, whatever is added first."""
    sums = [
        Sum(index, column.name, column, scale_of(SumOf(sum=column.name), column))
        for index, column in enumerate(columns, start=1)
    ]
    if not sums:
        return []
    amounts = dependent.amounts(looked.engine, looked.relation, sums)
    return [entry for entry, values in zip(sums, amounts, strict=True) if values.countable]
