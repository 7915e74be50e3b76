"""``anonsql init --statistics``: a policy that publishes tables of counts and sums of one table,
with the dimensions, sums and people that types, counts and names suggest. It holds counts and
rounded quantiles, never another value of the table."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from anonsql.errors import PolicyError
from anonsql.features.init.command import (
    Looked,
    given_place,
    opened,
    require_new,
    require_rows,
    source_of,
    write,
)
from anonsql.features.init.document import InitReport
from anonsql.features.init.numbers import number_hierarchy
from anonsql.features.init.policy_text import comment
from anonsql.features.init.profiles import NUMBERS
from anonsql.features.init.proposals import Decision, Profile, propose_all
from anonsql.policy.yaml_text import quoted
from anonsql.presentation.documents import finding
from anonsql.risks.repeated_people import names_people, repeating

THRESHOLD = 11
_FEW = 50
"""The most values of a dimension that is published by its values."""
_WHOLE = 20
"""The most values of whole numbers that are taken for classes, where no name says so."""
_GROUPS = 20
"""The most intervals at the level at which tables of numbers begin."""
_DIMENSIONS, _SUMS = 4, 2
"""How many are proposed: every pair of dimensions is a table, and every sum hides cells of its
own."""
_MONTHS = 24 * 31
"""Days of dates up to which tables begin with months."""
_YEARS = _GROUPS * 366
"""The same for years; those of longer times begin with decades."""

_PROPOSED = (
    "A policy of statistics for anonsql, proposed from counts alone: tables of counts and sums"
    " that may be published. Read every line, and make the tables that your readers ask for;"
    " `anonsql check` tells what is wrong. The manual: `anonsql guide statistics`."
)
_THRESHOLD = (
    "No cell of fewer people may be told. 11 is what Medicare, Medicaid and research networks such"
    " as PCORnet ask of cells about health; statistical offices ask 3, 5 or 10."
)
_P_PERCENT = (
    "Nobody may know the largest part of a sum up to a tenth, not its second largest contributor"
    " either: a sum may be told by few large amounts, however many people there are."
)


@dataclass(frozen=True)
class _Dimension:
    """A dimension: its column, its ``hierarchy`` in the policy (empty: values and their total), the
    finest ``level`` of the tables, and why."""

    profile: Profile
    hierarchy: str
    level: int
    why: str

    @property
    def name(self) -> str:
        """The column's name."""
        return self.profile.column.name


@dataclass(frozen=True)
class _Proposed:
    """What is proposed for a table."""

    dimensions: Sequence[_Dimension]
    more: Sequence[_Dimension]
    sums: Sequence[Profile]
    more_sums: Sequence[Profile]
    entity: str | None
    weight: str | None
    unused: Sequence[Profile]


def init_statistics(
    database: str, table: str | None, output: Path, header: bool | None = None
) -> InitReport:
    """Profile a table (or, without ``table``, a CSV or Parquet file) and write a policy of
    statistics to ``output``, which must not exist. Raise PolicyError where no column has few enough
    values, or intervals, to be a dimension."""
    require_new(output)
    location, source = source_of(database, table, header)
    with opened(location, source) as looked:
        require_rows(looked)
        proposed = _proposed(looked)
        doubts = list(looked.engine.doubts)
    if not proposed.dimensions:
        raise PolicyError.at(
            "TABLE",
            f"no column has between 2 and {_FEW} values, or numbers or dates to make groups of.",
            "Make one in a view: a table of counts needs a dimension.",
        )
    place = given_place(database, location, output)
    write(output, "\n".join(_lines(proposed, place, table, header)) + "\n")
    return InitReport(
        policy=str(output),
        columns=len(proposed.dimensions) + len(proposed.sums) + (proposed.entity is not None),
        undecided=[],
        warnings=[finding(doubt) for doubt in doubts],
        statistics=True,
    )


def _proposed(looked: Looked) -> _Proposed:
    """Return what the columns of a table suggest. What others may know comes first among the
    dimensions."""
    decisions = propose_all(looked.profiles)
    entity = _person(looked, decisions)
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
    sums = [
        decision.profile
        for decision in usable
        if decision.profile.column.name not in taken and _is_amount(decision)
    ]
    taken |= {profile.column.name for profile in sums}
    taken |= {name for name in (entity, weight) if name is not None}
    return _Proposed(
        dimensions[:_DIMENSIONS],
        dimensions[_DIMENSIONS:],
        sums[:_SUMS],
        sums[_SUMS:],
        entity,
        weight,
        [d.profile for d in decisions if d.profile.column.name not in taken],
    )


