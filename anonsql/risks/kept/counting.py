"""The risk of a release's kept columns, counted on its rows, by run and verification."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from anonsql.engines.base import Column, Engine, Relation
from anonsql.policy.columns import KEPT
from anonsql.policy.table_plan import TablePlan
from anonsql.system.numbers import rounded

_NAMED = 4
"""Columns that the sentence names; of more it names one less, and how many there are besides."""


def not_covered(
    unique: int, rows: int, columns: Sequence[str], k: int, table: str | None = None
) -> str | None:
    """Return in words that ``unique`` of the released ``rows`` are the only ones with their values
    in the kept ``columns``; None where no row is. Releases of several name the ``table``."""
    if not unique or not columns:
        return None
    counted = f"{unique:,} of {rows:,} {'row' if rows == 1 else 'rows'}"
    whose = f" of {table}" if table is not None else ""
    kept, what = _names(columns), "k" if k > 1 else "the promise"
    if unique == 1:
        return f"{counted}{whose} is the only one with its {kept}; {what} does not cover it"
    return f"{counted}{whose} are the only ones with their {kept}; {what} does not cover them"


def _names(columns: Sequence[str]) -> str:
    """Return columns as people list them, the first few of many.

    >>> _names(["paid", "reported", "note"])
    'paid, reported and note'
    >>> _names(["a", "b", "c", "d", "e"])
    'a, b, c and 2 other kept columns'
    """
    if len(columns) > _NAMED:
        shown = columns[: _NAMED - 1]
        return f"{', '.join(shown)} and {len(columns) - len(shown)} other kept columns"
    *most, last = columns
    return f"{', '.join(most)} and {last}" if most else last


"""The roles of columns that are released as they are."""


@dataclass(frozen=True)
class Compared:
    """A column of any type as ``star/value`` takes it. Values that engines cannot group, or group
    differently, are compared as text."""

    column: Column

    @property
    def name(self) -> str:
        """The column's name."""
        return self.column.name

    @property
    def cast(self) -> str | None:
        """The type that values are cast to for comparison, where it is not their own."""
        if self.column.kind == "other" or not self.column.comparable:
            return "VARCHAR"
        return self.column.cast


@dataclass(frozen=True)
class Uniqueness:
    """Of ``rows``, how many are ``unique`` by some columns, and how many have fewer than k - 1
    others with their values (``below_k``)."""

    rows: int = 0
    unique: int = 0
    below_k: int = 0


@dataclass(frozen=True)
class WithinClasses:
    """For a sensitive column: the share of rows in classes with one value, and the largest share of
    one value in a class."""

    homogeneous: float
    highest_share: float


@dataclass(frozen=True)
class KeptRisk:
    """The risk of a release by its kept columns: the rows that are unique by these (``kept``) and
    by all released columns; and by sensitive column the values that classes reveal."""

    columns: tuple[str, ...]
    kept: Uniqueness
    released: Uniqueness
    sensitive: Mapping[str, WithinClasses] = field(default_factory=dict)
    k: int = 1

    @property
    def not_covered(self) -> str | None:
        """What the promise does not cover, in one sentence; None where no row is single."""
        return not_covered(self.kept.unique, self.kept.rows, self.columns, self.k)

    @property
    def facts(self) -> dict[str, object]:
        """The facts about kept columns in ``__about``."""
        facts: dict[str, object] = {
            "kept_unique": self.kept.unique,
            "kept_below_k": self.kept.below_k,
            "released_unique": self.released.unique,
            "released_below_k": self.released.below_k,
        }
        if self.not_covered is not None:
            facts["not_covered"] = self.not_covered
        for name, classes in self.sensitive.items():
            facts[f"homogeneous.{name}"] = classes.homogeneous
            facts[f"highest_share.{name}"] = classes.highest_share
        return facts


def kept_columns(policy: TablePlan, columns: Sequence[Column]) -> list[Compared]:
    """Return those of ``columns`` that are released as they are."""
    kept = {
        name
        for name, column in policy.columns.items()
        if column.role in KEPT and name not in policy.apart
    }
    return [Compared(column) for column in columns if column.name in kept]


def uniqueness(
    engine: Engine,
    table: Relation,
    columns: Sequence[Compared],
    k: int,
    people: Compared | None = None,
) -> Uniqueness:
    """Return how many rows share their values in some columns with few other rows, or people.
    Without columns no row is alone."""
    if not columns:
        return Uniqueness()
    parameters = {"table": table, "columns": columns, "people": people, "k": k}
    return Uniqueness(*engine.query("risks/kept/groups", **parameters)[0])


def not_covered_of(engine: Engine, rows: Relation, policy: TablePlan, table: str) -> str | None:
    """Return what the promise does not cover of a ``table`` of several. Keys and references to
    people are new numbers, and no kept columns."""
    kept = kept_columns(policy, engine.columns(rows))
    single = uniqueness(engine, rows, kept, policy.privacy.k)
    names = [comparison.name for comparison in kept]
    return not_covered(single.unique, single.rows, names, policy.privacy.k, table)


def of_release(engine: Engine, table: Relation, policy: TablePlan, *, masked: bool) -> KeptRisk:
    """Return the risk of a release's kept columns, staged or published. With ``masked``, rows that
    are ``*`` in every quasi-identifying column are suppressed ones."""
    columns, k = engine.columns(table), policy.privacy.k
    kept = kept_columns(policy, columns)
    labels = [Compared(column) for column in columns if column.name in policy.quasi_identifiers]
    if kept:
        parameters = {"table": table, "kept": kept, "labels": labels, "k": k}
        rows, *counts = engine.query("risks/kept/released", **parameters)[0]
        result, everything = Uniqueness(rows, *counts[:2]), Uniqueness(rows, *counts[2:])
    else:
        result, everything = Uniqueness(), uniqueness(engine, table, labels, k)
    return KeptRisk(
        tuple(comparison.name for comparison in kept),
        result,
        everything,
        _within_classes(engine, table, policy, kept, masked=masked),
        k,
    )


def _within_classes(
    engine: Engine, table: Relation, policy: TablePlan, kept: Sequence[Compared], *, masked: bool
) -> dict[str, WithinClasses]:
    """Return what the classes reveal of each sensitive column, for several combinations of columns
    the worst. Released rows of rings have no classes."""
    sensitive = [
        comparison for comparison in kept if policy.columns[comparison.name].role == "sensitive"
    ]
    if not sensitive or not policy.method.equal_rows_are_classes:
        return {}
    within_classes: dict[str, WithinClasses] = {}
    arrays = policy.label_type != "VARCHAR"
    for labels in policy.combinations:
        parameters = {"labels": labels, "arrays": arrays, "masks": masked and not arrays}
        counted = engine.query("risks/kept/classes", table=table, columns=sensitive, **parameters)
        for number, rows, alike, highest in counted:
            name = sensitive[number - 1].name
            before = within_classes.get(name, WithinClasses(0.0, 0.0))
            within_classes[name] = WithinClasses(
                max(before.homogeneous, rounded(alike / rows) if rows else 0.0),
                max(before.highest_share, rounded(highest) if rows else 0.0),
            )
    return within_classes
