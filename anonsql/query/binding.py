"""Queries over the columns of a release: the domain of each column, and the values for which a
condition is true."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from anonsql.grammar.literals import SqlLiteral, UnsupportedError, value_of
from anonsql.labels.domains import Domain
from anonsql.labels.original_columns import OriginalColumn
from anonsql.query import value_sets, where
from anonsql.query.parse import Parsed, Selected
from anonsql.query.value_sets import ValueSet
from anonsql.query.where import Atom, Conjunction, JoinedCondition, conjunction

_NUMBER = Domain("decimal", unbounded=True)
_DECIMAL_DIGITS = 38
"""In DuckDB, a literal with more digits has double precision."""


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

    def name(self, text: str | None) -> str | None:
        """Return the name of a column as the release has it."""
        return None if text is None else _named(text, self.columns).name

    def condition(self, selected: Selected) -> Conjunction | None:
        """Return the condition on the rows of an aggregate: that of all rows, and its own; None
        where no row can satisfy it."""
        parts = tuple(part for part in (self.parsed.where, selected.where) if part is not None)
        both = JoinedCondition("AND", parts) if parts else None
        return conjunction(both, self._set_of, self.name(selected.column))

    def _set_of(self, atom: Atom) -> tuple[str, ValueSet]:
        """Return the column of a condition, and its values that satisfy it; raise UnsupportedError
        for literals that do not fit."""
        name = _named(atom.column, self.columns).name
        if atom.operator == "IS NULL":
            return name, value_sets.NULL
        domain = self.domains[name]
        points = [_point(literal, name, domain, self.rounded) for literal in atom.literals]
        if atom.operator == "LIKE":
            if domain.kind != "text":
                raise UnsupportedError(f"{name!r} is {domain.kind}, and LIKE needs text")
            return name, value_sets.beginning(str(points[0]))
        return name, value_sets.comparison(domain, atom.operator, points)


def bind(parsed: Parsed, columns: Mapping[str, OriginalColumn], rounded: bool = False) -> Bound:
    """Bind a query to the columns of a release; raise UnsupportedError for columns that do not
    fit."""
    by_column: dict[str, list[Atom]] = {}
    summed, valued = set[str](), set[str]()
    for atom in parsed.atoms:
        by_column.setdefault(_named(atom.column, columns).name, []).append(atom)
    for group in parsed.groups:
        by_column.setdefault(_named(group.column, columns).name, [])
    for selected in parsed.selected:
        if selected.column is not None:
            name = _named(selected.column, columns).name
            by_column.setdefault(name, [])
            valued |= set() if selected.counts else {name}
            summed |= {name} if selected.function in ("SUM", "AVG") else set()
    domains = {
        name: columns[name].domain or _guessed(atoms, name in valued)
        for name, atoms in by_column.items()
    }
    for name, domain in domains.items():
        if domain.kind == "other":
            raise UnsupportedError(f"{name!r} is of a type that cannot be compared")
        if name in summed and not domain.numeric:
            raise UnsupportedError(f"{name!r} is {domain.kind}, which cannot be summed")
        if name in valued and not (domain.numeric or domain.moments):
            raise UnsupportedError(
                f"{name!r} is {domain.kind}, and MIN and MAX need numbers or dates"
            )
    return Bound(parsed, columns, rounded, domains, frozenset(valued))


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
            f"{name!r} is of single precision, and {literal.text} is a literal of double"
            f" precision. Write it without an exponent, with at most {_DECIMAL_DIGITS} digits"
        )
    try:
        return domain.point(value)
    except OverflowError:
        raise UnsupportedError(
            f"a literal compared with {name!r} is beyond single precision"
        ) from None


def _named(name: str, columns: Mapping[str, OriginalColumn]) -> OriginalColumn:
    return where.resolve(name, columns, "original")


def _guessed(compared: Sequence[Atom], valued: bool) -> Domain:
    """Return the domain of a column with labels alone, guessed from the literals that it is
    compared with."""
    literals = [literal for atom in compared for literal in atom.literals]
    casts = {literal.cast for literal in literals if literal.cast is not None}
    if casts and not valued:
        return Domain("timestamp" if "timestamp" in casts else "date")
    if any(atom.operator == "LIKE" for atom in compared):
        return Domain("text")
    if valued or any(not literal.string and not literal.boolean for literal in literals):
        return _NUMBER
    return Domain("boolean") if any(literal.boolean for literal in literals) else Domain("text")
