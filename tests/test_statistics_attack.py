"""Analysts attack published statistics: by subtraction, by linked tables, by two months, and as
contributors who know themselves. Primary suppression alone falls; what is published does not.

The attackers have nothing but the published tables, their knowledge of hierarchies, and exact
linear programs over fractions."""

from __future__ import annotations

import random

import numpy as np
import pytest
from scipy.sparse import csr_array

import anonsql
from anonsql.errors import PolicyError, VerificationError
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.statistics import audits, rules
from anonsql.statistics.cells import Cells
from anonsql.statistics.cubes import TableMeasure
from anonsql.statistics.earlier import Earlier
from anonsql.statistics.relations import Relations
from anonsql.system.clock import Clock
from anonsql.verification.statistics import exposure
from anonsql.verification.statistics.recount import Recounted

from .exact_bounds import exact_bounds
from .support import make_table, opened

COUNTRY = {"north": "A", "south": "A", "east": "B", "isle": "B"}
THRESHOLD = 5


def people(seed, count, first=0):
    """Rows of a table of visits: person, region, sex, illness, cost."""
    rnd = random.Random(seed)
    return [
        (
            first + number,
            rnd.choices([*COUNTRY], [8, 5, 3, 1])[0],
            rnd.choice("fm"),
            rnd.choices(["flu", "cold", "rare"], [6, 4, 1])[0],
            rnd.randrange(1, 100),
        )
        for number in range(count)
    ]


def policy_of(folder, rows, tables, **protect):
    """A policy over a table of these rows."""
    columns = dict.fromkeys(("region", "sex", "illness"), "VARCHAR")
    columns = {"person": "INTEGER", **columns, "cost": "INTEGER"}
    (folder / "source.duckdb").unlink(missing_ok=True)
    make_table(folder / "source.duckdb", columns, rows, "visits")
    with opened(folder / "source.duckdb") as connection:
        connection.execute("CREATE OR REPLACE TABLE regions (region VARCHAR, country VARCHAR)")
        connection.executemany("INSERT INTO regions VALUES (?, ?)", [*COUNTRY.items()])
    tree = {"type": "table", "table": "regions", "key": "region", "levels": ["country"]}
    return {
        "source": {"database": str(folder / "source.duckdb"), "table": "visits"},
        "statistics": {
            "by": {"region": {"hierarchy": tree}, "sex": {}, "illness": {}},
            "of": {"visits": "count"},
            "tables": tables,
        },
        "protect": {"entity": "person", "threshold": THRESHOLD, **protect},
        "release": {"database": str(folder / "published.duckdb")},
    }


TABLES = [["region", "sex"], ["region", "illness"]]


def published(folder, tables):
    """The published cells, by their labels: each label with its dimension; None where hidden."""
    cells = {}
    with opened(folder / "published.duckdb", read_only=True) as connection:
        for by in tables:
            names = ", ".join(f'"{name}", "{name}_level"' for name in by)
            for *labels, visits in connection.execute(
                f"SELECT {names}, visits FROM {'_'.join(by)}"
            ).fetchall():
                pairs = zip(by, labels[::2], labels[1::2], strict=True)
                cells[frozenset((name, level, label) for name, label, level in pairs
                                if label != "*")] = visits  # fmt: skip
    return cells


def ties(cells):
    """What an analyst knows: every cell is the sum of those with one more step of one dimension."""
    index = {cell: number for number, cell in enumerate(cells)}
    parts = {}
    for cell in cells:
        for name, level, label in cell:
            rest = cell - {(name, level, label)}
            above = rest | {(name, 1, COUNTRY[label])} if (name, level) == ("region", 0) else rest
            if above in index:
                parts.setdefault((above, name), []).append(cell)
    rows, columns, signs = [], [], []
    for number, ((whole, _), members) in enumerate(parts.items()):
        rows += [number] * (1 + len(members))
        columns += [index[whole], *(index[member] for member in members)]
        signs += [1, *[-1] * len(members)]
    shape = (len(parts), len(index))
    matrix = csr_array((np.array(signs, np.int8), (rows, columns)), shape=shape)
    return Relations(matrix, np.ones(len(parts), bool)), index


