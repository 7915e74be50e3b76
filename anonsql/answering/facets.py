"""Columns of a release made ready for questions: their values and buckets numbered, their labels read once."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from functools import cached_property

from anonsql.answering.columns import Held
from anonsql.answering.pieces import MANY, exactly, is_exact, pieces, weighed_by
from anonsql.answering.value_sets import Cell, Cut, Domain, Span
from anonsql.coded import Coded
from anonsql.engines.base import Engine, Relation
from anonsql.errors import InvariantError

_PIECES = [
    *(
        ("value", "BIGINT"),
        ("pieces", "INTEGER"),
        ("empty", "INTEGER"),
        ("lo", "INTEGER"),
        ("hi", "INTEGER"),
    ),
    *(("weight", "DOUBLE"), ("x", "DOUBLE"), ("y", "DOUBLE")),
]
_SPANS = [
    ("cell", "INTEGER"),
    ("empty", "INTEGER"),
    ("lo", "INTEGER"),
    ("hi", "INTEGER"),
    ("x", "DOUBLE"),
    ("y", "DOUBLE"),
]
_USES = [("question", "INTEGER"), ("term", "INTEGER"), ("cell", "INTEGER")]
_NO_NULL = (0, 1)  # the ranks that NULL and what holds it share


@dataclass
class Facet:
    """A column under a number, its values of one domain; ``guessed`` when labels that may stand for anything are weighed by the
    values that other rows are released with, and those in buckets."""

    index: int
    held: Held
    domain: Domain
    positions: list[Cut] = field(default_factory=list)
    guessed: bool = False

    @property
    def name(self) -> str:
        """The column's name."""
        return self.held.name

    @property
    def numeric(self) -> bool:
        """Whether its values can be added."""
        return self.domain.numeric

    @property
    def coded(self) -> Coded:
        """The column whose values are told as they are."""
        column = self.held.bucketed.value if self.held.bucketed else self.held.column
        if column is None:
            raise InvariantError("a facet has values and no column")
        return Coded(self.index, column)

    @cached_property
    def parts(self) -> list[str]:
        """The columns of the release that make up a released value."""
        ends = [each.name for each in (self.held.lo, self.held.hi) if each is not None]
        return [self.name, *ends] if self.held.labels else []


def prepare(engine: Engine, rows: Relation, facet: Facet) -> None:
    """Number a column's values, and read what its labels stand for."""
    if facet.held.bucketed is not None:
        engine.run("workload/values", a=facet.coded, table=facet.held.bucketed.table)
        engine.run("query/buckets", c=facet)
        engine.run("query/stock", c=facet)
    if facet.held.kept:
        engine.run("workload/values", a=facet.coded, table=rows)
    if facet.held.labels:
        engine.run("query/values", c=facet, table=rows)
        _load_pieces(engine, facet)


def _load_pieces(engine: Engine, facet: Facet) -> None:
    """Make ``pieces_<index>``; the ends of pieces are told by rank, so that they can be compared as they are."""
    told = engine.query("query/labels", c=facet)
    read = {
        value: pieces(facet.held, facet.domain, label, lo, hi) for value, label, lo, hi, _ in told
    }
    exact = [
        (read[value][0], rows) for value, *_, rows in told if is_exact(facet.domain, read[value])
    ]
    if facet.held.bucketed is not None and any(
        piece.weight is None for found in read.values() for piece in found
    ):
        stocked = engine.query("query/stocked", c=facet, most=MANY + 1)
        exact += [(exactly(facet.domain, value), rows) for value, rows in stocked]
    likely = {value: weighed_by(exact, found) for value, found in read.items()}
    facet.guessed = likely != read
    read = likely
    facet.positions = sorted(
        {
            cut
            for each in read.values()
            for piece in each
            for cut in piece.span or ()
            if cut is not None
        }
    )
    ranks = {cut: 2 * place + 1 for place, cut in enumerate(facet.positions)}
    last = 2 * len(ranks) + 1
    loaded: list[tuple[object, ...]] = []
    for value, found in read.items():
        for piece in found:
            if piece.span is None:
                loaded.append((value, len(found), 1, *_NO_NULL, piece.weight, None, None))
            else:
                low, high = piece.span
                ends = (-1 if low is None else ranks[low], last if high is None else ranks[high])
                loaded.append(
                    (value, len(found), 0, *ends, piece.weight, *_numbers(facet.domain, piece.span))
                )
    engine.load(
        f"pieces_{facet.index}", _PIECES, loaded or [(0, 1, 2, *_NO_NULL, None, None, None)]
    )


