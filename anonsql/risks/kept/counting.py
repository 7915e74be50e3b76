"""What the kept columns of a release give away, counted on its rows: a run and a verification of
the published release count the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from anonsql.engines.base import Column, Engine, Relation
from anonsql.policy.columns import KEPT
from anonsql.policy.policy import Policy
from anonsql.risks.kept.sentence import not_covered
from anonsql.system.numbers import rounded

"""The roles of columns that are released as they are."""


@dataclass(frozen=True)
class Compared:
    """A column of any type as ``star/value`` takes it. Values that an engine cannot group, or
    groups differently from other engines, are compared as text."""

    column: Column

    @property
    def name(self) -> str:
        """The column's name."""
        return self.column.name

    @property
    def cast(self) -> str | None:
        """The type that the column's values are cast to for comparison, where it is not their
        own."""
        if self.column.kind == "other" or not self.column.comparable:
            return "VARCHAR"
        return self.column.cast


@dataclass(frozen=True)
class Uniqueness:
    """Of ``rows``, how many are ``unique`` by some columns, and how many share their values in
    these with fewer than k - 1 others (``below_k``)."""

    rows: int = 0
    unique: int = 0
    below_k: int = 0


@dataclass(frozen=True)
class WithinClasses:
    """For a sensitive column: the share of the rows that are in classes with a single value of it,
    and the largest share of one value in a class."""

    homogeneous: float
    highest_share: float


@dataclass(frozen=True)
class KeptRisk:
    """What a release gives away by the columns that are released as they are: the rows that stand
    alone by these columns (``kept``) and by all released columns together; and by sensitive column,
    what classes give away, empty where the method has no classes of equal rows."""

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


def kept_columns(policy: Policy, columns: Sequence[Column]) -> list[Compared]:
    """Return those of ``columns`` that are released as they are, besides the quasi-identifying
    ones."""
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
    """Return how many rows of a table share their values in some columns with few other rows, or
    few other people. Without columns no row stands alone."""
    if not columns:
        return Uniqueness()
    parameters = {"table": table, "columns": columns, "people": people, "k": k}
    return Uniqueness(*engine.query("risks/kept/groups", **parameters)[0])


def not_covered_of(engine: Engine, rows: Relation, policy: Policy, table: str) -> str | None:
    """Return what the promise does not cover of a ``table`` of several, in a sentence. Keys and
    references to people are new numbers, which nobody knows, and no kept columns."""
    kept = kept_columns(policy, engine.columns(rows))
    single = uniqueness(engine, rows, kept, policy.privacy.k)
    names = [comparison.name for comparison in kept]
    return not_covered(single.unique, single.rows, names, policy.privacy.k, table)


def of_release(engine: Engine, table: Relation, policy: Policy, *, masked: bool) -> KeptRisk:
    """Return what the kept columns of a release, staged or published, give away, counted on its
    rows. With ``masked``, rows that are ``*`` in every quasi-identifying column are suppressed
    ones."""
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
    engine: Engine, table: Relation, policy: Policy, kept: Sequence[Compared], *, masked: bool
) -> dict[str, WithinClasses]:
    """Return what the classes give away of each sensitive column; where several combinations of
    columns each keep the promise, the worst of them. Released rows of rings are not equal to the
    rows that they hide among, so they have no classes."""
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
