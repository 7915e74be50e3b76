"""What a batch of questions asks of a column: which parts of its domain each term of a condition
holds, and which values are in them."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field

from anonsql.engines.base import Engine
from anonsql.labels.domains import Cut, Span
from anonsql.query.facets import NOTHING, NULL_RANKS, Facet, ends_of, numbers_of
from anonsql.query.value_sets import Section

_SPANS = [
    ("section", "INTEGER"),
    ("empty", "INTEGER"),
    ("lo", "INTEGER"),
    ("hi", "INTEGER"),
    ("x", "DOUBLE"),
    ("y", "DOUBLE"),
]
_USES = [("question", "INTEGER"), ("term", "INTEGER"), ("section", "INTEGER")]


@dataclass
class Used:
    """The conditions of a batch of questions on a column: sections of its domain by number, and
    which of them each term holds."""

    facet: Facet
    numbers: dict[Section, int] = field(default_factory=dict)
    uses: list[tuple[int, int, int]] = field(default_factory=list)

    def shapes(self, first: int, last: int) -> list[tuple[int, int]]:
        """Return a number for each of some questions, the same for those whose terms hold the same
        sections."""
        sections: dict[int, set[int]] = {}
        for question, term, section in self.uses:
            if term and first <= question <= last:
                sections.setdefault(question, set()).add(section)
        numbers: dict[frozenset[int], int] = {}
        return [
            (question, numbers.setdefault(frozenset(group), len(numbers) + 1))
            for question, group in sections.items()
        ]

    def spans(self, question: int) -> list[Span]:
        """Return the values, but NULL, that any term of a question holds."""
        held = {section for number, term, section in self.uses if number == question and term}
        return [
            span
            for section, number in self.numbers.items()
            if number in held
            for span in section.spans
        ]

    def number(self, section: Section) -> int:
        """Return the number of a section."""
        return self.numbers.setdefault(section, len(self.numbers) + 1)


def load(engine: Engine, used: Used) -> None:
    """Make ``touched_<index>`` and ``chances_<index>`` for the questions of a batch."""
    facet, index = used.facet, used.facet.index
    engine.load(f"uses_{index}", _USES, used.uses)
    if facet.held.labels:
        engine.load(
            f"spans_{index}",
            [*_SPANS, *ends_of(facet)],
            [
                row
                for section, number in used.numbers.items()
                for row in _spans(facet, number, section)
            ],
        )
    if facet.held.kept or facet.held.bucketed is not None:
        engine.drop(f"hits_{index}")
        kind = facet.domain.sql_type
        columns = [
            ("section", "INTEGER"),
            ("empty", "INTEGER"),
            ("lo", kind),
            ("lo_after", "INTEGER"),
            ("hi", kind),
            ("hi_after", "INTEGER"),
        ]
        engine.load(
            f"limits_{index}",
            columns,
            [
                row
                for section, number in used.numbers.items()
                for row in _limits(facet, number, section)
            ],
        )
        engine.run("query/hits", c=facet)
    for name in ("touched", "chances"):
        engine.drop(f"{name}_{index}")
        engine.run(f"query/{name}", c=facet)


def _spans(facet: Facet, number: int, section: Section) -> list[tuple[object, ...]]:
    """Return the stretches of a section by rank among the ends of pieces: an end between two of
    them has an even rank."""

    def rank(cut: Cut) -> int:
        position = bisect_left(facet.positions, cut)
        return 2 * position + (position < len(facet.positions) and facet.positions[position] == cut)

    last = 2 * len(facet.positions) + 1
    stretches: list[tuple[object, ...]] = [
        (
            number,
            0,
            -1 if low is None else rank(low),
            last if high is None else rank(high),
            *numbers_of(facet, (low, high)),
        )
        for low, high in section.spans
    ]
    return [*stretches, (number, 1, *NULL_RANKS, *NOTHING)] if section.null else stretches


def _limits(facet: Facet, number: int, section: Section) -> list[tuple[object, ...]]:
    """Return the stretches of a section as values can be compared with them."""
    stretches: list[tuple[object, ...]] = []
    for low, high in section.spans:
        first = None if low is None else facet.domain.written(low)
        last = None if high is None else facet.domain.written(high)
        beyond_all = low is not None and first is None and low[0] > 0
        if beyond_all or (high is not None and last is None and high[0] <= 0):
            continue
        stretches.append((number, 0, *(first or (None, 0)), *(last or (None, 0))))
    return [*stretches, (number, 1, None, 0, None, 0)] if section.null else stretches
