"""The values of a released label: pieces of the column's domain, each with a weight.

The original value is certainly in one of the label's pieces. Where it is known how a label was
made, the weight of a piece is the probability that it contains the value, values being equally
likely; else the weight is None, and nothing is certain.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from anonsql.grammar.labels import (
    Label,
    beginning_of,
    elements_of,
    interval_of,
    names_of,
    open_interval_of,
)
from anonsql.grammar.literals import day
from anonsql.labels.domains import Domain, Span
from anonsql.labels.original_columns import OriginalColumn, Tree

_LAST = "\U0010ffff"
_ENDS = ("interval", "range", "numbers")
"""The forms of labels that show the ends of an interval of numbers or dates."""


@dataclass(frozen=True)
class Piece:
    """A piece of a label's values: NULL (``span`` None) or a stretch of the domain."""

    span: Span | None
    weight: float | None


MANY = 1_000
"""The greatest number of exact values by which unknown ones are weighed."""
ANYTHING = (Piece((None, None), None), Piece(None, None))
ONLY_NULL = (Piece(None, 1.0),)


def pieces(
    held: OriginalColumn, domain: Domain, label: Label, lo: Any, hi: Any
) -> tuple[Piece, ...]:
    """Return the pieces of a released value, its label with its bounds as the engine gives them."""
    if label is None:
        return ONLY_NULL
    rows: list[Any] = []
    if held.form == "set":
        rows = _of_set(held, domain, label, lo, hi)
    elif isinstance(label, str) and held.form in ("names", "texts") and label != "*":
        rows = _of_names(held, domain, label)
    elif (
        isinstance(label, str)
        and held.tree is not None
        and held.form not in _ENDS
        and not held.exact
    ):
        rows = _within(domain, _leaves(domain, held.tree, label, held.level), lo, hi)
    if not rows and label == "*" and held.tree is not None and held.starred:
        leaves = _within(domain, _leaves(domain, held.tree, held.tree.top, None), lo, hi)
        rows = [Piece(point.span, None) for point in _points(domain, leaves)]
    if rows:
        return tuple(rows) if isinstance(rows[0], Piece) else _points(domain, rows)
    if lo is not None or hi is not None:
        return (_range(held, domain, label, lo, hi),)
    if not isinstance(label, str) or (label == "*" and not (held.exact and not held.masked)):
        return ANYTHING
    if held.exact:
        value = domain.read(label)
        return ANYTHING if value is None else _points(domain, [value])
    return _by_looks(held, domain, label)


def is_exact(domain: Domain, pieces: Sequence[Piece]) -> bool:
    """Return whether the pieces show that a released value is the original one."""
    if len(pieces) != 1 or pieces[0].weight != 1.0:
        return False
    if pieces[0].span is None:
        return True
    low, high = pieces[0].span
    if low is None or high is None:
        return False
    return bool(high[0] - low[0] == 1 if domain.discrete else high[0] == low[0])


def exactly(domain: Domain, value: Any) -> Piece:
    """Return the piece of a single value, as an engine returns it, that is not generalized."""
    point = _point(domain, value)
    return ONLY_NULL[0] if point is None else _points(domain, [point])[0]


