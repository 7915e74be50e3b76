"""The kinds of databases and files that a policy may name, and the settings that each allows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Kind = Literal["duckdb", "file", "parquet", "csv", "folder", "sqlite", "postgres", "spark", "mysql"]


@dataclass(frozen=True)
class Database:
    """The properties of a kind of database, known before one is opened.

    ``title``: its name; ``also``: another product that is the same to users. ``schemes``: how the
    URLs of a server begin. ``prefixes``: how other texts begin that name it. ``file_url``: the
    prefix of the path of its files. ``several_tables``: whether tables are released together from
    it. ``arrays``: whether columns can be arrays. ``roles``: whether a policy grants reading to
    roles. ``same_by_case``: whether columns that differ by case alone are one. ``own_files``:
    whether its files are made by its engine alone. ``reads_files``: whether a source may be a file
    that it reads.
    """

    title: str
    also: str = ""
    schemes: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    file_url: str = ""
    several_tables: bool = True
    arrays: bool = True
    roles: bool = False
    same_by_case: bool = True
    own_files: bool = False
    reads_files: bool = False


DATABASES: Mapping[Kind, Database] = {
    "duckdb": Database("DuckDB"),
    "file": Database("DuckDB, from a file", several_tables=False),
    "parquet": Database("DuckDB, from Parquet files", several_tables=False),
    "csv": Database("DuckDB, from a CSV file", several_tables=False),
    "folder": Database("DuckDB, from Parquet files", several_tables=False),
    "postgres": Database(
        "PostgreSQL", schemes=("postgresql", "postgres"), roles=True, same_by_case=False
    ),
    "spark": Database(
        "Spark",
        schemes=("spark", "sc", "k8s"),
        prefixes=("local[",),
        same_by_case=False,
        reads_files=True,
    ),
    "mysql": Database(
        "MariaDB", "MySQL", schemes=("mariadb", "mysql"), several_tables=False, arrays=False
    ),
    "sqlite": Database(
        "SQLite", file_url="sqlite:///", several_tables=False, arrays=False, own_files=True
    ),
}


def urls() -> str:
    """Return how the URLs of databases begin, in words."""
    begins = [
        begin
        for known in DATABASES.values()
        for begin in (*(f"{scheme}://" for scheme in known.schemes), known.file_url)
    ]
    return ", ".join([*filter(None, begins), "local[*]"])


def of_several_tables() -> str:
    """Return the databases that several tables are released together from, in words."""
    *others, last = (known.title for known in DATABASES.values() if known.several_tables)
    return f"{', '.join(others)} and {last}"


def catalog_beside(release: Path) -> Path:
    """Return the catalog of a release in files of this machine, where the policy names none."""
    stem = re.sub(r"\.(duckdb|parquet|pq|csv|sqlite|db)$", "", release.name)
    return release.with_name(f"{stem}.anonsql.duckdb")
