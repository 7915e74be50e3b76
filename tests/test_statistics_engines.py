"""One body for every engine: the same policy of statistics gives the same tables, to the bit."""

import anonsql

from . import tables_of_numbers
from .engines import DuckDB

TABLES = ("region_age", "kinds")


def read(engine):
    """The published tables of an engine, in an order of their own."""
    return {
        name: sorted(([*map(plain, row)] for row in engine.read(name)), key=repr) for name in TABLES
    }


def plain(value):
    """A published value as every driver returns it."""
    return value if value is None or isinstance(value, (str, int)) else f"{value:.2f}"


def test_every_engine_publishes_the_same_tables(everywhere, tmp_path):
    (tmp_path / "beside").mkdir()
    usual = DuckDB(tmp_path / "beside")
    found = []
    for engine in (usual, everywhere):
        engine.make(tables_of_numbers.COLUMNS, tables_of_numbers.rows())
        policy = tables_of_numbers.policy_on(engine, p_percent=0.1)
        report = anonsql.tabulate(policy)
        assert anonsql.verify(policy, against_source=True).status == "verified"
        assert anonsql.tabulate(policy, if_changed=True).status == "unchanged"
        found.append((read(engine), [table.model_dump() for table in report.tables]))
    assert found[0] == found[1]
    assert any(row[-1] == "hidden" for row in found[0][0]["kinds"])
