"""The pages of a release on every engine: the same figures, whatever database they come from."""

from datetime import date

import pytest

import anonsql
from anonsql.policy.policy import Policy

from .engines import policy_on
from .support import policy_data
from .test_report_pages import COLUMNS, PLANTED, RARE, ROLES, people


def test_pages_are_the_same_on_every_engine(engine, tmp_path):
    place = list(COLUMNS).index(PLANTED)
    rows = [row[:place] + row[place + 1 :] for row in people(120)]
    types = {name: kind for name, kind in COLUMNS.items() if name != PLANTED}
    for row in rows:
        row[4] = date.fromisoformat(row[4])
    engine.make(types, rows)
    roles = {name: item for name, item in ROLES.items() if name != PLANTED}
    policy = policy_on(engine, policy_data(roles, k=5, limit=0.1))
    ran = anonsql.run(policy)
    own = anonsql.report(policy, tmp_path / "owner.html").owner
    given = anonsql.report(policy, tmp_path / "handout.html", audience="recipient").recipient
    assert own.missing == [] and own.report.released == ran.released
    by_name = {column.column: column.distribution for column in own.columns}
    assert {name for name, entry in by_name.items() if entry} == set(types) - {"name"}
    assert all(element.rows == 120 for element in by_name.values() if element)
    assert {bar.label: bar.source for bar in by_name["sex"].bars} == {
        sex: sum(row[2] == sex for row in rows) for sex in "FM"
    }
    assert sum(bar.released for bar in by_name["age"].bars) > 0
    assert given.class_sizes == own.class_sizes and given.checks
    assert RARE not in (tmp_path / "handout.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("engine", ["postgres"], indirect=True)
def test_a_release_in_another_database_than_its_source(engine, tmp_path):
    rows = [(number % 40 + 20, "FM"[number % 2], RARE) for number in range(100)]
    engine.make({"age": "INTEGER", "sex": "VARCHAR", "note": "VARCHAR"}, rows)
    columns = {
        "age": {"type": "interval", "widths": [10]},
        "sex": {"type": "suppression"},
        "note": "insensitive",
    }
    source, _ = engine.places()
    data = policy_data(columns, k=5) | {"source": source, "release": {"file": "out.parquet"}}
    policy = Policy.parse(data, tmp_path)
    anonsql.run(policy)
    own = anonsql.report(policy, tmp_path / "owner.html").owner
    assert [item.what for item in own.missing] == [
        "The distributions of columns that are kept unchanged"
    ]
    assert [column.column for column in own.columns if column.distribution] == ["age", "sex"]
    assert sum(bar.released for bar in own.columns[0].distribution.bars) == pytest.approx(100)
    given = anonsql.report(tmp_path / "out.parquet", tmp_path / "x.html", audience="recipient")
    assert [entry.column for entry in given.recipient.columns if entry.values] == [*columns]