def counted(rows, cells):
    """The true values of cells."""
    return {cell: sum(inside(row, cell) for row in rows) for cell in cells}


def inside(row, cell):
    """Whether a row is in a cell."""
    return all(
        label == (COUNTRY[row[1]] if level else row[1])
        if name == "region"
        else label == row[2 if name == "sex" else 3]
        for name, level, label in cell
    )


def told(cells, truth):
    """The cells of too few people of which an analyst knows that they are."""
    relations, index = ties(cells)
    values = [truth[cell] for cell in index]
    free = [index[cell] for cell, visits in cells.items() if visits is None]
    small = [index[cell] for cell in cells if truth[cell] < THRESHOLD]
    # whoever sees that a table has a cell knows that somebody is in it
    shown = [number for number in small if number not in free]
    small = [number for number in small if number in free]
    bounds = exact_bounds(relations, values, free, small, least=[1] * len(values))
    return shown + [
        number
        for number in small
        if bounds[number][1] is not None and bounds[number][1] < THRESHOLD
    ]


@pytest.mark.parametrize("seed", range(3))
def test_analysts_who_subtract(tmp_path, seed):
    """Over the margins, the hierarchy, and two tables that share cells."""
    rows = people(seed, 60)
    anonsql.tabulate(policy_of(tmp_path, rows, TABLES))
    cells = published(tmp_path, TABLES)
    truth = counted(rows, cells)
    assert {cell: visits for cell, visits in cells.items() if visits is not None}.items() <= (
        truth.items()
    )
    assert not told(cells, truth)
    alone = {cell: None if truth[cell] < THRESHOLD else truth[cell] for cell in cells}
    assert told(alone, truth), "primary suppression alone falls"


def test_a_hidden_row_tells_that_somebody_is_there(tmp_path):
    """Two hidden cells of one total: that of 1 cannot be 0, so the other one cannot be as many as
    the threshold. An analyst who takes 0 for possible does not see that; the audit does."""
    sexes = {"f": THRESHOLD - 1, "m": 1}
    people = (sex for sex, count in sexes.items() for _ in range(count))
    others = (sex for sex in "fm" for _ in range(20))
    rows = [(n, "north", sex, "flu", 1) for n, sex in enumerate(people)]
    rows += [(100 + n, "isle", sex, "flu", 1) for n, sex in enumerate(others)]
    tables = [["region", "sex"], ["illness"]]
    anonsql.tabulate(policy_of(tmp_path, rows, tables))
    cells = published(tmp_path, tables)
    truth = counted(rows, cells)
    assert not told(cells, truth)
    north = [cell for cell in cells if ("region", 0, "north") in cell or ("region", 1, "A") in cell]
    few = {cell: None if truth[cell] < THRESHOLD else truth[cell] for cell in north}
    careless = exact_bounds(*_of(few, truth))
    careful = exact_bounds(*_of(few, truth), least=[1] * len(few))
    assert max(most for _, most in careless.values()) == THRESHOLD
    assert max(most for _, most in careful.values()) == THRESHOLD - 1


@pytest.mark.parametrize("seed", [14, 30])
def test_contributors_who_know_themselves(tmp_path, seed, monkeypatch):
    """Whoever is alone in a hidden cell knows its sum, and takes it off what totals leave: where
    the audit forgets that, somebody computes the sum of others."""
    rows = people(seed, 40)
    released = {}
    for name in ("knowing", "forgetting"):
        folder = tmp_path / name
        folder.mkdir()
        policy = policy_of(folder, rows, TABLES, p_percent=0.1)
        del policy["protect"]["threshold"]
        policy["statistics"]["of"] = {"visits": {"sum": "cost"}}
        if name == "forgetting":
            nobody = property(lambda self: np.zeros(self.size, np.int64))
            monkeypatch.setattr(Cells, "holder", nobody)
            monkeypatch.setattr(Recounted, "holder", nobody)
        anonsql.tabulate(policy)
        released[name] = published(folder, TABLES)
    assert not _told_to_contributors(released["knowing"], rows)
    assert _told_to_contributors(released["forgetting"], rows), "who is forgotten computes others"


