"""What follows from keys of people. A released key is a problem, unless ``entity`` lets k count
people or the policy accepts it by name; a removed one is a warning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from anonsql.engines.base import ORDERED, Column, Engine, Relation
from anonsql.errors import Problem
from anonsql.policy.columns import GENERALIZED, KEPT, ColumnPolicy
from anonsql.policy.table_plan import TablePlan
from anonsql.release.recoding import Recoding
from anonsql.risks.kept.counting import Compared
from anonsql.risks.keys_of_people.finding import (
    Key,
    agreeing,
    counted,
    keys,
    may_be_called,
)

_ALWAYS = 0.95  # of the values of several rows: those whose rows are one person's
_UNEVEN = 20  # times the rows of the average value that amounts such as 0 have
_KEPT = "This {} column is released unchanged."


@dataclass(frozen=True)
class Repeating:
    """A column that identifies people, and the warning about it."""

    column: Compared
    warning: Problem

    def in_classes(self, least: int) -> Problem:
        """Return the warning with the number of people in the smallest class of a release."""
        people = "one person" if least == 1 else f"{least:,} people"
        text = f"{self.warning.found} The smallest class of this release has {people}."
        return replace(self.warning, found=text)


def uncovered(
    engine: Engine,
    table: Relation,
    columns: Sequence[Column],
    settings: Mapping[str, ColumnPolicy],
    entity: str | None = None,
) -> list[Key]:
    """Return the keys of people that are generalized or kept and not accepted by name. Where all
    rows of its values have one ``entity``, no class is of one value: k counts people."""
    shown = [
        column
        for column in columns
        if column.name in settings
        and settings[column.name].role in (*GENERALIZED, *KEPT)
        and settings[column.name].role != "weight"
        and "person-key" not in settings[column.name].contains
        and column.name != entity
    ]
    known = [
        column
        for column in columns
        if column.name in settings and settings[column.name].role in GENERALIZED
    ]
    found = keys(engine, table, shown, known)
    if entity is None or not found:
        return found
    [people] = counted(engine, table, [Compared(next(c for c in columns if c.name == entity))])
    of_keys = agreeing(engine, table, found, [people])
    return [
        key
        for key, (repeating, [alike]) in zip(found, of_keys, strict=True)
        if alike < _ALWAYS * repeating or (not repeating and people.repeats)
    ]


def shows_values(key: Key, settings: ColumnPolicy, k: int) -> bool:
    """Return whether a class can show a single value of a key: if it is kept, or some values may
    stay as they are because they have k rows or more."""
    if settings.role in KEPT:
        return True
    return not settings.min_level and (key.repeats or key.most >= max(k, 2))


def problem(key: Key, policy: TablePlan) -> Problem:
    """Return the problem of a key of people that is released, with the way out."""
    settings = policy.columns[key.name]
    if settings.role in KEPT:
        return _at(key, settings, _KEPT.format(settings.role), _way_out(key, policy))
    shows = (
        f"k={policy.privacy.k} counts rows. A class can be one person's rows, and this column would"
        " publish the value."
    )
    return _at(key, settings, shows, _way_out(key, policy))


def kept_problem(key: Key, settings: ColumnPolicy) -> Problem:
    """Return the problem of a key of people that is kept where k counts people anyway."""
    way = f"write `{key.name}: {{role: identifying}}`."
    return _at(key, settings, _KEPT.format(settings.role), way)


def _at(key: Key, settings: ColumnPolicy, shows: str, way: str) -> Problem:
    kinds = ", ".join((*settings.contains, "person-key"))
    remedy = (
        f"If a value names a person, {way} If a value names a group and not a person, write"
        f' `contains: [{kinds}], accepted: "reason"`.'
    )
    text = f"it looks like a key of people: {key.found}. {shows}"
    return Problem(f"columns.{key.name}", text, remedy)


def accepted(policy: TablePlan) -> list[Problem]:
    """Return a warning for each column that may be a key of people by the policy's own word."""
    if policy.privacy.entity is not None:
        return []
    text = (
        f"the policy accepts that the column may be a key of people. k={policy.privacy.k} counts"
        " rows: if a value names a person, a class can be that person's rows, and risks count"
        " rows."
    )
    return [
        Problem(
            f"columns.{name}", text, "Keep it only if no value names a person.", of_promise=True
        )
        for name, settings in policy.columns.items()
        if "person-key" in settings.contains
    ]


