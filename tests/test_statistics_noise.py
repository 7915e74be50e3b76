"""Published statistics with noise against plain Python, without noise where values are compared,
and against whoever edits them."""

import itertools
import json
import sys

import numpy as np
import pytest

import anonsql
from anonsql.errors import PolicyError, VerificationError
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.statistics.noise import budget, domain, making

from . import tables_of_numbers
from .engines import DuckDB
from .support import cli, edit, opened, rows_of
from .tables_of_numbers import COLUMNS, COUNTRY, KINDS, UNITS

GROUPED = {"letters": ["+a", "+A", "+a "], "others": ['say "b"', "-", "new\nline", ""]}
LEVELS = {
    **tables_of_numbers.LEVELS,
    "age": [
        str,
        lambda age: "<0" if age is not None and age < 0 else tables_of_numbers.interval(age),
        lambda _: "*",
    ],
    "kind": [
        lambda kind: kind,
        {kind: group for group, kinds in GROUPED.items() for kind in kinds}.get,
        lambda _: "*",
    ],
}
CLIP = {"cost": [-2, 700], "days": [1, 6], "score": [0, 3]}
LEAVES = {
    "region": [*COUNTRY, None],
    "age": [-1, *tables_of_numbers.BREAKS, None],
    "kind": KINDS,
}
"""A value of every group that a dimension can have at the levels of the tables."""
FEW = {"max_rows": 1000, "clip": CLIP}
"""As many rows as anybody has."""


def policy_on(engine, clip=CLIP, **noise):
    """A policy with noise, whose source and release are on an engine."""
    source, place = engine.places()
    table = place.pop("table")
    if "." in table:
        place["schema"] = table.partition(".")[0]
    settings = tables_of_numbers.settings()["statistics"]
    settings["by"]["kind"] = {"hierarchy": {"type": "taxonomy", "tree": GROUPED}}
    data = {
        "statistics": settings,
        "protect": {"entity": "who", "by": "noise", "noise": {"clip": clip, **noise}},
        "source": source,
        "release": place,
    }
    return StatisticsPolicy.parse(data, engine.folder)


def source(folder, count=397, seed=5, **more):
    """An engine with rows, and these: nobody's age is missing, so that it tells whether NULL is a
    cell all the same."""
    rows = tables_of_numbers.rows(count, seed, **more)
    rows = [(*row[:2], row[2] if row[2] is not None else 7, *row[3:]) for row in rows]
    engine = DuckDB(folder)
    engine.make(COLUMNS, rows)
    return engine, rows


@pytest.fixture
def silent(monkeypatch):
    """Noise that is 0, of which what is published is what was counted."""
    monkeypatch.setattr(making, "noisy", lambda query, values: values)


def clipped(name, value):
    """An amount in units, as it counts."""
    if value is None:
        return 0
    low, high = (end * UNITS[name] for end in CLIP[name])
    return min(max(tables_of_numbers.units(name, value), low), high)


def expected(policy, name, rows):
    """The cells of a table in plain Python, empty ones too: rows, people, and sums in units."""
    table = policy.tables[name]
    finest = {by: table.levels.get(by, 0) for by in table.by}
    choices = [
        {
            (label(value), level)
            for value in LEAVES[by]
            for level, label in enumerate(LEVELS[by])
            if level >= finest[by]
        }
        for by in table.by
    ]
    cells = {key: [0, set(), 0, 0, 0] for key in itertools.product(*choices)}
    for row in rows:
        by_name = dict(zip(COLUMNS, row, strict=True))
        places = [
            [
                (label(by_name[by]), level)
                for level, label in enumerate(LEVELS[by])
                if level >= finest[by]
            ]
            for by in table.by
        ]
        for key in itertools.product(*places):
            cell = cells[key]
            cell[0] += 1
            cell[1].add(by_name["who"])
            for at, of in enumerate(UNITS, start=2):
                cell[at] += clipped(of, by_name[of])
    return {key: [cell[0], len(cell[1]), *cell[2:]] for key, cell in cells.items()}


def published(engine, name):
    """The cells of a published table: values by labels and levels, sums in units."""
    found = {}
    for row in rows_of(engine.folder / "release.duckdb", f'SELECT * FROM "{name}"'):
        count = len(row) - 10
        key = tuple((row[at], row[at + 1]) for at in range(0, count, 2))
        assert key not in found and set(row[count + 1 :: 2]) == {"changed"}
        units = [1, 1, *UNITS.values()]
        found[key] = [value * unit for value, unit in zip(row[count::2], units, strict=True)]
    return found


