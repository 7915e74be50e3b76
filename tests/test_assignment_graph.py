"""Flows between a release and its source, and the exact judge that other tests hold verification to:
the paper's examples, and every assignment of small graphs."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonsql.errors import AnonsqlError
from anonsql.verification.linking import flow
from anonsql.verification.linking.flow import can_be_drawn, unplaced

from .exact_judges.assignment_graph import MatchGraph, judge
from .exact_judges.linked_values import Values, links


def graph_of(matches, originals=None, released=None):
    """A graph of single rows; matches[i] are the released rows of original i."""
    pairs = [(i, j) for i, found in enumerate(matches) for j in sorted(found)]
    rows = max((j for _, j in pairs), default=-1) + 1
    return MatchGraph.of(
        originals or [1] * len(matches),
        released or [1] * rows,
        [i for i, _ in pairs],
        [j for _, j in pairs],
    )


def assignments(matches, rows):
    """Every way to give each of the released rows an original of its own, as tuples of
    originals."""
    return [
        chosen
        for chosen in itertools.permutations(range(len(matches)), rows)
        if all(j in matches[i] for j, i in enumerate(chosen))
    ]


def greatest_disjoint(found, most):
    """How many of the assignments share no match, as far as ``most``."""

    def extend(start, used, count):
        best = count
        for index in range(start, len(found)):
            if best >= most:
                return best
            pairs = set(enumerate(found[index]))
            if not pairs & used:
                best = max(best, extend(index + 1, used | pairs, count + 1))
        return best

    return extend(0, set(), 0)


# the paper

TABLE_4 = [
    {0, 4},
    {0, 1, 4},
    {1, 2, 3, 0, 4},
    {2, 3, 0, 4},
    {0, 4},
]  # t1 … t5 against 1-5, 2-3, 3-4, 3-4, 1-5


def test_table_4_exposes_t2():
    graph = graph_of(TABLE_4)
    verdict, effective = judge(graph, 2)
    left = {
        (int(i), int(j)) for i, j, kept in zip(graph.cell, graph.tuple, effective.edges) if kept
    }
    assert left == {
        (0, 0),
        (0, 4),
        (4, 0),
        (4, 4),
        (1, 1),
        (2, 2),
        (2, 3),
        (3, 2),
        (3, 3),
    }  # Fig. 2
    assert not verdict.kept and unplaced(graph) == 0 and not can_be_drawn(graph, 2)
    assert (verdict.matches, verdict.ineffective) == (16, 7)
    assert (verdict.least_original, verdict.least_released) == (1, 1)
    assert (verdict.exposed_originals, verdict.exposed_released, verdict.components) == (1, 1, 3)
    assert (verdict.disjoint, verdict.short, verdict.highest_probability) == (1, 1, 1.0)


def figure_4():
    """K3a = {n2, n3, n4} and K3b = {n6, n7, n8}: what leaves n1 returns by n5 → n6 only."""
    first, second = {2, 3, 4}, {6, 7, 8}
    out = {
        1: {1, 2, 3},
        2: first,
        3: first | {5},
        4: first | {5},
        5: {3, 4, 5, 6},
        6: second,
        7: second | {1},
        8: second | {1},
    }
    return [{node - 1 for node in out[number]} for number in range(1, 9)]


def test_figure_4_effective_matches_are_not_enough():
    matches = figure_4()
    assert all(chosen[0] == 0 or chosen[5] == 4 for chosen in assignments(matches, 8))
    verdict, effective = judge(graph_of(matches), 3)
    assert effective.edges.all()
    assert (
        verdict.least_original,
        verdict.least_released,
        verdict.exposed_originals,
        verdict.exposed_released,
    ) == (3, 3, 0, 0)
    assert (verdict.disjoint, verdict.short, verdict.kept) == (2, 1, False)
    assert judge(graph_of(matches), 2)[0].kept
    assert can_be_drawn(graph_of(matches), 2) and not can_be_drawn(graph_of(matches), 3)


def test_figure_5_ring_of_five():
    ring = [{(i - step) % 5 for step in range(3)} for i in range(5)]
    verdict, effective = judge(graph_of(ring), 3)
    assert verdict.kept and effective.edges.all()
    assert (verdict.disjoint, verdict.short, verdict.least_original, verdict.components) == (
        3,
        0,
        3,
        1,
    )
    assert len(assignments(ring, 5)) == 13  # the paper counts them in section 5.2
    assert not judge(graph_of(ring), 4)[0].kept
    assert can_be_drawn(graph_of(ring), 3) and not can_be_drawn(graph_of(ring), 4)


TABLE_2 = [{0, 1, 2}] * 3 + [{3, 4}] * 2
TABLE_3 = [{0, 2}, {0, 1}, {1, 2}, {3, 4}, {3, 4}]


@pytest.mark.parametrize("matches", [TABLE_2, TABLE_3], ids=["homogeneous", "non-homogeneous"])
def test_tables_2_and_3_are_2_anonymous(matches):
    verdict, _ = judge(graph_of(matches), 2)
    assert verdict.kept and verdict.components == 2 and verdict.highest_probability == 0.5
    assert not judge(graph_of(matches), 3)[0].kept
    assert can_be_drawn(graph_of(matches), 2) and not can_be_drawn(graph_of(matches), 3)


def test_rows_of_no_original_and_no_released_row_at_all():
    verdict, effective = judge(graph_of([{0, 1}, {2}]), 1)  # three released rows, two originals
    assert (verdict.unassigned, verdict.disjoint, verdict.kept) == (1, 0, False)
    assert effective.edges.tolist() == [False, False, True]
    assert verdict.highest_probability == 1.0
    nothing = MatchGraph.of([2, 3], [], [], [])
    assert not judge(nothing, 2)[0].kept
    assert judge(nothing, 2)[0].unmatched == 5


def test_left_over_rows():
    """Two of five originals were suppressed: one that nothing covers, and one of four that three
    rows cover."""
    verdict, _ = judge(MatchGraph.of([4, 1], [3], [0], [0]), 3)
    assert verdict.kept
    assert (
        verdict.left_over,
        verdict.unmatched,
        verdict.least_original,
        verdict.least_released,
    ) == (2, 1, 3, 4)


# everything else, against all assignments


@st.composite
def small_graphs(draw, most=6):
    rows = draw(st.integers(1, most))
    count = draw(st.integers(rows, min(most, rows + 2)))
    matches = [draw(st.sets(st.integers(0, rows - 1))) for _ in range(count)]
    if draw(st.booleans()):  # an assignment there is
        for row, original in enumerate(draw(st.permutations(range(count)))[:rows]):
            matches[original].add(row)
    return matches, rows


def compressed(matches, rows):
    """The same graph with equal originals and equal released rows put together, and the node of
    each row."""
    kinds = Counter(frozenset(found) for found in matches)
    columns = [frozenset(i for i, found in enumerate(matches) if j in found) for j in range(rows)]
    cells, tuples = list(kinds), sorted(set(columns), key=columns.index)
    of_cell = [cells.index(frozenset(found)) for found in matches]
    of_tuple = [tuples.index(column) for column in columns]
    edges = sorted({(of_cell[i], of_tuple[j]) for i, found in enumerate(matches) for j in found})
    graph = MatchGraph.of(
        [kinds[cell] for cell in cells],
        list(np.bincount(of_tuple)),
        [c for c, _ in edges],
        [t for _, t in edges],
    )
    return graph, of_cell, of_tuple


def check(matches, rows, k):
    found = assignments(matches, rows)
    used = {(i, j) for chosen in found for j, i in enumerate(chosen)}
    graph, of_cell, of_tuple = compressed(matches, rows)
    verdict, effective = judge(graph, k)
    assert (verdict.unassigned == 0) == bool(found)
    assert unplaced(graph) == verdict.unassigned
    assert can_be_drawn(graph, k) == (bool(found) and verdict.disjoint == k)
    if not found:
        assert not verdict.kept
        return
    kept = {
        (int(c), int(t)) for c, t, edge in zip(graph.cell, graph.tuple, effective.edges) if edge
    }
    assert {
        (i, j)
        for i, match in enumerate(matches)
        for j in match
        if (of_cell[i], of_tuple[j]) in kept
    } == used
    of_originals, of_released = Counter(i for i, _ in used), Counter(j for _, j in used)
    assert verdict.ineffective == sum(map(len, matches)) - len(used)
    assert verdict.least_original == min(of_originals.values())
    assert verdict.least_released == min(of_released.values())
    assert verdict.exposed_originals == sum(count < k for count in of_originals.values())
    assert verdict.exposed_released == sum(count < k for count in of_released.values())
    assert verdict.unmatched == len(matches) - len(of_originals)
    assert verdict.left_over == len(matches) - rows
    assert verdict.disjoint == greatest_disjoint(found, k)
    assert verdict.kept == (
        verdict.disjoint == k and not verdict.exposed_originals and not verdict.exposed_released
    )


@settings(max_examples=150, deadline=None)
@given(small_graphs(), st.integers(1, 4))
def test_verdict_is_that_of_all_assignments(given_graph, k):
    check(*given_graph, k)


@settings(max_examples=15, deadline=None)
@given(small_graphs(most=7), st.integers(2, 3))
def test_verdict_is_that_of_all_assignments_of_seven(given_graph, k):
    check(*given_graph, k)


def test_too_many_rows_are_told(monkeypatch):
    monkeypatch.setattr(flow, "_MOST", 3)
    with pytest.raises(AnonsqlError, match="too many rows to be compared"):
        unplaced(graph_of(TABLE_4))


# sensitive values


def oracle_within(matches, rows, values, k, bound):
    """Whether probabilities of assignments exist with the bounds, by linear programming over all
    assignments."""
    from scipy.optimize import linprog

    found = assignments(matches, rows)
    kinds = sorted(set(values))
    limits, rights = [], []
    for i in range(len(matches)):
        for j in range(rows):
            limits.append([float(chosen[j] == i) for chosen in found])
            rights.append(1 / k)
        for kind in kinds:
            limits.append(
                [
                    float(any(chosen[j] == i and values[j] == kind for j in range(rows)))
                    for chosen in found
                ]
            )
            rights.append(1 / bound)
    solved = linprog([0.0] * len(found), limits, rights, [[1.0] * len(found)], [1.0])
    return solved.status == 0


@settings(max_examples=60, deadline=None)
@given(small_graphs(most=5), st.integers(1, 3), st.integers(1, 3), st.data())
def test_shares_of_values(given_graph, k, bound, data):
    matches, rows = given_graph
    values = [data.draw(st.integers(0, 2)) for _ in range(rows)]
    found = assignments(matches, rows)
    if not found:
        return
    graph, _, of_tuple = compressed(matches, rows)
    counts = Counter(zip(of_tuple, values))
    coded = Values(
        *(
            np.array(item, dtype=np.int64)
            for item in zip(*((t, v, n) for (t, v), n in counts.items()))
        )
    )
    _, effective = judge(graph, k)
    used = {(i, j) for chosen in found for j, i in enumerate(chosen)}
    shares = [
        Counter(values[j] for i, j in used if i == original) for original in range(len(matches))
    ]
    shares = [share for share in shares if share]
    linked = links(graph, effective, coded)
    assert linked.highest_share == pytest.approx(
        max(max(element.values()) / sum(element.values()) for element in shares)
    )
    assert linked.least_distinct == min(len(entry) for entry in shares)
    assert can_be_drawn(graph, k, flow.Values(coded.tuple, coded.value, coded.count), bound) == (
        oracle_within(matches, rows, values, k, bound)
    )
