"""Databases by SQLAlchemy: whole jobs on SQLite and MariaDB, and what is particular to them."""

import duckdb
import pytest

import anonsql

from . import test_engines
from .engines import DATABASES, DuckDB, content_hash, policy_on
from .test_engines import ALL_LEVELS, WIDE_TYPES, wide_policy, wide_rows

TYPES = {**WIDE_TYPES, "amount": "DOUBLE"}
"""SQLite holds decimals as floating point."""


@pytest.fixture(params=list(DATABASES))
def engine(request, tmp_path):
    """Each database in turn."""
    (tmp_path / "there").mkdir()
    made = DATABASES[request.param](tmp_path / "there")
    yield made
    if hasattr(made, "close"):
        made.close()


def plain(rows):
    return [
        tuple(None if v is None else float(v) if type(v).__name__ == "Decimal" else v for v in row)
        for row in rows
    ]


def both(engine, tmp_path, types, rows, data):
    """The report and rows of one job on a database and on DuckDB."""
    made = []
    (tmp_path / "duckdb").mkdir()
    for each in (DuckDB(tmp_path / "duckdb"), engine):
        each.make(types, rows)
        policy = policy_on(each, data(each.folder))
        made.append((anonsql.run(policy), each.read()))
        assert anonsql.verify(policy).min_class == made[-1][0].min_class
    return made


@pytest.mark.parametrize("number", [0, 3, 5])
def test_every_kind_of_value_is_generalized_the_same(engine, tmp_path, number):
    """Full-domain, every label published."""
    rows = plain(wide_rows() * 3)

    def data(folder):
        return wide_policy(folder, {"levels": ALL_LEVELS[number]}, k=3)

    (one, expected), (other, found) = both(engine, tmp_path, TYPES, rows, data)
    assert content_hash(found) == content_hash(expected)
    assert (other.levels, other.metrics, other.classes) == (one.levels, one.metrics, one.classes)


METHODS = [
    {"type": "full-domain"},
    *({"type": name} for name in ("full-subgraph", "full-subtree", "mondrian", "hilbert", "ring")),
    {"type": "mondrian", "values": "hierarchy"},
    *({"type": name} for name in ("cell-generalization", "cell-suppression", "homogeneous")),
    {"type": "ordered-partition", "budget": 20},
]


@pytest.mark.parametrize("method", METHODS, ids=lambda each: "-".join(map(str, each.values())))
def test_methods_make_the_same_release(engine, tmp_path, method):
    """Every method that decides by cells; the last column is kept, and which row goes where may be
    left to chance."""
    rows = plain(wide_rows(200, seed=3))

    def data(folder):
        return wide_policy(folder, method, k=5, limit=0.2)

    (one, expected), (other, found) = both(engine, tmp_path, TYPES, rows, data)
    assert content_hash([row[:-1] for row in found]) == content_hash([row[:-1] for row in expected])
    assert (other.metrics, other.classes) == (one.metrics, one.classes)
