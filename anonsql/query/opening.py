"""Find and open a release by the user's input: a file, a folder, a server, or the policy that made
it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, runtime_checkable

from anonsql.engines import open_engine, open_file
from anonsql.engines.base import Context, Engine, Part, ReleaseTables, extras_of, other_tables_of
from anonsql.errors import PolicyError, did_you_mean
from anonsql.labels.domains import Domain
from anonsql.labels.original_columns import OriginalColumn, original_columns
from anonsql.policy import locations as places
from anonsql.policy import methods, policies
from anonsql.policy.envelope import SINGLE_FILES
from anonsql.policy.locations import JobLocations, Location
from anonsql.policy.policy import Policy
from anonsql.policy.release_parts import part_name
from anonsql.policy.table_plan import TablePlan
from anonsql.query.columns import QueriedColumn
from anonsql.system.database_files import is_database, is_sqlite
from anonsql.verification.facts import facts_of


class NoReleaseError(PolicyError):
    """There is no release of this name."""


@dataclass
class OpenedRelease:
    """A release opened for queries: where it is, its columns by name, the columns by which masked
    rows are recognized (``starred``, empty where no row is masked), and the facts of ``__about``.
    ``unlisted`` are the columns that may have values for which a query with GROUP BY has no
    group, ``by_label`` those whose groups are released labels."""

    located: ReleaseTables
    columns: Mapping[str, OriginalColumn]
    starred: Sequence[str] = ()
    about: Mapping[str, str] = field(default_factory=dict)
    queried: dict[tuple[str, Domain, bool], QueriedColumn] = field(default_factory=dict)
    unlisted: set[str] = field(default_factory=set)
    by_label: set[str] = field(default_factory=set)
    with_hierarchies: bool = False
    rows: int | None = None


def rows_of(release: OpenedRelease) -> int:
    """Return how many rows the release has."""
    if release.rows is None:
        release.rows = int(
            release.located.engine.query("sql/rows", table=release.located.rows)[0][0]
        )
    return release.rows


_POLICY = (".yaml", ".yml", ".json")
_RELEASE = (*SINGLE_FILES, ".duckdb", ".ddb", ".db", ".sqlite")
_RELEASES = (
    "Give the file, folder or URL of a release, its policy, or, to `query` and `read`, the value"
    " that `anonymize` returned."
)
_NO_RELEASE = "`anonsql run` (or `tabulate`) makes one."


def given(release: object) -> tuple[Location, Policy | None]:
    """Return the location of a release, and the policy where the release was given by its
    policy."""
    if isinstance(release, Location):
        return release, None
    if isinstance(release, (Policy, Mapping)):
        policy = Policy.of(release)
        return JobLocations.of(policy).release, policy
    if isinstance(release, policies.KINDS):
        text = (
            "this is a policy of several tables or of statistics, and the command needs rows"
            " of one table."
        )
        raise PolicyError.at("policy", text, "Name the release instead of the policy.")
    if not isinstance(release, (str, os.PathLike)):
        text = f"found {type(release).__name__}, which is not a release."
        raise PolicyError.at("RELEASE", text, _RELEASES)
    text = os.fsdecode(release)
    path = Path(text)
    if _is_policy(path):
        policy = Policy.load(path)
        return JobLocations.of(policy).release, policy
    if (location := places.released_at(path.absolute())) is not None:
        return location, None
    return places.database(text, "RELEASE", lambda named: Path(named).absolute()), None


@runtime_checkable
class InMemory(Protocol):
    """A release in this process's memory."""

    def write_to(self, folder: Path) -> Path:
        """Write it to a new folder in a folder; return that."""


def on_disk(release: object, folder: Path) -> object:
    """Return a release as :func:`given` takes it: one in memory is written to a private folder."""
    if not isinstance(release, InMemory):
        return release
    return Location("folder", release.write_to(folder), shown="the value that `anonymize` returned")


