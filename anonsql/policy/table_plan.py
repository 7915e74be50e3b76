"""What is done with the rows of one table: the plan of a policy of one table, and that of each table
of a policy of several."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from anonsql.policy.changes import Change, changes_of
from anonsql.policy.columns import Average, ColumnPolicy, Replacement
from anonsql.policy.envelope import EngineSettings, Origin, Release
from anonsql.policy.hierarchy import (
    AutomaticHierarchy,
    FileHierarchy,
    Hierarchy,
    OrderHierarchy,
    SuppressionHierarchy,
    TableHierarchy,
    TaxonomyHierarchy,
)
from anonsql.policy.measuring import Measuring
from anonsql.policy.method import Apart
from anonsql.policy.methods import Method
from anonsql.policy.privacy import AnyPrivacy
from anonsql.policy.release_parts import COMPLETED, MARGINALS
from anonsql.policy.source import Source
from anonsql.policy.table_columns import TableColumns

_GIVES_ORDER = (FileHierarchy, OrderHierarchy, TaxonomyHierarchy)


class TablePlan(TableColumns):
    """The plan for the rows of one table: its columns, the promise for its classes, the method, and
    the parts of its release."""

    if TYPE_CHECKING:
        privacy: AnyPrivacy
        method: Method
        engine: EngineSettings
        measure: Measuring

    @property
    def measurable(self) -> dict[str, ColumnPolicy]:
        """The columns that ``measure.target`` may name, as it names them."""
        return self.columns

    @property
    def replaced(self) -> dict[str, Replacement]:
        """The identifying columns that are replaced instead of removed, with their replacements."""
        return {
            name: column.replace
            for name, column in self.columns.items()
            if column.replace is not None
        }

    @property
    def changes(self) -> dict[str, Change]:
        """The kept columns whose values are changed, and how."""
        return changes_of(self.columns)

    @property
    def averages(self) -> dict[str, Average]:
        """The averages (means or medians) that are released, by quasi-identifying column."""
        return {
            name: column.values
            for name, column in self.columns.items()
            if column.values is not None
        }

    @property
    def surrogates(self) -> list[str]:
        """The identifying columns that are replaced by surrogates."""
        return [name for name, what in self.replaced.items() if what == "surrogate"]

    @property
    def removed(self) -> list[str]:
        """The columns that no table of the release has."""
        return [
            name
            for name, column in self.columns.items()
            if column.role == "identifying" and column.replace is None
        ]

    @property
    def combinations(self) -> list[list[str]]:
        """The quasi-identifying columns that must keep the promise together, in the order of the
        policy: one list of all, or several."""
        named = self.privacy.quasi_identifiers or [list(self.quasi_identifiers)]
        return [[name for name in self.quasi_identifiers if name in names] for names in named]

    def by_itself(self) -> Self:
        """Return the policy of one release by itself, which follows no others."""
        if self.privacy.over_time is None:
            return self
        privacy = self.privacy.model_copy(update={"over_time": None})
        return self.changed(privacy=privacy)

    @property
    def released_apart(self) -> Apart | None:
        """The sensitive values that are released in tables of their own, where the method does
        so."""
        return self.method.apart(self.columns, self.privacy)

    @property
    def bucketized(self) -> list[str] | None:
        """The columns whose sensitive values are released in buckets, each in a table of its own,
        where the method does so (local)."""
        apart = self.released_apart
        return list(apart.parts) if apart is not None and apart.joined_by == "bucket" else None

    @property
    def tabled(self) -> dict[str, str]:
        """The columns whose sensitive values are released in a table of their own, with the name of
        that table in :attr:`release_parts`."""
        apart = self.released_apart
        return {} if apart is None else dict(apart.parts)

    @property
    def apart(self) -> list[str]:
        """The columns of :attr:`tabled` that the released rows do not have."""
        return [name for name in self.tabled if self.columns[name].role == "sensitive"]

    @property
    def separated(self) -> str | None:
        """The sensitive column that is released in a table of its own, joined by the rows' group
        (anatomy)."""
        apart = self.released_apart
        by_group = apart is not None and apart.joined_by == "group"
        return next(iter(apart.parts)) if apart is not None and by_group else None

    @property
    def identity(self) -> str | None:
        """What a release must state about identities where its method does not hide them."""
        return self.method.identity

    @property
    def release_parts(self) -> tuple[str, ...]:
        """The tables and views of the release except the rows, ``__about`` and ``__columns``: the
        suffix of each to the table's name."""
        # Parquet and CSV files cannot hold views
        viewed = self.bucketized is not None and self.release.file is None
        others = (("expanded",) if viewed else ()) + (
            ("labels",) if self.released_hierarchies else ()
        )
        others += (MARGINALS,) if self.release.marginals else ()
        others += (COMPLETED,) if self.release.draws else ()
        return (*self.tabled.values(), *others, *self.beside)

    @property
    def released_hierarchies(
        self,
    ) -> dict[str, FileHierarchy | OrderHierarchy | TaxonomyHierarchy | TableHierarchy]:
        """The hierarchies that are released, by column: those of generalized columns that list
        their leaves and are not made from the data, as these would reveal it. A single file cannot
        contain them."""
        if not self.release.hierarchies or self.release.is_single_file:
            return {}
        by_name = {
            name: self.known_hierarchy(name)
            for name, column in self.quasi_identifiers.items()
            if not isinstance(column.hierarchy, AutomaticHierarchy)
        }
        return {
            name: hierarchy
            for name, hierarchy in by_name.items()
            if isinstance(hierarchy, (*_GIVES_ORDER, TableHierarchy))
        }

    @property
    def label_type(self) -> str:
        """The type of the released quasi-identifying columns."""
        return "VARCHAR[]" if self.method.arrays else "VARCHAR"

    @property
    def compared(self) -> bool:
        """Whether the rows are counted in comparison with others: see :attr:`Privacy.compared`."""
        return self.privacy.compared

    @property
    def hides_null(self) -> bool:
        """Whether the release may not show that a column has no NULL: differential privacy."""
        return self.privacy.differential is not None

    @property
    def population(self) -> Source | None:
        """The population that the rows are drawn from, where the promise is about it."""
        return self.privacy.population

    def known_hierarchy(self, name: str, *, ordered: bool = False) -> Hierarchy | None:
        """Return the hierarchy of a column as far as it is known, and as the method uses it: see
        :meth:`hierarchy`."""
        result = super().known_hierarchy(name, ordered=ordered)
        gives_order = isinstance(result, (*_GIVES_ORDER, TableHierarchy))
        ignored = name in self.quasi_identifiers and self.method.ignores_hierarchy(
            ordered=ordered, gives_order=gives_order
        )
        return SuppressionHierarchy() if result and ignored else result


@dataclass(frozen=True)
class OneOfSeveral(TablePlan):
    """The plan of one table of several, whose promise is that of the people in all of them."""

    source: Source
    release: Release
    columns: dict[str, ColumnPolicy]
    privacy: AnyPrivacy
    method: Method
    engine: EngineSettings
    measure: Measuring
    catalog: str | None
    origin: Origin
    prefix: str
    beside: tuple[str, ...] = ()

    def changed(self, **settings: Any) -> Self:
        """Return the same with other settings."""
        return replace(self, **settings)
