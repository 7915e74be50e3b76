"""Queries over the columns of a release: each aggregate as one or more questions that statements
can answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from anonsql.grammar.literals import SqlLiteral, UnsupportedError, value_of
from anonsql.labels.domains import Domain
from anonsql.labels.original_columns import OriginalColumn
from anonsql.query import applied, value_sets, where
from anonsql.query.aggregates import Function, Selected
from anonsql.query.parse import Parsed
from anonsql.query.terms import DecidedTerm, Terms
from anonsql.query.value_sets import ValueSet
from anonsql.query.where import Atom, Condition, JoinedCondition

NUMBER = Domain("decimal", unbounded=True)
_DECIMAL_DIGITS = 38
"""In DuckDB, a literal with more digits has double precision."""


@dataclass(frozen=True)
class Question:
    """A question that statements answer: which rows satisfy a condition, divided into terms, and,
    where there is an ``aggregated`` column, what the ``function`` of its values is over these rows.
    ``pivot`` is the column by whose buckets rows are counted; ``separate``: the condition is one on
    the pivot AND one on the other columns."""

    terms: Terms
    aggregated: str | None = None
    pivot: str | None = None
    separate: bool = False
    function: Function = "COUNT"


@dataclass(frozen=True)
class BoundAggregate:
    """An aggregate of a query, and the questions whose answers bound it, one for each pivot; no
    question when no row can satisfy the condition. ``every``: it is over all rows. Its value
    belongs to ``domain`` where that is not numbers."""

    selected: Selected
    column: str | None
    questions: tuple[Question, ...]
    every: bool = False
    domain: Domain | None = None


Within = tuple[tuple[str, ValueSet], ...]
"""The values that define a group, by column."""


@dataclass(frozen=True)
class Bound:
    """A query over the columns of a release, the domains of the columns that it names, and which of
    these are ``valued``: their values are needed as numbers. ``rounded``: the engine rounds
    literals to single precision where it compares them with a column of single precision."""

    parsed: Parsed
    columns: Mapping[str, OriginalColumn]
    rounded: bool
    domains: Mapping[str, Domain]
    valued: frozenset[str]

    def aggregates(self, selected: Sequence[Selected], within: Within = ()) -> list[BoundAggregate]:
        """Return the aggregates with their questions, over all rows or ``within`` a group; raise
        UnsupportedError for conditions that fall into too many terms."""
        made, known = [], dict[tuple[str | None, Condition | None], DecidedTerm]()
        for entry in selected:
            column = None if entry.column is None else _named(entry.column, self.columns).name
            key = column, entry.where
            if key not in known:
                known[key] = DecidedTerm(self._condition(entry), self.set_of, column, within)
            made.append(_bound_aggregate(entry, column, known[key], self))
        return made

    def _condition(self, selected: Selected) -> Condition | None:
        """Return the condition of an aggregate: that of all rows, and its own."""
        parts = tuple(part for part in (self.parsed.where, selected.where) if part is not None)
        return JoinedCondition("AND", parts) if len(parts) > 1 else next(iter(parts), None)

    def set_of(self, atom: Atom) -> tuple[str, ValueSet]:
        """Return the column of a condition, and its values that satisfy it; raise UnsupportedError
        for literals that do not fit."""
        name = _named(atom.column, self.columns).name
        if atom.operator == "IS NULL":
            return name, value_sets.NULL
        domain = self.domains[name]
        if atom.applied:
            return name, applied.values(atom, name, domain)
        points = [_point(literal, name, domain, self.rounded) for literal in atom.literals]
        if atom.operator == "LIKE":
            if domain.kind != "text":
                raise UnsupportedError(f"{name!r} is {domain.kind}, and LIKE asks for text")
            return name, value_sets.beginning(str(points[0]))
        return name, value_sets.comparison(domain, atom.operator, points)


def bind(parsed: Parsed, columns: Mapping[str, OriginalColumn], rounded: bool = False) -> Bound:
    """Bind a query to the columns of a release; raise UnsupportedError for columns that do not
    fit."""
    used = list(parsed.atoms)
    summed, valued = set[str](), set[str]()
    for selected in parsed.selected:
        if selected.column is not None and not selected.counts:
            name = _named(selected.column, columns).name
            valued.add(name)
            if selected.function not in ("MIN", "MAX"):
                summed.add(name)
    used += [
        Atom(selected.column, "IS NULL")
        for selected in parsed.selected
        if selected.column is not None
    ]
    used += [
        Atom(group.column, "IS NULL", applied="YEAR" if group.year else "")
        for group in parsed.groups
    ]
    by_column: dict[str, tuple[OriginalColumn, list[Atom]]] = {}
    for atom in used:
        held = _named(atom.column, columns)
        by_column.setdefault(held.name, (held, []))[1].append(atom)
    domains = {
        name: held.domain or _guessed(own, name in valued)
        for name, (held, own) in by_column.items()
    }
    for name, domain in domains.items():
        if domain.kind == "other":
            raise UnsupportedError(f"{name!r} is of a type that cannot be compared")
        if name in summed and not domain.numeric:
            raise UnsupportedError(f"{name!r} is {domain.kind}, which cannot be summed")
        if name in valued and not (domain.numeric or domain.moments):
            raise UnsupportedError(
                f"{name!r} is {domain.kind}: MIN and MAX are of numbers and dates"
            )
        if any(atom.applied == "YEAR" for atom in by_column[name][1]) and not domain.moments:
            raise UnsupportedError(f"{name!r} is {domain.kind}, which has no year")
    return Bound(parsed, columns, rounded, domains, frozenset(valued))


def _bound_aggregate(
    selected: Selected, column: str | None, decided: DecidedTerm, bound: Bound
) -> BoundAggregate:
    """Return an aggregate with its questions. The pivot is the aggregated column where that is
    released by buckets; else each column released by buckets is the pivot of a question, if its
    condition is joined to the others by AND."""
    columns, function = bound.columns, selected.function
    aggregated = column if function != "COUNT" else None
    plain = decided.terms(aggregated)
    domain = None
    if column is not None and not selected.counts and bound.domains[column].moments:
        domain = bound.domains[column]
    if not plain.terms:
        return BoundAggregate(selected, column, ())
    if not plain.columns:
        return BoundAggregate(selected, column, (), every=True)
    if aggregated is not None and columns[aggregated].bucketed is not None:
        terms, separate = decided.separated(aggregated)
        question = Question(terms, aggregated, aggregated, separate, function)
        return BoundAggregate(selected, column, (question,), domain=domain)
    questions = []
    for name in plain.columns:
        if columns[name].bucketed is not None:
            terms, separate = decided.separated(name)
            if separate:
                questions.append(Question(terms, aggregated, name, True, function))
    plainly = Question(plain, aggregated, function=function)
    return BoundAggregate(selected, column, tuple(questions) or (plainly,), domain=domain)


def _point(literal: SqlLiteral, name: str, domain: Domain, rounded: bool) -> object:
    """Return a literal as a value of a column's domain; raise UnsupportedError when it is not
    one."""
    value = value_of(literal, name, domain.kind, None if domain.unbounded else domain.scale)
    if not domain.single:
        return domain.point(value)
    if not rounded:
        return replace(domain, single=False).point(value)
    if not literal.string and (
        "e" in literal.text.lower() or sum(map(str.isdigit, literal.text)) > _DECIMAL_DIGITS
    ):
        raise UnsupportedError(
            f"{name!r} is of single precision, and {literal.text} is a literal of double precision."
            f" Write it without an exponent, in {_DECIMAL_DIGITS} digits at most"
        )
    try:
        return domain.point(value)
    except OverflowError:
        raise UnsupportedError(
            f"a literal compared with {name!r} is beyond single precision"
        ) from None


def _named(name: str, columns: Mapping[str, OriginalColumn]) -> OriginalColumn:
    return where.resolve(name, columns, "original")


def _guessed(compared: list[Atom], summed: bool) -> Domain:
    """Return the domain of a column of which only labels are known, guessed from the literals that
    it is compared with."""
    literals = [literal for atom in compared for literal in atom.literals]
    casts = {literal.cast for literal in literals if literal.cast is not None}
    if casts and not summed:
        return Domain("timestamp" if "timestamp" in casts else "date")
    if any(atom.applied == "YEAR" for atom in compared):
        return Domain("date")
    if any(atom.applied or atom.operator == "LIKE" for atom in compared):
        return Domain("text")
    if summed or any(not literal.string and not literal.boolean for literal in literals):
        return NUMBER
    return Domain("boolean") if any(literal.boolean for literal in literals) else Domain("text")
