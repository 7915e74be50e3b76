"""The places of a policy's source, release and catalog: files of this machine, or databases with a
URL."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, unquote

from anonsql.errors import AnonsqlError, PolicyError, Problem
from anonsql.masking import without_secrets
from anonsql.policy.databases import DATABASES, Database, Kind, catalog_beside, urls
from anonsql.policy.envelope import SINGLE_FILES, Envelope
from anonsql.policy.source import Source
from anonsql.policy.table_columns import TableColumns
from anonsql.system import database_files, text_files

_VARIABLE = re.compile(r"\$\{([^}]*)\}")
_SERVERS = {scheme: kind for kind, known in DATABASES.items() for scheme in known.schemes}
_PREFIXES = {prefix: kind for kind, known in DATABASES.items() for prefix in known.prefixes}
_SQLITE = re.compile(r"sqlite(\+pysqlite)?://(/(?P<path>[^?]*))?(?P<rest>\?.*)?", re.I | re.S)
_SIDE = re.compile(r"\.(wal|tmp|lock|checkpoint|recovery)(\..*)?", re.I)
_PRIVATE = re.compile(r"\.(.*\.)?anonsql-.*")
_ODD = (
    "?",
    "\\",
)  # DuckDB looks for a log elsewhere where a path has the one, and takes the other for /
PARQUET = tuple(suffix for suffix, kind in SINGLE_FILES.items() if kind == "parquet")
_DATABASES = (".duckdb", ".db", ".ddb")
_LONGEST_NAME = 200  # bytes of a name; catalog, lock and log append to it; file systems allow 255
_OTHER_FORMATS = (
    *(".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".xml", ".html", ".yaml", ".yml"),
    *(".xlsx", ".xls", ".ods", ".arrow", ".feather", ".avro", ".orc", ".sqlite", ".sql"),
    *(".gz", ".zip", ".zst", ".bz2"),
)


@dataclass(frozen=True)
class Location:
    """The place of one database or file. ``kind``: a DuckDB file, a CSV or Parquet file to read, a
    Parquet file, a CSV file or a folder of Parquet files to write, or a server. A server's ``url``
    may contain a password and is never shown; messages show ``str()``, which is ``shown`` where
    that is given."""

    kind: Kind
    path: Path = Path()
    url: str = field(default="", repr=False)
    shown: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        """Raise PolicyError where the path is not valid text."""
        text_files.require_text(self.path, "path")

    def __str__(self) -> str:
        if self.shown:
            return self.shown
        path = "" if self.path == Path() else without_secrets(str(self.path))
        return path if not self.url else f"{without_secrets(self.url)} {path}".rstrip()

    @property
    def database(self) -> Database:
        """What is known of its kind."""
        return DATABASES[self.kind]

    @property
    def is_file(self) -> bool:
        """Whether it is on this machine's file system."""
        return not self.url

    @property
    def has_own_engine(self) -> bool:
        """Whether a release there is made and read by the engine of its kind alone: on a server, or
        in files that other engines do not make."""
        return not self.is_file or self.database.own_files

    @property
    def is_single(self) -> bool:
        """Whether it is a release in one file that can hold one table only."""
        return self.kind in SINGLE_FILES.values()

    @property
    def companion(self) -> Path | None:
        """The companion of a CSV release: facts that CSV cannot store; None for other kinds."""
        return companion_of(self.path) if self.kind == "csv" else None

    @property
    def where(self) -> str:
        """The field of a policy that names it as the release's."""
        return "release.file" if self.is_single or self.kind == "folder" else "release.database"

    def same(self, other: Location) -> bool:
        """Return whether the other is the same location, even through another link or with another
        password."""
        return (
            self.kind == other.kind
            and _server(self) == _server(other)
            and _same(self.path, other.path)
        )


def companion_of(csv: Path) -> Path:
    """Return the file next to a released CSV file with the facts that CSV cannot store."""
    return csv.with_name(f"{csv.name}.about.json")


def released_at(path: Path) -> Location | None:
    """Return the location of a release in a folder, or in a Parquet or CSV file by the end of its
    name; None where it must be in a database."""
    if path.is_dir():
        return Location("folder", path)
    kind = SINGLE_FILES.get(path.suffix.lower())
    return Location(kind, path) if kind is not None else None


