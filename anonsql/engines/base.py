"""What the rest of anonsql asks of a database engine, and of the place that a release goes to."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from anonsql.engines import column_types
from anonsql.engines.column_types import FileKind
from anonsql.errors import Problem
from anonsql.policy.policy import EngineSettings
from anonsql.policy.source import Source
from anonsql.sql.dialects import Dialect
from anonsql.system.arrays import IntArray
from anonsql.system.journal import Journal

if TYPE_CHECKING:
    from anonsql.policy.locations import Location

Relation = tuple[str, ...]
Kind = Literal["integer", "decimal", "float", "date", "timestamp", "boolean", "text", "other"]
_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"), "integer"),
    **dict.fromkeys(("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"), "integer"),
    **dict.fromkeys(("FLOAT", "DOUBLE"), "float"),
    "DATE": "date",
    "BOOLEAN": "boolean",
    "VARCHAR": "text",
    "UUID": "text",
    "BPCHAR": "text",
}
ORDERED: tuple[Kind, ...] = ("integer", "decimal", "float", "date", "timestamp")


@dataclass(frozen=True)
class Column:
    """A column of a source or a release.

    ``type`` is in DuckDB's spelling on every engine; what DuckDB has no name for keeps its
    engine's. ``comparable`` says whether its values can be grouped as they are; JSON on PostgreSQL
    and maps on Spark cannot. A ``bound`` of a generalized value cannot be text.
    """

    name: str
    type: str
    comparable: bool = True
    bound: bool = False

    @property
    def kind(self) -> Kind:
        """The family of the type; enumerations count as text."""
        base = re.split(r"[ (\[]", self.type)[0].upper()
        if self.type.endswith("]"):
            return "other"
        if base == "DECIMAL":
            return "decimal"
        if base.startswith("TIMESTAMP"):
            return "timestamp"
        return "text" if base == "ENUM" else _KINDS.get(base, "other")

    @property
    def family(self) -> str:
        """The type as messages and policies may tell it: an enumeration's spelling names values."""
        return column_types.parse(self.type).told

    @property
    def cast(self) -> str | None:
        """The type as which a quasi-identifying column enters statements, where that is not its
        own: enumerations (their dictionary names values) and UUIDs as text, timestamps of any other
        make as plain ones in UTC."""
        if self.kind == "text":
            return None if self.type.upper() == "VARCHAR" else "VARCHAR"
        return (
            "TIMESTAMP" if self.kind == "timestamp" and self.type.upper() != "TIMESTAMP" else None
        )

    @property
    def released_type(self) -> str:
        """The type the column has in a release when it is kept as it is."""
        return column_types.released(self.type)

    @property
    def exact(self) -> bool:
        """Whether values of it that are equal are written alike: else what compares them compares
        their texts."""
        return self.comparable and column_types.is_exact(self.type)

    @property
    def unbounded(self) -> bool:
        """Whether it is a decimal of any number of digits (PostgreSQL's numeric)."""
        return self.type == "DECIMAL"

    @property
    def scale(self) -> int:
        """Digits after the point of a decimal, else 0."""
        match = re.search(r", ?(\d+)\)", self.type)
        return int(match.group(1)) if self.kind == "decimal" and match else 0


@dataclass(frozen=True)
class Context:
    """What a run gives its engines: its private folder, its limits, its journal, the permissions
    that a new release file gets, in a few words what it does, for others to see who holds a lock,
    the release it works on where no other run does at the same time, and whether it writes that."""

    workspace: Path
    settings: EngineSettings
    journal: Journal
    mode: int = 0o600
    purpose: str = "anonsql"
    release: str = ""
    exclusive: bool = False


@dataclass(frozen=True)
class Key:
    """A key that the database knows of a table: its primary key or another unique one, or columns
    of it that are those of ``other`` tables: that it refers to, or that refer to it."""

    kind: Literal["primary", "unique", "refers", "referred"]
    columns: tuple[str, ...]
    other: str = ""


class Engine(Protocol):
    """The data plane: the source and scratch tables in one database engine. Unqualified tables are
    scratch."""

    dialect: Dialect

    @property
    def doubts(self) -> Sequence[Problem]:
        """What its owner should know of how the source was read."""

    def open_source(self, source: Source) -> Relation:
        """Make the source readable and name it; raises PolicyError or BusyError when that cannot
        be."""

    def open_population(self, source: Source, place: Location) -> Relation:
        """Make the population at ``place`` readable, beside the source; raises PolicyError when
        that cannot be."""

    def columns(self, relation: Relation) -> list[Column]:
        """Return the columns of a relation in order."""

    def require_plain(self, relation: Relation, where: str) -> None:
        """Raise PolicyError at ``where``, or VerificationError, when reading a published table
        would run code of whoever made it."""

    def keys(self, relation: Relation) -> list[Key]:
        """Return the keys that the database declares of a table; none of views and files."""

    def run(self, template: str, **parameters: Any) -> None:
        """Execute one template."""

    def query(self, template: str, **parameters: Any) -> list[tuple[Any, ...]]:
        """Return the rows of one template: counts and verdicts, never rows of the source."""

    def load(
        self, table: str, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[object]]
    ) -> None:
        """Make or replace a scratch table of (name, type) columns from rows that Python has:
        hierarchies, requests."""

    def numbers(self, template: str, **parameters: Any) -> list[IntArray]:
        """Return the columns of one template that gives whole numbers alone, as arrays of int64:
        counts, in the order of its rows."""

    def load_numbers(self, table: str, columns: Mapping[str, IntArray]) -> None:
        """Make or replace a scratch table of BIGINT columns from arrays of one length: positions,
        numbers of groups."""

    def drop(self, table: str) -> None:
        """Remove a scratch table, if there is one, and give its space back."""

    def export(
        self,
        template: str,
        columns: Sequence[Column],
        file: Path,
        kind: FileKind = "duckdb",
        **parameters: Any,
    ) -> Export:
        """Write the rows of a template, in the order of its column ``parameters['ordering']``, to a
        file of the run's private folder, streaming, on their way to a release file of a ``kind``.
        ``file`` has no suffix yet."""

    def require_unchanged(self) -> None:
        """Raise BusyError when the source is no longer what it was when it was opened."""

    def interrupt(self) -> None:
        """End the statement that runs; called by another thread."""

    def close(self) -> None:
        """Let go of everything and remove what is scratch."""