def _told_to_contributors(cells, rows):
    """The people and hidden cells of others whose sums these people can compute."""
    relations, index = ties(cells)
    of_cell = {cell: [row for row in rows if inside(row, cell)] for cell in cells}
    values = [sum(row[4] for row in of_cell[cell]) for cell in index]
    hidden = [cell for cell, cost in cells.items() if cost is None]
    alone = {}
    for cell in hidden:
        if len(of_cell[cell]) == 1:
            alone.setdefault(of_cell[cell][0][0], []).append(cell)
    few = [cell for cell in hidden if len(of_cell[cell]) <= 2]  # the p% rule forbids all of these
    found = []
    for who, known in alone.items():
        free = [index[cell] for cell in hidden if cell not in known]
        others = [index[cell] for cell in few if cell not in known]
        bounds = exact_bounds(relations, values, free, others)
        found += [(who, cell) for cell, (least, most) in bounds.items() if least == most]
    return found


def _of(cells, truth):
    """What ties some cells together, their values, and which are hidden."""
    relations, index = ties(cells)
    hidden = [index[cell] for cell, visits in cells.items() if visits is None]
    return relations, [truth[cell] for cell in index], hidden


def few_added(before, after, truth, later):
    """The cells of which two releases tell that a few were added."""
    return [
        cell
        for cell, visits in after.items()
        if visits is not None
        and before.get(cell, 0) is not None
        and 0 < later[cell] - truth.get(cell, 0) < THRESHOLD
    ]


@pytest.mark.parametrize("uncertain", ["threshold", "double"])
def test_analysts_who_subtract_months(tmp_path, uncertain):
    """Without ``over_time`` two releases tell how many were added; with it they do not, and what
    the first one hid stays hidden."""
    rows = people(1, 90)
    later = rows + people(2, 7, first=90)
    released = {}
    for name, protect in (("alone", {}), ("together", {"over_time": "added"})):
        folder = tmp_path / name
        folder.mkdir()
        months = []
        for month in (rows, later):
            anonsql.tabulate(policy_of(folder, month, TABLES, uncertain=uncertain, **protect))
            months.append(published(folder, TABLES))
        released[name] = months
    truth, then = counted(later, released["alone"][1]), counted(rows, released["alone"][0])
    assert few_added(*released["alone"], then, truth), "months apart fall"
    before, after = released["together"]
    assert not few_added(before, after, then, truth)
    assert not _of_both(before, after, then, truth, twice=uncertain == "double")


def _of_both(before, after, then, now, *, twice=False):
    """The cells of too few people, at either time, that both releases together tell to be so, or to
    have less than ``twice`` as many as they have."""
    relations, index = ties(after)
    size, matrix = len(index), relations.matrix.toarray()
    unit = np.eye(size, dtype=int)
    nothing = np.zeros_like(matrix)
    blocks = [
        [matrix, nothing, nothing],
        [nothing, matrix, nothing],
        [-unit, unit, -unit],
    ]
    both = Relations(csr_array(np.block(blocks)), np.ones(2 * len(matrix) + size, bool))
    first = [then.get(cell, 0) for cell in index]
    second = [now[cell] for cell in index]
    values = [*first, *second, *(b - a for a, b in zip(first, second, strict=True))]
    unseen = [n for n, cell in enumerate(index) if before.get(cell, 0) is None]
    hidden = [n for n, cell in enumerate(index) if after[cell] is None]
    free = unseen + [size + n for n in hidden] + [2 * size + n for n in {*unseen, *hidden}]
    few = [n for n in unseen if first[n] < THRESHOLD]
    few += [size + n for n in hidden if second[n] < THRESHOLD]
    least = [*(min(value, 1) for value in (*first, *second)), *[0] * size]
    bounds = exact_bounds(both, values, free, few, least=least)
    wanted = {n: max(values[n] + 1, 2 * values[n]) if twice else THRESHOLD for n in few}
    return [n for n in few if bounds[n][1] is not None and bounds[n][1] < wanted[n]]


