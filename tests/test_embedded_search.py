"""The workbench: the search of a server's job on an embedded DuckDB."""

import pytest

import anonsql
from anonsql.engines.duckdb.engine import DuckDBEngine
from anonsql.errors import PolicyError
from anonsql.jobs import workbench
from anonsql.policy.policy import Policy

from .engines import ENGINES, content_hash
from .support import make_table, policy_data

SERVERS = [name for name in ENGINES if name != "duckdb"]
TYPES = {"age": "INTEGER", "town": "VARCHAR", "disease": "VARCHAR"}
ROWS = [(n % 7 * 10, "abc"[n % 3], "xyz"[n * n % 3]) for n in range(60)]
COLUMNS = {
    "age": {"type": "interval", "widths": [20, 40], "origin": 0},
    "town": {"type": "suppression"},
    "disease": "sensitive",
}
KINDS = {
    "k": {},
    "with suppression": {"limit": 0.1},
    "attribute suppression": {"method": {"type": "attribute-suppression"}},
    "levels": {"method": {"type": "full-domain", "levels": {"age": 2, "town": 0}}, "limit": 0.5},
}


@pytest.fixture(params=SERVERS)
def engine(request, tmp_path):
    made = ENGINES[request.param](tmp_path)
    yield made
    made.close()


def policy_on(engine, where, **more):
    source, release = engine.places()
    data = policy_data(COLUMNS, k=4, **more) | {"source": source, "release": release}
    return Policy.parse(data | {"engine": {"workbench": where}}, engine.folder)


@pytest.mark.parametrize("kind", KINDS)
def test_the_release_is_the_same_both_ways(engine, kind):
    engine.make(TYPES, ROWS)
    found = {}
    for where in ("in-place", "embedded"):
        report = anonsql.run(policy_on(engine, where, **KINDS[kind]))
        found[where] = (
            content_hash(engine.read()),
            report.levels,
            report.metrics,
            report.classes,
            report.suppressed,
        )
        assert anonsql.verify(policy_on(engine, where, **KINDS[kind])).classes == report.classes
    assert found["in-place"] == found["embedded"]


def carried(monkeypatch):
    """What the workbench reads of the server's tables: type and values of each column, by table."""
    found, run = {}, DuckDBEngine.run

    def reading(self, template, **parameters):
        run(self, template, **parameters)
        if template == "jobs/workbench/copied":
            frame = self._session._connection.sql(f"SELECT * FROM {parameters['table']}")
            found[parameters["table"]] = dict(
                zip(
                    zip(frame.columns, map(str, frame.types), strict=True),
                    zip(*frame.fetchall(), strict=True),
                    strict=True,
                )
            )

    monkeypatch.setattr(DuckDBEngine, "run", reading)
    return found


def test_nothing_but_whole_numbers_and_losses_leaves_the_server(engine, monkeypatch):
    engine.make(TYPES, ROWS)
    found = carried(monkeypatch)
    anonsql.run(policy_on(engine, "embedded"))
    assert set(found) == {"cells", "steps"}
    assert list(found["cells"]) == [("c1", "INTEGER"), ("c2", "INTEGER"), ("n", "BIGINT")]
    counts = found["cells"]["n", "BIGINT"]
    assert sum(counts) == len(ROWS) and len(counts) == 21
    *whole, (name, kind) = found["steps"]
    assert [name for name, _ in whole] == ["attribute", "level", "code", "up"]
    assert {kind for _, kind in whole} == {"INTEGER"} and (name, kind) == ("loss", "DOUBLE")
    assert all(0 <= loss <= 1 for loss in found["steps"][name, kind])
    left = {each.name for each in engine.folder.rglob("*") if "workbench" in each.name}
    assert left == set()


def test_in_place_nothing_leaves_the_server(engine, monkeypatch):
    engine.make(TYPES, ROWS)
    found = carried(monkeypatch)
    anonsql.run(policy_on(engine, "in-place"))
    assert found == {}


def test_too_many_cells_stay_where_they_are(engine, monkeypatch):
    engine.make(TYPES, ROWS)
    found = carried(monkeypatch)
    monkeypatch.setattr(workbench, "MOST_CELLS", 3)
    anonsql.run(policy_on(engine, "auto"))
    assert found == {}
    anonsql.run(policy_on(engine, "embedded"))
    assert "cells" in found


@pytest.mark.parametrize(
    "more", [{"privacy": {"l_diversity": {"disease": 2}}}, {"method": {"type": "mondrian"}}]
)
def test_what_cannot_travel_yet_stays(engine, monkeypatch, more):
    """Promises about sensitive values, and methods that decide more than levels."""
    engine.make(TYPES, ROWS)
    found = carried(monkeypatch)
    policy = policy_on(engine, "embedded").model_dump(mode="json", exclude_unset=True)
    policy["privacy"] |= more.get("privacy", {})
    policy |= {name: value for name, value in more.items() if name != "privacy"}
    anonsql.run(Policy.parse(policy, engine.folder))
    assert "cells" not in found


def test_on_duckdb_the_engine_is_the_workbench(tmp_path, monkeypatch):
    make_table(tmp_path / "source.duckdb", TYPES, ROWS)
    found = carried(monkeypatch)
    data = policy_data(COLUMNS, k=4) | {"engine": {"workbench": "embedded"}}
    anonsql.run(Policy.parse(data, tmp_path))
    assert "cells" not in found


def test_another_word_is_refused():
    data = policy_data(COLUMNS, k=4) | {"engine": {"workbench": "elsewhere"}}
    with pytest.raises(PolicyError, match=r"engine\.workbench"):
        Policy.parse(data)
