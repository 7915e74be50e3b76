"""The common part of the targets of all engines. The ``target.py`` of an engine has the rest.

A release consists of parts, and each part is a table or view with a name of its own. A target
stages every part somewhere (``_staged``), opens the staged and the published release for reading,
and replaces the published release by the staged one.
"""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any, Generic

from anonsql.engines import contents, rename
from anonsql.engines.base import (
    BASE_PARTS,
    VIEW_PARTS,
    Column,
    Context,
    Engine,
    Part,
    Relation,
    ReleaseTables,
    extras_if_release,
    is_release,
    parts_of,
)
from anonsql.engines.contents import Item
from anonsql.engines.private_tables import PrivateTables
from anonsql.engines.server import AnyServer, no_release
from anonsql.errors import PolicyError
from anonsql.policy.locations import Location
from anonsql.policy.release_parts import part_name
from anonsql.policy.table_columns import TableColumns
from anonsql.system import database_files
from anonsql.system.database_files import Signature

Columns = Sequence[Column]
Given = Mapping[str, Any]
Tables = Mapping[Part, Relation]


class Target(ABC):
    """The place where the release of a ``table`` is written: staged next to the previous release,
    then swapped with it in one step. ``engine`` has the rows; ``extras`` are the parts in addition
    to the three that every release has."""

    def __init__(self, engine: Engine, table: str, extras: Sequence[Part]) -> None:
        self._engine, self._table = engine, table
        self._parts = parts_of(extras)
        self._filled: dict[Part, None] = {}
        self.proved: Mapping[str, str] = {}
        """The SHA-256 of each file that was proved and published, by its name."""

    @abstractmethod
    def guard(self) -> None:
        """Raise PolicyError when publishing would replace anything but an earlier release of this
        table, BusyError when another run works on it."""

    @abstractmethod
    def publish(self) -> None:
        """Replace the previous release by the built one, in one step; raise BusyError if the source
        has changed."""

    @abstractmethod
    def published(self) -> AbstractContextManager[ReleaseTables]:
        """Return a context manager in which the published release can be read; raise PolicyError
        when there is none, or reading it would run code."""

    def stage(self, part: Part, template: str, columns: Columns, **parameters: Any) -> None:
        """Write the rows of a template as one of the tables of the coming release: in the order of
        a column of its own that ``parameters['ordering']`` names, else sorted by their content, all
        ``columns`` from the first to the last."""
        self._open_stage()
        self._fill(self._staged(part), template, columns, {"ordering": None, **parameters})
        self._filled[part] = None

    def stage_derived(self, part: Part, template: str, columns: Columns, **parameters: Any) -> None:
        """Write the rows of a template that reads nothing but :meth:`staged` tables, and scratch
        tables of their engine, as one more table of the coming release."""
        self.stage(part, template, columns, **parameters)

    def staged(self) -> ReleaseTables:
        """Return the tables that are staged so far, to be read as they will be released."""
        tables = {part: self._staged(part) for part in self._filled}
        return ReleaseTables.of(self._engine, tables)

    def as_released(
        self, _part: Part, table: str, columns: Columns
    ) -> tuple[Engine, Relation, Columns]:
        """Return a scratch table of the source's engine as it would be released as a part: the
        engine that will read it, the relation, and its columns with the types that they get."""
        return self._engine, (table,), columns

    def stage_view(self, part: Part, template: str, **parameters: Any) -> None:
        """Make one of VIEW_PARTS as a view over tables that are staged already, which the template
        takes as ``tables`` (relations by part). Do nothing where the release cannot hold views."""
        self._open_stage()
        tables = {name: self._seen_by_views(name) for name in self._parts if name not in VIEW_PARTS}
        settings = {**parameters, "view": self._staged(part), "select": template, "tables": tables}
        self._engine.run("release/staged_view", **settings)

    def staged_rows(self, part: Part = "rows") -> tuple[Engine, Relation]:
        """Return an engine and a relation in which the staged rows, or another staged ``part``, can
        be counted before the release is built."""
        return self._engine, self._staged(part)

    def build(self) -> tuple[ReleaseTables, Mapping[Part, Relation]]:
        """Finish the staged release; return it, to be read, and the relations in which the source's
        engine finds its rows and extra tables."""
        tables = {part: self._staged(part) for part in self._parts}
        within = cache(partial(self._unexpected_objects_staged, tables))
        return ReleaseTables.of(self._engine, tables, within=within), tables

    def digests(self) -> Mapping[str, str]:
        """Return the SHA-256 of each published file by its name; of none on a server."""
        return {}

    def private(self, _release: str) -> PrivateTables[Any] | None:
        """Return the owner's private tables next to a release of this name, on its server; None if
        the catalog keeps them."""
        return None

    def close(self) -> None:  # noqa: B027 - few have anything to close
        """Close everything but the source's engine. What was staged goes with that, or with the
        run's private folder."""

    # what engines differ in

    def _staged(self, part: Part) -> Relation:
        """Return the relation that a part is staged as."""
        raise NotImplementedError

    def _seen_by_views(self, part: Part) -> Relation:
        """Return the relation by which staged views name a staged table."""
        return self._staged(part)

    def _open_stage(self) -> None:  # noqa: B027 - some need none
        """Create the place for staged parts, when it is first needed."""

    def _fill(self, table: Relation, template: str, columns: Columns, parameters: Given) -> None:
        """Make a table of the rows of a template, in the order of its column ``ordering``, or
        sorted where that is None."""
        raise NotImplementedError

    def _unexpected_objects_staged(self, _tables: Tables) -> Sequence[str]:
        """Describe the contents of the staged tables other than rows, names and types."""
        return ()

    def _name(self, part: Part) -> str:
        return part_name(self._table, part)

    def _existing(self, tables: Tables, names: Collection[str]) -> dict[Part, Relation]:
        """Return the base parts, and the extra parts whose names exist."""
        return {
            part: table
            for part, table in tables.items()
            if part in BASE_PARTS or self._name(part) in names
        }


