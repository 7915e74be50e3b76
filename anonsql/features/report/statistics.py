"""The page of published statistics, for their owner or their recipients. It has no script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal

from anonsql.engines.base import Relation, ReleaseTables
from anonsql.errors import AnonsqlError
from anonsql.features.kinds.base import Page, PageOptions
from anonsql.features.report import crosstabs, made, promises, statistics_exports
from anonsql.features.report.charts import stages
from anonsql.features.report.context import RECORD, context, review, unit_of
from anonsql.features.report.crosstabs import (
    DIMENSION,
    MEASURE,
    Key,
    Margins,
    Primary,
    Tables,
    margins_of,
    shape,
)
from anonsql.features.report.document import (
    Crosstab,
    CrosstabCell,
    Missing,
    PageDimension,
    PageMeasure,
    StatisticsOwnerPart,
    StatisticsPage,
    StatisticsPageTable,
)
from anonsql.features.report.released import context_of
from anonsql.features.tabulate.command import verify
from anonsql.features.tabulate.described import lost
from anonsql.features.tabulate.document import StatisticsReport
from anonsql.jobs import pipeline
from anonsql.jobs.job import Job
from anonsql.jobs.sessions import read_only_job
from anonsql.jobs.statistics import pipeline as of_statistics
from anonsql.jobs.statistics.counting import count_cells
from anonsql.jobs.statistics.protecting import named_cells, waived_cells
from anonsql.jobs.statistics.publishing import load_hidden
from anonsql.jobs.statistics.state import Tabulation, table_of, tabulation_of
from anonsql.policy.envelope import EngineSettings
from anonsql.policy.locations import JobLocations, Location
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.presentation import page, policy_text
from anonsql.presentation.numbers import count, seconds
from anonsql.presentation.tree import Code, Figures, Part, Section, Sentence
from anonsql.query import opening
from anonsql.sql import templates
from anonsql.sql.dialects import Dialect
from anonsql.statistics import rules
from anonsql.system.clock import Progress
from anonsql.verification.facts import count_of, facts_of


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


def page_of_policy(policy: StatisticsPolicy, options: PageOptions) -> Page:
    """Return the page, with the files that are asked for. Raise PolicyError when there is no
    release, for its owner also VerificationError when it does not keep its promise."""
    if options.audience == "owner":
        return of_owner(policy, options)
    with published(policy, options.progress) as tables:
        exports = statistics_exports.of(tables, options.folders)
        shown = of_tables(tables, JobLocations.of(policy).release)
    return Page(page_of(shown), "statistics", shown, exports)


def page_of_release(location: Location, names: Sequence[str], options: PageOptions) -> Page:
    """Return the page of the published statistics in files, with the files that are asked for."""
    with (
        context_of(EngineSettings()) as context,
        opening.located(location, names, context) as located,
    ):
        tables = dict(zip(names, located, strict=True))
        exports = statistics_exports.of(tables, options.folders)
        shown = of_tables(tables, location)
    return Page(page_of(shown), "statistics", shown, exports)


def of_tables(
    tables: Tables, location: Location, sources: Mapping[str, Primary] | None = None
) -> StatisticsPage:
    """Return the content of the page of published tables; ``sources`` are for their owner."""
    about = {name: facts_of(table) for name, table in tables.items()}
    facts = next(iter(about.values()))
    room, pages = crosstabs.MOST_CELLS, list[StatisticsPageTable]()
    for name, table in tables.items():
        primary = None if sources is None else sources.get(name, {})
        named = (name,) if location.is_file else table.rows
        pages.append(_table(named, table, about[name], primary, room))
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
    primary: Primary | None,
    room: int,
) -> StatisticsPageTable:
    """``room``: cells of crosstabs, at most; ``named``: a client's name for the table."""
    columns = shape(table)
    margins = margins_of(table, columns)
    made_of, left = crosstabs.of_table(margins, primary, room)
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
            for dimension in columns[DIMENSION]
        ],
        measures=[
            PageMeasure(
                name=measure.name,
                type=measure.type,
                looks_like=looks.get(measure.name) or "",
                hidden=max(count_of(about, f"hidden.{measure.name}"), 0),
            )
            for measure in columns[MEASURE]
        ],
        cells=max(count_of(about, "cells"), 0),
        zeros=about.get("zeros") == "protected",
        crosstabs=made_of,
        left_out=left,
        queries=_queries(named, margins, table.engine.dialect),
    )


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


