"""Other releases than the policy's, opened beside the source of a job by what the user names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from anonsql.engines import open_file
from anonsql.engines.base import Context, ReleaseTables
from anonsql.errors import PolicyError, Problem
from anonsql.jobs.job import Job
from anonsql.policy.locations import Location
from anonsql.policy.policy import Policy
from anonsql.query import opening


@dataclass(frozen=True)
class OtherRelease:
    """A release that is open: its ``name`` as it was given, ``where`` messages about it say that
    they belong, its tables, and the policy that made it, where it was named by that."""

    name: str
    where: str
    tables: ReleaseTables
    policy: Policy | None = None


@contextmanager
def opened(job: Job, value: object) -> Iterator[OtherRelease | None]:
    """Open a release by what the user names, inside the ``with`` block; None where it is the job's
    own. What is wrong with it is said with its name."""
    named = str(value) if isinstance(value, (str, Path)) else "release"
    where = f"--with {named}"
    try:
        location, policy = opening.given(value)
        table = policy.release.name if policy is not None else _only_table(job, location, where)
        if location.same(job.places.release) and table == job.policy.release.name:
            yield None
            return
        name = named if isinstance(value, (str, Path)) else f"{location} {table}"
        with _tables(job, location, policy, table) as tables:
            yield OtherRelease(name, where, tables, policy)
    except PolicyError as error:
        raise named_by(where, error) from None


def named_by(where: str, error: PolicyError) -> PolicyError:
    """Return an error with the name of the release that it is about."""
    return PolicyError(
        [
            problem
            if problem.where.startswith("--with ")
            else Problem(where, f"{problem.where}: {problem.found}", problem.remedy)
            for problem in error.problems
        ]
    )


@contextmanager
def _tables(
    job: Job, location: Location, policy: Policy | None, table: str
) -> Iterator[ReleaseTables]:
    """Open the tables of a release: files beside the source where that is possible."""
    if not location.has_own_engine:
        with (
            closing(open_file(job.engine, location, table, job.context)) as target,
            target.published() as tables,
        ):
            yield tables
        return
    with opening.opened(location, policy, table, _context(job)) as result:
        _let_clock_end(job)
        job.context.journal.clock.also_end(result.located.engine.interrupt)
        yield result.located


def _only_table(job: Job, location: Location, where: str) -> str:
    """Return the table that a file or folder is a release of."""
    if not location.is_file:
        text = f"{location} may hold many releases."
        raise PolicyError.at(where, text, "Name the policy of the one that is meant.")
    if not location.path.exists():
        raise PolicyError.at(where, f"there is no file {location}.", "Check the path.")
    if location.same(job.places.release):
        return job.policy.release.name
    known = opening.tables_of(location, _context(job))
    _let_clock_end(job)
    if not known:
        text = f"{location} is no release of anonsql."
        raise PolicyError.at(where, text, "`anonsql run` (or `tabulate`) makes one.")
    if len(known) > 1:
        text = f"{location} holds several releases: {', '.join(map(repr, known))}."
        raise PolicyError.at(where, text, "Name the policy of the one that is meant.")
    return known[0]


def _context(job: Job) -> Context:
    """Return the context of another engine: its private folder is one of its own, which it empties
    when it is closed."""
    folder = job.context.workspace / "other"
    folder.mkdir(mode=0o700, exist_ok=True)
    return replace(job.context, workspace=folder)


def _let_clock_end(job: Job) -> None:
    """Let the clock end the statements of the job's engine again: another one took its place."""
    job.context.journal.clock.limit(job.context.settings.seconds, job.engine.interrupt)