def facts(engine, name):
    return dict(rows_of(engine.folder / "release.duckdb", f'SELECT * FROM "{name}__about"'))


@pytest.mark.parametrize("people", [300, 60], ids=["in a cell", "in several"])
def test_cells_are_those_of_a_public_domain(tmp_path, silent, people):
    engine, rows = source(tmp_path, people=people)
    policy = policy_on(engine, rho=1, max_rows=1000)
    anonsql.tabulate(policy)
    for name in policy.tables:
        assert published(engine, name) == expected(policy, name, rows)
    assert any(not sum(map(abs, cell)) for cell in published(engine, "kinds").values())
    assert anonsql.verify(policy, against_source=True).values_compared


def test_nobody_has_more_rows_than_are_counted(tmp_path, silent):
    engine, rows = source(tmp_path, people=40)
    people = {row[0] for row in rows}
    of = {name: sum(row[0] == name for row in rows) for name in people}
    assert max(of.values()) > 5
    drawn = []
    for most in (1, 3, 3):
        policy = policy_on(engine, rho=1, max_rows=most)
        anonsql.tabulate(policy)
        total = next(
            cell
            for key, cell in published(engine, "kinds").items()
            if all(label == "*" for label, _ in key)
        )
        assert total[0] == sum(min(most, count) for count in of.values())
        assert total[1] == len(people)
        drawn.append(published(engine, "kinds"))
        # another draw of rows is not compared
        assert not anonsql.verify(policy, against_source=True).values_compared
    assert drawn[1] != drawn[2]


def test_stable_keys_are_cells_with_enough_people(tmp_path, silent, monkeypatch):
    monkeypatch.setattr(budget, "threshold", lambda *_: 4)
    engine, rows = source(tmp_path, people=80)
    policy = policy_on(engine, rho=1, delta=1e-6, domain="keys", max_rows=1000)
    report = anonsql.tabulate(policy)
    for name in policy.tables:
        cells = expected(policy, name, rows)
        kept = {key: cell for key, cell in cells.items() if cell[1] >= 4}
        assert published(engine, name) == kept and 0 < len(kept) < len(cells)
        assert facts(engine, name)["cells"] == str(len(kept))
    assert report.cells > 0
    assert anonsql.verify(policy, against_source=True).values_compared
    name = next(iter(policy.tables))
    edit(
        tmp_path / "release.duckdb",
        f"UPDATE \"{name}\" SET age = '[1,2)' WHERE age = '[0,18)'",
    )
    with pytest.raises(VerificationError, match="cells that the source does not have"):
        anonsql.verify(policy, against_source=True)


NOISES = [
    {"rho": 0.5, "max_rows": 2},
    {"epsilon": 2, "delta": 1e-6},
    {"epsilon": 3, "mechanism": "laplace", "max_rows": 1000},
    {"rho": 0.5, "max_rows": 2, "consistent": False},
    {"epsilon": 9, "delta": 1e-3, "domain": "keys"},
    {"epsilon": 20, "delta": 1e-3, "domain": "keys", "mechanism": "laplace"},
]


@pytest.mark.parametrize("noise", NOISES, ids=str)
def test_noise_is_published_proved_and_tells_no_count(tmp_path, noise):
    engine, rows = source(tmp_path, count=3989, people=1787)
    policy = policy_on(engine, **noise)
    checked = anonsql.check(policy)
    assert not checked.problems and checked.records is None and checked.noise.parts
    report = anonsql.tabulate(policy)
    assert report.noise == checked.noise.model_copy(update={"before": None})
    anonsql.verify(policy, against_source=True)
    assert (report.records, report.people, report.several) == (None, None, None)
    people = len({row[0] for row in rows})
    counts = {str(len(rows)), str(people), f"{len(rows):,}", f"{people:,}"}
    told = [report.model_dump_json(), checked.model_dump_json()]
    told += [json.dumps(facts(engine, name)) for name in policy.tables]
    with opened(tmp_path / "release.anonsql.duckdb") as catalog:
        told += map(str, catalog.execute("SELECT * FROM runs").fetchall())
        noted = catalog.execute("SELECT * FROM statements WHERE plane <> 'control'").fetchdf()
    assert not noted["rows"].any()
    for text in told:
        words = set("".join(c if c.isalnum() or c in ",." else " " for c in text).split())
        assert not words & counts
    values = published(engine, next(iter(policy.tables)))
    if noise.get("consistent", True):
        assert all(cell[0] >= 0 and cell[1] >= 0 and cell[3] >= 0 for cell in values.values())
    truth = expected(policy, next(iter(policy.tables)), rows)
    assert values != {key: truth[key] for key in values}


