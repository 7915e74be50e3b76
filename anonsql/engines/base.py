"""What every database engine is, the columns that it knows, and the tables of a release."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from anonsql.engines import column_types
from anonsql.engines.column_types import FileKind
from anonsql.errors import InvariantError, PolicyError, Problem
from anonsql.grammar.literals import Kind
from anonsql.policy.envelope import EngineSettings
from anonsql.policy.release_parts import COMPLETED, completed_beside, part_name, parts_beside
from anonsql.policy.source import Source
from anonsql.sql.dialects import Dialect
from anonsql.system.arrays import IntArray
from anonsql.system.database_files import Signature
from anonsql.system.journal import Journal

if TYPE_CHECKING:
    from anonsql.policy.locations import Location

Relation = tuple[str, ...]
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
BLANKS = " \t\r\n\u00a0\u2007\u202f\u3000"
"""What `trim` removes around values."""
ORDERED: tuple[Kind, ...] = ("integer", "decimal", "float", "date", "timestamp")


@dataclass(frozen=True)
class Column:
    """A column of a source or a release.

    ``type`` is in DuckDB's spelling on every engine; a type that DuckDB has no name for keeps its
    engine's spelling. ``comparable`` says whether its values can be grouped as they are; JSON on
    PostgreSQL and maps on Spark cannot. A ``bound`` is a column of bounds of generalized values,
    which may not become text.
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
        """The type as messages and policies may show it: the full spelling of an enumeration names
        values."""
        return column_types.parse(self.type).family

    @property
    def cast(self) -> str | None:
        """The type to which a quasi-identifying column is cast in statements, None for its own:
        enumerations (their dictionary names values) and UUIDs become text, timestamps with a time
        zone or another precision plain timestamps in UTC."""
        if self.kind == "text":
            return None if self.type.upper() == "VARCHAR" else "VARCHAR"
        return (
            "TIMESTAMP" if self.kind == "timestamp" and self.type.upper() != "TIMESTAMP" else None
        )

    @property
    def plain(self) -> bool:
        """Whether a column of a release can have its type."""
        return column_types.is_plain(self.type)

    @property
    def released_type(self) -> str:
        """The type the column has in a release when it is kept as it is."""
        return column_types.released(self.type)

    @property
    def exact(self) -> bool:
        """Whether equal values of it always have the same text; where not, values are compared by
        their texts."""
        return self.comparable and column_types.is_exact(self.type)

    @property
    def order(self) -> Literal["value", "text", "both"]:
        """What released rows are sorted by in this column: by its values, by their texts byte by
        byte, where engines do not agree on an order of such values, or by both, where equal values
        can have different texts."""
        if self.type.startswith("MIXED"):
            return "both"
        if self.kind not in (*ORDERED, "boolean"):
            return "text"
        return "value" if self.exact else "both"

    @property
    def unbounded(self) -> bool:
        """Whether it is a decimal of any number of digits (PostgreSQL's numeric)."""
        return self.type == "DECIMAL"

    @property
    def scale(self) -> int:
        """Digits after the point of a decimal, else 0."""
        match = re.search(r", ?(\d+)\)", self.type)
        return int(match.group(1)) if self.kind == "decimal" and match else 0


class OfColumn:
    """The name and values that replace a column's own in the parameters of templates
    (``star/value``)."""

    column: Column

    @property
    def name(self) -> str:
        """The column's name."""
        return self.column.name

    @property
    def cast(self) -> str | None:
        """The type that the column's values are cast to in statements, where it is not their
        own."""
        return self.column.cast


@dataclass(frozen=True)
class PlainColumn(OfColumn):
    """A column by itself."""

    column: Column


@dataclass(frozen=True)
class Context:
    """What a run hands to its engines: its private folder (``workspace``), its limits, its journal,
    the permissions (``mode``) of a new release file, its ``purpose`` in a few words, which others
    see when it holds a lock, the ``release`` that it works on, where that has a name of its own,
    whether the run writes that release (``exclusive``), and whether the job reads a release and
    makes none (``reading``). ``confined`` is the only file or folder outside of the private folder
    that an engine of this process may open; None: any."""

    workspace: Path
    settings: EngineSettings
    journal: Journal
    mode: int = 0o600
    purpose: str = "anonsql"
    release: str = ""
    exclusive: bool = False
    reading: bool = False
    confined: Path | None = None


