"""The control plane: an embedded DuckDB file with runs, statements, releases and the lattice of the
last search.

It holds no value of the source, and the ledger of releases over time, which is as private as these
are. Candidate join, prune and edge generation of Incognito run here.
"""

from __future__ import annotations

import getpass
import os
import re
import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonsql.engines.duckdb.private import PrivateSession
from anonsql.engines.duckdb.session import DuckDBSession
from anonsql.errors import BusyError, PolicyError, ResourceError, SqlError
from anonsql.star.lattice import Graph, Levels
from anonsql.system import database_files
from anonsql.system.arrays import IntArray
from anonsql.system.journal import Journal

if TYPE_CHECKING:  # these load the engines, and the catalog shows whether there is work for them
    from anonsql.hierarchies.dimensions import Attribute
    from anonsql.jobs.catalog_ledger import CatalogLedger
    from anonsql.privacy.spending import Spent
    from anonsql.search.results import SearchResult, Verdict
    from anonsql.star.cells import Star

_FIRST_TABLES = {("main", "runs"), ("main", "statements"), ("main", "releases")}
_OF_LEDGERS = ("ledgers", "ledger_releases", "ledger_rows", "ledger_next")
_SECRET = "statistics_secret"  # noqa: S105 - the name of a table
_TABLES = {
    *_FIRST_TABLES,
    ("main", "class_sizes"),  # of versions before
    ("main", "nodes"),
    *(("main", ledger) for ledger in _OF_LEDGERS),
    ("main", _SECRET),
    ("main", "statistics_releases"),
    ("main", "statistics_spending"),
}
_TABLES_OF_NOW = _FIRST_TABLES | {("main", "ledgers"), ("main", "ledger_releases")}
_STATISTICS = "statistics_releases"
_SPENDING = "statistics_spending"
_OF_RELEASE = re.compile(r"statistics_[0-9]+")
_LATTICE = re.compile(r"attributes|verdicts|(nodes|edges)_[0-9]+")