class ServerTarget(Target, Generic[AnyServer]):
    """The tables ``schema.table``, ``schema.table__about``, ``schema.table__columns``, and
    ``schema.table__<part>`` for further parts of the method, in the source's database."""

    _engine: AnyServer
    schema_word = "schema"
    """What the server calls a schema."""
    private_tables: type[PrivateTables[AnyServer]] | None = None
    """The owner's private tables next to a release; None if tables have no owners."""

    def __init__(self, engine: AnyServer, policy: TableColumns, context: Context) -> None:
        self._policy, self._exclusive = policy, context.exclusive
        self._beside: PrivateTables[AnyServer] | None = None
        *schema, table = self._split(policy.release.name)
        if not schema or not all((*schema, table)):
            remedy = (
                f"E.g. released.people: use a separate {self.schema_word}, so that readers of the"
                " release see nothing else."
            )
            text = f"{policy.release.name!r} names no {self.schema_word}."
            raise PolicyError.at("release.table", text, remedy)
        super().__init__(engine, table, policy.release_parts)
        self._schema: Relation = tuple(schema)
        self._claims: Sequence[str] = ()
        """The tables by which this run itself keeps others away."""

    def _split(self, name: str) -> Sequence[str]:
        """Return the path that a name is: its schema, and the rest."""
        return name.split(".", 1)

    def _folded(self, schema: Relation) -> Relation:
        """Return a schema as the server compares it with others."""
        return schema

    def _published(self, part: Part) -> Relation:
        return (*self._schema, self._name(part))

    @property
    def _names(self) -> list[str]:
        return [self._name(part) for part in self._parts]

    @property
    def _about(self) -> Relation:
        return self._published("about")

    def _require_names(self) -> None:
        if name := self._engine.too_long([*self._names, *self._schema]):
            text = f"{name!r} is longer than the {self._engine.name_limit}."
            raise PolicyError.at("release.table", text, "Choose a shorter name.")

    def _require_own_schema(self) -> None:
        """Raise PolicyError if the release would be in the source's schema."""
        source = self._policy.source.table
        if source and self._folded(self._engine.find(source, "source.table")[:-1]) == self._folded(
            self._schema
        ):
            raise PolicyError.at(
                "release.table",
                f"this is the source's {self.schema_word}: readers who may use it could see the"
                " source's table, too.",
                f"Name another {self.schema_word}, e.g. released.people; it is created if it does"
                " not exist.",
            )

    def _not_ours(self, name: str) -> PolicyError:
        text = f"{name} already exists and is not a release of anonsql."
        return PolicyError.at("release.table", text, "Name another table, or drop it.")

    def stage(self, part: Part, template: str, columns: Columns, **parameters: Any) -> None:
        """Write the rows of a template as the table of a part; raise PolicyError where the name of
        a column is longer than the server allows."""
        if name := self._engine.too_long([column.name for column in columns]):
            limit = self._engine.name_limit
            text = f"the release's column {name!r} is longer than the {limit}."
            remedy = "Set `release.bounds: false`, or rename the column in a view."
            raise PolicyError.at("release", text, remedy)
        super().stage(part, template, columns, **parameters)

    def _fill(self, table: Relation, template: str, columns: Columns, parameters: Given) -> None:
        self._engine.stage(table, template, columns, sorted=columns, **parameters)

    def private(self, release: str) -> PrivateTables[AnyServer] | None:
        """Return the owner's private tables next to a release of this name."""
        if self._beside is None and self.private_tables is not None:
            schema, _, table = release.partition(".")
            made = self.private_tables(self._engine, schema, table, exclusive=self._exclusive)
            self._beside = made
        return self._beside

    def _there(self) -> Collection[str]:
        """Return which of the names of the parts there are in the schema."""
        raise NotImplementedError

    def _items(
        self, schema: Relation, tables: Sequence[str], views: Sequence[str]
    ) -> Sequence[Item]:
        """Return all objects of a schema, or all that belong to these ``tables`` and ``views``."""
        raise NotImplementedError

    def _extras_beside(self, schema: Relation, about: str) -> Sequence[Part] | None:
        """Return the extra parts of another release by the name of its ``__about``, None where it
        is none."""
        return extras_if_release(self._engine, (*schema, about))

    def _unexpected_objects(self, tables: Tables) -> Sequence[str]:
        """Describe the objects next to the tables of a release that are not part of it. Other
        releases in the schema are ignored."""
        schema = tables["rows"][:-1]
        views = sorted(table[-1] for part, table in tables.items() if part in VIEW_PARTS)
        plain = sorted(table[-1] for part, table in tables.items() if part not in VIEW_PARTS)
        items = self._items(schema, plain, views)
        others = {item.name for item in items if item.kind == "table"}.difference(plain, views)
        beside = contents.other_releases(others, partial(self._extras_beside, schema))
        own = contents.allowed([*plain, *self._claims], views)
        return contents.unexpected_objects(items, own | beside)

    def _warn_of_unexpected_objects(self) -> None:
        tables = {part: self._published(part) for part in self._parts}
        contents.warn_of(self._policy.release.name, self._unexpected_objects(tables))

    @contextmanager
    def published(self) -> Iterator[ReleaseTables]:
        """Open the published tables; raise PolicyError when they do not exist, or reading them
        would run code."""
        name, where = self._policy.release.name, "release.table"
        self._engine.find(name, where)
        there = self._there()
        self._engine.require_plain([(*self._schema, text) for text in there], where)
        if self._about[-1] not in there or not is_release(self._engine, self._about):
            raise no_release(where, name)
        tables = self._existing({part: self._published(part) for part in self._parts}, there)
        within = cache(partial(self._unexpected_objects, tables))
        yield ReleaseTables.of(self._engine, tables, within=within)