@dataclass(frozen=True)
class Export:
    """Rows on their way out of an engine: the files they travel in, in order, with their columns as
    a release file will have them and as they were ``sent``, and where the engine still has them
    (None where it can read the finished release itself)."""

    paths: Sequence[Path]
    format: Literal["parquet", "csv"]
    columns: Sequence[Column]
    relation: Relation | None
    sent: Sequence[Column] = ()


@dataclass(frozen=True)
class Located:
    """A release that can be read, staged or published: tables of one engine, and in words whatever
    lies with them that is no part of a release. ``extras`` are the tables that its method publishes
    besides, by part, as far as they are there."""

    engine: Engine
    rows: Relation
    about: Relation
    columns: Relation
    extras: Mapping[Part, Relation] = field(default_factory=dict)
    strangers: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, engine: Engine, tables: Mapping[Part, Relation], strangers: tuple[str, ...] = ()
    ) -> Located:
        """Return a release whose tables are known by part."""
        extras = {part: table for part, table in tables.items() if part not in BASE_PARTS}
        return cls(engine, tables["rows"], tables["about"], tables["columns"], extras, strangers)


Part = str
"""A table of a release: ``rows``, ``about``, ``columns``, or one that a method publishes
besides."""
BASE_PARTS: Final[tuple[Part, ...]] = ("rows", "about", "columns")
VIEW_PARTS: Final[tuple[Part, ...]] = ("expanded",)
"""Those of the other parts that are views over tables of the release, where the place it goes to
can hold views."""
EXTRA_PART: Final = r"(?:sensitive(?:_[0-9]+)?|expanded|hierarchies)"
"""What the other parts are called. Nothing else is ever taken for a part of an earlier release, and
removed with it."""
EXTRA_TABLES: Final = "extra_tables"
"""The property of ``__about`` that names them, as what they add to the name of the table."""


def parts_of(extras: Sequence[Part]) -> tuple[Part, ...]:
    """Return all parts of a release with these besides the three that every one has."""
    return (*BASE_PARTS, *extras)


def part_name(table: str, part: Part) -> str:
    """Return the name of one of the tables of a release."""
    return table if part == "rows" else f"{table}__{part}"


def is_release(engine: Engine, about: Relation) -> bool:
    """Return whether a table is the ``__about`` of a release: its facts say by which version it was
    made."""
    return "anonsql" in _told(engine, about)


def extras_of(engine: Engine, about: Relation) -> tuple[Part, ...]:
    """Return the parts that a release has besides the three that every one has, by its ``__about``;
    none when it is no release."""
    facts = _told(engine, about)
    words = facts.get(EXTRA_TABLES, "") if "anonsql" in facts else ""
    found = (word.strip().removeprefix("__") for word in words.split(","))
    return tuple(part for part in found if re.fullmatch(EXTRA_PART, part))


def _told(engine: Engine, about: Relation) -> dict[str, str]:
    """Return the facts of a table, by property; none when it is no table of facts."""
    if [each.name for each in engine.columns(about)] != ["property", "value"]:
        return {}
    facts = engine.query("verify/facts", table=about, columns=["property", "value"])
    return {str(name): str(value) for name, value in facts if name is not None}


class Target(Protocol):
    """The place a release goes to: staged apart from the previous one, then put in its place at
    once."""

    def guard(self) -> None:
        """Raise PolicyError when publishing would replace anything but an earlier release of this
        table, BusyError when another run works on it."""

    def stage(
        self, part: Part, template: str, columns: Sequence[Column], **parameters: Any
    ) -> None:
        """Write the rows of a template as one of the tables of the coming release."""

    def stage_view(self, part: Part, template: str, **parameters: Any) -> None:
        """Make one of VIEW_PARTS a view over tables that are staged already, which the template
        takes as ``tables`` (relations by part). Nothing happens where the release is files of
        Parquet, which hold no views."""

    def staged_rows(self) -> tuple[Engine, Relation]:
        """Return the rows that were staged, before the release is built: where they can be
        counted."""

    def build(self) -> tuple[Located, Mapping[Part, Relation]]:
        """Finish the staged release: where it can be read, and where the source's engine finds its
        rows and extra tables."""

    def publish(self) -> None:
        """Put the built release in the place of the previous one, as one step; raises BusyError if
        the source moved."""

    def published(self) -> AbstractContextManager[Located]:
        """Return the published release, to be read inside; raises PolicyError when there is
        none."""

    def close(self) -> None:
        """Let go of everything but the source's engine."""