class Catalog:
    """The catalog file of one release, opened by one process at a time."""

    def __init__(self, session: DuckDBSession | None, journal: Journal, path: Path | None) -> None:
        self._opened, self._journal, self._path = session, journal, path

    @property
    def _session(self) -> DuckDBSession:
        """Return the session of the catalog, opened when first used; in memory most never are."""
        if self._opened is None:
            self._opened = DuckDBSession(None, self._journal, "control")
            self._opened.run("catalog")
        return self._opened

    @classmethod
    def open(cls, path: Path | None, journal: Journal, made: bool = False) -> Catalog:
        """Open or make the file (in memory for None), readable by its owner alone; with ``made`` it
        must be a catalog already. Raise BusyError when another process holds it, PolicyError when
        it is not a catalog."""
        if path is None:
            return cls(None, journal, None)
        if path.exists():
            database_files.require_readable(path, "catalog")
            if not database_files.is_database(path):
                raise PolicyError.at(
                    "catalog", f"{path} is not a DuckDB database.", "Name another file."
                )
        try:
            session = PrivateSession(path, journal)
        except ResourceError:
            raise
        except SqlError as error:
            raise PolicyError.at(
                "catalog", f"{path} cannot be opened: {error.reason}.", "Name another file."
            ) from None
        rows = {tuple(row) for row in session.query("jobs/catalog/tables")}
        others = [
            name
            for schema, name in rows
            if (schema, name) not in _TABLES
            and not (schema == "lattice" and _LATTICE.fullmatch(name))
            and not (schema == "main" and _OF_RELEASE.fullmatch(name))
        ]
        if others or ((rows or made) and not rows >= _FIRST_TABLES):
            cls(session, journal, path).close()
            names = ", ".join(sorted(others)) or "tables that no catalog has"
            raise PolicyError.at(
                "catalog", f"{path} is not a catalog, but contains: {names}.", "Name another file."
            )
        path.chmod(0o600)
        session.run("catalog")
        session.run("jobs/catalog/mark_killed")
        return cls(session, journal, path)

    def __enter__(self) -> Catalog:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file and release its lock."""
        if self._opened is not None:
            self._opened.close()

    # lattice

    def begin_search(self, attributes: Sequence[Attribute]) -> None:
        """Empty the lattice tables for a new search."""
        self._session.run("jobs/catalog/lattice_drop")
        self._session.run("jobs/catalog/lattice_begin")
        self._session.run("jobs/catalog/verdicts")
        self._session.run(
            "jobs/catalog/lattice_attributes",
            rows=[(a.index, a.name, a.min_level, a.max_level) for a in attributes],
        )

    def candidates(self, size: int) -> Graph:
        """Make and read the candidate nodes and edges over subsets of ``size`` attributes, given
        the verdicts of the passes before: C_i and E_i (section 3.1.2)."""
        if size == 1:
            self._session.run("jobs/catalog/first_nodes")
            self._session.run("jobs/catalog/first_edges")
        else:
            self._session.run("jobs/catalog/lattice_nodes", size=size)
            self._session.run("jobs/catalog/edges", size=size)
        nodes = {
            row[0]: dict(zip(row[1::2], row[2::2], strict=True))
            for row in self._session.query("jobs/catalog/read_nodes", size=size)
        }
        return Graph.of(nodes, self._session.query("jobs/catalog/read_edges", size=size))

    def record(self, size: int, verdicts: Sequence[Verdict]) -> None:
        """Keep the verdicts of a pass: S_i are its nodes that satisfy."""
        rows = [
            (size, one.node, one.satisfied, one.sizes is not None, *_counts(one))
            for one in verdicts
        ]
        _append(self._session, ("lattice", "verdicts"), rows)

    def record_nodes(self, run: int, star: Star, search_result: SearchResult) -> None:
        """Store what the search knows of its nodes in place of the previous search."""
        weights = {
            (index, level): loss
            for index, levels in star.losses.items()
            for level, loss in levels.items()
        }
        rows = [
            (
                *(run, number, _node(levels), sum(levels.values())),
                *(verdict.satisfied, verdict.rule, verdict.implied_by, verdict.milliseconds),
                *_counts(verdict),
                sum(map(weights.__getitem__, levels.items())) / len(levels),
            )
            for number, (levels, verdict) in enumerate(search_result.verdicts, start=1)
        ]
        self._session.run("jobs/catalog/forget_nodes")
        self._session.append(
            "jobs/catalog/nodes",
            rows,
            names=[(attribute.index, attribute.name) for attribute in star.attributes],
        )

    # history

    def begin_run(self, command: str, version: str, source: str, release: str) -> int:
        """Record that a run began, and return its number."""
        parameters = {"command": command, "version": version, "source": source, "release": release}
        parameters["account"] = _account()
        return int(self._session.query("jobs/catalog/begin_run", **parameters)[0][0])

    def end_run(self, run: int, status: str, error: str | None = None) -> None:
        """Record how a run ended, with all its statements."""
        rows = [
            (run, number, made.plane, made.name, made.rows, round(made.milliseconds, 3))
            for number, made in enumerate(self._journal.statements, start=1)
        ]
        _append(self._session, "statements", rows)
        self._session.run("jobs/catalog/end_run", run=run, status=status, error=error)

    def record_release(
        self, run: int, database: str, table: str, levels: Sequence[tuple[str, int | None, str]]
    ) -> None:
        """Record what a run published: column, level and a digest of its hierarchy."""
        self._session.run(
            "jobs/catalog/release", run=run, database=database, table=table, levels=levels
        )

    def record_report(self, run: int, report: str, made_from: str | None) -> None:
        """Store the report (JSON) of a run that published, and the fingerprint of its sources."""
        self._session.run("jobs/catalog/published", run=run, report=report, made_from=made_from)

    def last_release(self, database: str, table: str) -> tuple[str | None, str | None]:
        """Return the published release's fingerprint of sources, and its report, or twice None."""
        rows = self._session.query("jobs/catalog/last_release", database=database, table=table)
        return rows[0] if rows else (None, None)

    def report_of(self, release_id: str) -> str | None:
        """Return the report of the run that published a release, by its number, or None."""
        rows = self._session.query("jobs/catalog/report_of", release=release_id)
        return rows[0][0] if rows else None

    def published_at(self, database: str, table: str) -> bool:
        """Return whether a run published there, or was about to."""
        where = {"database": database, "table": table}
        return bool(self._session.query("jobs/catalog/last_release", **where))

    def record_state(self, database: str, table: str, files: str) -> None:
        """Store the state (JSON) of the files of the release and of its sources."""
        self._session.run("jobs/catalog/state", database=database, table=table, files=files)

    def last_state(self, database: str, table: str) -> tuple[str | None, str | None]:
        """Return the state of the published files, and their report; (None, None) without."""
        rows = self._session.query("jobs/catalog/last_state", database=database, table=table)
        return rows[0] if rows else (None, None)

    def state_of_last(self) -> tuple[str | None, str | None, str, str]:
        """Return the state of the files of the last release, wherever it is, its report, and in
        words its source and release; nothing known when no run published."""
        rows = self._session.query("jobs/catalog/state_of_last")
        return rows[0] if rows else (None, None, "", "")

    def release_id(self, run: int) -> str | None:
        """Return the number of the release that a run published; None where that is not known."""
        rows = self._session.query("jobs/catalog/made_from", run=run)
        return str(rows[0][0]).rpartition(" ")[2] if rows else None

    def earlier(self) -> list[tuple[str, str]]:
        """Return what earlier runs published: table of the release and report (JSON)."""
        return [] if self._opened is None else self._session.query("jobs/catalog/earlier")

    def earlier_statistics(
        self, settings: str, before: str | None = None
    ) -> list[dict[str, IntArray]]:
        """Return the records of statistics published before, the earliest first: ``before`` a
        release (its number), or all. Raise PolicyError where these were made by other ``settings``
        (a digest), or the release is not known."""
        columns = ["number", "settings", "columns", "release_id"]
        rows = self._session.query("verification/facts", table=(_STATISTICS,), columns=columns)
        if any(row[1] != settings for row in rows):
            text = "earlier tables have other dimensions, measures or hierarchies."
            remedy = (
                "Begin a new series: name another `catalog` and `release`, and give it only to"
                " readers who do not have the earlier tables."
            )
            raise PolicyError.at("protect.over_time", text, remedy)
        if before is not None:
            ends = [number for number, *_, release_id in rows if release_id == before]
            if not ends:
                text = "this catalog does not contain the release, nor earlier ones."
                raise PolicyError.at(
                    "catalog", text, "Name the catalog of the run that published it."
                )
            rows = [row for row in rows if row[0] < max(ends)]
        stored = []
        for number, _, names, _ in sorted(rows):
            columns = str(names).split(",")
            arrays = self._session.numbers(
                "verification/facts", table=(f"statistics_{number}",), columns=columns
            )
            stored.append(dict(zip(columns, arrays, strict=True)))
        return stored

    def keeps_statistics(self, release_id: str) -> bool:
        """Return whether the catalog has the records of a release that later ones need."""
        ids = self._session.query(
            "verification/facts", table=(_STATISTICS,), columns=["release_id"]
        )
        return (release_id,) in map(tuple, ids)

    def keep_statistics(
        self, settings: str, release_id: str, columns: Mapping[str, IntArray]
    ) -> None:
        """Keep of statistics that are about to be published what later ones need to know."""
        rows = self._session.query("verification/facts", table=(_STATISTICS,), columns=["number"])
        number = len(rows) + 1
        self._session.load_numbers(f"statistics_{number}", columns)
        _append(self._session, _STATISTICS, [(number, settings, ",".join(columns), release_id)])

    def spent(self, source: str) -> Spent:
        """Return what releases of a source have spent that were published."""
        from anonsql.privacy.spending import Spent

        columns = ["source", "rho", "epsilon", "delta"]
        rows = self._session.query("verification/facts", table=(_SPENDING,), columns=columns)
        amounts = [tuple(map(Decimal, row[1:])) for row in rows if row[0] == source]
        return sum((Spent(rho, epsilon, delta, 1) for rho, epsilon, delta in amounts), Spent())

    def spend(self, run: int, source: str, spent: Spent) -> None:
        """Book the spending of a release that is about to be published."""
        amounts = (str(spent.rho), str(spent.epsilon), str(spent.delta))
        _append(self._session, _SPENDING, [(run, source, *amounts)])

    def statistics_secret(self, *, known: bool = False) -> str:
        """Return the secret of the keys of cells, in hexadecimal digits; the first time it is
        drawn. Raise PolicyError where it must be ``known`` and is not."""
        rows = self._session.query("verification/facts", table=(_SECRET,), columns=["secret"])
        if not rows and known:
            text = "this catalog has no secret by which values were changed."
            raise PolicyError.at(
                "catalog", text, "Name the catalog of the run that published them."
            )
        if not rows:
            rows = [(secrets.token_hex(32),)]
            _append(self._session, _SECRET, rows)
        return str(rows[0][0])

    @classmethod
    @contextmanager
    def reading(cls, path: Path, journal: Journal) -> Iterator[Catalog | None]:
        """Open a catalog to read it, or None without a usable one; BusyError while a run has it."""
        if not path.is_file() or not database_files.is_database(path):
            yield None
            return
        with closing(
            DuckDBSession(path, journal, "control", {"access_mode": "READ_ONLY"})
        ) as session:
            tables = {tuple(row) for row in session.query("jobs/catalog/tables")}
            yield cls(session, journal, path) if tables >= _TABLES_OF_NOW else None

    @classmethod
    def copy_of(cls, path: Path, folder: Path, journal: Journal) -> Catalog:
        """Open a copy of a catalog, in a private folder, for a job that changes nothing; an empty
        one where there is none. Raise BusyError while a run holds it."""
        copy = folder / "catalog.duckdb"
        with cls.reading(path, journal) as catalog:  # no run writes to it meanwhile
            for file in (path, path.with_name(f"{path.name}.wal")) if catalog is not None else ():
                if file.is_file():
                    shutil.copy(file, copy.with_name(file.name.replace(path.name, copy.name, 1)))
        return cls.open(copy, journal)

    @classmethod
    def look_into(cls, path: Path, journal: Journal) -> list[tuple[str, str]]:
        """Return what :meth:`earlier` does, from a file; nothing where none can be read now."""
        try:
            with cls.reading(path, journal) as catalog:
                return [] if catalog is None else catalog.earlier()
        except (BusyError, SqlError):
            return []

    def levels(self, run: int) -> list[tuple[str, int | None, str | None]]:
        """Return what a run published: column, level and, where known, its hierarchy's digest."""
        return self._session.query("jobs/catalog/levels", run=run)

    def runs(self, run: int | None = None) -> list[tuple[Any, ...]]:
        """Return all runs, the latest first, or ``run``: see ``jobs/catalog/runs``."""
        return self._session.query("jobs/catalog/runs", run=run)

    def statements(self, run: int) -> list[tuple[Any, ...]]:
        """Return the statements of a run: number, plane, name, rows, milliseconds."""
        return self._session.query("jobs/catalog/statements_of", run=run)

    def ledger(self, workspace: Path) -> CatalogLedger:
        """Return the ledger that is kept here; ``workspace`` is the run's private folder."""
        from anonsql.jobs.catalog_ledger import CatalogLedger

        return CatalogLedger(self._session, workspace)


def _account() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())


def _counts(verdict: Verdict) -> tuple[int | None, int | None, int | None]:
    sizes = verdict.sizes
    return (sizes.classes, sizes.min_class, sizes.suppressed) if sizes else (None, None, None)


def _node(levels: Levels) -> str:
    return ",".join(f"{attribute}:{level}" for attribute, level in sorted(levels.items()))


def _append(
    session: DuckDBSession, table: str | tuple[str, str], rows: Sequence[tuple[Any, ...]]
) -> None:
    if rows:
        session.append("jobs/catalog/append", rows, table=table, width=len(rows[0]))
