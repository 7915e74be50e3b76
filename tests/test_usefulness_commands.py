"""`measure`, `compare` and the owner's page tell what analyses find in a completed table, where a
release has one."""

import json

import jsonschema
import pytest

import anonsql
from anonsql.errors import PolicyError
from anonsql.features.compare.document import CompareReport
from anonsql.features.measure.document import MeasureReport
from anonsql.features.measure.usefulness import measuring
from anonsql.jobs import fingerprints
from anonsql.policy.locations import JobLocations
from anonsql.policy.relational import RelationalPolicy
from anonsql.schemas import schemas

from . import clinic
from .engines import DATABASES, ENGINES, policy_on
from .support import cli, ended, flat, make_source, policy_data, policy_in, updated, write_data
from .test_usefulness import TYPES, people

COLUMNS = {
    "n": {"type": "interval", "widths": [10, 30]},
    "x": "insensitive",
    "day": {"type": "date", "levels": ["month", "year"]},
    "town": {"type": "suppression"},
    "ok": "sensitive",
}


ROWS = people(1, 120)


def of_rows(rows, types=TYPES):
    """What makes a completed table of two draws, each these rows, where a job works."""

    def made(job, release):
        kinds = [("draw", "INTEGER"), *types.items()]
        job.engine.load("by_hand", kinds, [(draw, *row) for draw in (1, 2) for row in rows])
        return ("by_hand",)

    return made


@pytest.fixture
def policy(tmp_path):
    make_source(tmp_path, TYPES, ROWS)
    return policy_in(tmp_path, COLUMNS, k=3, limit=0.1)


@pytest.fixture
def by_hand(monkeypatch):
    monkeypatch.setattr(measuring, "completed_of", of_rows(ROWS))


def test_a_release_that_is_not_completed_has_no_analyses(policy, monkeypatch):
    anonsql.run(policy)
    monkeypatch.setattr(measuring, "completed_of", lambda *_: None)
    assert anonsql.measure(policy, queries=5).usefulness is None
    with pytest.raises(PolicyError, match="no values are drawn"):
        anonsql.measure(policy, queries=5, target="ok")


def test_a_release_without_a_completed_table_is_drawn(policy):
    """Five draws that say the same every time, and of the columns that are kept what is true."""
    anonsql.run(policy)
    found = anonsql.measure(policy, queries=5, target="x").usefulness
    assert found == anonsql.measure(policy, queries=5, target="x").usefulness
    assert found.draws == 5 and found.propensity.ratio > 0
    assert found.marginals[0].greatest > 0 and found.target.coefficients


def test_measure_tells_what_analyses_find(policy, tmp_path, by_hand):
    anonsql.run(policy)
    found = anonsql.measure(policy, queries=5).usefulness
    assert (found.columns, found.draws, found.target) == (list(TYPES), 2, None)
    assert found.propensity.ratio == found.queries.mean == 0
    explained = anonsql.measure(policy, queries=5, target="x").usefulness.target
    assert (explained.kind, explained.turned) == ("linear", 0)
    assert explained.inside == len(explained.coefficients) == 6
    write_data(tmp_path, policy_data(COLUMNS, k=3, limit=0.1, measure={"target": "town"}))
    path = tmp_path / "policy.yaml"
    printed = cli("measure", path, "--queries", 5)
    ended(
        printed,
        0,
        "Analyses of the completed table (2 draws)",
        "town (logistic regression): ",
        "are inside the source's 95 % interval, no significant one has changed its sign",
    )
    ended(cli("measure", path, "--queries", 5, "--target", "ok"), 0, "ok (logistic regression): ")
    told = json.loads(cli("measure", path, "--queries", 5, "--json").stdout)
    jsonschema.validate(told, schemas()["report.schema.json"])
    assert MeasureReport.model_validate(told).usefulness.target.target == "town"


FLAT = {name: kind for name, kind in TYPES.items() if name != "ok"}


@pytest.fixture(params=["postgres", *DATABASES, pytest.param("spark", marks=pytest.mark.long)])
def another(request, tmp_path):
    """The engines besides DuckDB."""
    made = {**ENGINES, **DATABASES}[request.param](tmp_path)
    yield made
    if hasattr(made, "close"):
        made.close()


