"""The choice of hidden cells, and their audit, against exact arithmetic over fractions and brute
force on small linked tables with hierarchies."""

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest

from anonsql.errors import PrivacyError, TimeLimitError
from anonsql.statistics import choice
from anonsql.statistics.audit import Needed, Places, audit
from anonsql.statistics.grid import grid_of

from .cube_oracle import cube_of, flat, ties_of
from .exact_bounds import exact_bounds

THRESHOLD = 4
SHAPES = (
    ([flat(3), flat(3)], [{0: 0, 1: 0}]),
    ([[[0, 1, 2, 3], [0, 0, 1, 1], [0] * 4], flat(2)], [{0: 0, 1: 0}]),
    ([flat(3), flat(2), flat(2)], [{0: 0, 1: 0}, {0: 0, 2: 0}]),
    ([[[0, 1, 2], [0, 0, 1], [0] * 3], flat(2), flat(2)], [{0: 0, 1: 0}, {0: 1, 2: 0}]),
)


def cube(seed, people=28):
    """A small cube of linked tables with hierarchies."""
    rnd = random.Random(seed)
    hierarchies, tables = SHAPES[seed % len(SHAPES)]
    sizes = [len(hierarchy[0]) for hierarchy in hierarchies]
    rows = [
        (who, [min(int(rnd.expovariate(1)), size - 1) for size in sizes], rnd.randrange(1, 50))
        for who in range(people)
    ]
    return cube_of(rows, hierarchies, tables)


def rank(rows):
    """The rank of a matrix of fractions."""
    rows, found = [row[:] for row in rows], 0
    for column in range(len(rows[0]) if rows else 0):
        at = next((n for n in range(found, len(rows)) if rows[n][column]), None)
        if at is None:
            continue
        rows[found], rows[at] = rows[at], rows[found]
        for n in range(found + 1, len(rows)):
            if rows[n][column]:
                factor = rows[n][column] / rows[found][column]
                rows[n] = [a - factor * b for a, b in zip(rows[n], rows[found], strict=True)]
        found += 1
    return found


def computed(relations, hidden):
    """The hidden cells that published ones give: their unit vector is a sum of relations."""
    cells = np.flatnonzero(hidden)
    matrix = relations.matrix.toarray()[:, cells]
    rows = [[Fraction(int(entry)) for entry in row] for row in matrix]
    usual = rank(rows)
    units = np.eye(len(cells), dtype=int)
    return [
        int(cell)
        for cell, unit in zip(cells, units, strict=True)
        if rank([*rows, [Fraction(int(entry)) for entry in unit]]) == usual
    ]


@pytest.mark.parametrize("seed", range(12))
def test_no_sum_or_difference_gives_a_primary_cell(seed):
    made = cube(seed)
    primary = made.people < THRESHOLD
    hidden = choice.hide(made.relations, primary, made.people + 1.0)
    assert (hidden >= primary).all()
    assert not set(computed(made.relations, hidden)) & set(np.flatnonzero(primary).tolist())
    if primary.any():
        assert set(computed(made.relations, primary)) or not (hidden & ~primary).any()


def least_cost(relations, primary, cost):
    """The least cost of hidden cells that keep primary ones from being computed, by trying all."""
    others = np.flatnonzero(~primary)
    best = np.inf
    for size in range(len(others) + 1):
        for more in itertools.combinations(others.tolist(), size):
            lost = cost[list(more)].sum()
            if lost >= best:
                continue
            hidden = primary.copy()
            hidden[list(more)] = True
            if not set(computed(relations, hidden)) & set(np.flatnonzero(primary).tolist()):
                best = lost
        if size >= 4 and np.isfinite(best):
            break
    return best


def test_it_hides_little_more_than_the_least():
    """Of small tables, against all choices of up to five more cells: within 2 times the least each,
    and a quarter more in all."""
    lost, least = [], []
    for seed in range(0, 16, 4):
        made = cube(seed, people=20)
        primary = made.people < THRESHOLD
        cost = made.people + 1.0
        hidden = choice.hide(made.relations, primary, cost)
        lost.append(cost[hidden & ~primary].sum())
        least.append(least_cost(made.relations, primary, cost))
    assert all(own <= 2 * best for own, best in zip(lost, least, strict=True))
    assert sum(lost) <= 1.25 * sum(least)


