"""One table that is released: where its rows come from and go, and its columns with their
hierarchies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from anonsql.policy import local as local_policy
from anonsql.policy.columns import GENERALIZED, ColumnPolicy
from anonsql.policy.conditions import Condition
from anonsql.policy.envelope import Origin, Release
from anonsql.policy.hierarchy import (
    AutomaticHierarchy,
    FileHierarchy,
    Hierarchy,
    TableHierarchy,
    TaxonomyHierarchy,
)
from anonsql.policy.resolved import made_files, resolved, stem_of, unresolved
from anonsql.policy.source import Source


class TableColumns:
    """One table that is released: its columns with their hierarchies, and the parts of its release.
    ``beside`` has the parts of other tables that are replaced together with it; files of
    hierarchies that are made begin with ``prefix``."""

    if TYPE_CHECKING:
        source: Source
        release: Release
        columns: dict[str, ColumnPolicy]
        catalog: str | None
        origin: Origin
        prefix: str
        beside: tuple[str, ...]

        def changed(self, **settings: Any) -> Self:
            """Return the same with other settings."""
    else:
        prefix, beside = "", ()

    @property
    def first(self) -> Self:
        """The table itself: see :attr:`Envelope.first`."""
        return self

    @property
    def population(self) -> Source | None:
        """The population that the rows are drawn from, where the promise is about it."""
        return None

    @property
    def compared(self) -> bool:
        """Whether the rows are counted in comparison with others: see :attr:`Privacy.compared`."""
        return False

    @property
    def hides_null(self) -> bool:
        """Whether the release may not show that a column of the source has no NULL."""
        return False

    @property
    def quasi_identifiers(self) -> dict[str, ColumnPolicy]:
        """The columns whose values are generalized, in the order of the policy: quasi-identifying
        and semi-sensitive ones."""
        return {name: column for name, column in self.columns.items() if column.role in GENERALIZED}

    @property
    def conditions(self) -> dict[str, Condition]:
        """The condition under which each semi-sensitive column is sensitive, by column."""
        return {
            name: local_policy.condition(name, column, self.columns)
            for name, column in self.columns.items()
            if column.role == "semi-sensitive"
        }

    @property
    def tabled(self) -> Mapping[str, str]:
        """The columns whose sensitive values are released in a table of their own, with the name of
        that table in :attr:`release_parts`."""
        return {}

    @property
    def release_parts(self) -> tuple[str, ...]:
        """The tables and views of the release except the rows, ``__about`` and ``__columns``: the
        suffix of each to the table's name."""
        return self.beside

    @property
    def label_type(self) -> str:
        """The type of the released quasi-identifying columns."""
        return "VARCHAR"

    def hierarchy(self, name: str, *, ordered: bool = False) -> Hierarchy | None:
        """Return the hierarchy by which a column's values are coded; ``ordered``: they are numbers
        or dates. The method may not use it, or use it only for the order of names; that of a
        sensitive column gives the distances between its values. Raise PolicyError where it is made
        from the data, or given by a table, and is not known yet."""
        result = self.known_hierarchy(name, ordered=ordered)
        if result is not None:
            where = f"columns.{name}.hierarchy"
            if error := unresolved(result, where, lambda: self.made_stem(name)):
                raise error
        return result

    def known_hierarchy(self, name: str, *, ordered: bool = False) -> Hierarchy | None:
        """Return the hierarchy of a column as far as it is known: see :meth:`hierarchy`."""
        result = self.columns[name].hierarchy
        if result is None:
            return None
        where = f"columns.{name}.hierarchy"
        return resolved(result, where, self.made_stem(name), self._table(name))

    def made_stem(self, name: str) -> Path:
        """Return the path of the file of a column's automatic hierarchy, without its end."""
        result = self.columns[name].hierarchy
        given = result.path if isinstance(result, AutomaticHierarchy) else None
        return self.path(given or f"hierarchies/{self.prefix}{stem_of(name)}")

    @property
    def unread_tables(self) -> list[str]:
        """The columns whose hierarchy a reference table gives that was not read yet."""
        return [
            name
            for name, column in self.columns.items()
            if isinstance(column.hierarchy, TableHierarchy) and self._table(name) is None
        ]

    def _table(self, name: str) -> Path | None:
        """Return the file that a reference table was read to; None where no command that is at work
        has read it."""
        file = self.origin.read.get((self.prefix, name))
        return file if file is not None and file.is_file() else None

    def read_table(self, name: str, file: Path) -> None:
        """Note the file that the reference table of a column's hierarchy was read to."""
        self.origin.read[self.prefix, name] = file

    def path(self, text: str) -> Path:
        """Return ``text`` as a path, relative to the policy's folder."""
        return self.origin.path(text)

    @property
    def files(self) -> dict[str, Path]:
        """The files of the policy: itself and those of its hierarchies, by a description of
        each."""
        paths = {"the policy": self.origin.file} if self.origin.file is not None else {}
        for name, column in self.columns.items():
            if (
                isinstance(column.hierarchy, (FileHierarchy, TaxonomyHierarchy))
                and column.hierarchy.path
            ):
                paths[f"the hierarchy of {name}"] = self.path(column.hierarchy.path)
            if isinstance(column.hierarchy, AutomaticHierarchy):
                kept = [file for file in made_files(self.made_stem(name)) if file.exists()]
                paths |= {f"the hierarchy of {name}": file for file in kept}
        return paths


@dataclass(frozen=True)
class StatisticsColumns(TableColumns):
    """The columns that tables of statistics are made of: dimensions are generalized, all others are
    counted or added. The release is that of the first table."""

    source: Source
    release: Release
    columns: dict[str, ColumnPolicy]
    catalog: str | None
    origin: Origin
    beside: tuple[str, ...]
    prefix: str = ""

    def changed(self, **settings: Any) -> Self:
        """Return the same with other settings."""
        return replace(self, **settings)
