"""A condition over several columns as disjoint terms, each a set of values for every column.

The condition is decided column by column, as in a decision diagram: the values of a column fall
into sections that all its conditions treat alike, and what is left to decide differs from section
to section. Every path that ends in TRUE is a term. Truth is SQL's: negations are moved down to
single conditions first, and the only condition that is true of NULL is IS NULL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from anonsql.grammar.literals import UnsupportedError
from anonsql.query import value_sets
from anonsql.query.value_sets import Section, ValueSet
from anonsql.query.where import Atom, Condition

MOST_TERMS = 256
MOST_SETS = 128

Leaf = tuple[str, int]
"""A single condition: the column, and the number of its set of values among the column's sets."""
Normal = tuple[str, "ValueSet | list[Normal]"]
"""A condition without NOT: a column and its values, or ("AND" or "OR", parts), of which no two are
of the same column."""
Expression = bool | Leaf | tuple[str, frozenset["Expression"]]
"""TRUE, FALSE, a leaf, or ("AND" or "OR", parts)."""


@dataclass(frozen=True)
class Terms:
    """Disjoint terms: ``sections`` of every column by key, and for each term the keys of those that
    it allows, by column; a column that a term does not name may have any value."""

    sections: Mapping[str, Mapping[tuple[bool, ...], Section]]
    terms: tuple[Mapping[str, frozenset[tuple[bool, ...]]], ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that any term names."""
        return tuple(sorted({name for term in self.terms for name in term}))


class DecidedTerm:
    """A condition with its sets of values, to be divided into terms."""

    def __init__(
        self,
        condition: Condition | None,
        set_of: Callable[[Atom], tuple[str, ValueSet]],
        known: str | None = None,
        within: Sequence[tuple[str, ValueSet]] = (),
    ) -> None:
        """``set_of`` returns an atom's column and values; ``known`` is a column that must not be
        NULL either, ``within`` are columns with the values that they must have as well."""
        self._sets: dict[str, list[ValueSet]] = {}
        parts = [_normal(condition, set_of, False)] if condition is not None else []
        parts += [(known, value_sets.KNOWN)] if known is not None else []
        parts += within
        self.expression = self._expression(_together("AND", parts)) if parts else True
        self.sections = {name: value_sets.sections(sets) for name, sets in self._sets.items()}

    def _leaf(self, name: str, values: ValueSet) -> Leaf:
        sets = self._sets.setdefault(name, [])
        if values not in sets:
            sets.append(values)
        if len(sets) > MOST_SETS:
            raise UnsupportedError(f"the WHERE asks {name!r} in more than {MOST_SETS} places")
        return name, sets.index(values)

    def _expression(self, normal: Normal) -> Expression:
        kind, what = normal
        return (
            self._leaf(kind, what)
            if isinstance(what, ValueSet)
            else _joined(kind, [self._expression(part) for part in what])
        )

    def separated(self, pivot: str) -> tuple[Terms, bool]:
        """Return the terms, the pivot's column decided first, and whether the condition is one on
        the pivot AND one on the rest."""
        left = self._after(self.expression, pivot) if pivot in self.sections else {}
        return self.terms(pivot), len([bool_ for bool_ in left if bool_ is not False]) == 1

    def terms(self, first: str | None = None) -> Terms:
        """Return the disjoint terms; raise UnsupportedError when there are too many."""
        order = sorted(
            self.sections, key=lambda name: (name != first, len(self.sections[name]), name)
        )
        results = []
        for term in self._paths(self.expression, order):
            results.append(term)
            if len(results) > MOST_TERMS:
                raise UnsupportedError(
                    f"the WHERE falls into more than {MOST_TERMS} disjoint terms"
                )
        return Terms(self.sections, tuple(results))

    def _paths(
        self, expression: Expression, order: Sequence[str]
    ) -> Iterator[dict[str, frozenset[tuple[bool, ...]]]]:
        if expression is True:
            yield {}
        elif expression is not False:
            name, rest = order[0], order[1:]
            left = self._after(expression, name)
            for remaining, keys in left.items():
                for term in self._paths(remaining, rest):
                    yield term if len(left) == 1 else {name: frozenset(keys), **term}

    def _after(self, expression: Expression, name: str) -> dict[Expression, list[tuple[bool, ...]]]:
        """Return the expressions that are left to decide once a column's value is known, each with
        the keys of the sections for which it is."""
        expressions: dict[Expression, list[tuple[bool, ...]]] = {}
        for key, section in self.sections[name].items():
            if section.spans or section.null:
                expressions.setdefault(_decide(expression, name, key), []).append(key)
        return expressions


def _normal(
    condition: Condition, set_of: Callable[[Atom], tuple[str, ValueSet]], denied: bool
) -> Normal:
    """Return a condition, or its negation, without NOT."""
    if isinstance(condition, Atom):
        name, values = set_of(condition)
        if denied:
            values = (
                value_sets.KNOWN
                if condition.operator == "IS NULL"
                else ValueSet(not values.begins, values.cuts, False)
            )
        return name, values
    if condition.by == "NOT":
        return _normal(condition.parts[0], set_of, not denied)
    if condition.by == "IS TRUE":
        true = _normal(condition.parts[0], set_of, False)
        return _other(true) if denied else true
    by = condition.by if not denied else "OR" if condition.by == "AND" else "AND"
    return _together(by, [_normal(part, set_of, denied) for part in condition.parts])


def _other(normal: Normal) -> Normal:
    """Return the condition that is true wherever another is not true: unknown or false."""
    kind, what = normal
    if isinstance(what, ValueSet):
        return kind, ValueSet(not what.begins, what.cuts, not what.null)
    return _together("OR" if kind == "AND" else "AND", [_other(part) for part in what])


def _together(by: str, parts: Sequence[Normal]) -> Normal:
    """Return conditions joined by AND or OR, with those on one column merged."""
    own: dict[str, list[ValueSet]] = {}
    others: list[Normal] = []
    waiting = list(reversed(parts))
    while waiting:
        kind, what = waiting.pop()
        if isinstance(what, ValueSet):
            own.setdefault(kind, []).append(what)
        elif kind == by:
            waiting += reversed(what)
        else:
            others.append((kind, what))
    leaves: list[Normal] = [
        (name, value_sets.joined(sets, by == "AND")) for name, sets in own.items()
    ]
    return leaves[0] if len(leaves) == 1 and not others else (by, leaves + others)


def _decide(expression: Expression, name: str, key: tuple[bool, ...]) -> Expression:
    """Return an expression simplified by the section that a column's value is in: which of the
    column's sets hold it."""
    if isinstance(expression, bool):
        return expression
    kind, what = expression
    if isinstance(what, int):
        return key[what] if kind == name else (kind, what)
    return _joined(kind, [_decide(part, name, key) for part in what])


def _joined(by: str, parts: Sequence[Expression]) -> Expression:
    """Return parts joined by AND or OR, simplified: a part of the same kind is replaced by its
    parts."""
    neutral = by == "AND"
    result: set[Expression] = set()
    for part in parts:
        if isinstance(part, bool):
            if part is not neutral:
                return part
        elif part[0] == by and isinstance(part[1], frozenset):
            result |= part[1]
        else:
            result.add(part)
    if len(result) == 1:
        return next(iter(result))
    return (by, frozenset(result)) if result else neutral