@dataclass(frozen=True)
class JobLocations:
    """The locations of one job."""

    source: Location
    release: Location
    catalog: Path
    grants: bool = False
    population: Location | None = None
    arrays: bool = False
    tables: int = 1
    inputs: Mapping[str, Path] = field(default_factory=dict)

    @classmethod
    def of(cls, policy: Envelope | TableColumns) -> JobLocations:
        """Return the policy's locations, ``${ENV}`` expanded; raise PolicyError for an invalid
        one."""
        table, catalog = policy.first, cls.catalog_of(policy)
        release, settings = _release(table), table.population
        population = (
            _source(table, settings, "privacy.population") if settings is not None else None
        )
        return cls(
            _source(table, table.source, "source"),
            release,
            catalog,
            bool(table.release.grant),
            population,
            table.label_type != "VARCHAR",
            1 + len(table.tabled),
            table.files,
        )

    @staticmethod
    def catalog_of(policy: Envelope | TableColumns) -> Path:
        """Return the path of the policy's catalog, which does not depend on the source."""
        if policy.catalog:
            path = _path(policy.origin.path, _expand(policy.catalog, "catalog"), "catalog")
            _require_to_write(path, "catalog")
            return path
        release = _release(policy.first)
        if release.is_file:
            return catalog_beside(release.path)
        name = re.sub(r"[^A-Za-z0-9_.-]", "_", policy.first.release.name)
        return policy.origin.path(f"{name}.anonsql.duckdb")

    @property
    def anchor(self) -> Path:
        """The file that the run's private folder is next to, and that its lock is named after."""
        return self.release.path if self.release.is_file else self.catalog

    def problems(self) -> list[Problem]:
        """Return the problems of the locations themselves: one file in two roles would be lost, or
        would reveal the source."""
        result = _file_problems(self.source, self.release) if self.release.is_file else []
        result += self.mismatches() + self._taken()
        if self.grants and not self.release.database.roles:
            result.append(
                Problem(
                    "release.grant",
                    "only PostgreSQL has roles that can be granted access.",
                    "Leave it out.",
                )
            )
        used = (
            self.source,
            self.release,
            *([self.population] if self.population is not None else []),
        )
        files = [location.path for location in used if location.path != Path()]
        if self.release.companion is not None:
            files.append(self.release.companion)
        if any(_same(self.catalog, file) for file in files):
            result.append(
                Problem(
                    "catalog",
                    "this file is the source, the release or the population.",
                    "Name another file.",
                )
            )
        if not self.catalog.parent.is_dir():
            result.append(
                Problem(
                    "catalog",
                    f"the folder {self.catalog.parent} does not exist.",
                    "Create it first.",
                )
            )
        return result

    def _taken(self) -> list[Problem]:
        """Return the problems of locations that are files of the policy itself, or files that a
        database or a run needs for itself."""
        problems = []
        databases = [
            location.path
            for location in (self.source, self.population)
            if location and location.kind == "duckdb"
        ]
        made = {"catalog": (self.catalog, databases)}
        if self.release.is_file:
            where = self.release.where
            made[where] = (self.release.path, [*databases, self.catalog])
            if self.release.kind == "duckdb":
                made["catalog"] = (self.catalog, [*databases, self.release.path])
        for where, (path, others) in made.items():
            uses = [what for what, file in self.inputs.items() if _same(path, file)]
            uses += [
                f"a name that DuckDB uses for a file of its own next to {other}"
                for other in others
                if _beside(path, other)
            ]
            if _PRIVATE.fullmatch(path.name):
                uses.append("a name of the temporary folders of runs, which anonsql deletes")
            problems += [Problem(where, f"this is {use}.", "Name another file.") for use in uses]
        if where := next((name for name in _ODD if name in str(self.catalog)), ""):
            text = f"DuckDB cannot write to {self.catalog}: the path contains {where!r}."
            problems.append(Problem("catalog", text, "Name another file, or rename the folder."))
        return problems

    def mismatches(self) -> list[Problem]:
        """Return the problems of locations that cannot be combined, whatever their contents: the
        release could not even be staged."""
        problems: list[Problem] = []
        if not self.release.is_file and _server(self.release) != _server(self.source):
            text = (
                f"a release on {self.release} needs its source on the same server, and the source"
                f" is on {self.source}."
            )
            problems.append(Problem("release.database", text, "Name the source's URL, or a file."))
        if self.release.database.own_files and self.source.kind != self.release.kind:
            title = self.release.database.title
            text = (
                f"a release in {title} needs a source in {title}, and the source is {self.source}."
            )
            problems.append(
                Problem("release.database", text, "Name a DuckDB, Parquet or CSV file.")
            )
        if self.population is not None and _server(self.population) != _server(self.source):
            text = f"the population must be in the same place as the source, {self.source}."
            problems.append(
                Problem(
                    "privacy.population",
                    text,
                    "Copy the population there, and name its place as you name the source's.",
                )
            )
        if self.arrays and not (self.source.database.arrays and self.release.database.arrays):
            without = self.release if self.source.database.arrays else self.source
            text = f"{without.database.title} has no arrays."
            problems.append(
                Problem("method.sets", text, "Leave it out: sets are then released as text.")
            )
        if self.arrays and self.release.is_file and not self.source.is_file:
            text = "arrays cannot be copied from a server to a file."
            problems.append(
                Problem(
                    "method.sets",
                    text,
                    "Leave it out: sets are then released as text. Or release to the server.",
                )
            )
        if self.arrays and self.release.kind == "csv":
            remedy = (
                "Leave it out: sets are then released as text. Or name a file that ends in"
                " .parquet."
            )
            problems.append(Problem("method.sets", "CSV has no arrays.", remedy))
        if self.tables > 1 and self.release.is_single:
            name, suffix = (
                ("CSV", ".csv") if self.release.kind == "csv" else ("Parquet", ".parquet")
            )
            text = f"the method publishes {self.tables} tables, and a {name} file holds only one."
            problems.append(
                Problem("release.file", text, f"Name a folder (without {suffix}), or a database.")
            )
        return problems


