"""The audit by itself, against exact programs over fractions: what everybody knows besides what is
published, values of both signs, time that is over, and what hiding more cannot undo."""

import random

import numpy as np
import pytest

from anonsql.errors import TimeLimitError
from anonsql.statistics import audits
from anonsql.statistics.audit import Needed, Places, audit
from anonsql.statistics.cubes import Shown
from anonsql.statistics.grid import grid_of
from anonsql.statistics.relations import Relations, relations_of
from anonsql.system.clock import Clock

from .cube_oracle import cube_of, flat, ties_of
from .exact_bounds import exact_bounds
from .test_suppression import THRESHOLD, cube


def asked_of(values, hidden, reach=THRESHOLD):
    """What hidden cells need: to seem as many as the threshold, or one more than they are."""
    high = np.where(hidden, np.maximum(values + 1, reach), np.nan)
    return Needed(np.where(hidden, values, np.nan).astype(float), high.astype(float))


def told_of(bounds, needed):
    """The cells that cannot be what is needed, by exact bounds."""
    return {
        cell
        for cell, (least, most) in bounds.items()
        if (least is not None and least > needed.low[cell])
        or (most is not None and most < needed.high[cell])
    }


@pytest.mark.parametrize("many", [0, 10**9])
@pytest.mark.parametrize("seed", range(8))
def test_everybody_knows_what_values_are_not_below(seed, many, monkeypatch):
    """Whoever sees a cell knows that somebody is in it: with that more cells are told than without,
    and all of them are found, by hypercubes and programs as by programs alone."""
    monkeypatch.setattr("anonsql.statistics.audit.looking._MANY", many)
    made, rnd = cube(seed), random.Random(seed + 50)
    people = made.people
    hidden = np.array([rnd.random() < 0.5 for _ in people]) | (people < THRESHOLD)
    needed = asked_of(people, hidden)
    free = np.flatnonzero(hidden).tolist()
    floor = np.minimum(people, 1)
    bounds = exact_bounds(made.relations, people.tolist(), free, least=floor.tolist())
    places = Places(grid_of(len(people), ties_of(made), people))
    least = floor.astype(float)
    found = audit(made.relations, people, hidden, needed=needed, least=least, places=places)
    told = told_of(bounds, needed)
    assert told <= set(found.cells.tolist())
    assert len(set(found.cells.tolist()) - told) <= 1  # only fractions reach what is needed there
    for cell, (least, most) in bounds.items():
        assert found.low[cell] >= least
        assert most is None or found.high[cell] <= most
    careless = audit(made.relations, people, hidden, needed=needed)
    assert set(careless.cells.tolist()) <= set(found.cells.tolist())


def test_a_total_of_two_tells_the_one_that_is_nearly_all_of_it():
    """10 and 1 of 11: the first one cannot be 11, as somebody is in the second one."""
    relations = relations_of(3, (np.array([0, 0]), np.array([0, 0]), np.array([1, 2])))
    values, hidden = np.array([11, 10, 1]), np.array([False, True, True])
    needed = asked_of(values, hidden, reach=11)
    assert not len(audit(relations, values, hidden, needed=needed).cells)
    found = audit(relations, values, hidden, needed=needed, least=np.ones(3))
    assert found.cells.tolist() == [1, 2]
    assert found.high[1:].tolist() == [10, 10]


@pytest.mark.parametrize("seed", range(6))
def test_values_of_both_signs(seed):
    rnd = random.Random(seed)
    rows = [
        (who, [rnd.randrange(3), rnd.randrange(2)], rnd.randrange(-20, 30)) for who in range(12)
    ]
    made = cube_of(rows, [flat(3), flat(2)], [{0: 0, 1: 0}])
    amounts = np.array([round(value) for value in made.sums], np.int64)
    hidden = np.array([rnd.random() < 0.6 for _ in amounts])
    needed = Needed(
        np.where(hidden, amounts - 3.0, np.nan), np.where(hidden, amounts + 3.0, np.nan)
    )
    free = np.flatnonzero(hidden).tolist()
    relations = Relations(made.relations.matrix, np.ones_like(made.relations.exact))
    bounds = exact_bounds(relations, amounts.tolist(), free, least=None)
    found = audit(relations, amounts, hidden, needed=needed, least=-np.inf)
    assert set(found.cells.tolist()) == told_of(bounds, needed)


