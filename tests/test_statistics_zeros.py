"""Where nobody is may be kept untold: cells of nobody are hidden rows, and nobody can tell them
from cells of few people. Analysts have the published tables, their knowledge of hierarchies, that
every label is somebody's, and exact programs over fractions or all tables of whole numbers."""

import itertools
import random

import numpy as np
import pytest

import anonsql
from anonsql.errors import PolicyError, VerificationError
from anonsql.jobs.statistics import counting
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.statistics import cubes, protection, rules
from anonsql.statistics.cells import Cells
from anonsql.statistics.protection import Protected
from anonsql.verification.statistics import release_only
from anonsql.verification.statistics.recount import Recounted

from . import tables_of_numbers
from .engines import SQLite
from .exact_bounds import exact_bounds, whole_tables
from .support import edit, flat, rows_of
from .tables_of_numbers import COLUMNS
from .test_statistics_attack import (
    COUNTRY,
    TABLES,
    THRESHOLD,
    counted,
    inside,
    people,
    policy_of,
    published,
    ties,
)

DETAILED = [{"by": ["region", "sex", "illness"], "levels": {"region": 1}}]


def policy_over(folder, rows, tables, **protect):
    """A policy over a table of these rows, by the dimensions of its tables."""
    policy = policy_of(folder, rows, tables, **protect)
    used = {name for table in tables for name in dimensions(table)}
    by = policy["statistics"]["by"]
    policy["statistics"]["by"] = {name: by[name] for name in by if name in used}
    return policy


def dimensions(table):
    return table if isinstance(table, list) else table["by"]


def released(folder, rows, tables, **protect):
    """A policy, its published cells, and their true values."""
    policy = policy_over(folder, rows, tables, **protect)
    anonsql.tabulate(policy)
    cells = published(folder, [*map(dimensions, tables)])
    return policy, cells, counted(rows, cells)


def bounds_of(cells, truth, of=None):
    """What hidden cells can be: every label is somebody's, and rows tell nothing else."""
    relations, index = ties(cells)
    free = [index[cell] for cell, visits in cells.items() if visits is None]
    asked = [index[cell] for cell in cells if cells[cell] is None and (of is None or cell in of)]
    least = [int(len(cell) < 2) for cell in index]
    found = exact_bounds(relations, [truth[cell] for cell in index], free, asked, least=least)
    return {cell: found[index[cell]] for cell in cells if index[cell] in found}


def combinations(cells):
    """All combinations of the labels that some cells have, at the dimensions that they have."""
    labels = {}
    for cell in cells:
        for name, level, label in cell:
            labels.setdefault(name, set()).add((name, level, label))
    kinds = {tuple(sorted(name for name, _, _ in cell)) for cell in cells}
    return {
        frozenset(made)
        for kind in kinds
        for made in itertools.product(*(labels[name] for name in kind))
    }


@pytest.mark.parametrize("tables", [TABLES, DETAILED], ids=["linked", "detailed"])
@pytest.mark.parametrize("seed", range(2))
def test_nobody_can_tell_where_nobody_is(tmp_path, seed, tables):
    rows = people(seed, 40)
    (tmp_path / "told").mkdir()
    _, cells, truth = released(tmp_path / "told", rows, tables)
    everything = combinations(cells)
    zeros = {cell for cell, visits in counted(rows, everything).items() if not visits}
    assert zeros and everything - cells.keys() == zeros, "a row that is missing tells of nobody"

    _, cells, truth = released(tmp_path, rows, tables, zeros="protect")
    assert cells.keys() == everything and {cell for cell in cells if not truth[cell]} == zeros
    shown = {cell: visits for cell, visits in cells.items() if visits is not None}
    assert shown == {cell: truth[cell] for cell in shown} and min(shown.values()) >= THRESHOLD
    few = {cell for cell in cells if truth[cell] < THRESHOLD}
    bounds = bounds_of(cells, truth, few)
    assert bounds.keys() == few and zeros <= few
    for cell, (least, most) in bounds.items():
        assert most is None or most >= THRESHOLD
        assert cell not in zeros or least == 0

    alone = {cell: None if cell in few else truth[cell] for cell in cells}
    told = bounds_of(alone, truth, zeros).values()
    assert any(most is not None and most < THRESHOLD for _, most in told), "primary alone falls"