def names_release(value: object) -> bool:
    """Return whether the user's input is a release itself, by its name: neither a policy nor the
    file of one."""
    if isinstance(value, (InMemory, Location, Mapping, *policies.KINDS)):
        return isinstance(value, (InMemory, Location))
    path = os.fsdecode(value) if isinstance(value, os.PathLike) else str(value)
    return not _is_policy(Path(path))


def _is_policy(path: Path) -> bool:
    """Return whether a file is that of a policy: by the end of its name, or where that says
    nothing, as it is there and is no database."""
    suffix = path.suffix.lower()
    if suffix in _POLICY or suffix in _RELEASE:
        return suffix in _POLICY
    try:
        return path.is_file() and not is_database(path) and not is_sqlite(path)
    except (OSError, ValueError):  # no name of a file, or none that may be read
        return False


@contextmanager
def opened(
    location: Location, policy: TablePlan | None, table: str, context: Context
) -> Iterator[OpenedRelease]:
    """Open the release of a table for queries inside the ``with`` block; raise PolicyError when
    there is none."""
    with located(location, [table], context) as (release_tables,):
        yield to_ask(release_tables, policy)


@contextmanager
def located(
    location: Location, tables: Sequence[str], context: Context
) -> Iterator[Sequence[ReleaseTables]]:
    """Find released tables, to be read inside the ``with`` block: one, or several of one release.
    Raise PolicyError where there is none, or they are of several releases."""
    with closing(open_engine(location, context)) as engine:
        if location.is_file:
            known = _tables(engine, location)
            names = [_known(table, location, known) for table in tables]
            with _in_files(engine, location, names, context) as release_tables:
                yield release_tables
            return
        release_tables = []
        for table in tables:
            if (release := engine.released(table, "query")) is None:
                raise _missing(table, location, engine.releases())
            release_tables.append(release)
        _require_one(tables, release_tables)
        yield release_tables


def _known(table: str, location: Location, known: Sequence[str]) -> str:
    """Return the name of a released table as it is written in the release."""
    alike = [name for name in known if name.lower() == table.lower()]
    if table not in known and len(alike) != 1:
        raise _missing(table, location, list(known))
    return table if table in known else alike[0]


@contextmanager
def _in_files(
    engine: Engine, location: Location, names: Sequence[str], context: Context
) -> Iterator[Sequence[ReleaseTables]]:
    """Open released tables in files. If there are several, the table that lists the others opens
    them."""
    first = names[0] if len(names) == 1 else _knowing(engine, location, names[0], context)
    extras: tuple[Part, ...] = ()
    if not location.is_single:
        with open_file(engine, location, first, context).published() as bare:
            extras = extras_of(bare.engine, bare.about)
    with open_file(engine, location, first, context, extras).published() as opened_first:
        result = [opened_first if name == first else opened_first.beside(name) for name in names]
        there = [tables for tables in result if tables is not None]
        if len(there) < len(names):
            raise _apart(names)
        _require_one(names, there)
        yield there


def _knowing(engine: Engine, location: Location, name: str, context: Context) -> str:
    """Return the table of the release of a table that knows of the others: that of people, or the
    first one of statistics; the table itself where none does."""
    for table in (name, *_tables(engine, location)):
        with open_file(engine, location, table, context).published() as bare:
            others = other_tables_of(facts_of(bare))
        if (others and table == name) or name in others:
            return table
    return name


def _require_one(tables: Sequence[str], release_tables: Sequence[ReleaseTables]) -> None:
    """Raise PolicyError where tables are not of one release: keys are new in every release."""
    if (
        len(
            {facts_of(tables).get("release") for tables in release_tables}
            if len(release_tables) > 1
            else ()
        )
        > 1
    ):
        raise _apart(tables)


def _apart(tables: Sequence[str]) -> PolicyError:
    """Return the error that tables are of different releases."""
    text = f"{' and '.join(tables)} do not belong to one release: their keys are unrelated."
    return PolicyError.at("query", text, "A policy with `tables` releases several together.")