def _file_problems(source: Location, release: Location) -> list[Problem]:
    where, problems = release.where, list[Problem]()
    if source.path != Path() and (
        _same(release.path, source.path) or _inside(release.path, source.path)
    ):
        text = "this is the source itself, so every reader of the release could read the source."
        problems.append(Problem(where, text, "Name another file."))
    if not release.path.parent.is_dir():
        problems.append(
            Problem(where, f"the folder {release.path.parent} does not exist.", "Create it first.")
        )
    elif release.kind != "folder":
        try:
            database_files.require_replaceable(release.path, where)
        except PolicyError as error:
            problems += error.problems
        except AnonsqlError:
            pass  # locked: the run will report it, if the lock is still held then
    return problems


def _beside(path: Path, database: Path) -> bool:
    """Return whether DuckDB may create a file or folder at ``path`` for one of its databases: its
    log or its spilled data."""
    rest = path.name.removeprefix(database.name)
    return (
        rest != path.name
        and _SIDE.fullmatch(rest) is not None
        and _same(path.parent, database.parent)
    )


def database(text: str, where: str, path: Callable[[str], Path]) -> Location:
    """Return the location that ``text`` names: a server by its URL, or else the DuckDB file that
    ``path`` resolves it to."""
    expanded = _expand(text, where)
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+]*)://", expanded)
    if match := _SQLITE.fullmatch(expanded):
        return _sqlite(match, where, path)
    for prefix, known in _PREFIXES.items():
        if expanded.startswith(prefix):
            return Location(known, url=expanded)
    if scheme is None:
        location = _path(path, expanded, where)
        if odd := next((name for name in _ODD if name in str(location)), ""):
            text = f"DuckDB cannot work on {location}: the path contains {odd!r}."
            raise PolicyError.at(where, text, "Rename the file or folder.")
        return Location("duckdb", location)
    kind = _SERVERS.get(scheme.group(1).lower().partition("+")[0])
    if kind is None:
        remedy = f"Name a DuckDB file, or a URL that begins with one of: {urls()}."
        raise PolicyError.at(
            where, f"anonsql does not support databases of {scheme.group(1)}://.", remedy
        )
    return Location(kind, url=expanded)


def _sqlite(match: re.Match[str], where: str, path: Callable[[str], Path]) -> Location:
    if match["rest"]:
        raise PolicyError.at(
            where, "the URL of SQLite has options.", "Give only the file: sqlite:///people.sqlite."
        )
    if match["path"] in (None, "", ":memory:"):
        raise PolicyError.at(
            where, "the URL of SQLite names no file.", "Write e.g. sqlite:///people.sqlite."
        )
    return Location("sqlite", _path(path, unquote(match["path"]), where))


def _source(policy: TableColumns, source: Source, where: str) -> Location:
    if source.file is None:
        location = database(source.database or "", f"{where}.database", policy.path)
        if source.query is not None and location.kind != "duckdb":
            raise PolicyError.at(
                f"{where}.query",
                "only a DuckDB file can be read by a query.",
                "Make a view of the query in the database, and give its name as `table`.",
            )
        return location
    typed = [f"columns.{n}.type" for n, column in source.columns.items() if column.type is not None]
    if (wrong := [*source.of_csv, *typed]) and source.database is not None:
        raise PolicyError.at(
            f"{where}.{wrong[0]}",
            "Spark reads the types of Parquet files from the files.",
            "Leave `database` out, or cast in a view and give its name as `table`.",
        )
    text = _expand(source.file, f"{where}.file")
    if source.database is None:
        if re.match(r"[A-Za-z][A-Za-z0-9+]*://", text):
            raise PolicyError.at(
                f"{where}.file",
                "this is a URL.",
                "Name a file, or give Spark as `database`, which can read the URL.",
            )
        return Location("file", _path(policy.path, text, f"{where}.file"))
    server = database(source.database, f"{where}.database", policy.path)
    if not server.database.reads_files:
        raise PolicyError.at(
            f"{where}.file",
            "`file` can be combined with `database` only for Spark.",
            "Leave out one of the two.",
        )
    remote = "://" in text
    return Location(
        server.kind, Path(text) if remote else _path(policy.path, text, f"{where}.file"), server.url
    )


