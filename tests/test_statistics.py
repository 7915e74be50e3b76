"""Published statistics against plain Python, and against whoever edits them."""

import bisect
import io
import itertools
import json
import random
from fractions import Fraction

import pytest
from rich.console import Console

import anonsql
from anonsql.errors import PolicyError, VerificationError
from anonsql.features.tabulate.described import run as describe
from anonsql.jobs.catalog import Catalog
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.policy.statistics_tables import TableOf
from anonsql.presentation import terminal
from anonsql.statistics import cubes, labels, protection, rounding
from anonsql.statistics.cells import Cells
from anonsql.verification.statistics import against_source, recount, release_only

from . import tables_of_numbers
from .engines import DuckDB
from .support import cli, edit, ended, flat, rows_of
from .tables_of_numbers import COLUMNS, COUNTRY, UNITS, cells, forbidden, policy_on, true_values

MEASURES = ["n", "people", *UNITS]
RULES = [
    {},
    {"p_percent": 0.1},
    {"threshold": None, "dominance": {"n": 2, "share": 0.85}},
    {"threshold": 4, "dominance": {"n": 1, "share": 0.5}, "p_percent": 0.333},
]


def published(folder, name):
    """A published table by the labels and levels of its dimensions: of every measure value and
    status."""
    found = {}
    for row in rows_of(folder / "release.duckdb", f'SELECT * FROM "{name}"'):
        count = len(row) - 2 * len(MEASURES)
        key = tuple((row[at], row[at + 1]) for at in range(0, count, 2))
        assert key not in found
        found[key] = [(row[at], row[at + 1]) for at in range(count, len(row), 2)]
    return found


