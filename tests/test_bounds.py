"""Columns of bounds: every reader knows them by name and looks together."""

import pytest

from anonsql.engines.base import Column
from anonsql.features.report.released import ColumnLine
from anonsql.grammar.bounds import bound_of
from anonsql.verification.plain_sql import Shape

CASES = [
    ("age_lo", "least value that age can have", "age"),
    ("age_hi", "greatest value that age can have", "age"),
    ("a b\n_hi", "greatest value that a b\n can have", "a b\n"),
    ("_lo", "least value that  can have", ""),
    ("age_lo", "greatest value that age can have", None),
    ("age_lo", "least value that sex can have", None),
    ("age", "least value that age can have", None),
    ("age_lo", "as it is", None),
    ("age_lo", "", None),
    ("age_lo", None, None),
    ("lo", "least value that  can have", None),
]


@pytest.mark.parametrize(("name", "looks", "own"), CASES)
def test_a_bound_has_the_name_and_the_looks_of_one(name, looks, own):
    assert bound_of(name, looks) == own
    role = "quasi-identifying"
    assert ColumnLine(name, role, None, looks or "").is_bound == (own is not None)
    assert not ColumnLine(name, "insensitive", None, looks or "").is_bound


def test_statements_group_by_labels_without_their_bounds():
    names = ["age", "age_lo", "age_hi", "sex_lo"]
    looks = {"age_lo": CASES[0][1], "age_hi": CASES[1][1], "sex_lo": "as it is", "age": "*"}
    shape = Shape(
        rows=("r",),
        columns=[Column(name, "VARCHAR") for name in names],
        apart=(),
        about={},
        roles=dict.fromkeys(names, "quasi-identifying"),
        looks=looks,
    )
    assert shape.labels == ["age", "sex_lo"] and shape.keys == names