def test_all_that_publishes_nothing_knows_earlier_releases(tmp_path, monkeypatch):
    """A dry run hides what the run would; verification audits a release with those before it."""
    rows, later = people(1, 90), people(1, 90) + people(2, 7, first=90)
    anonsql.tabulate(policy_of(tmp_path, rows, TABLES, over_time="added"))
    policy = policy_of(tmp_path, later, TABLES, over_time="added")
    tried = anonsql.tabulate(policy, dry_run=True)
    report = anonsql.tabulate(policy)
    assert [table.measures for table in tried.tables] == [table.measures for table in report.tables]
    apart = anonsql.tabulate(policy_of(tmp_path, later, TABLES), dry_run=True)
    assert apart.tables[1].measures[0].hidden < report.tables[1].measures[0].hidden
    seen = []
    failing = audits.failing

    def noted(asked, boxes, published, clock):
        seen.append(len(published.earlier))
        return failing(asked, boxes, published, clock)

    monkeypatch.setattr(audits, "failing", noted)
    assert anonsql.verify(policy, against_source=True).status == "verified"
    assert seen == [1]
    with pytest.raises(PolicyError, match="does not contain the current release"):
        anonsql.verify({**policy, "catalog": str(tmp_path / "other")}, against_source=True)


def test_changed_values_are_not_verified_without_their_secret(tmp_path):
    policy = policy_of(tmp_path, people(1, 90), TABLES, threshold=None, by="cell-key")
    del policy["protect"]["threshold"]
    anonsql.tabulate(policy)
    anonsql.verify(policy, against_source=True)
    with pytest.raises(PolicyError, match="no secret"):
        anonsql.verify({**policy, "catalog": str(tmp_path / "other")}, against_source=True)


def test_a_source_that_loses_rows_is_refused(tmp_path):
    rows = people(3, 40)
    anonsql.tabulate(policy_of(tmp_path, rows, TABLES, over_time="added"))
    with pytest.raises(PolicyError, match="over_time"):
        anonsql.tabulate(policy_of(tmp_path, rows[:-5], TABLES, over_time="added"))
    with pytest.raises(PolicyError, match="other dimensions"):
        tables = [TABLES[0], ["region", "sex", "illness"]]
        anonsql.tabulate(policy_of(tmp_path, rows, tables, over_time="added"))


def test_rows_tell_of_people(tmp_path):
    """People and rows of the same cells are hidden together: somebody who is counted has a row."""
    rows = [row for row in people(4, 50) for _ in range(1 + row[0] % 3)]
    policy = policy_of(tmp_path, rows, TABLES)
    policy["statistics"]["of"] = {"visits": "count", "patients": {"count": "person"}}
    anonsql.tabulate(policy)
    with opened(tmp_path / "published.duckdb", read_only=True) as connection:
        for by in TABLES:
            apart = "SELECT COUNT(*) FROM {} WHERE visits_status <> patients_status"
            assert connection.execute(apart.format("_".join(by))).fetchone() == (0,)