def then_counted(key: Key, policy: TablePlan) -> Problem:
    """Return the warning about a generalized key of people that must have k values in each
    class."""
    shows = (
        "`run` counts the distinct values of this column in each class, and refuses fewer than"
        f" k={policy.privacy.k}."
    )
    return _at(key, policy.columns[key.name], shows, _way_out(key, policy))


def _way_out(key: Key, policy: TablePlan) -> str:
    privacy = policy.privacy
    removed = f"`{key.name}: {{role: identifying}}`"
    if privacy.differential is not None:
        return f"write {removed}, and combine the rows of each person into one in a view."
    if (
        not policy.method.keeps_model("entity")
        or privacy.several
        or privacy.entity is not None
        or privacy.risk.limits
    ):
        return f"write {removed}."
    return f"write {removed} and `privacy: {{entity: {key.name}, …}}`: k then counts people."


def too_few(key: Key, least: int | None, policy: TablePlan) -> Problem | None:
    """Return the problem of a generalized key with too few values in a class; ``least`` is None
    where that is unknown."""
    k = policy.privacy.k
    if least is not None and least >= k:
        return None
    classes = (
        "no statement can count how many of them a class of this method has"
        if least is None
        else f"the smallest class has {'one of them' if least == 1 else f'{least:,} of them'}"
    )
    shows = f"k={k} counts rows, and {classes}."
    return _at(key, policy.columns[key.name], shows, _way_out(key, policy))


def repeating(
    engine: Engine,
    table: Relation,
    identifying: Sequence[Column],
    quasi_identifying: Sequence[Column],
    *,
    k: int,
) -> Repeating | None:
    """Return the identifying column that repeats, if its people share their quasi-identifying
    values with k rows, but fewer than k people; of several the likeliest one: by its name, by many
    values in few rows each, and by its number of values."""
    if not identifying or not quasi_identifying:
        return None
    columns = [Compared(column) for column in identifying]
    result = [key for key in counted(engine, table, columns) if 1 < key.values < key.rows]
    often = [key for key in result if key.repeats]
    if not result:
        return None
    person = max(
        often or result,
        key=lambda key: (
            may_be_called(key.column.column),
            key.is_fine,
            _names_people(key),
            key.values,
        ),
    )
    quasi = [Compared(column) for column in quasi_identifying]
    parameters = {"table": table, "columns": quasi, "people": person.column, "k": k}
    few = engine.query("risks/keys_of_people/few", **parameters)[0][0]
    if not few and not often:
        return None
    return Repeating(person.column, _warning(person, few, k))


def _names_people(key: Key) -> bool:
    """Return whether values of an identifying column are likely to name people: numbers of which
    one is far more frequent than the others are amounts."""
    amounts = key.column.column.kind in ORDERED and key.most * key.values > _UNEVEN * key.rows
    return not amounts or may_be_called(key.column.column)


def _warning(key: Key, few: int, k: int) -> Problem:
    alone = "One person" if few == 1 else f"{few:,} people"
    hidden = (
        (
            f" {alone} would count as hidden among at least {k} rows that belong to fewer than {k}"
            " people."
        )
        if few
        else ""
    )
    text = (
        f"{key.values:,} values of this identifying column occur in {key.rows:,} rows. If each is"
        f" a person, k={k} counts rows and not people.{hidden}"
    )
    remedy = (
        f"If the column identifies people, set `privacy.entity: {key.name}`, so that k counts them."
    )
    return Problem(f"columns.{key.name}", text, remedy, of_promise=_names_people(key))


def least_people(
    engine: Engine, source: Relation, recoding: Recoding, people: Compared
) -> int | None:
    """Return the fewest values of a column in a class that a recoding makes of the source; None
    where values do not determine classes."""
    counting = recoding.people_of_source()
    if counting is None:
        return None
    template, parameters = counting
    shared = {"source": source, "attributes": recoding.attributes, "people": people}
    least = engine.query(template, **parameters, **shared)[0][0]
    return None if least is None else int(least)