@pytest.mark.parametrize("many", [0, 10**9])
@pytest.mark.parametrize("seed", range(8))
def test_an_audit_says_what_exact_programs_say(seed, many, monkeypatch):
    """Of random hidden cells, by hypercubes and programs, and by programs alone."""
    monkeypatch.setattr("anonsql.statistics.audit.looking._MANY", many)
    made, rnd = cube(seed), random.Random(seed + 100)
    people = made.people
    hidden = np.array([rnd.random() < 0.6 for _ in people])
    bounds = exact_bounds(made.relations, people.tolist(), np.flatnonzero(hidden).tolist())
    low = np.where(hidden, np.maximum(people - 1, 0), np.nan).astype(float)
    high = np.where(hidden, np.maximum(people + 1, THRESHOLD), np.nan).astype(float)
    places = Places(grid_of(len(people), ties_of(made), people))
    found = audit(made.relations, people, hidden, needed=Needed(low, high), places=places)
    told = [
        cell
        for cell, (least, most) in bounds.items()
        if least > low[cell] or (most is not None and most < high[cell])
    ]
    assert set(told) <= set(found.cells.tolist())
    apart = set(found.cells.tolist()) - set(told)  # only fractions reach what is needed there
    assert len(apart) <= 1
    for cell, (least, most) in bounds.items():
        assert found.low[cell] >= least
        assert most is None or found.high[cell] <= most


def test_mending_ends_with_everything_protected():
    for seed in range(8):
        made = cube(seed)
        primary, cost = made.people < THRESHOLD, made.people + 1.0
        low = np.where(primary, np.maximum(made.people - 1, 0), np.nan)
        high = np.where(primary, THRESHOLD, np.nan).astype(float)
        hidden = choice.hide(made.relations, primary, cost)
        while len(
            failing := audit(made.relations, made.people, hidden, needed=Needed(low, high)).cells
        ):
            wider = choice.more(made.relations, hidden, failing, cost)
            assert (wider & ~hidden).any()
            hidden = wider
        free = np.flatnonzero(hidden).tolist()
        cells = np.flatnonzero(primary).tolist()
        for cell, (least, most) in exact_bounds(
            made.relations, made.people.tolist(), free, cells
        ).items():
            assert least <= low[cell]
            assert most is None or most >= THRESHOLD


def test_what_must_be_published_is():
    made = cube(0)
    primary = made.people < THRESHOLD
    cost = np.where(primary, 1.0, np.inf)
    with pytest.raises(PrivacyError, match="computed"):
        choice.hide(made.relations, primary, cost)
    with pytest.raises(PrivacyError, match="nothing else may be hidden"):
        choice.more(made.relations, primary, np.flatnonzero(primary), cost)


@pytest.mark.parametrize("seed", range(6))
def test_no_relation_tells_by_itself_what_is_asked_for(seed):
    """Hidden parts of a published whole are enough for each primary one to reach the threshold,
    with somebody in all others: brute force over relations; without being asked some are not."""
    made = cube(seed)
    primary, cost = made.people < THRESHOLD, made.people + 1.0
    reach = np.where(primary, np.maximum(made.people + 1, THRESHOLD) - 1.0, 0)
    rise = np.where(primary, reach - (made.people - 1.0), 0)
    asked = choice.Constraints(slack=choice.Slack(made.people - 1.0, rise, np.zeros(len(rise))))

    def told(hidden):
        matrix = made.relations.matrix.toarray()
        for line in matrix:
            (whole,), parts = np.flatnonzero(line > 0), np.flatnonzero((line < 0) & hidden)
            if hidden[whole] or not primary[parts].any():
                continue
            left = made.people[parts].sum() - (len(parts) - 1)
            yield left < max(reach[part] + 1 for part in parts if primary[part])

    hidden = choice.hide(made.relations, primary, cost, asked)
    assert not any(told(hidden))
    if seed == 0:
        assert any(told(choice.hide(made.relations, primary, cost)))


@pytest.mark.parametrize("many", [0, 10_000])
def test_the_choice_ends_when_the_time_is_over(many, monkeypatch):
    """It asks again and again whether there is time, with hypercubes and without."""
    monkeypatch.setattr(choice, "_MANY", many)
    made, asked_for = cube(1), 0
    people = made.people
    primary = people < THRESHOLD

    def check():
        nonlocal asked_for
        asked_for += 1
        if asked_for > 2:
            raise TimeLimitError("over")

    nothing = np.zeros(len(people))
    slack = choice.Slack(people + nothing, np.where(primary, 1.0, 0.0), nothing)
    grid = grid_of(len(people), ties_of(made), people)
    with pytest.raises(TimeLimitError):
        choice.hide(
            made.relations, primary, people + 1.0, choice.Constraints(None, slack, grid, check)
        )
