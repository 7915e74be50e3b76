"""Lay out lattices as the Incognito paper draws them (LeFevre, DeWitt, Ramakrishnan 2005, figures 3
and 5): a row for each height, the most specific node at the bottom, and a line for each step of one
column by one level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from anonsql.features.search.solution_document import Pass, SolutionSpace

State = Literal["counted", "implied", "pruned"]
"""Whether a node's classes were counted, its verdict follows from another node's, or its levels on
fewer columns fail already, so that it was no candidate."""
_CHARACTER = 7.5
_HEIGHT = 26
_GAP = (14, 46)
_MARGIN = 12


@dataclass(frozen=True)
class DrawnNode:
    """A node with its label and the middle of its box; ``number`` is 0 in passes over subsets."""

    number: int
    label: str
    x: float
    y: float
    state: State
    satisfied: bool
    minimal: bool = False
    chosen: bool = False


@dataclass(frozen=True)
class Drawing:
    """A lattice, laid out: ``lines`` is the path of all its edges, ``box`` the size of a node."""

    columns: tuple[str, ...]
    width: float
    height: float
    box: tuple[float, float]
    lines: str
    nodes: tuple[DrawnNode, ...]

    @property
    def satisfied(self) -> int:
        """How many of its nodes satisfy."""
        return sum(node.satisfied for node in self.nodes)


@dataclass(frozen=True)
class DrawnPass:
    """A pass over subsets of the columns, with a drawing for each; none where there are too many
    candidates."""

    size: int
    families: int
    possible: int
    candidates: int
    counted: int
    satisfied: int
    drawings: tuple[Drawing, ...]


Mark = tuple[int, State, bool, bool, bool]
"""What is shown of a node besides its levels: number, state, satisfied, minimal, chosen."""


def draw(columns: Sequence[str], nodes: Mapping[tuple[int, ...], Mark]) -> Drawing:
    """Return a drawing of nodes by their levels."""
    labels = {levels: ", ".join(map(str, levels)) for levels in nodes}
    box = max(map(len, labels.values())) * _CHARACTER + 18
    rows: dict[int, list[tuple[int, ...]]] = {}
    for levels in sorted(nodes, reverse=True):
        rows.setdefault(sum(levels), []).append(levels)
    low, high = min(rows), max(rows)
    step = box + _GAP[0]
    width = max(map(len, rows.values())) * step - _GAP[0] + 2 * _MARGIN
    height = (high - low) * (_HEIGHT + _GAP[1]) + _HEIGHT + 2 * _MARGIN
    places = {
        levels: (
            round(width / 2 + (position - (len(row) - 1) / 2) * step, 1),
            round(_MARGIN + _HEIGHT / 2 + (high - at) * (_HEIGHT + _GAP[1]), 1),
        )
        for at, row in rows.items()
        for position, levels in enumerate(row)
    }
    lines = [
        f"M{x:g} {y - _HEIGHT / 2:g}L{places[above][0]:g} {places[above][1] + _HEIGHT / 2:g}"
        for levels, (x, y) in places.items()
        for above in _above(levels)
        if above in places
    ]
    drawn = [
        DrawnNode(number, labels[levels], *places[levels], state, satisfied, minimal, chosen)
        for levels, (number, state, satisfied, minimal, chosen) in sorted(nodes.items())
    ]
    return Drawing(tuple(columns), width, height, (box, _HEIGHT), "".join(lines), tuple(drawn))


def _above(levels: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [
        (*levels[:position], level + 1, *levels[position + 1 :])
        for position, level in enumerate(levels)
    ]


def of_space(space: SolutionSpace, most: int) -> Drawing | None:
    """Return the drawing of a whole lattice; None where it has more than ``most`` nodes."""
    if space.size > most or not space.whole:
        return None
    satisfied, counted = set(space.satisfying.numbers), set(space.counted)
    lowest = {
        number
        for number, least in zip(space.satisfying.numbers, space.satisfying.minimal, strict=True)
        if least
    }
    candidates = None
    if space.passes:
        candidates = {candidate.levels for candidate in space.passes[-1].candidates}
    nodes: dict[tuple[int, ...], Mark] = {}
    for number in range(1, space.size + 1):
        levels = space.levels(number)
        state: State = "counted" if number in counted else "implied"
        if number not in counted and candidates is not None and levels not in candidates:
            state = "pruned"
        ends = (number in lowest, number == space.chosen)
        nodes[levels] = (number, state, number in satisfied, *ends)
    return draw([column.name for column in space.columns], nodes)


def of_pass(space: SolutionSpace, one: Pass, most: int) -> DrawnPass:
    """Return a pass with a drawing of the candidates over each subset, as long as there are no more
    than ``most`` candidates."""
    families: dict[tuple[int, ...], dict[tuple[int, ...], Mark]] = {}
    for candidate in one.candidates:
        state: State = "counted" if candidate.counted else "implied"
        mark = (0, state, candidate.satisfied, False, False)
        families.setdefault(candidate.columns, {})[candidate.levels] = mark
    few = len(one.candidates) <= most
    return DrawnPass(
        one.size,
        one.families,
        one.possible,
        len(one.candidates),
        sum(candidate.counted for candidate in one.candidates),
        sum(candidate.satisfied for candidate in one.candidates),
        tuple(
            draw([space.columns[position].name for position in columns], nodes)
            for columns, nodes in sorted(families.items())
        )
        if few
        else (),
    )
