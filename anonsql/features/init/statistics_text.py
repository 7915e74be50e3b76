"""The text of a policy of statistics that is proposed for a table."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from anonsql.features.init.policy_text import comment, names_of, notes, source_lines
from anonsql.features.init.proposals import Profile
from anonsql.policy.source import Source
from anonsql.policy.statistics import NO_TABLE_NAME
from anonsql.policy.yaml_text import quoted

THRESHOLD = 11
"""The fewest people of a published cell."""

_PROPOSED = (
    "A policy of statistics for anonsql, proposed from counts alone: tables of counts and sums"
    " that may be published. Read every line, and define the tables that your readers need;"
    " `anonsql check` lists what is wrong. The manual: `anonsql guide statistics`."
)
_THRESHOLD = (
    "Cells with fewer people are not published. Medicare, Medicaid and research networks such as"
    " PCORnet require 11 for cells about health; statistical offices require 3, 5 or 10."
)
_P_PERCENT = (
    "The second largest contributor of a sum cannot estimate the largest amount to within 10 %: a"
    " few large amounts can dominate a sum of many people."
)


@dataclass(frozen=True)
class Dimension:
    """A column with its ``hierarchy`` in the policy (empty: values and their total), the finest
    ``level`` of the tables, and why."""

    profile: Profile
    hierarchy: str
    level: int
    why: str

    @property
    def name(self) -> str:
        """The column's name."""
        return self.profile.column.name


@dataclass(frozen=True)
class Proposed:
    """The proposal for a table. ``groupings`` are columns that group the values of a dimension;
    ``revealing`` columns whose sums would reveal counts (by a dimension)."""

    dimensions: Sequence[Dimension]
    more: Sequence[Dimension]
    sums: Sequence[Profile]
    more_sums: Sequence[Profile]
    groupings: Mapping[str, str]
    revealing: Mapping[str, str | None]
    entity: str | None
    weight: str | None
    unused: Sequence[Profile]


def lines_of(proposed: Proposed, place: str, source: Source) -> Iterator[str]:
    """Yield the lines of the policy."""
    table = source.table
    yield from comment(_PROPOSED)
    yield from source_lines(place, source)
    _, stem = names_of(place, table)
    yield f"release: {{database: {quoted(stem + '_statistics.duckdb')}}}"
    yield "statistics:"
    yield from comment("The dimensions, each with the levels of its hierarchy and a total.", "  ")
    yield "  by:"
    for dimension in proposed.dimensions:
        yield from comment(f"{dimension.profile.words()}. {dimension.why}", "    ")
        yield from notes(dimension.profile, "    ")
        yield f"    {_entry(dimension)}"
    if proposed.more:
        yield from comment("Other possible dimensions:", "    ")
        for dimension in proposed.more:
            yield f"    # {_entry(dimension)}"
    for name, part in proposed.groupings.items():
        text = (
            f"Not used: each {quoted(part)} has only one {quoted(name)}. To publish both,"
            " write these"
        )
        if table is None:
            yield from comment(f"{text} two columns to a file and use it as hierarchy:", "    ")
            hierarchy = f"{{type: file, path: {quoted(f'{part}.csv')}}}"
        else:
            yield from comment(f"{text} two columns to a table and use it as hierarchy:", "    ")
            levels = f"key: {quoted(part)}, levels: [{quoted(name)}]"
            hierarchy = f"{{type: table, table: {quoted(f'{part}_groups')}, {levels}}}"
        yield f"    # {quoted(part)}: {{hierarchy: {hierarchy}}}"
    yield from _measures(proposed, of_file=table is None)
    yield from _tables(proposed.dimensions)
    yield from _protect(proposed)


def _entry(dimension: Dimension) -> str:
    inner = f"hierarchy: {dimension.hierarchy}" if dimension.hierarchy else ""
    return f"{quoted(dimension.name)}: {{{inner}}}"


def _measures(proposed: Proposed, *, of_file: bool) -> Iterator[str]:
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
        yield from notes(profile, "    ")
        yield f"    {quoted(free(profile.column.name))}: {{sum: {quoted(profile.column.name)}}}"
    if proposed.sums:
        yield from comment(
            "A mean divides one measure by another: `mean: {ratio: [amount, rows]}`. Rows without"
            " an amount count too.",
            "    ",
        )
    if proposed.more_sums:
        yield from comment("Other sums, each of which hides further cells:", "    ")
        for profile in proposed.more_sums:
            column = profile.column.name
            yield f"    # {quoted(free(column))}: {{sum: {quoted(column)}}}"
    for name, dimension in proposed.revealing.items():
        within = "" if dimension is None else f"within each {quoted(dimension)} "
        text = (
            f"Not used: {within}all values of {quoted(name)} except 0 are equal, so sums of it"
            " would reveal how many rows a cell has (`anonsql guide statistics-assumptions`)."
        )
        yield from comment(text, "    ")
    if proposed.weight is not None:
        yield from comment(f"Not used: {proposed.weight} looks like a survey's weight.", "    ")
    if proposed.unused:
        yield from comment("Not used, as neither dimensions nor amounts:", "    ")
        for profile in proposed.unused:
            yield from comment(f"{quoted(profile.column.name)}: {profile.words()}", "    ")
    if of_file and any(profile.column.kind == "text" for profile in proposed.unused):
        typed = "need a `type` in source.columns (`anonsql guide files`)."
        yield from comment(f"Numbers that are read as text {typed}", "    ")


def _tables(dimensions: Sequence[Dimension]) -> Iterator[str]:
    yield from comment(
        "Tables of two dimensions, to begin with: in tables of more, more cells have few people."
        " `levels` is the finest level of a dimension.",
        "  ",
    )
    yield "  tables:"
    first, *others = dimensions
    pairs = [[first, other] for other in others] or [[first]]
    for number, pair in enumerate(pairs, start=1):
        yield f"    - {_table(pair, number)}"
    if more := list(itertools.combinations(others, 2)):
        text = (
            "Others, each of which forms a cycle of tables: the audit then counts the cells by all"
            " their dimensions (`anonsql guide statistics-assumptions`)."
        )
        yield from comment(text, "    ")
    for number, two in enumerate(more, start=len(pairs) + 1):
        yield f"    # - {_table(two, number)}"


def _table(dimensions: Sequence[Dimension], number: int) -> str:
    by = ", ".join(quoted(dimension.name) for dimension in dimensions)
    levels = ", ".join(f"{quoted(one.name)}: {one.level}" for one in dimensions if one.level)
    named = re.search(NO_TABLE_NAME, "_".join(one.name for one in dimensions)) is not None
    if not levels and not named:
        return f"[{by}]"
    parts = [f"by: [{by}]"]
    parts += [f"levels: {{{levels}}}"] if levels else []
    parts += [f"name: table_{number}"] if named else []
    return f"{{{', '.join(parts)}}}"


def _protect(proposed: Proposed) -> Iterator[str]:
    yield "protect:"
    if proposed.entity is None:
        yield from comment(
            "Every row counts as a person; if people have several rows, `entity` is the column"
            " that identifies them.",
            "  ",
        )
    else:
        yield from comment("Who is protected: the name suggests it, and the values repeat.", "  ")
        yield f"  entity: {quoted(proposed.entity)}"
    yield from comment(_THRESHOLD, "  ")
    yield f"  threshold: {THRESHOLD}"
    if proposed.sums:
        yield from comment(_P_PERCENT, "  ")
        yield "  p_percent: 0.1"
    yield from comment(
        "Small cells are hidden, and other cells from which they could be computed.", "  "
    )
    yield "  by: suppression"
