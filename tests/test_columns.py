"""The columns of a release: in the order of the source's, and of the types that a run gives
them."""

from datetime import date
from decimal import Decimal

import pytest

import anonsql
from anonsql.errors import VerificationError

from .engines import ENGINES, policy_on
from .support import policy_data, written_anew
from .test_databases import DATABASES

COLUMNS = {"age": "INTEGER", "sex": "VARCHAR", "n": "BIGINT", "ill": "VARCHAR"}
POLICY = {
    "age": {"type": "interval", "widths": [10]},
    "sex": {"type": "suppression"},
    "n": "insensitive",
    "ill": "sensitive",
}
ROWS = [(20 + i % 30, "mf"[i % 2], i % 7, "xyz"[i % 3]) for i in range(120)]
EVERY = "age, age_lo, age_hi, sex, n, ill"


@pytest.fixture
def released(tmp_path):
    """A release in a DuckDB file, its policy, and what writes it anew by another SELECT, with the
    rows of ``__columns`` in another order where one is given."""
    place = ENGINES["duckdb"](tmp_path)
    place.make(COLUMNS, ROWS)
    policy = policy_on(place, policy_data(POLICY, k=3))
    anonsql.run(policy)
    anonsql.verify(policy, against_source=True)
    file = tmp_path / "release.duckdb"

    def write(select, order=""):
        facts = f"FROM old.r__columns ORDER BY list_position([{order}], column_name)"
        selects = {"r": f"SELECT {select} FROM old.r ORDER BY ALL NULLS FIRST"}
        written_anew(file, selects | ({"r__columns": facts} if order else {}))

    return policy, write


@pytest.mark.parametrize(
    ("select", "message"),
    [
        (EVERY.replace("age_lo", "age_lo::SMALLINT AS age_lo"), "'age_lo' is SMALLINT"),
        (EVERY.replace("age_hi", "age_hi::DOUBLE AS age_hi"), "'age_hi' is DOUBLE"),
        ("age, age_hi, age_lo, sex, n, ill", "bounds of 'age' do not stand behind it"),
        ("age, sex, age_lo, age_hi, n, ill", "bounds of 'age' do not stand behind it"),
        (EVERY.replace(" n,", " n::INTEGER AS n,"), "'n' is INTEGER in the release, BIGINT"),
    ],
)
def test_other_columns_are_refused(released, select, message):
    policy, write = released
    write(EVERY)
    anonsql.verify(policy, against_source=True)
    write(select)
    with pytest.raises(VerificationError, match=message):
        anonsql.verify(policy, against_source=True)


def test_bounds_are_refused_without_the_source(released):
    policy, write = released
    write(EVERY.replace("age_lo", "age_lo::SMALLINT AS age_lo"))
    with pytest.raises(VerificationError, match="'age_lo' is SMALLINT, which no bounds are"):
        anonsql.verify(policy)


@pytest.mark.parametrize(
    "select", ["sex, age, age_lo, age_hi, n, ill", "age, age_lo, age_hi, sex, ill, n"]
)
def test_another_order_is_refused_by_the_facts_and_by_the_source(released, select):
    policy, write = released
    write(select)
    with pytest.raises(VerificationError, match=f"than __columns has them: {select}"):
        anonsql.verify(policy)
    write(select, order=", ".join(f"'{name}'" for name in select.split(", ")))
    anonsql.verify(policy)
    with pytest.raises(VerificationError, match="another order than the source's"):
        anonsql.verify(policy, against_source=True)


@pytest.mark.parametrize("name", [*ENGINES, *DATABASES])
def test_columns_of_every_type_pass_on_every_engine(tmp_path, name):
    place = {**ENGINES, **DATABASES}[name](tmp_path)
    try:
        types = {"a": "SMALLINT", "b": "DECIMAL(9,2)", "c": "DOUBLE", "d": "DATE", "e": "BIGINT"}
        rows = [
            (i % 9, Decimal(i % 5) / 4, i % 4 / 8, date(2024, 1, 1 + i % 9), i % 6)
            for i in range(90)
        ]
        place.make(types, rows)
        wide = {"type": "interval", "widths": [5]}
        columns = {"a": wide, "b": wide, "c": {"type": "suppression"}}
        columns |= {"d": {"type": "date", "levels": ["month"]}, "e": wide}
        policy = policy_on(place, policy_data(columns, k=2, limit=0.2))
        anonsql.run(policy)
        anonsql.verify(policy)
        anonsql.verify(policy, against_source=True)
    finally:
        if hasattr(place, "close"):
            place.close()