def _person(looked: Looked, decisions: Sequence[Decision]) -> str | None:
    """Return the column that is called as a key of people and repeats, or that every row has
    another of; None where there is none: every row is one."""
    removed = [d.profile.column for d in decisions if d.role == "identifying"]
    others = [d.profile.column for d in decisions if d.role != "identifying"]
    few = [d.profile.column for d in decisions if _has_few(d.profile)]
    names = (looked.engine, looked.relation)
    # NULL is nobody's, which a policy with this entity refuses
    whole = {d.profile.column.name for d in decisions if not d.profile.nulls}
    found = repeating(
        *names,
        [column for column in removed if column.name in whole],
        few,
        [column for column in others if column.name in whole],
        k=THRESHOLD,
    )
    name = None if found is None else found.column.column.name
    return name if name is not None and names_people(name) else None


def _has_few(profile: Profile) -> bool:
    """Return whether a column can be a dimension by its values."""
    return profile.column.kind != "other" and 1 < profile.distinct <= _FEW


def _dimension(decision: Decision) -> _Dimension | None:
    """Return the dimension that a column can be; None where it has too many values that nothing
    groups, or is an amount."""
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
            return _Dimension(profile, "", 0, why) if few else None
        if not _is_code(profile) and quantiles.whole > 0:
            text, why = number_hierarchy(quantiles, whole=kind == "integer")
            return _Dimension(profile, text, _level(text, quantiles.whole), why)
    if profile.distinct <= _FEW:
        why = "Few values; groups of them would be levels (`anonsql guide hierarchies`)."
        return _Dimension(profile, "", 0, why)
    if _is_code(profile):
        hidden = profile.longest - min(2, profile.longest - 1)
        why = "Codes: tables begin with their first characters."
        return _Dimension(profile, f"{{type: mask, length: {profile.longest}}}", hidden, why)
    return None


def _of_dates(profile: Profile) -> _Dimension:
    """Return the dimension that a column of dates is."""
    days = profile.spread or 0
    levels = "[month, quarter, year]" if days < 3653 else "[month, year, decade]"
    level = 1 if days <= _MONTHS else 2 if days <= _YEARS else 3
    why = f"Dates: tables begin with {levels.strip('[]').split(', ')[level - 1]}s."
    return _Dimension(profile, f"{{type: date, levels: {levels}}}", level, why)


def _level(hierarchy: str, whole: float) -> int:
    """Return the first level of a hierarchy of numbers that has few intervals."""
    widths = re.search(r"widths: \[([^]]*)\]", hierarchy)
    if widths is None:
        return 1
    each = [float(width) for width in widths[1].split(",")]
    few = (level for level, width in enumerate(each, start=1) if whole / width <= _GROUPS)
    return next(few, len(each))


def _is_code(profile: Profile) -> bool:
    """Return whether a column's values are digits of one length, as postcodes are."""
    return (
        profile.column.kind in ("text", "integer")
        and profile.digits == profile.rows - profile.nulls
        and 4 <= profile.shortest == profile.longest <= 12
    )


def _is_amount(decision: Decision) -> bool:
    """Return whether a column has numbers that can be added: no code, and no number of its own in
    every row."""
    profile = decision.profile
    if profile.column.kind not in NUMBERS or profile.distinct < 2 or profile.quantiles is None:
        return False
    if decision.role == "sensitive" or profile.column.kind != "integer":
        return True
    return not _is_code(profile) and not profile.unique and decision.role != "quasi-identifying"


def _lines(
    proposed: _Proposed, place: str, table: str | None, header: bool | None
) -> Iterator[str]:
    """Yield the lines of the policy."""
    header_text = "" if header is None else f", header: {str(header).lower()}"
    source = (
        f"{{file: {quoted(place)}{header_text}}}"
        if table is None
        else f"{{database: {quoted(place)}, table: {quoted(table)}}}"
    )
    name = table.split(".")[-1] if table else Path(place).stem
    on_server = "://" in place or place.startswith("local[")
    stem = name if on_server else Path(place).stem
    yield from comment(_PROPOSED)
    yield f"source:  {source}"
    yield f"release: {{database: {quoted(stem + '_statistics.duckdb')}}}"
    yield "statistics:"
    yield from comment("The dimensions, each with the levels of its hierarchy and a total.", "  ")
    yield "  by:"
    for dimension in proposed.dimensions:
        yield from comment(f"{dimension.profile.words()}. {dimension.why}", "    ")
        yield f"    {_entry(dimension)}"
    if proposed.more:
        yield from comment("Others that a table could be made by:", "    ")
        for dimension in proposed.more:
            yield f"    # {_entry(dimension)}"
    yield from _measures(proposed, of_file=table is None)
    yield from _tables(proposed.dimensions)
    yield from _protect(proposed)