@dataclass(frozen=True)
class Key:
    """A key that the database declares for a table: its primary key, another unique key, or a
    foreign key. A foreign key refers to an ``other`` table, or an ``other`` table refers to this
    one by it. ``at`` is the schema and name of the other table."""

    kind: Literal["primary", "unique", "refers", "referred"]
    columns: tuple[str, ...]
    other: str = ""
    at: Relation = ()


@dataclass(frozen=True)
class FoundSource:
    """A source with all that is found of how its file is written, ``notes`` on single columns, and
    the columns that the file has no name for (``unnamed``)."""

    source: Source
    notes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    unnamed: Sequence[str] = ()


_OWN: Final = ("fingerprint", "hashes", "view_text")


def own_templates(folder: str, **others: str) -> Mapping[str, str]:
    """Return an engine's own templates by purpose: those of a ``folder``, with ``others``
    replaced."""
    own = {literal: f"engines/{folder}/{literal}" for literal in _OWN}
    shared = {
        "domains": "star/workbench/domains",
        "keyed_hash": "engines/keyed_hash",
        "fence": "",
        "hex_number": "engines/hex_number",
        "without": "risks/kept/without",
        "scratch_view": "release/staged_view",
        "stored_order": "verification/order/arrival",
    }
    return {**shared, **own, **others}


