"""Open a job for a command: its journal, private folder, catalog, engine and target, all closed at
the end."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

from anonsql.engines import open_engine, open_target
from anonsql.engines.base import Context, Engine
from anonsql.engines.target import Target
from anonsql.errors import AnonsqlError, PolicyError
from anonsql.jobs.catalog import Catalog
from anonsql.jobs.job import Job, JobKind
from anonsql.jobs.samples import Sample
from anonsql.jobs.workspace import private_memory, scratch, usual_mode, workspace
from anonsql.policy.databases import of_several_tables
from anonsql.policy.locations import JobLocations, Location
from anonsql.policy.policies import AnyPolicy
from anonsql.policy.relational import RelationalPolicy
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.policy.table_columns import TableColumns
from anonsql.policy.table_plan import TablePlan
from anonsql.system.clock import Progress, silent
from anonsql.system.journal import Journal, log
from anonsql.version import __version__

OpenTarget = Callable[[Engine, JobLocations, TableColumns, Context], Target]


@contextmanager
def read_only_job(
    policy: AnyPolicy | TablePlan,
    command: str,
    *,
    at: Location | None = None,
    target: OpenTarget = open_target,
    progress: Progress = silent,
    show_values: bool = False,
    seconds: dict[str, float] | None = None,
    reading: bool = False,
    following: bool = False,
    sample: Sample | None = None,
) -> Iterator[Job]:
    """Open a job of a command that publishes nothing. Its engine works where the source is, or at
    another location ``at``; its results are recorded in no catalog. ``seconds`` collects the times
    of the stages, also of a job that fails; ``reading``: it reads a release and makes none;
    ``following``: it needs the catalog's records of earlier releases, and works on a copy;
    ``sample``: the rows that it works on instead of the whole source."""
    first, journal = policy.first, Journal()
    places = JobLocations.of(policy)
    kind = _kind(policy, places if at is None else None)
    with (
        private_memory(),
        scratch() as folder,
        (
            Catalog.copy_of(places.catalog, folder, journal)
            if following
            else Catalog.open(None, journal)
        ) as catalog,
    ):
        purpose = f"anonsql {command}"
        context = Context(folder, policy.engine, journal, purpose=purpose, reading=reading)
        with (
            closing(open_engine(at or places.source, context)) as engine,
            closing(target(engine, places, first, context)) as opened,
        ):
            parts = (first, places, engine, opened, catalog, context, progress, show_values)
            job = Job(*parts, kind=kind, sample=sample)
            job.seconds = job.seconds if seconds is None else seconds
            with closing(job.leaves), closing(job.workbench):
                yield job


@contextmanager
def running(
    policy: AnyPolicy, command: str, progress: Progress, show_values: bool
) -> Iterator[Job]:
    """Open a job that may publish, in a private folder; the catalog records it."""
    first = policy.first
    places = JobLocations.of(policy)
    kind = _kind(policy, places)
    if problems := places.problems():
        raise PolicyError(problems)
    journal = Journal()
    with (
        private_memory(),
        workspace(places.anchor) as folder,
        Catalog.open(places.catalog, journal) as catalog,
    ):
        journal.run = number = catalog.begin_run(
            command, __version__, str(places.source), f"{places.release} {first.release.name}"
        )
        context = Context(
            folder,
            policy.engine,
            journal,
            usual_mode(folder),
            f"anonsql {command}",
            _named(places, first),
            command in ("run", "apply", "tabulate"),
        )
        status, message = "failed", None
        try:
            with (
                closing(open_engine(places.source, context)) as engine,
                closing(open_target(engine, places, first, context)) as target,
            ):
                parts = (first, places, engine, target, catalog, context, progress, show_values)
                job = Job(*parts, run=number, kind=kind)
                with closing(job.leaves), closing(job.workbench):
                    yield job
            status = job.status
        except AnonsqlError as error:
            message = str(error)
            raise
        finally:
            _note_end(catalog, number, status, message)


def _kind(policy: AnyPolicy | TablePlan, places: JobLocations | None) -> JobKind:
    if isinstance(policy, TablePlan):
        return JobKind()
    if isinstance(policy, StatisticsPolicy):
        from anonsql.jobs.statistics.state import Tabulation

        return Tabulation(policy)
    from anonsql.jobs.relational.state import Tables

    if places is not None:
        _require_several_tables(policy, places)
    return Tables(policy)


def _named(places: JobLocations, first: TableColumns) -> str:
    host = socket.gethostname() if places.release.is_file else ""
    return f"{host} {places.release} {first.release.name}"


def _note_end(catalog: Catalog, run: int, status: str, message: str | None) -> None:
    """A failure to record the end is no failure of the run: what is published stays published."""
    try:
        catalog.end_run(run, status, message)
    except AnonsqlError as error:
        log.warning("the end of run %d could not be written to the catalog: %s", run, error)


def _require_several_tables(policy: RelationalPolicy, places: JobLocations) -> None:
    """Raise PolicyError for a source that several tables are not released from, before it is
    connected to, and for a release in one file that holds one table."""
    database = places.source.database
    if not database.several_tables:
        title = f"{database.title} or {database.also}" if database.also else database.title
        raise PolicyError.at(
            "source.database",
            f"the database is {title}, and several tables can only be released from"
            f" {of_several_tables()}.",
            "Copy the tables to one of these, or name a single table.",
        )
    if policy.first.release.is_single_file:
        text = "a Parquet or CSV file holds one table, and this policy releases several."
        remedy = "Name a folder (without a suffix), or a database."
        raise PolicyError.at("release.file", text, remedy)
    odd = [name for name in policy.released if re.search(r"[/\\\0]|^\.", name)]
    if policy.release.file is not None and odd:
        text = f"{odd[0]!r} is not a valid file name."
        raise PolicyError.at(
            "release.file", text, "Rename the table in a view, or name a database."
        )