@pytest.mark.parametrize("seed", range(4))
def test_all_tables_of_whole_numbers(tmp_path, seed):
    """Every cell of nobody is 0 in one that agrees with what is published, and in another one it
    reaches the threshold."""
    rnd, kinds = random.Random(seed), ["m flu", "m cold", "f flu", "f rare"]
    made = [kind.split() for kind in kinds for _ in range(rnd.randrange(THRESHOLD, 9))]
    rows = [(n, "north", *kind, 1) for n, kind in enumerate(made)]
    _, cells, truth = released(tmp_path, rows, [["sex", "illness"]], zeros="protect")
    relations, index = ties(cells)
    names, values = list(index), [truth[cell] for cell in index]
    free = [index[cell] for cell, visits in cells.items() if visits is None]
    zeros = [at for at, cell in enumerate(free) if not values[cell]]
    labels = [at for at, cell in enumerate(free) if len(names[cell]) == 1]
    tables = [
        made
        for made in whole_tables(relations, values, free)
        if all(made[at] >= 1 for at in labels)
    ]
    assert len(zeros) == 2
    for at in zeros:
        assert {made[at] for made in tables} >= {0, THRESHOLD}


def test_of_hidden_rows_0_is_possible_but_of_labels(tmp_path):
    """4 and 1 of a total of 5: the first one can be 5 where a row does not tell that somebody is in
    the other one. Where both are labels somebody is in each, and the total is hidden, too."""
    sexes = {"f": THRESHOLD - 1, "m": 1}
    few = [sex for sex, count in sexes.items() for _ in range(count)]
    rows = [(n, "north", sex, "flu", 1) for n, sex in enumerate(few)]
    rows_of_two = rows + [(100 + n, "isle", sex, "flu", 1) for n, sex in enumerate("fm" * 20)]
    total = {}
    for zeros in ("publish", "protect"):
        for name in ("labels", "cells"):
            (tmp_path / f"{name} {zeros}").mkdir()
        folder = tmp_path / f"cells {zeros}"
        _, cells, _ = released(folder, rows_of_two, [["region", "sex"]], zeros=zeros)
        assert cells[frozenset({("region", 0, "north"), ("sex", 0, "m")})] is None
        total[zeros] = cells[frozenset({("region", 0, "north")})]
        folder = tmp_path / f"labels {zeros}"
        policy, cells, _ = released(folder, rows, [["sex"]], zeros=zeros)
        assert cells[frozenset()] is None
        edit(
            path := folder / "published.duckdb",
            f"UPDATE sex SET visits = {THRESHOLD}, visits_status = 'published' WHERE sex = '*'",
        )
        numbered(path, "sex")
        with pytest.raises(VerificationError, match="2 hidden cells can be recovered"):
            anonsql.verify(policy, against_source=True)
    assert total == {"publish": None, "protect": THRESHOLD}


def test_a_slice_of_nobody(tmp_path):
    """A total of 0 is hidden with its parts, and must seem to reach the threshold as well."""
    rows = [row for row in people(5, 80) if row[1] != "isle" or row[3] == "flu"]
    rows = [row for row in rows if row[1] != "east"]
    _, cells, truth = released(tmp_path, rows, DETAILED, zeros="protect")
    none = [cell for cell in cells if {("region", 1, "B"), ("illness", 0, "cold")} <= cell]
    assert len(none) == 3 and not any(truth[cell] for cell in none)
    for least, most in bounds_of(cells, truth, set(none)).values():
        assert least == 0 and (most is None or most >= THRESHOLD)


def of_python(policy, rows):
    """The cells of every table in plain Python, and those of nobody: all combinations of labels."""
    found = tables_of_numbers.cells(policy, rows)
    for cells in found.values():
        labels = [sorted(set(column), key=repr) for column in zip(*cells)]
        for key in itertools.product(*labels):
            cells.setdefault(key, None)
    return found


