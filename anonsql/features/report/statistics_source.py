"""For the owner of statistics: which hidden cells are primary, and what labels are part of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from anonsql.engines.base import ReleaseTables
from anonsql.features.report.crosstabs import Key, Label, OfSource
from anonsql.jobs import pipeline
from anonsql.jobs.job import Job
from anonsql.jobs.sessions import read_only_job
from anonsql.jobs.statistics import pipeline as of_statistics
from anonsql.jobs.statistics.counting import count_cells
from anonsql.jobs.statistics.protecting import named_cells, waived_cells
from anonsql.jobs.statistics.publishing import load_hidden
from anonsql.jobs.statistics.state import Tabulation, tabulation_of
from anonsql.policy.locations import JobLocations
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.statistics import rules
from anonsql.system.clock import Progress


def of(
    policy: StatisticsPolicy, tables: Mapping[str, ReleaseTables], progress: Progress
) -> dict[str, OfSource]:
    """Return what the source says of every published table; nothing where a published value is not
    the source's any more. Raise PolicyError where the source cannot be read."""
    at = JobLocations.of(policy).source
    with read_only_job(policy, "report", at=at, progress=progress, reading=True) as job:
        pipeline.go_through(job, of_statistics.DIMENSIONS)
        tabulation = tabulation_of(job)
        above = _above(job, tabulation)
        if policy.protect.changes:
            return {name: OfSource(above=above) for name in tables}
        count_cells(job)
        waived = waived_cells(tabulation, named_cells(job))
        primary = {
            one.name: rules.needed(policy.protect, tabulation.cells, one).primary
            & ~waived[one.name]
            for one in tabulation.plan.measures
        }
        load_hidden(job, primary)
        sources = dict[str, OfSource]()
        for number, (name, table) in enumerate(tables.items(), start=1):
            rows = _rows(job, tabulation, name, number)
            if not _agree(rows, table, tabulation, name):
                return {}
            size = len(policy.tables[name].by)
            of_table = {
                measure.name: {
                    _key(row, size) for row in rows if row[2 * size + 2 * at + 1] == "hidden"
                }
                for at, measure in enumerate(tabulation.plan.measures)
            }
            sources[name] = OfSource(of_table, above)
        return sources


def _above(job: Job, tabulation: Tabulation) -> dict[str, dict[Label, Label]]:
    attributes = {attribute.index: attribute for attribute in tabulation.plan.attributes}
    found: dict[str, dict[Label, Label]] = {attribute.name: {} for attribute in attributes.values()}
    for index, level, label, whole in job.engine.query("statistics/parents"):
        found[attributes[index].name][(level, label)] = (level + 1, whole)
    return found


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


def _key(row: Sequence[object], dimensions: int) -> Key:
    return tuple((row[at + 1], row[at]) for at in range(0, 2 * dimensions, 2))  # type: ignore[misc]


def _agree(
    rows: Sequence[Sequence[object]], table: ReleaseTables, tabulation: Tabulation, name: str
) -> bool:
    """Return whether a published table shows the source's values, and none of a primary cell."""
    size = len(tabulation.policy.tables[name].by)
    columns = [column.name for column in table.engine.columns(table.rows)]
    columns = columns[: 2 * (size + len(tabulation.plan.measures))]  # ratios follow from these
    published = table.engine.query("verification/facts", table=table.rows, columns=columns)
    by_key = {_key(row, size): row[2 * size :] for row in published}
    if len(by_key) != len(rows):
        return False
    for row in rows:
        entries = by_key.get(_key(row, size))
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