def most_of_rare(folder):
    """What readers know the rare to be at most: the total less what others are, or are at least."""
    with opened(folder / "published.duckdb", read_only=True) as connection:
        rows = connection.execute("SELECT illness, visits, cost FROM illness").fetchall()
    cells = {illness: (visits, cost) for illness, visits, cost in rows}
    total, _ = cells.pop("*")
    assert cells.pop("rare") == (None, None)
    for visits, cost in cells.values():
        total -= visits if visits is not None else 1 if cost is None else THRESHOLD
    return total


def test_a_published_sum_tells_how_many_there_are(tmp_path, monkeypatch):
    """Sums of fewer people than the threshold are hidden: where one is published, its cell has as
    many, which may tell the hidden count beside it."""
    few = [*[("cold", 300)] * 5, *[("rare", 2500)] * 2]
    costs = [("flu", 10_000), *[("flu", 30)] * 13, *few]
    rows = [(n, "north", "f", illness, cost) for n, (illness, cost) in enumerate(costs)]
    policy = policy_of(tmp_path, rows, [["illness"]], p_percent=0.1)
    policy["statistics"]["of"] = {"visits": "count", "cost": {"sum": "cost"}}
    policy["statistics"]["by"] = {"illness": {}}
    with monkeypatch.context() as careless:
        careless.setattr(rules, "known_people", lambda there, *_: there.astype(np.int64))
        with pytest.raises(VerificationError, match="can be recovered"):  # the proof knows it
            anonsql.tabulate(policy)
        careless.setattr(exposure, "known_people", lambda there, *_: there.astype(np.int64))
        anonsql.tabulate(policy)
        assert most_of_rare(tmp_path) == 2  # what it is
    with pytest.raises(VerificationError, match="can be recovered"):
        anonsql.verify(policy, against_source=True)
    anonsql.tabulate(policy)
    assert most_of_rare(tmp_path) >= THRESHOLD
    anonsql.verify(policy, against_source=True)


@pytest.mark.parametrize("told", [0, THRESHOLD])
def test_sums_that_were_published_before_tell_how_many_there_were(told):
    """Of 14 people six had flu and six a cold: whoever knows that both were at least five knows
    that no more than four had what is rare, though counts of now tell nothing."""
    matrix = csr_array(np.array([[1, -1, -1, -1]], np.int8))
    counts = np.array([14, 6, 6, 2])
    nobody, hidden = np.zeros(4, np.int64), np.array([False, True, True, True])
    low, high = np.array([np.nan] * 3 + [2.0]), np.array([np.nan] * 3 + [float(THRESHOLD)])
    now = audits.AuditProblem(
        TableMeasure("patients", "people", people=True),
        counts,
        matrix,
        low,
        high,
        nobody,
        nobody,
        counts,
        np.zeros(4, bool),
    )
    before = Earlier(
        {"people": counts},
        np.array([0, told, told, 0]),
        {"patients": hidden},
        {"patients": low},
        {"patients": high},
    )
    failing = audits.failing([now], None, {"patients": hidden}, [before], Clock())
    assert failing.tolist() == ([3] if told else [])


def test_the_catalog_keeps_what_sums_told(tmp_path, monkeypatch):
    """Later releases know how many people the sums of an earlier one told to be there, by the
    threshold of then."""
    policy = policy_of(tmp_path, people(1, 90), TABLES, p_percent=0.1, over_time="added")
    policy["statistics"]["of"] = {"visits": "count", "cost": {"sum": "cost"}}
    anonsql.tabulate(policy)
    seen = []
    failing = audits.failing

    def noted(asked, boxes, hidden, earlier, clock):
        seen.extend(earlier)
        return failing(asked, boxes, hidden, earlier, clock)

    monkeypatch.setattr(audits, "failing", noted)
    later = policy_of(
        tmp_path, people(1, 90) + people(2, 60, first=90), TABLES, p_percent=0.1, over_time="added"
    )
    later["statistics"]["of"] = policy["statistics"]["of"]
    later["protect"]["threshold"] = THRESHOLD + 1
    anonsql.tabulate(later)
    assert seen
    told = seen[0].known
    assert ((told == THRESHOLD) == ~seen[0].hidden["cost"]).all()
    assert set(told.tolist()) == {0, THRESHOLD}