def _numbers(domain: Domain, span: Span) -> tuple[float | None, float | None]:
    """The ends of a stretch as numbers; None where there is none, or values are no numbers."""
    if domain.kind == "text":
        return None, None
    low, high = span
    return None if low is None else domain.position(
        low[0]
    ), None if high is None else domain.position(high[0])


@dataclass
class Used:
    """What the questions of a batch ask of a column: cells by number, and which of them each term holds."""

    facet: Facet
    numbers: dict[Cell, int] = field(default_factory=dict)
    uses: list[tuple[int, int, int]] = field(default_factory=list)

    def shapes(self, first: int, last: int) -> list[tuple[int, int]]:
        """A number for each of some questions, the same for those whose terms hold the same cells."""
        cells: dict[int, set[int]] = {}
        for question, term, cell in self.uses:
            if term and first <= question <= last:
                cells.setdefault(question, set()).add(cell)
        numbers: dict[frozenset[int], int] = {}
        return [
            (question, numbers.setdefault(frozenset(each), len(numbers) + 1))
            for question, each in cells.items()
        ]

    def number(self, cell: Cell) -> int:
        """The number of a cell."""
        return self.numbers.setdefault(cell, len(self.numbers) + 1)


def load(engine: Engine, used: Used) -> None:
    """Make ``touched_<index>`` and ``chances_<index>`` for the questions of a batch."""
    facet, index = used.facet, used.facet.index
    engine.load(f"uses_{index}", _USES, used.uses)
    if facet.held.labels:
        engine.load(
            f"spans_{index}",
            _SPANS,
            [row for cell, number in used.numbers.items() for row in _spans(facet, number, cell)],
        )
    if facet.held.kept or facet.held.bucketed is not None:
        engine.drop(f"hits_{index}")
        kind = facet.domain.sql_type
        columns = [
            ("cell", "INTEGER"),
            ("empty", "INTEGER"),
            ("lo", kind),
            ("lo_after", "INTEGER"),
            ("hi", kind),
            ("hi_after", "INTEGER"),
        ]
        engine.load(
            f"limits_{index}",
            columns,
            [row for cell, number in used.numbers.items() for row in _limits(facet, number, cell)],
        )
        engine.run("query/hits", c=facet)
    for name in ("touched", "chances"):
        engine.drop(f"{name}_{index}")
        engine.run(f"query/{name}", c=facet)


def _spans(facet: Facet, number: int, cell: Cell) -> list[tuple[object, ...]]:
    """The stretches of a cell by rank among the ends of pieces: an end between two of them has an even rank."""

    def rank(cut: Cut) -> int:
        place = bisect_left(facet.positions, cut)
        return 2 * place + (place < len(facet.positions) and facet.positions[place] == cut)

    last = 2 * len(facet.positions) + 1
    found: list[tuple[object, ...]] = [
        (
            number,
            0,
            -1 if low is None else rank(low),
            last if high is None else rank(high),
            *_numbers(facet.domain, (low, high)),
        )
        for low, high in cell.spans
    ]
    return [*found, (number, 1, *_NO_NULL, None, None)] if cell.null else found


def _limits(facet: Facet, number: int, cell: Cell) -> list[tuple[object, ...]]:
    """The stretches of a cell as values can be compared with them."""
    found: list[tuple[object, ...]] = []
    for low, high in cell.spans:
        first = None if low is None else facet.domain.written(low)
        last = None if high is None else facet.domain.written(high)
        beyond_all = low is not None and first is None and low[0] > 0
        if beyond_all or (high is not None and last is None and high[0] <= 0):
            continue
        found.append((number, 0, *(first or (None, 0)), *(last or (None, 0))))
    return [*found, (number, 1, None, 0, None, 0)] if cell.null else found