def test_whether_somebody_is_there_does_not_show_in_cells(tmp_path):
    """The only one of a region, with an age that nobody else lacks, leaves no trace but noise."""
    shapes = []
    for number, alone in enumerate(([("p-1", "", None, None, None, 3, None)], [])):
        folder = tmp_path / str(number)
        folder.mkdir()
        _, rows = source(folder)
        engine = DuckDB(folder / "with")
        (folder / "with").mkdir()
        engine.make(COLUMNS, [row for row in rows if row[1] != ""] + alone)
        policy = policy_on(engine, rho=1)
        report = anonsql.tabulate(policy)
        told = {name: facts(engine, name) for name in policy.tables}
        for of_table in told.values():
            del of_table["release"]
        cells = [set(published(engine, name)) for name in policy.tables]
        shapes.append((cells, told, report.statements, report.noise))
    assert shapes[0] == shapes[1]


@pytest.mark.parametrize("people", [60, 5])
def test_nobody_changes_what_is_counted_by_more_than_noise_reckons_with(
    tmp_path, people, monkeypatch
):
    """Sources without one person each, counted by the database, over all tables and levels."""
    made = []

    def kept(noise, plan, cells, queries):
        made.append((plan, cells, queries))
        return making_cells(noise, plan, cells, queries)

    making_cells = making.make
    monkeypatch.setattr(making, "make", kept)
    monkeypatch.setattr(making, "noisy", lambda query, values: values)
    _, rows = source(tmp_path, count=120, people=people)
    counts = {row[0]: sum(other[0] == row[0] for other in rows) for row in rows}
    most = max(counts.values())
    for number, left_out in enumerate([None, *sorted(counts, key=counts.get)[-2:]]):
        engine = DuckDB(tmp_path / str(number))
        (tmp_path / str(number)).mkdir()
        engine.make(COLUMNS, [row for row in rows if row[0] != left_out])
        anonsql.tabulate(policy_on(engine, rho=1, max_rows=most))
    (_, whole, queries), *others = made
    tight = 0
    for (_, cells, _), query in itertools.product(others, queries):
        inside = whole.counted["v"] == query.vector
        change = (whole.counted[query.column] - cells.counted[query.column])[inside]
        assert np.abs(change).sum() <= query.l1
        assert np.linalg.norm(change) <= query.l2
        tight = max(tight, np.abs(change).sum() / query.l1)
    assert tight == 1


UNKNOWN = "Releases in other catalogs are not counted, because the run does not know them."


def test_what_is_spent_is_booked(tmp_path):
    engine, _ = source(tmp_path)
    policy = policy_on(engine, rho="0.25")
    first = anonsql.tabulate(policy)
    assert first.spent == "rho 0.25, epsilon 0, delta 0 in 1 release of one catalog"
    assert [one.message for one in first.warnings] == [UNKNOWN]
    # a dry run publishes nothing, and what is there already is not drawn again
    assert anonsql.tabulate(policy, dry_run=True).status == "tried"
    assert anonsql.tabulate(policy, if_changed=True).status == "unchanged"
    other = policy_on(engine, epsilon="0.5", mechanism="laplace")
    second = anonsql.tabulate(other)
    assert second.spent == "rho 0.25, epsilon 0.5, delta 0 in 2 releases of one catalog"
    assert facts(engine, "kinds")["differential.spent"] == second.spent
    assert "The 2 releases of this source together spend" in second.warnings[0].message
    (tmp_path / "release.duckdb").unlink()  # the catalog knows all the same
    checked = anonsql.check(policy)
    assert checked.noise.before == second.spent and checked.warnings
    (tmp_path / "link.duckdb").symlink_to("source.duckdb")
    (tmp_path / "sub").mkdir()
    for spelled in (tmp_path / "link.duckdb", tmp_path / "sub" / ".." / "source.duckdb"):
        place = policy.source.model_copy(update={"database": str(spelled)})
        again = anonsql.check(policy.model_copy(update={"source": place}))
        assert again.noise.before == second.spent
    (tmp_path / "release.anonsql.duckdb").unlink()
    assert anonsql.check(policy).noise.before is None


