"""Sets of a column's values, as conditions describe them: stretches of an ordered domain, with NULL
or without."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from anonsql.labels.domains import Cut, Domain, Span


@dataclass(frozen=True)
class ValueSet:
    """A set of values of a domain. Whether the least values are members, ``begins`` says;
    membership changes at every cut. ``null``: NULL is a member."""

    begins: bool
    cuts: tuple[Cut, ...]
    null: bool


ANY = ValueSet(True, (), True)
KNOWN = ValueSet(True, (), False)
NULL = ValueSet(False, (), True)


def comparison(domain: Domain, operator: str, points: Sequence[Any]) -> ValueSet:
    """Return the values of which a comparison is true: ``=`` with one of the points, ``<>`` with
    all, ``<``, ``<=``, ``>``, ``>=``."""
    if operator in ("=", "<>"):
        stretches = sorted(
            {
                row
                for row in ((_before(domain, p), _after(domain, p)) for p in points)
                if row[0] < row[1]
            }
        )
        cuts: list[Cut] = []
        for first, last in stretches:
            if cuts and cuts[-1] == first:
                cuts[-1] = last
            else:
                cuts += [first, last]
        return _possible(domain, ValueSet(operator == "<>", tuple(cuts), False))
    cut = _before(domain, points[0]) if operator in ("<", ">=") else _after(domain, points[0])
    return _possible(domain, ValueSet(operator in ("<", "<="), (cut,), False))


def beginning(text: str) -> ValueSet:
    """Return the texts that begin with another."""
    after = _next_text(text)
    cuts: list[Cut] = [(text, 0)] if text else []
    return ValueSet(not text, tuple(cuts if after is None else [*cuts, (after, 0)]), False)


def _next_text(text: str) -> str | None:
    """Return the first text, by code points, after all that begin with ``text``; None where there
    is none."""
    for position in range(len(text) - 1, -1, -1):
        if (code := ord(text[position])) < sys.maxunicode:
            return text[:position] + chr(0xE000 if code + 1 == 0xD800 else code + 1)
    return None


def of_spans(spans: Sequence[Span], null: bool) -> ValueSet:
    """Return the values in some stretches."""
    sets = [
        ValueSet(low is None, tuple(cut for cut in (low, high) if cut is not None), False)
        for low, high in spans
    ]
    value_set = joined(sets, False) if sets else ValueSet(False, (), False)
    return ValueSet(value_set.begins, value_set.cuts, null)


def _possible(domain: Domain, values: ValueSet) -> ValueSet:
    """Return the same values without cuts that have no value on one side: nothing is less than
    FALSE or greater than TRUE."""
    if domain.kind != "boolean":
        return values
    before = [cut for cut in values.cuts if cut[0] <= 0]
    return ValueSet(
        values.begins != (len(before) % 2 == 1),
        tuple(cut for cut in values.cuts if cut[0] == 1),
        values.null,
    )


def joined(sets: Sequence[ValueSet], every: bool) -> ValueSet:
    """Return the values that ``every`` one of the sets holds, or any."""
    needed = len(sets) if every else 1
    changes: dict[Cut, int] = {}
    for set_ in sets:
        inside = set_.begins
        for cut in set_.cuts:
            inside = not inside
            changes[cut] = changes.get(cut, 0) + (1 if inside else -1)
    holding = sum(set_.begins for set_ in sets)
    begins = inside = holding >= needed
    cuts = []
    for cut in sorted(changes):
        holding += changes[cut]
        if (holding >= needed) != inside:
            inside = not inside
            cuts.append(cut)
    return ValueSet(begins, tuple(cuts), sum(set_.null for set_ in sets) >= needed)


def _before(domain: Domain, point: Any) -> Cut:
    return (math.ceil(point), 0) if domain.discrete else (point, 0)


def _after(domain: Domain, point: Any) -> Cut:
    return (math.floor(point) + 1, 0) if domain.discrete else (point, 1)


@dataclass(frozen=True)
class Section:
    """A part of a column's domain whose values all conditions of a query treat alike."""

    spans: tuple[Span, ...]
    null: bool


def sections(sets: Sequence[ValueSet]) -> dict[tuple[bool, ...], Section]:
    """Return the coarsest division of a domain in which every set is a union of sections; a
    section's key says which sets hold it."""
    cuts: list[Cut | None] = [None, *sorted({cut for set_ in sets for cut in set_.cuts}), None]
    changes = [set(set_.cuts) for set_ in sets]
    inside = [set_.begins for set_ in sets]
    spans: dict[tuple[bool, ...], list[Span]] = {}
    for first, last in pairwise(cuts):
        if first is not None:
            inside = [now != (first in ends) for now, ends in zip(inside, changes, strict=True)]
        stretches = spans.setdefault(tuple(inside), [])
        if stretches and stretches[-1][1] == first and first is not None:
            stretches[-1] = (stretches[-1][0], last)
        else:
            stretches.append((first, last))
    of_null = tuple(set_.null for set_ in sets)
    spans.setdefault(of_null, [])
    return {key: Section(tuple(stretches), key == of_null) for key, stretches in spans.items()}
