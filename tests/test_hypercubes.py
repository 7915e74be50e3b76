"""Hypercubes, held against the relations of cells and exact bounds."""

import random
from itertools import combinations

import numpy as np
import pytest

from anonsql.statistics import choice
from anonsql.statistics import grid as grids
from anonsql.statistics.audit import Needed, Places, audit
from anonsql.statistics.choice import corners
from anonsql.statistics.hypercubes import Hypercubes

from .cube_oracle import cube_of, flat, ties_of
from .test_audit import asked_of
from .test_suppression import THRESHOLD

NESTED = [[0, 1, 2, 3, 4], [0, 0, 1, 1, 1], [0] * 5]
TABLES = ({0: 0, 1: 0, 2: 0}, {1: 0, 2: 1, 3: 0})


def made_of(seed, people=250, tables=TABLES):
    """A cube of linked tables, three dimensions and two levels among them."""
    rnd = random.Random(seed)
    hierarchies = [NESTED, flat(3), [[0, 1, 2, 3], [0, 0, 1, 1], [0] * 4], flat(2)]
    sizes = [5, 3, 4, 2]
    rows = [
        (who, [min(int(rnd.expovariate(0.7)), size - 1) for size in sizes], 1.0)
        for who in range(people)
    ]
    return cube_of(rows, hierarchies, tables)


def grid_of(made):
    return grids.grid_of(len(made.people), ties_of(made), made.people)


