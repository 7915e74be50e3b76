"""The workbench: search and method of a server's job on an embedded DuckDB."""

import random
from contextlib import closing, contextmanager
from datetime import date, datetime
from decimal import Decimal

import pytest

import anonsql
from anonsql.engines.duckdb.engine import DuckDBEngine
from anonsql.errors import PolicyError, ResourceError
from anonsql.policy.policy import Policy

from .engines import ENGINES, content_hash
from .methods import CHANGING
from .support import make_source, policy_data

SERVERS = [name for name in ENGINES if name != "duckdb"]
TYPES = {"age": "INTEGER", "town": "VARCHAR", "disease": "VARCHAR", "person": "VARCHAR"}
ROWS = [(n % 7 * 10, "abc"[n % 3], "xyz"[n * n % 7 % 4], f"id {n // 2}") for n in range(60)]
QUASI = {
    "age": {"type": "interval", "widths": [20, 40], "origin": 0},
    "town": {"type": "suppression"},
}
COLUMNS = {**QUASI, "disease": "sensitive", "person": "identifying"}
KINDS = {
    "k": {},
    "suppression": {"limit": 0.1},
    "attribute-suppression": {"method": {"type": "attribute-suppression"}},
    "levels": {"method": {"type": "full-domain", "levels": {"age": 2, "town": 0}}, "limit": 0.5},
    "l-diversity": {"privacy": {"l_diversity": {"disease": 2}}},
    "t-closeness": {"privacy": {"t_closeness": {"disease": 0.3}}},
    "ordered t-closeness": {
        "privacy": {
            "t_closeness": {"disease": {"t": 0.2, "distance": "ordered", "order": ["z", "y", "x"]}}
        }
    },
    "people": {"privacy": {"entity": "person"}},
    "several combinations": {"privacy": {"quasi_identifiers": [["age"], ["town"]]}},
    "mondrian": {"method": {"type": "mondrian"}},
    "mondrian, l": {"method": {"type": "mondrian"}, "privacy": {"l_diversity": {"disease": 2}}},
    "cells": {"method": {"type": "cell-generalization"}},
    "full-subtree": {"method": {"type": "full-subtree"}},
    "ordered-partition": {"method": {"type": "ordered-partition"}},
    "hilbert": {"method": {"type": "hilbert"}},
    "ring": {"method": {"type": "ring", "seed": 7}},
    "ring, arrays": {"method": {"type": "ring", "seed": 7, "sets": "array"}},
    **{name: {"method": settings} for name, settings in CHANGING.items()},
}
RANDOM = ("ring", "ring, arrays", *CHANGING)
"""Kinds that give rows of one cell to different groups by chance: what the groups are is the
same."""


@pytest.fixture(params=SERVERS)
def engine(request, tmp_path):
    with closing(ENGINES[request.param](tmp_path)) as made:
        yield made


def policy_on(engine, where, method=None, privacy=None, **more):
    source, release = engine.places()
    data = policy_data(COLUMNS, k=4, **more) | {
        "source": source,
        "release": {"completed": 0, **release},
    }
    data["privacy"] |= privacy or {}
    data |= {"method": method} if method else {}
    return Policy.parse(data | {"engine": {"workbench": where}}, engine.folder)


def released(engine, where, kind):
    """What a run releases: rows, levels, measures and sizes."""
    policy = policy_on(engine, where, **KINDS[kind])
    report = anonsql.run(policy)
    assert anonsql.verify(policy).classes == report.classes
    metrics = {name: value for name, value in report.metrics.items() if value is not None}
    sizes = (report.levels, metrics, report.classes, report.suppressed)
    return sizes if kind in RANDOM else (*sizes, content_hash(engine.read()))


@pytest.mark.parametrize("kind", KINDS)
def test_the_release_is_the_same_both_ways(engine, kind):
    engine.make(TYPES, ROWS)
    assert released(engine, "embedded", kind) == released(engine, "in-place", kind)


