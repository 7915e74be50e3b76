"""Making a completed table by SQL, on the engine that has the release.

Each label of a column stands for ranges of atoms (:mod:`anonsql.completion.atoms`), and every atom
has a weight (:mod:`anonsql.completion.weights`), in whole numbers that add up to 2**50 at most. A
row draws a whole number below the weight of all that its label stands for; ranges and atoms,
looked up by it, tell the value. The number is a hash of the release's seed, the number of the draw,
the row's labels and its position among the rows with the same labels: whoever has the release draws
the same.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from anonsql.completion import lookups as lookup_tables
from anonsql.completion.atoms import Ranges, atoms_of
from anonsql.completion.columns import (
    CompletedColumn,
    completed_columns,
    draw_name,
    names_of,
)
from anonsql.completion.lookups import Lookup
from anonsql.completion.weights import evenly, likeliest
from anonsql.engines.base import Column, Engine, Relation, ReleaseTables
from anonsql.grammar.labels import interval_of
from anonsql.labels.label_values import ONLY_NULL, Piece, pieces
from anonsql.policy.methods import traits
from anonsql.policy.release_parts import COMPLETED

SEED = "anonsql"
"""The seed where nobody names one: everybody who reads a release reads the same values."""
MADE = 5
"""How many draws are made where nobody says how many."""
_AT_ONCE = 12
"""The number of columns whose values one statement draws: engines join 61 tables at most."""
_FILLED = 100
"""The greatest number of texts that stand for one mask."""


@dataclass(frozen=True)
class Drawn:
    """A completed table as scratch: its ``columns``, and the ``parameters`` of the template
    ``completion/completed``, which returns it as it is published: ``drawn`` of them is the scratch
    table, with a column ``v<index>`` for each of the columns. ``lookups`` are what the values of
    labels are looked up in, by the index of their column."""

    columns: Sequence[CompletedColumn]
    parameters: Mapping[str, Any]
    lookups: Mapping[int, Lookup]

    @property
    def titles(self) -> list[Column]:
        """The columns as they are published."""
        return names_of(self.columns)

    def drop(self, engine: Engine) -> None:
        """Remove the scratch tables that are as large as the release."""
        engine.drop(self.parameters["drawn"])
        for column in self.parameters["buckets"]:
            engine.drop(f"completed_bucket_{column.index}")


def draw(
    located: ReleaseTables,
    about: Mapping[str, str],
    *,
    draws: int,
    seed: str,
    types: Mapping[str, Column] | None = None,
) -> Drawn:
    """Draw the completed table of a release into scratch tables of its engine, all of whose names
    begin with ``completed_``. ``types`` are columns with the types of the source; without, those of
    the completed table that the release has. Nothing but the tables of the release is read."""
    engine = located.engine
    published = located.extras.get(COMPLETED)
    if types is None and published is not None:
        types = {column.name: column for column in engine.columns(published)}
    columns = completed_columns(located, about, types or {})
    labeled = [column for column in columns if column.labeled]
    even = traits(about.get("method", "")).completed_evenly
    shared: dict[str, Any] = {
        "table": located.rows,
        "seed": seed,
        "draws": range(1, draws + 1),
        "columns": columns,
        "labeled": labeled,
        "kept": [column for column in columns if column.held.kept],
        "buckets": [column for column in columns if column.bucketed is not None],
        **typed_labels(labeled),
    }
    lookups = _look_up(engine, shared, even=even)
    lists = [(c.index, c.column) for c in labeled if lookups[c.index].atoms.values is not None]
    listed = {n: k for k, (some, _) in enumerate(of_one_type(lists), start=1) for n in some}
    looked_up = {
        "slots": {index: lookup.slot for index, lookup in lookups.items()},
        "listed": {column.index: listed.get(column.index) for column in labeled},
        "numbered": engine.own["hex_number"],
        "fence": engine.own["fence"],
    }
    if labeled:
        lookup_tables.load(engine, labeled, lookups, listed)
    before = ""
    for step, start in enumerate(range(0, max(len(labeled), 1), _AT_ONCE), start=1):
        into = f"completed_drawn_{step}"
        taken = {"chosen": labeled[start : start + _AT_ONCE], "done": labeled[:start]}
        blocks = _blocks(taken["chosen"])
        hashes = [(n, f"{step}.{n}") for n in sorted({block for block, _ in blocks.values()})]
        more = {"before": before, "blocks": blocks, "hashes": hashes}
        _make(engine, "completion/drawn", into, **taken, **more, **looked_up, **shared)
        if before:
            engine.drop(before)
        before = into
    for column in shared["buckets"]:
        _make(engine, "completion/bucket", f"completed_bucket_{column.index}", c=column)
    name = draw_name(columns)
    parameters = {"drawn": before, "shown": columns, "draw": name, "buckets": shared["buckets"]}
    return Drawn(columns, {**parameters, "ordering": _free(columns)}, lookups)


def scratch(
    located: ReleaseTables,
    about: Mapping[str, str],
    *,
    types: Mapping[str, Column] | None = None,
    number: int = 1,
) -> Relation:
    """Make the completed table of a release as scratch, where nobody named a seed; ``number`` tells
    it from others. Return where it lies. Its columns have the ``types``; without, those of the
    completed table that the release has."""
    drawn = draw(located, about, draws=MADE, seed=SEED, types=types)
    into = f"completed_made_{number}"
    titles = [column.name for column in drawn.titles]
    _make(located.engine, "completion/made", into, titles=titles, **drawn.parameters)
    drawn.drop(located.engine)
    return (into,)


def _make(engine: Engine, template: str, into: str, **parameters: Any) -> None:
    engine.drop(into)
    engine.run(template, into=into, **parameters)


def _free(columns: Sequence[CompletedColumn]) -> str:
    taken = {column.name.lower() for column in columns}
    name = "ordering"
    while name in taken:
        name += "_"
    return name


def _blocks(chosen: Sequence[CompletedColumn]) -> Mapping[int, tuple[int, int]]:
    """Return by column's index which hash its number is taken from, and where in it: a hash has
    three numbers of ten hexadecimal digits."""
    return {
        column.index: (number // 3, 10 * (number % 3) + 1) for number, column in enumerate(chosen)
    }


def typed_labels(labeled: Sequence[CompletedColumn]) -> dict[str, Any]:
    """Return which columns have ``labels``, and ``ends`` of them, of one type, as the template
    ``completion/labels`` takes it."""
    labels = [(column.index, column.held.column) for column in labeled]
    ends = [(column.index, column.held.lo) for column in labeled]
    highest = {column.held.lo: column.held.hi for column in labeled}
    return {
        "labels": [(some, one.name) for some, one in of_one_type(labels)],
        "ends": [
            (some, one.name, hi.name)
            for some, one in of_one_type(ends)
            if (hi := highest[one]) is not None
        ],
    }


def of_one_type(
    columns: Sequence[tuple[int, Column | None]],
) -> list[tuple[Sequence[int], Column]]:
    """Return the columns by their type: their indices, and one of them."""
    alike: dict[str, tuple[list[int], Column]] = {}
    for index, column in columns:
        if column is not None:
            alike.setdefault(column.type, ([], column))[0].append(index)
    return list(alike.values())


def label_of(row: Sequence[Any], index: int, shared: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    """Return the label and its bounds from those of all types, ``row``, as ``completion/labels``
    has them for a column."""
    labels, ends = shared["labels"], shared["ends"]
    label = next(n for n, (some, _) in enumerate(labels) if index in some)
    end = next((n for n, (some, *_) in enumerate(ends) if index in some), None)
    if end is None:
        return row[label], None, None
    low = len(labels) + 2 * end
    return row[label], row[low], row[low + 1]


def _look_up(engine: Engine, shared: Mapping[str, Any], *, even: bool) -> dict[int, Lookup]:
    """Make ``completed_labels`` of the labels of all columns; return what their values are looked
    up in."""
    labeled: Sequence[CompletedColumn] = shared["labeled"]
    if not labeled:
        return {}
    _make(engine, "completion/labels", "completed_labels", **shared)
    read: dict[int, list[tuple[Any, ...]]] = {column.index: [] for column in labeled}
    for index, value, count, *row in engine.query(
        "completion/labels_read", table="completed_labels", **typed_labels(labeled)
    ):
        read[index].append((value, *label_of(row, index, shared), count))
    return {column.index: _lookup(column, read[column.index], even=even) for column in labeled}


def _lookup(column: CompletedColumn, read: Sequence[tuple[Any, ...]], *, even: bool) -> Lookup:
    """Return what a column's values are looked up in, by its labels (value, label, lo, hi, rows)
    in the order of their numbers."""
    domain = column.domain
    meant = [_meaning(column, label, lo, hi) for _, label, lo, hi, _ in read]
    if column.held.mask is not None and domain.kind == "text":
        meant = _filled([row[1] for row in read], meant)
    tree = column.held.tree
    places = tree.places if tree is not None and domain.kind == "text" else {}
    atoms, ranges = atoms_of(domain, meant, places)
    rows: dict[Ranges, int] = {}
    for own, row in zip(ranges, read, strict=True):
        rows[own] = rows.get(own, 0) + int(row[-1])
    ordered = sorted(rows)
    weights = (
        evenly(atoms.width) if even else likeliest(atoms.width, ordered, [rows[o] for o in ordered])
    )
    numbered = [(row[0], own) for row, own in zip(read, ranges, strict=True)]
    return Lookup(atoms, weights, ordered, numbered)


def _meaning(column: CompletedColumn, label: Any, lo: Any, hi: Any) -> tuple[Piece, ...]:
    """Return what is drawn for a label: what it stands for. Where nothing in the release tells what
    that is, a text stays as it is, and all else is NULL, as is a value that cannot be computed with
    (infinite, before Christ)."""
    held, domain = column.held, column.domain
    if held.exact and isinstance(label, str) and label != "*" and domain.read(label) is None:
        return ONLY_NULL
    meant = pieces(held, domain, label, lo, hi)
    anything = any(piece.span == (None, None) for piece in meant)
    if anything and label != "*":
        text = isinstance(label, str) and domain.kind == "text"
        return (Piece(((label, 0), (label, 1)), None),) if text else ONLY_NULL
    interval = interval_of(label) if isinstance(label, str) else None
    if interval is None or interval.closed:
        return meant
    end = domain.read(interval.high.strip())
    return tuple(_without(end, piece, discrete=domain.discrete) for piece in meant)


def _without(end: Any, piece: Piece, *, discrete: bool) -> Piece:
    """Return a stretch without its end, where that is the one that ``[a,b)`` does not have."""
    low, high = piece.span or (None, None)
    if end is None or low is None or low[0] == end:
        return piece
    if high != ((end + 1, 0) if discrete else (end, 1)):
        return piece
    return Piece((low, (end, 0)), piece.weight)


def _filled(labels: Sequence[Any], meant: Sequence[Sequence[Piece]]) -> list[tuple[Piece, ...]]:
    """Return what masked labels stand for as texts: those of other rows that they hide, where there
    are some; else what they show, and in the place of each ``*`` characters that labels have (any
    digits, where they have digits alone), at most 100 texts a label."""
    plain = sorted({label for label in labels if isinstance(label, str) and "*" not in label})
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
    """Return the texts, of those in order, that a mask hides."""
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
