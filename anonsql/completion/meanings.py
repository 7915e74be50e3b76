"""The values of a column's labels, label by label, where SQL does not work them out."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from anonsql.completion.atoms import Ranges, atoms_of
from anonsql.completion.columns import CompletedColumn
from anonsql.completion.lookups import Lookup
from anonsql.completion.weights import Labels, Occurring, evenly, likeliest
from anonsql.grammar.labels import elements_of, interval_of, open_interval_of, period_of
from anonsql.labels.domains import Domain, Span
from anonsql.labels.label_values import ONLY_NULL, Piece, is_exact, pieces, stretch
from anonsql.system.arrays import np

_FILLED = 100
"""The greatest number of texts for one mask."""


def lookup_of(
    column: CompletedColumn,
    read: Sequence[tuple[Any, ...]],
    sizes: Sequence[tuple[int, int, int]],
    *,
    even: bool,
    shown: Sequence[str] = (),
) -> Lookup:
    """Return the lookup of a column's values, by its labels (value, label, lo, hi, rows) in the
    order of their numbers, and the ``sizes`` of the classes that have them (value, rows of a class,
    how many classes). Values that are ``shown`` alone are atoms of their own."""
    domain = column.domain
    meant = [_meaning(column, label, lo, hi) for _, label, lo, hi, _ in read]
    if column.held.mask is not None and domain.kind == "text":
        meant = _filled([row[1] for row in read], meant, shown)
    tree = column.held.tree
    places = tree.places if tree is not None and domain.kind == "text" else {}
    occurring = [
        list(_occurring(column, row[1], own)) for row, own in zip(read, meant, strict=True)
    ]
    single = list(dict.fromkeys(span for spans in occurring for span in spans))
    known = {number: domain.read(text) for number, text in enumerate(shown)}
    alone = {n: stretch(domain, v, v) for n, v in known.items() if v is not None}
    spans = [*single, *alone.values()]
    atoms, found = atoms_of(domain, [*meant, *([Piece(span, None)] for span in spans)], places)
    ranges = found[: len(meant)]
    atom_of = {span: own[0][0] for span, own in zip(spans, found[len(meant) :], strict=True)}
    rows: dict[Ranges, int] = {}
    for own, row in zip(ranges, read, strict=True):
        rows[own] = rows.get(own, 0) + int(row[-1])
    ordered = sorted(rows)
    labels = Labels.of(ordered, (rows[own] for own in ordered))
    of_value = {
        row[0]: (own, spans) for row, own, spans in zip(read, ranges, occurring, strict=True)
    }
    token_of = {own: token for token, own in enumerate(ordered)}
    entries: dict[tuple[int, int, int], int] = {}
    for value, size, classes in sizes:
        own, spans = of_value[value]
        for span in spans:
            entry = (token_of[own], size, atom_of[span])
            entries[entry] = entries.get(entry, 0) + classes
    keys = np.asarray(list(entries), dtype=np.int64).reshape(-1, 3)
    counts = np.asarray(list(entries.values()), dtype=np.int64)
    occur = Occurring(keys[:, 0], keys[:, 1], counts, keys[:, 2])
    weights = evenly(atoms.width) if even else likeliest(atoms.width, labels, occur)
    numbered = [(row[0], own) for row, own in zip(read, ranges, strict=True)]
    placed = {number: atom_of[span] for number, span in alone.items()}
    return Lookup(atoms, weights, ordered, numbered, labels, occur, placed)


def _occurring(column: CompletedColumn, label: Any, meant: Sequence[Piece]) -> Iterator[Span]:
    """Yield the single values that occur in every class with a label: the least and the greatest of
    a range, and the elements of a set of values."""
    discrete, spans = column.domain.discrete, [piece.span for piece in meant if piece.span]
    elements = elements_of(label) if isinstance(label, str) else label
    known = [element for element in elements or () if element is not None]
    of_values = isinstance(elements, list | tuple) and len(known) == len(spans)
    for low, high in spans:
        if low is None or high is None:
            continue
        first = (low, (low[0] + 1, 0)) if discrete else (low, (low[0], 1))
        last = ((high[0] - 1, 0), high) if discrete else ((high[0], 0), high)
        if column.held.form == "range" and len(spans) == 1 and first != last:
            yield from (first, last)
        elif column.held.form == "set" and of_values and len(spans) > 1 and first == last:
            yield first


def _meaning(column: CompletedColumn, label: Any, lo: Any, hi: Any) -> tuple[Piece, ...]:
    """Return the values to draw for a label. If nothing in the release explains the label, a text
    stays unchanged, and all else is NULL, as is a value that cannot be computed with (infinite,
    before Christ)."""
    held, domain = column.held, column.domain
    if held.exact and isinstance(label, str) and label != "*" and domain.read(label) is None:
        return ONLY_NULL
    meant = pieces(held, domain, label, lo, hi)
    anything = any(piece.span == (None, None) for piece in meant)
    stretch_alone = len(meant) == 1 and not is_exact(domain, (Piece(meant[0].span, 1.0),))
    gaps = label != "*" and (anything or (held.form == "set" and stretch_alone))
    within = (meant[0].span if stretch_alone else None) or (None, None)
    if gaps and (ranges := _of_elements(domain, label, within)):
        return ranges
    if anything and label != "*":
        text = isinstance(label, str) and domain.kind == "text"
        return (Piece(((label, 0), (label, 1)), None),) if text else ONLY_NULL
    interval = interval_of(label) if isinstance(label, str) else None
    if interval is None or interval.closed:
        return meant
    end = domain.read(interval.high.strip())
    return tuple(_without(end, piece, discrete=domain.discrete) for piece in meant)


def _of_elements(domain: Domain, label: Any, within: Span) -> tuple[Piece, ...]:
    """Return the values of a set of values, intervals and periods, by the form of its elements;
    nothing where one element is not recognized. ``within`` is the stretch between the bounds of the
    set."""
    elements = elements_of(label) if isinstance(label, str) else label
    if elements is None or domain.kind in ("text", "boolean"):
        return ()
    made = [_of_element(domain, element, within) for element in elements]
    return tuple(piece for piece in made if piece) if all(made) else ()


def _of_element(domain: Domain, element: str | None, within: Span) -> Piece | None:
    if element is None:
        return ONLY_NULL[0]
    interval, period, value = interval_of(element), period_of(element), domain.read(element)
    if period is not None and (domain.kind == "timestamp" or (domain.moments and value is None)):
        low, high = domain.point(period[0]), domain.point(period[1]) + domain.day
        return Piece(stretch(domain, low, high, past=False), None)
    if value is not None:
        return Piece(stretch(domain, value, value), None)
    if interval is not None:
        low, high = domain.read(interval.low.strip()), domain.read(interval.high.strip())
        known = low is not None and high is not None
        return Piece(stretch(domain, low, high, interval.closed), None) if known else None
    low, high = (
        None if end is None else domain.read(end.strip())
        for end in open_interval_of(element) or (None, None)
    )
    if low is None and high is None:
        return None
    first, last = stretch(domain, low, high, past=False)
    return Piece((first or within[0], last or within[1]), None)


def _without(end: Any, piece: Piece, *, discrete: bool) -> Piece:
    """Return a stretch without its end, if that is the excluded end of ``[a,b)``."""
    low, high = piece.span or (None, None)
    if end is None or low is None or low[0] == end:
        return piece
    if high != ((end + 1, 0) if discrete else (end, 1)):
        return piece
    return Piece((low, (end, 0)), piece.weight)


def _filled(
    labels: Sequence[Any], meant: Sequence[Sequence[Piece]], shown: Sequence[str]
) -> list[tuple[Piece, ...]]:
    """Return the texts that masked labels hide: texts of other rows, or ``shown`` ones, where there
    are some; else the shown characters, with each ``*`` replaced by characters that labels have
    (any digits, where they have only digits), at most 100 texts a label."""
    texts_of_rows = {label for label in labels if isinstance(label, str) and "*" not in label}
    plain = sorted({*texts_of_rows, *shown})
    seen = {sign for label in labels if isinstance(label, str) for sign in label if sign != "*"}
    alphabet = "0123456789" if seen <= set("0123456789") else "".join(sorted(seen))
    made: list[tuple[Piece, ...]] = []
    for label, own in zip(labels, meant, strict=True):
        shown = label.strip("*") if isinstance(label, str) and label != "*" else "*"
        if "*" in shown or shown == label:
            made.append(tuple(own))
            continue
        texts = _fitting(plain, label, shown)
        if not texts:
            hidden = _hidden(alphabet, len(label) - len(shown))
            texts = [signs + shown if label.startswith("*") else shown + signs for signs in hidden]
        made.append(tuple(Piece(((text, 0), (text, 1)), None) for text in texts))
    return made


def _fitting(plain: list[str], label: str, shown: str) -> list[str]:
    """Return the texts that a mask hides; ``plain`` is in order."""
    if label.startswith("*") and shown:
        some = [text for text in plain if text.endswith(shown)]
    else:
        some = plain[bisect_left(plain, shown) : bisect_left(plain, shown + "\U0010ffff")]
    return [text for text in some if len(text) == len(label)]


def _hidden(alphabet: str, hidden: int) -> list[str]:
    """Return texts of some characters, at most 100 and evenly chosen."""
    free = 0
    while free < hidden and len(alphabet) ** (free + 1) <= _FILLED:
        free += 1
    if free == hidden:
        return ["".join(signs) for signs in product(alphabet, repeat=hidden)]
    rest = alphabet[0] * (hidden - free)
    return ["".join(signs) + rest for signs in product(alphabet, repeat=free)] or [rest]