def tables_of(location: Location, context: Context) -> list[str]:
    """Return the tables that files, or all tables of a server, are releases of."""
    with closing(open_engine(location, context)) as engine:
        return _tables(engine, location) if location.is_file else engine.releases()


def only_table(location: Location, known: Sequence[str], where: str = "POLICY") -> str:
    """Return the only one of the tables that a file or folder is ``known`` to be a release of; raise
    PolicyError where there is none or several."""
    remedy = "Name the policy of the right one."
    if not location.is_file and len(known) != 1:
        raise PolicyError.at(where, f"{location} may contain many releases.", remedy)
    if not known:
        text = f"{location} is not a release of anonsql."
        raise PolicyError.at(where, text, "`anonsql run` (or `tabulate`) makes one.")
    if len(known) > 1:
        text = f"{location} contains several releases: {', '.join(map(repr, known))}."
        raise PolicyError.at(where, text, remedy)
    return known[0]


def _tables(engine: Engine, location: Location) -> list[str]:
    """Return the tables that files are releases of."""
    from anonsql.system import database_files

    if location.is_single:
        database_files.require_readable(location.path, "RELEASE", "Check the path.")
        return [location.path.stem]
    if location.kind == "folder":
        names = (
            [path.name.removesuffix(".parquet") for path in location.path.iterdir()]
            if location.path.is_dir()
            else []
        )
    else:
        database_files.require_readable(location.path, "RELEASE", "Check the path.")
        names = engine.tables_in(location.path, "RELEASE")
    return sorted(name for name in names if part_name(name, "about") in names)


def _missing(table: str, location: Location, known: list[str]) -> NoReleaseError:
    """Return the error that there is no release of this name."""
    if not known:
        return NoReleaseError.at("RELEASE", f"{location} is not a release of anonsql.", _NO_RELEASE)
    hint = did_you_mean(table, known) or f"Known: {', '.join(map(repr, known))}."
    return NoReleaseError.at(
        "query",
        f"there is no release of a table {table!r} in {location}.",
        f"FROM must name the released table. {hint}",
    )


def to_ask(located: ReleaseTables, policy: TablePlan | None) -> OpenedRelease:
    """Return a release opened for queries; its hierarchies are known where the policy is."""
    about = facts_of(located)
    require_rows(about)
    _require_known_method(about, policy)
    columns = original_columns(located, about, policy)
    starred = (
        [column.name for column in columns.values() if column.labels]
        if about.get("masked", "0") != "0"
        else []
    )
    from_release = policy is None and "labels" in located.extras
    return OpenedRelease(located, columns, starred, about, with_hierarchies=from_release)


def are_statistics(about: Mapping[str, str]) -> bool:
    """Return whether facts are about a table of statistics."""
    return "statistics" in about


def require_rows(about: Mapping[str, str]) -> None:
    """Raise PolicyError where facts are about a table of statistics, and not about released
    rows."""
    if are_statistics(about):
        text = "these are tables of counts and sums, and the command needs released rows."
        raise PolicyError.at("RELEASE", text, "`anonsql query` answers from the tables.")


def _require_known_method(about: Mapping[str, str], policy: TablePlan | None) -> None:
    """Raise PolicyError where the method that the release states is unknown, or not the policy's:
    the meaning of labels depends on it."""
    stated = about.get("method")
    if stated is not None and stated not in methods.names():
        text = f"the release states the method {stated!r}, which anonsql does not have."
        raise PolicyError.at("RELEASE", text, "`anonsql verify` lists all problems of the release.")
    if policy is not None and stated is not None and stated != policy.method.type:
        text = f"the release states the method {stated}, the policy {policy.method.type}."
        raise PolicyError.at(
            "method.type", text, "Name the release instead of the policy, or verify it."
        )