def test_releases_of_one_catalog_add_up(tmp_path):
    """Over all release files, and what a release says that another catalog booked; a policy that
    names no catalog is warned that others are unknown."""
    engine, _ = source(tmp_path)
    policy = policy_on(engine, rho="0.25")

    def released(name, catalog):
        place = policy.release.model_copy(update={"database": f"{name}.duckdb"})
        own = policy.model_copy(update={"release": place, "catalog": catalog})
        report = anonsql.tabulate(own)
        assert anonsql.verify(own, against_source=True).status == "verified"
        return report.spent.split(",")[0], [one.message for one in report.warnings]

    assert released("one", "shared.duckdb") == ("rho 0.25", [])
    rho, warnings = released("two", "shared.duckdb")
    assert rho == "rho 0.5" and UNKNOWN in warnings[0]
    assert released("three", None) == ("rho 0.25", [UNKNOWN])
    # from now on the shared catalog books that place, and what was spent there before
    assert released("three", "shared.duckdb")[0] == "rho 1"
    assert released("one", "shared.duckdb")[0] == "rho 1.25"
    assert released("three", "shared.duckdb")[0] == "rho 1.5"


EDITS = {
    "lack cells of the public domain": "DELETE FROM kinds WHERE kind = '-' AND region = 'one'",
    "are not the sums of their parts": "UPDATE kinds SET n = n + 40 WHERE kind_level = 1",
    "too small": "UPDATE region_age SET n = -1 WHERE region = 'north' AND age_level = 1",
    "contradict each other": "UPDATE kinds SET people = people + 1 WHERE region_level = 2 AND kind_level = 2",
    "what was spent": "UPDATE kinds__about SET value = 'rho 0.1, epsilon 0, delta 0 in 1 release of one catalog'"
    " WHERE property = 'differential.spent'",
    "differential.max_rows": "UPDATE kinds__about SET value = '1'"
    " WHERE property = 'differential.max_rows'",
    "the noise of all levels": "UPDATE kinds__about SET value = '[]'"
    " WHERE property = 'differential.plan'",
    "state in differential.spent what": "UPDATE kinds__about SET value = REPLACE(value, 'delta 0', 'delta 0.0')"
    " WHERE property = 'differential.spent'",
    "not state the noise": "UPDATE kinds__about SET value = REPLACE(value, '\"scales\"',"
    ' \'"note": "north=1", "scales"\') WHERE property = \'differential.plan\'',
    "states? spends": "UPDATE kinds__about SET value = REGEXP_REPLACE(value, '\"n\": [0-9.]+',"
    " '\"n\": 0.5', 'g') WHERE property = 'differential.plan'",
    "no additive.n, which it must state": "DELETE FROM kinds__about WHERE property = 'additive.n'",
}
_COUNTED = (
    "UPDATE kinds__about SET value = (SELECT CAST(COUNT(*) AS VARCHAR) FROM kinds)"
    " WHERE property = 'cells'"
)
AGAINST = {
    "another plan of noise": "UPDATE kinds__about SET value = REGEXP_REPLACE(value, '\"n\": [0-9.]+',"
    " '\"n\": 99999.5', 'g') WHERE property = 'differential.plan'",
    "values differ from the source by more than the noise": "UPDATE kinds SET people = people + 999"
    " WHERE kind_level = 0 AND region_level = 1",
    "kinds lacks 4 cells": "UPDATE kinds SET kind = '+b' WHERE kind = '-'",
}


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    """A release with noise, and its policy."""
    folder = tmp_path_factory.mktemp("noise")
    engine, _ = source(folder)
    policy = policy_on(engine, rho=2, max_rows=1000)
    anonsql.tabulate(policy)
    return folder, policy


@pytest.mark.parametrize("text", [*EDITS, *AGAINST])
def test_an_edited_release_is_refused(tmp_path, once, text):
    folder, policy = once
    path = folder / "release.duckdb"
    whole = path.read_bytes()
    try:
        edit(path, {**EDITS, **AGAINST}[text], _COUNTED)
        with pytest.raises(VerificationError, match=text):
            anonsql.verify(policy, against_source=text in AGAINST)
    finally:
        path.write_bytes(whole)