def _release(policy: TableColumns) -> Location:
    if policy.release.file is not None:
        path = _real(
            _path(policy.path, _expand(policy.release.file, "release.file"), "release.file")
        )
        _require_to_write(path, "release.file")
        if re.search(r"[/\\\0]", policy.release.name) or policy.release.name.startswith("."):
            raise PolicyError.at(
                "release.table",
                f"{policy.release.name!r} is not a valid file name.",
                "Remove dots and slashes.",
            )
        _require_no_other_format(path)
        return Location(SINGLE_FILES.get(path.suffix.lower(), "folder"), path)
    location = database(policy.release.database or "", "release.database", policy.path)
    if not location.is_file:
        return location
    path = _real(location.path)
    _require_to_write(path, "release.database")
    return Location(location.kind, path)


def _require_to_write(path: Path, where: str) -> None:
    """Raise PolicyError if a path, links followed, has no name, or a name too long for the files
    next to it (catalog, lock, log)."""
    if not path.name:
        text = f"{path} is the root folder."
        raise PolicyError.at(where, text, "Name a file, e.g. release.duckdb.")
    text_files.require_path(path, where, _LONGEST_NAME)


def _require_no_other_format(path: Path) -> None:
    """Raise PolicyError when a folder to be made has the name of a file of another format: a folder
    ``out.csv`` is surely a mistake."""
    suffix = path.suffix.lower()
    if suffix in _DATABASES:
        remedy = f"For a DuckDB file write `release: {{database: {path.name}, table: …}}`."
    elif suffix in _OTHER_FORMATS:
        remedy = (
            "Name a file that ends in .parquet or .csv, a folder, or a DuckDB file as `database`."
        )
    else:
        return
    if not path.is_dir():  # an earlier release may be there
        text = (
            f"a release cannot be a {suffix} file: it is a DuckDB file, a Parquet or CSV file, or"
            " a folder of Parquet files."
        )
        raise PolicyError.at("release.file", text, remedy)


def _server(location: Location) -> tuple[str, str]:
    """Return the common part of two URLs of the same server, without the password. All files have
    the same: one engine reads them."""
    url = re.sub(r"(://[^/@:]*):.*@", r"\1@", location.url)
    if not location.database.prefixes:  # its schemes are spellings of one
        url = re.sub(r"^[A-Za-z]+(\+\w+)?:", f"{location.kind}:", url)
    file = location.kind if location.database.own_files else "file"
    return file if location.is_file else location.kind, url


def _inside(one: Path, other: Path) -> bool:
    first, second = _real(one), _real(other)
    return (other.is_dir() and first.is_relative_to(second)) or (
        one.is_dir() and second.is_relative_to(first)
    )


def _same(one: Path, other: Path) -> bool:
    try:
        if one.exists() and other.exists():
            return one.samefile(other)
        return os.path.realpath(one) == os.path.realpath(other)
    except (
        OSError,
        ValueError,
    ):  # one of them is no path of a file, which is said where it is read
        return False


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _path(path: Callable[[str], Path], text: str, where: str) -> Path:
    if text.startswith("~"):
        raise PolicyError.at(
            where, "the path starts with ~.", "Write the whole path, or use ${HOME}."
        )
    if not text.strip() or "\0" in text:
        raise PolicyError.at(
            where, "the path is empty or contains a NUL character.", "Name a file."
        )
    text_files.require_path(path(text), where)
    return path(text)


def _expand(text: str, where: str) -> str:
    """Return ``text`` with its variables' values; inside a URL they are percent-encoded, so that a
    password may hold anything."""
    inside_url = re.match(r"[A-Za-z][A-Za-z0-9+]*://", text) is not None

    def value(match: re.Match[str]) -> str:
        text = _variable(match.group(1), where)
        return quote(text, safe="") if inside_url else text

    return _VARIABLE.sub(value, text)


def _variable(name: str, where: str) -> str:
    value = os.environ.get(name)
    if value is None:
        near = difflib.get_close_matches(name, os.environ, n=1, cutoff=0.8)
        raise PolicyError.at(
            where,
            f"the environment variable {name} is not set.",
            f"Did you mean {near[0]}?" if near else "Set it.",
        )
    return value
