"""A published scheme of several tables that is applied to new rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from anonsql.engines import open_release
from anonsql.errors import PolicyError
from anonsql.jobs import scheme
from anonsql.jobs.job import Job
from anonsql.jobs.relational.state import tables_of
from anonsql.jobs.relational.tables import at_table, require_sound
from anonsql.jobs.scheme import Scheme
from anonsql.jobs.sources import scheme_of

_Value = TypeVar("_Value")


def of_job(job: Job, named: str) -> Scheme:
    """Return the scheme of a run of the catalog, by its number, or of a release, whose columns are
    called `table.column`. Raise PolicyError where it lacks a table."""
    if not (named.isascii() and named.isdigit()):
        return _of_release(job, named)
    published = scheme.report_of(job.catalog, int(named))
    if "tables" not in published:
        raise _other_tables(named)
    leveled = {
        f"{table['table']}.{column['column']}": column
        for table in published["tables"]
        for column in table["columns"]
        if column["level"] is not None
    }
    return Scheme(
        {name: column["level"] for name, column in leveled.items()},
        {name: column["looks_like"] for name, column in leveled.items()},
    )


def _of_release(job: Job, named: str) -> Scheme:
    levels, looks_like = dict[str, int](), dict[str, str]()
    with open_release(job.engine, job.places, job.policy, named, job.context) as release:
        for name, target in tables_of(job).targets.items():
            if not target.is_in(release):
                raise _other_tables(named)
            for column, level, looks in scheme.levels_in(target.of(release)):
                levels[f"{name}.{column}"], looks_like[f"{name}.{column}"] = level, looks
    return Scheme(levels, looks_like)


def _other_tables(named: str) -> PolicyError:
    text = f"{named} does not have all tables of the policy."
    return PolicyError.at("--scheme", text, "Name a release of the same policy.")


def fit_scheme(job: Job) -> None:
    """Raise PolicyError where the scheme does not fit the tables' columns and hierarchies."""
    published = scheme_of(job)
    for name, table in tables_of(job).opened.items():
        of_table = Scheme(_within(published.levels, name), _within(published.looks_like, name))
        problems = scheme.problems(of_table, table.attributes, table.plan)
        job.problems += [at_table(table.where, problem) for problem in problems]
    require_sound(job)


def _within(of_columns: Mapping[str, _Value], table: str) -> dict[str, _Value]:
    begin = f"{table}."
    return {
        name.removeprefix(begin): value
        for name, value in of_columns.items()
        if name.startswith(begin) and "." not in name.removeprefix(begin)
    }