def of_owner(policy: StatisticsPolicy, options: PageOptions) -> Page:
    """Return the page with how the release was made: see :func:`page_of_policy`."""
    progress = options.progress
    verified = verify(policy, against_source=False, progress=progress)
    missing, sources = list[Missing](), dict[str, Primary]()
    with published(policy, progress) as tables:
        try:
            sources = of_source(policy, tables, progress)
        except AnonsqlError as error:
            why = f"The source could not be counted again. {error}"
            missing.append(Missing(what="Why cells are hidden", why=why))
        shown = of_tables(tables, JobLocations.of(policy).release, sources)
        exports = statistics_exports.of(tables, options.folders)
    if not missing and not sources:
        why = "The source differs from what it was when the tables were made."
        missing.append(Missing(what="Why cells are hidden", why=why))
    what = "How the release was made: what became of its cells"
    report, run = made.by_run(policy, shown.release, StatisticsReport, what, missing)
    places = JobLocations.of(policy)
    noise = policy.protect.noise
    own = StatisticsOwnerPart(
        made=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        policy_name=None if policy.origin.file is None else policy.origin.file.name,
        source=str(places.source),
        place=str(places.release),
        recipient=policy.release.recipient,
        unit=unit_of(policy.protect.entity),
        epsilon=None if noise is None else noise.spent.words,
        verified=verified,
        report=report,
        run=run,
        policy=policy_text.shown(policy),
    )
    shown = shown.model_copy(update={"owner": own, "missing": missing})
    return Page(page_of(shown), "statistics", shown, exports)


def page_of(statistics_page: StatisticsPage) -> str:
    """Return the page (HTML)."""
    owner = statistics_page.owner
    report = owner.report if owner else None
    first = statistics_page.tables[0].table
    return page.render(
        "features/report/statistics",
        title=f"{first}: what the tables contain and what they promise"
        if len(statistics_page.tables) == 1
        else f"{len(statistics_page.tables)} tables: what they contain and what they promise",
        styles=("features/report/crosstab.css",),
        charts=False,
        told=statistics_page,
        owner=owner,
        report=report,
        record=RECORD,
        context=[context(owner.recipient, owner.unit, owner.epsilon)] if owner else [],
        lost=[Section(f"What was lost ({RECORD})", lost(report), name="lost")] if report else [],
        sections=[
            Section("How to query", _how_to_query(statistics_page), name="query"),
            *(
                []
                if owner is None
                else [review(owner.recipient), Section("How it ran", _how(owner), name="how")]
            ),
        ],
        tables=[
            {"place": place, "told": table, "pairs": _pairs(table)}
            for place, table in enumerate(statistics_page.tables, start=1)
        ],
        value=value,
    )


def value(cell: CrosstabCell) -> str:
    """Return the value of a cell as people read it.

    >>> value(CrosstabCell(value="1234.50", status="published"))
    '1,234.50'
    """
    if isinstance(cell.value, str):
        return f"{Decimal(cell.value):,f}"
    return "" if cell.value is None else f"{cell.value:,}"


def _pairs(table: StatisticsPageTable) -> list[dict[str, object]]:
    by_title: dict[str, list[Crosstab]] = {}
    for crosstab in table.crosstabs:
        title = f"{crosstab.rows} by {crosstab.columns}" if crosstab.columns else crosstab.rows
        by_title.setdefault(title, []).append(crosstab)
    return [{"title": title, "crosstabs": crosstabs} for title, crosstabs in by_title.items()]


def _how_to_query(statistics_page: StatisticsPage) -> list[Part]:
    asked = [table for table in statistics_page.tables if table.queries]
    return [
        Sentence(
            "The tables are ordinary tables, which any SQL client reads. `…__about` has the facts"
            " of a table, `…__columns` the meaning of its columns."
        ),
        *(
            Section(table.table, _queries_shown(table), folded=True, opened=table is asked[0])
            for table in asked
        ),
    ]