def test_every_measure_hides_nobody(tmp_path):
    """On SQLite: sums, people, hierarchies, levels, NULL as a label, and none that nobody has.
    Nobody who is alone in a cell is taken to know it where others of its parts are nobody's: else
    no total could be protected."""
    rows, engine = tables_of_numbers.rows(120, seed=4, people=60), SQLite(tmp_path)
    rows = [row for row in rows if row[1] != "*"]
    engine.make(COLUMNS, rows)
    whole = tables_of_numbers.policy_on(engine, zeros="protect", p_percent=0.1)
    data = whole.model_dump(exclude_unset=True, by_alias=True)
    for name in ("days", "score"):
        del data["statistics"]["of"][name]
    policy = StatisticsPolicy.parse(data, tmp_path)
    report = anonsql.tabulate(policy)
    assert anonsql.verify(policy, against_source=True).status == "verified"
    tables = {table.table: table for table in report.tables}
    for name, cells in of_python(policy, rows).items():
        zeros = {key for key, cell in cells.items() if cell is None}
        assert zeros and (tables[name].cells, tables[name].empty) == (len(cells), len(zeros))
        shown = {tuple(zip(row[0:4:2], row[1:4:2])): row[4:] for row in engine.read(name)}
        assert shown.keys() == cells.keys()
        assert all(set(shown[key]) == {None, "hidden"} for key in zeros)


def test_contributors_do_not_find_where_nobody_is(tmp_path, monkeypatch):
    """Whoever is alone in a cell without parts of nobody knows its sum; where the audit forgets
    that, somebody computes the sum of others."""
    rows, found = people(7, 30), {}
    for name in ("knowing", "forgetting"):
        (folder := tmp_path / name).mkdir()
        policy = policy_over(folder, rows, TABLES, zeros="protect", threshold=2, p_percent=0.1)
        policy["statistics"]["of"] = {"visits": {"sum": "cost"}}
        if name == "forgetting":
            nobody = property(lambda self: np.zeros(self.size, np.int64))
            monkeypatch.setattr(Cells, "holder", nobody)
            monkeypatch.setattr(Recounted, "holder", nobody)
        anonsql.tabulate(policy)
        found[name] = told_to_contributors(published(folder, TABLES), rows)
    assert not found["knowing"]
    assert found["forgetting"], "who is forgotten computes others"


def told_to_contributors(cells, rows):
    """The people and hidden cells of others, or of nobody, that these people can compute."""
    relations, index = ties(cells)
    of_cell = {cell: [row for row in rows if inside(row, cell)] for cell in cells}
    values = [sum(row[4] for row in of_cell[cell]) for cell in index]
    hidden = [cell for cell, cost in cells.items() if cost is None]
    empty, alone = [cell for cell in cells if not of_cell[cell]], {}
    for cell in hidden:
        if len(of_cell[cell]) == 1 and not any(part_of(other, cell) for other in empty):
            alone.setdefault(of_cell[cell][0][0], []).append(cell)
    found = []
    for who, known in alone.items():
        free = [index[cell] for cell in hidden if cell not in known]
        few = [index[cell] for cell in hidden if cell not in known and len(of_cell[cell]) <= 2]
        bounds = exact_bounds(relations, values, free, few)
        found += [(who, cell) for cell, (least, most) in bounds.items() if least == most]
    return found


def part_of(cell, whole):
    """Whether all of a cell is in another one."""
    labels = cell | {("region", 1, COUNTRY[label]) for name, at, label in cell
                     if (name, at) == ("region", 0)}  # fmt: skip
    return whole <= labels


def numbered(path, table):
    """Make the facts of an edited table those of its rows."""
    statements = [
        f"UPDATE {table}__about SET value = (SELECT COUNT(*) FROM {table}) WHERE property = 'cells'",
        f"UPDATE {table}__about SET value = (SELECT COUNT(*) FROM {table} WHERE"
        " visits_status = 'hidden') WHERE property = 'hidden.visits'",
    ]
    edit(path, *statements)