@pytest.mark.parametrize("listed", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_a_grid_has_every_cell_where_its_groups_are(seed, listed, monkeypatch):
    made = made_of(seed)
    grid = grid_of(made)
    if not listed:
        monkeypatch.setattr(grids, "_LISTED", 10)
    assert (grid.cells(grid.place @ grid.strides) == np.arange(len(made.people))).all()
    places = grid.strides[0] * len(grid.dimensions[0].above)
    assert (grid.cells(np.arange(places)) >= 0).sum() == len(made.people)
    for dimension, own in enumerate(grid.place.T):
        by_group = {}
        for name, group in zip(made.position, own.tolist(), strict=True):
            assert by_group.setdefault(group, name[dimension]) == name[dimension]
        assert len(set(by_group.values())) == len(by_group)
        top = max(level for level, _ in by_group.values())
        of_grid = grid.dimensions[dimension]
        for group, (level, _) in by_group.items():
            assert of_grid.depth[group] == top - level
            assert by_group[int(of_grid.largest[group])][0] == min(
                level for level, _ in by_group.values()
            )


def test_there_is_no_grid_of_too_many_places(monkeypatch):
    made = made_of(0)
    monkeypatch.setattr(grids, "_MOST", 10)
    assert grid_of(made) is None
    nothing = np.zeros((3, 0), np.int64)
    assert grids.grid_of(1, nothing, np.ones(1)) is None


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("sign", [1, -1])
def test_changes_keep_every_sum(seed, sign):
    """No cell falls below 0, none changes that may not, and the cell goes as far as is asked
    for."""
    made, rnd = made_of(seed, 900, TABLES[:1]), random.Random(seed)
    room = made.people.astype(float)
    price = np.array([rnd.choice([0.0, 1.0, 2.0, 3.0, np.inf]) for _ in room])
    cubes, found = Hypercubes(grid_of(made), room, price), 0
    for cell in range(len(room)):
        needed = rnd.randint(1, 4)
        change = cubes.change(cell, sign, needed)
        if change is None:
            continue
        cells, by = change
        after = np.zeros(len(room))
        after[cells] = by
        assert len(set(cells.tolist())) == len(cells)
        assert after[cell] == sign * needed
        assert not (made.relations.matrix @ after).any()
        assert (room + after >= 0).all()
        assert np.isfinite(price[cells]).all()
        found += 1
    assert found >= 10


def test_the_cheapest_hypercube_is_taken():
    """Of a table of two dimensions: a cell and the corner across tell which is cheapest."""
    rows = [((a, b, n), [0, a, 0, b], 1.0) for a in range(3) for b in range(2) for n in range(9)]
    made = cube_of(rows, [NESTED, flat(3), flat(1), flat(2)], [{1: 0, 3: 0}])
    at = {(name[1], name[3]): place for name, place in made.position.items()}
    price = np.full(len(made.people), 3.0)
    price[at[(0, 2), (0, 0)]] = 1.0
    room = made.people.astype(float)
    cells, by = Hypercubes(grid_of(made), room, price).change(at[(0, 0), (0, 0)], 1, 5)
    corners = {(0, 0): 5, (2, 0): -5, (0, 1): -5, (2, 1): 5}
    assert dict(zip(cells.tolist(), by.tolist())) == {
        at[(0, a), (0, b)]: change for (a, b), change in corners.items()
    }


@pytest.fixture
def hypercubes_only(monkeypatch):
    """The choice and the audit of small tables look for hypercubes, and for nothing else."""
    monkeypatch.setattr(choice, "_MANY", 0)
    monkeypatch.setattr("anonsql.statistics.audit.looking._MANY", 0)
    for name in ("near", "within", "everywhere"):
        monkeypatch.setattr(f"anonsql.statistics.audit.search.Search.{name}", lambda *_: None)


def unprotected(made, known):
    """The cells of few people that an audit does not find protected by a choice that knows of a
    grid."""
    people, floor = made.people, np.minimum(made.people, 1).astype(float)
    primary = people < THRESHOLD
    rise = np.where(primary, THRESHOLD - people, 0.0)
    slack = choice.Slack(people - floor, rise, np.zeros(len(people)))
    constraints = choice.Constraints(None, slack, known)
    hidden = choice.hide(made.relations, primary, people + 1.0, constraints)
    assert (hidden >= primary).all()
    return audit(
        made.relations,
        people,
        hidden,
        needed=asked_of(people, primary),
        least=floor,
        places=Places(grid_of(made)),
        intervals=False,
    ).cells


@pytest.mark.usefixtures("hypercubes_only")
@pytest.mark.parametrize("seed", range(2))
def test_hidden_corners_protect(seed):
    """What the choice hides by hypercubes the audit shows by them; a choice without them leaves
    more to be found."""
    made = made_of(seed, 700, TABLES[:1])
    assert not len(unprotected(made, grid_of(made)))
    assert len(unprotected(made, None))


@pytest.mark.parametrize("seed", range(2))
def test_hidden_corners_let_cells_fall(seed, monkeypatch):
    """Sums must seem to be smaller, too: where the choice is asked for that, fewer cells are
    told."""
    monkeypatch.setattr(choice, "_MANY", 0)
    monkeypatch.setattr("anonsql.statistics.audit.looking._MANY", 0)
    for name in ("near", "within", "everywhere"):
        monkeypatch.setattr(f"anonsql.statistics.audit.search.Search.{name}", lambda *_: None)
    made, chance = made_of(seed, 700, TABLES[:1]), np.random.default_rng(seed)
    values = made.people.astype(float)
    primary = chance.random(len(values)) < 0.1
    fall = np.where(primary, np.ceil(values / 2), 0.0)
    grid, nothing = grid_of(made), np.zeros(len(values))
    needed = Needed(np.where(primary, values - fall, np.nan), np.where(primary, values, np.nan))
    failing = []
    for asked_for in (fall, nothing):
        asked = choice.Constraints(None, choice.Slack(values, nothing, asked_for), grid)
        hidden = choice.hide(made.relations, primary, values + 1.0, asked)
        found = audit(
            made.relations, values, hidden, needed=needed, places=Places(grid), intervals=False
        )
        failing.append(len(found.cells))
    assert 1.5 * failing[0] < failing[1]


def many_columns(seed):
    """All tables of three of six columns: of places together more than are listed."""
    rnd = random.Random(seed)
    rows = [(who, [min(int(rnd.expovariate(0.5)), 3) for _ in range(6)], 1.0) for who in range(500)]
    return cube_of(rows, [flat(4)] * 6, [dict.fromkeys(by, 0) for by in combinations(range(6), 3)])


@pytest.mark.usefixtures("hypercubes_only")
@pytest.mark.parametrize("seed", range(2))
def test_hypercubes_of_many_columns_are_projected_on_all_tables(seed, monkeypatch):
    """A corner of all columns is a cell in every table: what changes holds in all of them."""
    monkeypatch.setattr(grids, "_LISTED", 10_000)
    made = many_columns(seed)
    grid = grid_of(made)
    assert grid.strides[0] * len(grid.dimensions[0].above) > grids._LISTED
    assert not len(unprotected(made, grid))


@pytest.mark.parametrize("most", [0, 20_000])
def test_contributors_who_know_their_cells_are_audited_as_without_hypercubes(most, monkeypatch):
    """Each begins anew: what one knows another does not, and everybody else's tables come back."""
    made = made_of(3, 400, TABLES[:1])
    people, grid, rnd = made.people, grid_of(made), random.Random(5)
    primary = people < THRESHOLD
    hidden = people < 4 * THRESHOLD
    secret = np.flatnonzero(hidden).tolist()
    coalitions = [np.array(sorted(rnd.sample(secret, 12))) for _ in range(8)]

    def told(places):
        found = audit(
            made.relations,
            people,
            hidden,
            needed=asked_of(people, primary),
            least=np.minimum(people, 1).astype(float),
            coalitions=coalitions,
            places=places,
        )
        return {(failing.cell, failing.coalition) for failing in found.failing}

    exact = told(None)
    assert any(coalition is not None for _, coalition in exact)
    monkeypatch.setattr("anonsql.statistics.audit.looking._MANY", 0)
    monkeypatch.setattr("anonsql.statistics.audit.looking._MOST", most)
    monkeypatch.setattr("anonsql.statistics.audit.proposals._LEFT", 10_000)
    assert told(Places(grid)) == exact


def test_what_was_not_checked_in_time_shows_nothing(monkeypatch):
    """Programs that the time ends leave no table behind that counts without a check."""
    monkeypatch.setattr("anonsql.statistics.audit.looking._MANY", 0)
    monkeypatch.setattr("anonsql.statistics.audit.looking._MOST", 0)
    monkeypatch.setattr("anonsql.statistics.audit.proposals._LEFT", 10_000)
    monkeypatch.setattr("anonsql.statistics.audit.shown.certified", refused)
    monkeypatch.setattr(Hypercubes, "change", lambda *_, **__: None)
    made = made_of(0, 400, TABLES)
    people, left = made.people, iter([0.0] * 40)
    monkeypatch.setattr(
        "anonsql.statistics.audit.proposals.time.monotonic", lambda: next(left, np.inf)
    )
    found = audit(
        made.relations,
        people,
        people < 2 * THRESHOLD,
        needed=asked_of(people, people < THRESHOLD),
        least=np.minimum(people, 1).astype(float),
        places=Places(grid_of(made)),
        intervals=False,
        seconds=1e6,
    )
    assert len(found.cells) == (people < THRESHOLD).sum()


def refused(_relations, _values, _free, changes, _least, *, integral):
    """No table holds."""
    assert integral
    return np.zeros(changes.shape[0], np.bool_)


@pytest.mark.parametrize("seed", range(2))
def test_programs_show_what_hypercubes_leave(seed, monkeypatch):
    """Of large systems programs over what is around each cell tell what an audit of all tells,
    where little else is around; and nothing of cells that can be told."""
    made = made_of(seed, 400, TABLES)
    people, grid = made.people, grid_of(made)
    primary = people < THRESHOLD
    hidden, floor = people < 2 * THRESHOLD, np.minimum(people, 1).astype(float)

    def failing(places, **how):
        needed = asked_of(people, primary)
        return audit(
            made.relations, people, hidden, needed=needed, least=floor, places=places, **how
        ).cells

    exact = failing(None)
    monkeypatch.setattr("anonsql.statistics.audit.looking._MANY", 0)
    monkeypatch.setattr("anonsql.statistics.audit.looking._MOST", 0)
    monkeypatch.setattr("anonsql.statistics.audit.proposals._LEFT", 10_000)
    monkeypatch.setattr(Hypercubes, "change", lambda *_, **__: None)
    assert set(failing(Places(grid))) == set(exact)
    assert len(failing(Places(grid), thorough=False)) > len(exact)


@pytest.mark.parametrize("seed", range(3))
def test_no_corner_that_is_needed_is_spared(seed):
    """All cells that a hypercube changes are hidden, each as often used as it is found."""
    made = made_of(seed, 300, TABLES)
    people, cost = made.people.astype(float), made.people + 1.0
    primary = made.people < THRESHOLD
    rise = np.where(primary, THRESHOLD - people, 0.0)
    slack = choice.Slack(people - np.minimum(people, 1), rise, np.zeros(len(people)))
    found = corners._Corners(grid_of(made), slack, primary, cost, lambda: None)
    found.find(np.flatnonzero(primary))
    for _ in range(3):
        found.spare()
        used = primary.astype(int)
        for cells in found._found.values():
            used[cells] += 1
        assert (found._used == used).all()
        assert len(found._found) > 10


def test_what_is_hidden_for_a_cell_alone_is_spared_where_others_hide_more(monkeypatch):
    """Less is hidden, and about as many cells can rise by hidden ones alone."""
    lost, risen = [], []
    for again in (0, 2):
        monkeypatch.setattr(corners, "_AGAIN", again)
        total, rising = 0.0, 0
        for seed in range(4):
            made = made_of(seed, 300, TABLES[:1])
            people, cost = made.people.astype(float), made.people + 1.0
            primary = made.people < THRESHOLD
            room, rise = people - np.minimum(people, 1), np.where(primary, THRESHOLD - people, 0.0)
            slack = choice.Slack(room, rise, np.zeros(len(people)))
            cells = np.flatnonzero(primary)
            grid = grid_of(made)
            asked = choice.Constraints(None, slack, grid)
            hidden = corners.with_corners(primary, cells, cost, asked)
            assert (hidden >= primary).all()
            total += cost[hidden].sum()
            cubes = Hypercubes(grid, room, np.where(hidden, 0.0, np.inf))
            found = [cubes.change(cell, 1, rise[cell]) for cell in cells.tolist()]
            rising += sum(change is not None for change in found)
        lost.append(total)
        risen.append(rising)
    assert lost[1] < lost[0]
    assert 50 < 0.95 * risen[0] < risen[1]
