"""Sets of a column's values, as conditions describe them: stretches of an ordered domain, with NULL
or without."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from anonsql.labels.domains import Cut, Domain, Span


@dataclass(frozen=True)
class ValueSet:
    """A set of values of a domain. ``begins``: the least values are members; membership changes at
    every cut. ``null``: NULL is a member."""

    begins: bool
    cuts: tuple[Cut, ...]
    null: bool

    @property
    def spans(self) -> list[Span]:
        """The stretches of values that are members."""
        ends: list[Cut | None] = [*([None] if self.begins else []), *self.cuts]
        ends += [None] if len(ends) % 2 else []
        return list(zip(ends[::2], ends[1::2], strict=True))


ANY = ValueSet(True, (), True)
KNOWN = ValueSet(True, (), False)
NULL = ValueSet(False, (), True)
NONE = ValueSet(False, (), False)


def comparison(domain: Domain, operator: str, points: Sequence[Any]) -> ValueSet:
    """Return the values for which a comparison is true: ``=`` with one of the points, ``<>`` with
    all, ``<``, ``<=``, ``>``, ``>=``."""
    if operator in ("=", "<>"):
        spans: list[Span] = [(_before(domain, point), _after(domain, point)) for point in points]
        equal = of_spans(spans, null=False)
        values = equal if operator == "=" else but(equal)
    else:
        cut = _before(domain, points[0]) if operator in ("<", ">=") else _after(domain, points[0])
        values = ValueSet(operator in ("<", "<="), (cut,), False)
    return _possible(domain, values)


def beginning(text: str) -> ValueSet:
    """Return the texts that begin with another."""
    after = _next_text(text)
    return of_spans([((text, 0), None if after is None else (after, 0))], null=False)


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
        ValueSet(low is None, tuple(cut for cut in (low, high) if cut is not None), null)
        for low, high in spans
        if low is None or high is None or low < high
    ]
    return joined(sets, every=False) if sets else ValueSet(False, (), null)


def but(values: ValueSet) -> ValueSet:
    """Return all other values, without NULL."""
    return ValueSet(not values.begins, values.cuts, False)


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
    for values in sets:
        inside = values.begins
        for cut in values.cuts:
            inside = not inside
            changes[cut] = changes.get(cut, 0) + (1 if inside else -1)
    holding = sum(values.begins for values in sets)
    begins = inside = holding >= needed
    cuts = []
    for cut in sorted(changes):
        holding += changes[cut]
        if (holding >= needed) != inside:
            inside = not inside
            cuts.append(cut)
    return ValueSet(begins, tuple(cuts), sum(values.null for values in sets) >= needed)


def _before(domain: Domain, point: Any) -> Cut:
    return (math.ceil(point), 0) if domain.discrete else (point, 0)


def _after(domain: Domain, point: Any) -> Cut:
    return (math.floor(point) + 1, 0) if domain.discrete else (point, 1)