def by_illness(folder, cells, measures, **protect):
    """A policy over visits of illnesses: what everybody paid (a list an illness, a number a visit
    or, of who came again and again, several)."""
    rows, person = [], 0
    for illness, paid in cells.items():
        for costs in paid:
            rows += [(person, "north", "f", illness, cost) for cost in costs]
            person += 1
    policy = policy_of(folder, rows, [["illness"]], **protect)
    policy["statistics"] |= {"of": measures, "by": {"illness": {}}}
    return policy


def shown_of(folder, *measures):
    """The published cells by illness; a measure is None where it is hidden."""
    with opened(folder / "published.duckdb", read_only=True) as connection:
        statement = f"SELECT illness, {', '.join(measures)} FROM illness"
        return {illness: values for illness, *values in connection.execute(statement).fetchall()}


OFTEN = {"A": [[1, 1], [1], [1]], "B": [[1] * 18], "C": [[1]] * 30, "D": [[1]] * 30}


def most_visits_of_a(folder):
    """What the one who came 18 times for B can know of the visits for A at most."""
    cells = {illness: visits for illness, (visits,) in shown_of(folder, "visits").items()}
    assert cells.pop("A") is None is cells.pop("B")
    if (total := cells.pop("*")) is None:
        return np.inf
    return total - 18 - sum(1 if visits is None else visits for visits in cells.values())


def test_who_is_alone_with_many_rows_knows_them(tmp_path, monkeypatch):
    """Somebody who was in a cell 18 times subtracts that from what is hidden together."""
    policy = by_illness(tmp_path, OFTEN, {"visits": "count"})
    with monkeypatch.context() as careless:
        nobody = property(lambda self: np.zeros(len(self.values), np.int64))
        careless.setattr(audits.AuditProblem, "owners", nobody)
        anonsql.tabulate(policy)
        assert most_visits_of_a(tmp_path) < THRESHOLD
    with pytest.raises(VerificationError, match="can be recovered"):
        anonsql.verify(policy, against_source=True)
    anonsql.tabulate(policy)
    assert most_visits_of_a(tmp_path) >= THRESHOLD
    anonsql.verify(policy, against_source=True)


def test_where_people_are_counted_rows_can_move_as_they_do(tmp_path):
    """What the one who came 18 times knows of rows is no more than what people leave open."""
    measures = {"visits": "count", "patients": {"count": "person"}}
    policy = by_illness(tmp_path, OFTEN, measures)
    anonsql.tabulate(policy)
    assert most_visits_of_a(tmp_path) >= THRESHOLD


def test_rules_of_sums_tell_how_many_there_are(tmp_path, monkeypatch):
    """A sum that p% lets through has three contributors, though the threshold is two."""
    cells = {"A": [[10]], "B": [[10]] * 3, "C": [[1000]] + [[1]] * 29, "D": [[10]] * 50}
    measures = {"patients": {"count": "person"}, "cost": {"sum": "cost"}}
    policy = by_illness(tmp_path, cells, measures, p_percent=0.1, threshold=2)

    def most_of_a():
        known = shown_of(tmp_path, "patients", "cost")
        (total, _), (of_a, _) = known.pop("*"), known.pop("A")
        assert of_a is None
        for patients, cost in known.values():
            total -= patients if patients is not None else 1 if cost is None else 3
        return total

    with monkeypatch.context() as careless:
        careless.setattr(rules, "contributors", lambda protect: protect.threshold)
        with pytest.raises(VerificationError, match="can be recovered"):  # the proof knows it
            anonsql.tabulate(policy)
        careless.setattr(exposure, "known_people", rules.known_people)
        anonsql.tabulate(policy)
        assert most_of_a() == 1
    anonsql.tabulate(policy)
    assert most_of_a() >= 2
    anonsql.verify(policy, against_source=True)