class Engine(ABC):
    """The data plane: the source and scratch tables in one database engine. Unqualified tables are
    scratch."""

    dialect: Dialect
    own: Mapping[str, str]
    """The templates that differ between engines, by purpose: the values of columns for the
    workbench (``domains``), the ``hashes`` of rows, how many are unique ``without`` a column, a
    keyed hash (``keyed_hash``), hexadecimal digits as a number (``hex_number``), the end of a
    subquery whose expressions are computed once a row (``fence``), the ``fingerprint`` of a table,
    the text of a view (``view_text``), a view among scratch tables (``scratch_view``), and a row's
    place in the order in which a table is stored (``stored_order``). A name is empty where the
    engine has no such template."""

    embedded = False
    """Whether it is a DuckDB in this process, in which everything can be done."""
    searchable = True
    """Whether its planner is up to the statements of the search."""
    keeps_view_text = False
    """Whether the text of a view has the names and literals that a run wrote, and no others."""
    default_schema: str | None = None
    """The schema whose tables need not be named with it."""
    blanks = BLANKS
    """What `trim` removes around values: blanks that the database knows."""
    strict_types = True
    """Whether a column holds values of its type alone."""
    decimal_type = "DECIMAL(18,{})"
    """The type as which a published sum with this number of decimals is read."""
    spells: Literal["all", "files", "few"] = "all"
    """Which of its values have a text that a file's reader gives, too: all; all but floating point
    and nested values, which its own ``files`` hold unchanged; or those of a few types."""
    takes: Literal["parquet", "csv", "rows"]
    """How tables of another engine arrive here: as files for :meth:`receive`, or as ``rows`` for
    :meth:`load`."""

    def __init__(self, location: Location, context: Context) -> None:
        self._place, self._context = location, context
        self.doubts: list[Problem] = []
        """Warnings for the table's owner about how the source was read."""
        self.mended: dict[Relation, Relation] = {}
        """Views in which values are mended, each with the table that it shows."""

    @property
    def context(self) -> Context:
        """What the run handed to it."""
        return self._context

    @property
    def trial_schema(self) -> str:
        """The schema that a release is staged for which is never published."""
        return "anonsql"

    # source

    def open_source(self, source: Source) -> Relation:
        """Make the source readable and return its relation; raise PolicyError or BusyError when it
        cannot be read."""
        return self._as_said(
            self._open(source, self._place, "source", "source.table"), source, "source"
        )

    def find_source(self, source: Source) -> FoundSource:
        """Return the source as a policy is to name it: of a CSV file, with all that is found of how
        it is written."""
        return FoundSource(source)

    def open_beside(self, source: Source, where: str) -> Relation:
        """Make another table of the source's database readable, when the source is open; raise
        PolicyError at ``where`` when there is none, or it cannot be read."""
        return self._as_said(self._open(source, self._place, "beside", where), source, "source")

    def open_reference(self, source: Source, where: str, number: int) -> Relation:
        """Make a reference table of the source's database readable, as :meth:`open_beside` does;
        ``number`` distinguishes it from others."""
        return self._open(source, self._place, f"reference_{number}", where)

    def open_population(self, source: Source, location: Location) -> Relation:
        """Make the population at ``location`` readable, next to the source; raise PolicyError when
        it cannot be read."""
        where = "privacy.population"
        opened = self._open(source, location, "population", f"{where}.table")
        return self._as_said(opened, source, where)

    def _as_said(self, relation: Relation, source: Source, where: str) -> Relation:
        """Return a relation with its values as the policy says that they are read; ``where`` is the
        policy's field that is the source."""
        if not source.mends:
            return relation
        from anonsql.engines import mending  # which needs this module

        return mending.view(self, relation, source, where)

    def shown(self, relation: Relation) -> Relation:
        """Return the table of the source that a relation shows, with its values mended or as they
        are."""
        return self.mended.get(relation, relation)

    @abstractmethod
    def _open(self, source: Source, location: Location, name: str, where: str) -> Relation:
        """Make a table or file readable, as a relation of this ``name`` where it needs one; raise
        PolicyError at ``where``, the field that names the table, when it cannot be read."""

    @abstractmethod
    def beside(self, relation: Relation) -> list[str]:
        """Return the names of the tables and views that may be read in a table's schema."""

    def tables_in(self, path: Path, where: str) -> list[str]:
        """Return the tables and views of a database file of the engine's kind; raise PolicyError at
        ``where`` when it is not one."""
        raise InvariantError(f"{self.dialect} has no database files")

    def releases(self) -> list[str]:
        """Return the released tables of the server, with their schemas, that this role may read."""
        return []

    def released(self, table: str, where: str) -> ReleaseTables | None:
        """Return the tables of a release of a server, all that its facts name; None where there is
        no such table. Raise PolicyError at ``where`` when it is no release, or reading it would
        run code."""
        raise InvariantError(f"{self.dialect} is not a server")

    @abstractmethod
    def columns(self, relation: Relation) -> list[Column]:
        """Return the columns of a relation in order."""

    def describe_view(self, view: Relation, shown: Relation, columns: Sequence[Column]) -> None:
        """Record the columns of a scratch view, and of the table that it shows, if the engine
        cannot list them itself."""
        return

    @abstractmethod
    def require_plain(self, relations: Sequence[Relation], where: str) -> None:
        """Raise PolicyError at ``where``, or VerificationError, when reading one of some published
        tables would run code of the role or person that made it."""

    def keys(self, relation: Relation) -> list[Key]:
        """Return the keys that the database declares of a table; none of views and files."""
        return self._keys(self.shown(relation))

    def _keys(self, relation: Relation) -> list[Key]:
        return []

    def describe_mended(self, view: Relation, source: Relation, columns: Sequence[Column]) -> None:
        """Take note of a view of the ``source`` in which values are mended."""
        self.mended[view] = self.shown(source)
        self.describe_view(view, source, columns)

    @abstractmethod
    def require_unchanged(self) -> None:
        """Raise BusyError when the source has changed since it was opened."""

    def files(self) -> Sequence[Signature] | None:
        """Return the files of this machine with the source and the population, as they were when
        these were opened; None if there may be others."""
        return None

    # statements

    @abstractmethod
    def run(self, template: str, /, **parameters: Any) -> None:
        """Execute one template."""

    @abstractmethod
    def query(self, template: str, /, **parameters: Any) -> list[tuple[Any, ...]]:
        """Return the rows of one template: counts and verdicts, never rows of the source."""

    @abstractmethod
    def load(
        self, table: str, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[object]]
    ) -> None:
        """Make or replace a scratch table of (name, type) columns from rows in Python: hierarchies,
        requests."""

    @abstractmethod
    def numbers(self, template: str, /, **parameters: Any) -> list[IntArray]:
        """Return the columns of one template that returns whole numbers only (counts), as arrays of
        int64 in the order of its rows."""

    @abstractmethod
    def load_numbers(self, table: str, columns: Mapping[str, IntArray]) -> None:
        """Make or replace a scratch table of BIGINT columns from arrays of one length: positions,
        numbers of groups."""

    @abstractmethod
    def drop(self, *tables: str) -> None:
        """Remove the scratch tables among these, and give their space back."""

    @abstractmethod
    def export(
        self,
        template: str,
        columns: Sequence[Column],
        file: Path,
        kind: FileKind = "duckdb",
        **parameters: Any,
    ) -> Export:
        """Write the rows of a template to a file of the run's private folder, streaming, on their
        way to a release file of a ``kind``: in the order of its column ``parameters['ordering']``,
        where that is not None. ``file`` has no suffix yet."""

    @abstractmethod
    def carry(
        self,
        table: str,
        columns: Sequence[Column],
        file: Path,
        kind: Literal["parquet", "csv"] | None = None,
    ) -> Export:
        """Write columns of a scratch table to a file of the run's private folder, streaming, on
        their way to another engine, which ``takes`` this kind. ``file`` has no suffix yet."""

    @abstractmethod
    def receive(self, table: str, carried: Export) -> None:
        """Make a scratch table of rows that another engine carried here."""

    @abstractmethod
    def interrupt(self) -> None:
        """End the statement that runs; called by another thread."""

    @abstractmethod
    def close(self) -> None:
        """Close all connections and remove all scratch tables."""