EDITS = {
    # whether it is seen by itself, what is said, and how
    "a hidden row is deleted": (
        True,
        "lacks 1 cells, which reveals that they are empty",
        "DELETE FROM region_illness WHERE region = 'isle' AND illness = 'rare'",
    ),
    "a total of nobody is deleted": (
        True,
        "lacks 1 cells, which reveals that they are empty",
        "DELETE FROM region_illness WHERE region = 'B' AND illness = 'rare'",
    ),
    "a zero is published": (
        True,
        "values are too small",
        "UPDATE region_illness SET visits = 0, visits_status = 'published'"
        " WHERE region = 'isle' AND illness = 'rare'",
    ),
    "a label of nobody": (
        False,
        "cells that the source does not have",
        "INSERT INTO region_illness SELECT * REPLACE ('none' AS illness) FROM region_illness"
        " WHERE illness = 'rare';"
        " CREATE OR REPLACE TABLE region_illness AS FROM region_illness ORDER BY region_level, region,"
        " illness_level, illness",
    ),
    "all rows of a label": (
        False,
        "cells that the source has",
        "DELETE FROM region_illness WHERE illness = 'rare'",
    ),
    "the fact": (
        True,
        "has no zeros, which it must state",
        "DELETE FROM region_illness__about WHERE property = 'zeros'",
    ),
}


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    """A release in which nobody of the isle or its country has something rare, and its policy."""
    folder = tmp_path_factory.mktemp("zeros")
    rows = [row for row in people(5, 80) if row[3] != "rare" or row[1] in ("north", "south")]
    policy, cells, truth = released(folder, rows, TABLES, zeros="protect")
    for label in (("region", 0, "isle"), ("region", 1, "B")):
        cell = frozenset({label, ("illness", 0, "rare")})
        assert truth[cell] == 0 and cells[cell] is None
    return folder / "published.duckdb", policy


@pytest.mark.parametrize("what", EDITS)
def test_an_edited_release_is_refused(release, what):
    path, policy = release
    by_itself, said, statement = EDITS[what]
    before = path.read_bytes()
    edit(path, statement)
    numbered(path, "region_illness")
    try:
        with pytest.raises(VerificationError, match=said):
            anonsql.verify(policy, against_source=not by_itself)
        if not by_itself:  # if it is seen by itself now, say so above
            assert anonsql.verify(policy).status == "verified"
    finally:
        path.write_bytes(before)


def test_a_run_that_forgets_cells_publishes_nothing(tmp_path, monkeypatch):
    """Those of a label: by itself the table has all combinations that it can have."""
    policy = policy_of(tmp_path, people(0, 40), TABLES, zeros="protect")
    monkeypatch.setattr(counting, "_complete", lambda *_, **__: "counted")
    with pytest.raises(VerificationError, match="which reveals that they are empty"):
        anonsql.tabulate(policy)
    monkeypatch.setattr(release_only, "_incomplete", lambda *_: [])
    with pytest.raises(VerificationError, match="cells that the source has"):
        anonsql.tabulate(policy)
    assert not (tmp_path / "published.duckdb").exists()


def test_a_run_that_hides_too_little_publishes_nothing(tmp_path, monkeypatch):
    """Verification has the audit of cells of nobody by itself."""
    policy = policy_of(tmp_path, people(0, 40), TABLES, zeros="protect")

    def primary_alone(policy, plan, cells, *_, **__):
        needed = {m.name: rules.needed(policy.protect, cells, m) for m in plan.measures}
        flags = {name: of_measure.primary for name, of_measure in needed.items()}
        return Protected(flags, flags, needed=needed)

    monkeypatch.setattr(protection, "suppress", primary_alone)
    with pytest.raises(VerificationError, match="hidden cells can be recovered"):
        anonsql.tabulate(policy)


