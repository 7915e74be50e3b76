"""What the page of published statistics says, for recipients and for their owner."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from anonsql.engines.base import Column, Relation, ReleaseTables, other_tables_of
from anonsql.errors import AnonsqlError, VerificationError
from anonsql.features.report import crosstabs, made, promises, statistics_source
from anonsql.features.report.crosstabs import Margins, OfSource
from anonsql.features.report.page_document import Missing
from anonsql.features.report.released import context_of
from anonsql.features.report.statistics_document import (
    PageDimension,
    PageMeasure,
    StatisticsOwnerPart,
    StatisticsPage,
    StatisticsPageTable,
)
from anonsql.features.tabulate.document import StatisticsReport
from anonsql.features.tabulate.verify import verify
from anonsql.jobs.sessions import read_only_job
from anonsql.jobs.statistics.state import table_of, tabulation_of
from anonsql.policy.envelope import EngineSettings
from anonsql.policy.locations import JobLocations, Location
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.presentation import policy_text
from anonsql.query import opening
from anonsql.sql import templates
from anonsql.sql.dialects import Dialect
from anonsql.system.clock import Progress
from anonsql.verification.facts import count_of, facts_of

Tables = Mapping[str, ReleaseTables]
_MOST_RUNS = 20
_STATUSES = ("published", "hidden", "changed")
_DIMENSION, _MEASURE = "dimension", "measure"
_ROLES = {_DIMENSION: _DIMENSION, _MEASURE: _MEASURE, "ratio": _MEASURE}
"""What a column is on a page, by its role."""


@contextmanager
def published(policy: StatisticsPolicy, progress: Progress) -> Iterator[Tables]:
    """Open the tables that a policy published, by name; raise PolicyError where there are none."""
    at = JobLocations.of(policy).release
    with (
        read_only_job(policy, "report", at=at, progress=progress, reading=True) as job,
        job.target.published() as release,
    ):
        parts = tabulation_of(job).parts
        yield {name: table_of(release, of_table) for name, of_table in parts.items()}


@contextmanager
def released(location: Location) -> Iterator[Tables | None]:
    """Open the published statistics in files, the first table first; None of other releases."""
    if not location.is_file or location.is_single:
        yield None
        return
    with context_of(EngineSettings()) as context:
        for name in opening.tables_of(location, context):
            with opening.located(location, [name], context) as (table,):
                facts = facts_of(table)
            others = other_tables_of(facts)
            if "statistics" not in facts or ("other_tables" not in facts):
                continue
            names = [name, *others]
            with opening.located(location, names, context) as located:
                yield dict(zip(names, located, strict=True))
            return
        yield None


def page_of_release(
    tables: Tables, location: Location, sources: Mapping[str, OfSource] | None = None
) -> StatisticsPage:
    """Return what the page says of published tables; ``sources`` are for their owner."""
    about = {name: facts_of(table) for name, table in tables.items()}
    facts = next(iter(about.values()))
    room, pages = crosstabs.MOST_CELLS, list[StatisticsPageTable]()
    for name, table in tables.items():
        source = None if sources is None else sources.get(name, OfSource())
        named = (name,) if location.is_file else table.rows
        pages.append(_table(named, table, about[name], source, room))
        room -= sum(len(one.row_labels) * len(one.column_labels) for one in pages[-1].crosstabs)
    return StatisticsPage(
        release=facts.get("release", ""),
        facts=facts,
        tables=pages,
        does_not=promises.statistics_do_not(facts, [table.zeros for table in pages]),
    )


def _table(
    named: Relation,
    table: ReleaseTables,
    about: Mapping[str, str],
    source: OfSource | None,
    room: int,
) -> StatisticsPageTable:
    """``room``: cells of crosstabs, at most; ``named``: what a client calls the table."""
    columns = shape(table)
    margins = _margins(table, columns)
    made_of, left = crosstabs.of_table(margins, source, room)
    looks = {one.name: one.looks_like for one in table.stated_columns}
    return StatisticsPageTable(
        table=named[-1],
        dimensions=[
            PageDimension(
                name=dimension.name,
                labels=dict(
                    sorted(
                        table.engine.query(
                            "features/report/label_totals",
                            table=table.rows,
                            dimension=dimension.name,
                            level=f"{dimension.name}_level",
                        )
                    )
                ),
            )
            for dimension in columns[_DIMENSION]
        ],
        measures=[
            PageMeasure(
                name=measure.name,
                type=measure.type,
                looks_like=looks.get(measure.name) or "",
                hidden=max(count_of(about, f"hidden.{measure.name}"), 0),
            )
            for measure in columns[_MEASURE]
        ],
        cells=max(count_of(about, "cells"), 0),
        zeros=about.get("zeros") == "protected",
        crosstabs=made_of,
        left_out=left,
        queries=_queries(named, margins, table.engine.dialect),
    )


def shape(table: ReleaseTables) -> dict[str, list[Column]]:
    """Return the dimensions and the measures of a published table, in its order."""
    roles = {one.name: _ROLES.get(one.role or "") for one in table.stated_columns}
    columns = table.engine.columns(table.rows)
    return {
        role: [column for column in columns if roles.get(column.name) == role]
        for role in (_DIMENSION, _MEASURE)
    }


def _margins(table: ReleaseTables, columns: Mapping[str, Sequence[Column]]) -> Margins:
    dimensions = [column.name for column in columns[_DIMENSION]]
    measures = [column.name for column in columns[_MEASURE]]
    levels = [f"{name}_level" for name in dimensions]
    (tops,) = table.engine.query("features/report/tops", table=table.rows, levels=levels)
    if None in tops:
        return Margins(dimensions, [0] * len(dimensions), measures, {})
    names = [part for name in dimensions for part in (name, f"{name}_level")]
    names += [part for name in measures for part in (name, f"{name}_status")]
    rows = table.engine.query(
        "features/report/margins",
        table=table.rows,
        columns=names,
        tops=list(zip(levels, tops, strict=True)),
        most=2,
    )
    of_measures = 2 * len(dimensions)
    cells = {
        tuple((row[at + 1], row[at]) for at in range(0, of_measures, 2)): {
            name: (row[of_measures + 2 * at], row[of_measures + 2 * at + 1])
            for at, name in enumerate(measures)
        }
        for row in right(table.rows[-1], rows, columns)
    }
    return Margins(dimensions, tops, measures, cells)


def right(
    name: str, rows: Sequence[Sequence[Any]], columns: Mapping[str, Sequence[Column]]
) -> list[list[Any]]:
    """Return rows of a published table of this :func:`shape`, with values as documents have them.
    Raise VerificationError for cells without a level or a known status."""
    first = 2 * len(columns[_DIMENSION])
    scales = [column.scale for column in columns[_MEASURE]]
    wrong = sum(
        any(row[at] is None for at in range(1, first, 2))
        or any(row[at] not in _STATUSES for at in range(first + 1, len(row), 2))
        for row in rows
    )
    if wrong:
        text = f"{name} has {wrong:,} cells without a level, or neither shown nor hidden"
        raise VerificationError([text])
    made_right = []
    for row in rows:
        entries = list(row)
        for at, scale in enumerate(scales):
            entries[first + 2 * at] = exact(row[first + 2 * at], scale)
        made_right.append(entries)
    return made_right


def exact(value: int | Decimal | float | None, scale: int) -> int | str | None:
    """Return a value of a measure with so many digits after the point, however an engine gives it;
    with its own where the engine has no such type (SQLite).

    >>> exact(1.5, 2), exact(Decimal(3), 0), exact(2.5, 0), exact(None, 2)
    ('1.50', 3, '2.5', None)
    """
    if value is None:
        return None
    number = Decimal(str(value))
    if scale or number != number.to_integral_value():
        return f"{number:.{scale}f}" if scale else f"{number:f}"
    return int(number)


def _queries(named: Relation, margins: Margins, dialect: Dialect) -> list[str]:
    if not margins.measures or not margins.cells:
        return []
    rows, *others = margins.dimensions
    columns = others[0] if others else None
    finest = {at: min(key[at][0] for key in margins.cells) for at in range(len(margins.tops))}
    asked = range(2 if columns else 1)
    levels = [
        (f"{dimension}_level", finest[at] if at in asked else margins.tops[at])
        for at, dimension in enumerate(margins.dimensions)
    ]
    given = {
        "table": named,
        "rows": rows,
        "columns": columns,
        "levels": levels,
        "measure": margins.measures[0],
    }
    if dialect != "duckdb":
        return [templates.pretty("features/report/statistics_cells", dialect, **given)]
    plain = templates.render("features/report/statistics_cells", **given)
    pivot = "engines/duckdb/statistics_pivot"
    return [plain, templates.render(pivot, **given)] if columns else [plain]


def of_owner(
    policy: StatisticsPolicy, progress: Progress, export: Callable[[Tables], None]
) -> StatisticsPage:
    """Return the page with how the release was made; ``export`` takes the open tables. Raise
    PolicyError when there is no release, VerificationError when it does not keep its promise."""
    verified = verify(policy, against_source=False, progress=progress)
    missing, sources = list[Missing](), dict[str, OfSource]()
    with published(policy, progress) as tables:
        try:
            sources = statistics_source.of(policy, tables, progress)
        except AnonsqlError as error:
            why = f"The source could not be counted again. {error}"
            missing.append(Missing(what="Why cells are hidden", why=why))
        page = page_of_release(tables, JobLocations.of(policy).release, sources)
        export(tables)
    if not missing and not sources:
        why = "The source is not what it was when the tables were made."
        missing.append(Missing(what="Why cells are hidden", why=why))
    what = "How the release was made: what became of its cells"
    report, run, history = made.by_run(policy, page.release, StatisticsReport, what, missing)
    places = JobLocations.of(policy)
    own = StatisticsOwnerPart(
        made=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        policy_name=None if policy.origin.file is None else policy.origin.file.name,
        source=str(places.source),
        place=str(places.release),
        verified=verified,
        report=report,
        run=run,
        history=history[:_MOST_RUNS],
        policy=policy_text.shown(policy),
    )
    return page.model_copy(update={"owner": own, "missing": missing})