def _queries_shown(table: StatisticsPageTable) -> list[Part]:
    plain, *crosstab = map(Code, table.queries)
    also = [Sentence("The same as a crosstab, in DuckDB:")] if crosstab else []
    return [plain, *also, *crosstab]


def _how(owner: StatisticsOwnerPart) -> list[Part]:
    run, parts = owner.run, list[Part]()
    if run is not None and owner.report is not None:
        ran = (
            f"Run {run.run} (`anonsql {run.command}`) began at {run.started} (UTC) and took"
            f" {seconds(run.seconds)}. It sent {count(run.statements)} statements to the database"
            " of the source. `anonsql runs` lists all runs."
        )
        parts.append(Sentence(ran))
    if owner.report is not None and owner.report.seconds:
        parts.append(Section("Stages of the run", [stages(owner.report.seconds)], folded=True))
    says = "The policy file, without comments. Passwords, keys and secret seeds are hidden."
    places = Figures(["Source", "Release"], [[owner.source, owner.place]])
    return [*parts, Section("The policy", [Sentence(says), Code(owner.policy, long=True), places])]


def of_source(
    policy: StatisticsPolicy, tables: Mapping[str, ReleaseTables], progress: Progress
) -> dict[str, Primary]:
    """Return the primary cells of every published table by the source; none if a published value is no
    longer the source's. Raise PolicyError where the source cannot be read."""
    if policy.protect.changes:
        return {name: {} for name in tables}
    at = JobLocations.of(policy).source
    with read_only_job(policy, "report", at=at, progress=progress, reading=True) as job:
        pipeline.go_through(job, of_statistics.DIMENSIONS)
        tabulation = tabulation_of(job)
        count_cells(job)
        waived = waived_cells(tabulation, named_cells(job))
        primary = {
            one.name: rules.needed(policy.protect, tabulation.cells, one).primary
            & ~waived[one.name]
            for one in tabulation.plan.measures
        }
        load_hidden(job, primary)
        sources = dict[str, Primary]()
        for number, (name, table) in enumerate(tables.items(), start=1):
            rows = _rows(job, tabulation, name, number)
            if not _agree(rows, table, tabulation, name):
                return {}
            size = len(policy.tables[name].by)
            of_table = {
                measure.name: {
                    _row_key(row, size) for row in rows if row[2 * size + 2 * at + 1] == "hidden"
                }
                for at, measure in enumerate(tabulation.plan.measures)
            }
            sources[name] = of_table
        return sources


def _rows(job: Job, tabulation: Tabulation, name: str, number: int) -> list[tuple[object, ...]]:
    """Return the cells of a table as the source makes them, hidden where they are primary."""
    policy, plan = tabulation.policy, tabulation.plan
    return job.engine.query(
        "statistics/table",
        attributes=plan.dimensions(policy.tables[name]),
        measures=plan.measures,
        ratios=[],
        shown=("cells",),
        status=policy.protect.status,
        number=number,
        ordering="cell_number",
    )


def _row_key(row: Sequence[object], dimensions: int) -> Key:
    return tuple((row[at + 1], row[at]) for at in range(0, 2 * dimensions, 2))  # type: ignore[misc]


def _agree(
    rows: Sequence[Sequence[object]], table: ReleaseTables, tabulation: Tabulation, name: str
) -> bool:
    """Return whether a published table shows the source's values, and none of a primary cell."""
    size = len(tabulation.policy.tables[name].by)
    columns = [column.name for column in table.engine.columns(table.rows)]
    columns = columns[: 2 * (size + len(tabulation.plan.measures))]  # ratios follow from these
    published = table.engine.query("verification/facts", table=table.rows, columns=columns)
    by_key = {_row_key(row, size): row[2 * size :] for row in published}
    if len(by_key) != len(rows):
        return False
    for row in rows:
        entries = by_key.get(_row_key(row, size))
        if entries is None:
            return False
        for at in range(0, len(entries), 2):
            true = row[2 * size + at]
            if entries[at + 1] != "hidden" and not _equal(entries[at], true):
                return False
    return True


def _equal(one: object, other: object) -> bool:
    """None is the value of a primary cell."""
    return None not in (one, other) and Decimal(str(one)) == Decimal(str(other))
