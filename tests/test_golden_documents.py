"""The JSON documents of the commands, and released rows by fixed draws: the same on every engine, and
the same as before a change that is not meant to alter them (see golden_values)."""

from types import SimpleNamespace

import pytest

import anonsql
from anonsql.errors import PolicyError
from anonsql.measures.workload import WorkloadSettings
from anonsql.release import salts

from . import clinic, golden_values, tables_of_numbers
from .engines import DuckDB, content_hash, policy_on
from .methods import PLAIN, changes_values
from .support import policy_data, tree_file
from .test_engines import FEW_TYPES, few_columns
from .test_relational import make, place, settings

_OF_THE_RUN = {
    *("seconds", "statements", "started", "finished", "run", "release_id", "draws_from", "memory"),
    *("release", "database", "file", "files", "catalog", "policy", "engine", "source"),
    "extra_tables",
}
"""Fields of a document that differ from run to run, or from engine to engine."""
QUERIES = (
    "SELECT COUNT(*), SUM(n), AVG(n) FROM r WHERE n BETWEEN -10 AND 9",
    "SELECT flag, COUNT(*) FROM r WHERE word <> 'plain' OR n < 3 GROUP BY flag",
    "SELECT MIN(n), MAX(n) FROM r WHERE NOT (word = 'plain' AND code LIKE '0%')",
    "SELECT note, COUNT(*) FROM r WHERE n > 0 GROUP BY note ORDER BY note",
)


def steady(value):
    """A document without what differs from run to run."""
    if isinstance(value, dict):
        return {name: steady(item) for name, item in value.items() if name not in _OF_THE_RUN}
    if isinstance(value, (list, tuple)):
        return [steady(item) for item in value]
    return value


def document(report):
    return steady(report.model_dump(mode="json"))


def answers(policy):
    """The documents of the queries, or why one is refused."""
    made = []
    for sql in QUERIES:
        try:
            made.append(document(anonsql.query(policy, sql)))
        except PolicyError as error:
            made.append(str(error))
    return made


@pytest.fixture(autouse=True)
def fixed_draws(monkeypatch):
    """All that is left to chance is drawn by one salt."""
    monkeypatch.setattr(salts, "secrets", SimpleNamespace(token_hex=lambda size: "5a" * size))


def few_data(folder, method):
    words = sorted({row[2] for row in few_columns() if row[2] is not None})
    tree = [[word, "short" if len(word) < 6 else "long", "*"] for word in words]
    columns = {
        "n": {"type": "interval", "widths": [10, 20]},
        "flag": {"type": "suppression"},
        "word": tree_file(folder / "word.csv", tree),
        "code": {"type": "mask", "length": 5},
        "note": "sensitive",
    }
    diverse = {"l_diversity": {"note": 2}} if method["type"] in ("anatomy", "local") else {}
    limit = 0.0 if method["type"] == "anatomy" else 0.1
    return policy_data(columns, k=5, limit=limit, method=method, privacy=diverse)


@pytest.mark.parametrize("name", list(PLAIN))
def test_documents_and_rows(tmp_path, name):
    """The rows by one salt, what is answered from them, and what they are worth. The matchings of
    rings are drawn anew in every run."""
    engine = DuckDB(tmp_path)
    policy = _check(engine, name)
    if name == "ring":
        return
    golden_values.check(f"rows of {name}", rows=content_hash(engine.read()), query=answers(policy))
    if not changes_values(PLAIN[name]):
        measured = document(anonsql.measure(policy, WorkloadSettings(queries=10)))
        golden_values.check(f"measures of {name}", measure=measured)


@pytest.mark.parametrize(
    "name",
    [name if name == "local" else pytest.param(name, marks=pytest.mark.long) for name in PLAIN],
)
def test_documents_are_the_same_on_every_engine(everywhere, name):
    """Which row goes where chance decides in an engine's own way: tests of engines compare rows."""
    if everywhere.name == "duckdb":
        pytest.skip("the test above")
    _check(everywhere, name)


def _check(engine, name):
    engine.make(FEW_TYPES, few_columns())
    policy = policy_on(engine, few_data(engine.folder, PLAIN[name]))
    golden_values.check(
        f"documents of {name}",
        check=document(anonsql.check(policy)),
        run=document(anonsql.run(policy)),
        columns=sorted(engine.read("r__columns")),
        verify=document(anonsql.verify(policy)),
    )
    return policy


def test_documents_of_a_search(everywhere):
    everywhere.make(FEW_TYPES, few_columns())
    policy = policy_on(everywhere, few_data(everywhere.folder, {"type": "full-domain"}))
    golden_values.check("documents of a search", search=document(anonsql.search(policy)))


@pytest.mark.parametrize(
    "engine",
    ["duckdb", "postgres", pytest.param("spark", marks=pytest.mark.long)],
    indirect=True,
)
def test_documents_of_several_tables(engine):
    make(engine, clinic.rows())
    policy = clinic.policy(*place(engine), suppression_limit=0.3, k=2) | settings(engine)
    golden_values.check(
        "documents of several tables",
        check=document(anonsql.check(policy)),
        run=document(anonsql.run(policy)),
        search=document(anonsql.search(policy)),
        columns=sorted(engine.read("visits__columns")),
        verify=document(anonsql.verify(policy)),
    )


def test_documents_of_statistics(everywhere):
    everywhere.make(tables_of_numbers.COLUMNS, tables_of_numbers.rows())
    policy = tables_of_numbers.policy_on(everywhere, p_percent=0.1)
    asked = "SELECT region, region_level, n, people FROM region_age WHERE age = '*'"
    golden_values.check(
        "documents of statistics",
        check=document(anonsql.check(policy)),
        tabulate=document(anonsql.tabulate(policy)),
        columns=sorted(everywhere.read("kinds__columns")),
        verify=document(anonsql.verify(policy, against_source=True)),
        query=sorted(document(anonsql.query(policy, asked))["rows"], key=str),
    )