NASTY = ["o'Hara; --", 'say "hi"', "two\nlines", "back\\slash", "", "ünï 😀", None, "{a,b}"]
DAYS = [date(2020, 1, 1), date(2021, 5, 9), None, date(1700, 1, 1)]
TYPED = {
    "nasty": ("VARCHAR", NASTY, {"type": "suppression"}),
    "tiny": ("SMALLINT", [-1, 0, 7, None], {"type": "interval", "widths": [5]}),
    "price": ("DECIMAL(8,2)", [Decimal("1.50"), Decimal("-3.05")], {"type": "suppression"}),
    "real": ("DOUBLE", [0.1, 1e-7, -2.5, None], {"type": "suppression"}),
    "day": ("DATE", DAYS, {"type": "date", "levels": ["month", "decade"]}),
    "moment": ("TIMESTAMP", [datetime(2020, 1, 1, 3, 4, 5, 678901), None], {"type": "suppression"}),
    "flag": ("BOOLEAN", [True, False, None], {"type": "suppression"}),
}
"""Columns by name: type, values, hierarchy."""


@pytest.mark.parametrize("recoding", ["levels", "groups"])
def test_every_type_is_released_the_same_both_ways(engine, recoding):
    size = 240
    drawn = random.Random(3)
    columns = [[drawn.choice(values) for _ in range(size)] for _, values, _ in TYPED.values()]
    engine.make(
        {name: kind for name, (kind, _, _) in TYPED.items()}, list(zip(*columns, strict=True))
    )
    source, release = engine.places()
    data = policy_data({name: spec for name, (_, _, spec) in TYPED.items()}, k=3, limit=0.5)
    data |= {"source": source, "release": release | {"bounds": True, "completed": 0}}
    data |= {"method": {"type": "mondrian"}} if recoding == "groups" else {}
    found = []
    for where in ("embedded", "in-place"):
        policy = Policy.parse(data | {"engine": {"workbench": where}}, engine.folder)
        report = anonsql.run(policy)
        anonsql.verify(policy)
        found.append((report.classes, report.metrics, content_hash(engine.read())))
    assert found[0] == found[1]


@contextmanager
def watched(monkeypatch):
    """What the workbench receives: name and type of each column with its values, by table."""
    found, receive = {}, DuckDBEngine.receive

    def receiving(self, table, carried):
        receive(self, table, carried)
        frame = self._connection.sql(f"SELECT * FROM {table}")
        kinds = zip(frame.columns, map(str, frame.types), strict=True)
        rows = frame.fetchall()
        found[table] = dict(zip(kinds, zip(*rows, strict=True), strict=True)) if rows else {}

    with monkeypatch.context() as patched:
        patched.setattr(DuckDBEngine, "receive", receiving)
        yield found


@pytest.mark.parametrize("kind", ["k", "mondrian, l", "t-closeness", "people", "local"])
def test_only_codes_counts_and_domains_leave_the_server(engine, monkeypatch, kind):
    engine.make(TYPES, ROWS)
    with watched(monkeypatch) as found:
        anonsql.run(
            local_policy(engine)
            if kind == "local"
            else policy_on(engine, "embedded", **KINDS[kind])
        )
    domains = found.pop("combinations")
    assert list(domains) == [("q1", "INTEGER"), ("q2", "VARCHAR")]
    for number, values in enumerate(domains.values()):
        own = [value for value in values if value is not None]
        assert len(own) == len(set(own)) and set(own) <= {row[number] for row in ROWS}
        assert kind != "local" or number or max(own) <= 40
    assert {kind for table in found.values() for _, kind in table} <= {
        "INTEGER",
        "BIGINT",
        "BOOLEAN",
        "DOUBLE",
    }
    counts = found["cells"]["n", "BIGINT"]
    assert sum(counts) == len(ROWS)
    for index, table in found.items():
        if index.startswith("values_"):
            assert [name for name, _ in table] == ["code", "n", "share", "m", "named"]
    shares = [
        item
        for (_, kind), column in found.get("values_3", {}).items()
        if kind == "DOUBLE"
        for item in column
    ]
    assert all(0 <= share <= 1 for share in shares)
    left = {path.name for path in engine.folder.rglob("*") if "workbench" in path.name}
    assert left == set()


