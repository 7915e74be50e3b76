"""Queries over the columns of a release: each aggregate as one or more questions that statements can answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from anonsql.answering import value_sets, where
from anonsql.answering.columns import Held
from anonsql.answering.parse import Parsed, Selected
from anonsql.answering.terms import Decided, Terms
from anonsql.answering.value_sets import Domain, ValueSet
from anonsql.answering.where import Atom, Condition, UnsupportedError, Written

NUMBER = Domain("decimal", unbounded=True)
_DECIMAL_DIGITS = 38
"""More digits make a literal one of double precision in DuckDB."""


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


def bind(parsed: Parsed, columns: Mapping[str, Held], rounded: bool = False) -> Bound:
    """A query over the columns of a release; ``rounded`` whether its engine rounds literals to single precision where it compares
    them with a column of that. Raises UnsupportedError for columns and literals that do not fit."""
    atoms = list(_atoms(parsed.where)) if parsed.where is not None else []
    summed = {
        _named(each.column, columns).name
        for each in parsed.selected
        if each.column is not None and each.function != "COUNT"
    }
    named = [(_named(atom.column, columns), atom) for atom in atoms]
    named += [
        (_named(each.column, columns), Atom(each.column, "IS NULL"))
        for each in parsed.selected
        if each.column is not None
    ]
    by_column: dict[str, tuple[Held, list[Atom]]] = {}
    for held, atom in named:
        by_column.setdefault(held.name, (held, []))[1].append(atom)
    domains = {
        name: held.domain or _guessed(own, name in summed)
        for name, (held, own) in by_column.items()
    }
    for name in summed:
        if not domains[name].numeric:
            raise UnsupportedError(f"{name!r} is {domains[name].kind}, which cannot be summed")
    for name, domain in domains.items():
        if domain.kind == "other":
            raise UnsupportedError(f"{name!r} is of a type that cannot be compared")

    def set_of(atom: Atom) -> tuple[str, ValueSet]:
        name = _named(atom.column, columns).name
        if atom.operator == "IS NULL":
            return name, value_sets.NULL
        domain = domains[name]
        return name, value_sets.comparison(
            domain, atom.operator, [_point(word, name, domain, rounded) for word in atom.words]
        )

    asked = []
    for selected in parsed.selected:
        column = None if selected.column is None else _named(selected.column, columns).name
        asked.append(_asked(selected, column, Decided(parsed.where, set_of, column), columns))
    return Bound(tuple(asked), domains)


def _asked(
    selected: Selected, column: str | None, decided: Decided, columns: Mapping[str, Held]
) -> Asked:
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


def _point(word: Written, name: str, domain: Domain, rounded: bool) -> object:
    """A literal as a value of a column's domain; raises UnsupportedError when it is none."""
    value = where.value_of(word, name, domain.kind, None if domain.unbounded else domain.scale)
    if not domain.single:
        return domain.point(value)
    if not rounded:
        return replace(domain, single=False).point(value)
    if not word.string and (
        "e" in word.text.lower() or sum(map(str.isdigit, word.text)) > _DECIMAL_DIGITS
    ):
        raise UnsupportedError(
            f"{name!r} is of single precision, and {word.text} is a literal of double precision. Write it without an exponent, in "
            f"{_DECIMAL_DIGITS} digits at most"
        )
    try:
        return domain.point(value)
    except OverflowError:
        raise UnsupportedError(
            f"a literal compared with {name!r} is beyond single precision"
        ) from None


def _named(name: str, columns: Mapping[str, Held]) -> Held:
    return where.resolve(name, columns, "original")


def _atoms(condition: Condition) -> Iterator[Atom]:
    if isinstance(condition, Atom):
        yield condition
    else:
        for part in condition.parts:
            yield from _atoms(part)


def _guessed(atoms: list[Atom], summed: bool) -> Domain:
    """The domain of a column of which only labels are known, by what it is compared with."""
    words = [word for atom in atoms for word in atom.words]
    casts = {word.cast for word in words if word.cast is not None}
    if casts and not summed:
        return Domain("timestamp" if "timestamp" in casts else "date")
    if summed or any(not word.string and not word.boolean for word in words):
        return NUMBER
    return Domain("boolean") if any(word.boolean for word in words) else Domain("text")
