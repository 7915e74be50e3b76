"""Queries over the columns of a release: each aggregate as one or more questions that statements can answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from anonsql.answering import conditions, value_sets
from anonsql.answering.columns import Held
from anonsql.answering.conditions import Atom, Condition, UnsupportedError
from anonsql.answering.parse import Parsed, Selected
from anonsql.answering.terms import Decided, Terms
from anonsql.answering.value_sets import Domain, ValueSet

NUMBER = Domain("decimal", unbounded=True)


@dataclass(frozen=True)
class Question:
    """Which rows satisfy a condition, divided into terms, and what of the ``aggregated`` column they have. ``pivot`` is the column
    by whose buckets rows are counted; ``separate`` when what the condition says of it is joined to the rest by AND."""

    terms: Terms
    aggregated: str | None = None
    pivot: str | None = None
    separate: bool = False


@dataclass(frozen=True)
class Asked:
    """An aggregate of a query, and the questions whose answers bound it, one for each pivot: none when no row can satisfy it. Of all rows,
    when ``every``."""

    selected: Selected
    column: str | None
    questions: tuple[Question, ...]
    every: bool = False


@dataclass(frozen=True)
class Bound:
    """A query with its aggregates and the domains of the columns that it names."""

    asked: tuple[Asked, ...]
    domains: Mapping[str, Domain]


def bind(parsed: Parsed, columns: Mapping[str, Held]) -> Bound:
    """A query over the columns of a release; raises UnsupportedError for columns and literals that do not fit."""
    atoms = list(_atoms(parsed.where)) if parsed.where is not None else []
    summed = {_named(each.column, columns).name for each in parsed.selected if each.column is not None and each.function != "COUNT"}
    named = [(_named(atom.column, columns), atom) for atom in atoms]
    named += [(_named(each.column, columns), Atom(each.column, "IS NULL")) for each in parsed.selected if each.column is not None]
    domains: dict[str, Domain] = {}
    for held, _ in named:
        own = [atom for other, atom in named if other is held]
        domains[held.name] = held.domain or _guessed(own, held.name in summed)
    for name in summed:
        if not domains[name].numeric:
            raise UnsupportedError(f"{name!r} is {domains[name].kind}, which cannot be summed")
    for held, _ in named:
        if domains[held.name].kind == "other":
            raise UnsupportedError(f"{held.name!r} is of a type that cannot be compared")

    def set_of(atom: Atom) -> tuple[str, ValueSet]:
        name = _named(atom.column, columns).name
        if atom.operator == "IS NULL":
            return name, value_sets.NULL
        domain = domains[name]
        points = [domain.point(conditions.value_of(word, name, domain.kind)) for word in atom.words]
        return name, value_sets.comparison(domain, atom.operator, points)

    asked = []
    for selected in parsed.selected:
        column = None if selected.column is None else _named(selected.column, columns).name
        asked.append(_asked(selected, column, Decided(parsed.where, set_of, column), columns))
    return Bound(tuple(asked), domains)


def _asked(selected: Selected, column: str | None, decided: Decided, columns: Mapping[str, Held]) -> Asked:
    """An aggregate with its questions: of a column told by buckets these are the pivot; else every column told by buckets whose
    condition stands by itself is one in turn."""
    aggregated = column if selected.function != "COUNT" else None
    plain = decided.terms(aggregated)
    if not plain.terms:
        return Asked(selected, column, ())
    if not plain.columns:
        return Asked(selected, column, (), every=True)
    if aggregated is not None and columns[aggregated].bucketed is not None:
        terms, separate = decided.separated(aggregated)
        return Asked(selected, column, (Question(terms, aggregated, aggregated, separate),))
    questions = []
    for name in plain.columns:
        if columns[name].bucketed is not None:
            terms, separate = decided.separated(name)
            if separate:
                questions.append(Question(terms, aggregated, name, True))
    return Asked(selected, column, tuple(questions) or (Question(plain, aggregated),))


def _named(name: str, columns: Mapping[str, Held]) -> Held:
    return conditions.resolve(name, columns, "original")


def _atoms(condition: Condition) -> Iterator[Atom]:
    if isinstance(condition, Atom):
        yield condition
    else:
        for part in condition.parts:
            yield from _atoms(part)


def _guessed(atoms: list[Atom], summed: bool) -> Domain:
    """The domain of a column of which only labels are known, by what it is compared with."""
    words = [word for atom in atoms for word in atom.words]
    if summed or any(not word.string and not word.boolean for word in words):
        return NUMBER
    return Domain("boolean") if any(word.boolean for word in words) else Domain("text")