def test_hierarchies_that_list_nothing_are_named(tmp_path):
    engine, _ = source(tmp_path)
    source_, place = engine.places()
    place.pop("table")
    data = {
        "source": source_,
        "release": place,
        "statistics": {
            "by": {
                "kind": {"hierarchy": {"type": "mask", "length": 20}},
                "age": {"hierarchy": {"type": "breaks", "at": [18]}},
            },
            "of": {"n": "count"},
            "tables": [["kind", "age"]],
        },
        "protect": {"entity": "who", "by": "noise", "noise": {"rho": 1}},
    }
    problems = anonsql.check(StatisticsPolicy.parse(data, tmp_path)).problems
    assert [problem.where for problem in problems] == ["statistics.by.kind", "statistics.by.age"]
    assert all("domain: keys" in problem.remedy for problem in problems)
    assert "begin at a higher level" in problems[1].message
    with pytest.raises(PolicyError, match="does not list the possible values"):
        anonsql.tabulate(StatisticsPolicy.parse(data, tmp_path))
    data["statistics"]["by"]["kind"] = {}
    with pytest.raises(PolicyError, match=r"by\.kind\.hierarchy: .*domain: keys"):
        StatisticsPolicy.parse(data, tmp_path)


def test_a_domain_that_is_too_large_is_refused_before_it_is_made(tmp_path, monkeypatch):
    monkeypatch.setattr(domain, "MAX_VALUES", 500)
    engine, _ = source(tmp_path)
    with pytest.raises(PolicyError, match=r"the domain has [0-9,]+ values, and the limit is 500"):
        anonsql.tabulate(policy_on(engine, rho=1))


def test_opendp_is_asked_for_where_it_is_missing(tmp_path, monkeypatch):
    engine, _ = source(tmp_path)
    policy = policy_on(engine, rho=2, max_rows=1000)
    anonsql.tabulate(policy)
    for name in [name for name in sys.modules if name.partition(".")[0] == "opendp"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "opendp", None)
    assert "anonsql[differential]" in anonsql.check(policy).problems[0].remedy
    with pytest.raises(PolicyError, match=r"pip install 'anonsql\[differential\]'"):
        anonsql.tabulate(policy)
    anonsql.verify(policy, against_source=True)  # which draws nothing


def test_the_terminal_tells_the_plan(tmp_path):
    engine, _ = source(tmp_path)
    policy = policy_on(engine, rho=2, max_rows=5)
    data = policy.model_dump(mode="json", by_alias=True, exclude_unset=True)
    (tmp_path / "p.yaml").write_text(json.dumps(data))
    for words in (["check"], ["tabulate"], ["verify"]):
        result = cli(*words, tmp_path / "p.yaml")
        assert result.exit_code == 0, result.output
        assert {"check": "mean error", "tabulate": "spent so far", "verify": "no release can"}[
            words[0]
        ] in " ".join(result.output.split())


def test_the_order_of_rows_tells_nothing_of_the_source(tmp_path):
    """Groups that nobody is in stand where they would stand with somebody in them."""
    orders = []
    for name, kept in (("all", lambda age: True), ("some", lambda age: age is None or age >= 18)):
        folder = tmp_path / name
        folder.mkdir()
        engine = DuckDB(folder)
        engine.make(COLUMNS, [row for row in tables_of_numbers.rows() if kept(row[2])])
        anonsql.tabulate(policy_on(engine, rho=1))
        at = folder / "release.duckdb"
        orders.append(rows_of(at, "SELECT region, region_level, age, age_level FROM region_age"))
    assert orders[0] == orders[1]


@pytest.mark.parametrize(
    "noise",
    [
        {"rho": 1, "max_rows": 4},
        {"epsilon": 3, "mechanism": "laplace"},
        {"epsilon": 1, "delta": 1e-6, "max_rows": 2, "split": {"measures": {"n": 3}}},
    ],
    ids=["rho", "laplace", "gaussian"],
)
def test_noise_that_spends_more_than_is_promised_is_not_published(tmp_path, monkeypatch, noise):
    """Verification reckons what noise spends by itself: a hundredth less noise than the budget asks
    for is refused."""
    engine, _ = source(tmp_path)
    policy = policy_on(engine, **noise)
    sensitivities = budget.sensitivities
    anonsql.tabulate(policy)

    def too_small(noise, plan):
        return {name: (l1, l2 * 0.99) for name, (l1, l2) in sensitivities(noise, plan).items()}

    if noise.get("mechanism") == "laplace":
        monkeypatch.setattr(budget, "_SAFE", 0.99)
    else:
        monkeypatch.setattr(budget, "sensitivities", too_small)
    monkeypatch.setattr(making, "noisy", lambda query, values: values)
    with pytest.raises(VerificationError, match=f"spends .*, not {policy.protect.noise.budget}"):
        anonsql.tabulate(policy)