@pytest.mark.parametrize(
    "added",
    [
        [{"A": [[777]], "C": [[10]] * 20}, {"A": [[10]] * 7, "B": [[10]] * 7}],
        [{"A": [[1]] * 3}, {"A": [[1000]] * 3}],
    ],
)
def test_a_sum_that_tells_of_an_earlier_release_is_hidden(tmp_path, added):
    """Cells that could be published by themselves are hidden where they tell what came in."""
    cells = {"A": [[50]] * (3 if len(added[0]) == 1 else 30), "B": [[10]] * 30, "C": [[10]] * 30}
    measures, rows = {"cost": {"sum": "cost"}}, {}
    for more in ({}, *added):
        rows = {
            illness: [*paid, *more.get(illness, ())] for illness, paid in (rows or cells).items()
        }
        policy = by_illness(tmp_path, rows, measures, over_time="added")
        anonsql.tabulate(policy)
        anonsql.verify(policy, against_source=True)
    assert shown_of(tmp_path, "cost")["A"] == [None]


def test_another_catalog_is_refused_where_a_release_lies(tmp_path):
    """With another secret the mean of two releases is closer to the truth; what another catalog
    knows of earlier releases nobody audits."""
    rows = people(1, 90)
    keyed = policy_of(tmp_path, rows, TABLES, by="cell-key")
    del keyed["protect"]["threshold"]
    anonsql.tabulate(keyed)
    other = {**keyed, "catalog": str(tmp_path / "other")}
    assert "lacks the secret" in str(anonsql.check(other).problems)
    with pytest.raises(PolicyError, match="lacks the secret"):
        anonsql.tabulate(other)
    elsewhere = {"release": {"database": str(tmp_path / "elsewhere.duckdb")}}
    anonsql.tabulate({**other, **elsewhere})
    with pytest.raises(PolicyError, match="lacks the secret"):
        anonsql.tabulate(other)
    (tmp_path / "published.duckdb").unlink()
    plain = policy_of(tmp_path, rows, TABLES)
    anonsql.tabulate(plain)
    added = policy_of(tmp_path, rows, TABLES, over_time="added")
    assert "has no cells of the current release" in str(anonsql.check(added).warnings)
    assert "has no cells of the current release" in str(anonsql.tabulate(added).warnings)
    assert not anonsql.tabulate(added).warnings
    lost = {**added, "catalog": str(tmp_path / "lost")}
    assert "does not contain the current release" in str(anonsql.check(lost).problems)
    with pytest.raises(PolicyError, match="does not contain the current release"):
        anonsql.tabulate(lost)


@pytest.mark.parametrize(
    "protect", [{"by": "cell-key"}, {"by": "rounding", "rounding": {"controlled": False}}]
)
def test_a_release_of_another_draw_is_not_replaced_silently(tmp_path, monkeypatch, protect):
    """Older versions drew by the keys of cells themselves, and did not state how: such a release is
    refused by itself, and the run that replaces it warns once."""
    policy = policy_of(tmp_path, people(1, 90), TABLES, **protect)
    del policy["protect"]["threshold"]
    facts = StatisticsPolicy.facts.fget
    with monkeypatch.context() as older:
        others = property(lambda self: {n: v for n, v in facts(self).items() if n != "drawn_by"})
        older.setattr(StatisticsPolicy, "facts", others)
        assert not anonsql.tabulate(policy).warnings
    with pytest.raises(VerificationError, match="drawn_by"):
        anonsql.verify(policy)
    assert "withdraw all copies" in str(anonsql.check(policy).warnings)
    assert "withdraw all copies" in str(anonsql.tabulate(policy).warnings)
    assert not anonsql.tabulate(policy).warnings
    anonsql.verify(policy, against_source=True)