def weighed_by(exact: Sequence[tuple[Piece, int]], pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """Return pieces of unknown weights, weighed by the values that other rows have exactly
    (``exact``, with their numbers of rows): a piece is as likely as the exact values in it are
    frequent. The values that are possible stay the same, so that nothing becomes certain."""
    if all(piece.weight is not None for piece in pieces) or len(exact) > MANY:
        return pieces
    within = [
        (piece, rows)
        for piece, rows in exact
        if any(_lies_in(piece.span, other.span) for other in pieces)
    ]
    total = sum(rows for _, rows in within)
    if not total:
        return pieces
    return (
        *(Piece(piece.span, rows / total) for piece, rows in within),
        *(Piece(piece.span, 0.0) for piece in pieces),
    )


def evenly(domain: Domain, pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """Return single values of unknown weights with equal weights; NULL may be among them. Pieces
    that are not single values stay as they are."""
    points = [piece for piece in pieces if piece.span is not None]
    if any(
        point.weight is not None or not is_exact(domain, (Piece(point.span, 1.0),))
        for point in points
    ):
        return pieces
    return tuple(
        Piece(piece.span, 1 / len(points) if piece.span is not None else 0.0) for piece in pieces
    )


def _lies_in(span: Span | None, other: Span | None) -> bool:
    if span is None or other is None:
        return span is other
    (low, high), (first, last) = span, other
    return (first is None or (low is not None and low >= first)) and (
        last is None or (high is not None and high <= last)
    )


def _points(domain: Domain, values: Iterable[Any]) -> tuple[Piece, ...]:
    """Return the pieces of equally likely values; None is NULL, and :data:`_MAYBE` a NULL that may
    not occur."""
    each_once = list(dict.fromkeys(values))
    known = [value for value in each_once if value is not _MAYBE]
    made = [
        Piece(None if value is None else stretch(domain, value, value), 1 / len(known))
        for value in known
    ]
    return (
        (*made, Piece(None, 0.0))
        if len(known) < len(each_once) and None not in known
        else tuple(made)
    )


_MAYBE = object()
"""NULL under the label of the top, which includes it only where the data has NULLs."""


def stretch(domain: Domain, low: Any, high: Any, past: bool = True) -> Span:
    """Return the stretch from one value to another, which is included, or excluded where not
    ``past``."""
    if domain.discrete:
        return (
            None if low is None else (low, 0),
            None if high is None else (high + 1 if past else high, 0),
        )
    return (None if low is None else (low, 0), None if high is None else (high, 1 if past else 0))


def _point(domain: Domain, value: Any) -> Any:
    """Return a bound as a value of the domain; None for one that is infinite or NaN."""
    if value is None or (isinstance(value, float | Decimal) and not math.isfinite(value)):
        return None
    if isinstance(value, str) and domain.moments:  # SQLite has them as text
        return domain.read(value)
    return domain.point(value)


def _range(held: OriginalColumn, domain: Domain, label: Label, lo: Any, hi: Any) -> Piece:
    """Return the stretch between bounds; a bound of a type finer than the domain's is moved
    inside."""
    low, high = _point(domain, lo), _point(domain, hi)
    if domain.discrete:
        low = None if low is None else math.ceil(low)
        high = None if high is None else math.floor(high)
    end = _excluded_end(label) if held.half_open and isinstance(label, str) else None
    past = not (end is not None and low != high and high is not None and domain.read(end) == high)
    return Piece(stretch(domain, low, high, past), None if low is None or high is None else 1.0)


def _excluded_end(label: str) -> str | None:
    """Return the text of the upper end that a label shows and its interval does not have."""
    interval, ends = interval_of(label), open_interval_of(label)
    if interval is not None:
        return None if interval.closed else interval.high
    return ends[1] if ends is not None else None


def _within(domain: Domain, values: Sequence[Any], lo: Any, hi: Any) -> list[Any]:
    low, high = _point(domain, lo), _point(domain, hi)
    if low is None and high is None:
        return list(values)
    known = [value for value in values if value is not None and value is not _MAYBE]
    return [
        value
        for value in known
        if (low is None or value >= low) and (high is None or value <= high)
    ]


def _leaves(domain: Domain, tree: Tree, label: str | None, level: int | None) -> list[Any]:
    levels = (
        tree.by_label if level is None or level >= len(tree.by_label) else [tree.by_label[level]]
    )
    words = [word for mapping in levels for word in mapping.get(label, ())]
    values = [None if word is None else domain.read(word) for word in words]
    kept = [
        value
        for word, value in zip(words, values, strict=True)
        if word is None or value is not None
    ]
    return [*kept, _MAYBE] if kept and label == tree.top else kept


def _of_set(held: OriginalColumn, domain: Domain, label: Label, lo: Any, hi: Any) -> list[Any]:
    """Return the values that a set may have been made from; none where that is not known."""
    if label == "*" or label is None:
        return []
    itself = (
        isinstance(label, str)
        and held.tree is not None
        and bool(_leaves(domain, held.tree, label, held.least))
    )
    parsed = elements_of(label) if isinstance(label, str) and not itself else label
    elements: list[str | None] = (
        [label] if isinstance(label, str) and (parsed is None or itself) else list(parsed or [])
    )
    rows: list[Any] = []
    for element in elements:
        if element is None:
            rows.append(None)
            continue
        below = _leaves(domain, held.tree, element, held.least) if held.tree is not None else []
        exact = not below and held.least == 0 and not _is_day(domain, element)
        value = domain.read(element) if exact else None
        if not below and value is None:
            return []
        rows += below or [value]
    low, high = _point(domain, lo), _point(domain, hi)
    values = [value for value in rows if value is not None and value is not _MAYBE]
    if (
        low is not None
        and high is not None
        and held.tree is None
        and (min(values) != low or max(values) != high)
    ):
        return []  # its elements are labels that look like values
    return rows


def _is_day(domain: Domain, element: str) -> bool:
    return domain.kind == "timestamp" and day(element) is not None


def _of_names(held: OriginalColumn, domain: Domain, label: str) -> list[Any]:
    """Return the values between two names in the order of the hierarchy, for every way to split the
    label into two names."""
    pairs = names_of(label)
    if held.tree is None:
        if not pairs:
            return [label] if domain.kind == "text" else []
        if domain.kind != "text" or not (held.with_policy or held.form == "texts"):
            return []
        return [Piece(stretch(domain, low, high), None) for low, high in pairs if low <= high]
    order = held.tree.places
    names = [label] if label in order else []
    for first, last in pairs:
        if first in order and last in order:
            names += held.tree.ordered[order[first] : order[last] + 1]
    values = [domain.read(word) for word in names]
    return [value for value in values if value is not None]


def _by_looks(held: OriginalColumn, domain: Domain, label: str) -> tuple[Piece, ...]:
    """Return the pieces of a label without bounds, by the stated looks of labels."""
    interval = interval_of(label)
    ranged = held.form in ("range", "numbers")
    if held.half_open and (ends := open_interval_of(label)) is not None:
        low, high = (None if end is None else domain.read(end) for end in ends)
        if low is not None or high is not None:
            return (Piece(stretch(domain, low, high, past=False), None),)
    if held.half_open or (domain.numeric and ranged):
        if interval is not None:
            low, high = domain.read(interval.low.strip()), domain.read(interval.high.strip())
            if low is not None and high is not None:
                return (Piece(stretch(domain, low, high, interval.closed), 1.0),)
        elif (value := domain.read(label)) is not None:
            return _points(domain, [value])
    if held.mask is not None:
        return _masked(domain, label, held.mask)
    return ANYTHING


def _masked(domain: Domain, label: str, side: str) -> tuple[Piece, ...]:
    """Return the pieces of a masked text: the texts with its beginning, where that is what the mask
    leaves."""
    if "*" not in label:
        value = domain.read(label)
        return ANYTHING if value is None else _points(domain, [value])
    left = beginning_of(label)
    if side != "right" or left is None:
        return ANYTHING
    prefix, hidden = left
    if domain.kind == "text":
        return (Piece(stretch(domain, prefix, prefix + _LAST * hidden), None),)
    if not domain.numeric or not re.fullmatch(r"-?[1-9][0-9]*", prefix):
        return ANYTHING
    ends = sorted((int(prefix + "0" * hidden), int(prefix + "9" * hidden)))
    return (Piece(stretch(domain, *(domain.point(end) for end in ends)), 1.0),)