class FreshFileTarget(Target):
    """A file or folder at ``place``, made anew in the private folder of the run, on the same file
    system,
    and moved into the place of the previous one. Dropped rows stay readable in the free pages of a
    database, so no file is ever written twice."""

    suffix = ""
    """How the name of the new file ends."""

    def __init__(
        self,
        engine: Engine,
        location: Location,
        table: str,
        context: Context,
        extras: Sequence[Part] = (),
    ) -> None:
        super().__init__(engine, table, extras)
        self._place, self._context = location, context
        self._built = context.workspace / f"release{self.suffix}"
        self._alias = (  # two targets may share an engine: a run's, and that of an applied scheme
            f"release_{secrets.token_hex(4)}"
        )
        self._guarded: Signature | None = None
        self._reader = engine
        """The engine that reads the files."""

    @property
    def _where(self) -> str:
        return self._place.where

    def _require_replaceable(self) -> None:
        """Raise an error unless there is no file yet, or a file that no run is writing."""
        database_files.require_replaceable(self._place.path, self._where)

    # reading

    def _attach(self, path: Path, name: str) -> None:
        """Open a file under a ``name``, where that goes before it is read."""

    def _detach(self, name: str) -> None:
        """Close the file that was opened under a name."""

    def _require_there(self, path: Path) -> None:
        """Raise an error where nothing is published at ``path`` that could be a release."""
        remedy = "`anonsql run` (or `tabulate`) makes it."
        database_files.require_readable(path, self._where, remedy)

    def _parts_at(self, path: Path, name: str) -> tuple[Part, ...] | None:
        """Return the parts of the release of this table in a file or folder, opened under a
        ``name``, by its facts, which say by which version of anonsql it was made; None when it is
        not such a release."""
        raise NotImplementedError

    def _open(self, path: Path, name: str) -> ReleaseTables:
        """Return the release in a file or folder, opened under a ``name``, with the extra tables
        that exist."""
        raise NotImplementedError

    def _parts_stated(self, about: Relation) -> tuple[Part, ...] | None:
        """Return the parts of a release by its table of facts; None when that is none of
        anonsql's."""
        extras = extras_if_release(self._reader, about)
        return None if extras is None else parts_of(extras)

    @contextmanager
    def published(self) -> Iterator[ReleaseTables]:
        """Open the published release for reading, next to the staged one; raise PolicyError when
        there is none."""
        path, name = self._place.path, f"{self._alias}_published"
        self._require_there(path)
        try:
            self._attach(path, name)
            if self._parts_at(path, name) is None:
                if (other := self._other_release(name)) is not None:
                    text = f"{path} is the release of another table, {other}."
                    raise PolicyError.at(
                        self._where, text, f"Name the table {other}, or another file."
                    )
                raise no_release(self._where, path)
            yield self._open(path, name)
        finally:
            self._detach(name)

    # publishing

    def _other_release(self, _name: str) -> str | None:
        """Return the table that a file, opened under a ``name``, releases; None if there is none or
        it is unknown."""
        return None

    def _other_content(self, path: Path) -> str:
        """Describe the contents of a file other than a release of this table; an empty text if
        there are none."""
        raise NotImplementedError

    def _files(self, path: Path) -> Mapping[str, Path]:
        """Return the files of a release at ``path``, by the names that they have once published."""
        return {self._place.path.name: path}

    def digests(self) -> Mapping[str, str]:
        """Return the SHA-256 of each published file by its name."""
        return _digests(self._files(self._place.path))

    def guard(self) -> None:
        """Raise PolicyError when publishing would replace anything but a release of this table. A
        file that is as it was at an earlier call is not read again."""
        self._require_replaceable()
        path = self._place.path
        if not path.exists():
            return
        now = database_files.signature(path)
        if now != self._guarded and (text := self._other_content(path)):
            remedy = (
                "A release has a file of its own, which every run replaces: name another file, or"
                " remove this one."
            )
            raise PolicyError.at(self._where, f"{path} {text}.", remedy)
        self._guarded = now

    def _close_built(self) -> None:
        """Let go of the new file; raise VerificationError where it holds more than it may."""
        self._detach(self._alias)

    def _prepare(self) -> None:
        """Write the parts that depend on the file to be replaced."""

    def publish(self) -> None:
        """Move the verified file into the place of the previous one."""
        self._engine.require_unchanged()
        self._close_built()
        self.guard()
        self._prepare()
        self.proved = _digests(self._files(self._built))
        self._move()

    def _move(self) -> None:
        rename.replace_file(self._built, self._place.path, self._context.mode)


def _digests(files: Mapping[str, Path]) -> dict[str, str]:
    return {name: database_files.sha256(path) for name, path in files.items() if path.is_file()}