def test_sums_are_rounded_alike_wherever_they_stand(tmp_path):
    """The same people give the same rounded sum, whatever other sums a policy has: two draws would
    tell more."""
    rows, found = people(3, 90), []
    for measures in (
        {"x": {"sum": "cost"}, "y": {"sum": "person"}},
        {"y": {"sum": "person"}, "x": {"sum": "cost"}},
    ):
        policy = policy_of(tmp_path, rows, [["region", "illness"]], by="rounding")
        del policy["protect"]["threshold"]
        policy["protect"]["rounding"] = {
            "base": 5,
            "bases": {"x": 100, "y": 50},
            "controlled": False,
        }
        policy["statistics"] |= {"of": measures}
        policy["statistics"]["by"].pop("sex")
        anonsql.tabulate(policy)
        with opened(tmp_path / "published.duckdb", read_only=True) as connection:
            statement = (
                "SELECT region, region_level, illness, illness_level, x, y FROM region_illness"
            )
            found.append(set(connection.execute(statement).fetchall()))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("of", "decimals"), [("0.5::DOUBLE", 9), ("1.5::DECIMAL(18,9)", 9), ("1e9::DOUBLE", 4)]
)
def test_sums_of_many_decimals_are_published(tmp_path, of, decimals):
    """As far as they are counted exactly."""
    with opened(tmp_path / "source.duckdb") as connection:
        connection.execute(
            f"CREATE TABLE t AS SELECT i AS who, i % 3 AS g, {of} AS x FROM range(90) AS r(i)"
        )
    policy = {
        "source": {"database": str(tmp_path / "source.duckdb"), "table": "t"},
        "statistics": {
            "by": {"g": {}},
            "of": {"x": {"sum": "x", "decimals": decimals}},
            "tables": [["g"]],
        },
        "protect": {"entity": "who", "threshold": 3},
        "release": {"database": str(tmp_path / "published.duckdb")},
    }
    anonsql.tabulate(policy)
    assert anonsql.verify(policy, against_source=True).status == "verified"


@pytest.mark.parametrize("knowing", [True, False])
def test_who_is_alone_in_a_cell_knows_its_rows_where_people_are_counted_too(
    tmp_path, monkeypatch, knowing
):
    """A person alone in a cell with three rows subtracts them: of four hidden cells, two in each row
    and column, she computes the other three. Forgetting her hides no more than these."""
    counts = {("a", "x"): 3, ("a", "y"): 20, ("b", "x"): 20}
    labels = [(one, other) for one in "abc" for other in "xyz" if (one, other) != ("b", "y")]
    people_of = [label for label in labels for _ in range(counts.get(label, 300))]
    rows = [(who, *label) for who, label in enumerate(people_of)]
    rows += [(len(rows), "b", "y")] * 3
    make_table(
        tmp_path / "s.duckdb", {"who": "INTEGER", "one": "VARCHAR", "other": "VARCHAR"}, rows, "t"
    )
    policy = {
        "source": {"database": str(tmp_path / "s.duckdb"), "table": "t"},
        "statistics": {
            "by": {"one": {}, "other": {}},
            "of": {"rows": "count", "people": {"count": "who"}},
            "tables": [["one", "other"]],
        },
        "protect": {"entity": "who", "threshold": 5},
        "release": {"database": str(tmp_path / "r.duckdb")},
    }
    if not knowing:
        nobody = property(lambda self: np.zeros(len(self.values), np.int64))
        monkeypatch.setattr(audits.AuditProblem, "owners", nobody)
    anonsql.tabulate(policy)
    with opened(tmp_path / "r.duckdb", read_only=True) as connection:
        hidden = connection.execute(
            "SELECT one, other FROM one_other WHERE one_level + other_level = 0 AND rows IS NULL"
        ).fetchall()
    square = {("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")}
    assert {*hidden} >= {("a", "x"), ("b", "y")}
    assert ({*hidden} == square) != knowing