def _entry(dimension: _Dimension) -> str:
    """Return a dimension as a line of the policy."""
    inner = f"hierarchy: {dimension.hierarchy}" if dimension.hierarchy else ""
    return f"{quoted(dimension.name)}: {{{inner}}}"


def _measures(proposed: _Proposed, *, of_file: bool) -> Iterator[str]:
    """Yield what the cells have, and which columns are not used."""
    used = {
        name.lower()
        for dimension in (*proposed.dimensions, *proposed.more)
        for name in (dimension.name, f"{dimension.name}_level")
    }

    def free(name: str) -> str:
        while name.lower() in used or f"{name}_status".lower() in used:
            name += "_"
        used.update((name.lower(), f"{name}_status".lower()))
        return name

    yield "  of:"
    yield f"    {free('rows')}: count"
    if proposed.entity is not None:
        yield f"    {free('people')}: {{count: {quoted(proposed.entity)}}}"
    for profile in proposed.sums:
        yield from comment(f"{profile.words()}.", "    ")
        yield f"    {quoted(free(profile.column.name))}: {{sum: {quoted(profile.column.name)}}}"
    if proposed.more_sums:
        yield from comment("Other sums, each of which hides cells of its own:", "    ")
        for profile in proposed.more_sums:
            column = profile.column.name
            yield f"    # {quoted(free(column))}: {{sum: {quoted(column)}}}"
    if proposed.weight is not None:
        yield from comment(f"Not used: {proposed.weight} looks like a survey's weight.", "    ")
    if proposed.unused:
        yield from comment("Not used, as neither dimensions nor amounts:", "    ")
        for profile in proposed.unused:
            yield from comment(f"{quoted(profile.column.name)}: {profile.words()}", "    ")
    if of_file and any(profile.column.kind == "text" for profile in proposed.unused):
        text = (
            "Numbers that are read as text need a `type` in source.columns (`anonsql guide files`)."
        )
        yield from comment(text, "    ")


def _tables(dimensions: Sequence[_Dimension]) -> Iterator[str]:
    """Yield the tables: every two dimensions."""
    yield from comment(
        "Tables of two dimensions, to begin with: of more, more cells have few people. `levels` is"
        " the finest level of a dimension.",
        "  ",
    )
    yield "  tables:"
    size = min(2, len(dimensions))
    pairs = itertools.combinations(dimensions, size)
    for number, pair in enumerate(pairs, start=1):
        by = ", ".join(quoted(dimension.name) for dimension in pair)
        levels = ", ".join(
            f"{quoted(dimension.name)}: {dimension.level}" for dimension in pair if dimension.level
        )
        joined = "_".join(dimension.name for dimension in pair)
        named = re.search(r"[/\\\0]|^\.|__", joined) is not None
        if not levels and not named:
            yield f"    - [{by}]"
            continue
        parts = [f"by: [{by}]"]
        parts += [f"levels: {{{levels}}}"] if levels else []
        parts += [f"name: table_{number}"] if named else []
        yield f"    - {{{', '.join(parts)}}}"


def _protect(proposed: _Proposed) -> Iterator[str]:
    """Yield who is protected, and by which rules."""
    yield "protect:"
    if proposed.entity is None:
        yield from comment(
            "Every row is one of those who are protected; `entity` is the column that names them,"
            " where somebody has several rows.",
            "  ",
        )
    else:
        yield from comment("Who is protected: the name says so, and it repeats.", "  ")
        yield f"  entity: {quoted(proposed.entity)}"
    yield from comment(_THRESHOLD, "  ")
    yield f"  threshold: {THRESHOLD}"
    if proposed.sums:
        yield from comment(_P_PERCENT, "  ")
        yield "  p_percent: 0.1"
    yield from comment(
        "Cells that may not be told are hidden, and others that would tell them.", "  "
    )
    yield "  by: suppression"
