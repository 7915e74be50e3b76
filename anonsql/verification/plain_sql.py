"""Verification SQL: a release's promises as plain statements that any reader can run, in any
client. A statement returns what breaks a promise, so no row means that it holds.

The statements are about what can be seen in a release: classes, groups and buckets, and the values
in them. They prove less than :func:`anonsql.verification.release_only.prove`, which also checks
labels, columns and facts, and sees no more of the source than they do. A promise that cannot be
seen in the release has a line without a statement.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from anonsql.engines.base import Column, Relation, ReleaseTables
from anonsql.grammar.forms import column_of
from anonsql.policy import methods
from anonsql.policy.locations import Location
from anonsql.policy.release_parts import part_name
from anonsql.policy.table_plan import TablePlan
from anonsql.privacy import registry
from anonsql.privacy.base import ColumnModel, PopulationModel, Term
from anonsql.privacy.promise import Promise
from anonsql.privacy.risk import RecordsAtRisk
from anonsql.release.columns import COUNT, GROUP
from anonsql.sql import templates
from anonsql.sql.dialects import Dialect
from anonsql.verification.facts import (
    combinations_of,
    count_of,
    facts_of,
    missing_rows,
    promised,
)

_CLASSES = ("quasi-identifying", "semi-sensitive")
"""The roles of the columns whose values define classes."""
_WORDS = (
    *("rows_in_class", "rows_with_value", "rows_with_named_value", "class_values"),
    *("share", "place", "position", "x", "width", "table_share", "table_values"),
    *("surplus", "carried", "rows_in_group", "different_rows", "counted"),
)
"""The names that the statements give to what they count."""
_DATES = ("date",)
_NUMBERS = ("integer", "decimal", "float")


@dataclass(frozen=True)
class StatedCheck:
    """A promise of a release (``promise``, a property of ``__about``), what it says and how it can
    be seen (``says``), and the statement that returns what breaks it; None where the release alone
    cannot show it."""

    promise: str
    title: str
    says: str
    sql: str | None = None


@dataclass(frozen=True)
class Shape:
    """The subject of the statements: the client's names of the tables, the columns of the rows and
    of the separate tables (``apart``: (its name, its columns)), the facts of ``__about``, and the
    roles of ``__columns``; of a ``single`` file, which has no other table."""

    rows: Relation
    columns: Sequence[Column]
    apart: Sequence[tuple[Relation, Sequence[Column]]]
    about: Mapping[str, str]
    roles: Mapping[str, str | None]
    forms: Mapping[str, str | None]
    named: Mapping[str, Sequence[str]] = field(default_factory=dict)
    combinations: Sequence[Sequence[str]] = ()
    single: bool = False

    @property
    def keys(self) -> list[str]:
        """The columns whose values define the classes: labels and their bounds."""
        return [column.name for column in self.columns if self.roles.get(column.name) in _CLASSES]

    @property
    def labels(self) -> list[str]:
        """The columns of labels."""
        return [name for name in self.keys if column_of(name, self.forms.get(name)) is None]

    @property
    def masked(self) -> list[str]:
        """The columns by which masked rows are recognized; none where no row is masked."""
        types = {column.name: column.type for column in self.columns}
        some = count_of(self.about, "masked") > 0
        return [name for name in self.labels if types[name] == "VARCHAR"] if some else []

    @property
    def mark(self) -> str:
        """The prefix that keeps names of the statements distinct from columns: as many underscores
        as needed."""
        names = {column.name.casefold() for column in self.columns}
        names |= {column.name.casefold() for _, columns in self.apart for column in columns}
        mark = ""
        while any(f"{word}{mark}" in names for word in _WORDS):
            mark += "_"
        return mark

    @property
    def groups(self) -> str | None:
        """The column that numbers groups, where it has one."""
        there = any(column.name == GROUP.name for column in self.columns)
        return GROUP.name if there and GROUP.name not in self.keys and self.apart else None

    def within(self, names: Sequence[str]) -> list[str]:
        """Return the keys of a combination of columns: its labels and their bounds."""
        bounds = [f"{name}_{end}" for name in names for end in ("lo", "hi")]
        own = [name for name in self.keys if name not in self.labels and name in bounds]
        return [name for name in self.labels if name in names] + own


def checks(
    release: ReleaseTables,
    named: Relation,
    dialect: Dialect,
    policy: TablePlan | None = None,
    *,
    single: bool = False,
) -> list[StatedCheck]:
    """Return the promises of a release with the statements that show them, in a ``dialect``.

    ``named`` is the client's name of the table of the rows. The promises are taken from
    ``__about``, or from the ``policy`` that the release was made by. ``single``: the release is one
    file, in which no table of facts can be asked.
    """
    return written(_read(release, named, policy, single=single), dialect)


def written(shape: Shape, dialect: Dialect) -> list[StatedCheck]:
    """Return the checks of a release with their statements in a ``dialect``."""

    def translated(template: str, parameters: Mapping[str, Any]) -> str:
        return templates.pretty(template, dialect, mark=shape.mark, **parameters)

    return [
        StatedCheck(check.promise, check.title, check.says, translated(*check.statement))
        if check.statement
        else StatedCheck(check.promise, check.title, check.says)
        for check in _checks(shape)
    ]


@dataclass(frozen=True)
class _Planned:
    """A check before its statement is written: a template and its parameters."""

    promise: str
    title: str
    says: str
    statement: tuple[str, Mapping[str, Any]] | None = None


def named_in(location: Location, table: str, dialect: Dialect) -> Relation:
    """Return what a client calls the table of a release's rows: DuckDB reads a single file by its
    name, elsewhere a table has to be made of it."""
    if location.is_single and dialect == "duckdb":
        return (location.path.name,)
    return tuple(table.split("."))


def _read(
    release: ReleaseTables, named: Relation, policy: TablePlan | None, *, single: bool
) -> Shape:
    about = facts_of(release)
    rows = release.stated_columns
    read = Shape(
        rows=named,
        columns=release.engine.columns(release.rows),
        apart=[
            ((*named[:-1], part_name(named[-1], part)), release.engine.columns(table))
            for part, table in release.extras.items()
            if part.startswith("sensitive")
        ],
        about=about,
        roles={one.name: one.role for one in rows},
        forms={one.name: one.form for one in rows},
        combinations=combinations_of(about, [one.name for one in rows]),
        single=single,
    )
    if policy is None:
        return read
    return replace(
        read,
        about={**about, **promised(policy), "k": str(policy.privacy.k)},
        named={
            f"{model}.{name}": settings.needs.named
            for model, name, settings in policy.privacy.by_column()
        },
        combinations=policy.combinations if policy.privacy.several else (),
    )


def _checks(release: Shape) -> Iterator[_Planned]:
    yield from _of_k(release)
    if release.groups is not None:
        yield from _of_groups(release, release.groups)
    for promise, fact in release.about.items():
        model, _, column = promise.partition(".")
        settings = _settings(model, fact)
        if settings is not None and column:
            yield from _of_model(release, promise, column, settings)
        elif model == "entity":
            by_rows = methods.traits(release.about.get("method", "")).equal_rows_are_classes
            why = _NOT_SEEN[model] + (_NOT_ENOUGH if by_rows else "")
            yield _Planned(promise, f"{promise}: {fact}", why)
        elif model == "risk" and column != "population":
            yield _of_risk(release, promise, fact)
        elif issubclass(registry.settings_of(model) or ColumnModel, PopulationModel):
            why = "The model compares with a population, which is not in the release."
            yield _Planned(promise, f"{promise}: {fact}", why)
    yield _of_facts(release)


_NOT_ENOUGH = " A class of at least k rows is necessary for it, but not sufficient."
_NOT_SEEN = {
    "entity": ("k counts people, and the column that identifies them is not released."),
    "risk": (
        "The estimate needs the number of classes of each size, which SQL alone cannot provide."
        " Use `anonsql verify`."
    ),
    "ring": (
        "This method gives rows overlapping windows of values, so equal rows form no classes."
        " Only a comparison with the source can show that every row may come from k people."
    ),
}


def _of_k(release: Shape) -> Iterator[_Planned]:
    k = count_of(release.about, "k")
    title = f"Every row is hidden among at least {k:,} rows (k={k:,})"
    if not methods.traits(release.about.get("method", "")).equal_rows_are_classes:
        yield _Planned("k", title, _NOT_SEEN["ring"])
        return
    parameters = {"table": release.rows, "k": k, "masked": release.masked}
    if release.groups is not None:
        says = "The statement returns groups of rows that are smaller."
        template = "verification/plain_sql/small_classes"
        yield _Planned(
            "k", title, says, (template, {**parameters, "keys": [release.groups], "masked": []})
        )
        return
    if "quasi_identifiers" in release.about and not release.combinations:
        says = (
            "The promise holds for each of several combinations:"
            f" {release.about['quasi_identifiers']}."
        )
        yield _Planned("k", title, says)
        return
    for names in release.combinations or [release.labels]:
        keys = release.within(names)
        if not keys:
            continue
        on = f" on {', '.join(names)}" if release.combinations else ""
        says = f"Rows with equal values{on} form a class. The statement returns smaller classes."
        yield _Planned(
            "k",
            title + on,
            says,
            ("verification/plain_sql/small_classes", {**parameters, "keys": keys}),
        )


def _of_risk(release: Shape, promise: str, fact: str) -> _Planned:
    title = f"All rows together keep {promise}: {fact}"
    try:
        accepted = RecordsAtRisk.of_fact(fact)
    except ValueError:
        return _Planned(promise, title, _NOT_SEEN["risk"])
    says = (
        f"Rows in classes of fewer than {accepted.least_accepted:,} are at risk. The statement"
        " returns a row if their share is above that limit."
    )
    counted = {
        "table": release.rows,
        "keys": release.keys,
        "masked": release.masked,
        "least": accepted.least_accepted,
        "most": accepted.at_most,
    }
    return _Planned(promise, title, says, ("verification/plain_sql/at_risk", counted))


def _of_groups(release: Shape, group: str) -> Iterator[_Planned]:
    labels = [name for name in release.keys if release.roles.get(name) in _CLASSES]
    if len(release.apart) and labels and release.about.get("method") and _alike(release):
        yield _Planned(
            "k",
            "The rows of a group have equal released values",
            "The statement returns groups with rows that differ.",
            (
                "verification/plain_sql/mixed",
                {"table": release.rows, "group": group, "cells": labels},
            ),
        )
    for table, columns in release.apart:
        joined, value = columns[0].name, columns[1].name
        parameters = {"apart": table, "group": joined, "value": value, "count": COUNT.name}
        yield _Planned(
            "rows",
            f"{table[-1]} counts the rows correctly",
            f"The statement returns each {joined} with more or fewer rows than counted.",
            ("verification/plain_sql/uncounted", {"table": release.rows, **parameters}),
        )
        settings = _settings("l_diversity", release.about.get(f"l_diversity.{value}", ""))
        if settings is None:
            continue
        least = next(term.bound for _, term in settings.terms())
        yield _Planned(
            f"l_diversity.{value}",
            f"No value of {value} is more frequent in its {joined} than 1 in {least:f}",
            f"The statement returns values that are more frequent in their {joined}.",
            ("verification/plain_sql/too_frequent", {**parameters, "least": least}),
        )


def _alike(release: Shape) -> bool:
    return all(columns[0].name != GROUP.name for _, columns in release.apart)


def _settings(model: str, fact: str) -> ColumnModel | None:
    """Return the settings of a model about a column that a fact of ``__about`` states; None where
    there is no such model, or the fact says no such thing."""
    known = registry.settings_of(model)
    if known is None or not issubclass(known, ColumnModel):
        return None
    try:
        return known.of_fact(fact)
    except ValueError:
        return None


def _of_model(
    release: Shape, promise: str, column: str, settings: ColumnModel
) -> Iterator[_Planned]:
    own = next((row for row in release.apart if row[1][1].name == column), None)
    places: list[dict[str, Any]]
    if own is not None:
        columns = own[1]
        places = [{"table": own[0], "keys": [columns[0].name], "count": COUNT.name}]
    else:
        columns = release.columns
        keys = [release.within(names) for names in release.combinations]
        if not keys and "quasi_identifiers" not in release.about:
            keys = [release.keys]
        places = [{"table": release.rows, "keys": key, "count": None} for key in keys if key]
    result = next((entry for entry in columns if entry.name == column), None)
    by_rows = methods.traits(release.about.get("method", "")).equal_rows_are_classes
    for parameter, term in settings.terms(index=1):
        if own is not None and term.kind == "distinct":
            continue  # the groups' own check is stricter
        name = promise if parameter == settings.main else f"{promise}.{parameter}"
        title = f"{settings.name} of {column}: {settings.fact}"
        reason = (
            _NOT_SEEN["ring"] if not by_rows else _unseen(release, promise, term, result, settings)
        )
        if reason is not None or result is None or not places:
            yield _Planned(name, title, reason or _no_place(release, result))
            continue
        for by_name in places:
            on = f" on {', '.join(by_name['keys'])}" if len(places) > 1 else ""
            yield _Planned(
                name,
                title + on,
                f"The statement returns classes that do not keep {term.words}.",
                (
                    term.offence.removesuffix(".sql"),
                    by_name | _parameters(release, promise, column, result, term),
                ),
            )


def _no_place(release: Shape, column: Column | None) -> str:
    if column is None:
        return "Its column is not in the release."
    several = release.about.get("quasi_identifiers")
    return (
        f"The promise holds for each of several combinations: {several}."
        if several
        else "No column of the release defines classes."
    )


def _parameters(
    release: Shape, promise: str, column: str, result: Column, term: Term
) -> dict[str, Any]:
    rows, missing = count_of(release.about, "rows"), missing_rows(release.about)
    return {
        "values": "verification/plain_sql/values",
        "positions": "verification/plain_sql/positions",
        "column": column,
        "model": term,
        "promise": Promise(1, (term,)).seen_alone(rows, missing),
        "days": result.kind in _DATES,
        "named": release.named.get(promise, ()),
    }


def _unseen(
    release: Shape, promise: str, term: Term, column: Column | None, settings: ColumnModel
) -> str | None:
    if settings.needs.hierarchy:
        return (
            "The check needs the column's hierarchy, which is not in the release: use `anonsql"
            " verify`."
        )
    if "of some values" in release.about.get(promise, "") and not release.named.get(promise):
        return (
            "The promise covers only some values, which the policy names and the release does not."
        )
    figures, kind = term.criterion.figures, column.kind if column is not None else ""
    if "position" in figures and kind not in (*_NUMBERS, *_DATES, "timestamp"):
        return (
            "The check needs the order of the values, which the policy gives and the release"
            " does not."
        )
    if "number" in figures and kind not in (*_NUMBERS, *_DATES):
        return "The promise is about the time between moments: use `anonsql verify`."
    return None


def _of_facts(release: Shape) -> _Planned:
    by_rows = methods.traits(release.about.get("method", "")).equal_rows_are_classes
    keys = [release.groups] if release.groups is not None else release.keys
    several = "quasi_identifiers" in release.about
    title = "The stated numbers of rows and classes are right"
    if release.single:
        return _Planned(
            "rows",
            title,
            "A single file stores its facts next to the rows, where no statement can read them:"
            " use `anonsql verify`.",
        )
    parameters = {
        "table": release.rows,
        "about": (*release.rows[:-1], part_name(release.rows[-1], "about")),
        "masked": [] if release.groups is not None else release.masked,
        "keys": keys if by_rows and not several else [],
    }
    return _Planned(
        "rows",
        title,
        "The statement returns counts of `__about` that the rows contradict. No statement can"
        " show that released values are true, or how many rows were left out: `anonsql verify`"
        " checks them against the source, or against the rows.",
        ("verification/plain_sql/facts", parameters),
    )