def test_a_table_may_publish_where_nobody_is(tmp_path):
    """Combinations that everybody knows to be impossible are no rows of it."""
    rows = [row for row in people(0, 60) if row[2:4] != ("m", "rare")]
    impossible = frozenset({("sex", 0, "m"), ("illness", 0, "rare")})
    told = {"by": ["sex", "illness"], "zeros": "publish"}
    policy, cells, _ = released(tmp_path, rows, [["region", "sex"], told], zeros="protect")
    assert impossible not in cells and len(cells) == 3 * 4 - 1 + 7 * 3 - 3
    path = tmp_path / "published.duckdb"
    stated = "SELECT value FROM {}__about WHERE property = 'zeros'"
    assert rows_of(path, stated.format("region_sex")) == [("protected",)]
    assert rows_of(path, stated.format("sex_illness")) == []
    promise = anonsql.verify(policy, against_source=True).promise
    assert "or with none (except in sex_illness)" in promise
    anonsql.report(policy, tmp_path / "page.html", audience="recipient")
    page = flat((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert "In <bdi>region_sex</bdi> the cell may be empty." in page and "no row" in page


def test_nobody_in_the_source_is_no_rows(tmp_path):
    policy = policy_of(tmp_path, [], TABLES, zeros="protect")
    assert anonsql.tabulate(policy).cells == 0
    assert anonsql.verify(policy, against_source=True).status == "verified"


def protect(**settings):
    return {"zeros": "protect", **settings}


TWO = ["region", "sex"]
PUBLISHED = {"by": TWO, "zeros": "publish"}
REFUSED = {
    # by its place and words: what protects, and tables
    "cell keys": ("protect.zeros", "by: cell-key", protect(by="cell-key", threshold=None), TABLES),
    "rounding": ("protect.zeros", "by: rounding", protect(by="rounding"), TABLES),
    "noise": ("protect.zeros", "by: noise", protect(by="noise", noise={"rho": 1}), TABLES),
    "months": ("protect.zeros", "over_time", protect(over_time="added"), TABLES),
    "no threshold": ("protect.zeros", "threshold", protect(threshold=None), TABLES),
    "no table": (
        "protect.zeros",
        "every table",
        protect(),
        [PUBLISHED, {**PUBLISHED, "name": "b"}],
    ),
    "a table of a policy that publishes": (
        "statistics.tables[0].zeros",
        "leave it out",
        {},
        [PUBLISHED],
    ),
    "cells of a table that publishes": (
        "statistics.tables[1].zeros",
        "cells of region_sex_illness",
        protect(),
        [["region", "sex", "illness"], PUBLISHED],
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_it_is_refused_by_place(tmp_path, what):
    where, words, protects, tables = REFUSED[what]
    policy = policy_over(tmp_path, [], tables, **protects)
    policy["protect"] = {name: value for name, value in policy["protect"].items() if value}
    with pytest.raises(PolicyError) as refused:
        StatisticsPolicy.parse(policy, tmp_path)
    problems = {problem.where: str(problem) for problem in refused.value.problems}
    assert words in problems.get(where, ""), problems


def test_more_cells_than_fit_are_said_before_they_are_made(tmp_path, monkeypatch):
    """With those of nobody: more than there are combinations of rows."""
    rows = people(0, 12)
    monkeypatch.setattr(cubes, "MAX_CELLS", 80)
    anonsql.tabulate(policy_of(tmp_path, rows, [["region", "sex", "illness"]]))
    with pytest.raises(PolicyError, match="may have 84 cells"):
        anonsql.tabulate(policy_of(tmp_path, rows, [["region", "sex", "illness"]], zeros="protect"))


def test_a_dimension_that_is_a_grouping_of_another_one_is_refused(tmp_path):
    rows = [(*row[:2], COUNTRY[row[1]], *row[3:]) for row in people(0, 60)]
    for zeros, expected in (("publish", 0), ("protect", 1)):
        policy = policy_of(tmp_path, rows, TABLES, zeros=zeros)
        report = anonsql.check(policy)
        found = [text.message for text in report.problems if "has only one 'sex'" in text.message]
        assert len(found) == expected and all("region_sex hides empty" in text for text in found)
        assert not report.warnings