def local_policy(engine):
    columns = {name: item for name, item in COLUMNS.items() if name != "age"}
    policy = policy_on(engine, "embedded").model_dump(mode="json", exclude_unset=True)
    policy |= {"method": {"type": "local"}}
    policy["privacy"]["l_diversity"] = {"age": 2, "disease": 2}
    policy["columns"] = {
        "age": {"role": "semi-sensitive", "hierarchy": QUASI["age"], "sensitive_when": "age > 40"}
    } | {name: policy["columns"][name] for name in columns}
    return Policy.parse(policy, engine.folder)


def test_local_works_both_ways(engine):
    engine.make(TYPES, ROWS)
    data = local_policy(engine).model_dump(mode="json", exclude_unset=True)
    sizes = []
    for where in ("embedded", "in-place"):
        policy = Policy.parse(data | {"engine": {"workbench": where}}, engine.folder)
        report = anonsql.run(policy)
        anonsql.verify(policy)
        sizes.append((report.classes, report.metrics["ncp"], report.suppressed))
    assert sizes[0] == sizes[1]


def test_in_place_nothing_leaves_the_server(engine, monkeypatch):
    engine.make(TYPES, ROWS)
    with watched(monkeypatch) as found:
        anonsql.run(policy_on(engine, "in-place"))
    assert found == {}


def test_too_many_combinations_stay_where_they_are(engine, monkeypatch):
    engine.make(TYPES, ROWS)
    few = {"engine": {"workbench": "auto", "workbench_cells": 20}}
    data = policy_on(engine, "auto").model_dump(mode="json", exclude_unset=True)
    with watched(monkeypatch) as found:
        anonsql.run(Policy.parse(data | few, engine.folder))
    assert found == {}
    few["engine"]["workbench_cells"] = 21
    with watched(monkeypatch) as found:
        anonsql.run(Policy.parse(data | few, engine.folder))
    assert "cells" in found


def test_a_spark_elsewhere_takes_rows(tmp_path, monkeypatch):
    """One that cannot read this machine's files, where tables of the workbench arrive as rows."""
    spark = pytest.importorskip("anonsql.engines.spark.engine")
    engine = ENGINES["spark"](tmp_path)
    engine.make(TYPES, ROWS)
    found = [released(engine, "embedded", "ring, arrays")]
    monkeypatch.setattr(spark.SparkEngine, "takes", "rows")
    found.append(released(engine, "embedded", "ring, arrays"))
    engine.close()
    assert found[0] == found[1]


def test_too_little_memory_is_a_clear_error(engine):
    rows = [(n, "abc"[n % 3], "xyz"[n % 3], str(n)) for n in range(60_000)]
    engine.make(TYPES, rows)
    data = policy_on(engine, "embedded").model_dump(mode="json", exclude_unset=True)
    data["engine"] |= {"workbench_memory": "2MB"}
    with pytest.raises(ResourceError, match=r"engine\.workbench_memory"):
        anonsql.run(Policy.parse(data, engine.folder))
    left = {path.name for path in engine.folder.rglob("*") if "workbench" in path.name}
    assert left == set()


def test_statements_of_the_workbench_are_not_the_servers(engine):
    engine.make(TYPES, ROWS)
    embedded = anonsql.run(policy_on(engine, "embedded")).statements
    assert embedded < anonsql.run(policy_on(engine, "in-place")).statements


def test_on_duckdb_the_engine_is_the_workbench(tmp_path, monkeypatch):
    make_source(tmp_path, TYPES, ROWS)
    data = policy_data(COLUMNS, k=4) | {"engine": {"workbench": "embedded"}}
    with watched(monkeypatch) as found:
        anonsql.run(Policy.parse(data, tmp_path))
    assert found == {}


def test_another_word_is_refused():
    data = policy_data(COLUMNS, k=4) | {"engine": {"workbench": "elsewhere"}}
    with pytest.raises(PolicyError, match=r"engine\.workbench"):
        Policy.parse(data)