def test_every_engine_finds_the_same(another, tmp_path, monkeypatch):
    """Of rows that are the source's but for a third, which are changed."""
    rows = [row[:-1] for row in ROWS]
    drawn = [(n + 5 * (n % 3 == 0), x, day, "a", ok) for n, x, day, _, ok in ROWS[::3]]
    drawn = rows[::2] + [row[:-1] for row in drawn]
    monkeypatch.setattr(measuring, "completed_of", of_rows(drawn, FLAT))
    columns = {name: column for name, column in COLUMNS.items() if name != "ok"}
    data = policy_data(columns, k=3, limit=0.1, measure={"target": "town"})
    another.make(FLAT, rows)
    policy = policy_on(another, data)
    anonsql.run(policy)
    found = anonsql.measure(policy, queries=2).usefulness
    other = tmp_path / "other"
    other.mkdir()
    make_source(other, FLAT, rows)
    same = policy_in(other, columns, k=3, limit=0.1, measure={"target": "town"})
    anonsql.run(same)
    assert near(found.model_dump()) == near(
        anonsql.measure(same, queries=2).usefulness.model_dump()
    )
    assert found.propensity.ratio > 0.1


def near(told):
    """Documents with numbers of five digits: engines add in other orders."""
    if isinstance(told, dict):
        return {name: near(value) for name, value in told.items()}
    if isinstance(told, list):
        return [near(value) for value in told]
    return float(f"{told + 0.0:.5g}") if isinstance(told, float) else told


def test_compare_tells_them_beside_loss(policy, tmp_path, by_hand):
    one = write_data(tmp_path, policy_data(COLUMNS, k=3, limit=0.1), "one.yaml")
    data = policy_data(COLUMNS, k=3, limit=0.1, method={"type": "mondrian"})
    two, page = write_data(tmp_path, data, "two.yaml"), tmp_path / "page.html"
    printed = cli("compare", one, two, "--queries", 5, "--target", "ok", "--html", page)
    ended(printed, 0, "analyses", "pMSE: of pairs of columns", "inside: coefficients", "6/6")
    text = flat(page.read_text())
    assert "What analyses find" in text and '<td class="number">6/6</td>' in text
    report = anonsql.compare([one, two], queries=5)
    assert [line.usefulness.propensity.ratio for line in report.policies] == [0, 0]
    assert CompareReport.model_validate(report.model_dump()) == report


def test_the_owners_page_tells_them(policy, tmp_path, by_hand):
    anonsql.run(policy)
    page = tmp_path / "page.html"
    anonsql.report(updated(policy, measure={"target": "ok"}), page)
    text = flat(page.read_text())
    assert "What analyses find" in text
    assert "ok (logistic regression): 6 of 6 coefficients" in text


def test_a_target_must_be_released(policy, tmp_path):
    columns = {**COLUMNS, "x": "identifying"}
    for target, said in (
        ("y", "there is no column 'y'"),
        ("x", "does not have 'x', because the role is identifying"),
    ):
        with pytest.raises(PolicyError, match=f"measure.target: .*{said}"):
            policy_in(tmp_path, columns, measure={"target": target})
        path = write_data(tmp_path, policy_data(columns, k=3, limit=0.1))
        ended(cli("measure", path, "--target", target), 2, "--target", said)
    with pytest.raises(PolicyError, match=r"measure\.targets"):
        policy_in(tmp_path, COLUMNS, measure={"targets": "x"})


def test_what_is_measured_makes_no_other_release(policy):
    places = JobLocations.of(policy)
    other = updated(policy, measure={"target": "ok"})
    assert fingerprints.of_policy(policy, places) == fingerprints.of_policy(other, places)


def test_a_target_of_several_tables_is_measured_in_its_table(tmp_path):
    places = {"database": "source.duckdb"}, {"database": "out.duckdb"}
    data = clinic.policy(*places) | {"measure": {"target": "visits.nights"}}
    with pytest.raises(PolicyError, match=r"measure.target: .*visits.nights"):
        RelationalPolicy.parse(data, tmp_path)
    name = "patients.sex"
    table, column = name.split(".")
    found = RelationalPolicy.parse(data | {"measure": {"target": name}}, tmp_path)
    targets = {own: found.plan(own).measure.target for own in found.personal}
    assert targets == {own: column if own == table else None for own in found.personal}