def test_values_below_their_least_are_refused():
    made = cube(0)
    hidden = made.people < THRESHOLD
    needed = asked_of(made.people, hidden)
    with pytest.raises(ValueError, match="below the least"):
        audit(made.relations, made.people, hidden, needed=needed, least=made.people + 1.0)


def of_people(made, hidden):
    """What is asked of a measure that counts people."""
    needed = asked_of(made.people, hidden)
    measure = Shown("people", "people", people=True)
    nobody, known = np.zeros(len(hidden), np.int64), np.ones(len(hidden), np.int64)
    asked = (measure, made.people, made.relations, needed.low, needed.high, nobody, known)
    return audits.AuditProblem(*asked)


def test_time_that_is_over_is_no_proof():
    made = cube(1)
    hidden = np.ones(len(made.people), bool)
    needed = asked_of(made.people, hidden)
    assert not len(audit(made.relations, made.people, hidden, needed=needed).cells)
    late = audit(made.relations, made.people, hidden, needed=needed, seconds=-1)
    assert late.cells.tolist() == list(range(len(made.people)))
    clock = Clock()
    clock.limit(1e-9, lambda: None)
    with pytest.raises(TimeLimitError):
        audits.failing([of_people(made, hidden)], audits.Published({"people": hidden}), clock)


@pytest.mark.parametrize("seed", range(6))
def test_hiding_more_undoes_no_proof(seed):
    """So that a later round may ask of those alone that an earlier one did not show."""
    made, rnd = cube(seed), random.Random(seed)
    hidden = (made.people < THRESHOLD) | np.array([rnd.random() < 0.3 for _ in made.people])
    more = hidden | np.array([rnd.random() < 0.3 for _ in made.people])
    one = of_people(made, made.people < THRESHOLD)

    def failing(asked, flags):
        return set(audits.failing([asked], audits.Published({"people": flags}), Clock()).tolist())

    before = failing(one, hidden)
    assert failing(one, more) <= before
    some = np.isin(np.arange(len(hidden)), sorted(before)[::2])
    assert failing(one.among(some), more) == failing(one, more) & set(np.flatnonzero(some).tolist())


@pytest.mark.parametrize("seed", range(8))
def test_whoever_knows_cells_is_held_off_others(seed):
    """What is left of others' cells for somebody who knows some, against exact programs: cells must
    seem as large as is needed, and nothing else changes for those who know nothing."""
    made, rnd = cube(seed), random.Random(seed + 9)
    people = made.people
    hidden = np.array([rnd.random() < 0.6 for _ in people]) | (people < THRESHOLD)
    needed, free = asked_of(people, hidden), np.flatnonzero(hidden).tolist()
    everybody = set(audit(made.relations, people, hidden, needed=needed).cells.tolist())
    coalitions = [np.array(sorted(rnd.sample(free, min(2, len(free))))) for _ in range(3)]
    found = audit(made.relations, people, hidden, needed=needed, coalitions=coalitions)
    assert {one.cell for one in found.failing if one.coalition is None} == everybody
    for number, known in enumerate(coalitions):
        left = [cell for cell in free if cell not in known]
        bounds = exact_bounds(made.relations, people.tolist(), left)
        told = {
            cell
            for cell, (_, most) in bounds.items()
            if most is not None and most < needed.high[cell] and cell not in everybody
        }
        learned = {one.cell for one in found.failing if one.coalition == number}
        assert told <= learned
        assert len(learned - told) <= 1  # only fractions reach what is needed there