@dataclass(frozen=True)
class Export:
    """Rows exported from an engine: the files that they are in, in order, their columns as a
    release file will have them and as they were ``sent``, and the relation in which the engine
    still has them (None where it can read the finished release itself)."""

    paths: Sequence[Path]
    format: Literal["parquet", "csv"]
    columns: Sequence[Column]
    relation: Relation | None
    sent: Sequence[Column] = ()


STATED: Final = ("column_name", "role", "level", "form", "looks_like")
"""The columns of ``__columns``."""


class StatedColumn(NamedTuple):
    """A row of ``__columns``: see :mod:`anonsql.grammar.forms`."""

    name: str
    role: str | None
    level: int | None
    form: str | None
    looks_like: str | None


EARLIER: Final = "an earlier version of anonsql made the release, and its __columns has no form"


@dataclass(frozen=True)
class ReleaseTables:
    """A release that can be read, staged or published: tables of one engine. ``extras`` are the
    further tables of its method that exist, by part. ``unexpected_objects`` describe other objects
    in the same place that are not part of a release (:mod:`anonsql.engines.contents`). ``within``
    describes unexpected parts of the tables' definitions in the same way."""

    engine: Engine
    rows: Relation
    about: Relation
    columns: Relation
    extras: Mapping[Part, Relation] = field(default_factory=dict)
    unexpected_objects: tuple[str, ...] = ()
    within: Callable[[], Sequence[str]] = tuple
    _read: dict[Part, list[tuple[Any, ...]]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def stated_facts(self) -> list[tuple[str | None, str | None]]:
        """The rows of ``__about``: property and value. They are read once."""
        return self._rows_of("about", self.about, ["property", "value"])

    @property
    def stated_columns(self) -> list[StatedColumn]:
        """The rows of ``__columns``. They are read once. Raise PolicyError where an earlier version
        made the release."""
        if self.is_earlier:
            raise PolicyError.at("release", f"{EARLIER}.", "Publish it again.")
        return [StatedColumn(*row) for row in self._rows_of("columns", self.columns, STATED)]

    @cached_property
    def is_earlier(self) -> bool:
        """Whether an earlier version made the release, whose ``__columns`` has no form; read from a
        single file, none of its columns has one."""
        there = [column.name for column in self.engine.columns(self.columns)]
        if there == [name for name in STATED if name != "form"]:
            return True
        if there != [*STATED]:
            return False
        rows = self._rows_of("columns", self.columns, STATED)
        return bool(rows) and all(row[STATED.index("form")] is None for row in rows)

    def _rows_of(self, part: Part, table: Relation, columns: Sequence[str]) -> list[Any]:
        if part not in self._read:
            rows = self.engine.query("verification/facts", table=table, columns=columns)
            self._read[part] = rows
        return self._read[part]

    @classmethod
    def of(
        cls,
        engine: Engine,
        tables: Mapping[Part, Relation],
        unexpected_objects: tuple[str, ...] = (),
        within: Callable[[], Sequence[str]] = tuple,
    ) -> ReleaseTables:
        """Return a release from its tables by part."""
        extras = {part: table for part, table in tables.items() if part not in BASE_PARTS}
        base = (tables["rows"], tables["about"], tables["columns"])
        return cls(engine, *base, extras, unexpected_objects, within)

    @property
    def by_part(self) -> Mapping[Part, Relation]:
        """Its tables by part."""
        base = {"rows": self.rows, "about": self.about, "columns": self.columns}
        return {**base, **self.extras}

    def beside(self, table: str) -> ReleaseTables | None:
        """Return another table of this release, where it has one of this name."""
        parts = parts_beside(table)
        if not all(part in self.extras for part in parts):
            return None
        by_name = dict(zip(BASE_PARTS, (self.extras[part] for part in parts), strict=True))
        if (completed := self.extras.get(completed_beside(table))) is not None:
            by_name[COMPLETED] = completed
        return ReleaseTables.of(self.engine, by_name, self.unexpected_objects, self.within)


Part = str
"""A table of a release: ``rows``, ``about``, ``columns``, or an additional part of a method."""
BASE_PARTS: Final[tuple[Part, ...]] = ("rows", "about", "columns")
VIEW_PARTS: Final[tuple[Part, ...]] = ("expanded",)
"""The parts that are views over tables of the release, where the target can hold views."""
EXTRA_PART: Final = r"(?:sensitive(?:_[0-9]+)?|expanded|labels|marginals|completed|hierarchies)"
"""The names that parts other than the base ones can have; ``hierarchies`` is one of earlier
versions. Nothing else is ever taken for a part of an earlier release and removed with it."""
EXTRA_TABLES: Final = "extra_tables"
"""The property of ``__about`` that lists the extra parts, by their suffixes to the table's name."""
OTHER_TABLES: Final = "other_tables"
"""The property of the ``__about`` of a table of people that lists the other tables of a relational
release, as JSON."""
COMPLETED_TABLES: Final = "completed_tables"
"""The property that lists the other tables that have a completed table, as JSON."""

KEY: Final = "key"
"""The property of ``__about`` that names the key of a table of a relational release."""
REFERENCES: Final = "references"
"""The property of ``__about`` that lists the columns with the keys of other tables, as JSON."""


def references_of(about: Mapping[str, str]) -> Mapping[str, str]:
    """Return the tables that the columns of a released table refer to, by its facts."""
    try:
        tables = json.loads(about.get(REFERENCES, "{}"))
    except json.JSONDecodeError:
        return {}
    named = tables.items() if isinstance(tables, dict) else ()
    return {str(name): str(table) for name, table in named}


def parts_of(extras: Sequence[Part]) -> tuple[Part, ...]:
    """Return all parts of a release: the three that every release has, and the ``extras``."""
    return (*BASE_PARTS, *extras)


def names_of(table: str, parts: Iterable[Part]) -> tuple[list[str], list[str]]:
    """Return the names of the parts of a release of ``table``: first the tables, then the views."""
    names: tuple[list[str], list[str]] = ([], [])
    for part in parts:
        names[part in VIEW_PARTS].append(part_name(table, part))
    return names


def is_release(engine: Engine, about: Relation) -> bool:
    """Return whether a table is the ``__about`` of a release: its facts say by which version it was
    made."""
    return "anonsql" in _facts(engine, about)


def extras_of(engine: Engine, about: Relation) -> tuple[Part, ...]:
    """Return the extra parts of a release, beyond the three of every release, by its ``__about``;
    none when it is not a release. Another table of a relational release is one where its own
    ``__about`` says so."""
    return extras_if_release(engine, about) or ()


def extras_if_release(engine: Engine, about: Relation) -> tuple[Part, ...] | None:
    """Return the result of :func:`extras_of`, and None if the table is no release's ``__about``."""
    facts = _facts(engine, about)
    if "anonsql" not in facts:
        return None
    words = facts.get(EXTRA_TABLES, "")
    texts = (word.strip().removeprefix("__") for word in words.split(","))
    extras = tuple(part for part in texts if re.fullmatch(EXTRA_PART, part))
    others = other_tables_of(facts)
    completed = (name for name in other_tables_of(facts, COMPLETED_TABLES) if name in others)
    return (
        *extras,
        *(part for name in others for part in parts_beside(name)),
        *map(completed_beside, completed),
    )


def other_tables_of(facts: Mapping[str, str], fact: str = OTHER_TABLES) -> list[str]:
    """Return the other tables of a relational release by the facts of its table of people; by the
    ``fact`` COMPLETED_TABLES, those that have a completed table."""
    try:
        other = json.loads(facts.get(fact, "[]")) if "anonsql" in facts else []
    except json.JSONDecodeError:
        return []
    return [name for name in other if isinstance(name, str)] if isinstance(other, list) else []


def _facts(engine: Engine, about: Relation) -> dict[str, str]:
    if [column.name for column in engine.columns(about)] != ["property", "value"]:
        return {}
    facts = engine.query("verification/facts", table=about, columns=["property", "value"])
    return {str(name): str(value) for name, value in facts if name is not None}