@pytest.mark.parametrize("protect", RULES, ids=["threshold", "p%", "dominance", "all rules"])
@pytest.mark.parametrize("people", [300, 60], ids=["in a cell", "in several"])
def test_cells_are_those_of_plain_python(tmp_path, protect, people, monkeypatch):
    made = []
    suppress = protection.suppress

    def kept(policy, plan, of_cells, *more, **named):
        made.append((plan, of_cells, suppress(policy, plan, of_cells, *more, **named)))
        return made[-1][-1]

    monkeypatch.setattr(protection, "suppress", kept)
    for module in (cubes, recount):  # several portions, too
        monkeypatch.setattr(module, "PORTION", people // 6)
    rows = tables_of_numbers.rows(300, seed=people, people=people)
    engine = DuckDB(tmp_path)
    engine.make(COLUMNS, rows)
    policy = policy_on(engine, **protect)
    anonsql.tabulate(policy)
    oracle = cells(policy, rows)
    hidden = dict.fromkeys(MEASURES, 0)
    for name in policy.tables:
        shown = published(tmp_path, name)
        assert shown.keys() == oracle[name].keys()
        for key, cell in oracle[name].items():
            told = zip(MEASURES, shown[key], true_values(cell), forbidden(policy.protect, cell))
            for measure, (value, status), true, primary in told:
                hidden[measure] += status == "hidden"
                if status == "published":
                    assert not primary and Fraction(value) * UNITS.get(measure, 1) == true
                else:
                    assert status == "hidden" and value is None
    assert all(hidden[name] for name in ("cost", "days", "score"))
    of_plain_python(policy, oracle, *made[0])


def of_plain_python(policy, oracle, plan, found: Cells, protected):
    """Cells, their contributors, what is primary, and relations, each as often as in Python."""
    once = {}
    for name, table in policy.tables.items():
        for key, cell in oracle[name].items():
            by_name = dict(zip(table.by, key))
            once[tuple(by_name.get(by, ("*", None)) for by in policy.statistics.by)] = cell
    totals = {by: len(levels) - 1 for by, levels in tables_of_numbers.LEVELS.items()}
    once = {
        tuple(
            (label, totals[by] if level is None else level)
            for by, (label, level) in zip(policy.statistics.by, key)
        ): cell
        for key, cell in once.items()
    }
    expected = []
    for key, cell in once.items():
        values = true_values(cell)
        if policy.protect.of_sums:
            count = policy.protect.contributors
            for name in UNITS:
                amounts = sorted((abs(own[name]) for own in cell[1].values()), reverse=True)
                values += [sum(amounts), sum(amounts[:count]), *[*amounts, 0][:2]]
        flags = forbidden(policy.protect, cell)
        expected.append((tuple(level for _, level in key), *values, *flags))
    heights = {a.index: a.height for a in plan.attributes}
    levels = {
        vector.number: tuple(heights[i] if at is None else at for i, at in vector.levels.items())
        for vector in plan.vectors
    }
    columns = [found.of(measure) for measure in plan.measures]
    if policy.protect.of_sums:
        columns += [part for entry in plan.sums for part in found.ranks(entry)]
    columns += [protected.primary[measure.name] for measure in plan.measures]
    got = [
        (levels[int(found.counted["v"][at])], *(column[at].item() for column in columns))
        for at in range(found.size)
    ]
    assert sorted(got) == sorted(expected)
    assert tied(found) == tied_in_python(once, totals)


def tied(found):
    """By the relation's whole and its parts, their rows."""
    matrix = found.relations.matrix.tocsr()
    counts = found.counted["n"]
    sides = []
    for at in range(matrix.shape[0]):
        line = slice(matrix.indptr[at], matrix.indptr[at + 1])
        of = {
            sign: sorted(counts[matrix.indices[line][matrix.data[line] == sign]].tolist())
            for sign in (1, -1)
        }
        sides.append((of[1], of[-1]))
    return sorted(sides)


def tied_in_python(once, totals):
    """The same of cells in plain Python: a cell, and those one level below in one dimension."""
    parts = {}
    for key, cell in once.items():
        for at, ((label, level), top) in enumerate(zip(key, totals.values())):
            if level == top:
                continue
            above = "*" if level + 1 == top else up(list(totals)[at], label)
            whole = (*key[:at], (above, level + 1), *key[at + 1 :])
            if whole in once:
                parts.setdefault((whole, at), []).append(cell[0])
    return sorted(([once[whole][0]], sorted(counts)) for (whole, _), counts in parts.items())


def up(by, label):
    """The label that a value's is part of."""
    value = int(label) if by == "age" and label is not None else label
    return tables_of_numbers.LEVELS[by][1](value)


A_CELL = "region = 'north' AND age_level = 2 AND region_level = 0"
EDITS = {
    # what is edited: by itself, or only against the source, and how
    "a value of a count": (False, f"UPDATE region_age SET n = n + 1 WHERE {A_CELL}"),
    "a value of a sum": (False, f"UPDATE region_age SET cost = cost + 0.01 WHERE {A_CELL}"),
    "a hidden value is shown": (
        True,
        "UPDATE kinds SET n = 7, n_status = 'published' WHERE n_status = 'hidden'",
    ),
    "a hidden value stands in for a shown one": (
        False,
        "UPDATE kinds SET n = 7, n_status = 'published' WHERE rowid ="
        " (SELECT MIN(rowid) FROM kinds WHERE n_status = 'hidden' AND kind <> '*');"
        " UPDATE kinds SET n = NULL, n_status = 'hidden' WHERE kind = '+a' AND region = '*'",
    ),
    "a status that is none": (True, "UPDATE kinds SET n_status = 'secret' WHERE kind = '+a'"),
    "no status": (True, "UPDATE kinds SET n_status = NULL WHERE kind = '+a'"),
    "a hidden value behind its status": (True, "UPDATE kinds SET n = 2 WHERE n_status = 'hidden'"),
    "a shown value is gone": (True, f"UPDATE region_age SET n = NULL WHERE {A_CELL}"),
    "a count of few": (True, f"UPDATE region_age SET people = 2 WHERE {A_CELL}"),
    "rows are removed": (True, f"DELETE FROM region_age WHERE {A_CELL}"),
    "rows are there twice": (True, f"INSERT INTO region_age FROM region_age WHERE {A_CELL}"),
    "rows are added": (
        True,
        f"INSERT INTO region_age SELECT * REPLACE ('south' AS region) FROM region_age WHERE {A_CELL}",
    ),
    "a label is another": (False, f"UPDATE region_age SET region = 'south' WHERE {A_CELL}"),
    "a level is another": (True, f"UPDATE region_age SET age_level = 7 WHERE {A_CELL}"),
    "no level": (True, f"UPDATE region_age SET age_level = NULL WHERE {A_CELL}"),
    "linked tables disagree": (
        True,
        "UPDATE region_age SET n = n + 1 WHERE region = 'one' AND age = '*'",
    ),
    "a fact": (True, "UPDATE kinds__about SET value = '2' WHERE property = 'threshold'"),
    "the number of hidden cells": (
        True,
        "UPDATE kinds__about SET value = '0' WHERE property = 'hidden.n'",
    ),
    "the rows in an order that tells": (
        True,
        "CREATE TABLE x AS FROM kinds ORDER BY kind_level = 0 AND region_level = 2 DESC, rowid;"
        " DELETE FROM kinds; INSERT INTO kinds FROM x; DROP TABLE x",
    ),
    "two rows in the place of each other": (
        True,
        "CREATE TABLE x AS FROM kinds ORDER BY CASE rowid WHEN 3 THEN 4 WHEN 4 THEN 3 ELSE rowid END;"
        " DELETE FROM kinds; INSERT INTO kinds FROM x; DROP TABLE x",
    ),
    "counts with digits": (
        True,
        "ALTER TABLE kinds ALTER people TYPE DOUBLE; UPDATE kinds SET people = people + 0.1"
        " WHERE kind = '+a' AND region = 'one'",
    ),
    "counts that can have digits": (True, "ALTER TABLE kinds ALTER people TYPE DOUBLE"),
    "counts as text": (
        True,
        "ALTER TABLE kinds ALTER people TYPE VARCHAR; UPDATE kinds SET people = '0' || people",
    ),
    "sums with more digits": (
        True,
        "ALTER TABLE kinds ALTER cost TYPE DOUBLE; UPDATE kinds SET cost = cost + 0.001"
        " WHERE kind = '+a' AND region = 'one'",
    ),
    "sums of another type than elsewhere": (
        True,
        "ALTER TABLE kinds ALTER cost TYPE DECIMAL(18, 3); UPDATE kinds SET cost = cost + 0.001"
        " WHERE kind = '+a' AND region = 'one'",
    ),
    "sums of another type than the source's": (
        False,
        "ALTER TABLE kinds ALTER cost TYPE DECIMAL(18, 3);"
        " ALTER TABLE region_age ALTER cost TYPE DECIMAL(18, 3); UPDATE kinds SET cost = cost + 0.001"
        " WHERE region = 'one' AND kind = '+a'",
    ),
    "wider levels": (True, "ALTER TABLE kinds ALTER kind_level TYPE BIGINT"),
    "a fact that is none": (
        True,
        "INSERT INTO kinds__about VALUES ('note', 'north has 1 person of 1000')",
    ),
    "a number that no release has": (
        True,
        "UPDATE kinds__about SET value = 'north=1' WHERE property = 'release'",
    ),
    "the number of another release": (
        True,
        "UPDATE kinds__about SET value = REVERSE(value) WHERE property = 'release'",
    ),
    "a version that none is": (
        True,
        "UPDATE kinds__about SET value = 'north=1' WHERE property = 'anonsql'",
    ),
    "another version": (
        True,
        "UPDATE kinds__about SET value = '1.1000' WHERE property = 'anonsql'",
    ),
    "facts in another order": (
        True,
        "CREATE TABLE x AS FROM kinds__about ORDER BY value; DELETE FROM kinds__about;"
        " INSERT INTO kinds__about FROM x; DROP TABLE x",
    ),
    "what a column looks like": (
        True,
        "UPDATE kinds__columns SET looks_like = 'north=1' WHERE column_name = 'n'",
    ),
    "what a column is, for programs": (
        True,
        "UPDATE kinds__columns SET form = 'north=1' WHERE column_name = 'n'",
    ),
    "the level of the total": (
        True,
        "UPDATE kinds__columns SET level = 3, looks_like = '0 is a value, 3 the total'"
        " WHERE column_name = 'region_level'",
    ),
    "what a column is for": (
        True,
        "UPDATE kinds__columns SET role = 'north=1' WHERE column_name = 'n'",
    ),
    "the level of a column": (
        True,
        "UPDATE kinds__columns SET level = 1 WHERE column_name = 'kind'",
    ),
    "the level of a measure": (
        True,
        "UPDATE kinds__columns SET level = 1 WHERE column_name = 'n'",
    ),
    "columns that are told of in another order": (
        True,
        "CREATE TABLE x AS FROM kinds__columns ORDER BY column_name; DELETE FROM kinds__columns;"
        " INSERT INTO kinds__columns FROM x; DROP TABLE x",
    ),
    "a column": (True, "ALTER TABLE kinds ADD COLUMN who VARCHAR"),
    "another table": (True, "CREATE TABLE copy AS SELECT 1 AS x"),
    "no table": (True, "DROP TABLE kinds"),
}


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    """A release in a DuckDB file, and its policy."""
    folder = tmp_path_factory.mktemp("edited")
    engine = DuckDB(folder)
    engine.make(COLUMNS, tables_of_numbers.rows())
    policy = policy_on(engine)
    anonsql.tabulate(policy)
    return folder, policy


@pytest.mark.parametrize("what", EDITS)
def test_an_edited_release_is_refused(release, what):
    folder, policy = release
    by_itself, statements = EDITS[what]
    path = folder / "release.duckdb"
    before = path.read_bytes()
    edit(path, *statements.split("; "))
    try:
        with pytest.raises((VerificationError, PolicyError)):
            anonsql.verify(policy, against_source=not by_itself)
        if not by_itself:  # if it is seen by itself now, say so above
            assert anonsql.verify(policy).status == "verified"
    finally:
        path.write_bytes(before)


def test_people_in_one_row_each_are_gathered_by_the_dimensions_of_a_table(tmp_path, monkeypatch):
    """Each table is counted anew from one row a cell of its finest levels, and an edited value of
    any of them is found."""
    gathered = {}
    recounted = recount.recount_published

    def noted(compared, policy, name, table, people):
        columns, relation = compared.engine.columns((people.table,)), (people.table,)
        names = [column.name for column in columns]
        found = compared.engine.query("verification/facts", table=relation, columns=names)
        gathered[name] = len(found)
        recounted(compared, policy, name, table, people)

    monkeypatch.setattr(against_source, "recount_published", noted)
    engine, rows = DuckDB(tmp_path), tables_of_numbers.rows()
    engine.make(COLUMNS, rows)
    data = tables_of_numbers.settings()
    data["statistics"]["of"] = {"n": "count"}
    source, place = engine.places()
    place.pop("table")
    data |= {"source": source, "release": place, "protect": {"threshold": 5}}
    policy = StatisticsPolicy.parse(data, tmp_path)
    anonsql.tabulate(policy)
    assert anonsql.verify(policy, against_source=True).status == "verified"
    assert gathered == {
        "region_age": len({(row[1], age_group(row[2])) for row in rows}),
        "kinds": len({(row[3], COUNTRY.get(row[1])) for row in rows}),
    }
    before = (tmp_path / "release.duckdb").read_bytes()
    for name in policy.tables:
        edit(
            tmp_path / "release.duckdb",
            f"UPDATE {name} SET n = n + 1 WHERE rowid ="
            f" (SELECT MIN(rowid) FROM {name} WHERE n_status = 'published' AND region <> '*')",
        )
        with pytest.raises(
            VerificationError, match=f"n of {name}: 1 values differ from the source"
        ):
            anonsql.verify(policy, against_source=True)
        (tmp_path / "release.duckdb").write_bytes(before)


def age_group(age):
    """The group of an age at the level that tables have of it first."""
    return age if age is None else bisect.bisect(tables_of_numbers.BREAKS, age)


@pytest.mark.parametrize(
    "protect",
    [
        {"by": "cell-key", "cell_key": {"variance": 3, "largest": 5, "least": 4}},
        {"by": "rounding", "rounding": {"base": 20, "bases": {"days": 100}, "controlled": False}},
        {"by": "rounding", "rounding": {"base": 20, "bases": {"days": 100}}},
    ],
    ids=["cell keys", "rounding", "controlled"],
)
def test_cells_that_become_0_are_no_rows(tmp_path, monkeypatch, protect):
    """As nobody must see that somebody is in them; a row of 0 would tell."""
    monkeypatch.setattr(Catalog, "statistics_secret", lambda _, **__: "5e" * 32)
    engine = DuckDB(tmp_path)
    engine.make(COLUMNS, tables_of_numbers.rows(60))
    data = tables_of_numbers.settings()
    data["statistics"]["of"] = {"n": "count", "people": {"count": "who"}, "days": {"sum": "days"}}
    source, place = engine.places()
    place.pop("table")
    data |= {"source": source, "release": place, "protect": {"entity": "who", **protect}}
    policy = StatisticsPolicy.parse(data, tmp_path)
    report = anonsql.tabulate(policy)
    path, at = tmp_path / "release.duckdb", "FROM kinds WHERE n = 0 AND people = 0 AND days = 0"
    assert rows_of(path, f"SELECT COUNT(*) {at}") == [(0,)]
    ((rows,),) = rows_of(path, "SELECT COUNT(*) FROM kinds")
    there = len(cells(policy, tables_of_numbers.rows(60))["kinds"])
    assert rows == report.tables[1].cells < there
    assert anonsql.verify(policy, against_source=True).status == "verified"
    edit(
        path,
        "INSERT INTO kinds SELECT * REPLACE ('none' AS kind, 0 AS n, 0 AS people, 0 AS days)"
        " FROM kinds LIMIT 1",
        "UPDATE kinds__about SET value = value::INT + 1 WHERE property = 'cells'",
    )
    with pytest.raises(VerificationError, match="cells of 0"):
        anonsql.verify(policy)


def test_a_rounded_table_that_shows_or_hides_against_the_threshold(tmp_path):
    """Where a program made totals the sums of their parts, what it chose cannot be computed again:
    what is hidden must be of few people all the same."""
    engine = DuckDB(tmp_path)
    engine.make(COLUMNS, tables_of_numbers.rows())
    data = tables_of_numbers.settings()
    data["statistics"] |= {"of": {"n": "count"}, "by": {"kind": {}}, "tables": [["kind"]]}
    source, place = engine.places()
    place.pop("table")
    protect = {"entity": "who", "threshold": 30, "by": "rounding"}
    data |= {"source": source, "release": place, "protect": protect}
    policy = StatisticsPolicy.parse(data, tmp_path)
    anonsql.tabulate(policy)
    path = tmp_path / "release.duckdb"
    assert anonsql.verify(policy, against_source=True).status == "verified"
    hidden = rows_of(path, "SELECT value::INT FROM kind__about WHERE property = 'hidden.n'")[0][0]
    assert 0 < hidden < rows_of(path, "SELECT COUNT(*) FROM kind")[0][0]
    edit(
        path,
        "UPDATE kind SET n = NULL, n_status = 'hidden' WHERE kind = '+a'",
        f"UPDATE kind__about SET value = '{hidden + 1}' WHERE property = 'hidden.n'",
    )
    with pytest.raises(VerificationError, match="against the rule") as refused:
        anonsql.verify(policy, against_source=True)
    changed = "the source has changed since these tables were made from it"
    assert changed not in refused.value.offences
    edit(tmp_path / "source.duckdb", f"""DELETE FROM "{source["table"]}" WHERE kind = '+a'""")
    with pytest.raises(VerificationError, match="the source has changed") as refused:
        anonsql.verify(policy, against_source=True)
    assert refused.value.offences[0] == changed


def test_weighted_counts_go_by_people_without_weights(tmp_path):
    """Where no count is published: few people of large weights are hidden, and many of small ones
    are not; no rule of sums is asked for."""
    people = {("north", "a"): (2, 900), ("north", "b"): (2, 800), ("south", "a"): (2, 700)}
    people |= {("south", "b"): (2, 600), ("north", "c"): (9, 1), ("south", "c"): (9, 2)}
    rows = [
        (f"p{number}{region}{kind}", region, kind, weight + number)
        for (region, kind), (count, weight) in people.items()
        for number in range(count)
    ]
    engine = DuckDB(tmp_path)
    columns = dict.fromkeys(("who", "region", "kind"), "VARCHAR")
    engine.make({**columns, "weight": "INTEGER"}, rows)
    source, place = engine.places()
    del place["table"]
    data = {
        "source": source,
        "release": place,
        "statistics": {
            "by": {"region": {}, "kind": {}},
            "of": {"weighted": {"sum": "weight"}},
            "tables": [["region", "kind"]],
        },
        "protect": {"entity": "who", "threshold": 3},
    }
    policy = StatisticsPolicy.parse(data, tmp_path)
    report = anonsql.tabulate(policy)
    assert anonsql.verify(policy, against_source=True).status == "verified"
    assert [measure.primary for table in report.tables for measure in table.measures] == [4]
    shown = {(row[0], row[2]): row[4:] for row in engine.read("region_kind")}
    assert {cell for cell, (_, status) in shown.items() if status == "hidden"} == {
        cell for cell, (count, _) in people.items() if count < 3
    }
    assert shown["north", "c"] == (9 + sum(range(9)), "published")


@pytest.mark.parametrize(
    ("controlled", "most", "exists", "said"),
    [
        (True, 20_000, True, "controlled: totals are the sums of their parts"),
        (False, 20_000, True, "each value by itself, as the policy asks"),
        (True, 10, True, "each value by itself, because there are more than 20,000 cells"),
        (True, 20_000, False, "each value by itself, because no controlled rounding was found"),
    ],
    ids=["controlled", "not asked for", "too many", "none"],
)
def test_how_values_were_rounded_is_said(tmp_path, monkeypatch, controlled, most, exists, said):
    """By the document, the terminal and the release, and another word there is refused."""
    given = rounding.controlled
    monkeypatch.setattr(rounding, "CELLS", most)
    if not exists or most < 20_000:
        monkeypatch.setattr(rounding, "controlled", lambda *_, **__: None)
    engine = DuckDB(tmp_path)
    engine.make(COLUMNS, tables_of_numbers.rows())
    settings = {"bases": {"cost": 10, "days": 5, "score": 5}, "controlled": controlled}
    policy = policy_on(engine, by="rounding", rounding=settings)
    report = anonsql.tabulate(policy)
    monkeypatch.setattr(rounding, "controlled", given)
    assert report.rounding == said
    console = Console(file=io.StringIO(), width=200)
    terminal.show(console, describe(report))
    assert f"protected by rounding, {said}." in console.file.getvalue()
    assert dict(engine.read("kinds__about"))["rounding"] == said
    assert anonsql.verify(policy, against_source=True).status == "verified"
    other = "controlled: totals are the sums of their parts"
    other = (
        "each value by itself, because no controlled rounding was found" if said == other else other
    )
    for name in ("kinds", "region_age"):
        edit(
            tmp_path / "release.duckdb",
            f"UPDATE {name}__about SET value = '{other}' WHERE property = 'rounding'",
        )
    with pytest.raises(VerificationError, match=r"in which values were rounded|rounding="):
        anonsql.verify(policy)


def test_the_command_ends_with_1(release, tmp_path):
    folder, policy = release
    path = folder / "release.duckdb"
    before = path.read_bytes()
    file = folder / "policy.yaml"
    file.write_text(json.dumps(policy.model_dump(mode="json", by_alias=True, exclude_unset=True)))
    edit(path, EDITS["a value of a sum"][1])
    try:
        ended(cli("verify", file), 0)
        ended(cli("verify", file, "--against-source"), 1, "values differ from the source")
    finally:
        path.write_bytes(before)


def test_tables_are_compared_so_that_all_agree():
    """Whatever two tables share is the same by a chain of comparisons of tables that have it."""
    rnd = random.Random(2)
    fewer = 0
    for _ in range(60):
        tables = {}
        for number in range(7):
            by = rnd.sample("abcd", rnd.randint(1, 3))
            levels = {name: rnd.randrange(3) for name in by if rnd.random() < 0.5}
            tables[str(number)] = TableOf(by=by, levels=levels)
        pairs = release_only.compared_pairs(tables)
        fewer += len(pairs) < 21
        for one, other in itertools.combinations(tables, 2):
            shared = set(tables[one].by) & set(tables[other].by)
            finest = {
                name: max(tables[of].levels.get(name, 0) for of in (one, other)) for name in shared
            }
            have = {
                name
                for name, table in tables.items()
                if shared <= set(table.by)
                and all(table.levels.get(by, 0) <= level for by, level in finest.items())
            }
            reached = {one}
            for _ in have:
                reached |= {b for a, b in pairs if a in reached and b in have}
                reached |= {a for a, b in pairs if b in reached and a in have}
            assert other in reached
    assert fewer


def test_labels_that_cost_most(tmp_path, monkeypatch):
    """A third sex of few people, whose cells hide others; it is named where values may be shown."""
    rnd, engine = random.Random(1), DuckDB(tmp_path)
    sexes = ["x" if n < 24 else rnd.choice("fm") for n in range(6000)]
    rows = [(n, sex, f"ward {rnd.randrange(20)}") for n, sex in enumerate(sexes)]
    engine.make({"who": "INTEGER", "sex": "VARCHAR", "ward": "VARCHAR"}, rows)
    source, release = engine.places()
    del release["table"]
    by = {"sex": {}, "ward": {}}
    statistics = {"by": by, "of": {"n": "count"}, "tables": [["ward", "sex"], ["sex"]]}
    protect = {"entity": "who", "threshold": 11}
    data = {"source": source, "statistics": statistics, "protect": protect, "release": release}
    (path := tmp_path / "policy.yaml").write_text(json.dumps(data))
    (label,) = anonsql.tabulate(path).costly_labels
    table = rows_of(tmp_path / "release.duckdb", "SELECT sex, n IS NULL FROM ward_sex")
    hidden, of_x = sum(gone for _, gone in table), sum(gone for sex, gone in table if sex == "x")
    assert (label.dimension, label.label, label.people) == ("sex", None, 24)
    assert (label.hidden, label.own_hidden) == (hidden, of_x)
    assert label.fewer == hidden  # without the label's cells nothing is primary
    shown = flat(cli("tabulate", path, COLUMNS="200").output)
    assert f"(24 people): {hidden} of {hidden} hidden cells are hidden because of it" in shown
    assert "Merge it with another label" in shown and "--show-values" in shown
    shown = flat(cli("tabulate", path, "--show-values", COLUMNS="200").output)
    assert "sex = 'x' (24 people)" in shown and "`--show-values`" not in shown
    monkeypatch.setattr(labels, "_SMALL", 0)
    shown = flat(cli("tabulate", path, COLUMNS="200").output)
    assert f"a label of sex (24 people): {of_x} of {hidden} hidden cells have it." in shown
    coarse = data | {"statistics": statistics | {"tables": [["ward"]], "by": {"ward": {}}}}
    coarse["release"] = {"database": "coarse.duckdb"}
    assert not anonsql.tabulate(StatisticsPolicy.parse(coarse, tmp_path)).costly_labels
    table = source["table"]
    edit(tmp_path / "source.duckdb", f"""UPDATE "{table}" SET sex = NULL WHERE sex = 'x'""")
    shown = flat(cli("tabulate", path, "--show-values", COLUMNS="200").output)
    assert "sex = NULL (24 people)" in shown
